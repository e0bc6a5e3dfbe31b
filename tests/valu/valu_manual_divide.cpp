// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "valu_manual_parts.h"

// Steps of a division in binary64 and binary16, segments of 2/pi, bytes from numbers, screen
// partitions (Vega ISA 12.8, 12.9; docs/reference/decisions.md D2, D3, D3b).
namespace cuvette::valu_manual {
namespace {

unsigned field(const Format& f, uint64_t x) {
  return static_cast<unsigned>(f.magnitude(x) >> f.fraction_bits);
}

/// True if |num / den| is not zero and below the least normal number; false for operands that are
/// no number.
bool tiny_quotient(const Format& f, uint64_t num, uint64_t den) {
  if (f.is_nan(num) || f.is_nan(den) || f.is_infinite(num) || f.is_infinite(den)) return false;
  const Real a(f, num);
  Real b(f, den);
  mpfr_mul_2si(b.value, b.value, 1 - f.bias(), MPFR_RNDN);
  return mpfr_cmpabs(a.value, b.value) < 0;
}

/// x * 2^power, one rounding.
uint64_t scaled(Numbers& n, uint64_t x, long power) {
  uint64_t result = 0;
  if (n.nan({x}, result)) return result;
  if (n.f.is_infinite(x) || n.f.is_zero(x)) return x;
  const Real number(n.f, x);
  return n.rounded([&](mpfr_t r, mpfr_rnd_t d) { return mpfr_mul_2si(r, number.value, power, d); });
}

/// Scaling by the manual's text; the answer beside a value is the mask.
struct Scaling {
  bool mask;
  long power;
};

Scaling scaling(const Format& f, uint64_t input, uint64_t den, uint64_t num) {
  constexpr long kUp = 128;
  const bool is_den = input == den, is_num = input == num;
  if (field(f, num) >= field(f, den) + 768) return {true, is_den ? kUp : 0};
  if (f.is_subnormal(den)) return {false, kUp};
  const bool reciprocal = tiny_quotient(f, f.one(), den), quotient = tiny_quotient(f, num, den);
  if (reciprocal && quotient) return {true, is_den ? -kUp : 0};
  if (reciprocal) return {false, -kUp};
  if (quotient) return {true, is_num ? kUp : 0};
  return {false, field(f, num) <= 53 ? kUp : 0};
}

uint64_t fixed(Numbers& n, uint64_t quotient, uint64_t den, uint64_t num) {
  const Format& f = n.f;
  uint64_t nan = 0;
  if (n.nan({num, den}, nan)) return nan;
  const uint64_t sign = (num ^ den) & f.sign();
  const bool both_zero = f.is_zero(num) && f.is_zero(den);
  const bool both_infinite = f.is_infinite(num) && f.is_infinite(den);
  if (both_zero || both_infinite) return n.invalid() | f.sign();
  if (f.is_infinite(num)) return sign | f.infinity();
  if (f.is_zero(den)) {
    n.flags |= kDivideByZero;
    return sign | f.infinity();
  }
  if (f.is_infinite(den) || f.is_zero(num)) return sign;
  if (f.exponent_bits == kDouble.exponent_bits && field(f, num) + 1075 < field(f, den)) {
    return n.rounded([&](mpfr_t r, mpfr_rnd_t) {
      mpfr_set_ui_2exp(r, 1, -3000, MPFR_RNDN);
      mpfr_setsign(r, r, sign != 0 ? 1 : 0, MPFR_RNDN);
      return 0;
    });
  }
  return sign | (f.is_nan(quotient) ? f.infinity() : f.magnitude(quotient));
}

/// 2/pi to the 1201 bits that the manual names, as a fraction.
struct TwoOverPi : Real {
  TwoOverPi() : Real(1400) {
    mpfr_const_pi(value, MPFR_RNDN);
    mpfr_ui_div(value, 2, value, MPFR_RNDN);
    mpfr_mul_2si(value, value, 1201, MPFR_RNDN);
    mpfr_floor(value, value);
    mpfr_mul_2si(value, value, -1201, MPFR_RNDN);
  }
};

/// 53 bits from `shift` on, toward zero.
uint64_t segment(Numbers& n, uint64_t x, unsigned select) {
  const auto exponent = static_cast<long>(field(n.f, x));
  const long shift = 53L * select + std::max(exponent - 1077, 0L);
  const long scale = exponent >= 1968 ? 128 : 0;
  static const TwoOverPi two_over_pi;
  Real part(1400);
  mpfr_mul_2si(part.value, two_over_pi.value, shift, MPFR_RNDN);
  mpfr_frac(part.value, part.value, MPFR_RNDN);
  mpfr_mul_2si(part.value, part.value, 53, MPFR_RNDN);
  mpfr_floor(part.value, part.value);
  mpfr_mul_2si(part.value, part.value, scale - 53 - shift, MPFR_RNDN);
  return n.rounded(3, [&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, part.value, d); });
}

/// A number as a whole one of 8 bits, rounded as MODE says; a NaN and what lies outside are
/// invalid.
uint64_t byte_of(Numbers& n, uint64_t x) {
  if (n.f.is_nan(x)) {
    n.flags |= kInvalid;
    return 0;
  }
  const Real number(n.f, x);
  Real whole(300);
  if (n.round == 0) {
    mpfr_roundeven(whole.value, number.value);
  } else {
    mpfr_rint(whole.value, number.value, n.direction());
  }
  if (mpfr_cmp_si(whole.value, 0) < 0 || mpfr_cmp_si(whole.value, 255) > 0) {
    n.flags |= kInvalid;
    return mpfr_signbit(whole.value) != 0 ? 0 : 255;
  }
  if (!mpfr_equal_p(whole.value, number.value)) n.flags |= kInexact;
  return mpfr_get_ui(whole.value, MPFR_RNDN);
}

/// The shader engines that a rectangle of tiles covers. Tiles count modulo 4; three or more apart
/// there is none that is not covered.
unsigned partition(unsigned select) {
  const unsigned x_low = select >> 6 & 3, y_low = select >> 4 & 3, x_high = select >> 2 & 3,
                 y_high = select & 3;
  unsigned engines = 0;
  for (unsigned i = 0; i <= ((x_high - x_low) & 3); ++i) {
    for (unsigned j = 0; j <= ((y_high - y_low) & 3); ++j) {
      const unsigned x = x_low + i, y = y_low + j;
      const bool high = bit(x, 0) != bit(y, 1), low = bit(y, 0) != bit(x, 1);
      engines |= 1u << ((high ? 2 : 0) + (low ? 1 : 0));
    }
  }
  return engines;
}

}  // namespace

