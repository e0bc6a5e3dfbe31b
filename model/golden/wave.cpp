// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/wave.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "isa/text.h"
#include "wave/operand.h"
#include "wave/trap.h"

namespace cuvette::golden {

using wave::Event;
using wave::Outcome;

namespace {
/// Message number of gfx9 (LLVM AMDGPU, SendMsg ids).
constexpr uint32_t kMessageGetDoorbell = 10;
}  // namespace

Wave::Wave(isa::Target target, uint16_t vgprs, uint16_t accvgprs)
    : rows_(size_t{vgprs} + accvgprs) {
  state.target = target;
  state.v.arch = rows_.data();
  state.v.arch_count = vgprs;
  state.v.acc = accvgprs != 0 ? rows_.data() + vgprs : nullptr;
  state.v.acc_count = accvgprs;
}

void Wave::renew(bool accumulation) {
  const wave::VectorFile file = state.v;
  const isa::Target target = state.target;
  const size_t used = accumulation ? rows_.size() : file.arch_count;
  std::memset(rows_.data(), 0, used * sizeof(wave::LaneRow));
  std::construct_at(&state);  // in place: it is large
  state.target = target;
  state.v = file;
  group = nullptr;
  id = order = 0;
  status = WaveStatus::Running;
  stopped_by = Event::None;
  failure.clear();
  failure_address = 0;
  code = {};
  falls_to = wave::kNoFallThrough;
  ticket = 0;
  ordered_turn = ordered_released = false;
  on_message = nullptr;
}

std::string Wave::place(uint64_t pc, const isa::Instruction* instruction) const {
  return fmt::format("wave {} pc {:#x}{}{}", id, pc, instruction ? ": " : "",
                     instruction ? isa::text(*instruction) : "");
}

void Wave::fail(Event event, const std::string& text) {
  status = WaveStatus::Failed;
  stopped_by = event;
  failure = text;
}

/// The next instruction is in another function than the last one, or in none. False when only
/// straight-line execution can have come there.
bool Wave::enter_code(const Program& program) {
  const uint64_t pc = state.s.pc;
  const hsa::CodeExtent next = program.code_at(pc);
  if (pc == falls_to && hsa::runs_past_end(code, next)) {
    state.s.trapsts |= wave::kIllegalInst;
    fail(Event::Trap, fmt::format("{}: {}", place(pc, nullptr), hsa::past_end_text(code, next)));
    return false;
  }
  code = next;
  return true;
}

uint64_t Wave::run(uint64_t limit, Program& program, MemoryPort& port, const Observer* observer) {
  if (observer != nullptr) return run_observed(limit, program, port, *observer);
  uint64_t done = 0;
  port.refresh();
  wave::Context context(state);
  context.memory = &port;
  context.lds = group->lds.data();
  context.lds_bytes = group->lds.size();
  Program::Block* last = nullptr;
  while (done < limit && status == WaveStatus::Running) {
    const uint64_t pc = state.s.pc;
    if (!code.contains(pc) && !enter_code(program)) [[unlikely]]
      break;
    Program::Block* block = last != nullptr ? last->successor(pc) : nullptr;
    Program::Entry* entry = nullptr;
    if (block == nullptr) {
      entry = program.at(pc);
      if (entry == nullptr) {
        fail(Event::Trap, fmt::format("{}: instruction fetch from unmapped memory{}",
                                      place(pc, nullptr), port.memory().place_of(pc, 0)));
        failure_address = pc;
        break;
      }
      if (uses_micro_ops) {
        block = &program.block(pc, *entry);
        if (last != nullptr) last->follow_by(*block);
      }
    }
    if (block != nullptr) {
      context.use_constants(program.constants());
      const uint64_t count = run_block(*block, limit - done, program, context);
      done += count;
      last = count == block->instructions ? block : nullptr;
      if (count != 0) falls_to = block->falls_to;
      if (!declined_) continue;
      entry = program.at(state.s.pc);
    }
    last = nullptr;
    context.floats.leave();
    const auto status_of_code = entry->decoded->status;
    if (status_of_code == isa::DecodeStatus::Illegal ||
        status_of_code == isa::DecodeStatus::Truncated) {
      state.s.trapsts |= wave::kIllegalInst;
      fail(Event::Trap,
           fmt::format("{}: {}", place(state.s.pc, nullptr), isa::refusal(*entry->decoded)));
      break;
    }
    ++done;
    if (!run_reference(*entry, port)) {
      // Executed again when it is this wave's turn.
      if (status == WaveStatus::AtOrderedCount) --done;
      break;
    }
    if (std::exchange(code_invalidated_, false)) program.refresh();
  }
  return done;
}

/// The instruction at PC by wave::execute. False when the wave cannot go on.
bool Wave::run_reference(Program::Entry& entry, MemoryPort& port) {
  const uint64_t pc = state.s.pc;
  const isa::Instruction& instruction = entry.decoded->instruction;
  state.s.pc = pc + 4u * instruction.length;
  falls_to = wave::fall_through(instruction, pc);
  const Outcome outcome = wave::execute(state, instruction, op_);
  ++entry.executed;
  const bool halts = (state.s.status & wave::kStatusHalt) != 0;
  if ((outcome.event != Event::None || halts) && !act(outcome, pc, instruction, port)) {
    if (status == WaveStatus::AtOrderedCount) --entry.executed;
    return false;
  }
  ++order;
  return true;
}

/// The block at PC. Returns how many instructions were run, all of it unless `limit` comes first or
/// a micro-op declines: the next one is in the middle of the block then.
uint64_t Wave::run_block(Program::Block& block, uint64_t limit, Program& program,
                         wave::Context& context) {
  declined_ = false;
  // Nothing in a block changes MODE or the allocation: what fits() looks at stays.
  if (limit < block.instructions || block.instructions == 0 || !block.fits(state)) [[unlikely]]
    return run_part(block, limit, program, context);
  const wave::MicroOp* const first = block.straight.data();
  const wave::MicroOp* const last = first + block.straight.size();
  for (const wave::MicroOp* op = first; op != last; ++op) {
    if (op->run(*op, state, context)) [[likely]]
      continue;
    declined_ = true;
    return pass(block, static_cast<size_t>(op - first), program);
  }
  state.s.pc = block.end;
  if (block.jump.run != nullptr) block.jump.run(block.jump, state, context);
  ++block.executed;
  order += block.instructions;
  return block.instructions;
}

/// Message for a wild access: the access, and its place relative to a buffer, if `memory` knows of
/// some.
std::string Wave::wild_access(const hsa::AccessResult& fault, const hsa::DeviceMemory* memory) {
  failure_address = fault.address;
  if (reply_.faulted != 0) {
    const bool unmapped = fault.fault == hsa::Fault::Unmapped;
    return fmt::format("{}{} {:#x} (lanes {:#018x}): {}{}", unmapped ? "access to " : "",
                       hsa::name(fault.fault), fault.address, reply_.faulted | op_.violation,
                       op_.what(), memory != nullptr ? memory->place_of(fault.address, 0) : "");
  }
  failure_address = op_.first_violation();
  return wave::violation_text(op_);
}

/// Global wave sync. The wave waits at the instruction, not at a later wait for the counter. Waves
/// take their turn at the ordered count as they were launched.
bool Wave::synchronize(uint64_t pc, GlobalSync& sync) {
  if (op_.sync == wave::SyncOp::OrderedCount) {
    if (!ordered_turn) {
      state.s.pc = pc;
      status = WaveStatus::AtOrderedCount;
      return false;
    }
    reply_.faulted = 0;
    reply_.data[0][0] = sync.ordered_add(op_.sync_resource, op_.data[0][0]);
    wave::complete(state, op_, reply_);
    ordered_released |= op_.ordered_release;
    return true;
  }
  ticket = sync.perform(op_);
  if (ticket != 0) status = WaveStatus::AtGlobalSync;
  return true;
}

/// As much of the block as limit and registers allow.
uint64_t Wave::run_part(Program::Block& block, uint64_t limit, Program& program,
                        wave::Context& context) {
  size_t count = 0;
  for (uint64_t done = 0; count < block.straight.size(); ++count) {
    const wave::MicroOp& op = block.straight[count];
    done += op.instructions;
    if (done > limit) {
      declined_ = count == 0;
      return pass(block, count, program);
    }
    if (!op.fits(state) || !op.run(op, state, context)) break;
  }
  const uint64_t done = pass(block, count, program);
  declined_ = done < limit;
  return done;
}

/// The first `count` micro-ops of a block have been run. Returns how many instructions they are.
uint64_t Wave::pass(const Program::Block& block, size_t count, Program& program) {
  const uint64_t instructions = program.pass(block, count, state);
  order += instructions;
  return instructions;
}

/// True when the wave can go on with its next instruction (now, or after the barrier).
bool Wave::act(const Outcome& outcome, uint64_t pc, const isa::Instruction& instruction,
               MemoryPort& port) {
  if (outcome.event == Event::GlobalSync) return synchronize(pc, port.sync());
  if (outcome.event != Event::Memory) return control(outcome, pc, instruction);
  reply_.faulted = 0;
  port.perform(op_, state.s.mode, group->lds, reply_);
  return finish_memory(pc, instruction, port.first_fault(), &port.memory());
}

/// Writes what memory answered. False when the wave fails for it.
bool Wave::finish_memory(uint64_t pc, const isa::Instruction& instruction,
                         const hsa::AccessResult& fault, const hsa::DeviceMemory* memory) {
  wave::complete(state, op_, reply_);
  if ((reply_.faulted | op_.violation) == 0) return true;
  // Of scalar accesses no violation is reported (MI100 ISA 3.11): they end the wave.
  const bool reported = trap_on_violation || op_.space != wave::MemorySpace::Scalar;
  if (reported) state.s.trapsts |= wave::kMemViol;
  if (trap_on_violation) return true;
  if (reported && wave::take_exception_trap(state, wave::kMemViol, 0)) return true;
  fail(Event::Trap, fmt::format("{}: {}", place(pc, &instruction), wild_access(fault, memory)));
  return false;
}

/// Handles events other than memory.
bool Wave::control(const Outcome& outcome, uint64_t pc, const isa::Instruction& instruction) {
  switch (outcome.event) {
    case Event::Barrier:
      if (group->waves > 1) {  // a one-wave group passes (decisions.md D15)
        status = WaveStatus::AtBarrier;
        ++group->at_barrier;
      }
      return true;
    case Event::EndProgram:
      status = WaveStatus::Ended;
      return true;
    case Event::Trap:
      return true;
    case Event::Abort:
      state.s.pc = pc;
      fail(outcome.event,
           fmt::format("{}: {}{}", place(pc, &instruction),
                       wave::abort_text(outcome.argument, state.s.exec()), hsa::in_function(code)));
      return false;
    case Event::SendMessage:
      if ((outcome.argument & 15) == kMessageGetDoorbell) {
        state.s.set_exec(doorbell);
      } else if (on_message != nullptr) {
        (*on_message)(outcome.argument, state.s.m0());
      }
      break;
    case Event::InstructionCacheInvalidate:
      code_invalidated_ = true;
      break;
    case Event::Unsupported:
      fail(outcome.event,
           fmt::format("{}: unsupported: {}", place(pc, &instruction), outcome.reason));
      return false;
    // Without time and caches these have no effect golden could show.
    default:
      break;
  }
  // By S_SETHALT, S_SENDMSGHALT, or a trap handler's S_SETREG.
  if ((state.s.status & wave::kStatusHalt) == 0) return true;
  fail(Event::Halt, fmt::format("{}: wave halted itself", place(pc, &instruction)));
  return false;
}

}  // namespace cuvette::golden
