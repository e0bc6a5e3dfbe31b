// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"
#include "wave/mode.h"

namespace cuvette::wave {

/// One VALU instruction as values: what the valu block computes, without registers.
///
/// Sources are arrays of `lanes` dwords, one array per dword of the operand; input modifiers (SDWA
/// selects, op_sel, sext, abs, neg) are not applied yet, DPP is. A scalar source is an array too
/// (broadcast). Arrays of sources may be the destination's own: a handler reads lane i completely
/// before it writes lane i. Accumulators (V_MAC, V_FMAC, V_DOT2C, preserved halves) are read
/// through LaneResult::dst, not through src. Row flags decide whether op_sel counts, so `row` must
/// be set.
struct LaneOp {
  const isa::Instruction* instruction = nullptr;
  Mode mode;
  unsigned lanes = 64;             ///< 64 in golden, 16 in one beat of the valu block
  unsigned first_lane = 0;         ///< wavefront lane of element 0 (V_MBCNT): 16 * beat
  uint64_t exec = 0;               ///< bit per lane; lanes with 0 keep their destination
  const uint32_t* src[3][4] = {};  ///< [source][dword]
  uint64_t mask_in = 0;  ///< bit per lane: carry in, or the select mask of V_CNDMASK and V_DIV_FMAS
};

/// Destinations of results. `dst` points at the destination's old values and is updated in place
/// for the lanes of EXEC; `mask` is the carry, compare or VCC result with 0 for disabled lanes.
struct LaneResult {
  uint32_t* dst[4] = {};  ///< [dword], null when there is no vector destination
  uint64_t mask = 0;      ///< bit per lane
  uint8_t flags = 0;      ///< fp::Flag of the enabled lanes, or-ed
};

using LaneHandler = void (*)(const LaneOp&, LaneResult&);

/// The behaviour of a VALU instruction; null when this build has none (reported as unsupported).
LaneHandler lane_handler(isa::SemanticId semantic);

}  // namespace cuvette::wave
