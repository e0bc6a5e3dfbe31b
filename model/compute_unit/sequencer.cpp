// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/sequencer.h"

#include <algorithm>

#include "hsa/queue_error.h"
#include "wave/formats.h"
#include "wave/operand.h"
#include "wave/trap.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using machine::kNever;

namespace {

/// Greatest value of WaveContext::priority().
constexpr unsigned kHighestPriority = 6;

SlotWave in_slot(const WaveContext& w) {
  return {w.launch.simd, w.launch.slot, w.age};
}

}  // namespace

void Sequencer::take_turn(Cycle now) {
  const unsigned simd = wakeup_.simd_of(now);
  if (wakeup_.next_try(simd) > now) return;
  auto& candidates = candidates_;
  candidates.clear();
  const std::vector<Cycle>& try_at = wakeup_.try_at(simd);
  for (unsigned slot = 0; slot < try_at.size(); ++slot) {
    if (try_at[slot] > now) continue;
    candidates.push_back({0, &slots_.at(simd, slot)});
  }
  if (candidates.size() > 1) {
    for (auto& [precedence, w] : candidates) precedence = precedence_of(*w);
    std::sort(candidates.begin(), candidates.end());
  }
  Taken taken = {};
  bool first = true;
  for (const auto& [precedence, w] : candidates) {
    if (loses_again(*w, taken, now)) continue;
    const uint64_t issued = w->order;
    try_issue(*w, taken, now);
    if (!first || w->order == issued) continue;
    first = false;
    order_->issued(in_slot(*w));
  }
}

/// Precedence of a wave at its turn: the lowest goes first.
uint64_t Sequencer::precedence_of(const WaveContext& w) const {
  return uint64_t{kHighestPriority - w.priority()} << 56 | order_->rank(in_slot(w));
}

/// The wave lost its last turn to another one of the class, and now this one.
bool Sequencer::loses_again(const WaveContext& w, const Taken& taken, Cycle now) {
  const Residency& r = w.residency;
  if (!r.stalled || r.stall != Stall::Arbitration || w.raised != 0 || w.saves || w.steps) {
    return false;
  }
  const Code* const code = fetch_.head(w.index, now);
  return code != nullptr && taken[static_cast<unsigned>(code->issue_class)];
}

/// False: the wave stalls or has failed.
inline bool Sequencer::issue(WaveContext& w, const Code& code, Cycle now) {
  if (code.way == Code::Way::Scalar) return ports_.scalar.issue(w, code, now);
  if (wave::is_skipped(code.instruction(), w.state.s.mode.raw)) {
    stage_.skip(w, code, now);
    return true;
  }
  if (code.way == Code::Way::Memory) return ports_.memory.issue(w, code, now);
  if (code.way == Code::Way::Matrix) return ports_.matrix.issue(w, code, now);
  return ports_.vector.issue(w, code, now);
}

void Sequencer::try_issue(WaveContext& w, Taken& classes, Cycle now) {
  if (w.raised != 0 && traps_.take(w, now)) return;
  if (w.saves && (w.state.s.status & wave::kStatusPriv) == 0) return traps_.enter_save(w, now);
  if (w.steps) return traps_.enter_step(w, now);
  // The handler finds PC right behind the instruction that raised an exception.
  if (w.valu != 0 && arithmetic_traps(w.state)) {
    stage_.block(w, Stall::VectorResult, kNever);
    return;
  }
  if (!w.code.contains(w.state.s.pc) && !enter_code(w)) return;
  const Code* const code = fetch_.head(w.index, now);
  if (code == nullptr) return wait_for_words(w, now);
  if (code->way == Code::Way::Illegal) return refuse_words(w, *code);
  bool& taken = classes[static_cast<unsigned>(code->issue_class)];
  if (taken && code->issue_class != IssueClass::Internal) {
    stage_.block(w, Stall::Arbitration, now + 1);
    return;
  }
  if (w.scalar_done() > now) {
    stage_.block(w, Stall::ScalarResult, w.scalar_done());
    return;
  }
  const bool may_step =
      wave::traps_armed(w.state) && (code->way == Code::Way::Scalar ||
                                     !wave::is_skipped(code->instruction(), w.state.s.mode.raw));
  const uint32_t trapsts = w.state.s.trapsts;
  if (!issue(w, *code, now)) return;
  taken = true;
  if (may_step) [[unlikely]]
    traps_.note_step(w, trapsts);
}

/// The head of the wave's buffer is not there yet, or cannot be fetched.
void Sequencer::wait_for_words(WaveContext& w, Cycle now) {
  const Cycle usable = fetch_.usable_at(w.index, now);
  if (fetch_.outstanding(w.index)) {
    stage_.block(w, Stall::Fetch, kNever);
  } else if (usable == kNever && fetch_.faulted(w.index)) {
    termination_.fail(
        w, hsa::kQueueErrorMemoryFault, w.state.s.pc,
        "instruction fetch from unmapped memory" + termination_.near_buffer(w, w.state.s.pc),
        nullptr);
  } else {
    stage_.block(w, Stall::Fetch, usable == kNever ? now + 1 : usable);
  }
}

/// The head of the wave's buffer is no instruction of the target.
void Sequencer::refuse_words(WaveContext& w, const Code& code) {
  w.state.s.trapsts |= wave::kIllegalInst;
  termination_.fail(w, hsa::kQueueErrorIllegalInstruction, 0, isa::refusal(code.decoded), nullptr);
}

/// The next instruction is in another function than the last one, or in none. False when only
/// straight-line execution can have come there: the wave fails.
bool Sequencer::enter_code(WaveContext& w) {
  const uint64_t pc = w.state.s.pc;
  const hsa::CodeExtent next = space_.code_at(w.launch.vmid, pc);
  if (pc == w.falls_to && hsa::runs_past_end(w.code, next)) {
    w.state.s.trapsts |= wave::kIllegalInst;
    termination_.fail(w, hsa::kQueueErrorIllegalInstruction, 0, hsa::past_end_text(w.code, next),
                      nullptr);
    return false;
  }
  w.code = next;
  return true;
}

}  // namespace cuvette::compute_unit
