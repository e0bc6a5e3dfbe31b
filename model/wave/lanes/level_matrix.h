// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "wave/lanes/level_dot.h"

// Blocks of F32 and F16 matrix instructions on one host level, with what is kept in registers of
// the host fitted to their shapes; level_dot.h has all formats and shapes.
namespace cuvette::wave::lanes {
namespace {

#if CUVETTE_VECTOR_BYTES > 16

/// Remembers whether any number seen is a NaN; comparing quiet ones raises no flag.
class NanWatch {
 public:
#if CUVETTE_VECTOR_BYTES == 64
  CUVETTE_INLINE void see(Bits x, Bits y) {
    found_ |= _mm512_cmp_ps_mask(as<__m512>(x), as<__m512>(y), _CMP_UNORD_Q);
  }
  CUVETTE_INLINE bool found() const { return found_ != 0; }

 private:
  unsigned found_ = 0;
#else
  CUVETTE_INLINE void see(Bits x, Bits y) {
    // Counting keeps the compiler from making bits of lanes out of masks and back at every turn.
    found_ -= as<Bits>(_mm256_cmp_ps(as<__m256>(x), as<__m256>(y), _CMP_UNORD_Q));
  }
  CUVETTE_INLINE bool found() const {
    return _mm256_testz_si256(as<__m256i>(found_), as<__m256i>(found_)) == 0;
  }

 private:
  Bits found_{};
#endif
};
/// One group of four: ((a0 b0 + a1 b1) + (a2 b2 + a3 b3)) + d. Products of F16 numbers are exact in
/// F32, so fusing one with the sum that follows changes nothing; none of them, and no sum of two,
/// is subnormal.
CUVETTE_INLINE Bits group_of_four(const Bits* a, const Bits* b, Bits d) {
  const Bits low = fused(a[0], b[0], times(a[1], b[1]));
  const Bits high = fused(a[2], b[2], times(a[3], b[3]));
  return flushed(plus(d, plus(low, high)));
}

/// Looks for sums in F64 that are half way between two F32 numbers: to any other one a second
/// rounding, to F32, gives what a single one would.
class Halfway {
 public:
  CUVETTE_INLINE void look(Doubles x) {
#if CUVETTE_VECTOR_BYTES == 64
    const __m512i moved = _mm512_xor_si512(as<__m512i>(x), _mm512_set1_epi64(kTie));
    found_ |= _mm512_testn_epi64_mask(moved, _mm512_set1_epi64(kBelow));
#else
    found_ |= as<Wide>((as<Wide>(x) & kBelow) == kTie);
#endif
  }
  CUVETTE_INLINE bool found() const {
#if CUVETTE_VECTOR_BYTES == 64
    return found_ != 0;
#else
    return _mm256_testz_si256(as<__m256i>(found_), as<__m256i>(found_)) == 0;
#endif
  }

