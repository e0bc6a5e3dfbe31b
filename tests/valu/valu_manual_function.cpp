// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>
#include <vector>

#include "valu_manual_parts.h"

// V_EXP, V_LOG, V_SIN, V_COS: the algorithms of transcendentals.md a second time, from that
// page alone, in plain integers; the tables from MPFR. Every result is held against the exact
// function.
namespace cuvette::valu_manual {
namespace {

enum class Function { Exp, Log, Sin, Cos };
using Wide = __int128;

constexpr int kUnit = 36;  // coefficients, arguments and values count units of 2^-36

using Exact = void (*)(mpfr_t out, mpfr_t x);

/// sin(2 pi q), q not 0.
void sine_over_turns(mpfr_t out, mpfr_t q) {
  mpfr_sinu(out, q, 1, MPFR_RNDN);
  mpfr_div(out, out, q, MPFR_RNDN);
}

void log_over_distance(mpfr_t out, mpfr_t t) {
  Real x;
  mpfr_add_ui(x.value, t, 1, MPFR_RNDN);
  mpfr_log2(out, x.value, MPFR_RNDN);
  mpfr_div(out, out, t, MPFR_RNDN);
}

void power_of_two(mpfr_t out, mpfr_t f) {
  mpfr_exp2(out, f, MPFR_RNDN);
}

/// Cubics by segment, coefficients c0 to c3.
struct Table {
  /// Segment i begins at first + i, in units of 2^-width.
  Table(Exact function, int first, unsigned segments, int width) {
    // Chebyshev's nodes of [0, 1]: (1 - cos((2k + 1) pi / 8)) / 2.
    std::array<Real, 4> node;
    for (unsigned k = 0; k < 4; ++k) {
      mpfr_set_ui(node[k].value, 2 * k + 1, MPFR_RNDN);
      mpfr_cosu(node[k].value, node[k].value, 16, MPFR_RNDN);
      mpfr_ui_sub(node[k].value, 1, node[k].value, MPFR_RNDN);
      mpfr_div_ui(node[k].value, node[k].value, 2, MPFR_RNDN);
    }
    for (unsigned i = 0; i < segments; ++i) {
      std::array<Real, 4> difference;
      Real x, step;
      for (unsigned k = 0; k < 4; ++k) {
        mpfr_add_si(x.value, node[k].value, first + static_cast<int>(i), MPFR_RNDN);
        mpfr_mul_2si(x.value, x.value, -width, MPFR_RNDN);
        function(difference[k].value, x.value);
      }
      // Newton's divided differences, then his form multiplied out from the innermost bracket.
      for (unsigned order = 1; order < 4; ++order) {
        for (unsigned k = 3; k >= order; --k) {
          mpfr_sub(x.value, difference[k].value, difference[k - 1].value, MPFR_RNDN);
          mpfr_sub(step.value, node[k].value, node[k - order].value, MPFR_RNDN);
          mpfr_div(difference[k].value, x.value, step.value, MPFR_RNDN);
        }
      }
      std::array<Real, 4> c;
      for (Real& each : c) mpfr_set_zero(each.value, 1);
      for (unsigned k = 4; k-- > 0;) {
        for (unsigned power = 4; power-- > 0;) {
          mpfr_mul(x.value, c[power].value, node[k].value, MPFR_RNDN);
          mpfr_neg(c[power].value, x.value, MPFR_RNDN);
          if (power > 0) {
            mpfr_add(c[power].value, c[power].value, c[power - 1].value, MPFR_RNDN);
          } else {
            mpfr_add(c[0].value, c[0].value, difference[k].value, MPFR_RNDN);
          }
        }
      }
      std::array<int64_t, 4> units{};
      for (unsigned power = 0; power < 4; ++power) {
        mpfr_mul_2si(x.value, c[power].value, kUnit, MPFR_RNDN);
        units[power] = mpfr_get_sj(x.value, MPFR_RNDN);
      }
      cubics.push_back(units);
    }
  }

  /// `d` in units of 2^-30. Products are cut toward minus infinity.
  Wide at(uint64_t segment, uint64_t d) const {
    const std::array<int64_t, 4>& c = cubics.at(segment);
    Wide v = c[3];
    for (unsigned power = 3; power-- > 0;) v = c[power] + (v * static_cast<Wide>(d) >> 30);
    return v;
  }

