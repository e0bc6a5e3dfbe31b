// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "base/result.h"
#include "hsa/memory.h"

namespace cuvette::host {

/// Memory of the host that the GPU sees in place, at device addresses that are never given twice.
/// Like a block of DeviceMemory, one of these is exact to the byte and may be read up to the next
/// multiple of 64.
class HostBlocks {
 public:
  static constexpr uint64_t kRoundedTo = 64;  ///< bytes

  /// `memory` outlives it and has its own sparse memory.
  explicit HostBlocks(hsa::DeviceMemory& memory) : memory_(memory) {}

  /// Device address of `host`, where `bytes` rounded up to kRoundedTo are, aligned to 8, until
  /// remove(). Errors: no bytes, host memory that is not aligned, no address left.
  base::Result<uint64_t> add(void* host, uint64_t bytes, const hsa::DeviceMemory::Options& options);
  bool has(uint64_t address) const { return blocks_.count(address) != 0; }
  /// Takes the block at `address` away; has(address) holds.
  base::Status remove(uint64_t address);

 private:
  hsa::DeviceMemory& memory_;
  std::map<uint64_t, uint64_t> blocks_;  // bytes, by address
};

}  // namespace cuvette::host
