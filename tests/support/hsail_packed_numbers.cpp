// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail_packed_numbers.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace cuvette::hsail_packed {

// --- Numbers of an element as host numbers ---

Wide integer_of(const Shape& s, uint64_t raw) {
  if (s.kind == 's' && (raw >> (s.bits - 1) & 1) != 0) return Wide{raw} - (Wide{1} << s.bits);
  return Wide{raw};
}
Wide lowest(const Shape& s) {
  return s.kind == 's' ? -(Wide{1} << (s.bits - 1)) : Wide{0};
}
Wide highest(const Shape& s) {
  return (Wide{1} << (s.kind == 's' ? s.bits - 1 : s.bits)) - 1;
}
uint64_t bits_of(const Shape& s, Wide value) {
  const auto raw = static_cast<uint64_t>(value);
  return s.bits == 64 ? raw : raw & ((uint64_t{1} << s.bits) - 1);
}
Wide clamped(const Shape& s, Wide value) {
  return value < lowest(s) ? lowest(s) : value > highest(s) ? highest(s) : value;
}

unsigned fraction_bits(unsigned bits) {
  return bits == 16 ? 10 : bits == 32 ? 23 : 52;
}
bool is_nan(unsigned bits, uint64_t raw) {
  const unsigned f = fraction_bits(bits);
  const uint64_t magnitude = raw & ((uint64_t{1} << (bits - 1)) - 1);
  return magnitude > ((uint64_t{1} << (bits - 1)) - (uint64_t{1} << f));
}
bool is_signaling(unsigned bits, uint64_t raw) {
  return is_nan(bits, raw) && (raw >> (fraction_bits(bits) - 1) & 1) == 0;
}
static bool is_subnormal(unsigned bits, uint64_t raw) {
  const uint64_t magnitude = raw & ((uint64_t{1} << (bits - 1)) - 1);
  return magnitude != 0 && magnitude < (uint64_t{1} << fraction_bits(bits));
}
uint64_t sign_bit(unsigned bits, uint64_t raw) {
  return raw & (uint64_t{1} << (bits - 1));
}

/// Exact for every format.
double number_of(unsigned bits, uint64_t raw) {
  if (bits == 64) {
    double d = 0;
    std::memcpy(&d, &raw, sizeof d);
    return d;
  }
  if (bits == 32) {
    float f = 0;
    const auto word = static_cast<uint32_t>(raw);
    std::memcpy(&f, &word, sizeof f);
    return f;
  }
  const int exponent = static_cast<int>(raw >> 10 & 31);
  const auto fraction = static_cast<double>(raw & 0x3ff);
  double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  }
  return (raw & 0x8000) != 0 ? -value : value;
}

/// To nearest even, once.
uint64_t encode(unsigned bits, long double value) {
  if (bits == 64) {
    const auto d = static_cast<double>(value);
    uint64_t raw = 0;
    std::memcpy(&raw, &d, sizeof d);
    return raw;
  }
  if (bits == 32) {
    const auto f = static_cast<float>(value);
    uint32_t raw = 0;
    std::memcpy(&raw, &f, sizeof f);
    return raw;
  }
  if (std::isnan(value)) return 0x7e00;
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const long double size = std::fabs(value);
  if (size >= 65520) return sign | 0x7c00;
  if (size == 0) return sign;
  int exponent = std::max(std::ilogb(size), -14);
  auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  if (units == 2048) {
    units = 1024;
    ++exponent;
  }
  if (units < 1024) return sign | units;
  return sign | static_cast<uint64_t>(exponent + 15) << 10 | (units - 1024);
}

// --- Element operations ---

