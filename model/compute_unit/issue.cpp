// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "compute_unit/compute_unit_tlm.h"
#include "compute_unit/wave_control.h"
#include "hsa/queue_error.h"
#include "wave/code_flow.h"
#include "wave/formats.h"
#include "wave/operand.h"
#include "wave/status_register.h"
#include "wave/trap.h"

// The sequencer (isa_notes 5): which instruction goes where, and what it has to wait for.
namespace cuvette::compute_unit {

using isa::Format;
using isa::Instruction;
using isa::Operand;
using isa::OperandKind;
using isa::SemanticId;
using machine::Cycle;
using machine::kNever;
using wave::Event;

namespace {

wave::Relative relative_of(const WaveContext& w) {
  return {w.state.s.mode.raw, w.state.s.m0()};
}

bool is_vector(const Operand& o) {
  return o.kind == OperandKind::Vgpr || o.kind == OperandKind::Agpr;
}
/// Scalar instructions that look at what vector instructions leave behind (TRAPSTS).
bool sees_trapsts(SemanticId id) {
  return id == SemanticId::s_getreg_b32 || id == SemanticId::s_setreg_b32 ||
         id == SemanticId::s_setreg_imm32_b32;
}

/// A scalar instruction that asks nothing of the machine around the wave.
bool acts_alone(const wave::MicroOp& op) {
  return op.kind == wave::MicroKind::Straight || op.kind == wave::MicroKind::Jump;
}

/// Of WaveContext::priority().
constexpr unsigned kHighestPriority = 6;

/// MSG_SAVEWAVE: the handler of a wave that is saved waits until EXEC is not 0 (isa_notes 41).
constexpr uint32_t kSaveWave = 4;

/// Clocks after a matrix instruction before a vector one can start beside it (isa_notes 4).
Cycle co_issue_cycles(isa::Target target) {
  return target == isa::Target::Gfx908 ? 8 : 4;
}

}  // namespace

void ComputeUnitTlm::sequence(Cycle now) {
  const auto simd = static_cast<unsigned>(now % config_.simds);
  if (next_try(simd) > now) return;
  auto& candidates = candidates_;
  candidates.clear();
  const std::vector<Cycle>& try_at = simds_[simd].try_at;
  for (unsigned slot = 0; slot < try_at.size(); ++slot) {
    if (try_at[slot] > now) continue;
    WaveContext& w = waves_[simd * config_.slots + slot];
    candidates.push_back({uint64_t{kHighestPriority - w.priority()} << 56 | w.age, &w});
  }
  if (candidates.size() > 1) {
    std::sort(candidates.begin(), candidates.end());
  }
  Turn turn;
  turn.now = now;
  for (const auto& [key, w] : candidates) {
    if (!loses_again(*w, turn)) try_issue(*w, turn);
  }
}

/// The wave lost its last turn to another one of the class, and now this one.
bool ComputeUnitTlm::loses_again(const WaveContext& w, const Turn& turn) {
  const Residency& r = w.residency;
  if (!r.stalled || r.stall != Stall::Turn || w.raised != 0 || w.saves) return false;
  const Code* const code = fetch_.head(w.index, turn.now);
  return code != nullptr && turn.taken[static_cast<unsigned>(code->issue_class)];
}

/// False; the wave is not tried again before `wake` unless something arrives for it.
bool ComputeUnitTlm::block(WaveContext& w, Stall reason, Cycle wake) {
  start_stall(w, reason, now_);
  changed(w);
  w.wake = wake;
  return false;
}

/// Until the lds or the memory unit has taken something.
bool ComputeUnitTlm::block_for_room(WaveContext& w, Stall reason) {
  simds_[w.launch.simd].without_room |= uint64_t{1} << w.launch.slot;
  return block(w, reason, kNever);
}

void ComputeUnitTlm::tell_of_room(Cycle from) {
  for_slots(&SimdUnit::without_room, [&](WaveContext& w) {
    w.wake = std::min(w.wake, from);
    changed(w);
  });
  for (SimdUnit& unit : simds_) unit.without_room = 0;
}

/// From `since` on, but for the cycle of an issue.
void ComputeUnitTlm::start_stall(WaveContext& w, Stall reason, Cycle since) {
  Residency& r = w.residency;
  if (r.stalled && r.stall == reason) return;
  account(w, std::max(since, r.accounted + (r.issues ? 1u : 0u)));
  r.stalled = true;
  r.stall = reason;
}

void ComputeUnitTlm::end_stall(WaveContext& w, Cycle end) {
  account(w, end);
  w.residency.stalled = false;
}

/// After anything that may have halted the wave, or let it go.
void ComputeUnitTlm::follow_halt(WaveContext& w, Cycle now) {
  if (w.phase == Phase::Running && is_halted(w)) {
    start_stall(w, Stall::Halt, now);
  } else if (w.residency.stalled && w.residency.stall == Stall::Halt) {
    end_stall(w, now);
  }
}

bool ComputeUnitTlm::refuse(WaveContext& w, const Instruction& i, const std::string& why) {
  w.unsupported = true;
  fail(w, hsa::kQueueErrorIllegalInstruction, 0, "unsupported: " + why, &i);
  return false;
}

void ComputeUnitTlm::count(WaveContext& w, const Code& code, Cycle ready_at) {
  ++counters_.by_row[code.row];
  ++w.order;
  end_stall(w);
  w.residency.issues = true;
  w.ready_at = ready_at;
  w.wake = 0;
  w.sleeping = false;
}

void ComputeUnitTlm::step(WaveContext& w, const Code& code, Cycle ready_at) {
  if (watcher_) {
    tell(w, Activity::Kind::Issue, w.state.s.pc, &code.instruction(), relative_of(w));
  }
  move_behind(w, code, ready_at);
}

void ComputeUnitTlm::move_behind(WaveContext& w, const Code& code, Cycle ready_at) {
  const unsigned length = code.instruction().length;
  w.state.s.pc += 4u * length;
  w.falls_to = w.state.s.pc;
  count(w, code, ready_at);
  fetch_.advance(w.index, length);
}

void ComputeUnitTlm::try_issue(WaveContext& w, Turn& turn) {
  const Cycle now = turn.now;
  if (w.raised != 0 && take_trap(w, now)) return;
  if (w.saves && (w.state.s.status & wave::kStatusPriv) == 0) return enter_save(w, now);
  // The handler finds PC right behind the instruction that raised an exception.
  if (w.valu != 0 && arithmetic_traps(w.state)) {
    block(w, Stall::VectorResult, kNever);
    return;
  }
  if (!w.code.contains(w.state.s.pc) && !enter_code(w)) return;
  const Code* const code = fetch_.head(w.index, now);
  if (code == nullptr) {
    const Cycle usable = fetch_.usable_at(w.index, now);
    if (fetch_.outstanding(w.index)) {
      block(w, Stall::Fetch, kNever);
    } else if (usable == kNever && fetch_.faulted(w.index)) {
      fail(w, hsa::kQueueErrorMemoryFault, w.state.s.pc,
           "instruction fetch from unmapped memory" + near_buffer(w, w.state.s.pc), nullptr);
    } else {
      block(w, Stall::Fetch, usable == kNever ? now + 1 : usable);
    }
    return;
  }
  if (code->way == Code::Way::Illegal) {
    w.state.s.trapsts |= wave::kIllegalInst;
    fail(w, hsa::kQueueErrorIllegalInstruction, 0, isa::refusal(code->decoded), nullptr);
    return;
  }
  bool& taken = turn.taken[static_cast<unsigned>(code->issue_class)];
  if (taken && code->issue_class != IssueClass::Internal) {
    block(w, Stall::Turn, now + 1);
    return;
  }
  if (w.scalar_done() > now) {
    block(w, Stall::ScalarResult, w.scalar_done());
    return;
  }
  const bool scalar = code->way == Code::Way::Scalar;
  if (!scalar && wave::is_skipped(code->instruction(), w.state.s.mode.raw)) {
    record_nothing(w, code->instruction());
    move_behind(w, *code, now + 1);  // no step of the counters (Vega ISA 12.4, S_SETVSKIP)
    taken = true;
    return;
  }
  using Issue = bool (ComputeUnitTlm::*)(WaveContext&, const Code&, Turn&);
  const Issue issue = scalar                           ? &ComputeUnitTlm::issue_scalar_unit
                      : code->way == Code::Way::Memory ? &ComputeUnitTlm::issue_memory
                      : code->way == Code::Way::Matrix ? &ComputeUnitTlm::issue_matrix
                                                       : &ComputeUnitTlm::issue_vector;
  if ((this->*issue)(w, *code, turn)) taken = true;
}

bool ComputeUnitTlm::issue_scalar_unit(WaveContext& w, const Code& code, Turn& turn) {
  const Instruction& i = code.instruction();
  const SemanticId id = i.semantic();
  if (id == SemanticId::s_waitcnt) {
    const WaitCount limit(i.words[0] & 0xffff);
    if (w.vm > limit.vm || w.lgkm > limit.lgkm || w.exp > limit.exp) {
      return block(w, Stall::Waitcnt, kNever);
    }
  }
  if (sees_trapsts(id)) {
    if (w.vector_done() > turn.now) return block(w, Stall::VectorResult, w.vector_done());
    w.state.s.ib_sts = ib_sts(w);
  }
  const bool message = i.row->unit == isa::Unit::Message;
  if (message && !messages.can_push(turn.now)) return block(w, Stall::Message, turn.now + 1);

  std::optional<wave::ScalarState> before;
  if (observer_) before = w.state.s;
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
    fail(w, hsa::kQueueErrorException, 0,
         wave::abort_text(outcome.argument, w.state.s.exec()) + hsa::in_function(w.code), &i);
    return false;
  }
  if (outcome.event == Event::Unsupported) {
    w.state.s.pc = pc;
    return refuse(w, i, outcome.reason);
  }
  if (watcher_) tell(w, Activity::Kind::Issue, pc, &i, relative);
  count(w, code, turn.now + std::max(1u, config_.timing.salu_cycles));
  if (code.issue_class == IssueClass::Branch) {
    w.ready_at = turn.now + std::max(1u, config_.timing.branch_cycles);
  }
  if (w.state.s.pc == next_pc) {
    fetch_.advance(w.index, i.length);
  } else {
    fetch_.jump(w.index, w.state.s.pc);
  }
  if (observer_) {
    wave::RetireRecord r;
    r.wave = w.launch.id;
    r.order = order;
    r.pc = pc;
    r.instruction = i;
    r.exec = before->exec();
    r.scalar_writes = wave::scalar_changes(*before, w.state.s);
    r.mode = w.state.s.mode.raw;
    r.status = wave::status_register(w.state.s);
    r.trapsts = w.state.s.trapsts;
    if (outcome.event == Event::Trap) r.trap = static_cast<uint8_t>(outcome.argument);
    observer_(r);
  }
  return issue_control(w, i, outcome, turn);
}

