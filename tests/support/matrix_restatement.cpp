// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_restatement.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <gmp.h>

namespace cuvette::restatement {
namespace {

/// A whole number of any length.
class Whole {
 public:
  Whole() { mpz_init(value_); }
  explicit Whole(uint64_t v) { mpz_init_set_ui(value_, v); }
  Whole(const Whole& other) { mpz_init_set(value_, other.value_); }
  Whole(Whole&& other) noexcept : Whole() { mpz_swap(value_, other.value_); }
  Whole& operator=(Whole other) noexcept {
    mpz_swap(value_, other.value_);
    return *this;
  }
  ~Whole() { mpz_clear(value_); }

  int sign() const { return mpz_sgn(value_); }
  /// Bits of the magnitude.
  int length() const { return sign() == 0 ? 0 : static_cast<int>(mpz_sizeinbase(value_, 2)); }
  void negate() { mpz_neg(value_, value_); }
  void add(const Whole& other) { mpz_add(value_, value_, other.value_); }
  void times(uint64_t factor) { mpz_mul_ui(value_, value_, factor); }
  void shift_left(int n) { mpz_mul_2exp(value_, value_, static_cast<mp_bitcnt_t>(n)); }
  void shift_floor(int n) { mpz_fdiv_q_2exp(value_, value_, static_cast<mp_bitcnt_t>(n)); }
  void shift_to_zero(int n) { mpz_tdiv_q_2exp(value_, value_, static_cast<mp_bitcnt_t>(n)); }
  /// To nearest, ties to even; not negative.
  void shift_nearest(int n) {
    const bool half = mpz_tstbit(value_, static_cast<mp_bitcnt_t>(n - 1)) != 0;
    const bool above = mpz_scan1(value_, 0) < static_cast<mp_bitcnt_t>(n - 1);
    shift_floor(n);
    if (half && (above || mpz_odd_p(value_) != 0)) mpz_add_ui(value_, value_, 1);
  }
  uint64_t low() const { return mpz_get_ui(value_); }

 private:
  mpz_t value_;
};

/// number * 2^unit.
struct Scaled {
  Whole number;
  int unit = 0;
};

enum class Cut { Floor, ToZero };

/// `x` as a multiple of 2^unit.
Whole in_units(const Scaled& x, int unit, Cut cut) {
  Whole n = x.number;
  if (unit <= x.unit) {
    n.shift_left(x.unit - unit);
  } else if (cut == Cut::Floor) {
    n.shift_floor(unit - x.unit);
  } else {
    n.shift_to_zero(unit - x.unit);
  }
  return n;
}

Scaled sum_of(const Scaled& x, const Scaled& y) {
  const int unit = std::min(x.unit, y.unit);
  Scaled sum{in_units(x, unit, Cut::Floor), unit};
  sum.number.add(in_units(y, unit, Cut::Floor));
  return sum;
}

/// The fields of a format. `finite`: it has neither infinities nor a minus zero, whose pattern is
/// the NaN (fnuz).
struct Layout {
  int exponent_bits, fraction_bits, bias;
  bool finite = false;
};
Layout layout_of(Format f) {
  switch (f) {
    case Format::F16:
      return {5, 10, 15};
    case Format::Bf16:
    case Format::Bf16K1:
      return {8, 7, 127};
    case Format::Fp8:
      return {4, 3, 8, true};
    case Format::Bf8:
      return {5, 2, 16, true};
    case Format::F64:
      return {11, 52, 1023};
    case Format::F32:
    case Format::Xf32:
    case Format::I8:
      break;
  }
  return {8, 23, 127};
}

/// A number of a format: significand * 2^(exponent - fraction bits).
struct Number {
  bool nan = false, infinite = false, negative = false;
  uint64_t significand = 0;
  int exponent = 0;
  int fraction_bits = 0;
  bool subnormal = false;

