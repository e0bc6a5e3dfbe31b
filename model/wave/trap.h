// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "wave/execute.h"
#include "wave/operand.h"

// Entering the trap handler (MI100 ISA 3.10). Only with STATUS.TRAP_EN; without a handler (TBA 0)
// exceptions just stay in TRAPSTS, and S_TRAP ends the wave.
namespace cuvette::wave {

/// PRIV on, PC to TBA, {TTMP1, TTMP0} = {0, pc_rewind, HT = 0, trap id, PC}. The instruction that
/// is the cause lies `rewind` dwords before the saved PC.
/// `id`: 8 bits, 0 for an exception. `rewind`: 4 bits.
void enter_trap(WaveState& wave, uint64_t pc, unsigned id, unsigned rewind);

/// Message for a wave that S_TRAP `id` ends because no handler is present: its cause (LLVM
/// AMDGPUUsage, "Trap Handler ABI"), and the lanes that asked for it.
std::string abort_text(unsigned id, uint64_t exec);

/// True if a handler is present and not running already: in the handler (PRIV) exceptions do not
/// trap, they only accumulate.
inline bool traps_armed(const WaveState& wave) {
  return (wave.s.status & (kStatusTrapEn | kStatusPriv)) == kStatusTrapEn && wave.s.tba != 0;
}

/// Takes the trap of the exceptions `raised` (bits of TRAPSTS.EXCP) that one instruction of
/// `length` dwords had, if MODE.EXCP_EN asks for one of them. PC is behind the instruction. A
/// memory violation is imprecise: length 0. True: the wave is in the handler now.
bool take_exception_trap(WaveState& wave, uint32_t raised, unsigned length);

}  // namespace cuvette::wave
