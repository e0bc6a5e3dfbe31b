// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"

namespace cuvette::hsa {

/// Hands out device addresses: the same calls give the same addresses on every engine and every
/// run. Blocks never share a 4 KiB page, at least `guard` unmapped bytes lie between two of them,
/// address 0 is never given and nothing is given twice, so that stale pointers and runaway indices
/// fault.
class DeviceAllocator {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  struct Config {
    uint64_t first = uint64_t{1} << 32;  ///< rounded up to a page, at least one page
    uint64_t end = uint64_t{1} << 47;    ///< first address that is not given
    uint64_t guard = 64 << 10;           ///< rounded up to a page
  };

  DeviceAllocator() : DeviceAllocator(Config{}) {}
  explicit DeviceAllocator(const Config& config);

  /// `alignment` is a power of two up to 1 GiB (smaller than a page: a page). With `within_4gib`
  /// the block does not cross a multiple of 4 GiB (amd_queue_t asks for it). Errors: zero bytes,
  /// bad alignment, full.
  base::Result<uint64_t> allocate(uint64_t bytes, uint64_t alignment = 256,
                                  bool within_4gib = false);

  /// The next page boundary that could be given.
  uint64_t next() const { return next_; }

 private:
  uint64_t next_;
  uint64_t end_;
  uint64_t guard_;
};

}  // namespace cuvette::hsa
