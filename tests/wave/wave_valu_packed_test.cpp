// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/decode.h"
#include "wave_valu_float.h"

// Packed and mixed floats, dot products, cube maps, trig preop (Vega ISA 12.9, 12.10; MI100
// ISA 6.7).
namespace cuvette::wave {
namespace {

using namespace test;

template <class F, int Op>  // 0 add, 1 mul, 2 fma
Expected arithmetic(const U* s, const Env& env) {
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) {
        if (Op == 0) return mpfr_add(r, v[0], v[1], m);
        if (Op == 1) return mpfr_mul(r, v[0], v[1], m);
        return mpfr_fma(r, v[0], v[1], v[2], m);
      },
      s, Op == 2 ? 3 : 2, env);
}
/// Minimum and maximum of numbers and quiet NaNs; signaling ones are in the scalar rows' test.
template <bool Max>
Expected select(const U* s, const Env& env) {
  unsigned flags = 0;
  const U a = oracle::seen<F16>(s[0], env, flags);
  const U b = oracle::seen<F16>(s[1], env, flags);
  for (const U x : {a, b}) {
    if (env.ieee && oracle::signaling<F16>(x)) return {x | 0x200, flags | fp::kInvalid};
  }
  if (oracle::nan<F16>(a)) return {b, flags};
  if (oracle::nan<F16>(b)) return {a, flags};
  const auto key = [](U x) {
    const int magnitude = static_cast<int>(x & 0x7fff);
    return (x & 0x8000) != 0 ? -magnitude - 1 : magnitude;
  };
  return {(key(a) < key(b)) != Max ? a : b, flags};
}

struct Packed {
  const char* mnemonic;
  Expected (*reference)(const U*, const Env&);
};

TEST(PackedRows, Halves) {
  const Packed rows[] = {{"v_pk_add_f16", arithmetic<F16, 0>},
                         {"v_pk_mul_f16", arithmetic<F16, 1>},
                         {"v_pk_fma_f16", arithmetic<F16, 2>},
                         {"v_pk_min_f16", select<false>},
                         {"v_pk_max_f16", select<true>}};
  uint64_t seed = 7000;
  for (const Packed& row : rows) {
    for (const uint32_t mode : {0x3f0u, 0x3ffu, 0x1fau, 0x8003f0u}) {
      for (unsigned batch = 0; batch < 64 + batches(); ++batch) {
        Case c;
        c.mnemonic = row.mnemonic;
        c.mode = mode;
        c.exec = batch < 64 ? kExecShapes[batch % 8] : kAllLanes;
        c.mod.op_sel = static_cast<uint8_t>((batch * 3) & 7);
        c.mod.op_sel_hi = static_cast<uint8_t>(7 - (batch & 7));
        c.mod.neg = static_cast<uint8_t>((batch * 5) & 7);
        c.mod.neg_hi = static_cast<uint8_t>((batch >> 2) & 7);
        c.mod.clamp = batch % 7 == 6;
        fill<F16>(c, ++seed);
        const Outputs out = run(c);
        const Env env = ModeBits{mode}.env<F16>();
        unsigned flags = 0;
        for (unsigned lane = 0; lane < 64; ++lane) {
          U expected = c.old[lane];
          if (((c.exec >> lane) & 1) != 0) {
            expected &= ~U{0xffffffff};
            for (const bool high : {false, true}) {
              const unsigned sel = high ? c.mod.op_sel_hi : c.mod.op_sel;
              const unsigned neg = high ? c.mod.neg_hi : c.mod.neg;
              U s[3];
              for (unsigned i = 0; i < 3; ++i) {
                s[i] = (((sel >> i) & 1) != 0 ? c.src[i][lane] >> 16 : c.src[i][lane]) & 0xffff;
                if (((neg >> i) & 1) != 0) s[i] ^= 0x8000;
              }
              const Expected e =
                  modified<F16>(row.reference(s, env), c.mod, env, ModeBits{mode}.dx10());
              flags |= e.flags;
              expected |= e.bits << (high ? 16 : 0);
            }
          }
          ASSERT_EQ(out.dst[lane], expected) << row.mnemonic << std::hex << " mode " << mode;
        }
        ASSERT_EQ(out.trapsts, flags) << row.mnemonic;
      }
    }
  }
}

