// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/arith.h"
#include "fp/convert.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Mixed precision multiply-add and dot products (Vega ISA 12.10, MI100 ISA 6.7, decisions.md D5,
// D52, D53).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

/// A source of V_MAD_MIX: F32, or with op_sel_hi the F16 half that op_sel names. NEG_HI means abs
/// here.
class MixSources {
 public:
  MixSources(const LaneOp& op, uint8_t& flags)
      : op_(op), mod_(op.instruction->mod), half_(env_of_conversion<F32, F16>(op)), flags_(flags) {}

  uint32_t get(unsigned s, unsigned lane) {
    uint32_t x = op_.src[s][0][lane];
    if (base::bit(mod_.op_sel_hi, s)) {
      const auto h = static_cast<uint16_t>(base::bit(mod_.op_sel, s) ? x >> 16 : x);
      half_.flags = 0;
      x = fp::convert<F32, F16>(h, half_);
      // A NaN is quieted by the multiply-add; what it signals is the same.
      flags_ = static_cast<uint8_t>(flags_ | half_.flags);
    }
    if (base::bit(mod_.neg_hi, s)) x = fp::abs<F32>(x);
    if (base::bit(mod_.neg, s)) x = fp::neg<F32>(x);
    return x;
  }

 private:
  const LaneOp& op_;
  const isa::Modifiers& mod_;
  Env half_;
  uint8_t& flags_;
};

template <bool Fused, MixResult Where>
void mix(const LaneOp& op, LaneResult& result) {
  MixSources in(op, result.flags);
  const FloatSink out(op, result);
  Env env = env_of<F32>(op);
  if (!Fused) env = flushing(env);
  Env narrow = env_of_conversion<F16, F32>(op);
  narrow.flush_in = false;
  // V_MAD_MIXLO and V_MAD_MIXHI give no subnormal half (decisions.md D53).
  if (!Fused) narrow.flush_out = true;
  for_active(op, [&](unsigned lane) {
    const uint32_t a = in.get(0, lane);
    const uint32_t b = in.get(1, lane);
    const uint32_t c = in.get(2, lane);
    const uint32_t d = Fused ? fp::fma<F32>(a, b, c, env) : fp::mad<F32>(a, b, c, env);
    uint32_t& dst = result.dst[0][lane];
    if constexpr (Where == MixResult::F32) {
      dst = out.finished<F32>(d, env);
    } else {
      const uint16_t h = out.finished<F16>(fp::convert<F16, F32>(d, narrow), narrow);
      dst = Where == MixResult::Low ? (dst & 0xffff0000) | h : (dst & 0xffff) | (uint32_t{h} << 16);
    }
  });
  // The rounded F32 is no operand of the program: that it is subnormal is not reported.
  const unsigned narrow_flags = narrow.flags & ~unsigned{fp::kInputDenormal};
  result.flags = static_cast<uint8_t>(result.flags | env.flags | narrow_flags);
}

/// The halves of a dot product's source: op_sel, op_sel_hi in VOP3P; low and high in VOP2.
template <bool Accumulates>
uint16_t element(const LaneOp& op, unsigned s, unsigned lane, unsigned n) {
  const isa::Modifiers& mod = op.instruction->mod;
  const bool high = Accumulates ? n != 0 : base::bit(n != 0 ? mod.op_sel_hi : mod.op_sel, s);
  return static_cast<uint16_t>(high ? op.src[s][0][lane] >> 16 : op.src[s][0][lane]);
}
template <bool Accumulates>
uint32_t addend(const LaneOp& op, const LaneResult& result, unsigned lane) {
  return Accumulates ? result.dst[0][lane] : op.src[2][0][lane];
}

/// A subnormal number counts as +0, whatever its sign.
template <class F>
BitsOf<F> cleared(BitsOf<F> x, bool clears) {
  return clears && fp::is_subnormal<F>(x) ? BitsOf<F>{0} : x;
}

/// S2 + lo * lo, then + hi * hi, each one rounding. The manuals give no order; this one is ours.
/// The machine decides which subnormal numbers count as zero, MODE does not (decisions.md D52).
/// Between addend and result there is none: a sum with a product that is not zero is a multiple of
/// 2^-72, or as large as the product.
template <bool Accumulates>
void dot2_f32_f16(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  const FloatSink out(op, result);
  Env mode = env_of<F32>(op);  // what output modifiers go by
  Env env = flushing(mode);
  Env half = env_of_conversion<F32, F16>(op);
  half.flush_in = false;
  const bool clears = op.instruction->target == isa::Target::Gfx90a;
  const auto operand = [&](unsigned s, unsigned lane, unsigned n) {
    uint16_t x = element<Accumulates>(op, s, lane, n);
    const unsigned negate = Accumulates || n == 0 ? mod.neg : mod.neg_hi;
    if (base::bit(mod.abs, s)) x = fp::abs<F16>(x);
    if (base::bit(negate, s)) x = fp::neg<F16>(x);
    return fp::convert<F32, F16>(cleared<F16>(x, clears), half);
  };
  for_active(op, [&](unsigned lane) {
    uint32_t sum = addend<Accumulates>(op, result, lane);
    if (!Accumulates && base::bit(mod.neg, 2)) sum = fp::neg<F32>(sum);
    sum = cleared<F32>(sum, true);
    for (unsigned n = 0; n < 2; ++n) {
      sum = fp::fma<F32>(operand(0, lane, n), operand(1, lane, n), sum, env);
    }
    result.dst[0][lane] = out.finished<F32>(sum, mode);
  });
  result.flags = static_cast<uint8_t>(mode.flags | env.flags | half.flags);
}

