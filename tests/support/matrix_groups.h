// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "matrix_restatement.h"

// Operands of matrix arithmetic: random groups of the kinds in which rules differ, and the inputs
// that docs/reference/mfma_numerics.md lists by name.
namespace cuvette::restatement {

enum class Kind : uint8_t {
  Mid,         ///< products and d near each other
  Wide,        ///< any exponents
  Subnormal,   ///< subnormal factors, products and results
  Cancelling,  ///< opposite products, d the opposite of one but for its last bits
  FarSticky,   ///< ties that a product or d far below decides
  Zeros,       ///< zeros of both signs, few other numbers
  Specials,    ///< infinities, NaNs and the largest numbers
  Over,        ///< products and sums about 2^128
};
inline constexpr unsigned kKinds = 8;

struct Fields {
  int exponent, fraction;
  bool finite;  ///< no infinities, 0x80 the NaN (fnuz)
  int bias() const { return (1 << (exponent - 1)) - (finite ? 0 : 1); }
  int most() const { return (1 << exponent) - (finite ? 1 : 2); }
};
constexpr Fields fields_of(Format f) {
  switch (f) {
    case Format::F16:
      return {5, 10, false};
    case Format::Bf16:
    case Format::Bf16K1:
      return {8, 7, false};
    case Format::Fp8:
      return {4, 3, true};
    case Format::Bf8:
      return {5, 2, true};
    case Format::F64:
      return {11, 52, false};
    case Format::F32:
    case Format::Xf32:
    case Format::I8:
      break;
  }
  return {8, 23, false};
}

/// Operands of one result.
struct Group {
  std::vector<uint64_t> a, b;
  uint64_t d = 0;
};

/// Random operands of one pair of formats. C has the format of F64 for that, of F32 otherwise.
class Groups {
 public:
  Groups(uint64_t seed, Format a, Format b)
      : random_(seed), a_(a), b_(b), c_(a == Format::F64 ? Format::F64 : Format::F32) {}

  /// Groups up to the next call have exponents about the same ones: for rows and columns of one
  /// matrix. `held` false: each its own.
  void hold(bool held) {
    held_ = false;
    held_a_ = any_base(fields_of(a_));
    held_b_ = base_beside(held_a_);
    held_ = held;
  }

  Group draw(Kind kind, unsigned k) {
    Group g{std::vector<uint64_t>(k), std::vector<uint64_t>(k)};
    const Fields fa = fields_of(a_), fb = fields_of(b_);
    switch (kind) {
      case Kind::Mid:
        near(g, any_base(fa), 4);
        break;
      case Kind::Wide:
        for (unsigned i = 0; i < k; ++i) {
          g.a[i] = number(a_, upto(fa.most() + 1));
          g.b[i] = number(b_, upto(fb.most() + 1));
        }
        g.d = number(c_, upto(fields_of(c_).most() + 1));
        break;
      case Kind::Subnormal:
        small(g);
        break;
      case Kind::Cancelling:
        near(g, any_base(fa), below(2) != 0 ? 2 : 8);
        cancel(g);
        break;
      case Kind::FarSticky:
        far(g);
        break;
      case Kind::Zeros:
        near(g, any_base(fa), 3);
        for (unsigned i = 0; i < k; ++i) {
          if (below(4) != 0) g.a[i] = zero(a_);
          if (below(4) == 0) g.b[i] = below(2) != 0 ? zero(b_) : number(b_, fb.most());
        }
        if (below(4) != 0) g.d = zero(c_);
        break;
      case Kind::Specials:
        near(g, any_base(fa), 4);
        for (unsigned i = 0; i < k; ++i) {
          if (below(2 * k) == 0) g.a[i] = special(a_);
          if (below(2 * k) == 0) g.b[i] = special(b_);
        }
        if (below(3) == 0) g.d = special(c_);
        if (below(8) == 0) {  // zero times whatever
          g.a[0] = zero(a_);
          g.b[0] = special(b_);
        }
        break;
      case Kind::Over:
        near(g, fa.most() - upto(2 + fa.most() / 8), 3);
        // The sum of the fields at which products are near 2^128, or the largest there is.
        for (unsigned i = 0; i < k; ++i) {
          const int field = static_cast<int>(g.a[i] >> fa.fraction & ((1u << fa.exponent) - 1));
          const int wanted = (c_ == Format::F64 ? 1024 : 127) - (field - fa.bias()) + fb.bias();
          g.b[i] = number(b_, wanted - 2 + upto(3));
          if (below(6) == 0) g.a[i] = number(a_, 0);
        }
        if (below(2) != 0) cancel(g);
        break;
    }
    return g;
  }