Binary on_integers(Wide (*operation)(Wide, Wide)) {
  return [operation](const Shape& s, uint64_t a, uint64_t b) {
    return bits_of(s, operation(integer_of(s, a), integer_of(s, b)));
  };
}
Binary saturating(Wide (*operation)(Wide, Wide)) {
  return [operation](const Shape& s, uint64_t a, uint64_t b) {
    return bits_of(s, clamped(s, operation(integer_of(s, a), integer_of(s, b))));
  };
}
Wide sum(Wide a, Wide b) {
  return a + b;
}
Wide difference_of(Wide a, Wide b) {
  return a - b;
}
/// u64 times u64 needs all 128 bits: as unsigned.
Wide product(Wide a, Wide b) {
  __extension__ using Unsigned = unsigned __int128;
  return static_cast<Wide>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
}
uint64_t high_product(const Shape& s, uint64_t a, uint64_t b) {
  const Wide p = product(integer_of(s, a), integer_of(s, b));
  return bits_of(s, p >> s.bits);
}
uint64_t saturated_product(const Shape& s, uint64_t a, uint64_t b) {
  if (s.kind == 'u') {
    __extension__ using Unsigned = unsigned __int128;
    const Unsigned p = Unsigned{a} * b;
    return p > static_cast<Unsigned>(highest(s)) ? bits_of(s, highest(s))
                                                 : static_cast<uint64_t>(p);
  }
  return bits_of(s, clamped(s, product(integer_of(s, a), integer_of(s, b))));
}

uint64_t flushed(unsigned bits, uint64_t raw) {
  return is_subnormal(bits, raw) ? sign_bit(bits, raw) : raw;
}

/// Double arithmetic has more than twice the digits of f32 and f16, so that rounding its result
/// again changes nothing.
Binary on_floats(double (*operation)(double, double), bool ftz) {
  return [=](const Shape& s, uint64_t a, uint64_t b) {
    if (ftz) {
      a = flushed(s.bits, a);
      b = flushed(s.bits, b);
    }
    const double value = operation(number_of(s.bits, a), number_of(s.bits, b));
    const uint64_t raw = encode(s.bits, value);
    return ftz ? flushed(s.bits, raw) : raw;
  };
}
Unary on_float(double (*operation)(double)) {
  return
      [=](const Shape& s, uint64_t a) { return encode(s.bits, operation(number_of(s.bits, a))); };
}
static double fraction(double x) {
  if (x == 0 || std::isinf(x)) return std::copysign(0.0, x);
  return x - std::floor(x);
}
uint64_t fract(const Shape& s, uint64_t a) {
  const uint64_t raw = encode(s.bits, fraction(number_of(s.bits, a)));
  const uint64_t one = encode(s.bits, 1);
  return raw == one ? one - 1 : raw;
}
/// A quiet NaN loses to a number, a signaling one does not (5.11).
Binary extreme(bool largest) {
  return [largest](const Shape& s, uint64_t a, uint64_t b) {
    if (is_signaling(s.bits, a) || is_signaling(s.bits, b)) return encode(s.bits, NAN);
    if (is_nan(s.bits, a)) return b;
    if (is_nan(s.bits, b)) return a;
    const bool less = number_of(s.bits, a) < number_of(s.bits, b);
    return less == largest ? b : a;
  };
}

/// Table 5-27.
bool float_truth(const std::string& op, double a, double b) {
  std::string name = op;
  if (name[0] == 's') name = name.substr(1);
  const bool unordered = std::isnan(a) || std::isnan(b);
  if (name == "num") return !unordered;
  if (name == "nan") return unordered;
  if (unordered) return name.size() == 3;
  name = name.substr(0, 2);
  return name == "eq"   ? a == b
         : name == "ne" ? a != b
         : name == "lt" ? a < b
         : name == "le" ? a <= b
         : name == "gt" ? a > b
                        : a >= b;
}
bool integer_truth(const std::string& op, Wide a, Wide b) {
  return op == "eq"   ? a == b
         : op == "ne" ? a != b
         : op == "lt" ? a < b
         : op == "le" ? a <= b
         : op == "gt" ? a > b
                      : a >= b;
}

}  // namespace cuvette::hsail_packed
