// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/trap.h"

#include "wave/operand.h"

namespace cuvette::wave {
namespace {

constexpr uint64_t kPcMask = 0xffffffffffff;
constexpr unsigned kIdShift = 48;
constexpr unsigned kRewindShift = 57;

}  // namespace

void enter_trap(WaveState& wave, uint64_t pc, unsigned id, unsigned rewind) {
  wave.s.set_pair(isa::kTtmp0, uint64_t{rewind & 0xf} << kRewindShift |
                                   uint64_t{id & 0xff} << kIdShift | (pc & kPcMask));
  wave.s.status |= kStatusPriv;
  wave.s.pc = wave.s.tba & kPcMask & ~uint64_t{3};
}

bool traps_armed(const WaveState& wave) {
  return (wave.s.status & (kStatusTrapEn | kStatusPriv)) == kStatusTrapEn;
}

bool take_exception_trap(WaveState& wave, uint32_t raised, unsigned length) {
  if (!traps_armed(wave) || (raised & wave.s.mode.excp_en()) == 0) return false;
  enter_trap(wave, wave.s.pc, 0, length);
  return true;
}

}  // namespace cuvette::wave