#if CUVETTE_LANES_LEVEL == 0 || CUVETTE_VECTOR_BYTES == 16
template <bool Fused, MixResult Where>
constexpr Row kMix = mix<Fused, Where>;
template <bool Accumulates>
constexpr Row kDot2 = dot2_f32_f16<Accumulates>;
#else
template <bool Fused, MixResult Where>
constexpr Row kMix = mixed_row<mix_row<Fused, Where, mix<Fused, Where>>,
                               Fused ? HostMode::F32 : HostMode::Flushed>();
template <bool Accumulates>
constexpr Row kDot2 =
    mixed_row<dot2_row<Accumulates, dot2_f32_f16<Accumulates>>, HostMode::Flushed>();
#endif

template <class T, bool Accumulates>
CUVETTE_LEVEL void dot2_16(const LaneOp& op, LaneResult& result) {
  using T32 = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
  const bool clamp = clamps(op);
  each32(op, result, [&](unsigned lane) {
    int64_t sum = static_cast<T32>(addend<Accumulates>(op, result, lane));
    for (unsigned n = 0; n < 2; ++n) {
      sum += int64_t{static_cast<T>(element<Accumulates>(op, 0, lane, n))} *
             static_cast<T>(element<Accumulates>(op, 1, lane, n));
    }
    return clamp ? static_cast<uint32_t>(saturate<T32>(sum)) : as_u32(sum);
  });
}

/// 32 / Width products of Width-bit elements.
template <unsigned Width, bool Signed, bool Accumulates>
CUVETTE_LEVEL void dot_small(const LaneOp& op, LaneResult& result) {
  using T32 = std::conditional_t<Signed, int32_t, uint32_t>;
  const bool clamp = clamps(op);
  const auto value = [&](unsigned s, unsigned lane, unsigned n) -> int64_t {
    const uint64_t bits = (op.src[s][0][lane] >> (Width * n)) & base::low_mask(Width);
    return Signed ? base::sign_extend(bits, Width) : static_cast<int64_t>(bits);
  };
  each32(op, result, [&](unsigned lane) {
    int64_t sum = static_cast<T32>(addend<Accumulates>(op, result, lane));
    for (unsigned n = 0; n < 32 / Width; ++n) sum += value(0, lane, n) * value(1, lane, n);
    return clamp ? static_cast<uint32_t>(saturate<T32>(sum)) : as_u32(sum);
  });
}

constexpr Entry kEntries[] = {
    {S::v_mad_mix_f32, kMix<false, MixResult::F32>},
    {S::v_mad_mixlo_f16, kMix<false, MixResult::Low>},
    {S::v_mad_mixhi_f16, kMix<false, MixResult::High>},
    {S::v_fma_mix_f32, kMix<true, MixResult::F32>},
    {S::v_fma_mixlo_f16, kMix<true, MixResult::Low>},
    {S::v_fma_mixhi_f16, kMix<true, MixResult::High>},
    {S::v_dot2_f32_f16, kDot2<false>},
    {S::v_dot2c_f32_f16, kDot2<true>},
    {S::v_dot2_i32_i16, packed_row<dot2_16<int16_t, false>>},
    {S::v_dot2c_i32_i16, packed_row<dot2_16<int16_t, true>>},
    {S::v_dot2_u32_u16, packed_row<dot2_16<uint16_t, false>>},
    {S::v_dot4_i32_i8, packed_row<dot_small<8, true, false>>},
    {S::v_dot4c_i32_i8, packed_row<dot_small<8, true, true>>},
    {S::v_dot4_u32_u8, packed_row<dot_small<8, false, false>>},
    {S::v_dot8_i32_i4, packed_row<dot_small<4, true, false>>},
    {S::v_dot8c_i32_i4, packed_row<dot_small<4, true, true>>},
    {S::v_dot8_u32_u4, packed_row<dot_small<4, false, false>>},
};

}  // namespace

EntryList mixed() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