TEST(PackedRows, Accumulating) {
  uint64_t seed = 70;
  for (unsigned batch = 0; batch < batches(); ++batch) {
    Case c;
    c.mnemonic = "v_pk_fmac_f16";
    fill<F16>(c, ++seed);
    const Outputs out = run(c);
    const Env env = ModeBits{c.mode}.env<F16>();
    for (unsigned lane = 0; lane < 64; ++lane) {
      U expected = 0;
      for (const unsigned shift : {0u, 16u}) {
        const U s[3] = {(c.src[0][lane] >> shift) & 0xffff, (c.src[1][lane] >> shift) & 0xffff,
                        (c.old[lane] >> shift) & 0xffff};
        expected |= arithmetic<F16, 2>(s, env).bits << shift;
      }
      ASSERT_EQ(out.dst[lane] & 0xffffffff, expected) << "v_pk_fmac_f16";
    }
  }
}

TEST(PackedRows, Singles) {
  const Packed rows[] = {{"v_pk_add_f32", arithmetic<F32, 0>},
                         {"v_pk_mul_f32", arithmetic<F32, 1>},
                         {"v_pk_fma_f32", arithmetic<F32, 2>}};
  uint64_t seed = 7700;
  for (const Packed& row : rows) {
    for (const uint32_t mode : {0x3f0u, 0x3c3u, 0x100u}) {
      for (unsigned batch = 0; batch < 64 + batches(); ++batch) {
        Case c, upper;
        c.mnemonic = row.mnemonic;
        c.target = isa::Target::Gfx90a;
        c.mode = mode;
        c.mod.op_sel = static_cast<uint8_t>((batch * 3) & 7);
        c.mod.op_sel_hi = static_cast<uint8_t>(7 - (batch & 7));
        c.mod.neg = static_cast<uint8_t>((batch * 5) & 7);
        c.mod.neg_hi = static_cast<uint8_t>((batch >> 2) & 7);
        fill<F32>(c, ++seed);
        fill<F32>(upper, ++seed);
        for (unsigned s = 0; s < 3; ++s) {
          for (unsigned lane = 0; lane < 64; ++lane) c.src[s][lane] |= upper.src[s][lane] << 32;
        }
        const Outputs out = run(c);
        const Env env = ModeBits{mode}.env<F32>();
        unsigned flags = 0;
        for (unsigned lane = 0; lane < 64; ++lane) {
          U expected = 0;
          for (const bool high : {false, true}) {
            const unsigned sel = high ? c.mod.op_sel_hi : c.mod.op_sel;
            const unsigned neg = high ? c.mod.neg_hi : c.mod.neg;
            U s[3];
            for (unsigned i = 0; i < 3; ++i) {
              s[i] = (((sel >> i) & 1) != 0 ? c.src[i][lane] >> 32 : c.src[i][lane]) & 0xffffffff;
              if (((neg >> i) & 1) != 0) s[i] ^= 0x80000000;
            }
            const Expected e = row.reference(s, env);
            flags |= e.flags;
            expected |= e.bits << (high ? 32 : 0);
          }
          ASSERT_EQ(out.dst[lane], expected) << row.mnemonic << std::hex << " mode " << mode;
        }
        ASSERT_EQ(out.trapsts, flags) << row.mnemonic;
      }
    }
  }
}

/// An F16 pattern as the F32 of the same value; NaNs are not used.
U widened(U half) {
  static oracle::Number value(64);
  oracle::load<F16>(value, half);
  return oracle::store<F32>(value);
}

