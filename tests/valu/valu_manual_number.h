// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>

#include <mpfr.h>

// Numbers of binary16, binary32 and binary64 for valu_manual.h, rounded by MPFR. Rules:
// docs/reference/floating_point.md.
namespace cuvette::valu_manual {

enum : unsigned {
  kInvalid = 1,
  kDenormal = 2,
  kDivideByZero = 4,
  kOverflow = 8,
  kUnderflow = 16,
  kInexact = 32
};

/// A binary format by the widths of its fields.
struct Format {
  unsigned exponent_bits, fraction_bits;

  uint64_t sign() const { return uint64_t{1} << (exponent_bits + fraction_bits); }
  uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  uint64_t quiet() const { return uint64_t{1} << (fraction_bits - 1); }
  uint64_t default_nan() const { return infinity() | quiet(); }
  uint64_t largest() const { return infinity() - 1; }
  uint64_t smallest_normal() const { return uint64_t{1} << fraction_bits; }
  uint64_t one() const {
    return uint64_t((uint64_t{1} << (exponent_bits - 1)) - 1) << fraction_bits;
  }
  uint64_t all() const { return sign() | (sign() - 1); }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }

  uint64_t magnitude(uint64_t x) const { return x & (sign() - 1); }
  bool negative(uint64_t x) const { return (x & sign()) != 0; }
  bool is_nan(uint64_t x) const { return magnitude(x) > infinity(); }
  bool is_signaling(uint64_t x) const { return is_nan(x) && (x & quiet()) == 0; }
  bool is_infinite(uint64_t x) const { return magnitude(x) == infinity(); }
  bool is_zero(uint64_t x) const { return magnitude(x) == 0; }
  bool is_subnormal(uint64_t x) const { return !is_zero(x) && magnitude(x) < smallest_normal(); }
};
constexpr Format kHalf{5, 10}, kSingle{8, 23}, kDouble{11, 52};

/// One instruction's view of MODE, with the flags it raises.
struct Numbers {
  Format f;
  unsigned round = 0;              ///< 0 nearest even, 1 up, 2 down, 3 zero
  bool multiplies_output = false;  ///< MODE lets OMOD take part
  bool flush_in = false, flush_out = false, ieee = true, dx10_clamp = true,
       overflow_to_largest = false;
  unsigned flags = 0;

  mpfr_rnd_t direction() const;
  /// A subnormal operand becomes zero, or is told.
  uint64_t take(uint64_t x);
  /// The first NaN of these made quiet, into `result`. Tells signaling ones.
  bool nan(std::initializer_list<uint64_t> operands, uint64_t& result);
  uint64_t invalid() {
    flags |= kInvalid;
    return f.default_nan();
  }
  /// Rounds what `compute` gives, a number that is not NaN. `compute(r, direction)` sets r, of the
  /// precision it has, and returns MPFR's ternary value; it may be asked more than once. A zero has
  /// the sign MPFR gives it.
  using Compute = std::function<int(mpfr_t, mpfr_rnd_t)>;
  uint64_t rounded(const Compute& compute);
  /// The same in a direction of its own, numbered as `round`, whatever MODE says.
  uint64_t rounded(unsigned direction, const Compute& compute);
  /// a * b + c, with NaNs and infinities, one rounding.
  uint64_t fma(uint64_t a, uint64_t b, uint64_t c);
  uint64_t add(uint64_t a, uint64_t b);
  uint64_t mul(uint64_t a, uint64_t b);
  /// 1 / x, the root of x and its reciprocal, nearest whatever MODE says; of what has none, the
  /// negative NaN.
  uint64_t reciprocal(uint64_t x);
  uint64_t root(uint64_t x, bool reciprocal);
  /// -1, 0, 1 by value, zeros alike; 2: unordered.
  int order(uint64_t a, uint64_t b) const;
  /// The machine's minimum or maximum: -0 below +0, a NaN loses to a number, with IEEE a signaling
  /// one wins and becomes quiet.
  uint64_t extreme(uint64_t a, uint64_t b, bool maximum);
  /// OMOD, then CLAMP.
  uint64_t output(uint64_t x, unsigned omod, bool clamp);
};

/// Fields of MODE for a format: binary32 has its own.
Numbers numbers(const Format& f, uint32_t mode);

/// A number or infinity into `r`, exactly.
void set(mpfr_t r, const Format& f, uint64_t bits);

/// A real of MPFR that frees itself.
struct Real {
  /// By default more bits than any sum or product here loses.
  explicit Real(mpfr_prec_t bits = 320) { mpfr_init2(value, bits); }
  Real(const Format& f, uint64_t x) : Real(64) { set(value, f, x); }
  ~Real() { mpfr_clear(value); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_t value;
};

}  // namespace cuvette::valu_manual
