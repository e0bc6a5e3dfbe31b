// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/matrix.h"

#include <algorithm>
#include <array>

#include "base/mutant.h"
#include "fp/arith.h"
#include "fp/convert.h"

namespace cuvette::fp {

namespace {

constexpr unsigned kMaxGroup = 16;

/// The matrix cores round to nearest even, keep subnormals and raise nothing.
Env plain_env() {
  return Env{};
}

uint32_t canonical_nan(uint32_t x) {
  return is_nan<F32>(x) ? F32::kDefaultNan : x;
}

// ---- Pairwise groups ---------------------------------------------------------------------------

template <class F>
uint32_t widen_flushed(uint32_t x, bool flush) {
  auto bits = static_cast<BitsOf<F>>(x);
  if (flush && is_subnormal<F>(bits)) bits = 0;
  Env env = plain_env();
  return convert<F32, F>(bits, env);
}

/// An operand as F32; every format but F32 itself widens exactly.
uint32_t widen(MatrixFormat format, uint32_t x, bool flush) {
  switch (format) {
    case MatrixFormat::F16:
      return widen_flushed<F16>(x, flush);
    case MatrixFormat::BF16:
      return widen_flushed<BF16>(x, flush);
    case MatrixFormat::FP8:
      return widen_flushed<FP8>(x, flush);
    case MatrixFormat::BF8:
      return widen_flushed<BF8>(x, flush);
    case MatrixFormat::F32:
    case MatrixFormat::XF32:
      break;
  }
  return widen_flushed<F32>(x, flush);
}

/// A rounded step; with `flush` a subnormal becomes a zero of its sign.
uint32_t step(uint32_t x, bool flush) {
  return flush && is_subnormal<F32>(x)
             ? zero<F32>(CUVETTE_SEMANTIC_MUTANT(25, sign_of<F32>(x), false))
             : x;
}

uint32_t pairwise(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b, unsigned k,
                  uint32_t d) {
  const bool flush = algorithm.flush;
  Env env = plain_env();
  if (flush && is_subnormal<F32>(d)) d = 0;
  std::array<uint32_t, kMaxGroup> node{};
  for (unsigned first = 0; first < k; first += algorithm.group) {
    for (unsigned i = 0; i < algorithm.group; ++i) {
      const uint32_t x = widen(algorithm.a, a[first + i], flush);
      const uint32_t y = widen(algorithm.b, b[first + i], flush);
      node[i] = step(mul<F32>(x, y, env), flush);
    }
    // Halving recursively is the same tree as adding neighbours level by level.
    for (unsigned width = algorithm.group / 2; width >= 1; width /= 2) {
      for (unsigned i = 0; i < width; ++i) {
        node[i] = step(add<F32>(node[2 * i], node[2 * i + 1], env), flush);
      }
    }
    d = step(add<F32>(d, node[0], env), flush);
  }
  return canonical_nan(d);
}

// ---- Fused two-stage groups (gfx942)
// -------------------------------------------------------------

/// A factor or product of the fused method: (-1)^sign * significand * 2^(exponent - fraction bits).
struct Term {
  bool sign = false;
  bool nan = false;
  bool infinite = false;
  int exponent = 0;  ///< of the bit of weight one; subnormals keep the format's smallest
  uint64_t significand = 0;
};

constexpr int kZeroExponent = -126;
constexpr int kTermFraction = 24;  ///< fraction bits of a term aligned to the largest exponent
constexpr int kSumFraction = 31;   ///< fraction bits of the sum added to d

template <class F>
Term factor(uint32_t x) {
  const auto bits = static_cast<BitsOf<F>>(x);
  Term t;
  t.sign = sign_of<F>(bits);
  t.nan = is_nan<F>(bits);
  t.infinite = is_infinity<F>(bits);
  if (t.nan || t.infinite) return t;
  const Finite v = decode<F>(bits);
  t.significand = v.significand;
  t.exponent = v.significand == 0 ? kZeroExponent : v.exponent + F::kFractionBits;
  return t;
}

/// XF32 drops the low 13 fraction bits; a NaN stays one.
Term xf32_factor(uint32_t x) {
  constexpr uint32_t kDropped = (uint32_t{1} << 13) - 1;
  return factor<F32>(is_nan<F32>(x) ? x : x & ~kDropped);
}

struct Decoder {
  Term (*decode)(uint32_t);
  int fraction_bits;
};

/// By MatrixFormat.
constexpr std::array<Decoder, 6> kDecoders{{{factor<F32>, F32::kFractionBits},
                                            {factor<F16>, F16::kFractionBits},
                                            {factor<BF16>, BF16::kFractionBits},
                                            {xf32_factor, F32::kFractionBits},
                                            {factor<FP8>, FP8::kFractionBits},
                                            {factor<BF8>, BF8::kFractionBits}}};

/// floor(x / 2^shift), shift >= 0.
int64_t shift_floor(int64_t x, int shift) {
  return x >> std::min(shift, 63);
}

/// The product scaled to kTermFraction fraction bits below 2^exponent, truncated toward zero.
int64_t aligned(const Term& product, int fraction_bits, int exponent) {
  const int drop = exponent - product.exponent + fraction_bits -
                   CUVETTE_SEMANTIC_MUTANT(27, kTermFraction, kTermFraction - 1);
  uint64_t m = product.significand;
  if (drop >= 0) {
    m = drop > 63 ? 0 : m >> drop;
  } else {
    m <<= -drop;
  }
  return product.sign ? -static_cast<int64_t>(m) : static_cast<int64_t>(m);
}

/// The terms first, first + stride, ... aligned to their largest exponent and added.
struct PartialSum {
  int exponent = 0;
  int64_t sum = 0;  ///< scaled by 2^(exponent - kTermFraction)
};

PartialSum add_aligned(const Term* products, unsigned count, unsigned first, unsigned stride,
                       int fraction_bits) {
  PartialSum s;
  s.exponent = products[first].exponent;
  for (unsigned i = first; i < count; i += stride) {
    s.exponent = std::max(s.exponent, products[i].exponent);
  }
  for (unsigned i = first; i < count; i += stride) {
    s.sum += aligned(products[i], fraction_bits, s.exponent);
  }
  return s;
}

/// Infinities and NaNs of the group, if any take part. Products of 2^128 and more are infinities,
/// but only where operands hold no infinity or NaN.
bool special_result(const Term* products, unsigned count, int fraction_bits, const Term& d,
                    uint32_t& result) {
  bool nan = d.nan;
  bool plus = d.infinite && !d.sign;
  bool minus = d.infinite && d.sign;
  for (unsigned i = 0; i < count; ++i) {
    const Term& p = products[i];
    nan = nan || p.nan;
    if (p.infinite) (p.sign ? minus : plus) = true;
  }
  if (!nan && !plus && !minus) {
    for (unsigned i = 0; i < count; ++i) {
      const Term& p = products[i];
      if (p.significand == 0) continue;
      const int top = detail::top_bit(p.significand) + p.exponent - fraction_bits;
      if (top >= 128) (p.sign ? minus : plus) = true;
    }
  }
  if (!nan && !plus && !minus) return false;
  result = nan || (plus && minus) ? F32::kDefaultNan : infinity<F32>(minus);
  return true;
}

uint32_t fused_group(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b,
                     unsigned count, uint32_t d) {
  const Decoder& da = kDecoders[static_cast<unsigned>(algorithm.a)];
  const Decoder& db = kDecoders[static_cast<unsigned>(algorithm.b)];
  const int fraction_bits = da.fraction_bits + db.fraction_bits;
  std::array<Term, kMaxGroup> products;
  for (unsigned i = 0; i < count; ++i) {
    const Term x = da.decode(a[i]);
    const Term y = db.decode(b[i]);
    Term& p = products[i];
    p.sign = x.sign != y.sign;
    const bool zero_x = !x.nan && !x.infinite && x.significand == 0;
    const bool zero_y = !y.nan && !y.infinite && y.significand == 0;
    p.infinite = x.infinite || y.infinite;
    p.nan = x.nan || y.nan || (p.infinite && (zero_x || zero_y));
    p.exponent = x.exponent + y.exponent;
    p.significand = x.significand * y.significand;
  }
  const Term c = factor<F32>(d);
  uint32_t special = 0;
  if (special_result(products.data(), count, fraction_bits, c, special)) return special;

  const bool split = algorithm.method == MatrixMethod::FusedEvenOdd && count > 1;
  PartialSum s = add_aligned(products.data(), count, 0, split ? 2 : 1, fraction_bits);
  if (split) {
    const PartialSum odd = add_aligned(products.data(), count, 1, 2, fraction_bits);
    const int common = std::max(s.exponent, odd.exponent);
    s.sum = shift_floor(s.sum, common - s.exponent) + shift_floor(odd.sum, common - odd.exponent);
    s.exponent = common;
  }
  const int top = std::max(s.exponent, c.exponent);
  constexpr int kUp = kSumFraction - kTermFraction;
  int64_t total = shift_floor(s.sum << kUp, top - s.exponent);
  const bool dropped = algorithm.method == MatrixMethod::FusedEvenOdd &&
                       c.exponent < top - CUVETTE_SEMANTIC_MUTANT(26, 25, 24);
  if (!dropped) {
    const int64_t m = static_cast<int64_t>(c.significand << (kTermFraction - F32::kFractionBits));
    total += shift_floor(c.sign ? -m : m, top - c.exponent) << kUp;
  }
  if (total == 0) return 0;
  Env env = plain_env();
  const auto bits = static_cast<uint64_t>(total);
  return round_pack<F32>(total < 0, top - kSumFraction, total < 0 ? ~bits + 1 : bits, env);
}

}  // namespace

uint32_t dot_accumulate(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b,
                        unsigned k, uint32_t d) {
  if (algorithm.method == MatrixMethod::Chain) {
    Env env = plain_env();
    for (unsigned i = 0; i < k; ++i) d = fma<F32>(a[i], b[i], d, env);
    return canonical_nan(d);
  }
  if (algorithm.method == MatrixMethod::Pairwise) return pairwise(algorithm, a, b, k, d);
  for (unsigned first = 0; first < k; first += algorithm.group) {
    const unsigned count = std::min<unsigned>(algorithm.group, k - first);
    d = fused_group(algorithm, a + first, b + first, count, d);
  }
  return canonical_nan(d);
}

uint64_t dot_accumulate_f64(const uint64_t* a, const uint64_t* b, unsigned k, uint64_t d) {
  Env env = plain_env();
  for (unsigned i = 0; i < k; ++i) d = fma<F64>(a[i], b[i], d, env);
  return is_nan<F64>(d) ? F64::kDefaultNan : d;
}

uint32_t dot_accumulate_i8(const uint32_t* a, const uint32_t* b, unsigned k, uint32_t d) {
  for (unsigned i = 0; i < k; ++i) {
    const int32_t product = CUVETTE_SEMANTIC_MUTANT(28, int32_t{static_cast<int8_t>(a[i])},
                                                    int32_t{static_cast<uint8_t>(a[i])}) *
                            static_cast<int8_t>(b[i]);
    d += static_cast<uint32_t>(product);
  }
  return d;
}

}  // namespace cuvette::fp
