// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/lane_op.h"

namespace cuvette::wave {
struct MicroOp;
struct WaveState;
struct Context;
}  // namespace cuvette::wave

namespace cuvette::wave::lanes {

/// Setting of MXCSR while a level's function computes. The flags that the host raises count.
enum class HostMode : uint8_t {
  None,       ///< the function does not use the host's floating-point unit
  F32,        ///< as the F32 fields of MODE say
  F64,        ///< as those of F16 and F64 say
  Flushed,    ///< as the F32 fields, subnormal numbers flushed: V_MAD
  Machine,    ///< nearest even, subnormal numbers flushed: V_RCP_F32 and its like
  Machine64,  ///< nearest even, subnormal numbers as the F64 fields say
};
inline constexpr unsigned kHostModes = 6;

/// A row's function for 64 lanes: on values, and as the micro-op that it is in (MicroOp::Run).
struct LevelFunction {
  LaneHandler lanes = nullptr;
  bool (*run)(const MicroOp&, WaveState&, Context&) = nullptr;
};

/// A row of the instruction set on one level of the host's vector unit: functions for whole
/// registers of 64 lanes. `plain` is for instructions without SDWA, DPP, OP_SEL, OMOD and, unless
/// they are named here, other modifiers; everything else is the reference's.
struct LevelRow {
  LevelFunction plain;
  LevelFunction edited;   ///< with abs and neg of sources
  LevelFunction clamped;  ///< with CLAMP
  HostMode mode = HostMode::None;
  bool clamps_float = false;  ///< CLAMP may be applied to the F32 result afterwards
  bool packed = false;        ///< `plain` knows OP_SEL, OP_SEL_HI, NEG and NEG_HI of VOP3P

  constexpr LevelRow() = default;
  /// Written for the reference only.
  constexpr LevelRow(LaneHandler) {}
};

}  // namespace cuvette::wave::lanes
