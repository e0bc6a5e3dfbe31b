// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/integral.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Integral values, fractions and exponents (Vega ISA 12.7, 12.9).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

template <class F, fp::Round Direction>
BitsOf<F> integral(BitsOf<F> x, Env& env) {
  return fp::round_to_integral<F>(x, Direction, env);
}
template <class F, Toward Direction, fp::Round Rounding>
constexpr Row kIntegral =
    quick<F, QuickIntegral<F, Direction>, 1, soft_float<F, 1, integral<F, Rounding>>>;
template <class F>
constexpr Row kTrunc = kIntegral<F, Toward::Zero, fp::Round::Zero>;
template <class F>
constexpr Row kCeil = kIntegral<F, Toward::Plus, fp::Round::PlusInf>;
template <class F>
constexpr Row kFloor = kIntegral<F, Toward::Minus, fp::Round::MinusInf>;
template <class F>
constexpr Row kRndne = kIntegral<F, Toward::Even, fp::Round::NearestEven>;

template <class F>
BitsOf<F> fract(BitsOf<F> x, Env& env) {
  return fp::fract<F>(x, env);
}
template <class F>
BitsOf<F> frexp_mant(BitsOf<F> x, Env& env) {
  return fp::frexp_mant<F>(x, env);
}
/// The exponent is an integer result: omod and clamp do not apply.
template <class F>
void soft_exponent(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  Sink out(op, result);
  Env env = env_of<F>(op);
  for_active(op, [&](unsigned lane) {
    const int32_t exponent = fp::frexp_exp<F>(in.get<F>(0, lane), env);
    if constexpr (std::is_same_v<F, F16>) {
      out.b16(lane, as_u16(exponent));
    } else {
      out.b32(lane, as_u32(exponent));
    }
  });
  result.flags = env.flags;
}

/// S0 * 2^S1. S1 is an integer; abs and neg of S1 have no meaning.
template <class F>
void soft_ldexp(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of<F>(op);
  for_active(op, [&](unsigned lane) {
    const int32_t by = std::is_same_v<F, F16> ? int32_t{as_i16(in.raw().b16(1, lane))}
                                              : as_i32(in.raw().b32(1, lane));
    out.put<F>(lane, fp::ldexp<F>(in.get<F>(0, lane), by, env), env);
  });
  result.flags = env.flags;
}

template <class F>
constexpr Row kMantissa = quick<F, QuickMantissa<F>, 1, soft_float<F, 1, frexp_mant<F>>>;
template <class F>
constexpr Row kExponent = quick<F, QuickExponent<F>, 1, soft_exponent<F>>;
template <class F>
constexpr Row kLdexp = quick<F, QuickLdexp<F>, 2, soft_ldexp<F>>;

constexpr Entry kEntries[] = {
    {S::v_trunc_f16, kTrunc<F16>},
    {S::v_trunc_f32, kTrunc<F32>},
    {S::v_trunc_f64, kTrunc<F64>},
    {S::v_ceil_f16, kCeil<F16>},
    {S::v_ceil_f32, kCeil<F32>},
    {S::v_ceil_f64, kCeil<F64>},
    {S::v_floor_f16, kFloor<F16>},
    {S::v_floor_f32, kFloor<F32>},
    {S::v_floor_f64, kFloor<F64>},
    {S::v_rndne_f16, kRndne<F16>},
    {S::v_rndne_f32, kRndne<F32>},
    {S::v_rndne_f64, kRndne<F64>},
    {S::v_fract_f16, half_function<fract<F16>>},
    {S::v_fract_f32, host_row<HostFract, 1, HostMode::F32, soft_float<F32, 1, fract<F32>>>},
    {S::v_fract_f64, host_row64<HostFract, 1, HostMode::F64, soft_float<F64, 1, fract<F64>>>},
    {S::v_frexp_mant_f16, kMantissa<F16>},
    {S::v_frexp_mant_f32, kMantissa<F32>},
    {S::v_frexp_mant_f64, kMantissa<F64>},
    {S::v_frexp_exp_i16_f16, kExponent<F16>},
    {S::v_frexp_exp_i32_f32, kExponent<F32>},
    {S::v_frexp_exp_i32_f64, kExponent<F64>},
    {S::v_ldexp_f16, kLdexp<F16>},
    {S::v_ldexp_f32, kLdexp<F32>},
    {S::v_ldexp_f64, kLdexp<F64>},
};

}  // namespace

EntryList float_unary() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
