// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fp/transcendental_tables.h"
#include "wave/lanes/quick_ops.h"

#if CUVETTE_LANES_LEVEL != 0

// V_EXP_F32, V_LOG_F32, V_SIN_F32 and V_COS_F32 as fp/transcendental.h has them, for operands and
// results that are normal numbers: the same integers, in a form that compilers make vectors of.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

constexpr int64_t cubic_at(const fp::table::Cubic& segment, int64_t offset) {
  const int64_t square = segment.c[2] + ((segment.c[3] * offset) >> 30);
  const int64_t line = segment.c[1] + ((square * offset) >> 30);
  return segment.c[0] + ((line * offset) >> 30);
}

/// Index of the highest one bit, in steps that vectors have.
constexpr int64_t highest_bit(uint64_t x) {
  int64_t top = 0;
  for (const int step : {32, 16, 8, 4, 2, 1}) {
    const bool above = x >> step != 0;
    top += when<int64_t>(above, step);
    x >>= when<uint64_t>(above, static_cast<uint64_t>(step));
  }
  return top;
}

struct QuickExp2 : QuickFloat {
  static constexpr bool kInexact = true;
  static constexpr uint32_t of(bool& odd, bool& inexact, uint32_t x) {
    constexpr int kPoint = fp::table::kLsbBits;
    const uint32_t magnitude = x & 0x7fffffff;
    const auto exponent = static_cast<int64_t>(magnitude >> 23) - 127;
    const auto significand = static_cast<int64_t>((magnitude & 0x7fffff) | 0x800000);
    const int64_t left = within<int64_t>(exponent + kPoint - 23, 0, 30);
    const int64_t right = within<int64_t>(23 - kPoint - exponent, 0, 63);
    const int64_t size = significand << left >> right;
    const int64_t fixed = x != magnitude ? -size : size;
    const int64_t whole = fixed >> kPoint;
    const int64_t fraction = fixed & ((int64_t{1} << kPoint) - 1);
    const bool integer = fraction == 0 && size != 0;
    const int64_t value =
        cubic_at(fp::table::kExp2[fraction >> 30], fraction & ((int64_t{1} << 30) - 1));
    const int64_t rounded = ((value << 1 | 1) + (int64_t{1} << 13)) >> 14;
    odd = any(magnitude < 0x00800000, exponent > 6, whole < -125, whole > 126);
    inexact = !integer;
    return static_cast<uint32_t>(((whole + 126) << 23) + (integer ? int64_t{1} << 23 : rounded));
  }
};

struct QuickLog2 : QuickFloat {
  static constexpr bool kInexact = true;
  static constexpr uint32_t of(bool& odd, bool& inexact, uint32_t x) {
    const auto m = static_cast<int64_t>((x & 0x7fffff) | 0x800000);
    const bool high = m >= int64_t{3} << 22;
    const int64_t e = static_cast<int64_t>(x >> 23) - 127 + (high ? 1 : 0);
    const int64_t t = (high ? m : 2 * m) - (int64_t{1} << 24);
    const int64_t offset = (t & ((int64_t{1} << 18) - 1)) << 12;
    const int64_t product = t * cubic_at(fp::table::kLog2[(t >> 18) + 16], offset);
    const int64_t sum = e == 0 ? product : e * (int64_t{1} << 40) + (product >> 20);
    const auto size = static_cast<uint64_t>(sum < 0 ? -sum : sum) << 1 | 1;
    const int64_t top = highest_bit(size);
    const int64_t drop = within<int64_t>(top - 23, 1, 40);
    const auto rounded = static_cast<int64_t>((size + (uint64_t{1} << (drop - 1))) >> drop);
    const int64_t exponent = top + (e == 0 ? -61 : -41);
    odd = any(x - 0x00800000 >= 0x7f800000 - 0x00800000, t == 0, top < 24);
    inexact = true;
    return static_cast<uint32_t>(((exponent + 126) << 23) + rounded) | (sum < 0 ? 1u << 31 : 0u);
  }
};

/// Sine of x turns, or with Quarters 1 the cosine.
template <unsigned Quarters>
struct QuickSine : QuickFloat {
  static constexpr bool kInexact = true;
  static constexpr uint32_t of(bool& odd, bool& inexact, uint32_t x) {
    constexpr int kPoint = fp::table::kLsbBits;
    constexpr int64_t kTurn = int64_t{1} << kPoint, kHalf = kTurn / 2, kQuarter = kTurn / 4;
    const uint32_t magnitude = x & 0x7fffffff;
    const auto significand = static_cast<int64_t>((magnitude & 0x7fffff) | 0x800000);
    const int64_t exponent = static_cast<int64_t>(magnitude >> 23) - 150;  // of the lowest bit
    const int64_t cut = -(exponent + kPoint);
    const int64_t right = within<int64_t>(cut, 0, 63), left = within<int64_t>(-cut, 0, 30);
    const int64_t size = significand << left >> right;
    const int64_t phase = (size + Quarters * kQuarter) & (kTurn - 1);
    const int64_t half = phase & (kHalf - 1);
    const int64_t fixed = half > kQuarter ? kHalf - half : half;
    const bool sign = (phase >= kHalf) != (x != magnitude && Quarters == 0);
    const bool exact = cut <= 0 || (cut < 24 && size << right == significand);
    const bool own_scale = !exact && Quarters == 0;
    const int64_t q = own_scale ? significand : fixed;
    const int64_t scale = own_scale ? exponent : -kPoint;
    const int64_t slope =
        cubic_at(fp::table::kSin[(fixed >> 28) & 63], (fixed & ((int64_t{1} << 28) - 1)) << 2);
    // The product has up to 75 bits: what is below 2^17 only says that it is not exact.
    const int64_t high = (q >> 17) * slope + (((q & 0x1ffff) * slope) >> 17);
    const auto whole = static_cast<uint64_t>(high) << 1 | 1;
    const int64_t top = highest_bit(whole);
    const int64_t drop = within<int64_t>(top - 23, 1, 40);
    const auto rounded = static_cast<int64_t>((whole + (uint64_t{1} << (drop - 1))) >> drop);
    const int64_t place = top + scale - kPoint - 1 + 17;
    const bool one = fixed == kQuarter;
    odd = any(magnitude < 0x00800000, magnitude >= 0x43800000, !one && top < 26,
              !one && place < -125);
    inexact = !(one && exact);
    const auto value = static_cast<uint32_t>(((place + 126) << 23) + rounded);
    return (one ? 0x3f800000u : value) | (sign ? 1u << 31 : 0u);
  }
};

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME

#endif
