// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <mpfr.h>

#include "fp_cells.h"
#include "test_vectors.h"

// rtl/common/fp16_fma.sv against exact sums of MPFR, rounded to integers of the last place.
namespace {

using cuvette::fp_cells::Cells;
using cuvette::fp_cells::corner;

constexpr uint64_t kHalfSeed = 16;
constexpr unsigned kInvalid = 1, kInputDenormal = 2, kOverflow = 8, kUnderflow = 16, kInexact = 32;
constexpr uint16_t kSign = 0x8000, kInfinity = 0x7c00, kLargest = 0x7bff, kHalfNan = 0x7e00;
constexpr int kLeastExponent = -24;  // of the least subnormal number
// In the order of MODE.FP_ROUND.
constexpr mpfr_rnd_t kModes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};

/// Setting of MODE for an operation.
struct Setting {
  unsigned mode;
  bool flush_factors, flush_addend, flush_out, stays_finite;
};
/// Every combination but the rounding, by the low four bits of `n`.
Setting setting(unsigned mode, unsigned n) {
  return {mode, (n & 1) != 0, (n & 2) != 0, (n & 4) != 0, (n & 8) != 0};
}

struct Outcome {
  uint16_t bits = 0;
  unsigned flags = 0;
  bool tiny = false;
  bool reaches_normal = false;  // below the least normal number, rounded up to it
};

bool is_nan(uint16_t h) {
  return (h & 0x7fff) > kInfinity;
}
bool is_subnormal(uint16_t h) {
  return (h & kInfinity) == 0 && (h & 0x3ff) != 0;
}

