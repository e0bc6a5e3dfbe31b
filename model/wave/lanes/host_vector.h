// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/state.h"

// A part of a register on one level of the host's vector unit. The file of a level defines
// CUVETTE_VECTOR_BYTES before it includes this: 64 (x86-64-v4), 32 (x86-64-v3), 16 (any host).
#if CUVETTE_VECTOR_BYTES == 64
#define CUVETTE_LEVEL __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define CUVETTE_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"), always_inline)) inline
#elif CUVETTE_VECTOR_BYTES == 32
#define CUVETTE_LEVEL __attribute__((target("avx2,fma,f16c")))
#define CUVETTE_INLINE __attribute__((target("avx2,fma,f16c"), always_inline)) inline
#else
#define CUVETTE_LEVEL
#define CUVETTE_INLINE __attribute__((always_inline)) inline
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// A call that becomes its function's code. Other compilers decide themselves.
#if defined(__clang__)
#define CUVETTE_IN_PLACE [[clang::always_inline]]
#else
#define CUVETTE_IN_PLACE
#endif

// A seldom called function that keeps the registers of its caller, which then saves none.
#if defined(__clang__) && defined(__x86_64__)
#define CUVETTE_SELDOM __attribute__((noinline, preserve_most))
#else
#define CUVETTE_SELDOM __attribute__((noinline))
#endif

// Results stay in host registers only when the loops over a row are unrolled.
#if defined(__clang__)
#define CUVETTE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CUVETTE_UNROLL _Pragma("GCC unroll 16")
#endif

// A loop over the lanes of a wave that the compiler makes vectors of: no lane depends on another.
// CUVETTE_WORD_LOOP, CUVETTE_WIDE_LOOP: the same for 32-bit and 64-bit results, whose vectors all
// fit into host registers where there are enough.
#if CUVETTE_VECTOR_BYTES == 16
#define CUVETTE_WORD_LOOP
#define CUVETTE_WIDE_LOOP
#define CUVETTE_LANE_LOOP  // see model/wave/CMakeLists.txt
#elif defined(__clang__)
#if CUVETTE_VECTOR_BYTES == 64
#define CUVETTE_WORD_LOOP \
  _Pragma("clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(4)")
#define CUVETTE_WIDE_LOOP \
  _Pragma("clang loop vectorize(assume_safety) vectorize_width(8) interleave_count(8)")
#else
#define CUVETTE_WIDE_LOOP CUVETTE_LANE_LOOP
#define CUVETTE_WORD_LOOP \
  _Pragma("clang loop vectorize(assume_safety) vectorize_width(8) interleave_count(4)")
#endif
#define CUVETTE_LANE_LOOP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define CUVETTE_WORD_LOOP _Pragma("GCC ivdep")
#define CUVETTE_WIDE_LOOP _Pragma("GCC ivdep")
#define CUVETTE_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace cuvette::wave::lanes {
namespace {

inline constexpr unsigned kWidth = CUVETTE_VECTOR_BYTES / 4;  ///< lanes of a piece
inline constexpr unsigned kParts = kLanes / kWidth;           ///< pieces of a register

using Bits = uint32_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));
using Signed = int32_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));
using Floats = float __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));
using Doubles = double __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));
using Wide = uint64_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));

/// The same bits as another vector.
template <class To, class From>
CUVETTE_INLINE To as(From x) {
  return (To)x;
}

