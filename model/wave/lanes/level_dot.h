// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/level_elements.h"
#include "wave/lanes/odd_sum.h"

// Dot products of matrix instructions on one host level, a vector of columns at a time: every
// method and format of docs/reference/mfma_numerics.md. MXCSR rounds to nearest and keeps
// subnormals.
namespace cuvette::wave::lanes {
namespace {

#if CUVETTE_VECTOR_BYTES > 16

using WideSigned = int64_t __attribute__((vector_size(CUVETTE_VECTOR_BYTES)));

CUVETTE_INLINE Bits plus(Bits a, Bits b) {
  return as<Bits>(as<Floats>(a) + as<Floats>(b));
}
CUVETTE_INLINE Bits canonical(Bits d) {
  return d + d > 0xff000000 ? broadcast(0x7fc00000) : d;
}
/// Subnormal results become zeros of their sign.
CUVETTE_INLINE Bits flushed(Bits x) {
  return (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
}
/// Subnormal accumulators and zeros of either sign become +0.
CUVETTE_INLINE Bits flushed_operand(Bits x) {
  return (x & 0x7f800000) == 0 ? Bits{} : x;
}

CUVETTE_INLINE Doubles fused(Doubles a, Doubles b, Doubles c) {
#if CUVETTE_VECTOR_BYTES == 64
  return as<Doubles>(_mm512_fmadd_pd(as<__m512d>(a), as<__m512d>(b), as<__m512d>(c)));
#else
  return as<Doubles>(_mm256_fmadd_pd(as<__m256d>(a), as<__m256d>(b), as<__m256d>(c)));
#endif
}
/// 2^x, -1022 to 1023.
CUVETTE_INLINE Doubles power_of_two(HalfSigned x) {
  return as<Doubles>(__builtin_convertvector(x + 1023, Wide) << 52);
}

/// x / 2^shift, any shift.
CUVETTE_INLINE Bits shifted_right(Bits x, Bits shift) {
#if CUVETTE_VECTOR_BYTES == 64
  return as<Bits>(_mm512_srlv_epi32(as<__m512i>(x), as<__m512i>(shift)));
#else
  return as<Bits>(_mm256_srlv_epi32(as<__m256i>(x), as<__m256i>(shift)));
#endif
}
/// x / 2^shift toward minus infinity, any shift.
CUVETTE_INLINE Signed shifted_down(Signed x, Bits shift) {
#if CUVETTE_VECTOR_BYTES == 64
  return as<Signed>(_mm512_srav_epi32(as<__m512i>(x), as<__m512i>(shift)));
#else
  return as<Signed>(_mm256_srav_epi32(as<__m256i>(x), as<__m256i>(shift)));
#endif
}
/// An infinity or a NaN, or +0.
CUVETTE_INLINE Bits special_or_zero(Bits x) {
  return (x & 0x7f800000) == 0x7f800000 ? x : Bits{};
}

CUVETTE_INLINE HalfBits low_half(Bits x) {
  HalfBits half;
  __builtin_memcpy(&half, &x, sizeof half);
  return half;
}
CUVETTE_INLINE HalfBits high_half(Bits x) {
  HalfBits half[2];
  __builtin_memcpy(half, &x, sizeof half);
  return half[1];
}
CUVETTE_INLINE Bits joined(HalfBits low, HalfBits high) {
  const HalfBits half[2] = {low, high};
  Bits x;
  __builtin_memcpy(&x, half, sizeof x);
  return x;
}

// -- rules: the next kGroup products onto a vector of results. `at.a(k, row)` and `at.b(k, row)`
// are rows of the kForm of element k.

struct ChainRule {
  static constexpr DotForm kForm = DotForm::Wide;
  static constexpr unsigned kGroup = 1;
  template <class At>
  CUVETTE_INLINE static Bits add(const At& at, unsigned k, Bits d) {
    return fused(at.a(k, 0), at.b(k, 0), d);
  }
};

CUVETTE_INLINE Signed sum_of_products16(Bits a, Bits b) {
#if CUVETTE_VECTOR_BYTES == 64
  return as<Signed>(_mm512_madd_epi16(as<__m512i>(a), as<__m512i>(b)));
#else
  return as<Signed>(_mm256_madd_epi16(as<__m256i>(a), as<__m256i>(b)));
#endif
}

/// Two products of bytes.
struct IntegerRule {
  static constexpr DotForm kForm = DotForm::Bytes;
  static constexpr unsigned kGroup = 1;
  template <class At>
  CUVETTE_INLINE static Bits add(const At& at, unsigned k, Bits d) {
    return d + as<Bits>(sum_of_products16(at.a(k, 0), at.b(k, 0)));
  }
};

/// Rounded products, added as a tree, then to d; what comes out subnormal is a zero of its sign.
template <unsigned Group>
struct PairwiseRule {
  static constexpr DotForm kForm = DotForm::Flushed;
  static constexpr unsigned kGroup = Group;
  template <class At>
  CUVETTE_INLINE static Bits add(const At& at, unsigned k, Bits d) {
    Bits node[Group];
    CUVETTE_UNROLL
    for (unsigned j = 0; j < Group; ++j) node[j] = flushed(times(at.a(k + j, 0), at.b(k + j, 0)));
    CUVETTE_UNROLL
    for (unsigned width = Group / 2; width >= 1; width /= 2) {
      CUVETTE_UNROLL
      for (unsigned j = 0; j < width; ++j) node[j] = flushed(plus(node[2 * j], node[2 * j + 1]));
    }
    return flushed(plus(d, node[0]));
  }
};

CUVETTE_INLINE Doubles doubles_of(HalfBits x) {
  return __builtin_convertvector(as<HalfFloats>(x), Doubles);
}

/// A sum and what it lacks, exactly (Knuth's two-sum).
CUVETTE_INLINE Doubles two_sum(Doubles x, Doubles y, Doubles& lack) {
  const Doubles sum = x + y;
  const Doubles part = sum - x;
  lack = (x - (sum - part)) + (y - part);
  return sum;
}

/// Two products, exact in F64, and d with one rounding: the lacks of both sums, rounded to odd,
/// hold all that the last rounding has to know (Boldo and Melquiond, sums of three by rounding to
/// odd).
struct ExactPairRule {
  static constexpr DotForm kForm = DotForm::Wide;
  static constexpr unsigned kGroup = 2;
  template <class At>
  CUVETTE_INLINE static Bits add(const At& at, unsigned k, Bits d) {
    const Bits a0 = at.a(k, 0), b0 = at.b(k, 0), a1 = at.a(k + 1, 0), b1 = at.b(k + 1, 0);
    return joined(half(low_half(a0), low_half(b0), low_half(a1), low_half(b1), low_half(d)),
                  half(high_half(a0), high_half(b0), high_half(a1), high_half(b1), high_half(d)));
  }

 private:
  CUVETTE_INLINE static HalfBits half(HalfBits a0, HalfBits b0, HalfBits a1, HalfBits b1,
                                      HalfBits d) {
    const Doubles one = Doubles{} + 1;
    // On +0, so that a sum of zeros is +0.
    const Doubles first = fused(doubles_of(a0), doubles_of(b0), Doubles{});
    Doubles lack_of_products, lack;
    const Doubles products = two_sum(doubles_of(a1) * doubles_of(b1), first, lack_of_products);
    const Doubles sum = two_sum(products, doubles_of(d), lack);
    const Doubles rest = sum_to_odd(one, lack, lack_of_products);
    const Doubles whole = sum_to_odd(one, rest, sum);
    // The lack of an infinity is a NaN.
    return as<HalfBits>(__builtin_convertvector(rest == rest ? whole : sum, HalfFloats));
  }
};

/// Four products whose sum is exact in F64, and d with one rounding.
struct ExactFourRule {
  static constexpr DotForm kForm = DotForm::Wide;
  static constexpr unsigned kGroup = 4;
  template <class At>
  CUVETTE_INLINE static Bits add(const At& at, unsigned k, Bits d) {
    Doubles low{}, high{};  // +0, so that a sum of zeros is +0
    CUVETTE_UNROLL
    for (unsigned j = k; j < k + 4; ++j) {
      const Bits a = at.a(j, 0), b = at.b(j, 0);
      low = fused(doubles_of(low_half(a)), doubles_of(low_half(b)), low);
      high = fused(doubles_of(high_half(a)), doubles_of(high_half(b)), high);
    }
    return joined(rounded(low, low_half(d)), rounded(high, high_half(d)));
  }

 private:
  CUVETTE_INLINE static HalfBits rounded(Doubles sum, HalfBits d) {
    const Doubles whole = sum_to_odd(Doubles{} + 1, sum, doubles_of(d));
    return as<HalfBits>(__builtin_convertvector(whole, HalfFloats));
  }
};

/// Sums of products aligned to their largest exponent, with 24 fraction bits.
struct AlignedSum {
  Signed sum, exponent;
};

CUVETTE_INLINE Signed largest(Signed x, Signed y) {
  return x > y ? x : y;
}

/// The products k, k + Step, ... of `Count`.
template <unsigned Count, unsigned Step, class At>
CUVETTE_INLINE AlignedSum aligned_sum(const At& at, unsigned k) {
  Signed product[Count], exponent[Count];
  Signed most{};
  CUVETTE_UNROLL
  for (unsigned j = 0; j < Count; ++j) {
    const unsigned n = k + j * Step;
    product[j] = sum_of_products16(at.a(n, 0), at.b(n, 0));
    exponent[j] = as<Signed>(at.a(n, 1) + at.b(n, 1));
    most = j == 0 ? exponent[0] : largest(most, exponent[j]);
  }
  Signed sum{};
  CUVETTE_UNROLL
  for (unsigned j = 0; j < Count; ++j) {
    const Bits magnitude = as<Bits>(product[j] < 0 ? -product[j] : product[j]);
    const auto cut = as<Signed>(shifted_right(magnitude, as<Bits>(most - exponent[j])));
    sum += product[j] < 0 ? -cut : cut;
  }
  return {sum, most};
}

/// Fixed-point sums in two stages. Numbers of 40 bits at most are doubles here.
template <unsigned Group, bool EvenOdd>
struct FusedRule {
  static constexpr DotForm kForm = DotForm::Split;
  static constexpr unsigned kGroup = Group;
  template <class At>
  CUVETTE_INLINE static Bits add(const At& at, unsigned k, Bits d) {
    AlignedSum s;
    if constexpr (EvenOdd) {
      const auto even = aligned_sum<Group / 2, 2>(at, k);
      const auto odd = aligned_sum<Group / 2, 2>(at, k + 1);
      s.exponent = largest(even.exponent, odd.exponent);
      s.sum = shifted_down(even.sum, as<Bits>(s.exponent - even.exponent)) +
              shifted_down(odd.sum, as<Bits>(s.exponent - odd.exponent));
    } else {
      s = aligned_sum<Group, 1>(at, k);
    }
    const Bits field = d >> 23 & 255;
    const Signed own = as<Signed>(field == 0 ? broadcast(1) : field) - 127;
    const Bits result = joined(add_half(low_half(as<Bits>(s.sum)), low_half(as<Bits>(s.exponent)),
                                        low_half(d), low_half(as<Bits>(own))),
                               add_half(high_half(as<Bits>(s.sum)), high_half(as<Bits>(s.exponent)),
                                        high_half(d), high_half(as<Bits>(own))));
    const Signed beyond = (s.exponent >= kLargestExponent) | (own > kLargestExponent);
    if (__builtin_expect(lanes_of(beyond) == 0, 1)) return result;
    Bits specials = d;
    add_specials(at, k, specials);
    return specials != 0 ? specials : result;
  }

 private:
  static constexpr int kFarBelow = 25;  ///< the sum of even and odd drops a d further below

  /// Steps 3 and 4 (mfma_numerics.md).
  CUVETTE_INLINE static HalfBits add_half(HalfBits sum_bits, HalfBits exponent_bits, HalfBits d,
                                          HalfBits own_bits) {
    const auto exponent = as<HalfSigned>(exponent_bits), own = as<HalfSigned>(own_bits);
    const HalfSigned top = exponent > own ? exponent : own;
    constexpr int kAll = 100;  // a shift that leaves nothing but the sign
    const HalfSigned distance = top - exponent < kAll ? top - exponent : HalfSigned{} + kAll;
    const Doubles products = floor_of(__builtin_convertvector(as<HalfSigned>(sum_bits), Doubles) *
                                      power_of_two(8 - distance));
    Doubles addend = doubles_of(d);
    if (EvenOdd) {
      const HalfSigned near = top - own <= kFarBelow;
      addend = as<Doubles>(as<WideSigned>(addend) & __builtin_convertvector(near, WideSigned));
    }
    const Doubles total =
        fused(floor_of(addend * power_of_two(24 - top)), Doubles{} + 256, products);
    // 32 bits of it, fewer below the smallest exponent of F32.
    constexpr int kBias = 1023;
    const WideSigned wide_top = __builtin_convertvector(top, WideSigned);
    const WideSigned least = kBias - 94 - wide_top;
    const auto field = as<WideSigned>(as<Wide>(total) >> 52 & 0x7ff);
    const WideSigned leading = field > least ? field : least;
    const Doubles cut = floor_of(total * as<Doubles>((2 * kBias + 31 - leading) << 52));
    const Doubles unit = as<Doubles>((leading + wide_top - (31 + 32)) << 52);
    return as<HalfBits>(__builtin_convertvector(cut * unit, HalfFloats));
  }

  /// `d` becomes its sum with the products as far as they are infinities or NaNs, elsewhere +0.
  template <class At>
  CUVETTE_LEVEL CUVETTE_SELDOM static void add_specials(const At& at, unsigned k, Bits& d) {
    Bits sum = special_or_zero(d);
    for (unsigned j = k; j < k + Group; ++j) {
      sum = plus(sum, special_or_zero(times(at.a(j, 2), at.b(j, 2))));
    }
    d = canonical(sum);
  }
};

// -- blocks

/// Vectors of elements beside a vector of results. A row of 16 or 32 columns has one element of A
/// for all.
template <unsigned Columns>
struct ElementVectors {
  const uint32_t *from_a, *from_b;
  const uint16_t *place_a, *place_b;
  CUVETTE_INLINE Bits a(unsigned k, unsigned row) const {
    const uint32_t* const from = from_a + place_a[k] + row * kLanes;
    return Columns == kLanes ? load(from) : broadcast(*from);
  }
  CUVETTE_INLINE Bits b(unsigned k, unsigned row) const {
    return load(from_b + place_b[k] + row * kLanes);
  }
};

/// A block, register after register of results: each holds 64 / Columns rows that are four apart.
template <class Rule, unsigned Columns>
CUVETTE_LEVEL void dot_block(const DotOperand& a, const DotOperand& b, unsigned k, uint32_t* d) {
  constexpr bool kIsInteger = Rule::kForm == DotForm::Bytes;
  constexpr unsigned kRows = kLanes / Columns;                   // of a register
  constexpr unsigned kHeight = Columns == kLanes ? 4 : Columns;  // of the block
  constexpr unsigned kNext = Columns == kLanes ? rows_of(Rule::kForm) * kLanes : 1;
  for (unsigned i = 0; i < kHeight; i += 4 * kRows) {
    for (unsigned reg = 0; reg < 4; ++reg) {
      for (unsigned row = 0; row < kRows; ++row) {
        for (unsigned first = 0; first < Columns; first += kWidth, d += kWidth) {
          const uint32_t* const from_a = a.first + (i + 4 * row + reg) * kNext;
          const ElementVectors<Columns> at{from_a + (Columns == kLanes ? first : 0),
                                           b.first + first, a.place, b.place};
          Bits x = load(d);
          if (Rule::kForm == DotForm::Flushed) x = flushed_operand(x);
          for (unsigned term = 0; term < k; term += Rule::kGroup) x = Rule::add(at, term, x);
          store(d, kIsInteger ? x : canonical(x));
        }
      }
    }
  }
}

template <class Rule>
constexpr DotKernel dot_kernel(MatrixSum sum) {
  return {sum,
          Rule::kGroup,
          Rule::kForm,
          {dot_block<Rule, kLanes>, dot_block<Rule, 16>, dot_block<Rule, 32>}};
}

const DotKernel* level_dot(MatrixSum sum, unsigned group) {
  static constexpr DotKernel kKernels[] = {
      dot_kernel<ChainRule>(MatrixSum::Chain),
      dot_kernel<IntegerRule>(MatrixSum::Integer),
      dot_kernel<PairwiseRule<2>>(MatrixSum::Pairwise),
      dot_kernel<PairwiseRule<4>>(MatrixSum::Pairwise),
      dot_kernel<ExactPairRule>(MatrixSum::Exact),
      dot_kernel<ExactFourRule>(MatrixSum::Exact),
      dot_kernel<FusedRule<4, false>>(MatrixSum::Fused),
      dot_kernel<FusedRule<8, false>>(MatrixSum::Fused),
      dot_kernel<FusedRule<16, true>>(MatrixSum::FusedEvenOdd),
  };
  for (const DotKernel& kernel : kKernels) {
    if (kernel.sum == sum && kernel.group == group) return &kernel;
  }
  return nullptr;
}

/// LevelTable::chain_f64.
template <unsigned Rows>
CUVETTE_LEVEL void chain_rows_f64(const uint64_t* a, const uint64_t* b, uint64_t sign_of_c,
                                  LaneRow* d) {
  constexpr unsigned kTerms = 4, kColumns = 16;
  for (unsigned i = 0; i < Rows; ++i) {
    uint32_t* const low = d[i / 4 * 2].data() + i % 4 * kColumns;
    uint32_t* const high = low + kLanes;
    for (unsigned first = 0; first < kColumns; first += kHalf) {
      const Wide c = __builtin_convertvector(load_half(low + first), Wide) |
                     __builtin_convertvector(load_half(high + first), Wide) << 32;
      auto x = as<Doubles>(c ^ sign_of_c);
      CUVETTE_UNROLL
      for (unsigned k = 0; k < kTerms; ++k) {
        Wide row, column;
        __builtin_memcpy(&column, b + k * kColumns + first, sizeof column);
        CUVETTE_UNROLL
        for (unsigned n = 0; n < kHalf; ++n) {
          row[n] = a[k * kColumns + (Rows == 4 ? (first + n) / 4 * 4 : 0) + i];
        }
        x = fused(as<Doubles>(row), as<Doubles>(column), x);
      }
      const Wide result = x == x ? as<Wide>(x) : Wide{} + 0x7ff8000000000000;
      const HalfBits words[2] = {__builtin_convertvector(result, HalfBits),
                                 __builtin_convertvector(result >> 32, HalfBits)};
      __builtin_memcpy(low + first, &words[0], sizeof words[0]);
      __builtin_memcpy(high + first, &words[1], sizeof words[1]);
    }
  }
}

ChainF64 level_chain_f64(unsigned columns) {
  return columns == 16 ? chain_rows_f64<16> : chain_rows_f64<4>;
}

#else

const DotKernel* level_dot(MatrixSum, unsigned) {
  return nullptr;
}
ChainF64 level_chain_f64(unsigned) {
  return nullptr;
}

#endif

}  // namespace
}  // namespace cuvette::wave::lanes