std::optional<Expected> division(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  const bool scales = name == "v_div_scale_f64", fuses = name == "v_div_fmas_f64";
  const bool half = name == "v_div_fixup_f16" || name == "v_div_fixup_legacy_f16";
  if (!scales && !fuses && !half && name != "v_div_fixup_f64") return std::nullopt;
  const Format& f = half ? kHalf : kDouble;
  Numbers n = numbers(f, q.mode);
  if (fuses) n.flush_in = false;
  uint64_t x[3] = {};
  for (unsigned s = 0; s < 3; ++s) x[s] = n.take(source(f, row, q, l.src[s], s));
  Expected e;
  uint64_t result = 0;
  if (scales) {
    e.has_mask = true;
    if (f.is_zero(x[1]) || f.is_zero(x[2])) {
      e.mask = true;
      result = f.default_nan();
    } else {
      const Scaling by = scaling(f, x[0], x[1], x[2]);
      e.mask = by.mask;
      result = by.power == 0 ? x[0] : scaled(n, x[0], by.power);
    }
  } else if (fuses) {
    const long power = !l.mask ? 0 : field(f, x[2]) > 1023 ? 128 : -128;
    result = n.fma(x[0], x[1], x[2]);
    // One rounding: where something is scaled, that of the scaled sum.
    const bool number = !f.is_nan(x[0]) && !f.is_nan(x[1]) && !f.is_nan(x[2]) &&
                        !f.is_infinite(x[0]) && !f.is_infinite(x[1]) && !f.is_infinite(x[2]);
    if (power != 0 && number) {
      n.flags &= ~(kOverflow | kUnderflow | kInexact);
      const Real a(f, x[0]), b(f, x[1]), c(f, x[2]);
      result = n.rounded([&](mpfr_t r, mpfr_rnd_t d) {
        const int ternary = mpfr_fma(r, a.value, b.value, c.value, d);
        mpfr_mul_2si(r, r, power, MPFR_RNDN);
        return ternary;
      });
    }
  } else {
    result = fixed(n, x[0], x[1], x[2]);
  }
  result = n.output(result, q.modifiers.omod, q.modifiers.clamp);
  e.dst = half ? placed(row, q, result, l.old) : result;
  e.flags = n.flags;
  return e;
}

std::optional<Expected> bytes(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  Expected e;
  if (name == "v_screen_partition_4se_b32") {
    e.dst = partition(static_cast<unsigned>(l.src[0] & 0xff));
    return e;
  }
  if (name == "v_trig_preop_f64") {
    Numbers n = numbers(kDouble, q.mode);
    // Its exponent alone takes part: no number is used, so none is told to be subnormal.
    const uint64_t x = source(kDouble, row, q, l.src[0], 0);
    const uint64_t result = segment(n, x, static_cast<unsigned>(l.src[1] & 31));
    e.dst = n.output(result, q.modifiers.omod, q.modifiers.clamp);
    e.flags = n.flags;
    return e;
  }
  const bool accumulates = name == "v_cvt_pkaccum_u8_f32";
  if (!accumulates && name != "v_cvt_pk_u8_f32") return std::nullopt;
  Numbers n = numbers(kSingle, q.mode);
  const uint64_t byte = byte_of(n, n.take(source(kSingle, row, q, l.src[0], 0)));
  const auto at = static_cast<unsigned>(8 * (l.src[1] & 3));
  const uint64_t others = (accumulates ? l.old : l.src[2]) & 0xffffffff & ~(uint64_t{0xff} << at);
  e.dst = others | byte << at;
  e.flags = n.flags;
  return e;
}

}  // namespace cuvette::valu_manual
