// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave_valu_float.h"

// The division helpers: whole divisions as compilers write them against MPFR, and their special
// cases (Vega ISA 12.9 V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP; decisions.md D2, D3, D3b).
namespace cuvette::wave {
namespace {

using namespace test;

/// One instruction on given sources; returns the destination and leaves the mask in `vcc`.
Values step(const std::string& mnemonic, const Values& a, const Values& b, const Values& c,
            uint64_t* vcc = nullptr, unsigned neg = 0) {
  Case k;
  k.mnemonic = mnemonic;
  k.src[0] = a;
  k.src[1] = b;
  k.src[2] = c;
  k.vcc = vcc != nullptr ? *vcc : 0;
  k.mod.neg = static_cast<uint8_t>(neg);
  const Outputs out = run(k);
  if (vcc != nullptr) *vcc = out.mask;
  return out.dst;
}

/// num / den by scaling, a reciprocal refined twice, V_DIV_FMAS and V_DIV_FIXUP.
template <class F>
Values divide(const Values& num, const Values& den, uint64_t* scaled = nullptr) {
  const std::string t = F::kBits == 32 ? "f32" : "f64";
  Values one;
  one.fill(F::kOne);
  uint64_t ignored = 0, vcc = 0;
  const Values d = step("v_div_scale_" + t, den, den, num, &ignored);
  const Values n = step("v_div_scale_" + t, num, den, num, &vcc);
  if (scaled != nullptr) *scaled = vcc;
  Values r = step("v_rcp_" + t, d, one, one);
  for (unsigned round = 0; round < 2; ++round) {
    const Values e = step("v_fma_" + t, d, r, one, nullptr, 1);
    r = step("v_fma_" + t, e, r, r);
  }
  Values q = step("v_mul_" + t, n, r, one);
  if (F::kBits == 32) {
    const Values e = step("v_fma_f32", d, q, n, nullptr, 1);
    q = step("v_fma_f32", e, r, q);
  }
  const Values e = step("v_fma_" + t, d, q, n, nullptr, 1);
  q = step("v_div_fmas_" + t, e, r, q, &vcc);
  return step("v_div_fixup_" + t, q, den, num);
}

template <class F>
void expect_divisions() {
  oracle::Generator<F> random(2024);
  const Env env = ModeBits{kDefaultMode}.env<F>();
  for (unsigned batch = 0; batch < batches(); ++batch) {
    Values num{}, den{};
    for (unsigned lane = 0; lane < 64; ++lane) {
      num[lane] = random.pattern();
      den[lane] = batch % 2 == 0 ? random.partner(num[lane]) : random.pattern();
    }
    const Values got = divide<F>(num, den);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const U s[2] = {num[lane], den[lane]};
      const Expected e = oracle::expect<F>(
          [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_div(r, v[0], v[1], m); }, s,
          2, env);
      const U value = F::kBits == 32 ? got[lane] & 0xffffffff : got[lane];
      if (oracle::nan<F>(e.bits)) {
        ASSERT_TRUE(oracle::nan<F>(value)) << std::hex << num[lane] << " / " << den[lane];
        continue;
      }
      ASSERT_EQ(value, e.bits) << std::hex << num[lane] << " / " << den[lane];
    }
  }
}
TEST(Division, SingleIsCorrectlyRounded) {
  expect_divisions<F32>();
}
TEST(Division, DoubleIsCorrectlyRounded) {
  expect_divisions<F64>();
}

TEST(Division, ScaleCases) {
  struct Scale {
    uint32_t s0, den, num, expected;
    bool vcc;
  };
  // By hand from the pseudo-code; 2^64 adds 0x20000000 to the pattern of a normal number.
  const Scale table[] = {
      {0x3f800000, 0x3f800000, 0x40000000, 0x3f800000, false},  // ordinary
      {0x00000000, 0x00000000, 0x40000000, 0x7fc00000, true},   // zero denominator
      {0x3f800000, 0x3f800000, 0x80000000, 0x7fc00000, true},   // zero numerator
      {0x0d800000, 0x0d800000, 0x7f000000, 0x2d800000, true},   // far apart: denominator scaled
      {0x7f000000, 0x0d800000, 0x7f000000, 0x7f000000, true},   // far apart: numerator kept
      {0x4f000000, 0x4f000000, 0x7f000000, 0x6f000000, true},   // 96 is far apart
      {0x4f800000, 0x4f800000, 0x7f000000, 0x4f800000, false},  // 95 is not
      {0x00400000, 0x00400000, 0x3f000000, 0x20000000, true},   // subnormal, but far apart
      {0x00400000, 0x00400000, 0x20000000, 0x20000000, false},  // subnormal denominator
      {0x20000000, 0x00400000, 0x20000000, 0x40000000, false},  // and its numerator
      {0x7f000000, 0x7f000000, 0x40000000, 0x5f000000, false},  // tiny reciprocal
      {0x3f800000, 0x7e000000, 0x3f800000, 0x3f800000, false},  // 2^-125 is no subnormal
      {0x10000000, 0x3f800000, 0x10000000, 0x10000000, false},  // small, but not tiny
      {0x10000000, 0x50000000, 0x10000000, 0x30000000, true},   // tiny quotient: numerator scaled
      {0x50000000, 0x50000000, 0x10000000, 0x50000000, true},   // tiny quotient: denominator kept
      {0x7f000fff, 0x7f000fff, 0xb4000fff, 0x5f000fff, true},   // quotient 2^-150 rounds to zero
      {0xb4000fff, 0x7f000fff, 0xb4000fff, 0xb4000fff, true},   // tiny all the same
      {0x20ffffff, 0x60000000, 0x20ffffff, 0x40ffffff, true},   // rounds up to normal: tiny, too
      {0x21000000, 0x60000000, 0x21000000, 0x21000000, false},  // the least normal is not
      {0x0b800000, 0x0b800000, 0x0b000000, 0x2b800000, false},  // tiny numerator: both scaled
      {0x0b000000, 0x0b800000, 0x0b000000, 0x2b000000, false},
  };
  for (const Scale& s : table) {
    Values a, b, c;
    a.fill(s.s0);
    b.fill(s.den);
    c.fill(s.num);
    uint64_t vcc = 0;
    const Values d = step("v_div_scale_f32", a, b, c, &vcc);
    EXPECT_EQ(d[5] & 0xffffffff, s.expected) << std::hex << s.s0 << " " << s.den << " " << s.num;
    EXPECT_EQ(vcc, s.vcc ? kAllLanes : 0) << std::hex << s.s0 << " " << s.den << " " << s.num;
  }
}

TEST(Division, QuotientsAtHalfTheLeastSubnormal) {
  // The quotient of s * 2^n and s * 2^m is a power of two, whatever the reciprocal of s rounds to:
  // a tie at half the least subnormal, to even: zero; above it the least subnormal.
  uint64_t fraction = 1;
  for (unsigned batch = 0; batch < 64; ++batch) {
    Values num{}, den{}, num64{}, den64{};
    for (unsigned lane = 0; lane < 64; ++lane) {
      fraction = fraction * 6364136223846793005u + 1442695040888963407u;
      const U f = fraction >> 41;  // 23 bits
      den[lane] = 0x7f000000 | f;
      num[lane] = 0xb4000000 | f;
      den64[lane] = 0x7fe0000000000000 | fraction >> 12;
      num64[lane] = 0xbcb0000000000000 | fraction >> 12;
    }
    const Values got = divide<F32>(num, den);
    const Values got64 = divide<F64>(num64, den64);
    for (unsigned lane = 0; lane < 64; ++lane) {
      ASSERT_EQ(got[lane] & 0xffffffff, 0x80000000u) << std::hex << num[lane];
      ASSERT_EQ(got64[lane], U{1} << 63) << std::hex << num64[lane];
      ++num[lane];
      ++num64[lane];
    }
    const Values above = divide<F32>(num, den);
    const Values above64 = divide<F64>(num64, den64);
    for (unsigned lane = 0; lane < 64; ++lane) {
      ASSERT_EQ(above[lane] & 0xffffffff, 0x80000001u) << std::hex << num[lane];
      ASSERT_EQ(above64[lane], (U{1} << 63) + 1) << std::hex << num64[lane];
    }
  }
}

TEST(Division, ScaledFmaWhoseSumCarriesAboveHalfTheLeastSubnormal) {
  // -(2 - 2^-16)^2 * 2^-88 - 1.0625 * 2^-101, scaled by 2^-64: just beyond -2^-150; F64 alike
  // around -2^-1075. The sum has a bit more than its terms, and nothing of it above the rounding
  // point.
  struct Triple {
    const char* mnemonic;
    U a, b, c, least;
  };
  for (const Triple& t : {Triple{"v_div_fmas_f32", 0xa9ffff80, 0x29ffff80, 0x8d07ffff, 0x80000000},
                          Triple{"v_div_fmas_f64", 0xa25ffff000000000, 0x224ffff000000000,
                                 0x83d1000000000000, U{1} << 63}}) {
    for (const unsigned round : {0u, 1u, 2u, 3u}) {
      Case c;
      c.mnemonic = t.mnemonic;
      c.mode = 0x3f0 | round | round << 2;
      c.vcc = kAllLanes;
      c.src[0].fill(t.a);
      c.src[1].fill(t.b);
      c.src[2].fill(t.c);
      const Outputs out = run(c);
      const bool up = round == 0 || round == 2;  // nearest even, towards minus infinity
      EXPECT_EQ(out.dst[7], t.least + up) << t.mnemonic << " round " << round;
    }
  }
}

TEST(Division, ScaledFmaRoundsOnce) {
  // 2^-64 * (1.5 * 2^-75 * (1 + 2^-23) + 2^-76 ...): the exact value against MPFR, in every mode.
  for (const std::string name : {"v_div_fmas_f32", "v_div_fmas_f64"}) {
    const bool is_double = name.ends_with("64");
    uint64_t seed = 31;
    for (const uint32_t mode : {0x3f0u, 0x3f5u, 0x3fau, 0x3ffu}) {
      for (unsigned batch = 0; batch < batches(); ++batch) {
        Case c;
        c.mnemonic = name;
        c.mode = mode;
        c.vcc = 0xaaaaaaaaaaaaaaaa;
        is_double ? fill<F64>(c, ++seed, true) : fill<F32>(c, ++seed, true);
        const Outputs out = run(c);
        const auto expected = [&]<class F>(unsigned lane) -> U {
          const U s[3] = {c.src[0][lane], c.src[1][lane], c.src[2][lane]};
          Env env = ModeBits{mode}.env<F>();
          static oracle::Number v[3], exact(4400), result(F::kPrecision);
          for (unsigned i = 0; i < 3; ++i) oracle::load<F>(v[i], s[i]);
          mpfr_fma(exact, v[0], v[1], v[2], MPFR_RNDN);
          if (mpfr_zero_p(exact.get())) {
            mpfr_fma(result, v[0], v[1], v[2], oracle::rounding(env.round));
            return oracle::store<F>(result);
          }
          if (((c.vcc >> lane) & 1) != 0) {
            const int scale = F::kBits == 32 ? 64 : 128;
            mpfr_mul_2si(exact, exact, oracle::field_of<F>(s[2]) > F::kBias ? scale : -scale,
                         MPFR_RNDN);
          }
          const int ternary = mpfr_set(result, exact, oracle::rounding(env.round));
          return oracle::finish<F>(result.get(), ternary, env).bits;
        };
        for (unsigned lane = 0; lane < 64; ++lane) {
          const U want =
              is_double ? expected.operator()<F64>(lane) : expected.operator()<F32>(lane);
          const U got = is_double ? out.dst[lane] : out.dst[lane] & 0xffffffff;
          ASSERT_EQ(got, want) << name << std::hex << " lane " << lane << " " << c.src[0][lane]
                               << " " << c.src[1][lane] << " " << c.src[2][lane];
        }
      }
    }
  }
}

TEST(Division, FixupCases) {
  constexpr U kInf = 0x7f800000, kMinus = 0x80000000, kOne = 0x3f800000;
  struct Fixup {
    U quotient, den, num, expected;
    unsigned flags;
  };
  const Fixup table[] = {
      {kOne, kOne, 0x7f800001, 0x7fc00001, fp::kInvalid},
      {kOne, 0x7fa00000, kOne, 0x7fe00000, fp::kInvalid},
      {kOne, 0x7fc00002, 0x7fc00003, 0x7fc00003, 0},  // the numerator's NaN wins
      {kOne, 0, kMinus, 0xffc00000, fp::kInvalid},
      {kOne, kInf, kInf | kMinus, 0xffc00000, fp::kInvalid},
      {kOne, kMinus, kOne, kInf | kMinus, fp::kDivideByZero},
      {kOne, kOne, kInf, kInf, 0},
      {kOne, kInf | kMinus, kOne, kMinus, 0},
      {kOne, kOne | kMinus, 0, kMinus, 0},
      {0x40400000, kOne | kMinus, 0x40400000, 0xc0400000, 0},
      {0xc0400000, kOne, 0x40400000, 0x40400000, 0},
      {kOne, 0x7f000000, 0x00800000, 0, fp::kUnderflow | fp::kInexact},  // 2^-253
      {0x7fc00000, 0x40000000, 0xc0400000, kInf | kMinus, 0},            // D3b
  };
  for (const Fixup& f : table) {
    Case c;
    c.mnemonic = "v_div_fixup_f32";
    c.exec = 4;
    c.src[0].fill(f.quotient);
    c.src[1].fill(f.den);
    c.src[2].fill(f.num);
    const Outputs out = run(c);
    EXPECT_EQ(out.dst[2], f.expected) << std::hex << f.quotient << " " << f.den << " " << f.num;
    EXPECT_EQ(out.trapsts, f.flags) << std::hex << f.quotient << " " << f.den << " " << f.num;
  }
  // Half precision: the same rules, one row keeps the other half and one zeroes it.
  struct Half {
    U quotient, den, num, expected;
  };
  const Half halves[] = {{0x3c00, 0x4000, 0xc400, 0xbc00}, {0x3c00, 0, 0x3c00, 0x7c00},
                         {0x3c00, 0, 0, 0xfe00},           {0x3c00, 0x7c00, 0x8001, 0x8000},
                         {0x3c00, 0x7c01, 0x3c00, 0x7e01}, {0x0001, 0x7bff, 0x0400, 0x0001}};
  for (const Half& h : halves) {
    Case c;
    c.src[0].fill(h.quotient);
    c.src[1].fill(h.den);
    c.src[2].fill(h.num);
    c.old.fill(0x12345678);
    c.mnemonic = "v_div_fixup_f16";
    EXPECT_EQ(run(c).dst[9], 0x12340000 | h.expected) << std::hex << h.den << " " << h.num;
    c.mnemonic = "v_div_fixup_legacy_f16";
    EXPECT_EQ(run(c).dst[9], h.expected) << std::hex << h.den << " " << h.num;
  }
}

}  // namespace
}  // namespace cuvette::wave
