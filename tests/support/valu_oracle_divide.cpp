// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu_oracle_parts.h"

// Reciprocals, roots and the steps of a division from MPFR with more bits than any exact result
// has.
namespace cuvette::valu_oracle {
namespace {

class Number {
 public:
  Number() { mpfr_init2(v_, 1200); }
  ~Number() { mpfr_clear(v_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return v_; }

 private:
  mpfr_t v_;
};

/// `v`, not zero, as binary32 with one rounding.
Rounded rounded_once(mpfr_ptr v, unsigned round, bool flush) {
  static Number full, r;
  const bool negative = mpfr_signbit(v) != 0;
  const uint32_t sign = negative ? kSign : 0;
  const mpfr_rnd_t mode = mpfr_round_of(round);
  mpfr_set_prec(full.get(), 24);
  mpfr_set(full.get(), v, mode);
  const bool tiny = mpfr_get_exp(full.get()) <= -126;
  if (tiny && flush) return {sign, kUnderflow | kInexact};
  const long quantum = std::max<long>(static_cast<long>(mpfr_get_exp(v)) - 24, -149);
  mpfr_mul_2si(r.get(), v, -quantum, MPFR_RNDN);
  mpfr_rint(r.get(), r.get(), mode);
  mpfr_mul_2si(r.get(), r.get(), quantum, MPFR_RNDN);
  const bool inexact = mpfr_equal_p(r.get(), v) == 0;
  if (mpfr_zero_p(r.get()) == 0 && mpfr_get_exp(r.get()) > 128) {
    const bool away = round == 0 || round == (negative ? 2u : 1u);
    return {sign | (away ? 0x7f800000 : 0x7f7fffff), kOverflow | kInexact};
  }
  const uint32_t magnitude = as_bits(mpfr_get_flt(r.get(), MPFR_RNDN)) & ~kSign;
  return {sign | magnitude, (inexact ? kInexact : 0u) | (inexact && tiny ? kUnderflow : 0u)};
}

uint32_t quiet(uint32_t x) {
  return x | 0x00400000;
}
unsigned field(uint32_t x) {
  return x >> 23 & 255;
}
bool is_infinite(uint32_t x) {
  return (x & ~kSign) == 0x7f800000;
}
bool is_zero(uint32_t x) {
  return (x & ~kSign) == 0;
}

/// Nearest even, subnormals flushed on both sides.
Rounded machine(const std::string& name, uint32_t x) {
  static Number v;
  if (is_subnormal(x)) x &= kSign;
  const bool root = name == "v_sqrt_f32";
  if (is_nan(x)) return {quiet(x), is_signaling(x) ? unsigned{kInvalid} : 0u};
  if (is_zero(x)) {
    if (root) return {x, 0};
    return {x | 0x7f800000, kDivideByZero};
  }
  if (name.rfind("v_rcp", 0) != 0 && (x & kSign) != 0) return {0xffc00000, kInvalid};
  if (is_infinite(x)) return {root ? x : x & kSign, 0};
  mpfr_set_flt(v.get(), as_float(x), MPFR_RNDN);
  if (root) {
    mpfr_sqrt(v.get(), v.get(), MPFR_RNDN);
  } else if (name == "v_rsq_f32") {
    mpfr_rec_sqrt(v.get(), v.get(), MPFR_RNDN);
  } else {
    mpfr_ui_div(v.get(), 1, v.get(), MPFR_RNDN);
  }
  return rounded_once(v.get(), 0, true);
}

/// (a * b + c) * 2^power.
Rounded scaled_fma(uint32_t a, uint32_t b, uint32_t c, int power, unsigned round, bool flush) {
  static Number x, y, z;
  const float plain = std::fma(as_float(a), as_float(b), as_float(c));
  for (uint32_t n : {a, b, c}) {
    if (is_nan(n)) {
      const bool bad = is_signaling(a) || is_signaling(b) || is_signaling(c);
      return {quiet(n), bad ? unsigned{kInvalid} : 0u};
    }
  }
  if (std::isnan(plain)) return {kDefaultNan, kInvalid};
  if (is_infinite(a) || is_infinite(b) || is_infinite(c)) return {as_bits(plain), 0};
  mpfr_set_flt(x.get(), as_float(a), MPFR_RNDN);
  mpfr_set_flt(y.get(), as_float(b), MPFR_RNDN);
  mpfr_set_flt(z.get(), as_float(c), MPFR_RNDN);
  mpfr_fma(x.get(), x.get(), y.get(), z.get(), MPFR_RNDN);
  if (mpfr_zero_p(x.get()) != 0) {
    return {host_fma(as_float(a), as_float(b), as_float(c), round).bits, 0};
  }
  mpfr_mul_2si(x.get(), x.get(), power, MPFR_RNDN);
  return rounded_once(x.get(), round, flush);
}

/// True if |num / den| < 2^-126; the product below is exact in binary64.
bool quotient_is_tiny(uint32_t num, uint32_t den) {
  const double a = std::fabs(double{as_float(num)});
  const double b = std::fabs(double{as_float(den)});
  return !std::isinf(b) && a < b * 0x1p-126;
}

/// Branches of the pseudo-code with the corrections of decisions.md D3.
uint32_t scale(Float& f, const Sources& in, bool& mask) {
  const uint32_t s0 = f.modified(in.word(0), 0);
  const uint32_t s1 = f.modified(in.word(1), 1);
  const uint32_t s2 = f.modified(in.word(2), 2);
  const uint32_t x = f.take(s0), den = f.take(s1), num = f.take(s2);
  const auto times = [&](int power) {
    if (is_infinite(x) || is_zero(x)) return x;
    const Rounded r = scaled_fma(x, kOne, x & kSign, power, f.s.round, f.flush_out);
    f.flags |= r.flags;
    return r.bits;
  };
  mask = true;
  if (is_zero(num) || is_zero(den)) return kDefaultNan;
  if (field(num) >= field(den) + 96) return s0 == s1 ? times(64) : x;
  mask = false;
  if (is_subnormal(den)) return times(64);
  const bool tiny_reciprocal = quotient_is_tiny(kOne, den);
  const bool tiny_quotient = quotient_is_tiny(num, den);
  mask = tiny_quotient;
  if (tiny_reciprocal && tiny_quotient) return s0 == s1 ? times(-64) : x;
  if (tiny_reciprocal) return times(-64);
  if (tiny_quotient) return s0 == s2 ? times(64) : x;
  return field(num) <= 23 ? times(64) : x;
}

uint32_t fixup(Float& f, const Sources& in) {
  const uint32_t quotient = f.take(f.modified(in.word(0), 0));
  const uint32_t den = f.take(f.modified(in.word(1), 1));
  const uint32_t num = f.take(f.modified(in.word(2), 2));
  uint32_t r = 0;
  if (f.nan({num, den}, r)) return r;
  const uint32_t sign = (den ^ num) & kSign;
  const float q = as_float(num & ~kSign) / as_float(den & ~kSign);
  if (std::isnan(q)) {
    f.flags |= kInvalid;
    return 0xffc00000;
  }
  if (is_infinite(num)) return sign | 0x7f800000;
  if (is_zero(den)) {
    f.flags |= kDivideByZero;
    return sign | 0x7f800000;
  }
  if (is_infinite(den) || is_zero(num)) return sign;
  if (field(num) + 150 < field(den)) {
    static Number tiny;
    mpfr_set_ui_2exp(tiny.get(), 1, -200, MPFR_RNDN);
    mpfr_setsign(tiny.get(), tiny.get(), sign != 0, MPFR_RNDN);
    const Rounded least = rounded_once(tiny.get(), f.s.round, f.flush_out);
    f.flags |= least.flags;
    return least.bits;
  }
  return sign | (is_nan(quotient) ? 0x7f800000 : quotient & ~kSign);
}

}  // namespace

bool divide(const std::string& name, const Settings& s, const Sources& in, Expected& out) {
  Float f(s, false);
  uint32_t r = 0;
  if (name == "v_rcp_f32" || name == "v_rcp_iflag_f32" || name == "v_sqrt_f32" ||
      name == "v_rsq_f32") {
    const uint32_t x = f.modified(in.word(0), 0);
    const Rounded m = machine(name, x);
    r = m.bits;
    f.flags = m.flags;
    if (name == "v_rcp_iflag_f32") f.flags = field(x) == 0 ? unsigned{kIntDivideByZero} : 0u;
  } else if (name == "v_div_scale_f32") {
    out.has_mask = true;
    r = scale(f, in, out.mask);
  } else if (name == "v_div_fmas_f32") {
    f.flush_in = false;
    const uint32_t a = f.take(f.modified(in.word(0), 0));
    const uint32_t b = f.take(f.modified(in.word(1), 1));
    const uint32_t c = f.take(f.modified(in.word(2), 2));
    const int power = !in.mask ? 0 : field(c) > 127 ? 64 : -64;
    const Rounded sum = scaled_fma(a, b, c, power, s.round, f.flush_out);
    r = sum.bits;
    f.flags |= sum.flags;
  } else if (name == "v_div_fixup_f32") {
    r = fixup(f, in);
  } else {
    return false;
  }
  out.dst = f.output(r);
  out.flags = f.flags;
  return true;
}

}  // namespace cuvette::valu_oracle
