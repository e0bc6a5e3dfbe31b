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

std::string abort_text(unsigned id, uint64_t exec) {
  std::string text = "trap " + std::to_string(id);
  if (id == 1) text += " (HSA debugtrap)";
  if (id == 2) text += " (abort: llvm.trap)";
  if (id == 3) text += " (llvm.debugtrap)";
  text += " without a trap handler, ";
  if (exec == 0) return text + "no lane enabled";
  text += (exec & (exec - 1)) == 0 ? "lane" : "lanes";
  const char* separator = " ";
  for (unsigned lane = 0; lane < kLanes;) {
    if ((exec >> lane & 1) == 0) {
      ++lane;
      continue;
    }
    unsigned last = lane;
    while (last + 1 < kLanes && (exec >> (last + 1) & 1) != 0) ++last;
    text += separator + std::to_string(lane);
    if (last != lane) text += " to " + std::to_string(last);
    separator = ", ";
    lane = last + 1;
  }
  return text;
}

bool take_exception_trap(WaveState& wave, uint32_t raised, unsigned length) {
  if (!traps_armed(wave) || (raised & wave.s.mode.excp_en()) == 0) return false;
  enter_trap(wave, wave.s.pc, 0, length);
  return true;
}

}  // namespace cuvette::wave