/// What a scalar instruction asks of the machine around the wave.
bool ComputeUnitTlm::issue_control(WaveContext& w, const Instruction& i,
                                   const wave::Outcome& outcome, Turn& turn) {
  const Cycle now = turn.now;
  switch (outcome.event) {
    case Event::EndProgram:
      w.saved = w.save_room != 0 && i.semantic() == SemanticId::s_endpgm_saved;
      begin_end(w);
      start_stall(w, Stall::End, now);
      break;
    case Event::Barrier: {
      WorkgroupContext& group = group_of(w.launch.workgroup);
      if (group.waves == 1) break;  // no effect in a one-wave group (decisions.md D15)
      w.phase = Phase::AtBarrier;
      start_stall(w, Stall::Barrier, now_);
      ++group.arrived;
      release_barrier(w.launch.workgroup, now);
      break;
    }
    case Event::SendMessage:
      if (w.save_room != 0 && (outcome.argument & 15) == kSaveWave) {
        w.state.s.set_exec(spi::save_answer(w.save_room, w.save_first));
        break;
      }
      messages.push(Message{w.launch.id, outcome.argument, w.state.s.m0()}, now + 1);
      break;
    case Event::Sleep:
      w.ready_at = now + std::max<Cycle>(1, outcome.argument);
      w.sleeping = true;
      break;
    case Event::Wakeup:
      for (WaveContext& other : waves_) {
        if (other.sleeping && other.phase == Phase::Running && &other != &w &&
            other.launch.workgroup == w.launch.workgroup) {
          other.ready_at = std::min(other.ready_at, now + 1);
          changed(other);
        }
      }
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
    w.ready_at = now + states * config_.timing.valu_cycles;
  }
  if (!attached_ && (w.state.s.status & wave::kStatusHalt) != 0) {
    w.state.s.pc -= 4u * i.length;  // the place of S_SETHALT
    end_halted(w, &i);
  }
  follow_halt(w, now);
  return true;
}

