// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"

// Data-parallel primitives: which lane each lane reads, and which lanes are written (Vega ISA 13
// "DPP", decisions.md D6, D55).
namespace cuvette::wave {

inline constexpr int kNoLane = -1;  ///< no source lane

/// The wavefront lane that `lane` (0..63) reads under a legal DPP_CTRL; kNoLane when out of range,
/// and for every lane when the control value is reserved. Lanes no broadcast reaches count as out
/// of range.
int dpp_source_lane(uint16_t ctrl, unsigned lane);

/// The lanes that row and bank masks select.
/// Bit per lane.
uint64_t dpp_selected(const isa::Modifiers& modifiers);

/// Sources of all lanes under a DPP control, and masks with a bit per lane.
struct DppRouting {
  uint8_t source[64];  ///< source lane; any lane when `zero` has the bit
  uint64_t zero = 0;   ///< lanes that read 0 (invalid source with bound_ctrl)
  uint64_t work = 0;   ///< lanes the instruction works for: EXEC, and a valid source or bound_ctrl
  uint64_t write = 0;  ///< of them, those whose VGPR is written: row and bank masks
};

/// A source lane outside the pattern or disabled in `exec` is invalid.
DppRouting dpp_route(const isa::Modifiers& modifiers, uint64_t exec);

}  // namespace cuvette::wave
