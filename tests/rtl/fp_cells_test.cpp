// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp_cells.h"

#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <mpfr.h>

#include "test_vectors.h"

// The arithmetic cells of rtl/common (tb/common/fp_cells_tb.sv) against MPFR and plain integers;
// those of the matrix groups: fp_cells_matrix_test.cpp.
namespace {

using cuvette::fp_cells::Cells;
using cuvette::fp_cells::corner;

constexpr uint32_t kNan = 0x7fc00000;
constexpr uint64_t kSeed = 908;

/// A binary32 number under MPFR's own rounding.
class Real {
 public:
  Real() { mpfr_init2(value_, 24); }
  explicit Real(double v) : Real() { mpfr_set_d(value_, v, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }

  static Real of_f32(uint32_t bits) {
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return Real(static_cast<double>(f));
  }
  uint32_t bits() const {
    if (mpfr_nan_p(value_)) return kNan;
    const float f = mpfr_get_flt(value_, MPFR_RNDN);
    uint32_t out;
    std::memcpy(&out, &f, sizeof out);
    return out;
  }
  mpfr_ptr raw() { return value_; }
  mpfr_srcptr raw() const { return value_; }

 private:
  mpfr_t value_;
};

/// `op` rounded once to binary32, subnormals included.
template <class Op>
Real rounded(mpfr_rnd_t mode, Op&& op) {
  Real out;
  const int inexact = op(out.raw());
  mpfr_subnormalize(out.raw(), inexact, mode);
  return out;
}
Real fused(const Real& a, const Real& b, const Real& c) {
  return rounded(MPFR_RNDN,
                 [&](mpfr_ptr r) { return mpfr_fma(r, a.raw(), b.raw(), c.raw(), MPFR_RNDN); });
}
Real product(const Real& a, const Real& b) {
  return rounded(MPFR_RNDN, [&](mpfr_ptr r) { return mpfr_mul(r, a.raw(), b.raw(), MPFR_RNDN); });
}

uint32_t dot_i8(const uint32_t (&a)[4], const uint32_t (&b)[4], unsigned terms, uint32_t c) {
  for (unsigned k = 0; k < terms; ++k) {
    const auto x = static_cast<int8_t>(a[k / 4] >> 8 * (k % 4));
    const auto y = static_cast<int8_t>(b[k / 4] >> 8 * (k % 4));
    c += static_cast<uint32_t>(x * y);
  }
  return c;
}

class FpCells : public ::testing::Test {
 protected:
  // The exponents of binary32, so that MPFR rounds subnormals where it should.
  void SetUp() override {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
  }
  void TearDown() override { mpfr_free_cache(); }
  Cells cells_;
  std::mt19937_64 random_{kSeed};
};

TEST_F(FpCells, LeadingZeros) {
  Vfp_cells& p = cells_.pins();
  const auto check = [&](uint64_t value) {
    p.value_i = value;
    cells_.eval();
    const auto zeros = [value](unsigned width) {
      unsigned n = 0;
      while (n < width && (value >> (width - 1 - n) & 1) == 0) ++n;
      return n;
    };
    const unsigned widths[] = {2, 11, 32, 64};
    const unsigned counts[] = {p.count_2_o, p.count_11_o, p.count_32_o, p.count_64_o};
    for (unsigned n = 0; n < 4; ++n) {
      const bool empty = (p.empty_o >> n & 1) != 0;
      EXPECT_EQ(empty, zeros(widths[n]) == widths[n]) << widths[n] << " of " << value;
      if (!empty) {
        EXPECT_EQ(counts[n], zeros(widths[n])) << widths[n] << " of " << value;
      }
    }
  };
  check(0);
  for (unsigned bit = 0; bit < 64; ++bit) {
    check(uint64_t{1} << bit);
    check(~uint64_t{0} >> bit);
    for (int n = 0; n < 100; ++n) check((random_() | uint64_t{1} << 63) >> bit);
  }
  for (uint64_t value = 0; value < 4096; ++value) check(value);
}

TEST_F(FpCells, RoundAndPack) {
  constexpr mpfr_rnd_t kModes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
  constexpr unsigned kOverflow = 8, kUnderflow = 16, kInexact = 32;
  Vfp_cells& p = cells_.pins();
  mpfr_t exact;
  mpfr_init2(exact, 64);
  const auto check = [&](uint64_t sig, unsigned width, bool negative, int exp, unsigned mode,
                         bool flush, uint32_t bits, unsigned flags) {
    // Rounded with an unbounded exponent first, then as binary32; MPFR rounds once.
    mpfr_set_emin(-4000);
    mpfr_set_emax(4000);
    const uint64_t value = sig >> (64 - width);
    mpfr_set_ui_2exp(exact, value, exp - 126 - static_cast<int>(width), MPFR_RNDN);
    if (negative) mpfr_neg(exact, exact, MPFR_RNDN);
    Real r;
    int inexact = mpfr_set(r.raw(), exact, kModes[mode]);
    const bool tiny = mpfr_get_exp(r.raw()) < -125;
    const bool overflow = mpfr_get_exp(r.raw()) > 128;
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    inexact = mpfr_check_range(r.raw(), inexact, kModes[mode]);
    inexact = mpfr_subnormalize(r.raw(), inexact, kModes[mode]);
    uint32_t want = r.bits();
    unsigned want_flags = 0;
    if (tiny && flush) {
      want = negative ? 0x80000000 : 0;
      want_flags = kUnderflow | kInexact;
    } else if (overflow) {
      want_flags = kOverflow | kInexact;
    } else {
      if (inexact != 0) want_flags = tiny ? kInexact | kUnderflow : kInexact;
    }
    ASSERT_EQ(bits, want) << "width " << width << " sig " << std::hex << sig << std::dec << " exp "
                          << exp << " mode " << mode << " flush " << flush;
    ASSERT_EQ(flags, want_flags) << "width " << width << " sig " << std::hex << sig << std::dec
                                 << " exp " << exp << " mode " << mode << " flush " << flush;
  };
  const int vectors = cuvette::test::vectors(100000);
  for (int n = 0; n < vectors && !HasFatalFailure(); ++n) {
    const uint64_t word = random_();
    uint64_t sig = random_() | uint64_t{1} << 63;
    // Ties, carries, and what sits just beside them.
    if ((word & 3) == 0) sig = (sig & ~uint64_t{0} << 40) | uint64_t{1} << 39;
    if ((word & 7) == 1) sig |= ~uint64_t{0} << 39;
    if ((word & 7) == 2) sig &= ~uint64_t{0} << 40;
    const int spans[] = {-30, 240, 0, 250};
    const int exp = spans[word >> 8 & 3] + static_cast<int>(word >> 16 & 31);
    p.sig_i = sig;
    p.exp_i = static_cast<uint16_t>(exp) & 0xfff;
    p.sign_i = word >> 3 & 1;
    p.mode_i = word >> 4 & 3;
    p.flush_i = word >> 6 & 1;
    cells_.eval();
    const auto with = [&](unsigned width, uint32_t bits, unsigned flags) {
      check(sig, width, (word >> 3 & 1) != 0, exp, word >> 4 & 3, (word >> 6 & 1) != 0, bits,
            flags);
    };
    with(64, p.round_64_o, p.flags_64_o);
    with(26, p.round_26_o, p.flags_26_o);
  }
  mpfr_clear(exact);
}

TEST_F(FpCells, FusedMultiplyAdd) {
  Vfp_cells& p = cells_.pins();
  const int vectors = cuvette::test::vectors(100000);
  for (int n = 0; n < vectors; ++n) {
    uint32_t a[4] = {corner(random_, 32, 8)};
    uint32_t b[4] = {corner(random_, 32, 8)};
    uint32_t c = corner(random_, 32, 8);
    if (n % 3 == 0) {  // cancellation: the addend near the product
      c = product(Real::of_f32(a[0]), Real::of_f32(b[0])).bits() ^ 0x80000000;
      if (n % 2 == 0) c += static_cast<uint32_t>(random_() % 5) - 2;
    }
    cells_.compute(a, b, c);
    const uint32_t want = fused(Real::of_f32(a[0]), Real::of_f32(b[0]), Real::of_f32(c)).bits();
    ASSERT_EQ(p.fma_o, want) << std::hex << a[0] << " " << b[0] << " " << c;
  }
}

/// As corner(), of binary64.
uint64_t wide_corner(std::mt19937_64& random) {
  const uint64_t word = random(), sign = word & uint64_t{1} << 63;
  const uint64_t fraction = word & ((uint64_t{1} << 52) - 1), some = random();
  const auto with = [&](uint64_t exponent) { return sign | exponent << 52 | fraction; };
  switch (some & 15) {
    case 0:
      return sign;
    case 1:
      return with(0);
    case 2:
      return sign | uint64_t{1} << 52;
    case 3:
      return sign | 0x7fefffffffffffff;
    case 4:
      return (some >> 4 & 3) == 0 ? with(2047) : sign | uint64_t{2047} << 52;
    case 5:
      return with(some >> 8 & 2047);
    case 6:
      return sign | uint64_t{1023} << 52;
    case 7:
      return with(1023 / 2 + (some >> 8) % 4);
    case 8:
      return sign | (some >> 8 & 7);
    default:
      return with(1023 + (some >> 8) % 4 - 1);
  }
}

TEST_F(FpCells, FusedMultiplyAddOfDoubles) {
  mpfr_set_emin(-1073);
  mpfr_set_emax(1024);
  mpfr_t x, y, z, r;
  mpfr_inits2(53, x, y, z, r, static_cast<mpfr_ptr>(nullptr));
  const auto load = [](mpfr_ptr out, uint64_t bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    mpfr_set_d(out, value, MPFR_RNDN);
  };
  const auto bits_of = [](mpfr_srcptr value) {
    if (mpfr_nan_p(value)) return uint64_t{0x7ff8000000000000};
    const double d = mpfr_get_d(value, MPFR_RNDN);
    uint64_t out;
    std::memcpy(&out, &d, sizeof out);
    return out;
  };
  Vfp_cells& p = cells_.pins();
  const int vectors = cuvette::test::vectors(100000);
  for (int n = 0; n < vectors && !HasFatalFailure(); ++n) {
    const uint64_t a = wide_corner(random_), b = wide_corner(random_);
    uint64_t c = wide_corner(random_);
    load(x, a);
    load(y, b);
    if (n % 3 == 0) {  // cancellation: the addend near the product
      int inexact = mpfr_mul(r, x, y, MPFR_RNDN);
      mpfr_subnormalize(r, inexact, MPFR_RNDN);
      c = bits_of(r) ^ uint64_t { 1 } << 63;
      if (n % 2 == 0) c += random_() % 5 - 2;
    }
    load(z, c);
    const int inexact = mpfr_fma(r, x, y, z, MPFR_RNDN);
    mpfr_subnormalize(r, inexact, MPFR_RNDN);
    const uint32_t wa[4] = {static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), 0, 0};
    const uint32_t wb[4] = {static_cast<uint32_t>(b), static_cast<uint32_t>(b >> 32), 0, 0};
    cells_.compute(wa, wb, 0, c);
    const uint64_t got = p.wide_fma_o;
    EXPECT_EQ(got, bits_of(r)) << std::hex << a << " " << b << " " << c;
    if (got != bits_of(r)) break;
  }
  mpfr_clears(x, y, z, r, static_cast<mpfr_ptr>(nullptr));
}

TEST_F(FpCells, ByteDotProducts) {
  Vfp_cells& p = cells_.pins();
  const uint32_t corners[] = {0x80808080, 0x7f7f7f7f, 0, 0xffffffff, 0x80000000, 0x7fffffff};
  const int vectors = cuvette::test::vectors(50000);
  for (int n = 0; n < vectors; ++n) {
    uint32_t a[4], b[4];
    for (unsigned w = 0; w < 4; ++w) {
      a[w] = n % 4 == 0 ? corners[random_() % 4] : static_cast<uint32_t>(random_());
      b[w] = n % 8 < 2 ? corners[random_() % 4] : static_cast<uint32_t>(random_());
    }
    const uint32_t c = n % 3 == 0 ? corners[random_() % 6] : static_cast<uint32_t>(random_());
    cells_.compute(a, b, c);
    ASSERT_EQ(p.dot_i8_1_o, dot_i8(a, b, 1, c)) << n;
    ASSERT_EQ(p.dot_i8_4_o, dot_i8(a, b, 4, c)) << n;
    ASSERT_EQ(p.dot_i8_16_o, dot_i8(a, b, 16, c)) << n;
  }
}

/// A result that nobody asks for is 0: results of several cells may be ored.
TEST_F(FpCells, IdleCellsGiveZero) {
  Vfp_cells& p = cells_.pins();
  const uint32_t ones[4] = {0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80};
  cells_.compute(ones, ones, 0x3f800000);
  EXPECT_NE(p.fma_o, 0u);
  p.sum_i = 0;
  cells_.eval();
  EXPECT_EQ(p.fma_o | p.exact_f16_o | p.exact_bf16_o | p.dot_f16_2_o | p.dot_f16_4_o |
                p.dot_bf16_2_o | p.dot_bf16_4_o | p.dot_i8_1_o | p.dot_i8_4_o | p.dot_i8_16_o |
                p.fused_o,
            0u);
  EXPECT_EQ(p.wide_fma_o, 0u);
  EXPECT_EQ(p.half_fma_o, 0u);
  EXPECT_EQ(p.half_flags_o, 0u);
}

}  // namespace
