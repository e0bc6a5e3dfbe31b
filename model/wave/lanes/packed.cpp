// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/arith.h"
#include "fp/compare.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Packed math: op_sel picks each source's part for the low result, op_sel_hi for the high one; neg
// and neg_hi likewise (MI100 ISA 6.7, Vega ISA 12.10).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

uint16_t half(uint32_t word, bool high) {
  return static_cast<uint16_t>(high ? word >> 16 : word);
}

/// The selects of one of the two results.
struct Part {
  unsigned select, negate;
};
Part part_of(const isa::Modifiers& mod, bool high) {
  return high ? Part{mod.op_sel_hi, mod.neg_hi} : Part{mod.op_sel, mod.neg};
}

/// Two 16-bit integer results; fn gives the exact value of one.
/// CLAMP saturates, but not shifts and the low product.
template <unsigned N, class T, auto Fn, bool Wraps>
CUVETTE_LEVEL void pk_int_of(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  const bool clamp = clamps(op) && !Wraps;
  const Part parts[2] = {part_of(mod, false), part_of(mod, true)};
  each32(op, result, [&](unsigned lane) {
    uint32_t d = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const int64_t exact = apply<N>(Fn, [&](unsigned s) {
        return int64_t{static_cast<T>(half(op.src[s][0][lane], base::bit(parts[h].select, s)))};
      });
      const uint16_t value = clamp ? static_cast<uint16_t>(saturate<T>(exact)) : as_u16(exact);
      d |= uint32_t{value} << (16 * h);
    }
    return d;
  });
}
template <unsigned N, class T, auto Fn, bool Wraps = false>
constexpr Row pk_int = packed_row<pk_int_of<N, T, Fn, Wraps>>;

/// Two F16 results.
template <unsigned N, auto Fn>
void pk_f16(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  const FloatSink out(op, result);
  Env env = env_of<F16>(op);
  for_active(op, [&](unsigned lane) {
    uint32_t d = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const Part part = part_of(mod, h != 0);
      const uint16_t value = apply<N>([&](auto... x) { return Fn(x..., env); },
                                      [&](unsigned s) -> uint16_t {
                                        const uint16_t x =
                                            half(op.src[s][0][lane], base::bit(part.select, s));
                                        return base::bit(part.negate, s) ? fp::neg<F16>(x) : x;
                                      });
      d |= uint32_t{out.finished<F16>(value, env)} << (16 * h);
    }
    result.dst[0][lane] = d;
  });
  result.flags = env.flags;
}

/// Two F32 results of register pairs; the selects pick the dword.
template <unsigned N, auto Fn>
void pk_f32(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  const FloatSink out(op, result);
  Env env = env_of<F32>(op);
  for_active(op, [&](unsigned lane) {
    uint32_t d[2];
    for (unsigned h = 0; h < 2; ++h) {
      const Part part = part_of(mod, h != 0);
      const uint32_t value = apply<N>([&](auto... x) { return Fn(x..., env); },
                                      [&](unsigned s) -> uint32_t {
                                        const uint32_t x =
                                            op.src[s][base::bit(part.select, s) ? 1 : 0][lane];
                                        return base::bit(part.negate, s) ? fp::neg<F32>(x) : x;
                                      });
      d[h] = out.finished<F32>(value, env);
    }
    result.dst[0][lane] = d[0];
    result.dst[1][lane] = d[1];
  });
  result.flags = env.flags;
}

template <class Op, unsigned N, auto Fn>
constexpr Row kPackedHalf = host_packed_half<Op, N, pk_f16<N, Fn>>;
template <class Op, unsigned N, auto Fn>
constexpr Row kPacked = host_packed<Op, N, HostMode::F32, pk_f32<N, Fn>>;

/// The low result is a dword of S0, the high one a dword of S1, both by op_sel.
CUVETTE_LEVEL void pk_mov(const LaneOp& op, LaneResult& result) {
  const unsigned select = op.instruction->mod.op_sel;
  each64(op, result, [&](unsigned lane) {
    return base::join32(op.src[0][select & 1][lane], op.src[1][(select >> 1) & 1][lane]);
  });
}