  uint64_t below(uint64_t n) { return random_() % n; }

 private:
  int upto(int n) { return static_cast<int>(below(static_cast<uint64_t>(n))); }
  uint64_t sign(Format f) { return below(2) << (bits_of(f) - 1); }

  /// A number with that exponent field, as far as there is one.
  uint64_t number(Format f, int field) {
    const Fields l = fields_of(f);
    const uint64_t most = (uint64_t{1} << l.fraction) - 1;
    const uint64_t top = sign(f) | static_cast<uint64_t>(std::clamp(field, 0, l.most()))
                                       << l.fraction;
    switch (below(7)) {
      case 0:
        return without_nan(f, top);
      case 1:
        return top | 1;
      case 2:
        return top | most;
      case 3:
        return top | uint64_t{1} << (l.fraction - 1);
      default:
        return without_nan(f, top | (random_() & most));
    }
  }
  /// Patterns of the NaN of the fnuz formats become zero.
  static uint64_t without_nan(Format f, uint64_t bits) {
    return fields_of(f).finite && bits == 0x80 ? 0 : bits;
  }
  uint64_t zero(Format f) { return without_nan(f, sign(f)); }
  uint64_t special(Format f) {
    const Fields l = fields_of(f);
    if (l.finite) return below(3) == 0 ? 0x80 : number(f, l.most());
    const uint64_t infinity = sign(f) | ((uint64_t{1} << l.exponent) - 1) << l.fraction;
    switch (below(5)) {
      case 0:
        return infinity | (1 + below((uint64_t{1} << l.fraction) - 1));
      case 1:
        return number(f, l.most());
      case 2:
        return zero(f);
      default:
        return infinity;
    }
  }
  int any_base(const Fields& f) { return held_ ? held_a_ : upto(f.most()); }
  /// Base of B that balances a field of A, or any.
  int base_beside(int base) {
    if (held_) return held_b_;
    const Fields fa = fields_of(a_), fb = fields_of(b_);
    return below(2) != 0 ? fb.bias() - (base - fa.bias()) : upto(fb.most());
  }

  /// Factors with fields of `base` and up, in the other format those that balance them or any; d
  /// about the exponent of the products.
  void near(Group& g, int base, int window) {
    const Fields fa = fields_of(a_), fb = fields_of(b_), fc = fields_of(c_);
    const int base_b = base_beside(base);
    for (size_t i = 0; i < g.a.size(); ++i) {
      g.a[i] = number(a_, base + upto(window));
      g.b[i] = number(b_, base_b + upto(window));
      if (below(16) == 0) g.a[i] = number(a_, 0);
    }
    const int products =
        std::clamp(base, 0, fa.most()) - fa.bias() + std::clamp(base_b, 0, fb.most()) - fb.bias();
    const int spread = below(2) != 0 ? 4 : 40;
    g.d = number(c_, products + fc.bias() + upto(2 * spread) - spread);
    if (below(16) == 0) g.d = zero(c_);
  }