wave::VectorFile ComputeUnitTlm::operands(const WaveContext& w, const Instruction& i) {
  if (w.in_place) return w.state.v;
  vrf::Vrf& registers = simds_[w.launch.simd].simd->registers();
  const Identity& l = w.launch;
  wave::VectorFile file = registers.view(l.vgpr_base, l.vgpr_count, l.acc_base, l.acc_count);
  if (file.arch != nullptr) return file;
  // No host memory, or wrapped around: copy register 0 of each file and what operands name.
  staged_.resize(size_t{l.vgpr_count} + l.acc_count);
  const auto copy = [&](bool acc, unsigned first, unsigned count) {
    const unsigned limit = acc ? l.acc_count : l.vgpr_count;
    for (unsigned r = first; r < std::min(first + count, limit); ++r) {
      registers.read(vrf::ReadPort::Backdoor, now_, row_of(w, acc, r),
                     staged_[(acc ? l.vgpr_count : 0u) + r]);
    }
  };
  copy(false, 0, 1);
  copy(true, 0, 1);
  for (const Operand& o : i.src) {
    if (is_vector(o)) copy(o.kind == OperandKind::Agpr, o.index, o.dwords);
    // How long an image address is depends on the descriptor; offset, x, y, layer and level at most
    // for what this block carries.
    if (is_vector(o) && i.row->format == Format::Mimg) copy(false, o.index, 5);
  }
  file.arch = staged_.data();
  file.arch_count = l.vgpr_count;
  file.acc = l.acc_count != 0 ? staged_.data() + l.vgpr_count : nullptr;
  file.acc_count = l.acc_count;
  return file;
}

