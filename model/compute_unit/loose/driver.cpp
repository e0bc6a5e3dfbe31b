// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "compute_unit/loose/loose_unit.h"
#include "compute_unit/wave_control.h"
#include "hsa/queue_error.h"
#include "wave/code_flow.h"
#include "wave/operand.h"
#include "wave/status_register.h"

// A wave on the decoded executor, and the time of what it does.
namespace cuvette::compute_unit::loose {

using machine::Cycle;
using wave::Program;

namespace {

constexpr unsigned kVectorLimit = 63, kScalarLimit = 15;  // of VM_CNT, LGKM_CNT (isa_notes 38)

AccessShape shape_of(const isa::Instruction& i) {
  AccessShape s;
  s.write = i.row->has(isa::kStore);
  s.atomic = i.row->has(isa::kAtomic);
  s.past_l1 = i.mem.glc;
  return s;
}

unsigned lanes_of(const wave::WaveState& wave) {
  return static_cast<unsigned>(__builtin_popcountll(wave.s.exec()));
}

}  // namespace

void LooseUnit::run(Slot& w) {
  AddressView& view = *w.view;
  Program& program = view.program();
  view.refresh(w.ready_at);
  const bool told = observer_ != nullptr || watcher_ != nullptr || residency_watcher_ != nullptr;
  wave::Context context(w.state);
  context.memory = &view;
  context.lds = w.group->lds.data();
  context.lds_bytes = w.group->lds.size();
  Program::Block* last = nullptr;
  w.yields = false;
  while (w.ready_at < end_ && budget_ != 0 && can_run(w) && !w.yields) {
    if (w.saves && (w.state.s.status & wave::kStatusPriv) == 0) {
      context.floats.leave();
      enter_save(w);
      last = nullptr;
    }
    const uint64_t pc = w.state.s.pc;
    if (!w.code.contains(pc) && !enter_code(w)) break;
    Program::Block* block = last != nullptr ? last->successor(pc) : nullptr;
    if (block == nullptr) {
      context.floats.leave();  // who is asked for code may let others run
      Program::Entry* const entry = program.at(pc);
      if (entry == nullptr) {
        fail(w, hsa::kQueueErrorMemoryFault, pc,
             "instruction fetch from unmapped memory" + view.near_buffer(pc), nullptr);
        break;
      }
      block = &program.block(pc, *entry);
      if (last != nullptr) last->follow_by(*block);
    }
    last = nullptr;
    if (!told && block->instructions != 0 && block->fits(w.state)) {
      context.use_constants(program.constants());
      if (run_block(w, *block, context)) {
        last = block;
        continue;
      }
    }
    context.floats.leave();
    if (w.yields) break;
    if (told && block->instructions != 0) {  // who watches changes no time
      w.place = pc;
      advance(w, fetch(w, block->begin, block->end), Stall::Fetch);
    }
    run_reference(w, *program.at(w.state.s.pc));
    if (renews_) renew_code();
    renews_ = false;
    view.refresh(w.ready_at);
  }
}

/// The next instruction is in another function than the last one, or in none. False when only
/// straight-line execution can have come there: the wave fails.
bool LooseUnit::enter_code(Slot& w) {
  const uint64_t pc = w.state.s.pc;
  const hsa::CodeExtent next = w.view->code_at(pc);
  if (pc == w.falls_to && hsa::runs_past_end(w.code, next)) {
    w.state.s.trapsts |= wave::kIllegalInst;
    fail(w, hsa::kQueueErrorIllegalInstruction, 0, hsa::past_end_text(w.code, next), nullptr);
    return false;
  }
  w.code = next;
  return true;
}

LooseUnit::BlockTime& LooseUnit::time_of(Slot& w, const Program::Block& block) {
  Code& code = *codes_[w.launch.vmid];
  Program& program = w.view->program();
  if (code.clearings != program.clearings()) {
    code.times.clear();
    code.clearings = program.clearings();
  }
  if (block.number >= code.times.size()) code.times.resize(2 * block.number + 16);
  BlockTime& time = code.times[block.number];
  if (time.made) return time;
  std::vector<const isa::Instruction*> instructions;
  for (uint64_t pc = block.begin; pc != block.end;) {
    instructions.push_back(&program.at(pc)->decoded->instruction);
    pc += 4u * instructions.back()->length;
  }
  time.steps = rules_.steps_of(block, instructions);
  time.made = true;
  return time;
}

/// Lines of code in [begin, end) that have not come into the instruction cache yet come one after
/// the other. When the last one is there.
Cycle LooseUnit::fetch(Slot& w, uint64_t begin, uint64_t end) {
  constexpr unsigned kLineShift = 6;
  auto& lines = codes_[w.launch.vmid]->lines;
  Cycle there = w.ready_at;
  for (uint64_t line = begin >> kLineShift; line <= (end - 1) >> kLineShift; ++line) {
    const auto [found, fresh] = lines.try_emplace(line, 0);
    if (fresh) {
      found->second = levels_.code(there, line, far_of(w));
      ++counters_.fetches;
    }
    there = std::max(there, found->second);
  }
  return there;
}

Cycle LooseUnit::far_of(const Slot& w) const {
  return w.view->latency() != 0 ? w.view->latency() : levels_.memory_far();
}

/// The block at PC. False: the next instruction is the reference's, or another wave's when this one
/// yields, in the middle of the block or at its start.
bool LooseUnit::run_block(Slot& w, Program::Block& block, wave::Context& context) {
  BlockTime& time = time_of(w, block);
  if (time.fetched_in != code_epoch_) {
    time.fetched_at = fetch(w, block.begin, block.end);
    time.fetched_in = code_epoch_;
  }
  if (time.fetched_at > w.ready_at) advance(w, time.fetched_at, Stall::Fetch);
  const wave::MicroOp* const ops = block.straight.data();
  uint32_t op = 0, instructions = 0;
  for (const Step& step : time.steps) {
    const unsigned lanes = lanes_of(w.state);
    for (; op < step.micro_ops; ++op) {
      if (ops[op].run(ops[op], w.state, context)) [[likely]]
        continue;
      pass_part(w, block, op, instructions, lanes);
      return false;
    }
    pass(w, step, step.instructions - instructions, lanes);
    instructions = step.instructions;
    if (step.end != StepEnd::None) end_step(w, step, lanes);
    if (w.yields && op < block.straight.size()) {
      pass_part(w, block, op, instructions, lanes);
      return false;
    }
  }
  w.state.s.pc = block.end;
  w.falls_to = block.falls_to;
  ++block.executed;
  w.order += block.instructions;
  budget_ -= std::min<uint64_t>(budget_, block.instructions);
  if (block.jump.run != nullptr) {
    block.jump.run(block.jump, w.state, context);
    if (w.state.s.pc != block.end) jump(w);
  }
  return true;
}

/// A jump has been taken: its instruction buffer starts anew.
void LooseUnit::jump(Slot& w) {
  if (refill_ > rules_.branch()) advance(w, w.ready_at + refill_ - rules_.branch(), Stall::Fetch);
}

/// The first micro-ops of a block have been run, then one has declined. `before`: instructions
/// whose time has passed.
void LooseUnit::pass_part(Slot& w, const Program::Block& block, size_t micro_ops, uint32_t before,
                          unsigned lanes) {
  Program& program = w.view->program();
  const uint64_t done = program.pass(block, micro_ops, w.state);
  w.order += done;
  budget_ -= std::min<uint64_t>(budget_, done);
  if (done != 0) w.falls_to = w.state.s.pc;
  Step part;
  uint64_t pc = block.begin;
  for (uint32_t n = 0; n < done; ++n) {
    const isa::Instruction& i = program.at(pc)->decoded->instruction;
    if (n >= before) part.add(rules_.of(i));
    pc += 4u * i.length;
  }
  if (part.instructions != 0) pass(w, part, part.instructions, lanes);
}

/// Time of the ALUs. Every instruction takes the cycle of its issue and more; who has to share the
/// unit waits for it.
void LooseUnit::pass(Slot& w, const Step& step, uint32_t instructions, unsigned lanes) {
  if (step.takes_results) {
    advance(w, w.results_at, Stall::VectorResult);
    advance(w, w.matrix_at, Stall::MatrixResult);
  }
  const Cycle begin = w.ready_at, alone = begin + step.cycles;
  w.ready_at = alone;
  behind_ = step.cycles;
  counters_.stalled[static_cast<unsigned>(Stall::Latency)] += step.cycles - instructions;
  SimdRates& simd = simds_[w.launch.simd];
  // A wave that comes late to a unit waits until its last instruction there can begin.
  const auto share = [&](TokenRate& unit, const Share& part, Cycle& until, Stall reason) {
    if (part.cycles == 0) return;
    const Cycle from = std::max(begin + part.first, until);
    const Cycle served = unit.take(from, part.cycles * uint64_t{TokenRate::kUnit});
    advance(w, served - part.last_cycles + (step.cycles - part.last), reason);
    until = w.ready_at - (step.cycles - part.last) + part.last_cycles;
  };
  share(simd.vector, step.vector, w.vector_until, Stall::Simd);
  share(simd.scalar, step.scalar, w.scalar_until, Stall::Arbitration);
  share(simd.matrix, step.matrix, w.matrix_until, Stall::MatrixCore);
  const Cycle late = begin + (w.ready_at - alone);
  if (step.vector_result != 0) w.results_at = std::max(w.results_at, late + step.vector_result);
  if (step.matrix_result != 0) w.matrix_at = std::max(w.matrix_at, late + step.matrix_result);
  counters_.lane_operations += uint64_t{step.lanes} * lanes;
}

/// A request to the LDS of `lanes` lanes: when its answer is there.
Cycle LooseUnit::share_access(const isa::Instruction& i, Cycle issued, unsigned lanes) {
  const Cycle served = lds_rate_.take(issued, rules_.lds_cycles(i) * uint64_t{TokenRate::kUnit});
  const Cycle room = lds_answers_.take(issued, rules_.lds_share());
  ++lds_counters_.requests;
  if (i.row->has(isa::kAtomic)) lds_counters_.atomics += lanes;
  return std::max(served + rules_.lds_latency(), room);
}

/// The access or wait at the end of a step that has just passed. `lanes`: that are active.
void LooseUnit::end_step(Slot& w, const Step& step, unsigned lanes) {
  const isa::Instruction& i = *step.instruction;
  if (step.end == StepEnd::Wait) return wait(w, i);
  if (step.end != StepEnd::Scalar) {
    // It was issued when what it reads was there.
    const Cycle behind = step.cycles - step.last;
    advance(w, w.results_at + behind, Stall::VectorResult);
    advance(w, w.matrix_at + behind, Stall::MatrixResult);
  }
  Cycle issued = w.ready_at - (step.cycles - step.last);
  if (step.end == StepEnd::Lds) {
    advance(w, w.scalar_back.at_most(kScalarLimit - 1), Stall::FullCounter);
    w.scalar_back.add(share_access(i, issued, lanes));
    return;
  }
  const Touched& touched = w.view->touched();
  if (step.end == StepEnd::Scalar) {
    advance(w, w.scalar_back.at_most(kScalarLimit - 2), Stall::FullCounter);
    counters_.scalar_requests += touched.blocks.size();
    const Cycle back = levels_.scalar(issued + 1, touched, shape_of(i), far_of(w));
    w.scalar_back.add(std::max(back, answered_), i.row->dst[0].dwords > 1 ? 2 : 1);
  } else {
    advance(w, w.vector_back.at_most(kVectorLimit - 1), Stall::FullCounter);
    counters_.vector_requests += touched.blocks.size();
    Cycle back = issued + 1;
    const bool flat = i.row->format == isa::Format::Flat;
    // A micro-op reaches the LDS with all of its lanes or none.
    const unsigned in_lds = flat && touched.blocks.empty() && answered_ == 0 ? lanes : in_lds_;
    if (!touched.blocks.empty() || in_lds != 0) {
      const unsigned windows = (wave::kLanes + config_.timing.coalescer_lanes_per_cycle - 1) /
                               std::max(1u, config_.timing.coalescer_lanes_per_cycle);
      const Cycle sent = coalescer_.take(issued + 1, windows * uint64_t{TokenRate::kUnit});
      if (!touched.blocks.empty()) {
        back = levels_.vector(sent - windows + 1, touched, shape_of(i), far_of(w));
      }
      if (in_lds != 0) back = std::max(back, share_access(i, flat ? sent : back, in_lds));
    }
    back = std::max(back, answered_);
    w.vector_back.add(back);
    if (flat) w.scalar_back.add(back);
  }
  answered_ = 0;
  in_lds_ = 0;
  w.view->forget_touched();
}

/// The first wait behind a barrier lets the waves that the barrier has released with this one come
/// as far: what they read there was still so when this one reads it, whatever it writes later.
void LooseUnit::wait(Slot& w, const isa::Instruction& waitcnt) {
  const WaitCount limit(waitcnt.words[0] & 0xffff);
  const Cycle before = w.ready_at;
  if (limit.vm < kVectorLimit) advance(w, w.vector_back.at_most(limit.vm), Stall::Waitcnt);
  if (limit.lgkm < kScalarLimit) advance(w, w.scalar_back.at_most(limit.lgkm), Stall::Waitcnt);
  if (!w.released || w.ready_at == before) return;
  w.released = false;
  w.yields = true;
}

bool LooseUnit::refuse(Slot& w, const isa::Instruction& i, const std::string& why) {
  w.unsupported = true;
  fail(w, hsa::kQueueErrorIllegalInstruction, 0, "unsupported: " + why, &i);
  return false;
}

}  // namespace cuvette::compute_unit::loose
