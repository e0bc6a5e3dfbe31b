// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/arith.h"
#include "fp/integral.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// The helpers of division: V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP (Vega ISA 12.9, decisions.md D2,
// D3, D3b).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

/// The constants that differ between F32 and F64.
template <class F>
struct Division;
template <>
struct Division<F32> {
  static constexpr int kScale = 64;          ///< power of two of the scaling
  static constexpr int kFarApart = 96;       ///< exponent difference near overflow
  static constexpr int kTinyNumerator = 23;  ///< exponent field
  static constexpr int kUnderflow = -150;    ///< exponent difference below which quotients vanish
};
template <>
struct Division<F64> {
  static constexpr int kScale = 128;
  static constexpr int kFarApart = 768;
  static constexpr int kTinyNumerator = 53;
  static constexpr int kUnderflow = -1075;
};
/// Half precision is only fixed up; its quotient comes from single precision and underflows there.
template <>
struct Division<F16> {
  static constexpr int kUnderflow = -(1 << 10);
};

template <class F>
int exponent_field(BitsOf<F> x) {
  return static_cast<int>(fp::magnitude<F>(x) >> F::kFractionBits);
}

/// True if |a / b| lies below the smallest normal number, before any rounding: then the steps of a
/// division would lose bits of it. Neither is zero; the answer for infinities and NaNs is not used.
template <class F>
bool quotient_is_tiny(BitsOf<F> a, BitsOf<F> b) {
  if (exponent_field<F>(a) == F::kMaxField || exponent_field<F>(b) == F::kMaxField) return false;
  const fp::Finite x = fp::decode<F>(a);
  const fp::Finite y = fp::decode<F>(b);
  const int up_x = F::kFractionBits - fp::detail::top_bit(x.significand);
  const int up_y = F::kFractionBits - fp::detail::top_bit(y.significand);
  const int apart = (x.exponent - up_x) - (y.exponent - up_y);
  if (apart != F::kMinExponent) return apart < F::kMinExponent;
  return x.significand << up_x < y.significand << up_y;
}

template <class F>
struct Scaled {
  BitsOf<F> value;
  bool post_scale;  ///< V_DIV_FMAS has to undo a scaling of one operand only
};

/// S0 is the value to scale and equals the denominator S1 or the numerator S2.
template <class F>
Scaled<F> div_scale(BitsOf<F> s0, BitsOf<F> den, BitsOf<F> num, Env& env) {
  using K = Division<F>;
  const bool is_den = s0 == den;
  const bool is_num = s0 == num;
  s0 = fp::take_operand<F>(s0, env);
  den = fp::take_operand<F>(den, env);
  num = fp::take_operand<F>(num, env);
  const auto times = [&](int power) { return fp::ldexp<F>(s0, power, env); };
  if (fp::is_zero<F>(num) || fp::is_zero<F>(den)) return {F::kDefaultNan, true};
  // Infinities and NaNs are V_DIV_FIXUP's business; their exponent field says far apart or nothing.
  const int apart = exponent_field<F>(num) - exponent_field<F>(den);
  if (apart >= K::kFarApart) return {is_den ? times(K::kScale) : s0, true};
  if (fp::is_subnormal<F>(den)) return {times(K::kScale), false};
  const bool tiny_reciprocal = quotient_is_tiny<F>(F::kOne, den);
  const bool tiny_quotient = quotient_is_tiny<F>(num, den);
  if (tiny_reciprocal && tiny_quotient) {
    // The manual scales the denominator up, which overflows it; scaling it down is what V_DIV_FMAS
    // undoes.
    return {is_den ? times(-K::kScale) : s0, true};
  }
  if (tiny_reciprocal) return {times(-K::kScale), false};
  if (tiny_quotient) return {is_num ? times(K::kScale) : s0, true};
  if (exponent_field<F>(num) <= K::kTinyNumerator) return {times(K::kScale), false};
  return {s0, false};
}

template <class F>
void row_scale(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of<F>(op);
  uint64_t mask = 0;
  for_active(op, [&](unsigned lane) {
    const Scaled<F> d =
        div_scale<F>(in.get<F>(0, lane), in.get<F>(1, lane), in.get<F>(2, lane), env);
    mask |= uint64_t{d.post_scale} << lane;
    out.put<F>(lane, d.value, env);
  });
  result.mask = mask;
  result.flags = env.flags;
}

