// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave_valu_float.h"

#include <gtest/gtest.h>

#include "wave/lane_op.h"

// Float rows against MPFR, in modes and with every modifier (Vega ISA 12.6, 12.7, 12.9; MI100
// ISA 6.2).
namespace cuvette::wave {
namespace {

using namespace test;

// References.

template <class F>
Expected ref_add(const U* s, const Env& env) {
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_add(r, v[0], v[1], m); }, s, 2,
      env);
}
/// a - b; the sign of a NaN operand is not changed.
template <class F>
Expected ref_sub(const U* s, const Env& env) {
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_sub(r, v[0], v[1], m); }, s, 2,
      env);
}
template <class F>
Expected ref_subrev(const U* s, const Env& env) {
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_sub(r, v[1], v[0], m); }, s, 2,
      env);
}
template <class F>
Expected ref_mul(const U* s, const Env& env) {
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_mul(r, v[0], v[1], m); }, s, 2,
      env);
}
template <class F>
Expected ref_fma(const U* s, const Env& env) {
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_fma(r, v[0], v[1], v[2], m); },
      s, 3, env);
}
/// Two roundings with everything flushed.
template <class F>
Expected ref_mad(const U* s, const Env& mode) {
  Env env = mode;
  env.flush_in = env.flush_out = true;
  const Expected product = ref_mul<F>(s, env);
  // A NaN operand wins in the order S0, S1, S2; with one, nothing but its signal is reported.
  if (oracle::nan<F>(s[0]) || oracle::nan<F>(s[1]) || oracle::nan<F>(s[2])) {
    return oracle::expect<F>(
        [](mpfr_ptr r, oracle::Number*, mpfr_rnd_t) { return mpfr_set_ui(r, 0, MPFR_RNDN); }, s, 3,
        env);
  }
  const U terms[2] = {product.bits, s[2]};
  const Expected sum = ref_add<F>(terms, env);
  return {sum.bits, sum.flags | product.flags};
}
template <class F>
bool zero_like(U x, const Env& env) {
  x &= ~oracle::sign_bit<F>();
  return x == 0 || (env.flush_in && oracle::subnormal<F>(x));
}
Expected ref_mul_legacy(const U* s, const Env& env) {
  if (zero_like<F32>(s[0], env) || zero_like<F32>(s[1], env)) return {};
  return ref_mul<F32>(s, env);
}
Expected ref_mad_legacy(const U* s, const Env& mode) {
  Env env = mode;
  env.flush_in = env.flush_out = true;
  if (!zero_like<F32>(s[0], env) && !zero_like<F32>(s[1], env)) return ref_mad<F32>(s, mode);
  const U terms[2] = {0, s[2]};
  return ref_add<F32>(terms, env);
}

/// Signed magnitude as an ordered number: -0 below +0.
template <class F>
int64_t ordered(U x) {
  const auto magnitude = static_cast<int64_t>(x & ~oracle::sign_bit<F>());
  return oracle::negative<F>(x) ? -magnitude - 1 : magnitude;
}
/// The pseudo-code of V_MIN_F32 and V_MAX_F32 (Vega ISA 12.6 rows 10, 11).
template <class F, bool Max>
Expected ref_select(const U* s, const Env& env) {
  unsigned flags = 0;
  const U a = oracle::seen<F>(s[0], env, flags);
  const U b = oracle::seen<F>(s[1], env, flags);
  const U quiet = U{1} << (F::kFractionBits - 1);
  if (env.ieee && oracle::signaling<F>(a)) return {a | quiet, flags | fp::kInvalid};
  if (env.ieee && oracle::signaling<F>(b)) return {b | quiet, flags | fp::kInvalid};
  U d = 0;
  if (oracle::nan<F>(a)) {
    d = b;
  } else if (oracle::nan<F>(b)) {
    d = a;
  } else {
    d = (Max ? ordered<F>(a) > ordered<F>(b) : ordered<F>(a) < ordered<F>(b)) ? a : b;
  }
  if (env.flush_out && oracle::subnormal<F>(d)) {
    return {d & oracle::sign_bit<F>(), flags | fp::kUnderflow | fp::kInexact};
  }
  return {d, flags};
}
template <class F, bool Max>
Expected ref_select3(const U* s, const Env& env) {
  const Expected first = ref_select<F, Max>(s, env);
  const U next[2] = {first.bits, s[2]};
  const Expected second = ref_select<F, Max>(next, env);
  return {second.bits, first.flags | second.flags};
}
template <class F>
Expected ref_med3(const U* s, const Env& env) {
  if (oracle::nan<F>(s[0]) || oracle::nan<F>(s[1]) || oracle::nan<F>(s[2])) {
    return ref_select3<F, false>(s, env);
  }
  Env inside = env;  // the median is one of the sources; what comes out of it is flushed
  inside.flush_out = false;
  const Expected top = ref_select3<F, true>(s, inside);
  unsigned flags = top.flags;
  const auto equal = [&](U x) {
    const U v = oracle::seen<F>(x, env, flags);
    const bool zeros = ((v | top.bits) & ~oracle::sign_bit<F>()) == 0;
    return v == top.bits || zeros;
  };
  U rest[2] = {s[0], s[1]};
  if (equal(s[0])) {
    rest[0] = s[1];
    rest[1] = s[2];
  } else if (equal(s[1])) {
    rest[1] = s[2];
  }
  const Expected d = ref_select<F, true>(rest, env);
  return {d.bits, d.flags | flags};
}

