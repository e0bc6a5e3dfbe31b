// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "fp/compare.h"
#include "fp/convert.h"
#include "fp/integral.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// Cube maps and the range reduction of V_TRIG_PREOP_F64 (Vega ISA 12.9).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

/// Major axis of (x, y, z), and whether it points to its negative side.
struct Face {
  unsigned axis;
  bool negative;
};

Face cube_face(uint32_t x, uint32_t y, uint32_t z, Env& env) {
  const auto at_least = [&](uint32_t a, uint32_t b) {
    const fp::Ordering order = fp::compare<F32>(fp::abs<F32>(a), fp::abs<F32>(b), env);
    return order == fp::Ordering::Greater || order == fp::Ordering::Equal;
  };
  const auto below_zero = [&](uint32_t a) {
    return fp::compare<F32>(a, 0, env) == fp::Ordering::Less;
  };
  if (at_least(z, x) && at_least(z, y)) return {2, below_zero(z)};
  if (at_least(y, x)) return {1, below_zero(y)};
  return {0, below_zero(x)};
}

uint32_t cube_id(uint32_t x, uint32_t y, uint32_t z, Env& env) {
  const Face face = cube_face(x, y, z, env);
  Env exact;
  return fp::from_int<F32>(2 * face.axis + (face.negative ? 1u : 0u), exact);
}
uint32_t cube_sc(uint32_t x, uint32_t y, uint32_t z, Env& env) {
  const Face face = cube_face(x, y, z, env);
  if (face.axis == 2) return face.negative ? fp::neg<F32>(x) : x;
  if (face.axis == 1) return x;
  return face.negative ? z : fp::neg<F32>(z);
}
uint32_t cube_tc(uint32_t x, uint32_t y, uint32_t z, Env& env) {
  const Face face = cube_face(x, y, z, env);
  if (face.axis != 1) return fp::neg<F32>(y);
  return face.negative ? fp::neg<F32>(z) : z;
}
uint32_t cube_ma(uint32_t x, uint32_t y, uint32_t z, Env& env) {
  const uint32_t axes[3] = {x, y, z};
  return fp::ldexp<F32>(axes[cube_face(x, y, z, env).axis], 1, env);
}

/// The first 1201 fraction bits of 2 / pi, left-aligned.
constexpr std::array<uint64_t, 19> kTwoOverPi = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000};

/// 53 bits of 2 / pi from bit `shift` on, counted from the highest; zeros behind the last.
uint64_t segment(unsigned shift) {
  const auto word = [](unsigned n) { return n < kTwoOverPi.size() ? kTwoOverPi[n] : 0; };
  const unsigned n = shift / 64;
  const unsigned down = shift % 64;
  const uint64_t high = word(n) << down;
  const uint64_t low = down == 0 ? 0 : word(n + 1) >> (64 - down);
  return (high | low) >> 11;
}

void trig_preop(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  FloatSink out(op, result);
  Env env = env_of<F64>(op);
  for_active(op, [&](unsigned lane) {
    const auto exponent =
        static_cast<unsigned>((in.get<F64>(0, lane) & F64::kMagnitudeMask) >> F64::kFractionBits);
    unsigned shift = (in.raw().b32(1, lane) & 31) * 53;
    if (exponent > 1077) shift += exponent - 1077;
    int scale = -53 - static_cast<int>(shift);
    if (exponent >= 1968) scale += 128;
    Env zero = env;
    zero.round = fp::Round::Zero;
    const uint64_t bits = fp::from_int<F64>(segment(shift), zero);
    const uint64_t d = fp::ldexp<F64>(bits, scale, zero);
    fp::raise(env, zero.flags);
    out.put<F64>(lane, d, env);
  });
  result.flags = env.flags;
}

constexpr Entry kEntries[] = {
    {S::v_cubeid_f32, row_float<F32, 3, cube_id>},
    {S::v_cubesc_f32, row_float<F32, 3, cube_sc>},
    {S::v_cubetc_f32, row_float<F32, 3, cube_tc>},
    {S::v_cubema_f32, row_float<F32, 3, cube_ma>},
    {S::v_trig_preop_f64, trig_preop},
};

}  // namespace

EntryList float_special() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