/// Our simd answers what the valu in it lacks where that is allowed; in another one there is
/// nobody.
std::string ComputeUnitTlm::why_lacking(const Instruction& i, unsigned simd) const {
  const wave::StatusOf status = wave::status_of(*i.row, config_.target);
  if (status.status == wave::Status::Unsupported) return status.reason;
  const Implementations& chosen = config_.implementations;
  const bool ours = chosen.simd == "tlm" || (config_.simd_in_simd0_only && simd != 0);
  if (!ours) return fmt::format("simd implementation '{}' does not have it", chosen.simd);
  return fmt::format(
      "valu implementation '{}' does not have it, and fallbacks to ours are not allowed "
      "(--allow-fallback)",
      chosen.valu);
}

/// False, and the wave waits, while the instruction touches a result of the matrix core too early.
bool ComputeUnitTlm::matrix_results_ready(WaveContext& w, const Instruction& i, Cycle now) {
  const Cycle ready = w.matrix.ready(i, w.state.s.mode.gpr_idx_en(), now);
  return ready <= now || block(w, Stall::MatrixResult, ready);
}

/// Whether an instruction takes effect as soon as it is issued. The simd has to do what micro-ops
/// leave to the reference, and what others want to see or do.
bool ComputeUnitTlm::at_issue(const WaveContext& w, const Code& code) const {
  if (!w.in_place || observer_ || code.op.run == nullptr || !code.op.fits(w.state)) return false;
  const Operand& mask = code.instruction().dst[1];
  return mask.kind != OperandKind::Sgpr || wave::scalar_in_range(w.state, mask.index & ~1u, 2);
}

