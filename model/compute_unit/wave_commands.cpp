// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/wave_commands.h"

#include <algorithm>

#include "compute_unit/wave_control.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using spi::WaveAction;
using spi::WaveCommand;

void WaveCommands::execute(const WaveCommand& c, Cycle now) {
  if (c.action == WaveAction::Attach || c.action == WaveAction::Detach) {
    return attach(c.action == WaveAction::Attach);
  }
  if (c.action == WaveAction::Save) return save(c, now);
  for (WaveContext& w : slots_) {
    if (w.phase == Phase::Free || !is_meant(c, w.launch)) continue;
    if (w.phase == Phase::Ending) {
      if (c.action == WaveAction::Kill) gds_.withdraw(w);  // or it may never end
      continue;
    }
    switch (c.action) {
      case WaveAction::Kill:
        termination_.kill(w);
        break;
      case WaveAction::Halt:
        w.state.s.status |= wave::kStatusHalt;
        stalls_.follow_halt(w, now);
        break;
      case WaveAction::Resume:
        w.state.s.status &= ~wave::kStatusHalt;
        stalls_.account(w, now);
        w.ready_at = std::max(w.ready_at, now + 1);
        slots_.wake(w);
        stalls_.follow_halt(w, now);
        break;
      case WaveAction::Attach:
      case WaveAction::Detach:
      case WaveAction::Save:
        break;
    }
  }
}

/// When the debugger leaves, nobody is left who could let halted waves go on.
void WaveCommands::attach(bool attached) {
  termination_.attach_debugger(attached);
  if (attached) return;
  for (WaveContext& w : slots_) {
    const bool there = w.phase == Phase::Running || w.phase == Phase::AtBarrier;
    if (there && is_halted(w)) termination_.fail_halted(w, nullptr);
  }
}

/// TRAPSTS.SAVECTX of every wave of a work-group that has not ended.
void WaveCommands::save(const WaveCommand& c, Cycle now) {
  const WaveContext* first = nullptr;
  const auto each = [&](auto act) {
    slots_.for_resident([&](WaveContext& w) {
      if (w.phase != Phase::Ending && w.launch.workgroup == c.workgroup) act(w);
    });
  };
  each([&](const WaveContext& w) {
    if (first == nullptr || w.launch.wave_in_group < first->launch.wave_in_group) first = &w;
  });
  each([&](WaveContext& w) { save_wave(w, c, &w == first, now); });
}

/// A wave that waits at a barrier of its program will do so again: PC goes back to S_BARRIER.
void WaveCommands::save_wave(WaveContext& w, const WaveCommand& c, bool first, Cycle now) {
  w.state.s.trapsts |= wave::kSaveCtx;
  w.saves = true;
  w.save_first = first;
  w.save_room =
      spi::room_of(c.room, c.wave_bytes, w.launch.lds_bytes, w.launch.wave_in_group, first);
  const bool handler = (w.state.s.status & wave::kStatusPriv) != 0;
  if (w.phase == Phase::AtBarrier && !handler) {
    groups_.withdraw(w);
    w.phase = Phase::Running;
    stalls_.end(w);
    w.state.s.pc -= 4;
  }
  if (w.sleeping) w.ready_at = std::min(w.ready_at, now + 1);
  slots_.wake(w);
  stalls_.follow_halt(w, now);
}

}  // namespace cuvette::compute_unit
