// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/matrix_terms.h"

#include "fp/arith.h"

namespace cuvette::fp {
namespace {

constexpr int kZeroExponent = -126;  ///< of a zero accumulator

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
  const bool nan = is_nan<F32>(x);
  return factor<F32>(nan ? x : x & ~kDropped);
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

}  // namespace

Group group_of(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b, unsigned count,
               uint32_t d) {
  const Decoder& da = kDecoders[static_cast<unsigned>(algorithm.a)];
  const Decoder& db = kDecoders[static_cast<unsigned>(algorithm.b)];
  Group group;
  group.count = count;
  group.fraction_bits = da.fraction_bits + db.fraction_bits;
  for (unsigned i = 0; i < count; ++i) {
    const Term x = da.decode(a[i]);
    const Term y = db.decode(b[i]);
    Term& p = group.products[i];
    p.sign = x.sign != y.sign;
    p.infinite = x.infinite || y.infinite;
    p.nan = x.nan || y.nan || (p.infinite && (x.is_zero() || y.is_zero()));
    p.exponent = x.exponent + y.exponent;
    p.significand = x.significand * y.significand;
  }
  group.d = factor<F32>(d);
  return group;
}

bool special_result(const Group& group, uint32_t& result) {
  bool nan = group.d.nan;
  bool plus = group.d.infinite && !group.d.sign;
  bool minus = group.d.infinite && group.d.sign;
  for (unsigned i = 0; i < group.count; ++i) {
    const Term& p = group.products[i];
    nan = nan || p.nan;
    if (p.infinite) (p.sign ? minus : plus) = true;
  }
  if (!nan && !plus && !minus) return false;
  result = nan || (plus && minus) ? F32::kDefaultNan : infinity<F32>(minus);
  return true;
}

}  // namespace cuvette::fp
