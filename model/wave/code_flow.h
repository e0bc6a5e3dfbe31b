// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"

namespace cuvette::wave {

/// PC values are multiples of 4: no instruction falls through to here.
inline constexpr uint64_t kNoFallThrough = 1;

/// Address at which straight-line execution goes on behind the instruction at `pc`: kNoFallThrough
/// behind a jump that is always taken, whose target may be anywhere, the next function included.
inline uint64_t fall_through(const isa::Instruction& i, uint64_t pc) {
  using Id = isa::SemanticId;
  switch (i.semantic()) {
    case Id::s_branch:
    case Id::s_setpc_b64:
    case Id::s_swappc_b64:
    case Id::s_call_b64:
    case Id::s_rfe_b64:
    case Id::s_rfe_restore_b64:
    case Id::s_cbranch_g_fork:
    case Id::s_cbranch_i_fork:
    case Id::s_cbranch_join:
      return kNoFallThrough;
    default:
      return pc + 4u * i.length;
  }
}

}  // namespace cuvette::wave
