// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu_manual_number.h"

#include <array>

namespace cuvette::valu_manual {
namespace {

/// A number of the format in `r` to its bits.
uint64_t bits_of(const Format& f, mpfr_t r) {
  const uint64_t sign = mpfr_signbit(r) != 0 ? f.sign() : 0;
  if (mpfr_zero_p(r) != 0) return sign;
  const long lowest = 1 - f.bias() - static_cast<long>(f.fraction_bits);  // of a subnormal
  long exponent = mpfr_get_exp(r) - 1;                                    // 1.x * 2^exponent
  const bool normal = exponent >= 1 - f.bias();
  const long unit = normal ? exponent - static_cast<long>(f.fraction_bits) : lowest;
  Real scaled(64);
  mpfr_mul_2si(scaled.value, r, -unit, MPFR_RNDN);
  mpfr_abs(scaled.value, scaled.value, MPFR_RNDN);
  const uint64_t units = mpfr_get_uj(scaled.value, MPFR_RNDN);
  if (!normal) return sign | units;
  const auto field = static_cast<uint64_t>(exponent + f.bias());
  return sign | field << f.fraction_bits | (units & (f.smallest_normal() - 1));
}

}  // namespace

void set(mpfr_t r, const Format& f, uint64_t bits) {
  const uint64_t magnitude = f.magnitude(bits);
  const uint64_t fraction = magnitude & (f.smallest_normal() - 1);
  const auto field = static_cast<long>(magnitude >> f.fraction_bits);
  if (f.is_infinite(bits)) {
    mpfr_set_inf(r, 1);
  } else {
    const long unit = (field == 0 ? 1 : field) - f.bias() - static_cast<long>(f.fraction_bits);
    mpfr_set_uj_2exp(r, field == 0 ? fraction : fraction | f.smallest_normal(), unit, MPFR_RNDN);
  }
  mpfr_setsign(r, r, f.negative(bits) ? 1 : 0, MPFR_RNDN);
}

Numbers numbers(const Format& f, uint32_t mode) {
  const bool single = f.exponent_bits == kSingle.exponent_bits;
  const unsigned denormals = single ? mode >> 4 & 3 : mode >> 6 & 3;
  Numbers n;
  n.f = f;
  n.round = single ? mode & 3 : mode >> 2 & 3;
  n.flush_in = (denormals & 1) == 0;
  n.flush_out = (denormals & 2) == 0;
  n.dx10_clamp = (mode >> 8 & 1) != 0;
  n.ieee = (mode >> 9 & 1) != 0;
  n.multiplies_output = n.flush_out && !n.ieee;
  n.overflow_to_largest = f.exponent_bits == kHalf.exponent_bits && (mode >> 23 & 1) != 0;
  return n;
}

mpfr_rnd_t Numbers::direction() const {
  constexpr std::array<mpfr_rnd_t, 4> kModes = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
  return kModes[round];
}

uint64_t Numbers::take(uint64_t x) {
  x &= f.all();
  if (!f.is_subnormal(x)) return x;
  if (flush_in) return x & f.sign();
  flags |= kDenormal;
  return x;
}

bool Numbers::nan(std::initializer_list<uint64_t> operands, uint64_t& result) {
  bool found = false;
  for (const uint64_t x : operands) {
    if (f.is_signaling(x)) flags |= kInvalid;
    if (f.is_nan(x) && !found) {
      found = true;
      result = x | f.quiet();
    }
  }
  return found;
}

uint64_t Numbers::rounded(const Compute& compute) {
  mpfr_t r;
  mpfr_init2(r, f.fraction_bits + 1);
  // At full precision and any exponent: overflow and tininess are judged there.
  int ternary = compute(r, direction());
  const uint64_t sign = mpfr_signbit(r) != 0 ? f.sign() : 0;
  uint64_t result = 0;
  if (mpfr_zero_p(r) != 0) {
    result = sign;
  } else if (mpfr_inf_p(r) != 0) {
    result = sign | f.infinity();
  } else if (mpfr_get_exp(r) - 1 > f.bias()) {
    const bool away = round == 0 || round == (sign != 0 ? 2u : 1u);
    result = sign | (away && !overflow_to_largest ? f.infinity() : f.largest());
    flags |= kOverflow | kInexact;
  } else if (mpfr_get_exp(r) - 1 < 1 - f.bias()) {
    if (flush_out) {
      flags |= kUnderflow | kInexact;
      result = sign;
    } else {
      const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
      mpfr_set_emin(1 - f.bias() - static_cast<long>(f.fraction_bits) + 1);
      ternary = mpfr_check_range(r, ternary, direction());
      ternary = mpfr_subnormalize(r, ternary, direction());
      mpfr_set_emin(low);
      mpfr_set_emax(high);
      if (ternary != 0) flags |= kUnderflow | kInexact;
      result = bits_of(f, r);
      if (mpfr_zero_p(r) != 0) result = sign;
    }
  } else {
    if (ternary != 0) flags |= kInexact;
    result = bits_of(f, r);
  }
  mpfr_clear(r);
  return result;
}

uint64_t Numbers::rounded(unsigned direction, const Compute& compute) {
  Numbers other = *this;
  other.round = direction;
  const uint64_t result = other.rounded(compute);
  flags = other.flags;
  return result;
}

uint64_t Numbers::fma(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t result = 0;
  if (nan({a, b, c}, result)) return result;
  const bool product_infinite = f.is_infinite(a) || f.is_infinite(b);
  if (product_infinite && (f.is_zero(a) || f.is_zero(b))) return invalid();
  const bool opposite = f.negative(a) != f.negative(b);
  if (product_infinite && f.is_infinite(c) && opposite != f.negative(c)) return invalid();
  const Real x(f, a), y(f, b), z(f, c);
  return rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_fma(r, x.value, y.value, z.value, d); });
}