template <class F, mpfr_rnd_t Direction>
Expected ref_integral(const U* s, const Env& env) {
  unsigned flags = 0;
  const U x = oracle::seen<F>(s[0], env, flags);
  if (oracle::nan<F>(x))
    return oracle::expect<F>(
        [](mpfr_ptr r, oracle::Number*, mpfr_rnd_t) { return mpfr_set_ui(r, 0, MPFR_RNDN); }, s, 1,
        env);
  static oracle::Number value(64), whole(64);
  oracle::load<F>(value, x);
  mpfr_rint(whole, value, Direction);
  U bits = oracle::store<F>(whole);
  if (mpfr_zero_p(whole.get())) bits = x & oracle::sign_bit<F>();
  return {bits, flags};
}
template <class F>
Expected ref_rndne(const U* s, const Env& env) {
  Expected e = ref_integral<F, MPFR_RNDZ>(s, env);
  static oracle::Number value(64), whole(64);
  unsigned ignored = 0;
  const U x = oracle::seen<F>(s[0], env, ignored);
  if (oracle::nan<F>(x)) return e;
  oracle::load<F>(value, x);
  mpfr_roundeven(whole, value);
  e.bits = oracle::store<F>(whole);
  if (mpfr_zero_p(whole.get())) e.bits = x & oracle::sign_bit<F>();
  return e;
}
template <class F>
Expected ref_sqrt(const U* s, const Env& mode) {
  Env env = mode;
  env.round = fp::Round::NearestEven;
  if (F::kBits == 32) env.flush_in = env.flush_out = true;
  Expected e = oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_sqrt(r, v[0], m); }, s, 1, env);
  if (oracle::nan<F>(e.bits) && !oracle::nan<F>(s[0])) e.bits |= oracle::sign_bit<F>();
  return e;
}
template <class F>
Expected ref_rsq(const U* s, const Env& mode) {
  Env env = mode;
  env.round = fp::Round::NearestEven;
  if (F::kBits == 32) env.flush_in = env.flush_out = true;
  unsigned ignored = 0;
  const U x = oracle::seen<F>(s[0], env, ignored);
  if ((x & ~oracle::sign_bit<F>()) == 0) {
    return {x | F::kInfinity, fp::kDivideByZero};
  }
  Expected e = oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_rec_sqrt(r, v[0], m); }, s, 1,
      env);
  if (oracle::nan<F>(e.bits) && !oracle::nan<F>(s[0])) e.bits |= oracle::sign_bit<F>();
  return e;
}
template <class F>
Expected ref_rcp(const U* s, const Env& mode) {
  Env env = mode;
  env.round = fp::Round::NearestEven;
  if (F::kBits == 32) env.flush_in = env.flush_out = true;
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_ui_div(r, 1, v[0], m); }, s, 1,
      env);
}

/// x - floor(x), held below one (Vega ISA 12.7 row 27).
template <class F>
Expected ref_fract(const U* s, const Env& env) {
  Expected e = oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) {
        mpfr_floor(v[1], v[0]);
        return mpfr_sub(r, v[0], v[1], m);
      },
      s, 1, env);
  if (!oracle::nan<F>(e.bits) && !oracle::negative<F>(e.bits) && e.bits >= F::kOne) {
    e.bits = F::kOne - 1;
  }
  return e;
}
template <class F>
Expected ref_mantissa(const U* s, const Env& env) {
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) {
        if (!mpfr_regular_p(v[0].get())) return mpfr_set(r, v[0], m);
        mpfr_exp_t e = 0;
        return mpfr_frexp(&e, r, v[0], m);
      },
      s, 1, env);
}
template <class F>
Expected ref_ldexp(const U* s, const Env& env) {
  const long by = F::kBits == 16 ? static_cast<int16_t>(s[1]) : static_cast<int32_t>(s[1]);
  static long power;
  power = std::clamp(by, -9000L, 9000L);  // inside MPFR's own range, outside every format's
  return oracle::expect<F>(
      [](mpfr_ptr r, oracle::Number* v, mpfr_rnd_t m) { return mpfr_mul_2si(r, v[0], power, m); },
      s, 1, env);
}

