// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/arith.h"
#include "fp/compare.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Sums, products, multiply-add, minimum, maximum and median (Vega ISA 12.6, 12.9).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

template <class F>
BitsOf<F> add(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return fp::add<F>(a, b, env);
}
template <class F>
BitsOf<F> sub(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return fp::sub<F>(a, b, env);
}
/// S1 - S0; of two NaNs the one in S0 is returned, as everywhere.
template <class F>
BitsOf<F> subrev(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return fp::add<F>(fp::is_nan<F>(a) ? a : fp::neg<F>(a), b, env);
}
template <class F>
BitsOf<F> mul(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return fp::mul<F>(a, b, env);
}
template <class F>
BitsOf<F> fma(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, Env& env) {
  return fp::fma<F>(a, b, c, env);
}
/// Two roundings, subnormals flushed (isa_notes 12).
template <class F>
BitsOf<F> mad(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, Env& env) {
  Env inner = flushing(env);
  const BitsOf<F> d = fp::mad<F>(a, b, c, inner);
  env.flags = inner.flags;
  return d;
}

bool counts_as_zero(uint32_t x, const Env& env) {
  return fp::is_zero<F32>(x) || (env.flush_in && fp::is_subnormal<F32>(x));
}
/// DX9 rules: zero times anything is +0.
uint32_t mul_legacy(uint32_t a, uint32_t b, Env& env) {
  if (counts_as_zero(a, env) || counts_as_zero(b, env)) return 0;
  return fp::mul<F32>(a, b, env);
}
uint32_t mad_legacy(uint32_t a, uint32_t b, uint32_t c, Env& env) {
  Env inner = flushing(env);
  const bool zero = counts_as_zero(a, inner) || counts_as_zero(b, inner);
  const uint32_t d = zero ? fp::add<F32>(0, c, inner) : fp::mad<F32>(a, b, c, inner);
  env.flags = inner.flags;
  return d;
}

template <class F>
BitsOf<F> min(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return fp::min<F>(a, b, env);
}
template <class F>
BitsOf<F> max(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return fp::max<F>(a, b, env);
}
template <class F>
BitsOf<F> min3(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, Env& env) {
  return fp::min<F>(fp::min<F>(a, b, env), c, env);
}
template <class F>
BitsOf<F> max3(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, Env& env) {
  return fp::max<F>(fp::max<F>(a, b, env), c, env);
}
/// Vega ISA 12.9 V_MED3_F32: any NaN gives MIN3; otherwise the maximum is taken out and the larger
/// of the other two stays. Comparison by value, so that equal zeros count as the maximum alike.
template <class F>
BitsOf<F> med3(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, Env& env) {
  if (fp::is_nan<F>(a) || fp::is_nan<F>(b) || fp::is_nan<F>(c)) return min3<F>(a, b, c, env);
  // Compared with its sources, so flushed as they are.
  Env whole = env;
  whole.flush_out = false;
  const BitsOf<F> largest = max3<F>(a, b, c, whole);
  fp::raise(env, whole.flags);
  const auto is_largest = [&](BitsOf<F> x) {
    return fp::compare<F>(largest, x, env) == fp::Ordering::Equal;
  };
  if (is_largest(a)) return fp::max<F>(b, c, env);
  if (is_largest(b)) return fp::max<F>(a, c, env);
  return fp::max<F>(a, b, env);
}

template <class Op, unsigned N, auto Fn, HostMode Mode = HostMode::F32>
constexpr Row kHost = host_row<Op, N, Mode, soft_float<F32, N, Fn>>;
template <class Op, auto Fn, HostMode Mode>
constexpr Row kHostAccumulate = host_accumulate<Op, 3, Mode, soft_accumulate<F32, Fn>>;
template <class Op, unsigned N, auto Fn>
constexpr Row kHost64 = host_row64<Op, N, HostMode::F64, soft_float<F64, N, Fn>>;
template <class F, class Op, unsigned N, auto Fn>
constexpr Row kQuick = quick<F, Op, N, soft_float<F, N, Fn>>;
template <class Op, unsigned N, auto Fn, OtherHalf Other = OtherHalf::Zero>
constexpr Row kHost16 = host_half<Op, N, soft_float<F16, N, Fn, Other>, Other>;

constexpr OtherHalf kKeep = OtherHalf::Keep;
constexpr HostMode kFlushed = HostMode::Flushed;

