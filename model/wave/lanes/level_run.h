// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/executor/micro_op.h"
#include "wave/lanes/host_vector.h"
#include "wave/lanes/level.h"
#include "wave/lanes/level_row.h"

// A row's function between a micro-op's registers, on one host level.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// Scalar sources to Context::copy (level_vector.cpp).
CUVETTE_LEVEL CUVETTE_SELDOM void copy_scalars(const MicroOp& p, Context& c);

/// Every source as rows of 64 lanes.
CUVETTE_INLINE void collect(const MicroOp& p, const WaveState& wave, Context& c, LaneOp& op) {
  if (p.copied != 0) copy_scalars(p, c);
  op.instruction = p.instruction;
  op.mode = wave.s.mode;
  op.exec = wave.s.exec();
  if (p.mask_in >= 0) op.mask_in = wave.s.pair(static_cast<unsigned>(p.mask_in));
  CUVETTE_UNROLL
  for (unsigned s = 0; s < 3; ++s) {
    const uint32_t* const at = p.at(c, s);
    CUVETTE_UNROLL
    for (unsigned d = 0; d < 4; ++d) op.src[s][d] = at + d * kLanes;
  }
}

/// Sets the beginnings of the rows of a result: as many as there are; the others are not read.
CUVETTE_INLINE void place_result(LaneResult& result, uint32_t* dst) {
  CUVETTE_UNROLL
  for (unsigned d = 0; d < 4; ++d) result.dst[d] = dst + d * kLanes;
}

CUVETTE_INLINE void finish(const MicroOp& p, WaveState& wave, const LaneResult& result) {
  if (p.mask_out >= 0) wave.s.set_pair(static_cast<unsigned>(p.mask_out), result.mask);
  if (p.writes_exec) wave.s.set_exec(result.mask);
  wave.s.trapsts |= result.flags & kExcpMask;
}

/// MicroOp::Run of a row: its function in place, so that what it reads of operands stays in
/// registers of the host.
template <LaneHandler Handler, HostMode Mode>
CUVETTE_LEVEL bool run_row(const MicroOp& p, WaveState& wave, Context& c) {
  LaneOp op;
  collect(p, wave, c, op);
  LaneResult result;
  place_result(result, p.row(wave));
  if constexpr (Mode != HostMode::None) c.floats.arrange(Mode);
  CUVETTE_IN_PLACE Handler(op, result);
  finish(p, wave, result);
  return true;
}
template <LaneHandler Handler, HostMode Mode = HostMode::None>
inline constexpr LevelFunction level_function{Handler, run_row<Handler, Mode>};

/// Calls the row's function on bit patterns. Operands and results go to it as copies: the row's own
/// ones then need no memory.
CUVETTE_SELDOM inline void call_soft(LaneHandler soft, const LaneOp& op, LaneResult& out) {
  soft(op, out);
}
CUVETTE_INLINE void do_soft(LaneHandler soft, LaneOp op, LaneResult& result) {
  LaneResult out = result;
  call_soft(soft, op, out);
  result.mask = out.mask;
  result.flags = out.flags;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
