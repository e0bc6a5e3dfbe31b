// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/matrix_chain.h"

#include "fp/matrix.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cuvette::wave {
namespace {

void soft_row_f32(uint32_t a, const uint32_t* b, uint32_t* d, unsigned count) {
  for (unsigned j = 0; j < count; ++j) d[j] = fp::dot_accumulate(fp::kDotF32, &a, &b[j], 1, d[j]);
}
void soft_row_f64(uint64_t a, const uint64_t* b, uint64_t* d, unsigned count) {
  for (unsigned j = 0; j < count; ++j) d[j] = fp::dot_accumulate_f64(&a, &b[j], 1, d[j]);
}

#if defined(__x86_64__)

__attribute__((target("fma"))) void hard_row_f32(uint32_t a, const uint32_t* b, uint32_t* d,
                                                 unsigned count) {
  const __m128 va = _mm_castsi128_ps(_mm_set1_epi32(static_cast<int>(a)));
  for (unsigned j = 0; j < count; j += 4) {
    const __m128 vb = _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b + j)));
    __m128i* const place = reinterpret_cast<__m128i*>(d + j);
    const __m128 vd = _mm_castsi128_ps(_mm_loadu_si128(place));
    _mm_storeu_si128(place, _mm_castps_si128(_mm_fmadd_ps(va, vb, vd)));
  }
}
__attribute__((target("fma"))) void hard_row_f64(uint64_t a, const uint64_t* b, uint64_t* d,
                                                 unsigned count) {
  const __m128d va = _mm_castsi128_pd(_mm_set1_epi64x(static_cast<long long>(a)));
  for (unsigned j = 0; j < count; j += 2) {
    const __m128d vb = _mm_castsi128_pd(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b + j)));
    __m128i* const place = reinterpret_cast<__m128i*>(d + j);
    const __m128d vd = _mm_castsi128_pd(_mm_loadu_si128(place));
    _mm_storeu_si128(place, _mm_castpd_si128(_mm_fmadd_pd(va, vb, vd)));
  }
}

#else

constexpr auto hard_row_f32 = soft_row_f32;
constexpr auto hard_row_f64 = soft_row_f64;

#endif

}  // namespace

bool processor_matches() {
#if defined(__x86_64__)
  static const bool fuses = __builtin_cpu_supports("fma") != 0;
  constexpr unsigned kModes = 0xe040;  // MXCSR: flush to zero, rounding, denormals are zero
  return fuses && (_mm_getcsr() & kModes) == 0;
#else
  return false;
#endif
}

void chain_row_f32(uint32_t a, const uint32_t* b, uint32_t* d, unsigned count) {
  (processor_matches() ? hard_row_f32 : soft_row_f32)(a, b, d, count);
}
void chain_row_f64(uint64_t a, const uint64_t* b, uint64_t* d, unsigned count) {
  (processor_matches() ? hard_row_f64 : soft_row_f64)(a, b, d, count);
}

}  // namespace cuvette::wave
