// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/host_heap.h"

#include <cstdint>
#include <cstdlib>
#include <limits>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace cuvette::base {

#ifdef __GLIBC__
/// The heap grows once by all of it: growth behind a region with this advice would not have it.
void prefer_huge_pages() {
  constexpr int kHeapBytes = 1 << 30;      // of addresses; memory is what is touched of them
  constexpr int kLargestBlock = 32 << 20;  // on the heap, the most that glibc takes
  constexpr int kUsualPad = 128 << 10;     // glibc's default
  constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
  const auto end_of_heap = [] { return reinterpret_cast<uintptr_t>(sbrk(0)); };

  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, kHeapBytes);
  const uintptr_t before = end_of_heap();
  void* volatile block = std::malloc(kHugePage);  // volatile: compilers leave it out otherwise
  std::free(block);
  mallopt(M_TOP_PAD, kUsualPad);
  const uintptr_t end = end_of_heap();
  const uintptr_t first = (before + kHugePage - 1) / kHugePage * kHugePage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}
#else
void prefer_huge_pages() {}
#endif

}  // namespace cuvette::base
