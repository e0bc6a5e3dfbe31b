// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compute_unit/compute_unit_tlm.h"
#include "compute_unit/wave_control.h"
#include "hsa/queue_error.h"
#include "wave/operand.h"

// What is done to waves from outside: ended, halted, looked at (SQ_CMD, SQ_IND_INDEX and DATA).
namespace cuvette::compute_unit {

using machine::Cycle;
using spi::WaveAction;
using spi::WaveCommand;

void ComputeUnitTlm::take_commands(Cycle now) {
  for (auto* channel : {&port_->command, &debug}) {
    while (channel->front(now) != nullptr) command(channel->pop(now), now);
  }
}

void ComputeUnitTlm::command(const WaveCommand& c, Cycle now) {
  if (c.action == WaveAction::Attach || c.action == WaveAction::Detach) {
    attached_ = c.action == WaveAction::Attach;
    // Nobody is left who could let them go on.
    for (WaveContext& w : waves_) {
      const bool there = w.phase == Phase::Running || w.phase == Phase::AtBarrier;
      if (!attached_ && there && is_halted(w)) end_halted(w, nullptr);
    }
    return;
  }
  if (c.action == WaveAction::Save) return save(c, now);
  for (WaveContext& w : waves_) {
    if (w.phase == Phase::Free || !is_meant(c, w.launch)) continue;
    if (w.phase == Phase::Ending) {
      if (c.action == WaveAction::Kill) leave_gds(w);  // or it may never end
      continue;
    }
    switch (c.action) {
      case WaveAction::Kill:
        kill(w);
        break;
      case WaveAction::Halt:
        w.state.s.status |= wave::kStatusHalt;
        follow_halt(w, now);
        break;
      case WaveAction::Resume:
        w.state.s.status &= ~wave::kStatusHalt;
        account(w, now);
        w.ready_at = std::max(w.ready_at, now + 1);
        wake(w);
        follow_halt(w, now);
        break;
      case WaveAction::Attach:
      case WaveAction::Detach:
      case WaveAction::Save:
        break;
    }
  }
}

/// TRAPSTS.SAVECTX of every wave of a work-group that has not ended. One that waits at a barrier of
/// its program will do so again: PC goes back to S_BARRIER.
void ComputeUnitTlm::save(const WaveCommand& c, Cycle now) {
  WaveContext* first = nullptr;
  const auto each = [&](auto act) {
    for_resident([&](WaveContext& w) {
      if (w.phase != Phase::Ending && w.launch.workgroup == c.workgroup) act(w);
    });
  };
  each([&](WaveContext& w) {
    if (first == nullptr || w.launch.wave_in_group < first->launch.wave_in_group) first = &w;
  });
  each([&](WaveContext& w) {
    w.state.s.trapsts |= wave::kSaveCtx;
    w.saves = true;
    w.save_first = &w == first;
    w.save_room = spi::room_of(c.room, c.wave_bytes, w.launch.lds_bytes, w.launch.wave_in_group,
                               w.save_first);
    const bool handler = (w.state.s.status & wave::kStatusPriv) != 0;
    if (w.phase == Phase::AtBarrier && !handler) {
      --group_of(c.workgroup).arrived;
      w.phase = Phase::Running;
      end_stall(w);
      w.state.s.pc -= 4;
    }
    if (w.sleeping) w.ready_at = std::min(w.ready_at, now + 1);
    wake(w);
    follow_halt(w, now);
  });
}

/// Ends without an error, when what it has sent is back.
void ComputeUnitTlm::kill(WaveContext& w) {
  start_stall(w, Stall::End, now_);
  if (w.phase == Phase::AtBarrier) --group_of(w.launch.workgroup).arrived;
  begin_end(w);
  w.killed = true;
  leave_gds(w);
}

void ComputeUnitTlm::end_halted(WaveContext& w, const isa::Instruction* instruction) {
  fail(w, hsa::kQueueErrorException, 0, "wave halted itself", instruction);
}

std::optional<uint32_t> ComputeUnitTlm::inspect(unsigned simd, unsigned slot, uint32_t index,
                                                unsigned lane) const {
  if (simd >= config_.simds || slot >= config_.slots) return std::nullopt;
  const WaveContext& w = at(simd, slot);
  if (w.phase == Phase::Free) return std::nullopt;
  if (const auto vector = vector_index(index, w.launch)) {
    wave::LaneRow values;
    simds_[simd].simd->registers().read(vrf::ReadPort::Backdoor, now_,
                                        row_of(w, vector->acc, vector->row), values);
    return values[lane % wave::kLanes];
  }
  const uint32_t* words = nullptr;
  const unsigned held = fetch_.held(w.index, words);
  return inspect_scalar(w, index, words, held);
}

}  // namespace cuvette::compute_unit
