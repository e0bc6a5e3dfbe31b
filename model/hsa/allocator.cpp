// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/allocator.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

constexpr uint64_t kMaxAlignment = uint64_t{1} << 30;
constexpr uint64_t kFourGib = uint64_t{1} << 32;
static_assert(kSmallModelEnd == kFourGib);

}  // namespace

DeviceAllocator::DeviceAllocator(const Config& config)
    : next_(base::align_up(std::max(config.first, kPageBytes), kPageBytes)),
      end_(config.end),
      guard_(base::align_up(config.guard, kPageBytes)) {
  if (next_ >= kFourGib) {
    next_low_ = base::align_up(std::max(config.low_first, kPageBytes), kPageBytes);
  }
}

base::Result<uint64_t> DeviceAllocator::allocate(uint64_t bytes, uint64_t alignment, Place place) {
  if (bytes == 0) return base::Error("allocation of 0 bytes");
  if (!base::is_power_of_two(alignment) || alignment > kMaxAlignment) {
    return base::Error(
        fmt::format("allocation alignment {}, expected a power of two up to 1 GiB", alignment));
  }
  if (place != Place::Anywhere && bytes > kFourGib) {
    return base::Error(fmt::format("{:#x} bytes do not fit between multiples of 4 GiB", bytes));
  }
  const bool low = place == Place::Below4Gib;
  uint64_t& next = low && next_low_ ? *next_low_ : next_;
  const uint64_t end = low ? std::min(end_, kFourGib) : end_;
  uint64_t start = base::align_up(next, std::max(alignment, kPageBytes));
  if (place == Place::Within4Gib && start / kFourGib != (start + (bytes - 1)) / kFourGib) {
    start = base::align_up(start, kFourGib);
  }
  // Compare by subtraction: bytes may be anything.
  if (start < next || start >= end || bytes > end - start) {
    return base::Error(
        fmt::format("device memory is full: no {:#x} bytes below {:#x}", bytes, end));
  }
  next = base::align_up(start + bytes, kPageBytes) + guard_;
  return start;
}

}  // namespace cuvette::hsa