/// Registers, scalar results and exceptions are there now; who needs them waits for the retirement.
/// Exceptions can want no trap: MODE would have kept the micro-op away.
void ComputeUnitTlm::execute_vector(WaveContext& w, const Code& code, Cycle now) {
  SimdUnit& unit = simds_[w.launch.simd];
  if (const FillJob* row = unit.memory_fills.front(now)) write_row(*row, unit);
  uint16_t cycles = code.cycles.load(std::memory_order_relaxed);
  if (cycles == 0) {
    cycles = static_cast<uint16_t>(unit.simd->issue_cycles(code.instruction()));
    code.cycles.store(cycles, std::memory_order_relaxed);
  }
  unit.issue_free_at = now + cycles;
  w.valu_until = unit.issue_free_at + unit.pipeline_cycles - 1;
  if (code.scalar_result) w.scalar_until = w.valu_until;
  counters_.lane_operations += static_cast<uint64_t>(std::popcount(w.state.s.exec()));
  wave::Context context(w.state);
  context.use_constants(fetch_.store().constants());
  code.op.run(code.op, w.state, context);
}

bool ComputeUnitTlm::issue_vector(WaveContext& w, const Code& code, Turn& turn) {
  const Cycle now = turn.now;
  const Instruction& i = code.instruction();
  if (!matrix_results_ready(w, i, now)) return false;
  SimdUnit& unit = simds_[w.launch.simd];
  if (unit.issue_free_at > now) return block(w, Stall::Simd, unit.issue_free_at);
  const bool has_room = unit.simd->issue.can_push(now);
  if (at_issue(w, code) && !(has_room && unit.simd->looks_at(i))) {
    if (watcher_) tell(w, Activity::Kind::Issue, w.state.s.pc, &i, relative_of(w));
    execute_vector(w, code, now);
    move_behind(w, code, now + 1);
    return true;
  }
  if (!has_room) return block(w, Stall::Simd, now + 1);
  due_ |= uint64_t{1} << w.launch.simd;
  if (*code.refusal != 0) return refuse(w, i, code.refusal);
  if (!unit.simd->implements(*i.row, i.encoding, i.mod)) {
    return refuse(w, i, why_lacking(i, w.launch.simd));
  }
  simd::Issue issue;
  issue.id = next_id_++;
  issue.slot = w.launch.slot;
  issue.instruction = i;
  issue.vgpr_base = w.launch.vgpr_base;
  issue.vgpr_count = w.launch.vgpr_count;
  issue.acc_base = w.launch.acc_base;
  issue.acc_count = w.launch.acc_count;
  issue.mode = w.state.s.mode.raw;
  issue.exec = w.state.s.exec();
  issue.m0 = w.state.s.m0();
  issue.wave = w.launch.id;
  issue.pc = w.state.s.pc;
  for (unsigned s = 0; s < std::size(i.src); ++s) {
    const Operand& o = i.src[s];
    if (o.kind == OperandKind::None || is_vector(o)) continue;
    if (o.type == isa::Type::Mask) {
      issue.mask_in = wave::read_scalar64(w.state, o);
    } else if (s < issue.scalar.size()) {
      issue.scalar[s] =
          o.dwords == 2 ? wave::read_scalar64(w.state, o) : wave::read_scalar32(w.state, o);
    }
  }

  VectorIssue v;
  v.id = issue.id;
  v.wave = w.index;
  v.pc = w.state.s.pc;
  v.order = w.order;
  v.exec = issue.exec;
  v.instruction = &i;
  v.scalar_result = code.scalar_result;
  for (const Operand& o : i.dst) {
    if (o.kind != OperandKind::Sgpr) continue;
    if (i.encoding == isa::Encoding::Dpp && o.type == isa::Type::Mask) {
      issue.mask_in = wave::read_scalar64(w.state, o);  // bits of it may stay
    }
    // One destination out of range suppresses them all (isa_notes 23).
    const bool mask = o.type == isa::Type::Mask;
    if (mask && is_vector(i.dst[0]) && !wave::scalar_in_range(w.state, o.index & ~1u, 2)) {
      issue.exec = 0;
    }
  }
  unit.under_way.push_back(std::move(v));
  ++w.valu;
  if (unit.under_way.back().scalar_result) ++w.scalar_results;
  unit.issue_free_at = now + unit.simd->issue_cycles(i);
  unit.simd->issue.push(issue, now + 1);
  step(w, code, now + 1);
  return true;
}

