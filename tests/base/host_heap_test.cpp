// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/host_heap.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace cuvette::base {
namespace {

/// Flags of the mapping around an address, as the kernel tells them in /proc/self/smaps.
std::string mapping_flags(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::ifstream smaps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(smaps, line);) {
    unsigned long first = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &end) == 2) {
      here = first <= wanted && wanted < end;
    }
    if (here && line.rfind("VmFlags:", 0) == 0) return line + " ";
  }
  return {};
}

TEST(HostHeap, LargeBlocksLieWhereHugePagesAreAskedFor) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return;  // its heap is another one
#endif
#endif
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled")) return;
  prefer_huge_pages();
  constexpr size_t kBytes = size_t{8} << 20;
  const auto block = std::make_unique<char[]>(kBytes);
  const std::string flags = mapping_flags(&block[kBytes / 2]);  // behind the first huge page
  EXPECT_NE(flags.find(" hg "), std::string::npos) << flags;
}

}  // namespace
}  // namespace cuvette::base
