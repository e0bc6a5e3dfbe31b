// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compute_unit/loose/loose_unit.h"
#include "compute_unit/wave_control.h"
#include "hsa/queue_error.h"
#include "wave/operand.h"
#include "wave/trap.h"

// Actions on waves from outside (SQ_CMD, CWSR). Waves may have run ahead of the command.
namespace cuvette::compute_unit::loose {

using spi::WaveAction;
using spi::WaveCommand;

void LooseUnit::take_commands() {
  for (auto* channel : {&port_->command, &debug}) {
    while (channel->front(now_) != nullptr) command(channel->pop(now_));
  }
}

void LooseUnit::command(const WaveCommand& c) {
  if (c.action == WaveAction::Attach || c.action == WaveAction::Detach) {
    attached_ = c.action == WaveAction::Attach;
    // Nobody is left who could let them go on.
    for_resident([this](Slot& w) {
      if (!attached_ && w.phase != Phase::Ending && is_halted(w)) end_halted(w, nullptr);
    });
    return;
  }
  if (c.action == WaveAction::Save) return save(c);
  for_resident([&](Slot& w) {
    if (!is_meant(c, w.launch)) return;
    if (w.phase == Phase::Ending) {
      if (c.action == WaveAction::Kill) leave_gds(w);  // or it may never end
      return;
    }
    switch (c.action) {
      case WaveAction::Kill:
        w.killed = true;
        advance(w, now_, waiting_for(w));
        leave_program(w);
        break;
      case WaveAction::Halt:
        w.state.s.status |= wave::kStatusHalt;
        break;
      case WaveAction::Resume:
        if (w.phase == Phase::Running) advance(w, now_ + 1, waiting_for(w));
        w.state.s.status &= ~wave::kStatusHalt;
        break;
      default:
        break;
    }
  });
}

/// TRAPSTS.SAVECTX of every wave of a work-group that has not ended. One that waits at a barrier of
/// its program will do so again: PC goes back to S_BARRIER.
void LooseUnit::save(const WaveCommand& c) {
  Slot* first = nullptr;
  const auto each = [&](auto act) {
    for_resident([&](Slot& w) {
      if (w.phase != Phase::Ending && w.launch.workgroup == c.workgroup) act(w);
    });
  };
  each([&](Slot& w) {
    if (first == nullptr || w.launch.wave_in_group < first->launch.wave_in_group) first = &w;
  });
  each([&](Slot& w) {
    advance(w, now_ + 1, waiting_for(w));
    w.state.s.trapsts |= wave::kSaveCtx;
    w.saves = true;
    w.save_first = &w == first;
    w.save_room = spi::room_of(c.room, c.wave_bytes, w.launch.lds_bytes, w.launch.wave_in_group,
                               w.save_first);
    const bool handler = (w.state.s.status & wave::kStatusPriv) != 0;
    if (w.phase == Phase::AtBarrier && !handler) {
      --w.group->arrived;
      w.phase = Phase::Running;
      w.state.s.pc -= 4;
    }
    wake(w, now_);
  });
}

/// Enters the trap handler to save the wave, whether or not STATUS.TRAP_EN lets the program trap.
void LooseUnit::enter_save(Slot& w) {
  w.saves = false;
  w.state.s.trapsts |= wave::kSaveCtx;  // a handler may have written TRAPSTS since the command
  wave::enter_trap(w.state, w.state.s.pc, 0, 0);
  w.place = w.state.s.pc;
  advance(w, w.ready_at + rules_.branch(), Stall::Latency);
  jump(w);
}

void LooseUnit::end_halted(Slot& w, const isa::Instruction* instruction) {
  fail(w, hsa::kQueueErrorException, 0, "wave halted itself", instruction);
}

}  // namespace cuvette::compute_unit::loose
