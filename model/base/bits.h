// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::base {

/// A mask of the `width` lowest bits, width 0 to 64.
constexpr uint64_t low_mask(unsigned width) {
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

/// Bits hi..lo of `word`, both included, moved down to bit 0.
constexpr uint64_t bits(uint64_t word, unsigned hi, unsigned lo) {
  return (word >> lo) & low_mask(hi - lo + 1);
}

/// One bit as bool.
constexpr bool bit(uint64_t word, unsigned position) {
  return ((word >> position) & 1) != 0;
}

/// `word` with bits hi..lo replaced by the low bits of `value`.
constexpr uint64_t insert_bits(uint64_t word, unsigned hi, unsigned lo, uint64_t value) {
  const uint64_t mask = low_mask(hi - lo + 1) << lo;
  return (word & ~mask) | ((value << lo) & mask);
}

/// The low `width` bits (1 to 64) of `value` as a signed number.
constexpr int64_t sign_extend(uint64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return static_cast<int64_t>(value << shift) >> shift;
}

constexpr uint32_t lo32(uint64_t v) {
  return static_cast<uint32_t>(v);
}
constexpr uint32_t hi32(uint64_t v) {
  return static_cast<uint32_t>(v >> 32);
}
constexpr uint64_t join32(uint32_t lo, uint32_t hi) {
  return uint64_t{lo} | (uint64_t{hi} << 32);
}

/// `value` rounded up to a multiple of `granule`, a power of two.
constexpr uint64_t align_up(uint64_t value, uint64_t granule) {
  return (value + granule - 1) & ~(granule - 1);
}

constexpr bool is_power_of_two(uint64_t v) {
  return v != 0 && (v & (v - 1)) == 0;
}

}  // namespace cuvette::base