template <class F>
std::vector<Row<F>> common_rows(const std::string& suffix, std::vector<std::string>& names) {
  names.reserve(64);
  const auto name = [&](const char* stem) {
    names.push_back(stem + suffix);
    return names.back().c_str();
  };
  std::vector<Row<F>> rows = {
      {name("v_add_"), 2, ref_add<F>},
      {name("v_mul_"), 2, ref_mul<F>},
      {name("v_min_"), 2, ref_select<F, false>},
      {name("v_max_"), 2, ref_select<F, true>},
      {name("v_fma_"), 3, ref_fma<F>, false, F::kBits == 16},
      {name("v_trunc_"), 1, ref_integral<F, MPFR_RNDZ>},
      {name("v_ceil_"), 1, ref_integral<F, MPFR_RNDU>},
      {name("v_floor_"), 1, ref_integral<F, MPFR_RNDD>},
      {name("v_rndne_"), 1, ref_rndne<F>},
      {name("v_rcp_"), 1, ref_rcp<F>},
      {name("v_rsq_"), 1, ref_rsq<F>},
      {name("v_sqrt_"), 1, ref_sqrt<F>},
      {name("v_fract_"), 1, ref_fract<F>},
      {name("v_frexp_mant_"), 1, ref_mantissa<F>},
      {name("v_ldexp_"), 2, ref_ldexp<F>, false, false, isa::Target::Gfx908, true},
  };
  if (F::kBits != 64) {
    rows.push_back({name("v_sub_"), 2, ref_sub<F>});
    rows.push_back({name("v_subrev_"), 2, ref_subrev<F>});
    rows.push_back({name("v_mac_"), 2, ref_mad<F>, true});
    rows.push_back({name("v_madmk_"), 3, ref_mad<F>});
    rows.push_back({name("v_madak_"), 3, ref_mad<F>});
    rows.push_back({name("v_mad_"), 3, ref_mad<F>, false, F::kBits == 16});
    rows.push_back({name("v_min3_"), 3, ref_select3<F, false>});
    rows.push_back({name("v_max3_"), 3, ref_select3<F, true>});
    rows.push_back({name("v_med3_"), 3, ref_med3<F>});
  }
  return rows;
}

TEST(FloatRows, Single) {
  std::vector<std::string> names;
  std::vector<Row<F32>> rows = common_rows<F32>("f32", names);
  const std::vector<Row<F32>> more = {
      {"v_mul_legacy_f32", 2, ref_mul_legacy},
      {"v_mad_legacy_f32", 3, ref_mad_legacy},
      {"v_fmac_f32", 2, ref_fma<F32>, true},
      {"v_fmamk_f32", 3, ref_fma<F32>, false, false, isa::Target::Gfx942},
      {"v_fmaak_f32", 3, ref_fma<F32>, false, false, isa::Target::Gfx942},
      {"v_mul_legacy_f32", 2, ref_mul_legacy, false, false, isa::Target::Gfx942},
  };
  rows.insert(rows.end(), more.begin(), more.end());
  expect_rows<F32>(rows);
}
TEST(FloatRows, Double) {
  std::vector<std::string> names;
  std::vector<Row<F64>> rows = common_rows<F64>("f64", names);
  rows.push_back({"v_fmac_f64", 2, ref_fma<F64>, true, false, isa::Target::Gfx90a});
  expect_rows<F64>(rows);
}
TEST(FloatRows, Half) {
  std::vector<std::string> names;
  std::vector<Row<F16>> rows = common_rows<F16>("f16", names);
  rows.push_back({"v_mad_legacy_f16", 3, ref_mad<F16>});
  rows.push_back({"v_fma_legacy_f16", 3, ref_fma<F16>});
  expect_rows<F16>(rows);
}

