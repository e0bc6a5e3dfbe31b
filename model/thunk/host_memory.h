// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hsa/address_space.h"
#include "hsa/backing.h"
#include "thunk/memory_map.h"

namespace cuvette::thunk {

/// Address space of a node's device. Physical addresses are those of the process: what the driver
/// has mapped to the node is seen at its own address, memory of other devices too, registered
/// memory at another one, everything else faults.
class SharedAddressSpace final : public hsa::AddressSpace {
 public:
  /// `map` outlives it and changes while nothing translates.
  SharedAddressSpace(const MemoryMap& map, uint32_t node) : map_(map), node_(node) {}
  hsa::Translation translate(uint32_t vmid, uint64_t va, hsa::Access access) const override;
  uint64_t generation() const override { return map_.generation(); }
  std::string place_of(uint32_t vmid, uint64_t va, uint64_t bytes) const override;

 private:
  const MemoryMap& map_;
  uint32_t node_;
};

/// Bytes of the process itself, as far as the driver knows them: the memory of all nodes.
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
