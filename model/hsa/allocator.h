// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "hsa/small_model.h"

namespace cuvette::hsa {

/// Constraint on the address of an allocation.
enum class Place : uint8_t {
  Anywhere,
  Within4Gib,  ///< not across a multiple of 4 GiB (amd_queue_t asks for it)
  Below4Gib,   ///< addresses of 32 bits, for code of the small machine model
};

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
    /// Place::Below4Gib starts here where `first` is not below 4 GiB itself.
    uint64_t low_first = kSmallModelFirst;
  };

  DeviceAllocator() : DeviceAllocator(Config{}) {}
  explicit DeviceAllocator(const Config& config);

  /// `alignment` is a power of two up to 1 GiB (smaller than a page: a page). Errors: zero bytes,
  /// bad alignment, full.
  base::Result<uint64_t> allocate(uint64_t bytes, uint64_t alignment = 256,
                                  Place place = Place::Anywhere);

  /// The next page boundary that could be given.
  uint64_t next() const { return next_; }

 private:
  uint64_t next_;
  uint64_t end_;
  uint64_t guard_;
  std::optional<uint64_t> next_low_;  ///< next address below 4 GiB, where these are apart from the
                                      ///< others
};

}  // namespace cuvette::hsa