/// D = S0 * S1 + D in both halves. A VOP2 row: no selects; abs and neg act on both halves.
void pk_fmac_f16(const LaneOp& op, LaneResult& result) {
  const isa::Modifiers& mod = op.instruction->mod;
  const FloatSink out(op, result);
  Env env = env_of<F16>(op);
  for_active(op, [&](unsigned lane) {
    const auto operand = [&](unsigned s, bool high) {
      uint16_t x = half(op.src[s][0][lane], high);
      if (base::bit(mod.abs, s)) x = fp::abs<F16>(x);
      return base::bit(mod.neg, s) ? fp::neg<F16>(x) : x;
    };
    uint32_t d = 0;
    for (unsigned h = 0; h < 2; ++h) {
      const uint16_t c = half(result.dst[0][lane], h != 0);
      const uint16_t value = fp::fma<F16>(operand(0, h != 0), operand(1, h != 0), c, env);
      d |= uint32_t{out.finished<F16>(value, env)} << (16 * h);
    }
    result.dst[0][lane] = d;
  });
  result.flags = env.flags;
}

constexpr auto kAdd = [](int64_t a, int64_t b) { return a + b; };
constexpr auto kSub = [](int64_t a, int64_t b) { return a - b; };
constexpr auto kMul = [](int64_t a, int64_t b) { return a * b; };
constexpr auto kMad = [](int64_t a, int64_t b, int64_t c) { return a * b + c; };
constexpr auto kMin = [](int64_t a, int64_t b) { return std::min(a, b); };
constexpr auto kMax = [](int64_t a, int64_t b) { return std::max(a, b); };
constexpr auto kShl = [](int64_t a, int64_t b) { return b << (a & 15); };
constexpr auto kShr = [](int64_t a, int64_t b) { return b >> (a & 15); };

template <class F>
BitsOf<F> add(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return fp::add<F>(a, b, env);
}
template <class F>
BitsOf<F> mul(BitsOf<F> a, BitsOf<F> b, Env& env) {
  return fp::mul<F>(a, b, env);
}
template <class F>
BitsOf<F> fma(BitsOf<F> a, BitsOf<F> b, BitsOf<F> c, Env& env) {
  return fp::fma<F>(a, b, c, env);
}
uint16_t min_f16(uint16_t a, uint16_t b, Env& env) {
  return fp::min<F16>(a, b, env);
}
uint16_t max_f16(uint16_t a, uint16_t b, Env& env) {
  return fp::max<F16>(a, b, env);
}

constexpr Entry kEntries[] = {
    {S::v_pk_mad_i16, pk_int<3, int16_t, kMad>},
    {S::v_pk_mul_lo_u16, pk_int<2, uint16_t, kMul, true>},
    {S::v_pk_add_i16, pk_int<2, int16_t, kAdd>},
    {S::v_pk_sub_i16, pk_int<2, int16_t, kSub>},
    {S::v_pk_lshlrev_b16, pk_int<2, uint16_t, kShl, true>},
    {S::v_pk_lshrrev_b16, pk_int<2, uint16_t, kShr, true>},
    {S::v_pk_ashrrev_i16, pk_int<2, int16_t, kShr, true>},
    {S::v_pk_max_i16, pk_int<2, int16_t, kMax>},
    {S::v_pk_min_i16, pk_int<2, int16_t, kMin>},
    {S::v_pk_mad_u16, pk_int<3, uint16_t, kMad>},
    {S::v_pk_add_u16, pk_int<2, uint16_t, kAdd>},
    {S::v_pk_sub_u16, pk_int<2, uint16_t, kSub>},
    {S::v_pk_max_u16, pk_int<2, uint16_t, kMax>},
    {S::v_pk_min_u16, pk_int<2, uint16_t, kMin>},
    {S::v_pk_fma_f16, kPackedHalf<HalfFma, 3, fma<F16>>},
    {S::v_pk_add_f16, kPackedHalf<HalfBy<HostAdd>, 2, add<F16>>},
    {S::v_pk_mul_f16, kPackedHalf<HalfBy<HostMul>, 2, mul<F16>>},
    {S::v_pk_min_f16, kPackedHalf<HalfExtreme<false>, 2, min_f16>},
    {S::v_pk_max_f16, kPackedHalf<HalfExtreme<true>, 2, max_f16>},
    {S::v_pk_fmac_f16, host_half_accumulate<HalfFma, true, pk_fmac_f16>},
    {S::v_pk_fma_f32, kPacked<HostFma, 3, fma<F32>>},
    {S::v_pk_mul_f32, kPacked<HostMul, 2, mul<F32>>},
    {S::v_pk_add_f32, kPacked<HostAdd, 2, add<F32>>},
    {S::v_pk_mov_b32, packed_row<pk_mov>},
};

}  // namespace

EntryList packed() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