constexpr Entry kEntries[] = {
    {S::v_add_f32, kHost<HostAdd, 2, add<F32>>},
    {S::v_sub_f32, kHost<HostSub, 2, sub<F32>>},
    {S::v_subrev_f32, kHost<HostSubrev, 2, subrev<F32>>},
    {S::v_mul_f32, kHost<HostMul, 2, mul<F32>>},
    {S::v_mul_legacy_f32, row_float<F32, 2, mul_legacy>},
    {S::v_min_f32, kQuick<F32, QuickExtreme<F32, false>, 2, min<F32>>},
    {S::v_max_f32, kQuick<F32, QuickExtreme<F32, true>, 2, max<F32>>},
    {S::v_mac_f32, kHostAccumulate<HostMad, mad<F32>, kFlushed>},
    {S::v_madmk_f32, kHost<HostMad, 3, mad<F32>, kFlushed>},
    {S::v_madak_f32, kHost<HostMad, 3, mad<F32>, kFlushed>},
    {S::v_fmac_f32, kHostAccumulate<HostFma, fma<F32>, HostMode::F32>},
    {S::v_fmamk_f32, kHost<HostFma, 3, fma<F32>>},
    {S::v_fmaak_f32, kHost<HostFma, 3, fma<F32>>},
    {S::v_mad_f32, kHost<HostMad, 3, mad<F32>, kFlushed>},
    {S::v_mad_legacy_f32, row_float<F32, 3, mad_legacy>},
    {S::v_fma_f32, kHost<HostFma, 3, fma<F32>>},
    {S::v_min3_f32, kQuick<F32, QuickExtreme<F32, false>, 3, min3<F32>>},
    {S::v_max3_f32, kQuick<F32, QuickExtreme<F32, true>, 3, max3<F32>>},
    {S::v_med3_f32, kQuick<F32, QuickMedian<F32>, 3, med3<F32>>},

    {S::v_add_f16, kHost16<HalfBy<HostAdd>, 2, add<F16>>},
    {S::v_sub_f16, kHost16<HalfBy<HostSub>, 2, sub<F16>>},
    {S::v_subrev_f16, kHost16<HalfBy<HostSubrev>, 2, subrev<F16>>},
    {S::v_mul_f16, kHost16<HalfBy<HostMul>, 2, mul<F16>>},
    {S::v_min_f16, kQuick<F16, QuickExtreme<F16, false>, 2, min<F16>>},
    {S::v_max_f16, kQuick<F16, QuickExtreme<F16, true>, 2, max<F16>>},
    {S::v_mac_f16, host_half_accumulate<HalfMad, false, soft_accumulate<F16, mad<F16>>>},
    {S::v_madmk_f16, kHost16<HalfMad, 3, mad<F16>>},
    {S::v_madak_f16, kHost16<HalfMad, 3, mad<F16>>},
    {S::v_mad_f16, kHost16<HalfMad, 3, mad<F16>, kKeep>},
    {S::v_mad_legacy_f16, kHost16<HalfMad, 3, mad<F16>>},
    {S::v_fma_f16, kHost16<HalfFma, 3, fma<F16>, kKeep>},
    {S::v_fma_legacy_f16, kHost16<HalfFma, 3, fma<F16>>},
    {S::v_min3_f16, kQuick<F16, QuickExtreme<F16, false>, 3, min3<F16>>},
    {S::v_max3_f16, kQuick<F16, QuickExtreme<F16, true>, 3, max3<F16>>},
    {S::v_med3_f16, kQuick<F16, QuickMedian<F16>, 3, med3<F16>>},

    {S::v_add_f64, kHost64<HostAdd, 2, add<F64>>},
    {S::v_mul_f64, kHost64<HostMul, 2, mul<F64>>},
    {S::v_min_f64, kQuick<F64, QuickExtreme<F64, false>, 2, min<F64>>},
    {S::v_max_f64, kQuick<F64, QuickExtreme<F64, true>, 2, max<F64>>},
    {S::v_fma_f64, kHost64<HostFma, 3, fma<F64>>},
    {S::v_fmac_f64, host_accumulate64<HostFma, 3, HostMode::F64, soft_accumulate<F64, fma<F64>>>},
};

}  // namespace

EntryList float_basic() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
