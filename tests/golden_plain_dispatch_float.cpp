// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_float.h"

#include <bit>
#include <cmath>
#include <limits>

namespace cuvette::golden::plain {
namespace {

using hsa::FloatDenorm;
using hsa::FloatRound;

constexpr uint32_t kSign = 0x80000000, kInfinity = 0x7f800000, kQuiet = 0x00400000,
                   kDefaultNan = 0x7fc00000;

bool is_nan(uint32_t x) {
  return (x & ~kSign) > kInfinity;
}
bool is_signaling(uint32_t x) {
  return is_nan(x) && (x & kQuiet) == 0;
}
bool is_subnormal(uint32_t x) {
  return (x & kInfinity) == 0 && (x & ~kSign) != 0;
}
double value_of(uint32_t x) {
  return static_cast<double>(std::bit_cast<float>(x));
}

/// x + y rounded to odd: what is lost of it stays visible in the last bit, so that rounding this to
/// F32 is rounding the sum, whatever the mode.
double odd_sum(double x, double y, FloatRound round) {
  const double sum = x + y;
  if (sum == 0 && std::signbit(x) != std::signbit(y)) {
    return round == FloatRound::MinusInfinity ? -0.0 : 0.0;
  }
  if (sum == 0 || !std::isfinite(sum)) return sum;
  const double part = sum - x;
  const double lost = (x - (sum - part)) + (y - part);
  if (lost == 0 || (std::bit_cast<uint64_t>(sum) & 1) != 0) return sum;
  return std::nextafter(sum, lost > 0 ? HUGE_VAL : -HUGE_VAL);
}

float rounded(double exact, FloatRound round) {
  const auto nearest = static_cast<float>(exact);
  const auto back = static_cast<double>(nearest);
  constexpr float kAll = std::numeric_limits<float>::infinity();
  const bool up = round == FloatRound::PlusInfinity || (round == FloatRound::Zero && exact < 0);
  const bool down = round == FloatRound::MinusInfinity || (round == FloatRound::Zero && exact > 0);
  if (up && back < exact) return std::nextafter(nearest, kAll);
  if (down && back > exact) return std::nextafter(nearest, -kAll);
  return nearest;
}

bool is_tiny(double exact, FloatRound round) {
  if (exact == 0 || std::abs(exact) >= 0x1p-120) return false;
  return std::abs(rounded(exact * 0x1p64, round)) < 0x1p-62f;
}

struct Rules {
  FloatRound round;
  bool flush_in, flush_out;
};

uint32_t finished(double exact, const Rules& rules) {
  if (std::isnan(exact)) return kDefaultNan;
  if (rules.flush_out && is_tiny(exact, rules.round)) return std::signbit(exact) ? kSign : 0;
  return std::bit_cast<uint32_t>(rounded(exact, rules.round));
}

uint32_t larger(uint32_t a, uint32_t b, const Rules& rules, bool ieee) {
  if (ieee && is_signaling(a)) return a | kQuiet;
  if (ieee && is_signaling(b)) return b | kQuiet;
  uint32_t best = b;
  if (is_nan(a) && is_nan(b)) return b;
  if (is_nan(b)) {
    best = a;
  } else if (!is_nan(a)) {
    const double x = value_of(a), y = value_of(b);
    const bool first = x == y ? !std::signbit(x) : x > y;
    best = first ? a : b;
  }
  return rules.flush_out && is_subnormal(best) ? best & kSign : best;
}

}  // namespace

uint32_t evaluate_float(What what, uint32_t a, uint32_t b, uint32_t c, const FloatModes& modes) {
  const bool third = what == What::MacF || what == What::FmacF || what == What::FmaF;
  // V_MAC_F32 flushes whatever the mode says.
  const bool all = what == What::MacF || modes.denorm == FloatDenorm::FlushSrcDst;
  const Rules rules{modes.round, all || modes.denorm == FloatDenorm::FlushSrc,
                    all || modes.denorm == FloatDenorm::FlushDst};
  uint32_t* const sources[] = {&a, &b, &c};
  for (uint32_t* x : sources) {
    if (rules.flush_in && is_subnormal(*x)) *x &= kSign;
  }
  if (what == What::MaxF) return larger(a, b, rules, modes.ieee);
  for (unsigned n = 0; n < (third ? 3 : 2); ++n) {
    if (is_nan(*sources[n])) return *sources[n] | kQuiet;
  }
  const double x = value_of(a), y = value_of(b), z = value_of(c);
  switch (what) {
    case What::AddF:
      return finished(odd_sum(x, y, rules.round), rules);
    case What::SubF:
      return finished(odd_sum(x, -y, rules.round), rules);
    case What::MulF:
      return finished(x * y, rules);
    case What::MacF: {
      const uint32_t product = finished(x * y, rules);
      if (is_nan(product)) return product;
      return finished(odd_sum(value_of(product), z, rules.round), rules);
    }
    default:
      return finished(odd_sum(x * y, z, rules.round), rules);
  }
}

uint32_t clamped(uint32_t result, const FloatModes& modes) {
  if (is_nan(result)) return modes.dx10_clamp ? 0 : result;
  if ((result & kSign) != 0) return 0;
  constexpr uint32_t kOne = 0x3f800000;
  return result > kOne ? kOne : result;
}

uint32_t to_float(uint32_t value, const FloatModes& modes) {
  return std::bit_cast<uint32_t>(rounded(static_cast<double>(value), modes.round));
}

}  // namespace cuvette::golden::plain