TEST(MixedRows, MultiplyAdd) {
  uint64_t seed = 1234;
  for (const char* name : {"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16", "v_mad_mix_f32",
                           "v_mad_mixlo_f16", "v_mad_mixhi_f16"}) {
    const std::string mnemonic = name;
    const bool fused = mnemonic.find("fma") != std::string::npos;
    for (unsigned batch = 0; batch < 256 + batches(); ++batch) {
      Case c, halves;
      c.mnemonic = name;
      c.target = fused ? isa::Target::Gfx908 : isa::Target::Gfx900;
      c.mod.op_sel = batch & 7;
      c.mod.op_sel_hi = static_cast<uint8_t>((batch >> 3) & 7);
      c.mod.neg = static_cast<uint8_t>((batch * 7) & 7);
      c.mod.neg_hi = static_cast<uint8_t>((batch >> 5) & 7);
      c.mod.clamp = batch % 9 == 8;
      fill<F32>(c, ++seed, true);
      fill<F16>(halves, ++seed, true);
      for (unsigned s = 0; s < 3; ++s) {
        for (unsigned lane = 0; lane < 64; ++lane) {
          U& x = c.src[s][lane];
          if (((c.mod.op_sel_hi >> s) & 1) != 0) {
            x = halves.src[s][lane] & 0xffffffff;
            if (((x >> 26) & 31) == 31) x ^= 0x40000000;
          } else {  // numbers that half precision can meet
            x = (x & 0x807fffff) | ((100 + (x >> 23) % 50) << 23);
          }
        }
      }
      const Outputs out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        U s[3];
        for (unsigned i = 0; i < 3; ++i) {
          s[i] = c.src[i][lane];
          if (((c.mod.op_sel_hi >> i) & 1) != 0) {
            s[i] = widened((((c.mod.op_sel >> i) & 1) != 0 ? s[i] >> 16 : s[i]) & 0xffff);
          }
          if (((c.mod.neg_hi >> i) & 1) != 0) s[i] &= 0x7fffffff;
          if (((c.mod.neg >> i) & 1) != 0) s[i] ^= 0x80000000;
        }
        Env env = ModeBits{c.mode}.env<F32>();
        Expected e;
        if (fused) {
          e = arithmetic<F32, 2>(s, env);
        } else {  // decisions.md D5: two roundings, flushed
          env.flush_in = env.flush_out = true;
          const U sum[2] = {arithmetic<F32, 1>(s, env).bits, s[2]};
          e = arithmetic<F32, 0>(sum, env);
        }
        U expected = c.old[lane];
        if (mnemonic.ends_with("f32")) {
          e = modified<F32>(e, c.mod, env, true);
          expected = (expected & ~U{0xffffffff}) | e.bits;
        } else {
          static oracle::Number value(64), result(F16::kPrecision);
          oracle::load<F32>(value, e.bits);
          Env narrow = ModeBits{c.mode}.env<F16>();
          if (!fused) narrow.flush_out = true;  // decisions.md D53
          const int ternary = mpfr_set(result, value, MPFR_RNDN);
          e = modified<F16>(oracle::finish<F16>(result.get(), ternary, narrow), c.mod, narrow,
                            true);
          const unsigned shift = mnemonic.find("mixhi") != std::string::npos ? 16 : 0;
          expected = (expected & ~(U{0xffff} << shift)) | e.bits << shift;
        }
        ASSERT_EQ(out.dst[lane], expected)
            << name << std::hex << " op_sel " << unsigned{c.mod.op_sel} << " hi "
            << unsigned{c.mod.op_sel_hi} << " lane " << lane;
      }
    }
  }
}

/// Subnormal operands by decisions.md D52, with every setting of the MODE fields that would say
/// otherwise.
TEST(MixedRows, DotOfHalves) {
  constexpr isa::Target kTargets[] = {isa::Target::Gfx908, isa::Target::Gfx90a, isa::Target::Gfx942,
                                      isa::Target::Gfx906};
  uint64_t seed = 4321;
  for (const std::string name : {"v_dot2_f32_f16", "v_dot2c_f32_f16"}) {
    const bool accumulates = name == "v_dot2c_f32_f16";
    for (unsigned batch = 0; batch < 256 + batches(); ++batch) {
      Case c, halves;
      c.mnemonic = name;
      c.target = kTargets[batch % (accumulates ? 3 : 4)];
      c.mode = (c.mode & ~0xf0u) | (batch / 4 % 16) << 4;
      fill<F32>(c, ++seed, true);
      fill<F16>(halves, ++seed, true);
      for (unsigned s = 0; s < 2; ++s) {
        for (unsigned lane = 0; lane < 64; ++lane) {
          U x = halves.src[s][lane] & 0xffffffff;
          if (((x >> 26) & 31) == 31) x ^= 0x40000000;
          // Now and then a subnormal one, and an addend that is.
          if (lane % 4 == 1) x &= 0x83ff83ff;
          c.src[s][lane] = x;
        }
      }
      for (unsigned lane = 0; lane < 64; lane += 8) {
        c.src[2][lane] &= 0x807fffff;
        c.old[lane] &= 0x807fffff;
      }
      if (!accumulates) {
        c.mod.op_sel = batch & 3;
        c.mod.op_sel_hi = static_cast<uint8_t>(3 - ((batch >> 2) & 3));
        c.mod.neg = static_cast<uint8_t>((batch >> 1) & 7);
        c.mod.neg_hi = static_cast<uint8_t>((batch >> 3) & 3);
      }
      const Outputs out = run(c);
      Env env = ModeBits{c.mode}.env<F32>();
      env.flush_out = true;
      for (unsigned lane = 0; lane < 64; ++lane) {
        U sum = (accumulates ? c.old[lane] : c.src[2][lane]) & 0xffffffff;
        if ((c.mod.neg & 4) != 0) sum ^= 0x80000000;
        if ((sum & 0x7f800000) == 0 && (sum & 0x7fffffff) != 0) sum = 0;
        for (const bool high : {false, true}) {
          U s[3] = {0, 0, sum};
          for (unsigned i = 0; i < 2; ++i) {
            const unsigned sel = high ? c.mod.op_sel_hi : c.mod.op_sel;
            const bool upper = accumulates ? high : ((sel >> i) & 1) != 0;
            U half = (upper ? c.src[i][lane] >> 16 : c.src[i][lane]) & 0xffff;
            if ((((high ? c.mod.neg_hi : c.mod.neg) >> i) & 1) != 0) half ^= 0x8000;
            const bool subnormal = (half & 0x7c00) == 0 && (half & 0x7fff) != 0;
            s[i] = widened(subnormal && c.target == isa::Target::Gfx90a ? 0 : half);
          }
          sum = arithmetic<F32, 2>(s, env).bits;
        }
        ASSERT_EQ(out.dst[lane] & 0xffffffff, sum) << name << " batch " << batch;
      }
    }
  }
}

