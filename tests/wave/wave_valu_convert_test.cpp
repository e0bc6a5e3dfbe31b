// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave_valu_float.h"

// Conversions, packed and mixed floats, dot products, cube maps, trig preop (Vega
// ISA 12.7, 12.9, 12.10).
namespace cuvette::wave {
namespace {

using namespace test;

template <class To, class From>
Env conversion_env(uint32_t mode) {
  Env env = ModeBits{mode}.env<To>();
  env.flush_in = ModeBits{mode}.env<From>().flush_in;
  return env;
}

/// Conversion between formats by MPFR; a NaN keeps sign and top payload bits and becomes quiet.
template <class To, class From>
Expected converted(U x, const Env& env) {
  unsigned flags = 0;
  x = oracle::seen<From>(x, env, flags);
  if (oracle::nan<From>(x)) {
    if (oracle::signaling<From>(x)) flags |= fp::kInvalid;
    U payload = oracle::fraction_of<From>(x);
    constexpr int kUp = To::kFractionBits - From::kFractionBits;
    if constexpr (kUp >= 0) {
      payload <<= kUp;
    } else {
      payload >>= -kUp;
    }
    const U sign = oracle::negative<From>(x) ? oracle::sign_bit<To>() : 0;
    return {sign | To::kInfinity | (U{1} << (To::kFractionBits - 1)) | payload, flags};
  }
  static oracle::Number value(64), result(To::kPrecision);
  oracle::load<From>(value, x);
  const int ternary = mpfr_set(result, value, oracle::rounding(env.round));
  Expected e = oracle::finish<To>(result.get(), ternary, env);
  e.flags |= flags;
  return e;
}

template <class To, class From>
void expect_conversion(const char* mnemonic) {
  uint64_t seed = 400;
  for (const uint32_t mode : kModes) {
    for (unsigned batch = 0; batch < 40 + batches(); ++batch) {
      Case c;
      c.mnemonic = mnemonic;
      c.mode = mode;
      c.exec = batch < 40 ? kExecShapes[batch % 8] : kAllLanes;
      c.mod.omod = batch & 3;
      c.mod.clamp = batch % 5 == 4;
      c.mod.neg = (batch >> 2) & 1;
      fill<From>(c, ++seed);
      if (batch % 2 == 0) {  // values near the ends of the narrower format
        oracle::Generator<To> random(seed);
        for (unsigned lane = 0; lane < 64; lane += 2) {
          static oracle::Number value(64);
          oracle::load<To>(value, random.pattern());
          static oracle::Number narrow(From::kPrecision);
          mpfr_set(narrow, value, MPFR_RNDN);
          Env wide;
          c.src[0][lane] = (c.src[0][lane] & ~low_mask<From>()) |
                           oracle::finish<From>(narrow.get(), 0, wide).bits;
          c.src[0][lane] += lane % 3;
        }
      }
      const Outputs out = run(c);
      const Env env = conversion_env<To, From>(mode);
      unsigned flags = 0;
      for (unsigned lane = 0; lane < 64; ++lane) {
        if (((c.exec >> lane) & 1) == 0) {
          ASSERT_EQ(out.dst[lane], c.old[lane]) << mnemonic;
          continue;
        }
        U x = c.src[0][lane] & low_mask<From>();
        if (c.mod.neg != 0) x ^= oracle::sign_bit<From>();
        const Expected e =
            modified<To>(converted<To, From>(x, env), c.mod, env, ModeBits{mode}.dx10());
        flags |= e.flags;
        const U got = To::kBits == 64 ? out.dst[lane] : out.dst[lane] & 0xffffffff;
        ASSERT_EQ(got, e.bits) << mnemonic << std::hex << " mode " << mode << " of " << x;
      }
      ASSERT_EQ(out.trapsts, flags) << mnemonic << std::hex << " mode " << mode;
    }
  }
}
TEST(Conversions, BetweenFormats) {
  expect_conversion<F16, F32>("v_cvt_f16_f32");
  expect_conversion<F32, F16>("v_cvt_f32_f16");
  expect_conversion<F32, F64>("v_cvt_f32_f64");
  expect_conversion<F64, F32>("v_cvt_f64_f32");
}

/// Truncated, saturated, NaN 0; `direction` for the floor form, `half` added exactly first.
template <class From>
void expect_to_integer(const char* mnemonic, unsigned width, bool is_signed,
                       mpfr_rnd_t direction = MPFR_RNDZ, bool half = false) {
  uint64_t seed = 4000;
  for (const uint32_t mode : {0x3f0u, 0x30fu, 0x300u, 0x0f5u}) {
    for (unsigned batch = 0; batch < 40 + batches(); ++batch) {
      Case c;
      c.mnemonic = mnemonic;
      c.mode = mode;
      c.mod.clamp = (batch & 1) != 0;
      c.exec = batch % 2 == 0 || batch >= 40 ? kAllLanes : U{1} << (batch + 7);
      fill<From>(c, ++seed);
      uint64_t state = seed;
      for (unsigned lane = 0; lane < 64; lane += 2) {  // numbers near the ends and near halves
        static oracle::Number value(From::kPrecision);
        const auto span = static_cast<int64_t>(next_random(state) % 9) - 4;
        const double near[] = {0.5, 1.5, 2147483648.0, 4294967296.0, 32768.0, 65536.0, -0.5, 100.0};
        mpfr_set_d(value, near[(lane / 2) % 8], MPFR_RNDN);
        mpfr_add_d(value, value, static_cast<double>(span) * 0.5, MPFR_RNDZ);
        if (lane % 4 == 0) mpfr_nextbelow(value);
        if (From::kBits == 16 && mpfr_cmp_ui(value, 65504) > 0) continue;
        U bits = oracle::store<From>(value);
        if (lane % 3 == 0) bits ^= oracle::sign_bit<From>();
        c.src[0][lane] = bits;
      }
      const Outputs out = run(c);
      const Env env = ModeBits{mode}.env<From>();
      unsigned flags = 0;
      for (unsigned lane = 0; lane < 64; ++lane) {
        if (((c.exec >> lane) & 1) == 0) continue;
        const U x = oracle::seen<From>(c.src[0][lane] & low_mask<From>(), env, flags);
        int64_t expected = 0;
        if (oracle::nan<From>(x)) {
          flags |= fp::kInvalid;
        } else {
          static oracle::Number value(2200), whole(2200);
          oracle::load<From>(value, x);
          if (half) mpfr_add_d(value, value, 0.5, MPFR_RNDN);
          mpfr_rint(whole, value, direction);
          const double lo = is_signed ? -std::ldexp(1.0, static_cast<int>(width) - 1) : 0.0;
          const double hi = std::ldexp(1.0, static_cast<int>(is_signed ? width - 1 : width)) - 1;
          if (mpfr_cmp_d(whole, lo) < 0 || mpfr_cmp_d(whole, hi) > 0) {
            flags |= fp::kInvalid;
            expected = static_cast<int64_t>(mpfr_sgn(whole.get()) < 0 ? lo : hi);
          } else {
            expected = mpfr_get_si(whole, MPFR_RNDN);
            if (c.mod.clamp && mpfr_cmp(whole.get(), value.get()) != 0) flags |= fp::kInexact;
          }
        }
        const U mask = width == 16 ? 0xffff : 0xffffffff;
        ASSERT_EQ(out.dst[lane] & 0xffffffff, static_cast<U>(expected) & mask)
            << mnemonic << std::hex << " of " << x << " mode " << mode;
      }
      ASSERT_EQ(out.trapsts, flags)
          << mnemonic << " clamp " << c.mod.clamp << std::hex << " mode " << mode;
    }
  }
}
TEST(Conversions, ToIntegers) {
  expect_to_integer<F32>("v_cvt_i32_f32", 32, true);
  expect_to_integer<F32>("v_cvt_u32_f32", 32, false);
  expect_to_integer<F64>("v_cvt_i32_f64", 32, true);
  expect_to_integer<F64>("v_cvt_u32_f64", 32, false);
  expect_to_integer<F16>("v_cvt_i16_f16", 16, true);
  expect_to_integer<F16>("v_cvt_u16_f16", 16, false);
  expect_to_integer<F32>("v_cvt_flr_i32_f32", 32, true, MPFR_RNDD);
  expect_to_integer<F32>("v_cvt_rpi_i32_f32", 32, true, MPFR_RNDD, true);
}

template <class To>
void expect_from_integer(const char* mnemonic, int64_t (*value_of)(U)) {
  uint64_t state = 60;
  for (const uint32_t mode : kModes) {
    for (unsigned batch = 0; batch < batches(); ++batch) {
      Case c;
      c.mnemonic = mnemonic;
      c.mode = mode;
      c.mod.omod = batch & 3;
      for (unsigned lane = 0; lane < 64; ++lane) {
        c.src[0][lane] = (next_random(state) >> (lane % 32)) & 0xffffffff;
        if (lane < 8) c.src[0][lane] = U{0x80000000} >> (4 * lane);
        if (lane >= 8 && lane < 12) c.src[0][lane] = U{0xffffffff} << (lane - 8) & 0xffffffff;
      }
      c.src[0][12] = 0;
      const Outputs out = run(c);
      const Env env = ModeBits{mode}.env<To>();
      unsigned flags = 0;
      for (unsigned lane = 0; lane < 64; ++lane) {
        static oracle::Number result(To::kPrecision);
        const int ternary =
            mpfr_set_si(result, value_of(c.src[0][lane]), oracle::rounding(env.round));
        const Expected e = modified<To>(oracle::finish<To>(result.get(), ternary, env), c.mod, env,
                                        ModeBits{mode}.dx10());
        flags |= e.flags;
        const U got = To::kBits == 64 ? out.dst[lane] : out.dst[lane] & 0xffffffff;
        ASSERT_EQ(got, e.bits) << mnemonic << std::hex << " of " << c.src[0][lane];
      }
      ASSERT_EQ(out.trapsts, flags) << mnemonic;
    }
  }
}
TEST(Conversions, FromIntegers) {
  const auto as_signed = [](U x) { return int64_t{static_cast<int32_t>(x)}; };
  const auto as_unsigned = [](U x) { return static_cast<int64_t>(x); };
  expect_from_integer<F32>("v_cvt_f32_i32", as_signed);
  expect_from_integer<F32>("v_cvt_f32_u32", as_unsigned);
  expect_from_integer<F64>("v_cvt_f64_i32", as_signed);
  expect_from_integer<F64>("v_cvt_f64_u32", as_unsigned);
  expect_from_integer<F16>("v_cvt_f16_i16", [](U x) { return int64_t{static_cast<int16_t>(x)}; });
  expect_from_integer<F16>("v_cvt_f16_u16", [](U x) { return static_cast<int64_t>(x & 0xffff); });
  expect_from_integer<F32>("v_cvt_f32_ubyte0", [](U x) { return static_cast<int64_t>(x & 255); });
  expect_from_integer<F32>("v_cvt_f32_ubyte1",
                           [](U x) { return static_cast<int64_t>((x >> 8) & 255); });
  expect_from_integer<F32>("v_cvt_f32_ubyte2",
                           [](U x) { return static_cast<int64_t>((x >> 16) & 255); });
  expect_from_integer<F32>("v_cvt_f32_ubyte3", [](U x) { return static_cast<int64_t>(x >> 24); });
}

TEST(Conversions, SignedNibbles) {
  // Vega ISA 12.7 row 14: 8 is -0.5, each step a sixteenth.
  Case c;
  c.mnemonic = "v_cvt_off_f32_i4";
  for (unsigned lane = 0; lane < 64; ++lane) c.src[0][lane] = lane * 0x11;
  const Outputs out = run(c);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const unsigned nibble = (lane * 0x11) & 15;
    const float value =
        (nibble < 8 ? static_cast<float>(nibble) : static_cast<float>(nibble) - 16) / 16;
    EXPECT_EQ(static_cast<uint32_t>(out.dst[lane]), std::bit_cast<uint32_t>(value));
  }
}

/// x * scale held in range and rounded by `round`; NaN gives 0.
template <class F>
U normalized(U x, bool is_signed, fp::Round round) {
  if (oracle::nan<F>(x)) return 0;
  static oracle::Number value(128), whole(128);
  oracle::load<F>(value, x);
  if (mpfr_cmp_si(value, is_signed ? -1 : 0) < 0) mpfr_set_si(value, is_signed ? -1 : 0, MPFR_RNDN);
  if (mpfr_cmp_si(value, 1) > 0) mpfr_set_si(value, 1, MPFR_RNDN);
  mpfr_mul_si(value, value, is_signed ? 32767 : 65535, MPFR_RNDN);
  if (round == fp::Round::NearestEven) {
    mpfr_roundeven(whole, value);
  } else {
    mpfr_rint(whole, value, oracle::rounding(round));
  }
  return static_cast<U>(mpfr_get_si(whole, MPFR_RNDN)) & 0xffff;
}
template <class F>
void expect_normalized(const char* mnemonic, bool is_signed, bool pair) {
  uint64_t seed = 900;
  for (const uint32_t mode : {0x3f0u, 0x3ffu, 0x3f5u}) {
    for (unsigned batch = 0; batch < batches(); ++batch) {
      Case c;
      c.mnemonic = mnemonic;
      c.mode = mode;
      fill<F>(c, ++seed);
      for (unsigned lane = 0; lane < 64; lane += 2) {  // exponents around one
        c.src[0][lane] = (c.src[0][lane] & F::kFractionMask) |
                         (U{F::kBias} - lane % 18) << F::kFractionBits |
                         (lane & 4) << (F::kBits - 3);
      }
      const Outputs out = run(c);
      const fp::Round round = ModeBits{mode}.env<F>().round;
      for (unsigned lane = 0; lane < 64; ++lane) {
        U expected = normalized<F>(c.src[0][lane] & low_mask<F>(), is_signed, round);
        if (pair) {
          expected |= normalized<F>(c.src[1][lane] & low_mask<F>(), is_signed, round) << 16;
        }
        ASSERT_EQ(out.dst[lane] & 0xffffffff, expected)
            << mnemonic << std::hex << " of " << c.src[0][lane] << " " << c.src[1][lane];
      }
    }
  }
}
TEST(Conversions, NormalizedIntegers) {
  expect_normalized<F16>("v_cvt_norm_i16_f16", true, false);
  expect_normalized<F16>("v_cvt_norm_u16_f16", false, false);
  expect_normalized<F16>("v_cvt_pknorm_i16_f16", true, true);
  expect_normalized<F16>("v_cvt_pknorm_u16_f16", false, true);
  expect_normalized<F32>("v_cvt_pknorm_i16_f32", true, true);
  expect_normalized<F32>("v_cvt_pknorm_u16_f32", false, true);
}

// OMOD and CLAMP change each half; OMOD takes part in the last mode only.
TEST(Conversions, PackTowardZero) {
  for (const uint32_t mode : {0x3f0u, 0x3f5u, 0x3b0u, 0x130u}) {
    for (unsigned modifiers = 0; modifiers < 8; ++modifiers) {
      Case c;
      c.mnemonic = "v_cvt_pkrtz_f16_f32";
      c.mode = mode;
      c.mod.omod = modifiers & 3;
      c.mod.clamp = modifiers >= 4;
      fill<F32>(c, 5);
      for (unsigned lane = 0; lane < 64; lane += 2) c.src[0][lane] = 0x33800000 + lane * 0x300123;
      const Outputs out = run(c);
      Env env = conversion_env<F16, F32>(mode);
      env.round = fp::Round::Zero;
      const auto half = [&](U x) {
        return modified<F16>(converted<F16, F32>(x, env), c.mod, env, ModeBits{mode}.dx10()).bits;
      };
      for (unsigned lane = 0; lane < 64; ++lane) {
        const U expected = half(c.src[0][lane]) | half(c.src[1][lane]) << 16;
        ASSERT_EQ(out.dst[lane] & 0xffffffff, expected)
            << "v_cvt_pkrtz_f16_f32 " << std::hex << c.src[0][lane] << " modifiers " << modifiers;
      }
    }
  }
}

TEST(Conversions, PackBytes) {
  // 0x40200000 is 2.5: even 2 to nearest, 3 upwards.
  const std::pair<uint32_t, unsigned> numbers[] = {
      {0x40200000, 2}, {0x40600000, 4}, {0x437f0000, 255}, {0x43800000, 255},
      {0xbf800000, 0}, {0x7fc00000, 0}, {0x7f800000, 255}, {0x3f000000, 0}};
  for (const char* name : {"v_cvt_pk_u8_f32", "v_cvt_pkaccum_u8_f32"}) {
    Case c;
    c.mnemonic = name;
    for (unsigned lane = 0; lane < 64; ++lane) {
      c.src[0][lane] = numbers[lane % 8].first;
      c.src[1][lane] = lane / 8 | 0xf0;
      c.src[2][lane] = 0x11223344;
      c.old[lane] = 0x55667788;
    }
    const Outputs out = run(c);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const unsigned shift = 8 * (lane / 8 % 4);
      const U rest = std::string(name) == "v_cvt_pk_u8_f32" ? 0x11223344 : 0x55667788;
      const U expected = (rest & ~(U{255} << shift)) | U{numbers[lane % 8].second} << shift;
      EXPECT_EQ(out.dst[lane], expected) << name << " lane " << lane;
    }
  }
}

