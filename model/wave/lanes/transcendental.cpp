// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/transcendental.h"

#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Exponential, logarithm, sine, cosine, reciprocal and roots (Vega ISA 12.7;
// docs/reference/transcendentals.md).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

template <class F>
BitsOf<F> exp(BitsOf<F> x, Env& env) {
  return fp::v_exp<F>(x, env);
}
template <class F>
BitsOf<F> log(BitsOf<F> x, Env& env) {
  return fp::v_log<F>(x, env);
}
template <class F>
BitsOf<F> sin(BitsOf<F> x, Env& env) {
  return fp::v_sin<F>(x, env);
}
template <class F>
BitsOf<F> cos(BitsOf<F> x, Env& env) {
  return fp::v_cos<F>(x, env);
}
template <class F>
BitsOf<F> rcp(BitsOf<F> x, Env& env) {
  return fp::v_rcp<F>(x, env);
}
template <class F>
BitsOf<F> rsq(BitsOf<F> x, Env& env) {
  return fp::v_rsq<F>(x, env);
}
template <class F>
BitsOf<F> sqrt(BitsOf<F> x, Env& env) {
  return fp::v_sqrt<F>(x, env);
}

/// For integer division: a zero raises the integer exception, nothing raises a float one.
uint32_t rcp_iflag(uint32_t x, Env& env) {
  Env inner = env;
  const uint32_t d = fp::v_rcp<F32>(x, inner);
  if (fp::is_zero<F32>(x) || fp::is_subnormal<F32>(x)) fp::raise(env, fp::kIntDivideByZero);
  return d;
}

#if CUVETTE_LANES_LEVEL == 0 || CUVETTE_VECTOR_BYTES == 16
constexpr Row kRsq = row_float<F32, 1, rsq<F32>>;
constexpr Row kRsq64 = row_float<F64, 1, rsq<F64>>;
#else
constexpr Row kRsq = edited_row<reciprocal_root<soft_float<F32, 1, rsq<F32>>>, HostMode::Machine>();
constexpr Row kRsq64 =
    edited_row<reciprocal_root64<soft_float<F64, 1, rsq<F64>>>, HostMode::Machine64>();
#endif
#if CUVETTE_LANES_LEVEL == 0 || !defined(__x86_64__)
constexpr Row kRcpIflag = row_float<F32, 1, rcp_iflag>;
#else
constexpr Row kRcpIflag =
    edited_row<quiet_reciprocal<soft_float<F32, 1, rcp_iflag>>, HostMode::Machine>();
#endif
constexpr Row kExp = quick<F32, QuickExp2, 1, soft_float<F32, 1, exp<F32>>>;
constexpr Row kLog = quick<F32, QuickLog2, 1, soft_float<F32, 1, log<F32>>>;

constexpr Entry kEntries[] = {
    {S::v_exp_f16, half_function<exp<F16>>},
    {S::v_exp_f32, kExp},
    {S::v_log_f16, half_function<log<F16>>},
    {S::v_log_f32, kLog},
    {S::v_sin_f16, half_function<sin<F16>>},
    {S::v_sin_f32, quick<F32, QuickSine<0>, 1, soft_float<F32, 1, sin<F32>>>},
    {S::v_cos_f16, half_function<cos<F16>>},
    {S::v_cos_f32, quick<F32, QuickSine<1>, 1, soft_float<F32, 1, cos<F32>>>},
    // The manual does not say what is legacy about these: the same values.
    {S::v_exp_legacy_f32, kExp},
    {S::v_log_legacy_f32, kLog},
    {S::v_rcp_f16, half_function<rcp<F16>>},
    {S::v_rcp_f32, host_row<HostRcp, 1, HostMode::Machine, soft_float<F32, 1, rcp<F32>>>},
    {S::v_rcp_f64, host_row64<HostRcp, 1, HostMode::Machine64, soft_float<F64, 1, rcp<F64>>>},
    {S::v_rcp_iflag_f32, kRcpIflag},
    {S::v_rsq_f16, half_function<rsq<F16>>},
    {S::v_rsq_f32, kRsq},
    {S::v_rsq_f64, kRsq64},
    {S::v_sqrt_f16, half_function<sqrt<F16>>},
    {S::v_sqrt_f32, host_row<HostSqrt, 1, HostMode::Machine, soft_float<F32, 1, sqrt<F32>>>},
    {S::v_sqrt_f64, host_row64<HostSqrt, 1, HostMode::Machine64, soft_float<F64, 1, sqrt<F64>>>},
};

}  // namespace

EntryList transcendental() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