template <class F>
void expect_compares(const char* suffix) {
  // Accepted orderings as the letters of less, equal, greater, unordered.
  const std::pair<const char*, const char*> table[] = {
      {"f", ""},     {"lt", "l"},    {"eq", "e"},    {"le", "le"},   {"gt", "g"},   {"lg", "lg"},
      {"ge", "ge"},  {"o", "leg"},   {"u", "u"},     {"nge", "lu"},  {"nlg", "eu"}, {"ngt", "leu"},
      {"nle", "gu"}, {"neq", "lgu"}, {"nlt", "geu"}, {"tru", "legu"}};
  uint64_t seed = 50;
  for (const auto& [name, accepted] : table) {
    for (const bool writes_exec : {false, true}) {
      for (const uint32_t mode : {0x3f0u, 0x300u}) {
        for (const bool clamp : {false, true}) {
          Case c;
          c.mnemonic = std::string(writes_exec ? "v_cmpx_" : "v_cmp_") + name + "_" + suffix;
          c.mode = mode;
          c.mod.clamp = clamp;
          c.mod.neg = 2;
          c.mod.abs = 1;
          fill<F>(c, ++seed);
          for (unsigned lane = 0; lane < 64; lane += 4) c.src[1][lane] = c.src[0][lane];
          c.exec = kExecShapes[seed % 8];
          c.vcc = ~c.exec;
          const Outputs out = run(c);
          const Env env = ModeBits{mode}.env<F>();
          U mask = 0;
          unsigned flags = 0;
          const bool compares = *accepted != 0 && std::string(accepted).size() != 4;
          for (unsigned lane = 0; lane < 64; ++lane) {
            if (((c.exec >> lane) & 1) == 0) continue;
            unsigned lane_flags = 0;
            const U a = oracle::seen<F>(c.src[0][lane] & low_mask<F>() & ~oracle::sign_bit<F>(),
                                        env, lane_flags);
            const U b = oracle::seen<F>((c.src[1][lane] & low_mask<F>()) ^ oracle::sign_bit<F>(),
                                        env, lane_flags);
            char order = 'e';
            if (oracle::nan<F>(a) || oracle::nan<F>(b)) {
              order = 'u';
              if (clamp || oracle::signaling<F>(a) || oracle::signaling<F>(b)) {
                lane_flags |= fp::kInvalid;
              }
            } else {
              static oracle::Number x(64), y(64);
              oracle::load<F>(x, a);
              oracle::load<F>(y, b);
              const int sign = mpfr_cmp(x.get(), y.get());
              order = sign < 0 ? 'l' : sign > 0 ? 'g' : 'e';
            }
            if (std::string(accepted).find(order) != std::string::npos) mask |= U{1} << lane;
            if (compares) flags |= lane_flags;
          }
          ASSERT_EQ(out.mask, mask) << c.mnemonic << " mode " << std::hex << mode;
          ASSERT_EQ(out.exec, writes_exec ? mask : c.exec) << c.mnemonic;
          ASSERT_EQ(out.trapsts & kFlagMask, flags) << c.mnemonic;
        }
      }
    }
  }
}
TEST(FloatCompares, Single) {
  expect_compares<F32>("f32");
}
TEST(FloatCompares, Double) {
  expect_compares<F64>("f64");
}
TEST(FloatCompares, Half) {
  expect_compares<F16>("f16");
}

template <class F>
void expect_classes(const char* suffix) {
  for (const bool writes_exec : {false, true}) {
    Case c;
    c.mnemonic = std::string(writes_exec ? "v_cmpx_class_" : "v_cmp_class_") + suffix;
    fill<F>(c, 321);
    // Every class bit meets every kind of number in turn.
    for (unsigned bit = 0; bit < 10; ++bit) {
      for (U& classes : c.src[1]) classes = U{1} << bit;
      const Outputs out = run(c);
      U mask = 0;
      for (unsigned lane = 0; lane < 64; ++lane) {
        const U x = c.src[0][lane] & low_mask<F>();
        const bool minus = oracle::negative<F>(x);
        unsigned is = minus ? 3 : 8;
        if (oracle::nan<F>(x)) {
          is = oracle::signaling<F>(x) ? 0 : 1;
        } else if ((x & ~oracle::sign_bit<F>()) == F::kInfinity) {
          is = minus ? 2 : 9;
        } else if ((x & ~oracle::sign_bit<F>()) == 0) {
          is = minus ? 5 : 6;
        } else if (oracle::subnormal<F>(x)) {
          is = minus ? 4 : 7;
        }
        if (is == bit) mask |= U{1} << lane;
      }
      ASSERT_EQ(out.mask, mask) << c.mnemonic << " class " << bit;
      ASSERT_EQ(out.exec, writes_exec ? mask : kAllLanes) << c.mnemonic;
      ASSERT_EQ(out.trapsts, 0u);
    }
  }
}
TEST(FloatCompares, Classes) {
  expect_classes<F16>("f16");
  expect_classes<F32>("f32");
  expect_classes<F64>("f64");
}

}  // namespace
}  // namespace cuvette::wave