  bool zero() const { return !nan && !infinite && significand == 0; }
};

Number number_of(Format f, uint64_t bits) {
  const Layout l = layout_of(f);
  Number n;
  n.fraction_bits = l.fraction_bits;
  n.negative = (bits >> (l.exponent_bits + l.fraction_bits) & 1) != 0;
  const uint64_t ones = (uint64_t{1} << l.exponent_bits) - 1;
  const uint64_t field = bits >> l.fraction_bits & ones;
  uint64_t fraction = bits & ((uint64_t{1} << l.fraction_bits) - 1);
  if (l.finite) {
    n.nan = bits == 0x80;
    if (n.nan) return n;
  } else if (field == ones) {
    n.nan = fraction != 0;
    n.infinite = !n.nan;
    return n;
  }
  if (f == Format::Xf32) fraction &= ~uint64_t{0x1fff};
  n.subnormal = field == 0 && fraction != 0;
  n.exponent = (field == 0 ? 1 : static_cast<int>(field)) - l.bias;
  n.significand = fraction | (field == 0 ? 0 : uint64_t{1} << l.fraction_bits);
  return n;
}

struct Product {
  bool nan = false, infinite = false, negative = false;
  bool zero = false;
  int exponent = 0;
  Scaled value;
};

Product product_of(const Number& x, const Number& y) {
  Product p;
  p.negative = x.negative != y.negative;
  p.infinite = x.infinite || y.infinite;
  p.nan = x.nan || y.nan || (p.infinite && (x.zero() || y.zero()));
  if (p.nan || p.infinite) return p;
  p.exponent = x.exponent + y.exponent;
  p.value.unit = p.exponent - x.fraction_bits - y.fraction_bits;
  p.value.number = Whole(x.significand);
  p.value.number.times(y.significand);
  p.zero = p.value.number.sign() == 0;
  if (p.negative) p.value.number.negate();
  return p;
}

Scaled value_of(const Number& n) {
  Scaled s{Whole(n.significand), n.exponent - n.fraction_bits};
  if (n.negative) s.number.negate();
  return s;
}

// ---- Binary32 and binary64

uint64_t nan_of(Format f) {
  return f == Format::F64 ? 0x7ff8000000000000 : 0x7fc00000;
}
uint64_t sign_of(Format f) {
  return uint64_t{1} << (bits_of(f) - 1);
}
uint64_t infinity_of(Format f) {
  const Layout l = layout_of(f);
  return ((uint64_t{1} << l.exponent_bits) - 1) << l.fraction_bits;
}

/// RNE. Zero has the sign `zero_negative`; a number that rounds to zero keeps its own.
uint64_t nearest(Format f, Scaled x, bool zero_negative) {
  if (x.number.sign() == 0) return zero_negative ? sign_of(f) : 0;
  const Layout l = layout_of(f);
  const bool negative = x.number.sign() < 0;
  if (negative) x.number.negate();
  const int least = 1 - l.bias - l.fraction_bits;  // exponent of the lowest bit of subnormals
  const int unit = std::max(x.number.length() + x.unit - l.fraction_bits - 1, least);
  if (unit > x.unit) {
    x.number.shift_nearest(unit - x.unit);
  } else {
    x.number.shift_left(x.unit - unit);
  }
  // Significand and exponent field add up: the leading one counts as one of the exponent.
  uint64_t bits = infinity_of(f);
  if (unit - least < 1 << l.exponent_bits) {
    bits =
        std::min(bits, (static_cast<uint64_t>(unit - least) << l.fraction_bits) + x.number.low());
  }
  return bits | (negative ? sign_of(f) : 0);
}

/// A sum that a NaN or infinities decide.
uint64_t special_sum(Format f, bool nan, bool plus, bool minus) {
  if (nan || (plus && minus)) return nan_of(f);
  return infinity_of(f) | (minus ? sign_of(f) : 0);
}

/// Rounded once, with the zeros of IEEE 754: a sum of two minus zeros is one, any other +0.
uint64_t fused_multiply_add(Format f, uint64_t a, uint64_t b, uint64_t c) {
  const Product p = product_of(number_of(f, a), number_of(f, b));
  const Number d = number_of(f, c);
  if (p.nan || d.nan || p.infinite || d.infinite) {
    return special_sum(f, p.nan || d.nan,
                       (p.infinite && !p.negative) || (d.infinite && !d.negative),
                       (p.infinite && p.negative) || (d.infinite && d.negative));
  }
  return nearest(f, sum_of(p.value, value_of(d)), p.negative && d.negative && p.zero && d.zero());
}

// ---- Pairwise groups: all steps in binary32

constexpr Format kF32 = Format::F32;

uint64_t flushed_step(uint64_t x) {
  return number_of(kF32, x).subnormal ? x & sign_of(kF32) : x;
}
uint64_t flushed_operand(Format f, uint64_t x) {
  const Number n = number_of(f, x);
  return n.subnormal || n.zero() ? 0 : x;
}
uint64_t added(uint64_t x, uint64_t y) {
  const Number u = number_of(kF32, x), v = number_of(kF32, y);
  if (u.nan || v.nan || u.infinite || v.infinite) {
    return special_sum(kF32, u.nan || v.nan,
                       (u.infinite && !u.negative) || (v.infinite && !v.negative),
                       (u.infinite && u.negative) || (v.infinite && v.negative));
  }
  return flushed_step(nearest(kF32, sum_of(value_of(u), value_of(v)),
                              u.zero() && v.zero() && u.negative && v.negative));
}
uint64_t multiplied(const Rule& r, uint64_t x, uint64_t y) {
  const Product p =
      product_of(number_of(r.a, flushed_operand(r.a, x)), number_of(r.b, flushed_operand(r.b, y)));
  if (p.nan) return nan_of(kF32);
  if (p.infinite) return infinity_of(kF32) | (p.negative ? sign_of(kF32) : 0);
  return flushed_step(nearest(kF32, p.value, p.negative));
}
uint64_t tree(const Rule& r, const uint64_t* a, const uint64_t* b, unsigned count) {
  if (count == 1) return multiplied(r, *a, *b);
  const unsigned half = count / 2;
  return added(tree(r, a, b, half), tree(r, a + half, b + half, half));
}

// ---- Groups over all of whose products one decision is taken

struct Terms {
  std::vector<Product> products;
  Number d;
};

/// NaN or an infinity, where they decide.
std::optional<uint64_t> decided(const Terms& t) {
  bool nan = t.d.nan;
  bool plus = t.d.infinite && !t.d.negative, minus = t.d.infinite && t.d.negative;
  for (const Product& p : t.products) {
    nan = nan || p.nan;
    plus = plus || (p.infinite && !p.negative);
    minus = minus || (p.infinite && p.negative);
  }
  if (!nan && !plus && !minus) return std::nullopt;
  return special_sum(kF32, nan, plus, minus);
}

uint64_t exact_group(const Terms& t) {
  if (const auto special = decided(t)) return *special;
  Scaled sum = value_of(t.d);
  for (const Product& p : t.products) sum = sum_of(sum, p.value);
  return nearest(kF32, std::move(sum), false);
}

/// A sum in units of 2^(exponent - 24); without exponent when all its products are zero.
struct Stage {
  std::optional<int> exponent;
  Whole sum;
};

/// Step 2 over products first, first + stride, ...
Stage aligned(const Terms& t, unsigned first, unsigned stride) {
  Stage s;
  for (unsigned k = first; k < t.products.size(); k += stride) {
    const Product& p = t.products[k];
    if (!p.zero) s.exponent = std::max(s.exponent.value_or(p.exponent), p.exponent);
  }
  for (unsigned k = first; k < t.products.size() && s.exponent; k += stride) {
    const Product& p = t.products[k];
    if (!p.zero) s.sum.add(in_units(p.value, *s.exponent - 24, Cut::ToZero));
  }
  return s;
}

Stage halves(const Terms& t) {
  const Stage even = aligned(t, 0, 2), odd = aligned(t, 1, 2);
  if (!even.exponent) return odd;
  if (!odd.exponent) return even;
  Stage s;
  s.exponent = std::max(*even.exponent, *odd.exponent);
  for (const Stage* half : {&even, &odd}) {
    s.sum.add(in_units({half->sum, *half->exponent - 24}, *s.exponent - 24, Cut::Floor));
  }
  return s;
}

uint64_t fused_group(Terms t, bool split) {
  for (Product& p : t.products) {
    // |number| * 2^unit >= 2^128
    if (!p.nan && !p.infinite && !p.zero && p.value.number.length() + p.value.unit > 128) {
      p.infinite = true;
    }
  }
  if (const auto special = decided(t)) return *special;
  const Stage s = split ? halves(t) : aligned(t, 0, 1);
  const int of_d = t.d.zero() ? -126 : t.d.exponent;
  const int m = s.exponent ? std::max(*s.exponent, of_d) : of_d;
  Scaled total{Whole(), m - 32};
  if (s.exponent) total.number = in_units({s.sum, *s.exponent - 24}, m - 32, Cut::Floor);
  if (!split || of_d >= m - 25) {
    total = sum_of(total, {in_units(value_of(t.d), m - 24, Cut::Floor), m - 24});
  }
  if (total.number.sign() == 0) return 0;
  const int n = std::max(total.number.length() - 1 + total.unit, -126);
  if (n - 31 > total.unit) total = {in_units(total, n - 31, Cut::Floor), n - 31};
  return nearest(kF32, std::move(total), false);
}

}  // namespace

Rule rule_of(Part part, Format a, Format b, unsigned k) {
  switch (a) {
    case Format::F32:
    case Format::F64:
      return {Algorithm::Chain, 1, a, b};
    case Format::I8:
      return {Algorithm::Integer, k, a, b};
    case Format::Xf32:
      return {Algorithm::Fused, 4, a, b};
    case Format::Fp8:
    case Format::Bf8:
      return {Algorithm::FusedSplit, 16, a, b};
    case Format::F16:
    case Format::Bf16:
    case Format::Bf16K1:
      break;
  }
  const unsigned group = a == Format::Bf16 ? 2 : 4;
  switch (part) {
    case Part::Gfx908:
      return {Algorithm::Exact, group, a, b};
    case Part::Gfx90a:
      return {Algorithm::Pairwise, group, a, b};
    case Part::Gfx942:
      break;
  }
  return {Algorithm::Fused, std::min(8u, k), a, b};
}

uint64_t element(const Rule& rule, const uint64_t* a, const uint64_t* b, unsigned k, uint64_t d) {
  if (rule.algorithm == Algorithm::Integer) {
    const auto byte = [](uint64_t x) { return static_cast<int64_t>((x & 0xff) ^ 0x80) - 0x80; };
    for (unsigned i = 0; i < k; ++i) d += static_cast<uint64_t>(byte(a[i]) * byte(b[i]));
    return d & 0xffffffff;
  }
  if (rule.algorithm == Algorithm::Chain) {
    for (unsigned i = 0; i < k; ++i) d = fused_multiply_add(rule.a, a[i], b[i], d);
    return number_of(rule.a, d).nan ? nan_of(rule.a) : d;
  }
  if (rule.algorithm == Algorithm::Pairwise) {
    d = flushed_operand(kF32, d);
    for (unsigned first = 0; first < k; first += rule.group) {
      d = added(d, tree(rule, a + first, b + first, rule.group));
    }
    return number_of(kF32, d).nan ? nan_of(kF32) : d;
  }
  for (unsigned first = 0; first < k; first += rule.group) {
    Terms t;
    for (unsigned i = first; i < std::min(first + rule.group, k); ++i) {
      t.products.push_back(product_of(number_of(rule.a, a[i]), number_of(rule.b, b[i])));
    }
    t.d = number_of(kF32, d);
    if (rule.algorithm == Algorithm::Exact) {
      d = exact_group(t);
    } else {
      d = fused_group(std::move(t), rule.algorithm == Algorithm::FusedSplit);
    }
  }
  return d;
}

}  // namespace cuvette::restatement