 private:
  static constexpr uint64_t kBelow = 0x1fffffff;  ///< bits of F64 below those of F32
  static constexpr uint64_t kTie = 0x10000000;
#if CUVETTE_VECTOR_BYTES == 64
  __mmask8 found_ = 0;
#else
  Wide found_{};
#endif
};

/// Exact groups of four of K terms onto `x`: factors of A by k from `a` on, those of B from `b` on,
/// N apart. Every sum of a group's products is exact in doubles; rounded to odd, its sum with the
/// accumulator keeps what the rounding to F32 has to know.
template <unsigned K, unsigned N, bool Odd>
CUVETTE_INLINE HalfFloats exact_groups(const double* a, const double* b, HalfFloats x,
                                       Halfway& halfway) {
  CUVETTE_UNROLL
  for (unsigned k = 0; k < K; k += 4) {
    Doubles s{};  // +0, so that a sum of zeros is +0
    CUVETTE_UNROLL
    for (unsigned j = k; j < k + 4; ++j) {
      Doubles column;
      __builtin_memcpy(&column, b + j * N, sizeof column);
      s = fused(Doubles{} + a[j * N], column, s);
    }
    const Doubles d = __builtin_convertvector(x, Doubles);
    if constexpr (Odd) {
      s = sum_to_odd(Doubles{} + 1, s, d);
    } else {
      s = s + d;
      halfway.look(s);
    }
    x = __builtin_convertvector(s, HalfFloats);
  }
  return x;
}

/// A block of exact groups.
template <unsigned K, unsigned N>
CUVETTE_LEVEL void exact_block(const uint32_t* a, const uint32_t* b, uint32_t* d) {
  constexpr unsigned kRows = kLanes / N;
  alignas(CUVETTE_VECTOR_BYTES) double wide_a[K][N], wide_b[K][N];
  for (unsigned k = 0; k < K; ++k) {
    const unsigned place = k % 4 * kLanes + k / 4 * (4 * kLanes / K);
    for (unsigned n = 0; n < N; ++n) {
      float x = 0, y = 0;
      __builtin_memcpy(&x, a + place + n, sizeof x);
      __builtin_memcpy(&y, b + place + n, sizeof y);
      wide_a[k][n] = x;
      wide_b[k][n] = y;
    }
  }
  for (unsigned i = 0; i < N; i += 4 * kRows) {
    for (unsigned reg = 0; reg < 4; ++reg, d += kLanes) {
      for (unsigned row = 0; row < kRows; ++row) {
        CUVETTE_UNROLL
        for (unsigned first = 0; first < N; first += kHalf) {
          const auto start = as<HalfFloats>(load_half(d + row * N + first));
          const double* const from_a = &wide_a[0][i + 4 * row + reg];
          Halfway halfway;
          HalfFloats x = exact_groups<K, N, false>(from_a, &wide_b[0][first], start, halfway);
          if (__builtin_expect(halfway.found(), 0)) {
            x = exact_groups<K, N, true>(from_a, &wide_b[0][first], start, halfway);
          }
          const HalfSigned ordered = x == x;
          const HalfSigned result = (as<HalfSigned>(x) & ordered) | (0x7fc00000 & ~ordered);
          __builtin_memcpy(d + row * N + first, &result, sizeof result);
        }
      }
    }
  }
}

/// Place of A[0][k] or B[k][0] (MatrixRun).
template <unsigned K, MatrixSum Sum>
constexpr unsigned place_of(unsigned k) {
  return Sum == MatrixSum::Chain ? k * (kLanes / K) : k % 4 * kLanes + k / 4 * (4 * kLanes / K);
}

/// Terms [`From`, `From` + `Part`) of `Pieces` * kWidth columns from `first` on, register after
/// register of results: each holds 64 / N rows that are four apart.
template <unsigned K, MatrixSum Sum, unsigned N, unsigned Pieces, unsigned From, unsigned Part>
CUVETTE_INLINE void matrix_terms(const uint32_t* a, const uint32_t* b, uint32_t* d,
                                 NanWatch& nans) {
  constexpr unsigned kRows = kLanes / N;
  Bits vb[Pieces][Part];
  CUVETTE_UNROLL
  for (unsigned piece = 0; piece < Pieces; ++piece) {
    CUVETTE_UNROLL
    for (unsigned k = 0; k < Part; ++k) {
      vb[piece][k] = load(b + place_of<K, Sum>(From + k) + piece * kWidth);
    }
  }
  for (unsigned i = 0; i < N; i += 4 * kRows, a += 4 * kRows) {
    for (unsigned reg = 0; reg < 4; ++reg, d += kLanes) {
      Bits result[kRows * Pieces];
      CUVETTE_UNROLL
      for (unsigned row = 0; row < kRows; ++row) {
        Bits va[Part];
        CUVETTE_UNROLL
        for (unsigned k = 0; k < Part; ++k) {
          va[k] = broadcast(a[place_of<K, Sum>(From + k) + 4 * row + reg]);
        }
        CUVETTE_UNROLL
        for (unsigned piece = 0; piece < Pieces; ++piece) {
          Bits x = load(d + row * N + piece * kWidth);
          if constexpr (Sum == MatrixSum::Chain) {
            CUVETTE_UNROLL
            for (unsigned k = 0; k < Part; ++k) x = fused(va[k], vb[piece][k], x);
          } else {
            if (From == 0) x = flushed_operand(x);
            CUVETTE_UNROLL
            for (unsigned k = 0; k < Part; k += 4) {
              x = group_of_four(va + k, vb[piece] + k, x);
            }
          }
          store(d + row * N + piece * kWidth, x);
          result[row * Pieces + piece] = x;
        }
      }
      if constexpr (From + Part == K) {
        CUVETTE_UNROLL
        for (unsigned n = 0; n < kRows * Pieces; n += 2) nans.see(result[n], result[n + 1]);
      }
    }
  }
}

/// All terms, `Part` at a time: more would not fit into the registers beside two pieces of B, and
/// with one piece every element of A would be fetched twice as often.
template <unsigned K, MatrixSum Sum, unsigned N, unsigned Pieces, unsigned Part, unsigned From = 0>
CUVETTE_INLINE void matrix_columns(const uint32_t* a, const uint32_t* b, uint32_t* d,
                                   NanWatch& nans) {
  matrix_terms<K, Sum, N, Pieces, From, Part>(a, b, d, nans);
  if constexpr (From + Part < K) {
    matrix_columns<K, Sum, N, Pieces, Part, From + Part>(a, b, d, nans);
  }
}

template <unsigned K, MatrixSum Sum, unsigned N>
CUVETTE_LEVEL void matrix_block(const uint32_t* a, const uint32_t* b, uint32_t* d) {
  constexpr unsigned kRegisters = kWidth == 16 ? 16 : 8;  // for B
  constexpr unsigned kPart = std::min(K, kRegisters == 16 ? 8u : 4u);
  constexpr unsigned kAll = N / kWidth, kMost = kWidth == 16 ? 2 : 4;
  constexpr unsigned kPieces = std::min({kRegisters / kPart, kAll, K == 1 ? kMost : 2u});
  NanWatch nans;
  for (unsigned first = 0; first < N; first += kPieces * kWidth) {
    matrix_columns<K, Sum, N, kPieces, kPart>(a, b + first, d + first, nans);
  }
  // One look at a block: matrices with NaNs are rare.
  if (__builtin_expect(nans.found(), 0)) {
    for (unsigned n = 0; n < N * N; n += kWidth) store(d + n, canonical(load(d + n)));
  }
}

MatrixRun level_matrix(MatrixSum sum, unsigned k, unsigned n) {
  struct Kernel {
    MatrixSum sum;
    unsigned k;
    MatrixRun run[2];  ///< of 16 and 32 columns
  };
  static constexpr Kernel kKernels[] = {
      {MatrixSum::Chain,
       1,
       {matrix_block<1, MatrixSum::Chain, 16>, matrix_block<1, MatrixSum::Chain, 32>}},
      {MatrixSum::Chain,
       2,
       {matrix_block<2, MatrixSum::Chain, 16>, matrix_block<2, MatrixSum::Chain, 32>}},
      {MatrixSum::Chain,
       4,
       {matrix_block<4, MatrixSum::Chain, 16>, matrix_block<4, MatrixSum::Chain, 32>}},
      {MatrixSum::Chain,
       8,
       {matrix_block<8, MatrixSum::Chain, 16>, matrix_block<8, MatrixSum::Chain, 32>}},
      {MatrixSum::Exact, 4, {exact_block<4, 16>, exact_block<4, 32>}},
      {MatrixSum::Exact, 8, {exact_block<8, 16>, exact_block<8, 32>}},
      {MatrixSum::Exact, 16, {exact_block<16, 16>, exact_block<16, 32>}},
      {MatrixSum::Pairwise,
       4,
       {matrix_block<4, MatrixSum::Pairwise, 16>, matrix_block<4, MatrixSum::Pairwise, 32>}},
      {MatrixSum::Pairwise,
       8,
       {matrix_block<8, MatrixSum::Pairwise, 16>, matrix_block<8, MatrixSum::Pairwise, 32>}},
      {MatrixSum::Pairwise,
       16,
       {matrix_block<16, MatrixSum::Pairwise, 16>, matrix_block<16, MatrixSum::Pairwise, 32>}},
  };
  for (const Kernel& kernel : kKernels) {
    if (kernel.sum == sum && kernel.k == k) return kernel.run[n == 32 ? 1 : 0];
  }
  return nullptr;
}

/// The low halves of all lanes, then the high ones.
CUVETTE_INLINE Bits low_then_high(Bits x) {
#if CUVETTE_VECTOR_BYTES == 64
  const __m512i within = _mm512_set4_epi32(0x0f0e0b0a, 0x07060302, 0x0d0c0908, 0x05040100);
  const __m512i pieces = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  return as<Bits>(_mm512_permutexvar_epi64(pieces, _mm512_shuffle_epi8(as<__m512i>(x), within)));
#else
  const __m256i within = _mm256_setr_epi32(0x05040100, 0x0d0c0908, 0x07060302, 0x0f0e0b0a,
                                           0x05040100, 0x0d0c0908, 0x07060302, 0x0f0e0b0a);
  return as<Bits>(_mm256_permute4x64_epi64(_mm256_shuffle_epi8(as<__m256i>(x), within), 0xd8));
#endif
}
/// kWidth F16 as F32.
CUVETTE_INLINE Bits widened(const uint16_t* from) {
#if CUVETTE_VECTOR_BYTES == 64
  return as<Bits>(_mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(from))));
#else
  return as<Bits>(_mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(from))));
#endif
}

CUVETTE_LEVEL void level_widen(const LaneRow* from, bool flush, LaneRow* to) {
  using Halves = uint16_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));
  for (unsigned n = 0; n < 2; ++n) {
    for (unsigned first = 0; first < kLanes; first += kWidth) {
      auto x = as<Halves>(low_then_high(load(from[n].data() + first)));
      if (flush) x = (x & 0x7c00) == 0 ? Halves{} : x;
      alignas(CUVETTE_VECTOR_BYTES) uint16_t half[2][kWidth];
      store(half, as<Bits>(x));
      // By memory: conversions of registers need the port of the shuffles, too.
      asm("" : "+m"(half));
      store(to[2 * n].data() + first, widened(half[0]));
      store(to[2 * n + 1].data() + first, widened(half[1]));
    }
  }
}

#else

MatrixRun level_matrix(MatrixSum, unsigned, unsigned) {
  return nullptr;
}
void level_widen(const LaneRow*, bool, LaneRow*) {}

#endif

}  // namespace
}  // namespace cuvette::wave::lanes