class Oracle {
 public:
  Oracle() {
    // A product reaches from 2^-48 to 2^32: 160 bits hold every sum.
    mpfr_inits2(160, a_, b_, c_, exact_, scaled_, integer_, static_cast<mpfr_ptr>(nullptr));
    mpfr_init2(short_, 11);
  }
  ~Oracle() {
    mpfr_clears(a_, b_, c_, exact_, scaled_, integer_, short_, static_cast<mpfr_ptr>(nullptr));
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  Outcome fma(uint16_t a, uint16_t b, uint16_t c, const Setting& s) {
    Outcome out;
    a = taken(a, s.flush_factors, out);
    b = taken(b, s.flush_factors, out);
    c = taken(c, s.flush_addend, out);
    for (const uint16_t h : {c, b, a}) {
      if (!is_nan(h)) continue;
      out.bits = h | 0x200;
      if ((h & 0x200) == 0) out.flags |= kInvalid;
    }
    if (out.bits != 0) return out;
    const mpfr_rnd_t round = kModes[s.mode];
    load(a_, a);
    load(b_, b);
    load(c_, c);
    EXPECT_EQ(mpfr_fma(exact_, a_, b_, c_, round), 0);
    if (mpfr_nan_p(exact_)) {
      out.bits = kHalfNan;
      out.flags |= kInvalid;
      return out;
    }
    const bool negative = mpfr_signbit(exact_) != 0;
    out.bits = negative ? kSign : 0;
    if (mpfr_zero_p(exact_)) return out;
    if (mpfr_inf_p(exact_)) {
      out.bits |= kInfinity;
      return out;
    }
    round_into(out, negative, s);
    return out;
  }

 private:
  static uint16_t taken(uint16_t h, bool flush, Outcome& out) {
    if (!is_subnormal(h)) return h;
    if (flush) return h & kSign;
    out.flags |= kInputDenormal;
    return h;
  }
  static void load(mpfr_ptr out, uint16_t h) {
    const int exponent = h >> 10 & 31;
    const unsigned fraction = h & 0x3ff;
    if (exponent == 31) {
      mpfr_set_inf(out, 1);
    } else {
      mpfr_set_ui_2exp(out, exponent == 0 ? fraction : fraction + 1024,
                       kLeastExponent + std::max(exponent - 1, 0), MPFR_RNDN);
    }
    mpfr_setsign(out, out, (h & kSign) != 0, MPFR_RNDN);
  }

  void round_into(Outcome& out, bool negative, const Setting& s) {
    const mpfr_rnd_t round = kModes[s.mode];
    // Tiny or too large is what 11 bits with any exponent are.
    mpfr_set(short_, exact_, round);
    const int short_exponent = static_cast<int>(mpfr_get_exp(short_)) - 1;
    out.tiny = short_exponent < -14;
    if (out.tiny && s.flush_out) {
      out.flags |= kUnderflow | kInexact;
      return;
    }
    if (short_exponent > 15) {
      const bool away = round == MPFR_RNDN || round == (negative ? MPFR_RNDD : MPFR_RNDU);
      out.flags |= kOverflow | kInexact;
      out.bits |= away && !s.stays_finite ? kInfinity : kLargest;
      return;
    }
    const int exponent = static_cast<int>(mpfr_get_exp(exact_)) - 1;
    const int place = std::max(exponent - 10, kLeastExponent);
    mpfr_mul_2si(scaled_, exact_, -place, MPFR_RNDN);
    const bool inexact = mpfr_rint(integer_, scaled_, round) != 0;
    auto magnitude = static_cast<unsigned>(std::labs(mpfr_get_si(integer_, MPFR_RNDN)));
    if (inexact) out.flags |= out.tiny ? kInexact | kUnderflow : kInexact;
    out.reaches_normal = exponent < -14 && magnitude == 1024;
    unsigned field = 0;  // of the exponent
    if (magnitude >= 1024) {
      field = static_cast<unsigned>(place - kLeastExponent) + (magnitude == 2048 ? 2 : 1);
      magnitude = magnitude == 2048 ? 0 : magnitude - 1024;
    }
    out.bits |= static_cast<uint16_t>(field << 10 | magnitude);
  }

  mpfr_t a_, b_, c_, exact_, scaled_, integer_, short_;
};

class HalfFma : public ::testing::Test {
 protected:
  void load(uint16_t a, uint16_t b, const Setting& s) {
    const uint32_t wa[4] = {a, 0, 0, 0}, wb[4] = {b, 0, 0, 0};
    cells_.pins().flush_in_i = s.flush_factors;
    cells_.load(wa, wb);
  }
  /// The sum of what was loaded. False when it is not that of the oracle.
  bool adds(uint16_t a, uint16_t b, uint16_t c, const Setting& s) {
    Vfp_cells& p = cells_.pins();
    p.flush_in_i = s.flush_addend;
    p.mode_i = s.mode;
    p.flush_i = s.flush_out;
    p.stays_finite_i = s.stays_finite;
    cells_.add(c);
    const Outcome want = oracle_.fma(a, b, c, s);
    const bool same = p.half_fma_o == want.bits && p.half_flags_o == want.flags;
    EXPECT_TRUE(same) << std::hex << a << " * " << b << " + " << c << " is " << p.half_fma_o
                      << " flags " << unsigned{p.half_flags_o} << ", not " << want.bits << " flags "
                      << want.flags << "; mode " << s.mode << " flush factors " << s.flush_factors
                      << " addend " << s.flush_addend << " result " << s.flush_out << " finite "
                      << s.stays_finite;
    count(want);
    return same;
  }
  void count(const Outcome& o) {
    invalid_ += (o.flags & kInvalid) != 0;
    overflows_ += (o.flags & kOverflow) != 0;
    tiny_ += o.tiny;
    underflows_ += (o.flags & kUnderflow) != 0;
    reaches_normal_ += o.reaches_normal;
    exact_ += o.flags == 0;
  }

  void random(unsigned mode);

