// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/wave.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "isa/text.h"
#include "wave/lanes/host_float.h"
#include "wave/operand.h"
#include "wave/trap.h"

namespace cuvette::golden {

using wave::Event;
using wave::Outcome;

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
  const bool quick = !without_short_way;
  port.refresh();
  wave::HostSlice slice(state.s);
  slice.memory = &port;
  slice.lds = group->lds.data();
  slice.lds_bytes = group->lds.size();
  if (program.careful() && wave::lanes::subnormals_are_slow()) slice.be_careful();
  while (done < limit && status == WaveStatus::Running) {
    const uint64_t pc = state.s.pc;
    if (!code.contains(pc) && !enter_code(program)) [[unlikely]]
      break;
    Program::Entry* entry = program.at(pc);
    if (entry == nullptr) {
      fail(Event::Trap, fmt::format("{}: instruction fetch from unmapped memory{}",
                                    place(pc, nullptr), port.memory().place_of(pc, 0)));
      failure_address = pc;
      break;
    }
    if (quick) {
      Program::Block& block = program.block(pc, *entry);
      const uint64_t count = run_block(block, limit - done, program, slice);
      done += count;
      if (count != 0) {
        falls_to = block.falls_to;
        continue;
      }
    }
    slice.leave();
    const auto decoded = entry->decoded->status;
    if (decoded == isa::DecodeStatus::Illegal || decoded == isa::DecodeStatus::Truncated) {
      state.s.trapsts |= wave::kIllegalInst;
      fail(Event::Trap, fmt::format("{}: {}", place(pc, nullptr), isa::refusal(*entry->decoded)));
      break;
    }
    ++done;
    if (!run_long(*entry, port)) {
      // Executed again when it is this wave's turn.
      if (status == WaveStatus::AtOrderedCount) --done;
      break;
    }
  }
  slice.leave();
  program.met_subnormals(slice.met_subnormals);
  return done;
}

/// The instruction at PC by wave::execute. False when the wave cannot go on.
bool Wave::run_long(Program::Entry& entry, MemoryPort& port) {
  const uint64_t pc = state.s.pc;
  const isa::Instruction& instruction = entry.decoded->instruction;
  state.s.pc = pc + 4u * instruction.length;
  falls_to = wave::fall_through(instruction, pc);
  const Outcome outcome = wave::execute(state, instruction, op_);
  ++entry.executed;
  if (outcome.event != Event::None && !act(outcome, pc, instruction, port)) {
    if (status == WaveStatus::AtOrderedCount) --entry.executed;
    return false;
  }
  ++order;
  return true;
}

/// The block at PC, over and over while it jumps to its own beginning. Returns how many
/// instructions were run; the next one may be in the middle of the block.
uint64_t Wave::run_block(Program::Block& block, uint64_t limit, Program& program,
                         wave::HostSlice& slice) {
  if (block.instructions == 0) return 0;
  // Nothing in a block changes MODE or the allocation: what fits() looks at stays.
  if (!block.fits(state)) return run_part(block, limit, program, slice);
  if (block.floats && !slice.ready()) slice.enter();
  uint64_t done = 0;
  bool steady = true;  // or not tried yet
  do {
    if (limit - done < block.instructions)
      return done + run_part(block, limit - done, program, slice);
    const size_t count = run_round(block, program, slice);
    if (count != block.straight.size()) [[unlikely]]
      return done + count_part(block, count, program);
    done += block.instructions;
    if (state.s.pc == block.begin && steady) {
      steady = false;
      done += run_steady(block, limit - done, program, slice);
    }
  } while (state.s.pc == block.begin);
  return done;
}

/// All of the block from piece `from` on, its straight piece done as `steady` says, if it is given.
/// Returns how many of the straight pieces were run; when it was all, the jump was run too, and
/// everything has been counted.
size_t Wave::run_once(const wave::SteadyCode* steady, Program::Block& block, wave::HostSlice& slice,
                      size_t from) {
  const std::vector<wave::Prepared>& pieces = steady ? steady->pieces() : block.joined;
  const wave::Prepared* const first = pieces.data();
  const wave::Prepared* const last = first + pieces.size();
  for (const wave::Prepared* p = first + from; p != last; p += p->pieces) {
    if (!p->run(*p, state, slice)) [[unlikely]] {
      const auto place = static_cast<size_t>(p - first);
      const size_t more = std::exchange(slice.pieces_done, 0);
      return steady ? steady->done(place, more) : place;
    }
  }
  end_round(block, slice);
  return block.straight.size();
}

