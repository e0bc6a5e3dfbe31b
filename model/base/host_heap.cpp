// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/host_heap.h"

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>

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
  constexpr size_t kHugePage = size_t{2} << 20;

  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, kHeapBytes);
  auto* const before = static_cast<char*>(sbrk(0));
  void* volatile block = std::malloc(kHugePage);  // volatile: compilers leave it out otherwise
  std::free(block);
  mallopt(M_TOP_PAD, kUsualPad);
  void* first = before;
  auto room = static_cast<size_t>(static_cast<char*>(sbrk(0)) - before);
  if (std::align(kHugePage, kHugePage, first, room) != nullptr) madvise(first, room, MADV_HUGEPAGE);
}
#else
void prefer_huge_pages() {}
#endif

}  // namespace cuvette::base
