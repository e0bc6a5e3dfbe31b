// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <vector>

#include <mpfr.h>

#include "valu_oracle.h"

// Helpers shared by the files of the oracle.
namespace cuvette::valu_oracle {

enum : unsigned {
  kInvalid = 1,
  kDenormal = 2,
  kDivideByZero = 4,
  kOverflow = 8,
  kUnderflow = 16,
  kInexact = 32,
  kIntDivideByZero = 64
};
constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kDefaultNan = 0x7fc00000;
constexpr uint32_t kOne = 0x3f800000;

inline bool is_nan(uint32_t x) {
  return (x & ~kSign) > 0x7f800000;
}
inline bool is_signaling(uint32_t x) {
  return is_nan(x) && (x & 0x00400000) == 0;
}
inline bool is_subnormal(uint32_t x) {
  return (x & 0x7f800000) == 0 && (x & 0x007fffff) != 0;
}
inline float as_float(uint32_t x) {
  return std::bit_cast<float>(x);
}
inline uint32_t as_bits(float x) {
  return std::bit_cast<uint32_t>(x);
}

struct Rounded {
  uint32_t bits = 0;
  unsigned flags = 0;
};

inline int host_round(unsigned round) {
  constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  return kModes[round];
}
inline mpfr_rnd_t mpfr_round_of(unsigned round) {
  constexpr mpfr_rnd_t kModes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
  return kModes[round];
}

/// x * y + z on the host: one rounding, results kept when subnormal.
inline Rounded host_fma(float x, float y, float z, unsigned round) {
  std::fesetround(host_round(round));
  std::feclearexcept(FE_ALL_EXCEPT);
  volatile float a = x, b = y, c = z;
  const volatile float r = std::fma(a, b, c);
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_TONEAREST);
  Rounded out{as_bits(r), 0};
  if ((raised & FE_OVERFLOW) != 0) out.flags |= kOverflow;
  if ((raised & FE_UNDERFLOW) != 0) out.flags |= kUnderflow;
  if ((raised & FE_INEXACT) != 0) out.flags |= kInexact;
  return out;
}

/// x * y + z by MPFR with an unbounded exponent; a tiny result becomes a zero of its sign.
inline Rounded flushed_fma(float x, float y, float z, unsigned round) {
  static mpfr_t a, b, c, r;
  static const bool ready = [] {
    for (auto* v : {a, b, c, r}) mpfr_init2(v, 24);
    return true;
  }();
  static_cast<void>(ready);
  mpfr_set_flt(a, x, MPFR_RNDN);
  mpfr_set_flt(b, y, MPFR_RNDN);
  mpfr_set_flt(c, z, MPFR_RNDN);
  const int ternary = mpfr_fma(r, a, b, c, mpfr_round_of(round));
  const bool negative = mpfr_signbit(r) != 0;
  const uint32_t sign = negative ? kSign : 0;
  if (mpfr_zero_p(r) != 0 || mpfr_inf_p(r) != 0) return {as_bits(mpfr_get_flt(r, MPFR_RNDN)), 0};
  if (mpfr_get_exp(r) <= -126) return {sign, kUnderflow | kInexact};  // |r| < 2^-126
  if (mpfr_get_exp(r) > 128) {
    const bool away = round == 0 || round == (negative ? 2u : 1u);
    return {sign | (away ? 0x7f800000 : 0x7f7fffff), kOverflow | kInexact};
  }
  return {as_bits(mpfr_get_flt(r, MPFR_RNDN)), ternary != 0 ? unsigned{kInexact} : 0u};
}

/// Operands and environment of one float instruction.
struct Float {
  const Settings& s;
  bool flush_in, flush_out;
  unsigned flags = 0;

  Float(const Settings& settings, bool always_flush)
      : s(settings),
        flush_in(always_flush || (settings.denorm & 1) == 0),
        flush_out(always_flush || (settings.denorm & 2) == 0) {}

  uint32_t modified(uint32_t x, unsigned index) const {
    if ((s.abs >> index & 1) != 0) x &= ~kSign;
    if ((s.neg >> index & 1) != 0) x ^= kSign;
    return x;
  }
  uint32_t take(uint32_t x) {
    if (!is_subnormal(x)) return x;
    if (flush_in) return x & kSign;
    flags |= kDenormal;
    return x;
  }
  Rounded fma(float x, float y, float z) const {
    return flush_out ? flushed_fma(x, y, z, s.round) : host_fma(x, y, z, s.round);
  }
  /// The first NaN quieted, if there is one.
  bool nan(const std::vector<uint32_t>& operands, uint32_t& result) {
    bool found = false;
    for (uint32_t x : operands) {
      if (is_signaling(x)) flags |= kInvalid;
      if (is_nan(x) && !found) {
        found = true;
        result = x | 0x00400000;
      }
    }
    return found;
  }
  /// x * y + z for numbers and infinities.
  uint32_t rounded(uint32_t x, uint32_t y, uint32_t z) {
    const float exact_class = std::fma(as_float(x), as_float(y), as_float(z));
    if (std::isnan(exact_class)) {
      flags |= kInvalid;
      return kDefaultNan;
    }
    const Rounded r = fma(as_float(x), as_float(y), as_float(z));
    flags |= r.flags;
    return r.bits;
  }
  uint32_t output(uint32_t x) {
    if (s.omod != 0 && (s.denorm & 2) == 0 && !s.ieee && !is_nan(x)) {
      const float factor = s.omod == 1 ? 2.0f : s.omod == 2 ? 4.0f : 0.5f;
      const Rounded r = fma(as_float(x), factor, as_float(x & kSign));
      flags |= r.flags;
      x = (r.bits & ~kSign) == 0 ? 0 : r.bits;
    }
    if (s.clamp) {
      if (is_nan(x)) return s.dx10_clamp ? 0 : x;
      const float v = as_float(x);
      if (v > 1.0f) return as_bits(1.0f);
      if (!(v > 0.0f)) return 0;
    }
    return x;
  }
};

/// Each false when the mnemonic is not of its family.
bool divide(const std::string& name, const Settings& s, const Sources& in, Expected& out);
bool bytes(const std::string& name, const Settings& s, const Sources& in, Expected& out);

}  // namespace cuvette::valu_oracle