  void cancel(Group& g) {
    const size_t k = g.a.size();
    for (size_t i = 1; i < k; ++i) {
      if (below(2) != 0) continue;
      const size_t j = below(i);
      g.a[i] = without_nan(a_, g.a[j] ^ uint64_t{1} << (bits_of(a_) - 1));
      g.b[i] = g.b[j];
      if (below(3) == 0) g.b[i] = without_nan(b_, g.b[i] ^ 1);
    }
    if (below(2) == 0) return;
    // d: the opposite of one product, to nearest, sometimes a little beside it.
    const size_t i = below(k);
    const Rule one{Algorithm::Chain, 1, c_, c_};
    const uint64_t x = widened(a_, g.a[i]), y = widened(b_, g.b[i]);
    g.d = element(one, &x, &y, 1, 0) ^ uint64_t { 1 } << (bits_of(c_) - 1);
    if (below(2) == 0) g.d += below(5) - 2;
    g.d &= bits_of(c_) == 64 ? ~uint64_t{0} : 0xffffffff;
  }
  /// An element as one of C.
  uint64_t widened(Format f, uint64_t bits) {
    if (f == c_ || f == Format::Xf32) return bits;
    const Fields l = fields_of(f);
    uint64_t field = bits >> l.fraction & ((1u << l.exponent) - 1);
    uint64_t fraction = bits & ((1u << l.fraction) - 1);
    const uint64_t sign = (bits >> (l.exponent + l.fraction) & 1) << 31;
    int exponent = static_cast<int>(field) - l.bias() + 127;
    if (field == 0) {
      if (fraction == 0) return sign;
      for (exponent = 128 - l.bias(); exponent > 0 && (fraction >> l.fraction) == 0; --exponent) {
        fraction <<= 1;
      }
      fraction &= (1u << l.fraction) - 1;
    }
    return sign | static_cast<uint64_t>(exponent) << 23 | fraction << (23 - l.fraction);
  }

  void small(Group& g) {
    const Fields fa = fields_of(a_), fb = fields_of(b_), fc = fields_of(c_);
    // Products that go down to the subnormal numbers of C, if there are factors for them.
    const int lowest = 1 - fc.bias() - fc.fraction - 6;
    for (size_t i = 0; i < g.a.size(); ++i) {
      g.a[i] = number(a_, upto(4));
      const int low = 1 - fa.bias() - fa.fraction;
      const int wanted = lowest - low + upto(32) + fb.bias();
      g.b[i] = number(b_, below(2) != 0 ? wanted : upto(fb.most() + 1));
      if (below(2) != 0) std::swap(g.a[i], g.b[i]);
      if (a_ != b_) {
        g.a[i] = number(a_, upto(3));
        g.b[i] = number(b_, upto(fb.most() + 1));
      }
    }
    g.d = number(c_, upto(3));
    if (below(3) == 0) cancel(g);
  }

  void far(Group& g) {
    const Fields fa = fields_of(a_), fb = fields_of(b_), fc = fields_of(c_);
    const int base = any_base(fa);
    const int base_b = held_ ? held_b_ : upto(fb.most());
    const size_t k = g.a.size();
    const size_t large = below(k);
    for (size_t i = 0; i < k; ++i) {
      // Often where the last bits of the cuts are.
      const int down = below(2) != 0 ? 4 + upto(8) : upto(fa.most() + fb.most());
      const int of_a = i == large ? 0 : std::min(down, base);
      g.a[i] = number(a_, base - of_a);
      g.b[i] = number(b_, base_b - (i == large ? 0 : down - of_a));
      if (below(3) == 0 && i != large) g.a[i] = zero(a_);
    }
    // A power of two beside or below whose last bit products lie, or one far below them.
    const int products = base - fa.bias() + base_b - fb.bias();
    const int places[] = {0,
                          1,
                          fc.fraction - 1,
                          fc.fraction,
                          fc.fraction + 1,
                          2 * fc.fraction,
                          -fc.fraction,
                          -fc.fraction - 1,
                          -fc.fraction - 2,
                          -2 * fc.fraction};
    const int place = places[below(10)];
    g.d = number(c_, products + fc.bias() + place + upto(3));
    if (below(2) != 0) g.d &= ~((uint64_t{1} << fc.fraction) - 2);
    for (size_t i = 0; i < k; ++i) {  // powers of two as products, too
      if (below(i == large ? 2 : 3) != 0) continue;
      g.a[i] = without_nan(a_, g.a[i] & ~((uint64_t{1} << fa.fraction) - 1));
      g.b[i] = without_nan(b_, g.b[i] & ~((uint64_t{1} << fb.fraction) - 1));
    }
  }

