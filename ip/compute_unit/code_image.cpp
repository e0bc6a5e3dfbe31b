// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/compute_unit/code_image.h"

#include <algorithm>
#include <cstring>

namespace cuvette::ip {

CodeImage::CodeImage(isa::Target target)
    : memory_(std::make_unique<hsa::SparseMemory>(), std::make_unique<hsa::AddressSpace>(), {}),
      program_(memory_, target) {}

bool CodeImage::put(uint64_t pc, const uint32_t* words, unsigned count) {
  constexpr uint64_t kPage = hsa::SparseMemory::kPageBytes;
  const uint64_t bytes = uint64_t{4} * count;
  if (pc + bytes < pc) return false;
  for (uint64_t page = pc / kPage; page <= (pc + bytes - 1) / kPage; ++page) {
    if (!pages_.insert(page).second) continue;
    auto& sparse = static_cast<hsa::SparseMemory&>(memory_.backing());
    if (!sparse.reserve(page * kPage, kPage).ok()) return false;
    if (!memory_.space().map(page * kPage, kPage, hsa::Access::All).ok()) return false;
  }
  uint32_t there[4] = {};
  count = std::min(count, 4u);
  if (!memory_.read(pc, there, bytes).ok()) return false;
  if (std::memcmp(there, words, bytes) == 0) return true;
  if (!memory_.poke(pc, words, bytes).ok()) return false;
  program_.renew();
  return true;
}

}  // namespace cuvette::ip