/// Values worked out by hand: -2^-24 * 2^-14 of halves (decisions.md D52), 2^-10 * 2^-10 (D53).
TEST(MixedRows, SubnormalsWhateverModeSays) {
  const auto dot = [](isa::Target target, const char* name, uint32_t mode, U a, U b, U c) {
    Case one;
    one.mnemonic = name;
    one.target = target;
    one.mode = mode;
    one.mod.op_sel_hi = one.mnemonic == "v_dot2_f32_f16" ? 7 : 0;
    one.src[0].fill(a);
    one.src[1].fill(b);
    one.src[2].fill(c);
    one.old.fill(c);
    return run(one);
  };
  constexpr uint32_t kKept = 0x3f0, kFlushed = 0x300;
  constexpr unsigned kInputDenormal = 2, kUnderflow = 16, kInexact = 32;
  for (const uint32_t mode : {kKept, kFlushed}) {
    for (const isa::Target target :
         {isa::Target::Gfx906, isa::Target::Gfx908, isa::Target::Gfx90a, isa::Target::Gfx942}) {
      const bool clears = target == isa::Target::Gfx90a;
      for (const char* name : {"v_dot2_f32_f16", "v_dot2c_f32_f16"}) {
        if (target == isa::Target::Gfx906 && name[6] == 'c') continue;  // it has none
        const Outputs product = dot(target, name, mode, 0x8001, 0x0400, 0);
        EXPECT_EQ(product.dst[9] & 0xffffffff, clears ? 0u : 0xac800000u) << name << mode;
        EXPECT_EQ(product.trapsts, clears ? 0u : kInputDenormal) << name << mode;
        // A flushed product is +0, and +0 - 0 is +0.
        const Outputs positive = dot(target, name, mode, 0x80008000, 0x3c003c00, 0x80000001);
        EXPECT_EQ(positive.dst[9] & 0xffffffff, 0u) << name << mode;
        EXPECT_EQ(positive.trapsts, 0u) << name << mode;
        if (!clears) continue;
        const Outputs half = dot(target, name, mode, 0x80008001, 0x04000400, 0x80000000);
        EXPECT_EQ(half.dst[9] & 0xffffffff, 0u) << name << mode;
      }
    }
    // Output modifiers of V_DOT2C go by MODE as elsewhere: 1 * 1 + 1, times two.
    Case twice;
    twice.mnemonic = "v_dot2c_f32_f16";
    twice.mode = mode & ~0x200u;
    twice.mod.omod = 1;
    twice.src[0].fill(0x3c00);
    twice.src[1].fill(0x3c00);
    twice.old.fill(0x3f800000);
    EXPECT_EQ(run(twice).dst[0] & 0xffffffff, mode == kFlushed ? 0x40800000u : 0x40000000u);
    for (const bool high : {false, true}) {
      Case mix;
      mix.mnemonic = high ? "v_mad_mixhi_f16" : "v_mad_mixlo_f16";
      mix.target = isa::Target::Gfx900;
      mix.mode = mode;
      mix.mod.op_sel_hi = 3;
      mix.src[0].fill(0x1400);
      mix.src[1].fill(0x9400);
      mix.old.fill(0xabcd0123);
      Outputs out = run(mix);
      EXPECT_EQ(out.dst[0] & 0xffffffff, high ? 0x80000123u : 0xabcd8000u);
      EXPECT_EQ(out.trapsts, kUnderflow | kInexact);
      // From gfx906 on as MODE says.
      mix.mnemonic = high ? "v_fma_mixhi_f16" : "v_fma_mixlo_f16";
      mix.target = isa::Target::Gfx906;
      out = run(mix);
      const U half = mode == kKept ? 0x8010 : 0x8000;
      EXPECT_EQ(out.dst[0] & 0xffffffff, high ? half << 16 | 0x0123 : 0xabcd0000 | half);
    }
  }
}