  Cells cells_;
  Oracle oracle_;
  std::mt19937_64 random_{kHalfSeed};
  int invalid_ = 0, overflows_ = 0, tiny_ = 0, underflows_ = 0, reaches_normal_ = 0, exact_ = 0;
};

/// Every triple of these with every setting.
TEST_F(HalfFma, Corners) {
  constexpr uint16_t kCorners[] = {0x0000, 0x8000,                  // zeros
                                   0x0001, 0x83ff, 0x0200,          // subnormal
                                   0x0400, 0x8401,                  // the least normal ones
                                   0x3c00, 0xbc00, 0x3bff, 0x3c01,  // one and beside it
                                   0x1000, 0x9fff, 0x5800,  // products at the least, at the largest
                                   0x7bff, 0xfbff, 0x7c00, 0xfc00,  // the largest, infinities
                                   0x7e01, 0xfd00};                 // NaNs, quiet and signaling
  for (const uint16_t a : kCorners) {
    for (const uint16_t b : kCorners) {
      for (unsigned n = 0; n < 16; ++n) {
        if (n % 2 == 0 || is_subnormal(a) || is_subnormal(b)) load(a, b, setting(0, n));
        for (const uint16_t c : kCorners) {
          for (unsigned mode = 0; mode < 4; ++mode) {
            if (!adds(a, b, c, setting(mode, n))) return;
          }
        }
      }
    }
  }
  EXPECT_GT(std::min({invalid_, overflows_, tiny_, underflows_, reaches_normal_, exact_}), 100);
}

void HalfFma::random(unsigned mode) {
  const int vectors = cuvette::test::vectors(100000);
  for (int n = 0; n < vectors; ++n) {
    const uint64_t word = random_();
    auto a = static_cast<uint16_t>(corner(random_, 16, 5));
    auto b = static_cast<uint16_t>(corner(random_, 16, 5));
    auto c = static_cast<uint16_t>(corner(random_, 16, 5));
    Setting s = setting(mode, static_cast<unsigned>(word & 15));
    switch (word >> 8 & 7) {
      case 0:  // any
        a = static_cast<uint16_t>(word >> 16);
        b = static_cast<uint16_t>(word >> 32);
        c = static_cast<uint16_t>(word >> 48);
        break;
      case 1:
      case 2: {  // cancellation: the addend near the product
        const Outcome product = oracle_.fma(a, b, (a ^ b) & kSign, setting(0, 0));
        c = static_cast<uint16_t>((product.bits ^ kSign) + (word >> 16) % 5 - 2);
        break;
      }
      case 3: {  // products just below and above the least normal number, with a little more
        const int exponent = 2 + static_cast<int>((word >> 32) % 12);
        a = static_cast<uint16_t>((word & kSign) | exponent << 10 | (word >> 16 & 0x3ff));
        b = static_cast<uint16_t>((15 + static_cast<int>(word >> 13 & 1) - exponent) << 10 |
                                  (word >> 48 & word >> 50 & 3));
        if ((word >> 12 & 1) != 0) a |= 0x3fc;
        c = static_cast<uint16_t>((word >> 5 & kSign) | (word >> 40 & 1));
        break;
      }
      default:
        break;
    }
    load(a, b, s);
    if (!adds(a, b, c, s)) return;
  }
  EXPECT_GT(std::min({invalid_, overflows_, tiny_, underflows_, exact_}), vectors / 100);
  // Towards zero nothing is rounded up.
  if (kModes[mode] == MPFR_RNDZ) {
    EXPECT_EQ(reaches_normal_, 0);
  } else {
    EXPECT_GT(reaches_normal_, vectors / 4000);
  }
}

TEST_F(HalfFma, ToNearestEven) {
  random(0);
}
TEST_F(HalfFma, ToPlusInfinity) {
  random(1);
}
TEST_F(HalfFma, ToMinusInfinity) {
  random(2);
}
TEST_F(HalfFma, ToZero) {
  random(3);
}

/// A result that nobody asks for is 0, and a product stays until the next.
TEST_F(HalfFma, KeepsTheProduct) {
  const Setting s = setting(0, 0);
  load(0x4000, 0x4200, s);
  for (const uint16_t c : {0x0000, 0x3c00, 0xc600}) EXPECT_TRUE(adds(0x4000, 0x4200, c, s));
  EXPECT_EQ(cells_.pins().half_fma_o, 0u);  // 2 * 3 - 6
  EXPECT_TRUE(adds(0x4000, 0x4200, 0x0001, s));
  EXPECT_EQ(cells_.pins().half_flags_o, kInputDenormal | kInexact);
  cells_.pins().sum_i = 0;
  cells_.eval();
  EXPECT_EQ(cells_.pins().half_fma_o, 0u);
  EXPECT_EQ(cells_.pins().half_flags_o, 0u);
}

}  // namespace
