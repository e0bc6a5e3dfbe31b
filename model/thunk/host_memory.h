// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hsa/address_space.h"
#include "hsa/backing.h"
#include "thunk/memory_map.h"

namespace cuvette::thunk {

/// Address space of a device whose physical addresses are those of the process: what the driver has
/// mapped is seen at its own address, registered memory at another one, everything else faults.
class SharedAddressSpace final : public hsa::AddressSpace {
 public:
  /// `map` outlives it and changes while nothing translates.
  explicit SharedAddressSpace(const MemoryMap& map) : map_(map) {}
  hsa::Translation translate(uint32_t vmid, uint64_t va, hsa::Access access) const override;
  uint64_t generation() const override { return map_.generation(); }
  std::string place_of(uint32_t vmid, uint64_t va, uint64_t bytes) const override;

 private:
  const MemoryMap& map_;
};

/// Bytes of the process itself, as far as the driver knows them.
class ProcessMemory final : public hsa::Backing {
 public:
  explicit ProcessMemory(const MemoryMap& map) : map_(map) {}
  uint8_t* host_pointer(uint64_t pa, size_t bytes) override;
  bool read(uint64_t pa, void* out, size_t bytes) const override;
  /// Writes to memory; bytes that a cache writes back to memory freed meanwhile are dropped.
  bool write(uint64_t pa, const void* data, size_t bytes) override;

 private:
  /// Whole pages are there, whatever part of them was registered.
  bool is_there(uint64_t pa, size_t bytes) const;
  const MemoryMap& map_;
};

}  // namespace cuvette::thunk
