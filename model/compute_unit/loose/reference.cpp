// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "compute_unit/loose/loose_unit.h"
#include "compute_unit/wave_control.h"
#include "hsa/queue_error.h"
#include "wave/code_flow.h"
#include "wave/formats.h"
#include "wave/memory/share_access.h"
#include "wave/operand.h"
#include "wave/retire_record.h"
#include "wave/status_register.h"
#include "wave/trap.h"
#include "wave/vector_index.h"

// Single instructions by the reference executor: what has no micro-op, what a micro-op declines,
// and all of them while somebody watches.
namespace cuvette::compute_unit::loose {

using isa::Instruction;
using isa::SemanticId;
using machine::Cycle;
using wave::Event;
using wave::Outcome;

namespace {

/// MSG_SAVEWAVE: the handler of a wave that is saved waits until EXEC is not 0 (isa_notes 41).
constexpr uint32_t kSaveWave = 4;

bool is_vector_alu(const isa::Row& row) {
  return row.unit == isa::Unit::Valu || row.unit == isa::Unit::Trans;
}

/// Exceptions are sticky in TRAPSTS; `flags` gets those of this vector instruction alone.
Outcome execute_flagged(wave::WaveState& state, const Instruction& i, wave::MemoryOp& op,
                        uint8_t& flags) {
  if (!is_vector_alu(*i.row)) return wave::execute(state, i, op);
  const uint32_t sticky = state.s.trapsts & wave::kExcpMask;
  state.s.trapsts &= ~uint32_t{wave::kExcpMask};
  const Outcome outcome = wave::execute(state, i, op);
  flags = static_cast<uint8_t>(state.s.trapsts & 0x7f);
  state.s.trapsts |= sticky;
  return outcome;
}

}  // namespace

void LooseUnit::run_reference(Slot& w, wave::Program::Entry& entry) {
  const isa::Decoded& decoded = *entry.decoded;
  if (decoded.status == isa::DecodeStatus::Illegal ||
      decoded.status == isa::DecodeStatus::Truncated) {
    w.state.s.trapsts |= wave::kIllegalInst;
    return fail(w, hsa::kQueueErrorIllegalInstruction, 0, isa::refusal(decoded), nullptr);
  }
  const Instruction& i = decoded.instruction;
  const uint64_t pc = w.state.s.pc, next = pc + 4u * i.length;
  w.place = pc;
  advance(w, fetch(w, pc, next), Stall::Fetch);
  const unsigned lanes = static_cast<unsigned>(__builtin_popcountll(w.state.s.exec()));
  const wave::Relative relative{w.state.s.mode.raw, w.state.s.m0()};
  const bool skipped = !wave::is_scalar(i.row->format) && wave::is_skipped(i, w.state.s.mode.raw);
  w.vm = w.vector_back.out(w.ready_at);
  w.lgkm = w.scalar_back.out(w.ready_at);
  w.state.s.ib_sts = ib_sts(w);
  Before before;
  if (observer_) before = {w.state.s, wave::written_vectors(w.state, i)};
  w.state.s.pc = next;
  w.falls_to = wave::fall_through(i, pc);
  uint8_t flags = 0;
  reply_.faulted = 0;
  const Outcome outcome = execute_flagged(w.state, i, op_, flags);
  if (outcome.event == Event::Abort) {
    w.state.s.pc = pc;
    return fail(w, hsa::kQueueErrorException, 0,
                wave::abort_text(outcome.argument, w.state.s.exec()) + hsa::in_function(w.code),
                &i);
  }
  if (outcome.event == Event::Unsupported) {
    w.state.s.pc = pc;
    refuse(w, i, outcome.reason);
    return;
  }
  const bool in_gds = outcome.event == Event::GlobalSync ||
                      (outcome.event == Event::Memory && op_.space == wave::MemorySpace::Gds);
  if (outcome.event == Event::Memory && !access(w, pc, i)) return;
  Step step;
  step.add(rules_.of(i));
  step.takes_results = rules_.of(i).takes_results;
  step.instruction = &i;
  step.end = outcome.event == Event::Memory && !in_gds ? TimeRules::end_of(i) : StepEnd::None;
  if (outcome.event == Event::WaitCount) step.end = StepEnd::Wait;
  ++entry.executed;
  budget_ -= std::min<uint64_t>(budget_, 1);
  pass(w, step, 1, lanes);
  if (step.end != StepEnd::None) end_step(w, step, lanes);
  behind_ = 0;
  const bool last = outcome.event == Event::EndProgram;
  if (last) {  // what it takes is no wait for another instruction
    counters_.stalled[static_cast<unsigned>(Stall::Latency)] -= step.cycles - 1;
    counters_.stalled[static_cast<unsigned>(Stall::End)] += step.cycles - 1;
  }
  if (residency_watcher_) tell_issued(w, step.cycles, last ? Stall::End : Stall::Latency);
  if (watcher_ && !skipped) {
    tell(w, Activity::Kind::Issue, w.ready_at - step.cycles, pc, &i, relative);
  }
  if (observer_ && !in_gds) {
    if (outcome.event == Event::Memory) before.written = wave::written_vectors(w.state, op_);
    record(w, before, pc, i, outcome, flags);
  }
  ++w.order;
  if (in_gds) return send_to_gds(w, pc, i);
  if (outcome.event != Event::Memory) control(w, outcome, pc, i);
}

/// Carries out op_, unless the gds is to do it. False: the wave has failed, and the instruction has
/// not been issued.
bool LooseUnit::access(Slot& w, uint64_t pc, const Instruction& i) {
  const auto refuse_at = [&](const std::string& why) {
    w.state.s.pc = pc;
    return refuse(w, i, why);
  };
  if (lies_apart(op_)) return refuse_at("an atomic on 8 bytes that swizzling puts apart");
  const bool scalar = op_.space == wave::MemorySpace::Scalar;
  const bool records =
      !scalar && wave::traps_armed(w.state) && (w.state.s.mode.excp_en() & wave::kMemViol) != 0;
  AddressView::Result result;
  const bool in_gds = op_.space == wave::MemorySpace::Gds;
  if (op_.space == wave::MemorySpace::Lds) {
    if (op_.violation == 0 || records) {
      wave::access_share(op_, op_.exec, w.state.s.mode, w.group->lds, reply_);
    }
  } else if (!in_gds) {
    w.view->refresh(w.ready_at);
    result =
        w.view->perform(op_, w.group->lds, records ? OnFault::LeaveOut : OnFault::Stop, reply_);
    answered_ = result.answered;
    const bool moves = op_.transfer != wave::LdsTransfer::None;
    in_lds_ = static_cast<unsigned>(std::popcount(op_.exec & (moves ? op_.exec : op_.flat_lds)));
  }
  const auto fail_at = [&](uint64_t address, const std::string& why) {
    w.state.s.pc = pc;
    w.view->forget_touched();
    fail(w, hsa::kQueueErrorMemoryFault, address, why, &i);
    return false;
  };
  if (result.fault != hsa::Fault::None) {
    const bool refused = result.fault == hsa::Fault::NotBacked;
    if (!scalar || refused) w.state.s.trapsts |= wave::kMemViol;
    return fail_at(result.address,
                   fmt::format("{} {:#x}: {}{}", hsa::name(result.fault), result.address,
                               op_.what(), w.view->near_buffer(result.address)));
  }
  if (op_.violation != 0 && !records) {
    w.state.s.trapsts |= wave::kMemViol;
    return fail_at(op_.first_violation(), wave::violation_text(op_));
  }
  if (in_gds) return true;
  wave::complete(w.state, op_, reply_);
  if ((reply_.faulted | op_.violation) != 0) {
    w.state.s.trapsts |= wave::kMemViol;
    wave::take_exception_trap(w.state, wave::kMemViol, 0);
  }
  return true;
}

/// Carries out the demand of an instruction other than an access on the machine around the wave.
void LooseUnit::control(Slot& w, const Outcome& outcome, uint64_t pc, const Instruction& i) {
  switch (outcome.event) {
    case Event::EndProgram:
      w.saved = w.save_room != 0 && i.semantic() == SemanticId::s_endpgm_saved;
      return end_wave(w);
    case Event::Barrier:
      if (w.group->waves == 1) break;  // no effect in a one-wave group (decisions.md D15)
      w.phase = Phase::AtBarrier;
      ++w.group->arrived;
      w.group->latest = std::max(w.group->latest, w.ready_at);
      release_barrier(*w.group);
      break;
    case Event::SendMessage:
      if (w.save_room != 0 && (outcome.argument & 15) == kSaveWave) {
        w.state.s.set_exec(spi::save_answer(w.save_room, w.save_first));
        break;
      }
      if ((outcome.argument & 15) == spi::kMessageGetDoorbell) {
        w.state.s.set_exec(w.launch.doorbell);
        break;
      }
      put(sent_messages_, w.ready_at, Message{w.launch.id, outcome.argument, w.state.s.m0()});
      break;
    case Event::Sleep:
      w.sleeps_from = w.ready_at;
      advance(w, w.ready_at + outcome.argument, Stall::Sleep);
      break;
    case Event::Wakeup:
      for (Slot* other : resident_) {
        if (other != &w && other->group == w.group) wake(*other, w.ready_at);
      }
      break;
    case Event::InstructionCacheInvalidate:
      renews_ = true;
      break;
    case Event::ScalarCacheInvalidate:
    case Event::ScalarCacheWriteback:
      levels_.invalidate_scalar();
      w.scalar_back.add(w.ready_at + levels_.fetch_cycles());
      break;
    case Event::VectorCacheInvalidate:
    case Event::L2Invalidate:
    case Event::L2Writeback:
      levels_.invalidate_vector();
      w.vector_back.add(w.ready_at + levels_.memory_far());
      break;
    default:
      break;
  }
  if (w.state.s.pc != pc + 4u * i.length) jump(w);
  if (!attached_ && (w.state.s.status & wave::kStatusHalt) != 0) {
    w.state.s.pc = pc;  // the place of S_SETHALT
    end_halted(w, &i);
  }
}

/// Ends the S_SLEEP that a wave is in at `now`.
void LooseUnit::wake(Slot& w, Cycle now) {
  if (w.sleeps_from == machine::kNever || w.ready_at <= now) return;
  const Cycle from = std::max(w.sleeps_from, now);
  Cycle to = w.ready_at;
  while (to >= from + 1 + rules_.turn()) to -= rules_.turn();
  counters_.stalled[static_cast<unsigned>(Stall::Sleep)] -= w.ready_at - to;
  w.slept -= std::min(w.slept, w.ready_at - to);
  w.ready_at = to;
}

/// Reports the effects of the instruction; everything that it writes is in the registers.
void LooseUnit::record(const Slot& w, const Before& before, uint64_t pc, const Instruction& i,
                       const Outcome& outcome, uint8_t flags) const {
  wave::RetireRecord r;
  r.wave = w.launch.id;
  r.order = w.order;
  r.pc = pc;
  r.instruction = i;
  r.exec = before.scalars.exec();
  if (outcome.event == Event::Memory) {
    wave::append_accesses(op_, reply_, r.accesses);
    for (wave::MemoryAccess& a : r.accesses) {
      const bool global =
          a.space == wave::MemorySpace::Global || a.space == wave::MemorySpace::Scalar;
      if (!global) continue;
      const auto t = config_.address_space->translate(w.launch.vmid, a.address, hsa::Access::None);
      if (t.ok()) a.memory_type = static_cast<uint8_t>(t.type);
    }
  }
  wave::append_writes(before.written, w.state.v, r.vector_writes);
  r.scalar_writes = wave::scalar_changes(before.scalars, w.state.s);
  r.mode = w.state.s.mode.raw;
  r.status = wave::status_register(w.state.s);
  r.trapsts = w.state.s.trapsts;
  r.flags = flags;
  if (outcome.event == Event::Trap) r.trap = static_cast<uint8_t>(outcome.argument);
  observer_(r);
}

}  // namespace cuvette::compute_unit::loose