uint64_t Numbers::add(uint64_t a, uint64_t b) {
  uint64_t result = 0;
  if (nan({a, b}, result)) return result;
  if (f.is_infinite(a) && f.is_infinite(b) && f.negative(a) != f.negative(b)) return invalid();
  const Real x(f, a), y(f, b);
  return rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_add(r, x.value, y.value, d); });
}

uint64_t Numbers::mul(uint64_t a, uint64_t b) {
  uint64_t result = 0;
  if (nan({a, b}, result)) return result;
  if ((f.is_infinite(a) && f.is_zero(b)) || (f.is_zero(a) && f.is_infinite(b))) return invalid();
  const Real x(f, a), y(f, b);
  return rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_mul(r, x.value, y.value, d); });
}

uint64_t Numbers::reciprocal(uint64_t x) {
  uint64_t result = 0;
  if (nan({x}, result)) return result;
  const uint64_t sign = x & f.sign();
  if (f.is_infinite(x)) return sign;
  if (f.is_zero(x)) {
    flags |= kDivideByZero;
    return sign | f.infinity();
  }
  const Real number(f, x);
  return rounded(0, [&](mpfr_t r, mpfr_rnd_t d) { return mpfr_ui_div(r, 1, number.value, d); });
}

uint64_t Numbers::root(uint64_t x, bool inverse) {
  uint64_t result = 0;
  if (nan({x}, result)) return result;
  const uint64_t sign = x & f.sign();
  if (f.is_zero(x)) {
    if (inverse) flags |= kDivideByZero;
    return inverse ? sign | f.infinity() : x;
  }
  if (sign != 0) return invalid() | f.sign();
  if (f.is_infinite(x)) return inverse ? 0 : x;
  const Real number(f, x);
  return rounded(0, [&](mpfr_t r, mpfr_rnd_t d) {
    return inverse ? mpfr_rec_sqrt(r, number.value, d) : mpfr_sqrt(r, number.value, d);
  });
}

int Numbers::order(uint64_t a, uint64_t b) const {
  if (f.is_nan(a) || f.is_nan(b)) return 2;
  const Real x(f, a), y(f, b);
  const int sign = mpfr_cmp(x.value, y.value);
  return sign < 0 ? -1 : sign > 0 ? 1 : 0;
}

uint64_t Numbers::extreme(uint64_t a, uint64_t b, bool maximum) {
  uint64_t result = 0;
  if (ieee && (f.is_signaling(a) || f.is_signaling(b))) {
    flags |= kInvalid;
    return (f.is_signaling(a) ? a : b) | f.quiet();
  }
  if (f.is_nan(a)) {
    result = b;
  } else if (f.is_nan(b)) {
    result = a;
  } else if (order(a, b) == 0) {
    result = f.negative(a) != maximum ? a : b;
  } else {
    result = (order(a, b) < 0) != maximum ? a : b;
  }
  if (f.is_subnormal(result) && flush_out) {
    flags |= kUnderflow | kInexact;
    result &= f.sign();
  }
  return result;
}

uint64_t Numbers::output(uint64_t x, unsigned omod, bool clamp) {
  if (omod != 0 && multiplies_output && !f.is_nan(x)) {
    const Real number(f, x);
    const long by = omod == 1 ? 1 : omod == 2 ? 2 : -1;
    x = rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_mul_2si(r, number.value, by, d); });
    if (f.is_zero(x)) x = 0;
  }
  if (!clamp) return x;
  if (f.is_nan(x)) return dx10_clamp ? 0 : x;
  if (f.negative(x) || f.is_zero(x)) return 0;
  return f.magnitude(x) > f.one() ? f.one() : x;
}

}  // namespace cuvette::valu_manual