bool ComputeUnitTlm::issue_matrix(WaveContext& w, const Code& code, Turn& turn) {
  const Cycle now = turn.now;
  const Instruction& i = code.instruction();
  SimdUnit& unit = unit_of(w);
  if (w.vector_done() > now) return block(w, Stall::VectorResult, w.vector_done());
  if (unit.issue_free_at > now) return block(w, Stall::Simd, unit.issue_free_at);
  if (unit.matrix == nullptr || !unit.matrix->core().implements(*i.row)) {
    const wave::StatusOf status = wave::status_of(*i.row, config_.target);
    return refuse(w, i,
                  status.status == wave::Status::Unsupported
                      ? status.reason
                      : fmt::format("matrix core implementation '{}' does not have it",
                                    config_.implementations.matrix_core));
  }
  if (!unit.matrix->free(now)) {
    return block(w, Stall::MatrixCore, std::max(unit.matrix->free_at(), now + 1));
  }
  MatrixScoreboard::Forwarding forwarding;
  const Cycle ready = w.matrix.matrix_ready(i, unit.matrix->recent(), now, forwarding);
  if (ready > now) return block(w, Stall::MatrixResult, ready);
  w.state.v = operands(w, i);
  const Operand& dst = i.dst[0];
  unit.issue_free_at = now + co_issue_cycles(config_.target);
  const bool in_range = wave::vector_in_range(w.state, dst.kind, dst.index, dst.dwords);
  if (in_range && w.in_place && !observer_ && unit.matrix->core().at_issue()) {
    const uint32_t id = next_id_++;
    w.matrix.issue(id, i, now);
    wave::execute_matrix(w.state, i);
    unit.matrix->schedule(w.index, id, *i.row, now);
  } else if (in_range) {  // otherwise a NOP (MI100 ISA 3.6.1)
    const auto rows = [&](const Operand& o, unsigned count) {
      std::vector<wave::LaneRow> out(count);
      for (unsigned r = 0; r < count; ++r) {
        if (is_vector(o)) {
          out[r] = wave::source_row(w.state, o, r);
        } else {  // a constant; an F64 one takes two rows
          const bool high = i.row->matrix.c == isa::Type::F64 && r % 2 != 0;
          out[r].fill(high ? base::hi32(o.value) : base::lo32(o.value));
        }
      }
      return out;
    };
    MatrixIssue m;
    m.id = next_id_++;
    m.wave = w.index;
    m.launch = w.launch.id;
    m.pc = w.state.s.pc;
    m.order = w.order;
    m.exec = w.state.s.exec();
    m.instruction = &i;
    const bool sparse = i.row->has(isa::kSparse);
    auto a = rows(i.src[0], i.row->src[0].dwords);
    if (sparse) a.push_back(rows(i.src[2], 1).front());
    const auto b = rows(i.src[1], i.row->src[1].dwords);
    const auto c = rows(sparse ? dst : i.src[2], dst.dwords);
    w.matrix.issue(m.id, i, now);
    unit.matrix->issue(std::move(m), a.data(), b.data(), c.data(), forwarding, now);
  }
  step(w, code, now + 1);
  return true;
}

}  // namespace cuvette::compute_unit
