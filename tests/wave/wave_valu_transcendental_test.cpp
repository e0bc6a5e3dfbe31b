// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fp/transcendental.h"
#include "fp_transcendental_oracle.h"
#include "wave_valu_float.h"

// The rows of exp, log, sin and cos against MPFR, over modes, modifiers and EXEC shapes; stochastic
// rounding to 8-bit floats.
namespace cuvette::wave {
namespace {

using namespace test;
using oracle::Function;

/// The layer fp is judged for itself (fp_transcendental_test, fp_exhaustive): here, of the two F32
/// numbers around an exact value, the one it takes is right when it is within the documented bound.
template <Function kFunction>
uint32_t taken(uint32_t x, Env env) {
  if constexpr (kFunction == Function::Exp) return fp::v_exp<F32>(x, env);
  if constexpr (kFunction == Function::Log) return fp::v_log<F32>(x, env);
  if constexpr (kFunction == Function::Sin) return fp::v_sin<F32>(x, env);
  return fp::v_cos<F32>(x, env);
}

template <class F, Function kFunction>
Expected ref_function(const U* s, const Env& env) {
  oracle::MachineExpected e = oracle::machine_expected<F>(kFunction, s[0], env);
  if (F::kBits == 32 && !e.special) {
    const uint32_t candidate = taken<kFunction>(static_cast<uint32_t>(s[0]), env);
    if (candidate != e.nearest.bits &&
        oracle::error_in_ulp<F>(kFunction, s[0], candidate) <= 0.505) {
      e.nearest.bits = candidate;
    }
  }
  return e.nearest;
}

TEST(TranscendentalRows, Single) {
  expect_rows<F32>({
      {"v_exp_f32", 1, ref_function<F32, Function::Exp>},
      {"v_log_f32", 1, ref_function<F32, Function::Log>},
      {"v_sin_f32", 1, ref_function<F32, Function::Sin>},
      {"v_cos_f32", 1, ref_function<F32, Function::Cos>},
      {"v_exp_legacy_f32", 1, ref_function<F32, Function::Exp>},
      {"v_log_legacy_f32", 1, ref_function<F32, Function::Log>},
  });
}
TEST(TranscendentalRows, Half) {
  expect_rows<F16>({
      {"v_exp_f16", 1, ref_function<F16, Function::Exp>},
      {"v_log_f16", 1, ref_function<F16, Function::Log>},
      {"v_sin_f16", 1, ref_function<F16, Function::Sin>},
      {"v_cos_f16", 1, ref_function<F16, Function::Cos>},
  });
}

struct Small {
  const char* mnemonic;
  int fraction, bias, min_exponent;
  unsigned random_bits;
};
constexpr Small kSmall[] = {{"v_cvt_sr_fp8_f32", 3, 8, -7, 20},
                            {"v_cvt_sr_bf8_f32", 2, 16, -15, 21}};

/// The definition in numbers: |x| in units in the last place plus a fraction of random bits, cut.
unsigned stochastic(const Small& format, uint32_t x, uint32_t random, bool clamps) {
  if ((x & 0x7fffffff) >= 0x7f800000) return 0x80;
  static oracle::Number value(300), fraction(300);
  oracle::load<F32>(value, x & 0x7fffffff);
  if (mpfr_zero_p(value.get())) return 0;
  const int e = std::max(static_cast<int>(mpfr_get_exp(value.get())) - 1, format.min_exponent);
  mpfr_mul_2si(value, value, format.fraction - e, MPFR_RNDN);
  mpfr_set_ui_2exp(fraction, random >> (32 - format.random_bits),
                   -static_cast<long>(format.random_bits), MPFR_RNDN);
  mpfr_add(value, value, fraction, MPFR_RNDN);
  mpfr_floor(value, value);
  // Past the range of an int after scaling by 2^e: 2^9 suffices for FP8, 2^17 for BF8.
  if (e > 20) return clamps ? ((x >> 31) << 7 | 0x7f) : 0x80;
  const auto units = static_cast<uint64_t>(mpfr_get_ui(value.get(), MPFR_RNDN));
  // Biased exponent of the unit; a carry or a missing leading bit takes care of itself.
  const uint64_t bits = (static_cast<uint64_t>(e + format.bias - 1) << format.fraction) + units;
  if (bits > 0x7f) return clamps ? ((x >> 31) << 7 | 0x7f) : 0x80;
  return bits == 0 ? 0 : static_cast<unsigned>((x >> 31) << 7 | bits);
}

TEST(TranscendentalRows, StochasticRounding) {
  uint64_t state = 99;
  for (const Small& format : kSmall) {
    for (unsigned batch = 0; batch < 400 + batches(); ++batch) {
      Case c;
      c.target = isa::Target::Gfx942;
      c.mnemonic = format.mnemonic;
      c.mod.op_sel = static_cast<uint8_t>((batch & 3) << 2);
      c.mod.neg = (batch & 4) != 0 ? 1 : 0;
      c.mode = (batch & 8) != 0 ? kDefaultMode | 1u << 23 : kDefaultMode;
      c.exec = batch < 400 ? kExecShapes[batch % 8] : kAllLanes;
      oracle::Generator<F32> generator(batch);
      for (unsigned lane = 0; lane < 64; ++lane) {
        // Half of the numbers within the small format's range and around its steps.
        const uint64_t around =
            (next_random(state) & 0x80ffffff) |
            (0x3f800000 - (uint64_t{20} << 23) + ((next_random(state) % 40) << 23));
        c.src[0][lane] = batch % 2 == 0 ? generator.pattern() : around & 0xffffffff;
        c.src[1][lane] = lane % 5 == 0 ? 0xffffffff : next_random(state) & 0xffffffff;
        if (lane % 7 == 0) c.src[1][lane] = 0;
        c.old[lane] = next_random(state) & 0xffffffff;
      }
      const Outputs out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        U expected = c.old[lane];
        if (((c.exec >> lane) & 1) != 0) {
          auto x = static_cast<uint32_t>(c.src[0][lane]);
          if (c.mod.neg != 0) x ^= 0x80000000;
          const unsigned value =
              stochastic(format, x, static_cast<uint32_t>(c.src[1][lane]), (c.mode >> 23 & 1) != 0);
          const unsigned shift = 8 * (batch & 3);
          expected = (expected & ~(U{0xff} << shift)) | U{value} << shift;
        }
        ASSERT_EQ(out.dst[lane], expected)
            << std::hex << c.mnemonic << " " << c.src[0][lane] << " random " << c.src[1][lane];
      }
    }
  }
}

/// By hand: 1 + 2^-4 is half way between the FP8 numbers 0x40 and 0x41.
TEST(TranscendentalRows, StochasticRoundingByHand) {
  Case c;
  c.target = isa::Target::Gfx942;
  c.mnemonic = "v_cvt_sr_fp8_f32";
  c.src[0].fill(0x3f880000);
  c.src[1].fill(0x7fffffff);
  EXPECT_EQ(run(c).dst[0], 0x40u);
  c.src[1].fill(0x80000000);
  EXPECT_EQ(run(c).dst[0], 0x41u);
  EXPECT_EQ(run(c).trapsts & kFlagMask, unsigned{fp::kInexact});
  c.src[0].fill(0x3f800000);  // an exact number is never moved
  c.src[1].fill(0xffffffff);
  EXPECT_EQ(run(c).dst[0], 0x40u);
  EXPECT_EQ(run(c).trapsts & kFlagMask, 0u);
  c.mnemonic = "v_cvt_sr_bf8_f32";
  c.src[0].fill(0xbfa00000);  // -1.25: a step of BF8 itself
  EXPECT_EQ(run(c).dst[0], 0xc1u);
}

}  // namespace
}  // namespace cuvette::wave
