// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/matrix_chain.h"

#include "fp/matrix.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cuvette::wave {
namespace {

template <class Word>
using Rows = const Word (*)[kMaxMatrixColumns];

void soft_row_f32(const uint32_t* a, Rows<uint32_t> b, unsigned terms, uint32_t* d,
                  unsigned columns) {
  for (unsigned k = 0; k < terms; ++k) {
    for (unsigned j = 0; j < columns; ++j) {
      d[j] = fp::dot_accumulate(fp::kDotF32, &a[k], &b[k][j], 1, d[j]);
    }
  }
}
void soft_row_f64(const uint64_t* a, Rows<uint64_t> b, unsigned terms, uint64_t* d,
                  unsigned columns) {
  for (unsigned k = 0; k < terms; ++k) {
    for (unsigned j = 0; j < columns; ++j) d[j] = fp::dot_accumulate_f64(&a[k], &b[k][j], 1, d[j]);
  }
}

#if defined(__x86_64__)

__attribute__((target("fma"))) void hard_row_f32(const uint32_t* a, Rows<uint32_t> b,
                                                 unsigned terms, uint32_t* d, unsigned columns) {
  for (unsigned j = 0; j < columns; j += 4) {
    __m128 x = _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(d + j)));
    for (unsigned k = 0; k < terms; ++k) {
      const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&b[k][j]));
      const __m128i factor = _mm_set1_epi32(static_cast<int>(a[k]));
      x = _mm_fmadd_ps(_mm_castsi128_ps(factor), _mm_castsi128_ps(row), x);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(d + j), _mm_castps_si128(x));
  }
}
__attribute__((target("fma"))) void hard_row_f64(const uint64_t* a, Rows<uint64_t> b,
                                                 unsigned terms, uint64_t* d, unsigned columns) {
  for (unsigned j = 0; j < columns; j += 4) {
    auto* const place = reinterpret_cast<__m256i*>(d + j);
    __m256d x = _mm256_castsi256_pd(_mm256_loadu_si256(place));
    for (unsigned k = 0; k < terms; ++k) {
      const __m256i row = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&b[k][j]));
      const __m256i factor = _mm256_set1_epi64x(static_cast<long long>(a[k]));
      x = _mm256_fmadd_pd(_mm256_castsi256_pd(factor), _mm256_castsi256_pd(row), x);
    }
    _mm256_storeu_si256(place, _mm256_castpd_si256(x));
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

void chain_row_f32(const uint32_t* a, Rows<uint32_t> b, unsigned terms, uint32_t* d,
                   unsigned columns) {
  (processor_matches() ? hard_row_f32 : soft_row_f32)(a, b, terms, d, columns);
}
void chain_row_f64(const uint64_t* a, Rows<uint64_t> b, unsigned terms, uint64_t* d,
                   unsigned columns) {
  (processor_matches() ? hard_row_f64 : soft_row_f64)(a, b, terms, d, columns);
}

}  // namespace cuvette::wave
