// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "base/bits.h"
#include "ip/common/translations.h"
#include "memory/memory_messages.h"
#include "memory/serve.h"

namespace cuvette::ip {

/// Memory as a device has read it: the newest answer for every physical byte.
class ReadImage {
 public:
  void add(uint64_t block_address, uint64_t mask, const uint8_t* data) {
    Block& block = blocks_[block_address];
    for (unsigned n = 0; n < memory::kBlockBytes; ++n) {
      if (base::bit(mask, n)) block.data[n] = data[n];
    }
    block.mask |= mask;
  }
  /// Only what will be read from now on counts of [pa, pa + bytes), inside a block.
  void forget(uint64_t pa, unsigned bytes) {
    const auto found = blocks_.find(memory::block_address(pa));
    if (found == blocks_.end()) return;
    found->second.mask &= ~(base::low_mask(bytes) << pa % memory::kBlockBytes);
  }
  /// Bytes at a virtual address. False: some of them have not been read.
  bool look(const Translations& translations, uint32_t vmid, uint64_t va, void* out,
            unsigned bytes) const {
    auto* to = static_cast<uint8_t*>(out);
    for (unsigned n = 0; n < bytes; ++n) {
      const auto pa = translations.physical(vmid, va + n);
      if (!pa) return false;
      const uint64_t at = *pa % memory::kBlockBytes;
      const auto found = blocks_.find(*pa - at);
      if (found == blocks_.end() || !base::bit(found->second.mask, static_cast<unsigned>(at))) {
        return false;
      }
      to[n] = found->second.data[at];
    }
    return true;
  }

 private:
  struct Block {
    uint64_t mask = 0;
    std::array<uint8_t, memory::kBlockBytes> data{};
  };
  std::map<uint64_t, Block> blocks_;  // by physical address
};

}  // namespace cuvette::ip