/// Behind all straight pieces.
void Wave::end_round(Program::Block& block, wave::HostSlice& slice) {
  state.s.pc = block.end;
  if (block.jump.run != nullptr) block.jump.run(block.jump, state, slice);
  count_rounds(block, 1);
}
void Wave::count_rounds(Program::Block& block, uint64_t rounds) {
  block.executed += rounds;
  order += rounds * block.instructions;
}

/// run_once(), with the short cuts of wave/steady.h if there are any.
size_t Wave::run_round(Program::Block& block, Program& program, wave::HostSlice& slice) {
  const wave::SteadyCode* const once = program.steady_once(block, state);
  if (once == nullptr) return run_once(nullptr, block, slice);
  const size_t count = run_once(once, block, slice);
  once->end(state, count);
  return count;
}

/// A block that has just jumped to its beginning, with the short cuts of wave/steady.h if it has
/// any now. Returns how many instructions were run; the next one may be anywhere in the block.
uint64_t Wave::run_steady(Program::Block& block, uint64_t limit, Program& program,
                          wave::HostSlice& slice) {
  const wave::SteadyCode& loop = program.steady_loop(block);
  if (!loop.begin(state)) return 0;
  uint64_t done = 0;
  size_t count = block.straight.size();
  std::optional<wave::StreamRounds> streams;
  if (!loop.streams().empty()) streams.emplace(loop.streams());
  wave::StreamRounds::End ahead;  // rounds done before they are counted
  while (state.s.pc == block.begin && limit - done >= block.instructions) {
    if (streams && ahead.piece == 0 && streams->wants_record()) {
      count = streams->record(state, slice);
      if (count == block.straight.size()) end_round(block, slice);
    } else {
      count = run_once(&loop, block, slice, std::exchange(ahead.piece, 0));
    }
    if (count != block.straight.size()) [[unlikely]]
      break;
    done += block.instructions;
    if (!streams || !streams->steady() || state.s.pc != block.begin) continue;
    // All but one that ends otherwise, or is only begun here.
    const uint64_t rest = (limit - done) / block.instructions;
    ahead = streams->run(state, slice, rest - std::min<uint64_t>(rest, 1));
    count_rounds(block, ahead.rounds);
    done += ahead.rounds * block.instructions;
  }
  loop.end(state, count);
  if (count != block.straight.size()) done += count_part(block, count, program);
  return done;
}

/// Which access was wild, and where: relative to a buffer, if `memory` is there to know of some.
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
                        wave::HostSlice& slice) {
  size_t count = 0;
  for (uint64_t done = 0; count < block.straight.size(); ++count) {
    const wave::Prepared& p = block.straight[count];
    done += p.instructions;
    if (done > limit) break;
    if (p.shortness == wave::Shortness::Float && !slice.ready()) slice.enter();
    if (!p.fits(state) || !p.run(p, state, slice)) break;
  }
  return count_part(block, count, program);
}

/// The first `count` pieces of a block have been run. Returns how many instructions they are.
uint64_t Wave::count_part(const Program::Block& block, size_t count, Program& program) {
  state.s.pc = block.begin;
  uint64_t instructions = 0;
  for (size_t i = 0; i < count; ++i) instructions += block.straight[i].instructions;
  for (uint64_t i = 0; i < instructions; ++i) {
    Program::Entry& entry = *program.at(state.s.pc);
    ++entry.executed;
    state.s.pc += 4u * entry.decoded->instruction.length;
  }
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
  state.s.trapsts |= wave::kMemViol;
  if (trap_on_violation || wave::take_exception_trap(state, wave::kMemViol, 0)) return true;
  fail(Event::Trap, fmt::format("{}: {}", place(pc, &instruction), wild_access(fault, memory)));
  return false;
}

/// What is not memory.
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
    case Event::Halt:
    case Event::SendMessage:  // S_SENDMSGHALT
      if ((state.s.status & wave::kStatusHalt) == 0) return true;
      fail(Event::Halt, fmt::format("{}: wave halted itself", place(pc, &instruction)));
      return false;
    case Event::Unsupported:
      fail(outcome.event,
           fmt::format("{}: unsupported: {}", place(pc, &instruction), outcome.reason));
      return false;
    // Without time and caches these have no effect golden could show.
    default:
      return true;
  }
}

}  // namespace cuvette::golden
