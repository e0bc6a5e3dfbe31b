// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/scalar_unit.h"

#include <algorithm>
#include <optional>

#include "compute_unit/wave_control.h"
#include "hsa/queue_error.h"
#include "wave/code_flow.h"
#include "wave/operand.h"
#include "wave/trap.h"

namespace cuvette::compute_unit {

using isa::Instruction;
using isa::SemanticId;
using machine::Cycle;
using machine::kNever;
using wave::Event;

namespace {

/// MSG_SAVEWAVE: the handler of a wave that is saved waits until EXEC is not 0 (isa_notes 41).
constexpr uint32_t kSaveWave = 4;

/// Scalar instructions that look at what vector instructions leave behind (TRAPSTS).
bool sees_trapsts(SemanticId id) {
  return id == SemanticId::s_getreg_b32 || id == SemanticId::s_setreg_b32 ||
         id == SemanticId::s_setreg_imm32_b32;
}

/// A scalar instruction that asks nothing of the machine around the wave.
bool acts_alone(const wave::MicroOp& op) {
  return op.kind == wave::MicroKind::Straight || op.kind == wave::MicroKind::Jump;
}

}  // namespace

inline bool ScalarUnit::is_ready(WaveContext& w, const Instruction& i, Cycle now) {
  const SemanticId id = i.semantic();
  if (id == SemanticId::s_waitcnt) {
    const WaitCount limit(i.words[0] & 0xffff);
    if (w.vm > limit.vm || w.lgkm > limit.lgkm || w.exp > limit.exp) {
      return stage_.block(w, Stall::Waitcnt, kNever);
    }
  }
  if (sees_trapsts(id)) {
    if (w.vector_done() > now) return stage_.block(w, Stall::VectorResult, w.vector_done());
    w.state.s.ib_sts = ib_sts(w);
  }
  const bool message = i.row->unit == isa::Unit::Message;
  return !message || messages_.can_push(now) || stage_.block(w, Stall::Message, now + 1);
}

bool ScalarUnit::issue(WaveContext& w, const Code& code, Cycle now) {
  const Instruction& i = code.instruction();
  if (!is_ready(w, i, now)) return false;

  std::optional<wave::ScalarState> before;
  if (probe_.is_observed()) before = w.state.s;
  const uint64_t order = w.order;
  const wave::Relative relative = relative_of(w);
  const uint64_t pc = w.state.s.pc;
  const uint64_t next_pc = pc + 4u * i.length;
  w.state.s.pc = next_pc;
  w.falls_to = wave::fall_through(i, pc);
  wave::Outcome outcome;
  if (acts_alone(code.op) && code.op.fits(w.state)) {
    wave::Context context(w.state);
    context.use_constants(fetch_.store().constants());
    code.op.run(code.op, w.state, context);
  } else {
    outcome = wave::execute_scalar(w.state, i);
  }
  if (outcome.event == Event::Abort) {
    w.state.s.pc = pc;
    termination_.fail(
        w, hsa::kQueueErrorException, 0,
        wave::abort_text(outcome.argument, w.state.s.exec()) + hsa::in_function(w.code), &i);
    return false;
  }
  if (outcome.event == Event::Unsupported) {
    w.state.s.pc = pc;
    return stage_.refuse(w, i, outcome.reason);
  }
  const bool branch = code.issue_class == IssueClass::Branch;
  const Cycle ready = now + std::max(1u, branch ? timing_.branch_cycles : timing_.salu_cycles);
  probe_.tell_issue(w, i, pc, relative, ready, 0, now);
  stage_.count(w, code, ready);
  if (w.state.s.pc == next_pc) {
    fetch_.advance(w.index, i.length);
  } else {
    fetch_.jump(w.index, w.state.s.pc);
  }
  if (probe_.is_observed()) {
    wave::RetireRecord r = ProbePoint::record_of(w, i, pc, order, before->exec());
    r.scalar_writes = wave::scalar_changes(*before, w.state.s);
    if (outcome.event == Event::Trap) r.trap = static_cast<uint8_t>(outcome.argument);
    probe_.retire(r);
  }
  control(w, i, outcome, now);
  return true;
}

/// Carries out the instruction's demand on the machine around the wave.
void ScalarUnit::control(WaveContext& w, const Instruction& i, const wave::Outcome& outcome,
                         Cycle now) {
  switch (outcome.event) {
    case Event::EndProgram:
      w.saved = w.save_room != 0 && i.semantic() == SemanticId::s_endpgm_saved;
      termination_.end_program(w);
      break;
    case Event::Barrier:
      groups_.arrive(w, now);
      break;
    case Event::SendMessage:
      send_message(w, outcome.argument, now);
      break;
    case Event::Sleep:
      w.ready_at = now + std::max<Cycle>(1, outcome.argument);
      w.sleeping = true;
      break;
    case Event::Wakeup:
      wake_group(w, now);
      break;
    case Event::InstructionCacheInvalidate:
      fetch_.invalidate(w.index, w.state.s.pc, now);
      break;
    default:
      break;
  }
  if (i.semantic() == SemanticId::s_nop) {
    // SIMM16[3:0] + 1 wait states, each the time of one vector instruction.
    const Cycle states = (i.words[0] & 15) + 1;
    w.ready_at = now + states * timing_.valu_cycles;
  }
  if (!termination_.debugger_attached() && (w.state.s.status & wave::kStatusHalt) != 0) {
    w.state.s.pc -= 4u * i.length;  // the place of S_SETHALT
    termination_.fail_halted(w, &i);
  }
  stalls_.follow_halt(w, now);
}

/// Messages to the wave itself are answered in EXEC; the others go to the command processor.
void ScalarUnit::send_message(WaveContext& w, uint32_t simm16, Cycle now) {
  const uint32_t id = simm16 & 15;
  if (w.save_room != 0 && id == kSaveWave) {
    w.state.s.set_exec(spi::save_answer(w.save_room, w.save_first));
  } else if (id == spi::kMessageGetDoorbell) {
    w.state.s.set_exec(w.launch.doorbell);
  } else {
    messages_.push(Message{w.launch.id, simm16, w.state.s.m0()}, now + 1);
  }
}

/// Ends the sleep of the other waves of the work-group.
void ScalarUnit::wake_group(const WaveContext& w, Cycle now) {
  for (WaveContext& other : slots_) {
    if (other.sleeping && other.phase == Phase::Running && &other != &w &&
        other.launch.workgroup == w.launch.workgroup) {
      other.ready_at = std::min(other.ready_at, now + 1);
      slots_.note_change(other);
    }
  }
}

}  // namespace cuvette::compute_unit
