// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "golden/wave.h"
#include "wave/status_register.h"

// Stepping: one instruction and the record of everything it did. Apart from Wave::run, which is
// fast and tells nothing.
namespace cuvette::golden {

using wave::Event;
using wave::MemoryKind;
using wave::MemorySpace;
using wave::Outcome;

namespace {

bool reachable(const hsa::AddressSpace& space, const wave::MemoryAccess& a) {
  const auto access = a.kind == MemoryKind::Load ? hsa::Access::Read : hsa::Access::Write;
  for (uint64_t done = 0; done < a.size;) {
    const hsa::Translation t = space.translate(0, a.address + done, access);
    if (!t.ok()) return false;
    done += t.bytes;
  }
  return true;
}

bool is_vector_alu(const isa::Row& row) {
  return row.unit == isa::Unit::Valu || row.unit == isa::Unit::Trans;
}

}  // namespace

void PortMemory::describe(std::vector<wave::MemoryAccess>& accesses) {
  // A transfer to or from LDS leaves out lanes beyond the allocation.
  std::erase_if(accesses, [this](const wave::MemoryAccess& a) {
    return a.space == MemorySpace::Lds && a.address + a.size > lds_.size();
  });
  for (wave::MemoryAccess& a : accesses) {
    if (a.space != MemorySpace::Global && a.space != MemorySpace::Scalar) continue;
    const hsa::Translation t = port_.memory().space().translate(0, a.address, hsa::Access::None);
    if (t.ok()) a.memory_type = static_cast<uint8_t>(t.type);
    // The reply speaks of lanes; of a lane with several accesses some may be good.
    const bool atomic = is_atomic(a.kind);
    if (a.fault && !atomic) a.fault = !reachable(port_.memory().space(), a);
    if (a.kind != MemoryKind::Load && !a.fault) a.serial = ++serial_;
  }
}

/// Exceptions are sticky in TRAPSTS; `flags` gets those of this vector instruction alone.
Outcome Wave::execute_flagged(const isa::Instruction& instruction, uint8_t& flags) {
  flags = 0;
  if (!is_vector_alu(*instruction.row)) return wave::execute(state, instruction, op_);
  const uint32_t sticky = state.s.trapsts & wave::kExcpMask;
  state.s.trapsts &= ~uint32_t{wave::kExcpMask};
  const Outcome outcome = wave::execute(state, instruction, op_);
  flags = static_cast<uint8_t>(state.s.trapsts & 0x7f);
  state.s.trapsts |= sticky;
  return outcome;
}

bool Wave::step(Program& program, StepMemory& memory, wave::RetireRecord& record) {
  if (status != WaveStatus::Running) return false;
  const uint64_t pc = state.s.pc;
  if (!code.contains(pc) && !enter_code(program)) return false;
  Program::Entry* entry = program.at(pc);
  if (entry == nullptr) {
    fail(Event::Trap,
         fmt::format("{}: instruction fetch from unmapped memory", place(pc, nullptr)));
    failure_address = pc;
    return false;
  }
  const isa::Decoded& decoded = *entry->decoded;
  if (decoded.status == isa::DecodeStatus::Illegal ||
      decoded.status == isa::DecodeStatus::Truncated) {
    state.s.trapsts |= wave::kIllegalInst;
    fail(Event::Trap, fmt::format("{}: {}", place(pc, nullptr), isa::refusal(decoded)));
    return false;
  }
  const isa::Instruction& instruction = decoded.instruction;
  const wave::ScalarState before = state.s;
  wave::WrittenSet written = wave::written_vectors(state, instruction);
  state.s.pc = pc + 4u * instruction.length;
  falls_to = wave::fall_through(instruction, pc);
  uint8_t flags = 0;
  const Outcome outcome = execute_flagged(instruction, flags);
  ++entry->executed;
  wave::RetireRecord r;
  if (outcome.event == Event::Memory) {
    reply_.faulted = 0;
    memory.perform(op_, state.s.mode, reply_);
    wave::append_accesses(op_, reply_, r.accesses);
    memory.describe(r.accesses);
    written = wave::written_vectors(state, op_);
    finish_memory(pc, instruction, memory.first_fault(), memory.device());
  } else if (outcome.event == Event::GlobalSync) {
    if (!memory.waits()) ordered_turn = true;
    if (!synchronize(pc, memory.sync())) {  // executed again when it is this wave's turn
      --entry->executed;
      return false;
    }
    if (!memory.waits() && status == WaveStatus::AtGlobalSync) {
      memory.sync().drop(ticket);
      status = WaveStatus::Running;
    }
    written = wave::written_vectors(state, op_);
  } else if (!control(outcome, pc, instruction)) {
    return false;
  }
  r.wave = id;
  r.order = order++;
  r.pc = pc;
  r.instruction = instruction;
  r.exec = before.exec();
  wave::append_writes(written, state.v, r.vector_writes);
  r.scalar_writes = wave::scalar_changes(before, state.s);
  r.mode = state.s.mode.raw;
  r.status = wave::status_register(state.s);
  r.trapsts = state.s.trapsts;
  r.flags = flags;
  if (outcome.event == Event::Trap) r.trap = static_cast<uint8_t>(outcome.argument);
  record = std::move(r);
  if (std::exchange(code_invalidated_, false)) program.refresh();
  return true;
}

uint64_t Wave::run_observed(uint64_t limit, Program& program, MemoryPort& port,
                            const Observer& observer) {
  uint64_t done = 0;
  PortMemory memory(port, group->lds, port.serial());
  wave::RetireRecord record;
  while (done < limit && step(program, memory, record)) {
    ++done;
    observer(record);
  }
  return done;
}

}  // namespace cuvette::golden
