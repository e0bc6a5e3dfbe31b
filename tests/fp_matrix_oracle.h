// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "fp/matrix.h"
#include "fp_oracle.h"

// Matrix dot products by the published algorithm, evaluated with exact MPFR sums and explicit
// truncations, and operands for them.
namespace cuvette::fp::matrix_oracle {

using oracle::expect;
using oracle::Generator;
using oracle::Number;

inline constexpr int kExact = 1000;  // bits enough for any sum of products exactly
inline constexpr uint32_t kNan = 0x7fc00000;
using Words = std::vector<uint32_t>;

inline int op_add(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_add(r, v[0], v[1], m);
}
inline int op_mul(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_mul(r, v[0], v[1], m);
}
inline int op_fma(mpfr_ptr r, Number* v, mpfr_rnd_t m) {
  return mpfr_fma(r, v[0], v[1], v[2], m);
}

// ---- Expected values
// -------------------------------------------------------------------------------

/// Loads an element and tells its exponent by the rule of the fused method.
template <class F>
void load_factor(Number& out, int& exponent, uint32_t bits) {
  oracle::load<F>(out, bits);
  exponent = -126;
  if (mpfr_regular_p(out.get())) {
    exponent = std::max(static_cast<int>(mpfr_get_exp(out.get())) - 1, F::kMinExponent);
  }
}

/// value = round(value * 2^bits) / 2^bits toward zero or minus infinity.
inline void cut(Number& value, int bits, mpfr_rnd_t direction) {
  mpfr_mul_2si(value, value, bits, MPFR_RNDN);
  mpfr_rint(value, value, direction);
  mpfr_mul_2si(value, value, -bits, MPFR_RNDN);
}

inline void load_element(MatrixFormat f, Number& out, int& exponent, uint32_t bits) {
  switch (f) {
    case MatrixFormat::F16:
      return load_factor<F16>(out, exponent, bits);
    case MatrixFormat::BF16:
      return load_factor<BF16>(out, exponent, bits);
    case MatrixFormat::FP8:
      return load_factor<FP8>(out, exponent, bits);
    case MatrixFormat::BF8:
      return load_factor<BF8>(out, exponent, bits);
    case MatrixFormat::F32:
    case MatrixFormat::XF32:
      break;
  }
  load_factor<F32>(out, exponent, bits);
  if (f == MatrixFormat::XF32 && mpfr_regular_p(out.get())) {
    cut(out, 10 - exponent, MPFR_RNDZ);
    if (mpfr_zero_p(out.get())) exponent = -126;
  }
}

struct Sum {
  Number value{kExact};
  int exponent = 0;
};

inline uint32_t expect_fused_group(const DotAlgorithm& g, const uint32_t* a, const uint32_t* b,
                                   unsigned count, uint32_t d) {
  static Number products[16] = {Number(kExact), Number(kExact), Number(kExact), Number(kExact),
                                Number(kExact), Number(kExact), Number(kExact), Number(kExact),
                                Number(kExact), Number(kExact), Number(kExact), Number(kExact),
                                Number(kExact), Number(kExact), Number(kExact), Number(kExact)};
  static Number x(kExact);
  static Number y(kExact);
  static Number c(kExact);
  int exponents[16] = {};
  int exponent_c = 0;
  load_factor<F32>(c, exponent_c, d);
  double in_double = mpfr_get_d(c, MPFR_RNDN);
  bool plus = false;
  bool minus = false;
  for (unsigned i = 0; i < count; ++i) {
    int ex = 0;
    int ey = 0;
    load_element(g.a, x, ex, a[i]);
    load_element(g.b, y, ey, b[i]);
    mpfr_mul(products[i], x, y, MPFR_RNDN);
    exponents[i] = ex + ey;
    in_double += mpfr_get_d(products[i], MPFR_RNDN);
    if (mpfr_regular_p(products[i].get()) && mpfr_get_exp(products[i].get()) > 128) {
      (mpfr_signbit(products[i].get()) ? minus : plus) = true;
    }
  }
  if (std::isnan(in_double) || (plus && minus && std::isfinite(in_double))) return kNan;
  if (std::isinf(in_double)) return in_double < 0 ? 0xff800000 : 0x7f800000;
  if (plus || minus) return minus ? 0xff800000 : 0x7f800000;

  const unsigned parts = g.method == MatrixMethod::FusedEvenOdd ? 2 : 1;
  static Sum sums[2];
  for (unsigned p = 0; p < parts; ++p) {
    sums[p].exponent = -10000;
    for (unsigned i = p; i < count; i += parts) {
      sums[p].exponent = std::max(sums[p].exponent, exponents[i]);
    }
    mpfr_set_zero(sums[p].value, 1);
    for (unsigned i = p; i < count; i += parts) {
      cut(products[i], 24 - sums[p].exponent, MPFR_RNDZ);
      mpfr_add(sums[p].value, sums[p].value, products[i], MPFR_RNDN);
    }
  }
  if (parts == 2) {
    const int common = std::max(sums[0].exponent, sums[1].exponent);
    cut(sums[0].value, 24 - common, MPFR_RNDD);
    cut(sums[1].value, 24 - common, MPFR_RNDD);
    mpfr_add(sums[0].value, sums[0].value, sums[1].value, MPFR_RNDN);
    sums[0].exponent = common;
  }
  const int top = std::max(sums[0].exponent, exponent_c);
  cut(sums[0].value, 31 - top, MPFR_RNDD);
  cut(c, 24 - top, MPFR_RNDD);
  if (parts == 2 && exponent_c < top - 25) mpfr_set_zero(c, 1);
  static Number result(24);
  const int ternary = mpfr_add(result, sums[0].value, c, MPFR_RNDN);
  if (mpfr_zero_p(result.get())) return 0;
  return static_cast<uint32_t>(oracle::finish<F32>(result, ternary, Env{}).bits);
}

inline uint32_t flushed(uint64_t bits, bool flush) {
  return static_cast<uint32_t>(flush && oracle::subnormal<F32>(bits) ? bits & 0x80000000 : bits);
}

/// The group as a recursion over halves; leaves are rounded products.
inline uint32_t expect_tree(const Words& leaves, size_t first, size_t count, bool flush) {
  if (count == 1) return leaves[first];
  const uint64_t v[] = {expect_tree(leaves, first, count / 2, flush),
                        expect_tree(leaves, first + count / 2, count / 2, flush)};
  return flushed(expect<F32>(op_add, v, 2, Env{}).bits, flush);
}

inline uint32_t widened(MatrixFormat f, uint32_t bits, bool flush) {
  static Number value(kExact);
  int ignored = 0;
  const bool small = f == MatrixFormat::F16    ? oracle::subnormal<F16>(bits)
                     : f == MatrixFormat::BF16 ? oracle::subnormal<BF16>(bits)
                                               : oracle::subnormal<F32>(bits);
  if (small && flush) return 0;
  load_element(f, value, ignored, bits);
  return static_cast<uint32_t>(oracle::store<F32>(value));
}

inline uint32_t expect_pairwise(const DotAlgorithm& g, const uint32_t* a, const uint32_t* b,
                                unsigned k, uint32_t d) {
  if (g.flush && oracle::subnormal<F32>(d)) d = 0;
  for (unsigned first = 0; first < k; first += g.group) {
    Words leaves;
    for (unsigned i = 0; i < g.group; ++i) {
      const uint64_t v[] = {widened(g.a, a[first + i], g.flush),
                            widened(g.b, b[first + i], g.flush)};
      leaves.push_back(flushed(expect<F32>(op_mul, v, 2, Env{}).bits, g.flush));
    }
    const uint64_t v[] = {d, expect_tree(leaves, 0, g.group, g.flush)};
    d = flushed(expect<F32>(op_add, v, 2, Env{}).bits, g.flush);
  }
  return oracle::nan<F32>(d) ? kNan : d;
}

inline uint32_t expect_dot(const DotAlgorithm& g, const uint32_t* a, const uint32_t* b, unsigned k,
                           uint32_t d) {
  if (g.method == MatrixMethod::Pairwise) return expect_pairwise(g, a, b, k, d);
  if (g.method == MatrixMethod::Chain) {
    for (unsigned i = 0; i < k; ++i) {
      const uint64_t v[] = {a[i], b[i], d};
      d = static_cast<uint32_t>(expect<F32>(op_fma, v, 3, Env{}).bits);
    }
    return oracle::nan<F32>(d) ? kNan : d;
  }
  for (unsigned first = 0; first < k; first += g.group) {
    d = expect_fused_group(g, a + first, b + first, std::min<unsigned>(g.group, k - first), d);
  }
  return d;
}

// ---- Random vectors
// --------------------------------------------------------------------------------

template <class F>
uint32_t element(Generator<F>& random, bool specials, int base, unsigned window) {
  if (specials) return static_cast<uint32_t>(random.pattern());
  if (random.below(12) == 0) return random.below(2) != 0 ? 0 : 1;  // zero or the smallest subnormal
  const int field = std::clamp(base + static_cast<int>(random.below(window)), 0,
                               F::kMaxField - (F::kIeee ? 1 : 0));
  return static_cast<uint32_t>((random.bits() & oracle::sign_bit<F>()) |
                               (static_cast<uint64_t>(field) << F::kFractionBits) |
                               random.fraction());
}

/// Operands of one dot product of `k` products.
struct Vector {
  Words a, b;
  uint32_t d = 0;
};
template <class A, class B>
Vector draw(Generator<A>& ra, Generator<B>& rb, Generator<F32>& rd, unsigned k) {
  const bool specials = ra.below(8) == 0;
  const unsigned window = 1 + ra.below(ra.below(2) != 0 ? 40 : 6);
  const int base_a = static_cast<int>(ra.below(A::kMaxField));
  // Half the time products are near one, otherwise anywhere.
  const int base_b =
      rb.below(2) != 0 ? B::kBias - (base_a - A::kBias) : static_cast<int>(rb.below(B::kMaxField));
  Vector v{Words(k), Words(k)};
  for (unsigned i = 0; i < k; ++i) {
    v.a[i] = element<A>(ra, specials && ra.below(8) == 0, base_a, window);
    v.b[i] = element<B>(rb, specials && rb.below(8) == 0, base_b, window);
    // Cancellation: the opposite of an earlier product.
    if (i > 0 && ra.below(4) == 0) {
      const unsigned j = ra.below(i);
      v.a[i] = v.a[j] ^ static_cast<uint32_t>(oracle::sign_bit<A>());
      if (v.a[i] == 0x80 && A::kBits == 8) v.a[i] = 0;
      v.b[i] = v.b[j];
    }
  }
  const int near = base_a - A::kBias + base_b - B::kBias + F32::kBias;
  v.d = element<F32>(rd, specials && rd.below(4) == 0, near - 40 + static_cast<int>(rd.below(60)),
                     20);
  if (rd.below(16) == 0) v.d = 0x80000000u;
  return v;
}

}  // namespace cuvette::fp::matrix_oracle