/// Status of these rows in isa list.
TEST(MixedRows, StatusOfDots) {
  for (const isa::Target target : {isa::Target::Gfx908, isa::Target::Gfx90a, isa::Target::Gfx942}) {
    for (const char* name : {"v_dot2_f32_f16", "v_dot2c_f32_f16"}) {
      const StatusOf status = status_of(test::vop_row(name, target), target);
      const bool exact = target == isa::Target::Gfx90a;
      EXPECT_EQ(status.status, exact ? Status::Exact : Status::Defined);
    }
  }
}

TEST(SpecialRows, CubeMaps) {
  // All sign and order patterns of three magnitudes, by the description of the rows.
  const float magnitudes[] = {0.0f, 1.0f, 2.5f, 3.0f};
  std::vector<std::array<float, 3>> points;
  for (unsigned n = 0; n < 512; ++n) {
    std::array<float, 3> p;
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned k = (n >> (3 * i)) & 7;
      p[i] = (k & 4) != 0 ? -magnitudes[k & 3] : magnitudes[k & 3];
    }
    points.push_back(p);
  }
  for (size_t base = 0; base < points.size(); base += 64) {
    Case c;
    for (unsigned lane = 0; lane < 64; ++lane) {
      for (unsigned i = 0; i < 3; ++i)
        c.src[i][lane] = std::bit_cast<uint32_t>(points[base + lane][i]);
    }
    for (const std::string name :
         {"v_cubeid_f32", "v_cubesc_f32", "v_cubetc_f32", "v_cubema_f32"}) {
      c.mnemonic = name;
      const Outputs out = run(c);
      for (unsigned lane = 0; lane < 64; ++lane) {
        const auto [x, y, z] = points[base + lane];
        const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
        const int axis = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
        const float major = axis == 2 ? z : axis == 1 ? y : x;
        const bool back = major < 0;
        float expected = static_cast<float>(2 * axis + (back ? 1 : 0));
        if (name == "v_cubesc_f32") {
          expected = axis == 2 ? (back ? -x : x) : axis == 1 ? x : (back ? z : -z);
        } else if (name == "v_cubetc_f32") {
          expected = axis == 1 ? (back ? -z : z) : -y;
        } else if (name == "v_cubema_f32") {
          expected = 2 * major;
        }
        ASSERT_EQ(static_cast<uint32_t>(out.dst[lane]), std::bit_cast<uint32_t>(expected))
            << name << " " << x << " " << y << " " << z;
      }
    }
  }
}

/// Words as LLVM 19 writes them: v_fma_mix_f32 v0, |v1|, v2, v3, and v_mad_mix_f32 the same.
TEST(Mixed, AbsoluteValuesOfEncodedInstructions) {
  constexpr uint32_t kWords[] = {0xd3a00100, 0x040e0501};
  for (const isa::Target target : {isa::Target::Gfx900, isa::Target::Gfx906, isa::Target::Gfx908,
                                   isa::Target::Gfx90a, isa::Target::Gfx942}) {
    test::Machine m;
    m.wave.target = target;
    m.wave.s.set_exec(kAllLanes);
    m.arch[1].fill(0xc0000000);
    m.arch[2].fill(0x40400000);
    m.arch[3].fill(0x3f800000);
    execute_vector(m.wave, isa::decode(target, kWords, 2).instruction);
    EXPECT_EQ(m.arch[0][5], 0x40e00000u) << isa::name_of(target);  // |-2| * 3 + 1
  }
}