  std::vector<std::array<int64_t, 4>> cubics;
};

/// A number taken apart: significand * 2^exponent, significand with its highest bit at
/// `fraction_bits`.
struct Parts {
  uint64_t significand;
  int exponent;
};

Parts parts_of(const Format& f, uint64_t x) {
  uint64_t significand = f.magnitude(x) & (f.smallest_normal() - 1);
  int field = static_cast<int>(f.magnitude(x) >> f.fraction_bits);
  if (field != 0) {
    significand |= f.smallest_normal();
  } else {
    field = 1;
    while (significand < f.smallest_normal()) {
      significand <<= 1;
      --field;
    }
  }
  return {significand, field - f.bias() - static_cast<int>(f.fraction_bits)};
}

/// |x| in units of 2^-36, cut; whether something was.
uint64_t in_units(const Parts& x, bool& cut) {
  const int shift = x.exponent + kUnit;
  cut = false;
  if (shift >= 0) return x.significand << shift;
  if (shift <= -64) {
    cut = true;
    return 0;
  }
  cut = (x.significand & ((uint64_t{1} << -shift) - 1)) != 0;
  return x.significand >> -shift;
}

/// value * 2^exponent, rounded once to nearest even; a sticky bit below it when it is not exact.
uint64_t to_nearest(Numbers& n, Wide value, int exponent, bool sticky) {
  const bool negative = value < 0;
  const auto magnitude = static_cast<unsigned __int128>(negative ? -value : value);
  Real x;
  mpfr_set_uj_2exp(x.value, static_cast<uint64_t>(magnitude >> 64), 64, MPFR_RNDN);
  Real low;
  mpfr_set_uj(low.value, static_cast<uint64_t>(magnitude), MPFR_RNDN);
  mpfr_add(x.value, x.value, low.value, MPFR_RNDN);
  if (sticky) mpfr_add_d(x.value, x.value, 0.5, MPFR_RNDN);
  mpfr_mul_2si(x.value, x.value, exponent, MPFR_RNDN);
  if (negative) mpfr_neg(x.value, x.value, MPFR_RNDN);
  return n.rounded(0, [&](mpfr_t r, mpfr_rnd_t d) { return mpfr_set(r, x.value, d); });
}

uint64_t exp_of(Numbers& n, uint64_t x) {
  static const Table table(power_of_two, 0, 64, 6);
  const Format& f = n.f;
  if (f.is_infinite(x)) return f.negative(x) ? 0 : f.infinity();
  if (f.is_zero(x)) return f.one();
  const Parts parts = parts_of(f, x);
  const bool beyond = parts.exponent + static_cast<int>(f.fraction_bits) >= 9;
  if (beyond) return to_nearest(n, 1, f.negative(x) ? -1000 : 1000, true);
  bool cut = false;
  const auto magnitude = static_cast<int64_t>(in_units(parts, cut));
  const int64_t units = f.negative(x) ? -magnitude : magnitude;
  const auto whole = static_cast<int>(units >> kUnit);
  const uint64_t fraction = static_cast<uint64_t>(units) & ((uint64_t{1} << kUnit) - 1);
  if (fraction == 0 && !cut) return to_nearest(n, 1, whole, false);
  return to_nearest(n, table.at(fraction >> 30, fraction & 0x3fffffff), whole - kUnit, true);
}

uint64_t log_of(Numbers& n, uint64_t x) {
  static const Table table(log_over_distance, -16, 48, 6);
  const Format& f = n.f;
  if (f.is_zero(x)) {
    n.flags |= kDivideByZero;
    return f.sign() | f.infinity();
  }
  if (f.negative(x)) return n.invalid() | f.sign();
  if (f.is_infinite(x)) return x;
  const Parts parts = parts_of(f, x);
  int e = parts.exponent + static_cast<int>(f.fraction_bits);
  // 1 + t in units of 2^-24, in [3/4, 3/2).
  auto one_and_t = static_cast<int64_t>(parts.significand << (24 - f.fraction_bits));
  if (one_and_t >= 3 << 23) {
    one_and_t >>= 1;
    ++e;
  }
  const int64_t t = one_and_t - (1 << 24);
  if (t == 0) return e == 0 ? 0 : to_nearest(n, e, 0, false);
  const auto from_low = static_cast<uint64_t>(t + (1 << 22));
  const Wide g = table.at(from_low >> 18, (from_low & 0x3ffff) << 12);
  const Wide product = g * t;  // units of 2^-60
  if (e == 0) return to_nearest(n, product, -60, true);
  return to_nearest(n, (static_cast<Wide>(e) << 40) + (product >> 20), -40, true);
}

uint64_t sin_of(Numbers& n, uint64_t x, bool cosine) {
  static const Table table(sine_over_turns, 0, 64, 8);
  const Format& f = n.f;
  if (f.is_infinite(x)) return n.invalid() | f.sign();
  if (f.is_zero(x)) return cosine ? f.one() : x;
  const Parts parts = parts_of(f, x);
  const int top = parts.exponent + static_cast<int>(f.fraction_bits);
  const bool beyond = top > 8 || (top == 8 && parts.significand != f.smallest_normal());
  if (beyond) return cosine ? f.one() : 0;
  constexpr uint64_t kTurn = uint64_t{1} << kUnit;
  bool cut = false;
  uint64_t turns = in_units(parts, cut) % kTurn;
  if (cosine) turns = (turns + kTurn / 4) % kTurn;
  const bool negative = (turns >= kTurn / 2) != (!cosine && f.negative(x));
  uint64_t q = turns % (kTurn / 2);
  if (q > kTurn / 4) q = kTurn / 2 - q;
  const Wide sign = negative ? -1 : 1;
  const bool small_sine = !cosine && top < -13;
  if (q == 0 && !small_sine) return 0;
  if (q == kTurn / 4) {
    if (cut) n.flags |= kInexact;
    return f.one() | (negative ? f.sign() : 0);
  }
  const Wide s = table.at(q >> 28, (q & 0xfffffff) << 2);
  if (small_sine) {
    return to_nearest(n, sign * s * static_cast<Wide>(parts.significand), parts.exponent - kUnit,
                      true);
  }
  return to_nearest(n, sign * s * static_cast<Wide>(q), -2 * kUnit, true);
}

/// The exact function of a finite number inside the domain.
int exact(Function function, mpfr_t out, mpfr_t x, mpfr_rnd_t d) {
  if (function == Function::Log) return mpfr_log2(out, x, d);
  if (function == Function::Sin) return mpfr_sinu(out, x, 1, d);
  if (function == Function::Cos) return mpfr_cosu(out, x, 1, d);
  return mpfr_exp2(out, x, d);
}

/// True if a result is the nearest number to the exact function, or one beside it (Vega ISA: one
/// unit in the last place for F32; F16: the nearest).
bool is_near(Function function, Numbers n, uint64_t x, uint64_t result) {
  const Format& f = n.f;
  if (f.is_nan(x) || f.is_infinite(x) || f.is_zero(x)) return true;
  const Parts parts = parts_of(f, x);
  if (f.is_nan(result)) return function == Function::Log && f.negative(x);
  if (parts.exponent + static_cast<int>(f.fraction_bits) >= 8) {
    if (function == Function::Exp)
      return result == (f.negative(x) ? 0 : f.infinity()) || result == f.largest();
    if (function != Function::Log) return true;
  }
  Real number;
  set(number.value, f, x);
  n.round = 0;
  const uint64_t nearest =
      n.rounded([&](mpfr_t r, mpfr_rnd_t d) { return exact(function, r, number.value, d); });
  if (f.is_zero(nearest) || f.negative(nearest) != f.negative(result)) {
    return f.is_zero(nearest) && f.is_zero(result);
  }
  const uint64_t apart = nearest > result ? nearest - result : result - nearest;
  return apart <= (f.exponent_bits == kHalf.exponent_bits ? 0u : 1u);
}

}  // namespace

std::optional<Expected> functions(const isa::Row& row, const valu::Request& q, const Lane& l) {
  const std::string name(row.mnemonic);
  const std::string stem = name.substr(0, 5);
  const Function function = stem == "v_exp"   ? Function::Exp
                            : stem == "v_log" ? Function::Log
                            : stem == "v_sin" ? Function::Sin
                                              : Function::Cos;
  if (function == Function::Cos && stem != "v_cos") return std::nullopt;
  const Format& f = name.substr(name.size() - 3) == "f16" ? kHalf : kSingle;
  Numbers n = numbers(f, q.mode);
  const bool turns = function == Function::Sin || function == Function::Cos;
  if (&f == &kSingle && !turns) n.flush_in = n.flush_out = true;
  const uint64_t x = n.take(source(f, row, q, l.src[0], 0));
  uint64_t result = 0;
  if (!n.nan({x}, result)) {
    result = function == Function::Exp   ? exp_of(n, x)
             : function == Function::Log ? log_of(n, x)
                                         : sin_of(n, x, function == Function::Cos);
    if (!is_near(function, n, x, result)) {
      throw std::logic_error(name + " of " + std::to_string(x) + " is outside the manual's bound");
    }
  }
  Expected e;
  result = n.output(result, q.modifiers.omod, q.modifiers.clamp);
  e.dst = &f == &kHalf ? placed(row, q, result, l.old) : result;
  e.flags = n.flags;
  return e;
}

}  // namespace cuvette::valu_manual