TEST(Conversions, Exponents) {
  // frexp of C, with 0 for zero, infinity and NaN.
  for (const char* name : {"v_frexp_exp_i32_f32", "v_frexp_exp_i32_f64", "v_frexp_exp_i16_f16"}) {
    Case c;
    c.mnemonic = name;
    const bool is_double = std::string(name).ends_with("64");
    const bool is_half = std::string(name).ends_with("f16");
    for (unsigned batch = 0; batch < batches(); ++batch) {
      if (is_double) {
        fill<F64>(c, batch);
      } else if (is_half) {
        fill<F16>(c, batch);
      } else {
        fill<F32>(c, batch);
      }
      const Outputs out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        static oracle::Number value(64), mantissa(64);
        if (is_double) {
          oracle::load<F64>(value, c.src[0][lane]);
        } else if (is_half) {
          oracle::load<F16>(value, c.src[0][lane] & 0xffff);
        } else {
          oracle::load<F32>(value, c.src[0][lane]);
        }
        mpfr_exp_t exponent = 0;
        if (mpfr_regular_p(value.get())) mpfr_frexp(&exponent, mantissa, value, MPFR_RNDN);
        const U mask = is_half ? 0xffff : 0xffffffff;
        ASSERT_EQ(out.dst[lane] & 0xffffffff, static_cast<U>(exponent) & mask)
            << name << std::hex << " of " << c.src[0][lane];
      }
    }
  }
}

