// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/small_model.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "hsa/amdgpu_elf.h"
#include "hsa/elf.h"
#include "hsa/kernel_code.h"

namespace cuvette::hsa {
namespace {

/// The amd_kernel_code_t of a v2 kernel says that it was made for 32-bit addresses.
bool is_narrow_kernel(const ElfFile& elf, const uint8_t* data, const ElfSymbol& symbol) {
  if (symbol.type != amdgpu_elf::kSymbolKernel || symbol.section == 0) return false;
  for (const ElfSegment& s : elf.segments) {
    if (s.type != kElfLoadSegment || symbol.value < s.vaddr) continue;
    const uint64_t offset = symbol.value - s.vaddr;
    if (s.file_bytes < sizeof(AmdKernelCode) || offset > s.file_bytes - sizeof(AmdKernelCode)) {
      continue;
    }
    AmdKernelCode code;
    std::memcpy(&code, data + s.offset + offset, sizeof code);
    return !base::bit(code.kernel_code_properties, kPropertyIsPtr64);
  }
  return false;
}

}  // namespace

bool is_small_model(const ElfFile& elf, const uint8_t* data) {
  const bool v2 = elf.abi_version == 0;
  return std::any_of(elf.symbols.begin(), elf.symbols.end(), [&](const ElfSymbol& s) {
    return (s.name == kSmallModelMark && s.section != 0) || (v2 && is_narrow_kernel(elf, data, s));
  });
}

}  // namespace cuvette::hsa
