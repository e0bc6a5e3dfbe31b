// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/plain_float.h"

// F32 rows of one kind next to each other (wave/prepared.h, join_rows) on one host level.
namespace cuvette::wave::lanes {
namespace {

#if CUVETTE_VECTOR_BYTES > 16

#if CUVETTE_VECTOR_BYTES == 32
using ManyRowsExec = ShiftedExec;
#else
using ManyRowsExec = uint64_t;
#endif

template <HostOp Op, SourceShape Shape, bool Full, class Exec>
CUVETTE_INLINE void float_rows(const Prepared& p, WaveState& wave, HostSlice& slice, Exec exec) {
  const Prepared* const end = &p + p.pieces;
  for (const Prepared* row = &p; row != end; ++row) {
    FloatInputs in;
    take_inputs<Op, Shape>(*row, wave, in);
    if (!float_flags_fit<Op, Shape, Full>(in, exec)) [[unlikely]] {
      run_lanes(*row, wave, slice);
    } else if (!float_parts<Op, Shape, Full>(in, Prepared::row(wave, row->dst), exec))
        [[unlikely]] {
      float_nans<Op, Shape>(*row, wave, slice);
    }
    if constexpr (!Full) forget_masks(exec);
  }
}

template <HostOp Op, SourceShape Shape>
[[gnu::noinline]] CUVETTE_LEVEL bool float_sequence_partial(const Prepared& p, WaveState& wave,
                                                            HostSlice& slice) {
  if ((!kMayBeSlow<Op> || !slice.careful) && float_mode_fits<Op>(wave)) {
    float_rows<Op, Shape, false>(p, wave, slice, ManyRowsExec(wave.s.exec()));
    return true;
  }
  const Prepared* const end = &p + p.pieces;
  for (const Prepared* row = &p; row != end; ++row) float_row_partial<Op, Shape>(*row, wave, slice);
  return true;
}

template <HostOp Op, SourceShape Shape>
CUVETTE_LEVEL bool float_sequence(const Prepared& p, WaveState& wave, HostSlice& slice) {
  if (wave.s.exec() != ~uint64_t{0} || (kMayBeSlow<Op> && slice.careful) ||
      !float_mode_fits<Op>(wave)) [[unlikely]]
    CUVETTE_TAIL return float_sequence_partial<Op, Shape>(p, wave, slice);
  float_rows<Op, Shape, true>(p, wave, slice, uint64_t{0});
  return true;
}

template <HostOp Op>
Prepared::Run float_sequence_of(SourceShape shape) {
  static constexpr std::array<Prepared::Run, kSourceShapes> kRows = {
      float_sequence<Op, SourceShape::Any>, float_sequence<Op, SourceShape::Registers>,
      float_sequence<Op, SourceShape::FirstScalar>};
  return kRows[static_cast<size_t>(shape)];
}

#endif

}  // namespace
}  // namespace cuvette::wave::lanes
