// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/executor/level_vector.h"

#include <cstring>

#include "fp/modifiers.h"
#include "wave/executor/route.h"
#include "wave/lanes/access.h"
#include "wave/lanes/integer_ops.h"
#include "wave/lanes/level_run.h"

namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

CUVETTE_INLINE void fill(uint32_t* row, uint32_t value) {
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) store(row + part * kWidth, broadcast(value));
}

/// SDWA: the part of a source, extended.
CUVETTE_INLINE void select_part(const uint32_t* from, isa::SdwaSelect select, bool sext,
                                uint32_t* to) {
  const auto n = static_cast<unsigned>(select);
  const unsigned width = n <= 3 ? 8 : n <= 5 ? 16 : 32;
  const unsigned right = n <= 3 ? 8 * n : n <= 5 ? 16 * (n - 4) : 0;
  const unsigned rest = 32 - width;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits top = load(from + part * kWidth) << (rest - right);
    store(to + part * kWidth, sext ? as<Bits>(as<Signed>(top) >> rest) : top >> rest);
  }
}

/// SDWA: a result into its part, beside what DST_UNUSED says.
CUVETTE_INLINE void merge_part(const uint32_t* old, isa::SdwaSelect select, isa::SdwaUnused unused,
                               uint32_t* row) {
  const auto n = static_cast<unsigned>(select);
  if (n > 5) return;
  const unsigned width = n <= 3 ? 8 : 16;
  const unsigned shift = n <= 3 ? 8 * n : 16 * (n - 4);
  const uint32_t field = (width == 8 ? 0xffu : 0xffffu) << shift;
  const unsigned rest = 32 - width;
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    uint32_t* const at = row + part * kWidth;
    const Bits top = load(at) << rest;
    Bits x = top >> rest << shift;
    if (unused == isa::SdwaUnused::SignExtend) x = as<Bits>(as<Signed>(top) >> rest) << shift;
    if (unused == isa::SdwaUnused::Preserve) x |= load(old + part * kWidth) & ~field;
    store(at, x);
  }
}

/// CLAMP on F32 results (fp::apply_clamp).
CUVETTE_INLINE void clamp_floats(bool dx10, uint32_t* row) {
  CUVETTE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    row[lane] = fp::apply_clamp<fp::F32>(row[lane], dx10);
  }
}

struct Lanes {
  uint64_t work, write;
};
/// DPP: which lanes have a source, and the first operand as they read it.
CUVETTE_INLINE Lanes route_lanes(const MicroOp& p, const Route& route, Context& c, LaneOp& op) {
  const isa::Modifiers& mod = p.instruction->mod;
  const uint64_t exec = op.exec;
  uint64_t valid = route.inside;
  if (exec != ~uint64_t{0}) {
    uint64_t enabled = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      enabled |= (exec >> route.source[lane] & 1) << lane;
    }
    valid &= enabled;
  }
  for (unsigned d = 0; d < p.src_dwords[0]; ++d) {
    const uint32_t* const from = op.src[0][d];
    uint32_t* const to = c.copy[0][d].data();
    for (unsigned lane = 0; lane < kLanes; ++lane) to[lane] = from[route.source[lane]];
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      uint32_t* const at = to + part * kWidth;
      store(at, keep(mask_of(valid, part * kWidth), load(at)));
    }
    op.src[0][d] = to;
  }
  const uint64_t work = (mod.dpp_bound_ctrl ? ~uint64_t{0} : valid) & exec;
  return {work, work & route.selected};
}

}  // namespace

CUVETTE_LEVEL CUVETTE_SELDOM void copy_scalars(const MicroOp& p, Context& c) {
  for (unsigned rest = p.copied; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<unsigned>(__builtin_ctz(rest));
    const char* const from = c.base[static_cast<unsigned>(Place::Scalar)] + p.scalar_src[s];
    for (unsigned d = 0; d < p.src_dwords[s]; ++d) {
      uint32_t word;
      std::memcpy(&word, from + 4 * d, sizeof word);
      fill(c.copy[s][d].data(), word);
    }
  }
}

CUVETTE_LEVEL bool run_called(const MicroOp& p, WaveState& wave, Context& c) {
  LaneOp op;
  collect(p, wave, c, op);
  LaneResult result;
  place_result(result, p.row(wave));
  p.lanes(op, result);
  finish(p, wave, result);
  return true;
}

CUVETTE_LEVEL bool run_routed(const MicroOp& p, WaveState& wave, Context& c) {
  const Route& route = *p.route;
  const isa::Modifiers& mod = p.instruction->mod;
  LaneOp op;
  collect(p, wave, c, op);
  const uint64_t exec = op.exec;
  Lanes lanes{exec, exec};
  if (route.dpp) lanes = route_lanes(p, route, c, op);
  if (route.sdwa) {
    for (unsigned s = 0; s < p.sources && s < 2; ++s) {
      uint32_t* const to = c.copy[s][0].data();
      select_part(op.src[s][0], mod.sdwa_src[s], base::bit(mod.sext, s), to);
      op.src[s][0] = to;
    }
  }
  op.exec = lanes.work;
  LaneResult result;
  uint32_t* const dst = p.row(wave);
  place_result(result, c.result[0].data());
  for (unsigned d = 0; d < p.dst_dwords; ++d) {
    std::memcpy(result.dst[d], dst + d * kLanes, sizeof(LaneRow));
  }
  c.floats.arrange(p.mode);
  p.lanes(op, result);
  if (route.clamp) clamp_floats(wave.s.mode.dx10_clamp(), result.dst[0]);
  if (route.sdwa && p.dst_dwords != 0) {
    merge_part(dst, mod.sdwa_dst, mod.sdwa_unused, result.dst[0]);
  }
  op.exec = lanes.write;
  for (unsigned d = 0; d < p.dst_dwords; ++d) put_row(op, dst + d * kLanes, result.dst[d]);
  // A lane without a valid source keeps its bit of a carry-out.
  if (p.mask_out >= 0) {
    result.mask |= wave.s.pair(static_cast<unsigned>(p.mask_out)) & exec & ~lanes.work;
  }
  finish(p, wave, result);
  return true;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