TEST(SpecialRows, TrigPreop) {
  // The bits of 2/pi come from MPFR here.
  static oracle::Number two_over_pi(4000), part(4000), whole(4000);
  mpfr_const_pi(two_over_pi, MPFR_RNDN);
  mpfr_ui_div(two_over_pi, 2, two_over_pi, MPFR_RNDN);
  mpfr_mul_2si(whole, two_over_pi, 1201, MPFR_RNDN);
  mpfr_floor(whole, whole);
  mpfr_mul_2si(two_over_pi, whole, -1201, MPFR_RNDN);  // the 1201 bits the manual speaks of
  for (const unsigned exponent : {0u, 1u, 1023u, 1077u, 1078u, 1200u, 1967u, 1968u, 2046u}) {
    Case c;
    c.mnemonic = "v_trig_preop_f64";
    for (unsigned lane = 0; lane < 64; ++lane) {
      c.src[0][lane] = U{exponent} << 52 | 0x123456789abcd;
      c.src[1][lane] = lane;  // five bits count
    }
    const Outputs out = run(c);
    for (unsigned lane = 0; lane < 64; ++lane) {
      long shift = (lane & 31) * 53;
      if (exponent > 1077) shift += static_cast<long>(exponent) - 1077;
      // Fraction bits shift .. shift + 52 as an integer, then in place.
      mpfr_mul_2si(part, two_over_pi, shift, MPFR_RNDN);
      mpfr_frac(part, part, MPFR_RNDN);
      mpfr_mul_2si(part, part, 53, MPFR_RNDN);
      mpfr_floor(part, part);
      mpfr_mul_2si(part, part, -53 - shift + (exponent >= 1968 ? 128 : 0), MPFR_RNDN);
      ASSERT_EQ(out.dst[lane], std::bit_cast<U>(mpfr_get_d(part, MPFR_RNDZ)))
          << "v_trig_preop_f64 exponent " << exponent << " segment " << lane;
    }
  }
}

TEST(SpecialRows, IntegerReciprocal) {
  Case c;
  c.mnemonic = "v_rcp_iflag_f32";
  c.src[0].fill(0x40800000);
  Outputs out = run(c);
  EXPECT_EQ(out.dst[3], 0x3e800000u);
  EXPECT_EQ(out.trapsts, 0u);
  c.src[0][7] = 0x80000000;
  out = run(c);
  EXPECT_EQ(out.dst[7], 0xff800000u);
  EXPECT_EQ(out.trapsts, 0x40u);  // the integer exception, and no float one
  c.src[0][7] = 0x40400000;       // 1/3 is inexact, which is not reported
  EXPECT_EQ(run(c).trapsts, 0u);
}

TEST(SpecialRows, ReciprocalExamples) {
  // The examples of Vega ISA 12.7 rows 34 to 39 and 61 to 63.
  struct Example {
    const char* mnemonic;
    U operand, result;
  };
  const Example examples[] = {
      {"v_rcp_f32", 0xff800000, 0x80000000},  {"v_rcp_f32", 0xc0000000, 0xbf000000},
      {"v_rcp_f32", 0x80000000, 0xff800000},  {"v_rcp_f32", 0, 0x7f800000},
      {"v_rcp_f32", 0x7f800000, 0},           {"v_rsq_f32", 0xff800000, 0xffc00000},
      {"v_rsq_f32", 0x80000000, 0xff800000},  {"v_rsq_f32", 0, 0x7f800000},
      {"v_rsq_f32", 0x40800000, 0x3f000000},  {"v_rsq_f32", 0x7f800000, 0},
      {"v_sqrt_f32", 0xff800000, 0xffc00000}, {"v_sqrt_f32", 0x80000000, 0x80000000},
      {"v_sqrt_f32", 0x40800000, 0x40000000}, {"v_rcp_f16", 0xfc00, 0x8000},
      {"v_rcp_f16", 0xc000, 0xb800},          {"v_rsq_f16", 0xfc00, 0xfe00},
      {"v_rsq_f16", 0x4400, 0x3800},          {"v_sqrt_f16", 0xfc00, 0xfe00},
      {"v_sqrt_f16", 0x8000, 0x8000},         {"v_sqrt_f16", 0x4400, 0x4000}};
  for (const Example& e : examples) {
    Case c;
    c.mnemonic = e.mnemonic;
    c.src[0].fill(e.operand);
    EXPECT_EQ(run(c).dst[0], e.result) << e.mnemonic << std::hex << " " << e.operand;
  }
}

}  // namespace
}  // namespace cuvette::wave