/// (a * b + c) * 2^power with one rounding.
template <class F>
BitsOf<F> fma_scaled(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, int power, Env& env) {
  using Wide = typename F::Wide;
  Env exact = env;
  const auto regular = [](BitsOf<F> x) {
    return exponent_field<F>(x) != F::kMaxField && !fp::is_zero<F>(x);
  };
  if (power == 0 || !regular(a) || !regular(b) || !regular(c)) {
    // A zero, infinite or NaN term: the sum is exact or one rounded product, which scales after it.
    if (regular(a) && regular(b) && fp::is_zero<F>(c)) {
      for (const BitsOf<F> x : {a, b}) fp::take_operand<F>(x, env);  // reports subnormal ones
      const fp::Finite x = fp::decode<F>(a);
      const fp::Finite y = fp::decode<F>(b);
      return fp::round_pack<F, Wide>(x.sign != y.sign, x.exponent + y.exponent + power,
                                     static_cast<Wide>(x.significand) * y.significand, env);
    }
    const BitsOf<F> sum = fp::fma<F>(a, b, c, exact);
    env.flags = exact.flags;
    return power == 0 || fp::is_nan<F>(sum) ? sum : fp::ldexp<F>(sum, power, env);
  }
  for (const BitsOf<F> x : {a, b, c}) fp::take_operand<F>(x, env);
  const fp::Finite x = fp::decode<F>(a);
  const fp::Finite y = fp::decode<F>(b);
  const fp::Finite z = fp::decode<F>(c);
  return fp::detail::add_terms<F, Wide>(x.sign != y.sign, x.exponent + y.exponent + power,
                                        static_cast<Wide>(x.significand) * y.significand, z.sign,
                                        z.exponent + power, static_cast<Wide>(z.significand), env);
}

/// Fused multiply-add, scaled where VCC is set: up when S2, the quotient so far, is large, else
/// down.
template <class F>
void row_fmas(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of<F>(op);
  env.flush_in = false;
  for_active(op, [&](unsigned lane) {
    const BitsOf<F> c = in.get<F>(2, lane);
    int power = 0;
    if (base::bit(op.mask_in, lane)) {
      power = exponent_field<F>(c) > F::kBias ? Division<F>::kScale : -Division<F>::kScale;
    }
    out.put<F>(lane, fma_scaled<F>(in.get<F>(0, lane), in.get<F>(1, lane), c, power, env), env);
  });
  result.flags = env.flags;
}

/// S0 quotient, S1 denominator, S2 numerator: special operands and underflow.
template <class F>
BitsOf<F> div_fixup(BitsOf<F> quotient, BitsOf<F> den, BitsOf<F> num, Env& env) {
  quotient = fp::take_operand<F>(quotient, env);
  den = fp::take_operand<F>(den, env);
  num = fp::take_operand<F>(num, env);
  const bool sign = fp::sign_of<F>(den) != fp::sign_of<F>(num);
  constexpr auto kMinusNan = static_cast<BitsOf<F>>(F::kDefaultNan | F::kSignBit);
  if (fp::is_nan<F>(num) || fp::is_nan<F>(den)) {
    return fp::propagate_nan<F>(env, num, den);
  }
  const bool zero_den = fp::is_zero<F>(den);
  const bool zero_num = fp::is_zero<F>(num);
  const bool inf_den = fp::is_infinity<F>(den);
  const bool inf_num = fp::is_infinity<F>(num);
  if ((zero_den && zero_num) || (inf_den && inf_num)) {
    fp::raise(env, fp::kInvalid);
    return kMinusNan;
  }
  if (zero_den || inf_num) {
    if (!inf_num) fp::raise(env, fp::kDivideByZero);
    return fp::infinity<F>(sign);
  }
  if (inf_den || zero_num) return fp::zero<F>(sign);
  if (exponent_field<F>(num) - exponent_field<F>(den) < Division<F>::kUnderflow) {
    return fp::round_pack<F>(sign, 2 * (F::kMinExponent - F::kFractionBits), uint64_t{1}, env);
  }
  if (fp::is_nan<F>(quotient)) return fp::infinity<F>(sign);
  return fp::with_sign<F>(sign, fp::magnitude<F>(quotient));
}

#if CUVETTE_LANES_LEVEL == 0
template <class F>
constexpr Row kScale = row_scale<F>;
template <class F>
constexpr Row kFmas = row_fmas<F>;
#else
template <class F>
constexpr Row kScale =
    edited_row<scale_row<F, Division<F>::kFarApart, Division<F>::kTinyNumerator, row_scale<F>>,
               HostMode::None>();
template <class F>
#if CUVETTE_VECTOR_BYTES > 16
constexpr Row kFmas = edited_row<fmas_row<F, row_fmas<F>>,
                                 (sizeof(BitsOf<F>) == 8 ? HostMode::F64 : HostMode::F32)>();
#else
constexpr Row kFmas{};
#endif
#endif
template <class F>
constexpr Row kFixup = quick<F, QuickFixup<F>, 3, soft_float<F, 3, div_fixup<F>>>;

constexpr Entry kEntries[] = {
    {S::v_div_scale_f32, kScale<F32>},
    {S::v_div_scale_f64, kScale<F64>},
    {S::v_div_fmas_f32, kFmas<F32>},
    {S::v_div_fmas_f64, kFmas<F64>},
    {S::v_div_fixup_f32, kFixup<F32>},
    {S::v_div_fixup_f64, kFixup<F64>},
    {S::v_div_fixup_f16, row_float<F16, 3, div_fixup<F16>, OtherHalf::Keep>},
    {S::v_div_fixup_legacy_f16, row_float<F16, 3, div_fixup<F16>>},
};

}  // namespace

EntryList float_divide() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