  std::mt19937_64 random_;
  Format a_, b_, c_;
  bool held_ = false;
  int held_a_ = 0, held_b_ = 0;
};

/// An input that the page lists, with its result.
struct Listed {
  const char* name;
  Part part;
  Format format;
  std::vector<uint64_t> a, b;
  uint64_t d, want;
};

/// The table at the end of docs/reference/mfma_numerics.md.
inline const std::vector<Listed>& listed() {
  static const std::vector<Listed> rows = {
      {"gfx908_f16_no_rounding_inside",
       Part::Gfx908,
       Format::F16,
       {0x6c00, 0x3c00, 0x6c00, 0},
       {0x6c00, 0x3c00, 0xec00, 0},
       0,
       0x3f800000},
      {"gfx908_f16_far_sticky",
       Part::Gfx908,
       Format::F16,
       {0x3c00, 0x0001, 0, 0},
       {0x0800, 0x0001, 0, 0},
       0x45000000,
       0x45000001},
      {"gfx908_bf16_beyond_the_range_and_back",
       Part::Gfx908,
       Format::Bf16,
       {0x7f00, 0x7f00},
       {0x7f00, 0xff00},
       0x3f800000,
       0x3f800000},
      {"gfx908_bf16_zero_sum",
       Part::Gfx908,
       Format::Bf16,
       {0x8000, 0x8000},
       {0x3f80, 0x3f80},
       0x80000000,
       0x00000000},
      {"gfx90a_bf16_minus_zero_as_input",
       Part::Gfx90a,
       Format::Bf16,
       {0, 0},
       {0xbf80, 0xbf80},
       0x80000000,
       0x00000000},
      {"gfx942_bf16_zero_times_large",
       Part::Gfx942,
       Format::Bf16,
       {0, 0x3000},
       {0x7f00, 0x3f80},
       0,
       0x30000000},
      {"gfx942_f16_only_zero_products",
       Part::Gfx942,
       Format::F16,
       {0},
       {0x7bff},
       0x00800001,
       0x00800001},
      {"gfx942_fp8_only_zero_products",
       Part::Gfx942,
       Format::Fp8,
       {0, 0},
       {0x7f, 0x7f},
       0x00800001,
       0x00800001},
      {"gfx942_f16_carry_past_2",
       Part::Gfx942,
       Format::F16,
       {0x4900, 0x2000},
       {0x3c00, 0x3c00},
       0x4bfffffc,
       0x4c000000},
      {"gfx942_fp8_carry_past_2",
       Part::Gfx942,
       Format::Fp8,
       {0x5a, 0x08},
       {0x40, 0x40},
       0x4bfffffc,
       0x4c000000},
      {"gfx942_f16_falls_below_1",
       Part::Gfx942,
       Format::F16,
       {0xbe00, 0x1c00},
       {0x3c00, 0x3c00},
       0x4b800000,
       0x4b7fffff},
      {"gfx942_fp8_falls_below_1",
       Part::Gfx942,
       Format::Fp8,
       {0xc4, 0x04},
       {0x40, 0x40},
       0x4b800000,
       0x4b7fffff},
      {"gfx942_bf16_large_product_against_infinite_d",
       Part::Gfx942,
       Format::Bf16,
       {0x5f80},
       {0x5f80},
       0xff800000,
       0x7fc00000},
      {"gfx942_bf16_large_product_against_infinite_product",
       Part::Gfx942,
       Format::Bf16,
       {0x5f80, 0xff80},
       {0x5f80, 0x3f80},
       0,
       0x7fc00000},
  };
  return rows;
}

/// Inputs worked out by hand from the rules of that page, one for each that random numbers seldom
/// decide.
inline const std::vector<Listed>& worked_out() {
  static const std::vector<Listed> rows = {
      // 1 + 2^-24 + 2^-31 is above the tie, 1 + 2^-24 + 2^-32 one; the latter below zero goes down.
      {"gfx942_f16_last_cut_keeps_31_bits",
       Part::Gfx942,
       Format::F16,
       {0x0c00, 0x0200},
       {0x0c00, 0x0100},
       0x3f800000,
       0x3f800001},
      {"gfx942_f16_last_cut_drops_bit_32",
       Part::Gfx942,
       Format::F16,
       {0x0c00, 0x0100},
       {0x0c00, 0x0100},
       0x3f800000,
       0x3f800000},
      {"gfx942_f16_last_cut_goes_down",
       Part::Gfx942,
       Format::F16,
       {0x8c00, 0x0100},
       {0x0c00, 0x0100},
       0xbf800001,
       0xbf800002},
      // 2.5 * 2^-149 and what lies at 2^-158, which is cut, or 2^-157.
      {"gfx942_bf16_last_cut_of_subnormals",
       Part::Gfx942,
       Format::Bf16,
       {0x1a00, 0x1800},
       {0x1a00, 0x1800},
       0x00000002,
       0x00000002},
      {"gfx942_bf16_last_bit_of_subnormals",
       Part::Gfx942,
       Format::Bf16,
       {0x1a00, 0x1880},
       {0x1a00, 0x1800},
       0x00000002,
       0x00000003},
      // d = -2^-31 beside 1 counts as -2^-24: half of the last place below 1.
      {"gfx942_f16_d_is_cut_downward",
       Part::Gfx942,
       Format::F16,
       {0x3c00},
       {0x3c00},
       0xb0000000,
       0x3f7fffff},
      {"gfx942_xf32_nan_of_low_bits",
       Part::Gfx942,
       Format::Xf32,
       {0x7f800001},
       {0x3f800000},
       0,
       0x7fc00000},
      // 1.5 * 2^64 times 1.5 * 2^63 is 2.25 * 2^127.
      {"gfx942_bf16_carry_into_infinity",
       Part::Gfx942,
       Format::Bf16,
       {0x5fc0},
       {0x5f40},
       0xff000000,
       0x7f800000},
      {"gfx942_fp8_infinite_d_is_not_dropped",
       Part::Gfx942,
       Format::Fp8,
       {0x40},
       {0x40},
       0xff800000,
       0xff800000},
      // -0 from a subnormal sum, then -0 * 1 twice.
      {"gfx90a_bf16_zero_product_keeps_its_sign",
       Part::Gfx90a,
       Format::Bf16,
       {0x0080, 0, 0, 0},
       {0x3f80, 0, 0xbf80, 0xbf80},
       0x80c00000,
       0x80000000},
      // The same with -0 as a factor, which is +0.
      {"gfx90a_bf16_zero_factor_loses_its_sign",
       Part::Gfx90a,
       Format::Bf16,
       {0x0080, 0, 0x8000, 0x8000},
       {0x3f80, 0, 0x3f80, 0x3f80},
       0x80c00000,
       0},
      {"gfx90a_bf16_subnormal_sum",
       Part::Gfx90a,
       Format::Bf16,
       {0x0080, 0},
       {0x3f80, 0},
       0x80c00000,
       0x80000000},
      {"gfx90a_bf16_subnormal_d", Part::Gfx90a, Format::Bf16, {0, 0}, {0, 0}, 0x807fffff, 0},
      // A tie that the smallest product of all takes down or up.
      {"gfx908_f16_far_sticky_below",
       Part::Gfx908,
       Format::F16,
       {0x3c00, 0x0001},
       {0x0800, 0x8001},
       0x45000001,
       0x45000001},
      // 2^30 + 2^-48 - 2^30 beside 2^-49.
      {"gfx908_f16_wider_than_a_double",
       Part::Gfx908,
       Format::F16,
       {0x7800, 0x0001, 0x7800},
       {0x7800, 0x0001, 0xf800},
       0x27000000,
       0x27c00000},
      {"gfx908_bf16_sum_below_everything",
       Part::Gfx908,
       Format::Bf16,
       {0x0001, 0},
       {0x8001, 0},
       0,
       0x80000000},
      {"gfx908_bf16_infinity_when_rounded",
       Part::Gfx908,
       Format::Bf16,
       {0x7f00, 0x7f00},
       {0x7f00, 0x7f00},
       0xff7fffff,
       0x7f800000},
      {"gfx908_bf16_half_of_the_smallest",
       Part::Gfx908,
       Format::Bf16,
       {0x1a00, 0x0001},
       {0x1a00, 0x0001},
       0,
       0x00000001},
      {"gfx908_bf16_infinities_of_both_signs",
       Part::Gfx908,
       Format::Bf16,
       {0x7f80, 0x3f80},
       {0x3f80, 0xff80},
       0,
       0x7fc00000},
  };
  return rows;
}

/// Group of that many products, zeros after those listed.
inline Group group_of(const Listed& row, unsigned k) {
  Group g{row.a, row.b, row.d};
  g.a.resize(k);
  g.b.resize(k);
  return g;
}

}  // namespace cuvette::restatement
