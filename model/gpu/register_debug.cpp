// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Commands to waves and what a debugger reads of them: SQ_CMD, SQ_IND_INDEX, SQ_IND_DATA and
// CUVETTE_DEBUGGER.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/mmio_registers.h"

namespace cuvette::gpu {

using registers::Reg;
namespace field = registers::field;
using spi::WaveAction;
using spi::WaveCommand;

void MmioRegisters::hook_debug() {
  file_.on_write(Reg::CUVETTE_DEBUGGER, [this](unsigned, uint32_t written, uint32_t) {
    const bool now = field::CUVETTE_DEBUGGER::ATTACHED.get(written) != 0;
    if (now == attached_) return;
    attached_ = now;
    WaveCommand command;
    command.action = now ? WaveAction::Attach : WaveAction::Detach;
    for (unsigned unit = 0; unit < units_; ++unit) machine_.command(unit, command);
  });
  file_.on_write(Reg::SQ_CMD,
                 [this](unsigned, uint32_t written, uint32_t) { command_waves(written); });
  file_.on_read(Reg::SQ_IND_DATA, [this](unsigned, uint32_t) { return inspect_wave(); });
}

/// GRBM_GFX_INDEX: one compute unit, those of an engine, or all. There is one array per engine.
std::vector<unsigned> MmioRegisters::selected_units() const {
  namespace index = field::GRBM_GFX_INDEX;
  const uint32_t word = file_.get(Reg::GRBM_GFX_INDEX);
  std::vector<unsigned> units;
  for (unsigned unit = 0; unit < units_; ++unit) {
    const unsigned engine = unit / units_per_engine_;
    if ((index::SE_BROADCAST_WRITES.get(word) != 0 || index::SE_INDEX.get(word) == engine) &&
        (index::SH_BROADCAST_WRITES.get(word) != 0 || index::SH_INDEX.get(word) == 0) &&
        (index::INSTANCE_BROADCAST_WRITES.get(word) != 0 ||
         index::INSTANCE_INDEX.get(word) == unit % units_per_engine_)) {
      units.push_back(unit);
    }
  }
  return units;
}

void MmioRegisters::command_waves(uint32_t word) {
  namespace f = field::SQ_CMD;
  enum Command : uint32_t { kNull, kSetHalt, kSaveContext, kKill };
  enum Mode : uint32_t { kSingle, kBroadcast };
  const uint32_t what = f::CMD.get(word);
  if (what == kNull) return;
  if ((what != kSetHalt && what != kKill) || f::MODE.get(word) > kBroadcast) {
    file_.set(Reg::CUVETTE_ERROR, field::CUVETTE_ERROR::NOT_MODELLED, 1);
    return report(fmt::format("SQ_CMD {:#x}: not modelled", word));
  }
  WaveCommand command;
  command.action = what == kKill                  ? WaveAction::Kill
                   : (f::DATA.get(word) & 1) != 0 ? WaveAction::Halt
                                                  : WaveAction::Resume;
  command.one = f::MODE.get(word) == kSingle;
  command.simd = static_cast<uint8_t>(f::SIMD_ID.get(word));
  command.slot = static_cast<uint8_t>(f::WAVE_ID.get(word));
  command.of_vmid = f::CHECK_VMID.get(word) != 0;
  command.vmid = static_cast<uint8_t>(f::VM_ID.get(word));
  for (const unsigned unit : selected_units()) machine_.command(unit, command);
}

/// SQ_IND_DATA: of the first compute unit that GRBM_GFX_INDEX selects; 0 where nothing is.
uint32_t MmioRegisters::inspect_wave() {
  namespace f = field::SQ_IND_INDEX;
  const uint32_t word = file_.get(Reg::SQ_IND_INDEX);
  const auto units = selected_units();
  if (units.empty()) return 0;
  const uint32_t index = f::INDEX.get(word);
  const auto value = machine_.inspect(units.front(), f::SIMD_ID.get(word), f::WAVE_ID.get(word),
                                      index, f::THREAD_ID.get(word));
  if (f::AUTO_INCR.get(word) != 0) file_.set(Reg::SQ_IND_INDEX, f::INDEX, index + 1);
  return value.value_or(0);
}

}  // namespace cuvette::gpu
