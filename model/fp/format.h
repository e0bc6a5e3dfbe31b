// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace cuvette::fp {

// __extension__: a 128-bit integer is no part of ISO C++, both supported compilers have it.
__extension__ using Uint128 = unsigned __int128;

/// Common part of all binary formats. A format has a sign bit, E exponent bits and M fraction bits.
/// `Wide` is an unsigned integer that holds the product of two significands with at least 14 spare
/// bits. `Ieee`: the largest exponent field means infinity and NaN; otherwise the format is a
/// "fnuz" one: every exponent field is finite, the pattern of minus zero is the only NaN.
template <class B, class W, int E, int M, int Bias, bool Ieee>
struct Format {
  using Bits = B;
  using Wide = W;
  static constexpr int kBits = 1 + E + M;
  static constexpr int kExponentBits = E;
  static constexpr int kFractionBits = M;
  static constexpr int kPrecision = M + 1;
  static constexpr int kBias = Bias;
  static constexpr bool kIeee = Ieee;
  static constexpr int kMaxField = (1 << E) - 1;  ///< largest exponent field
  static constexpr int kMinExponent = 1 - Bias;   ///< of the smallest normal
  static constexpr int kMaxExponent = kMaxField - (Ieee ? 1 : 0) - Bias;  ///< of the largest finite
  static constexpr Bits kSignBit = static_cast<Bits>(uint64_t{1} << (E + M));
  static constexpr Bits kFractionMask = static_cast<Bits>((uint64_t{1} << M) - 1);
  static constexpr Bits kMagnitudeMask = static_cast<Bits>(kSignBit - 1);
  static constexpr Bits kQuietBit = static_cast<Bits>(uint64_t{1} << (M - 1));
  /// Infinity; for a fnuz format the pattern past the largest finite, which no value has.
  static constexpr Bits kInfinity =
      static_cast<Bits>(Ieee ? uint64_t{kMaxField} << M : uint64_t{1} << (E + M));
  static constexpr Bits kMaxFinite = static_cast<Bits>(kInfinity - 1);
  static constexpr Bits kDefaultNan =
      static_cast<Bits>(Ieee ? uint64_t{kInfinity} | kQuietBit : uint64_t{kSignBit});
  static constexpr Bits kOne = static_cast<Bits>(uint64_t{Bias} << M);
  static constexpr Bits kMinNormal = static_cast<Bits>(uint64_t{1} << M);
};

struct F16 : Format<uint16_t, uint64_t, 5, 10, 15, true> {};
struct BF16 : Format<uint16_t, uint64_t, 8, 7, 127, true> {};
struct F32 : Format<uint32_t, uint64_t, 8, 23, 127, true> {};
struct F64 : Format<uint64_t, Uint128, 11, 52, 1023, true> {};
/// The 8-bit formats of gfx942, E4M3 and E5M2 "fnuz": no infinity, one zero, 0x80 is NaN.
struct FP8 : Format<uint8_t, uint64_t, 4, 3, 8, false> {};
struct BF8 : Format<uint8_t, uint64_t, 5, 2, 16, false> {};

template <class F>
using BitsOf = typename F::Bits;

template <class F>
constexpr bool sign_of(BitsOf<F> x) {
  return (x & F::kSignBit) != 0;
}
template <class F>
constexpr BitsOf<F> magnitude(BitsOf<F> x) {
  return static_cast<BitsOf<F>>(x & F::kMagnitudeMask);
}
template <class F>
constexpr BitsOf<F> with_sign(bool sign, BitsOf<F> mag) {
  return static_cast<BitsOf<F>>(sign ? mag | F::kSignBit : mag);
}
template <class F>
constexpr bool is_nan(BitsOf<F> x) {
  if constexpr (F::kIeee) return magnitude<F>(x) > F::kInfinity;
  return x == F::kSignBit;
}
template <class F>
constexpr bool is_signaling(BitsOf<F> x) {
  return F::kIeee && is_nan<F>(x) && (x & F::kQuietBit) == 0;
}
template <class F>
constexpr bool is_infinity(BitsOf<F> x) {
  return F::kIeee && magnitude<F>(x) == F::kInfinity;
}
template <class F>
constexpr bool is_zero(BitsOf<F> x) {
  return F::kIeee ? magnitude<F>(x) == 0 : x == 0;
}
template <class F>
constexpr bool is_subnormal(BitsOf<F> x) {
  return magnitude<F>(x) != 0 && magnitude<F>(x) < F::kMinNormal;
}
/// A NaN made quiet; sign and payload stay.
template <class F>
constexpr BitsOf<F> quieted(BitsOf<F> nan) {
  return static_cast<BitsOf<F>>(F::kIeee ? nan | F::kQuietBit : nan);
}
template <class F>
constexpr BitsOf<F> zero(bool sign) {
  return with_sign<F>(F::kIeee && sign, 0);
}
template <class F>
constexpr BitsOf<F> infinity(bool sign) {
  return with_sign<F>(sign, F::kInfinity);
}

}  // namespace cuvette::fp
