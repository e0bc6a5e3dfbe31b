// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "fp/round.h"

// Conversions between formats and to and from integers.
namespace cuvette::fp {

namespace detail {

/// A NaN of another format: the sign and the top payload bits stay, the result is quiet.
template <class To, class From>
constexpr BitsOf<To> convert_nan(BitsOf<From> nan) {
  if constexpr (!To::kIeee || !From::kIeee) {
    return To::kDefaultNan;  // 8-bit NaNs carry nothing
  } else {
    uint64_t payload = nan & From::kFractionMask;
    constexpr int kUp = To::kFractionBits - From::kFractionBits;
    if constexpr (kUp >= 0) {
      payload <<= kUp;
    } else {
      payload >>= -kUp;
    }
    return with_sign<To>(sign_of<From>(nan),
                         static_cast<BitsOf<To>>(payload | To::kInfinity | To::kQuietBit));
  }
}

}  // namespace detail

/// Correctly rounded conversion. flush_in looks at the source format, flush_out at the result.
/// Into an 8-bit format infinity becomes NaN, and so does overflow unless fp16_ovfl is set.
template <class To, class From>
constexpr BitsOf<To> convert(BitsOf<From> x, Env& env) {
  x = take_operand<From>(x, env);
  if (is_nan<From>(x)) {
    if (is_signaling<From>(x)) raise(env, kInvalid);
    return detail::convert_nan<To, From>(x);
  }
  if (is_infinity<From>(x)) {
    if constexpr (!To::kIeee) return To::kDefaultNan;
    return infinity<To>(sign_of<From>(x));
  }
  const Finite v = decode<From>(x);
  if (v.significand == 0) return zero<To>(v.sign);
  return round_pack<To>(v.sign, v.exponent, v.significand, env);
}

/// Stochastic rounding of an F32 value into an 8-bit format: the magnitude, in units in the last
/// place of its binade, plus a fraction made of the highest bits of `random` (as many as an F32
/// significand has below that place: 20 for FP8, 21 for BF8), cut toward zero.
template <class To>
constexpr BitsOf<To> convert_stochastic(BitsOf<F32> x, uint32_t random, Env& env) {
  x = take_operand<F32>(x, env);
  if (is_signaling<F32>(x)) raise(env, kInvalid);
  if (is_nan<F32>(x) || is_infinity<F32>(x)) return To::kDefaultNan;
  const Finite v = decode<F32>(x);
  if (v.significand == 0) return zero<To>(v.sign);
  const int e = v.exponent + detail::top_bit(v.significand);
  const int scale = e > To::kMinExponent ? e : To::kMinExponent;
  const int drop = scale - To::kFractionBits - v.exponent;
  constexpr int kRandomBits = F32::kFractionBits - To::kFractionBits;
  constexpr int kTooFar = 45;  // even the largest random number cannot reach one unit
  uint64_t kept = 0;
  bool inexact = true;
  if (drop < kTooFar) {
    const Uint128 sum =
        (Uint128{v.significand} << kRandomBits) + (Uint128{random >> (32 - kRandomBits)} << drop);
    kept = static_cast<uint64_t>(sum >> (drop + kRandomBits));
    inexact = (v.significand & ((uint64_t{1} << drop) - 1)) != 0;
    // An exact value stays: a fraction below one unit cannot carry.
  }
  if (inexact) raise(env, e < To::kMinExponent ? kInexact | kUnderflow : kInexact);
  const uint64_t field = static_cast<uint64_t>(scale + To::kBias - 1);
  const uint64_t packed = (field << To::kFractionBits) + kept;
  if (scale > To::kMaxExponent || packed > To::kMaxFinite) return detail::overflow<To>(v.sign, env);
  return packed == 0 ? BitsOf<To>{0} : with_sign<To>(v.sign, static_cast<BitsOf<To>>(packed));
}

/// The value unchanged, but a NaN quieted and a subnormal flushed as the Env says.
template <class F>
constexpr BitsOf<F> canonicalize(BitsOf<F> x, Env& env) {
  return convert<F, F>(x, env);
}

/// `x` rounded by `round` (not by env.round) to an integer of `width` bits (1 to 64), returned in
/// the low bits, sign- or zero-extended to 64. Out of range and NaN raise invalid; `saturate` then
/// gives the nearest end of the range and 0 for NaN; otherwise the low bits of the exact integer
/// are returned, 0 for infinity and NaN (HSAIL leaves that value undefined). A result in range that
/// is not exact raises inexact, which callers drop where the instruction does not report it.
template <class F>
constexpr uint64_t to_int(BitsOf<F> x, unsigned width, bool is_signed, Round round, Env& env,
                          bool saturate) {
  x = take_operand<F>(x, env);
  if (is_nan<F>(x)) {
    raise(env, kInvalid);
    return 0;
  }
  const bool negative = sign_of<F>(x);
  bool too_big = is_infinity<F>(x);
  bool inexact = false;
  uint64_t value = 0;  // magnitude modulo 2^64
  if (!too_big) {
    const Finite v = decode<F>(x);
    if (v.significand != 0 && v.exponent < 0) {
      value = detail::shift_right_round(v.significand, -v.exponent, round, negative, inexact);
    } else if (v.significand != 0) {
      too_big = detail::top_bit(v.significand) + v.exponent > 63;
      value = v.exponent > 63 ? 0 : v.significand << v.exponent;
    }
  }
  const uint64_t all = ~uint64_t{0} >> (64 - width);
  const uint64_t top = uint64_t{1} << (width - 1);
  // Largest magnitude in range for this sign.
  const uint64_t lowest = top;
  const uint64_t limit = is_signed ? (negative ? lowest : top - 1) : (negative ? 0 : all);
  if (too_big || value > limit) {
    raise(env, kInvalid);
    if (saturate) value = limit;
  } else if (inexact) {
    raise(env, kInexact);
  }
  uint64_t result = (negative ? ~value + 1 : value) & all;
  if (is_signed && (result & top) != 0) result |= ~all;
  return result;
}

/// An integer rounded into F; signedness is that of the argument's type. Zero gives +0.
template <class F, std::integral Int>
constexpr BitsOf<F> from_int(Int value, Env& env) {
  if (value == 0) return zero<F>(false);
  bool negative = false;
  if constexpr (std::is_signed_v<Int>) negative = value < 0;
  const auto extended = static_cast<uint64_t>(value);  // sign-extended for signed types
  return round_pack<F>(negative, 0, negative ? ~extended + 1 : extended, env);
}

}  // namespace cuvette::fp