TEST(Conversions, EightBitFloats) {
  // E4M3 bias 8 and E5M2 bias 16, no infinity, 0x80 is NaN: by their definition.
  const auto value_of = [](unsigned x, int fraction, int bias) {
    const int field = static_cast<int>((x & 0x7f) >> fraction);
    const double m = x & ((1u << fraction) - 1);
    const double magnitude = field == 0 ? std::ldexp(m, 1 - bias - fraction)
                                        : std::ldexp(m + (1 << fraction), field - bias - fraction);
    return static_cast<float>((x & 0x80) != 0 ? -magnitude : magnitude);
  };
  for (const bool bf8 : {false, true}) {
    const int fraction = bf8 ? 2 : 3;
    const int bias = bf8 ? 16 : 8;
    for (unsigned base = 0; base < 256; base += 64) {
      Case c;
      c.target = isa::Target::Gfx942;
      c.mnemonic = bf8 ? "v_cvt_f32_bf8" : "v_cvt_f32_fp8";
      for (unsigned lane = 0; lane < 64; ++lane) c.src[0][lane] = (base + lane) | 0x3300;
      const Outputs one = run(c);
      c.mnemonic = bf8 ? "v_cvt_pk_f32_bf8" : "v_cvt_pk_f32_fp8";
      const Outputs two = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        if (base + lane == 0x80) {
          EXPECT_EQ(one.dst[lane] & 0x7fffffff, 0x7fc00000u) << c.mnemonic;
          continue;
        }
        const uint32_t expected = std::bit_cast<uint32_t>(value_of(base + lane, fraction, bias));
        EXPECT_EQ(one.dst[lane] & 0xffffffff, expected) << c.mnemonic << " " << base + lane;
        const uint32_t upper = std::bit_cast<uint32_t>(value_of(0x33, fraction, bias));
        EXPECT_EQ(two.dst[lane], U{expected} | U{upper} << 32) << c.mnemonic;
      }
      // Back: every value converts to its own pattern, into the half op_sel[3] names.
      c.mnemonic = bf8 ? "v_cvt_pk_bf8_f32" : "v_cvt_pk_fp8_f32";
      for (unsigned lane = 0; lane < 64; ++lane) {
        c.src[0][lane] = one.dst[lane] & 0xffffffff;
        c.src[1][lane] = 0x3f800000;  // 1.0
        c.old[lane] = 0xaaaabbbb;
      }
      const U one_bits = bf8 ? 0x40 : 0x40;
      const Outputs low = run(c);
      c.mod.op_sel = 8;
      const Outputs high = run(c);
      c.mod.op_sel = 0;
      for (unsigned lane = 0; lane < 64; ++lane) {
        const U pair = (base + lane) | one_bits << 8;
        EXPECT_EQ(low.dst[lane], 0xaaaa0000 | pair) << c.mnemonic << " " << base + lane;
        EXPECT_EQ(high.dst[lane], 0xbbbb | pair << 16) << c.mnemonic << " " << base + lane;
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::wave
