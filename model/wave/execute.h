// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"
#include "wave/matrix.h"
#include "wave/memory_op.h"
#include "wave/state.h"

namespace cuvette::wave {

/// Action that the machine around a wavefront has to take after an instruction.
enum class Event : uint8_t {
  None,
  Memory,       ///< carry out the MemoryOp, then complete()
  GlobalSync,   ///< carry out MemoryOp::sync, perhaps later, then complete()
  WaitCount,    ///< argument: SIMM16 of S_WAITCNT
  Barrier,      ///< S_BARRIER: wait for the other waves of the work-group
  EndProgram,   ///< S_ENDPGM and variants
  SendMessage,  ///< argument: SIMM16
  Trap,         ///< argument: trap id
  Abort,        ///< S_TRAP without a handler, argument: trap id; the wave cannot go on
  Halt,         ///< argument: the new STATUS.HALT, also after S_SENDMSGHALT by STATUS
  Sleep,        ///< argument: clocks, 64 times SIMM16[6:0]
  Priority,     ///< argument: 0..3
  Wakeup,       ///< S_WAKEUP: the other waves of the work-group leave S_SLEEP
  InstructionCacheInvalidate,  ///< S_ICACHE_INV
  ScalarCacheInvalidate,       ///< S_DCACHE_INV
  ScalarCacheWriteback,        ///< S_DCACHE_WB
  VectorCacheInvalidate,       ///< argument on gfx942: scope, bit 0 SC0, bit 1 SC1
  L2Writeback,                 ///< the same argument
  L2Invalidate,
  Unsupported,  ///< `reason` says why; the wave cannot go on
};

/// Result of an instruction; registers are as it leaves them.
struct Outcome {
  Event event = Event::None;
  uint32_t argument = 0;    ///< as the event says, otherwise 0
  const char* reason = "";  ///< Unsupported: a constant text for messages
};

/// Exactness with which an instruction is modelled on a target (docs/reference/glossary.md,
/// "status").
enum class Status : uint8_t { Exact, Defined, Approximate, Unsupported };
/// Status of a row with its reason, a constant text; empty when Exact.
struct StatusOf {
  Status status = Status::Unsupported;
  const char* reason = "";
};
/// Unsupported for a row that the target does not have.
StatusOf status_of(const isa::Row& row, isa::Target target);

/// Executes one instruction of any format of the wave's target. PC has already been advanced behind
/// the instruction; branches overwrite it. Memory instructions fill `op` and return Event::Memory
/// without touching memory.
Outcome execute(WaveState& wave, const isa::Instruction& instruction, MemoryOp& op);

/// The parts, for engines that own a unit each. `execute` is their sum.
Outcome execute_scalar(WaveState& wave,
                       const isa::Instruction& instruction);  ///< SOP*, and control
Outcome execute_vector(WaveState& wave, const isa::Instruction& instruction);  ///< VOP*, not matrix
/// VOP3P-MAI; `execute` takes the reference.
Outcome execute_matrix(WaveState& wave, const isa::Instruction& instruction,
                       MatrixPath path = MatrixPath::Host);

}  // namespace cuvette::wave
