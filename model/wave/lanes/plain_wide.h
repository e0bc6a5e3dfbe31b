// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fp/env.h"
#include "wave/lanes/host_unit.h"
#include "wave/lanes/host_vector.h"
#include "wave/lanes/plain.h"

// F32 products and fused multiply-adds by way of F64, where products are exact and no number is
// subnormal. For levels without a fused multiply-add, and for hosts that take a microcode assist of
// 150 cycles for each product that meets a subnormal number, but none to convert one.
//
// A sum rounded to odd keeps what the second rounding, to F32, has to know, whichever way that
// goes; it gives the result of a single one and raises its flags.
namespace cuvette::wave::lanes {
namespace {

inline constexpr unsigned kHalf = kWidth / 2;  ///< lanes of a vector of doubles

using Doubles = double __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));
using HalfBits = uint32_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES / 2)));
using HalfSigned = int32_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES / 2)));
using HalfFloats = float __attribute__((vector_size(CUVETTE_VECTOR_BYTES / 2)));

CUVETTE_INLINE HalfBits load_half(const void* from) {
  HalfBits x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
/// x in the lanes of EXEC from `first` on, otherwise 0.
CUVETTE_INLINE HalfBits keep_half(uint64_t exec, unsigned first, HalfBits x) {
  HalfBits own{};
  CUVETTE_UNROLL
  for (unsigned n = 0; n < kHalf; ++n) own[n] = 1u << n;
  return x & as<HalfBits>(((HalfBits{} + static_cast<uint32_t>(exec >> first)) & own) != 0);
}
CUVETTE_INLINE Doubles widened(HalfBits x) {
  return __builtin_convertvector(as<HalfFloats>(x), Doubles);
}

#if CUVETTE_VECTOR_BYTES == 64

/// Of the sums rounded down and up, neighbours unless they are exact, the odd one; no flags.
/// `Down`: whether the host rounds down, for the sign of 0.
template <bool Down>
CUVETTE_INLINE Doubles sum_to_odd(Doubles x, Doubles y, Doubles z) {
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  constexpr int kUp = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  const __m512d first = _mm512_fmadd_round_pd(x, y, z, Down ? kUp : kDown);
  const __m512d second = _mm512_fmadd_round_pd(x, y, z, Down ? kDown : kUp);
  const __mmask8 odd = _mm512_test_epi64_mask(_mm512_castpd_si512(first), _mm512_set1_epi64(1));
  return _mm512_mask_blend_pd(odd, second, first);
}
/// Whether the host's rounding has a way here, and whether rounding down has one of its own.
constexpr bool has_wide_sums(fp::Round) {
  return true;
}
inline constexpr bool kWideSumsDown = true;
/// What infinities do here the host does not take for invalid.
inline constexpr uint32_t kTwiceLargestGood = 0xff000000;

#else

/// The sum to nearest and what it lacks (exact, by Knuth's two-sum): where that points to 0, the
/// number before; and odd, unless nothing is lacking.
template <bool Down>
CUVETTE_INLINE Doubles sum_to_odd(Doubles x, Doubles y, Doubles z) {
  const Doubles product = x * y;
  const Doubles sum = product + z;
  const Doubles part = sum - product;
  const Doubles rest = (product - (sum - part)) + (z - part);
  // An infinite sum has a rest that is not a number, and is done over.
  const Wide inexact = as<Wide>((rest < 0) | (rest > 0)) >> 63;
  const Wide opposed = (as<Wide>(rest) ^ as<Wide>(sum)) >> 63;
  return as<Doubles>((as<Wide>(sum) - (inexact & opposed)) | inexact);
}
/// Two-sums are exact to nearest only.
constexpr bool has_wide_sums(fp::Round round) {
  return round == fp::Round::NearestEven;
}
inline constexpr bool kWideSumsDown = false;
/// The rest of an infinite sum is an invalid operation to the host.
inline constexpr uint32_t kTwiceLargestGood = 0xfeffffff;

#endif

using HalfRow = HalfBits[kLanes / kHalf];

CUVETTE_INLINE bool any_to_do_over(const HalfRow& row) {
  HalfSigned found{};
  CUVETTE_UNROLL
  for (const HalfBits& x : row) found |= x + x > kTwiceLargestGood;
  uint64_t words[sizeof found / 8];
  __builtin_memcpy(words, &found, sizeof found);
  uint64_t any = 0;
  for (const uint64_t word : words) any |= word;
  return any != 0;
}
/// Bit per lane.
inline uint64_t to_do_over(const uint32_t (&row)[kLanes]) {
  uint64_t lanes = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    lanes |= uint64_t{2 * row[lane] > kTwiceLargestGood} << lane;
  }
  return lanes;
}

}  // namespace
}  // namespace cuvette::wave::lanes
