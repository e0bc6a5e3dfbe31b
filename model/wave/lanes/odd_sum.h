// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/host_vector.h"

// Sums in F64 rounded to odd: they keep what a second rounding, to F32, has to know, which then
// gives the result of a single one and raises its flags. The host rounds to nearest.
namespace cuvette::wave::lanes {
namespace {

inline constexpr unsigned kHalf = kWidth / 2;  ///< lanes of a vector of doubles

using HalfBits = uint32_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES / 2)));
using HalfSigned = int32_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES / 2)));
using HalfFloats = float __attribute__((vector_size(CUVETTE_VECTOR_BYTES / 2)));

CUVETTE_INLINE HalfBits load_half(const void* from) {
  HalfBits x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

#if CUVETTE_VECTOR_BYTES == 64

/// Odd one of the sums rounded down and up, which are neighbours unless exact; no flags.
CUVETTE_INLINE Doubles sum_to_odd(Doubles x, Doubles y, Doubles z) {
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  constexpr int kUp = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  const __m512d first = _mm512_fmadd_round_pd(x, y, z, kDown);
  const __m512d second = _mm512_fmadd_round_pd(x, y, z, kUp);
  const __mmask8 odd = _mm512_test_epi64_mask(_mm512_castpd_si512(first), _mm512_set1_epi64(1));
  return _mm512_mask_blend_pd(odd, second, first);
}

#else

/// The sum to nearest and what it lacks (exact, by Knuth's two-sum): where that points to 0, the
/// number before; and odd, unless nothing is lacking.
CUVETTE_INLINE Doubles sum_to_odd(Doubles x, Doubles y, Doubles z) {
  const Doubles product = x * y;
  const Doubles sum = product + z;
  const Doubles part = sum - product;
  const Doubles rest = (product - (sum - part)) + (z - part);
  const Wide inexact = as<Wide>((rest < 0) | (rest > 0)) >> 63;
  const Wide opposed = (as<Wide>(rest) ^ as<Wide>(sum)) >> 63;
  return as<Doubles>((as<Wide>(sum) - (inexact & opposed)) | inexact);
}

#endif

}  // namespace
}  // namespace cuvette::wave::lanes