/// From or to any address: what a kernel addresses need not be aligned.
CUVETTE_INLINE Bits load(const void* from) {
  Bits x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
CUVETTE_INLINE void store(void* to, Bits x) {
  __builtin_memcpy(to, &x, sizeof x);
}
CUVETTE_INLINE Bits broadcast(uint32_t x) {
  return Bits{} + x;
}

#if CUVETTE_VECTOR_BYTES == 64

using Mask = __mmask16;

CUVETTE_INLINE Mask mask_of(uint64_t lanes, unsigned first) {
  return static_cast<Mask>(lanes >> first);
}
CUVETTE_INLINE Bits keep(Mask mask, Bits x) {
  return as<Bits>(_mm512_maskz_mov_epi32(mask, as<__m512i>(x)));
}
CUVETTE_INLINE Bits blend(Mask mask, Bits old, Bits x) {
  return as<Bits>(_mm512_mask_mov_epi32(as<__m512i>(old), mask, as<__m512i>(x)));
}
/// Bit per lane of a comparison's result.
CUVETTE_INLINE uint64_t lanes_of(Signed compared) {
  return _mm512_movepi32_mask(as<__m512i>(compared));
}
CUVETTE_INLINE uint64_t lanes_of(Mask mask) {
  return mask;
}
CUVETTE_INLINE Bits fused(Bits a, Bits b, Bits c) {
  return as<Bits>(_mm512_fmadd_ps(as<__m512>(a), as<__m512>(b), as<__m512>(c)));
}

#else

using Mask = Signed;

/// `first` has to be known to the compiler, or it takes more than two instructions.
CUVETTE_INLINE Mask mask_of(uint64_t lanes, unsigned first) {
  Bits own{};
  CUVETTE_UNROLL
  for (unsigned n = 0; n < kWidth; ++n) own[n] = 1u << (first % 32 + n);
  return (broadcast(static_cast<uint32_t>(lanes >> first / 32 * 32)) & own) == own;
}
CUVETTE_INLINE Bits keep(Mask mask, Bits x) {
  return as<Bits>(mask) & x;
}
CUVETTE_INLINE Bits blend(Mask mask, Bits old, Bits x) {
  return (as<Bits>(mask) & x) | (~as<Bits>(mask) & old);
}

#if CUVETTE_VECTOR_BYTES == 32
CUVETTE_INLINE uint64_t lanes_of(Signed compared) {
  return static_cast<uint32_t>(_mm256_movemask_ps(as<__m256>(compared)));
}
CUVETTE_INLINE Bits fused(Bits a, Bits b, Bits c) {
  return as<Bits>(_mm256_fmadd_ps(as<__m256>(a), as<__m256>(b), as<__m256>(c)));
}
#else
CUVETTE_INLINE uint64_t lanes_of(Signed compared) {
  uint64_t lanes = 0;
  for (unsigned n = 0; n < kWidth; ++n) lanes |= uint64_t{compared[n] != 0} << n;
  return lanes;
}
#endif

#endif

#if CUVETTE_VECTOR_BYTES == 64
/// The integral number below; no flags.
CUVETTE_INLINE Floats floor_of(Floats x) {
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  return as<Floats>(_mm512_roundscale_ps(as<__m512>(x), kDown));
}
CUVETTE_INLINE Doubles floor_of(Doubles x) {
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  return as<Doubles>(_mm512_roundscale_pd(as<__m512d>(x), kDown));
}
#elif CUVETTE_VECTOR_BYTES == 32
CUVETTE_INLINE Floats floor_of(Floats x) {
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  return as<Floats>(_mm256_round_ps(as<__m256>(x), kDown));
}
CUVETTE_INLINE Doubles floor_of(Doubles x) {
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  return as<Doubles>(_mm256_round_pd(as<__m256d>(x), kDown));
}
#endif

/// True if one of the floats in a whole register is a NaN. No host flag is touched.
CUVETTE_INLINE bool any_nan(const Bits (&x)[kParts]) {
#if CUVETTE_VECTOR_BYTES == 64
  // Two pieces at once: whether they can be ordered.
  Mask found = 0;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; part += 2) {
    found |= _mm512_cmp_round_ps_mask(as<__m512>(x[part]), as<__m512>(x[part + 1]), _CMP_UNORD_Q,
                                      _MM_FROUND_NO_EXC);
  }
  return found != 0;
#else
  const Bits infinity = broadcast(0xff000000);  // without its sign, doubled
  Signed found{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) found |= x[part] + x[part] > infinity;
  return lanes_of(found) != 0;
#endif
}

}  // namespace
}  // namespace cuvette::wave::lanes
