// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/wave.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bits.h"
#include "isa/text.h"

namespace cuvette::golden {

using wave::Event;
using wave::MemoryKind;
using wave::Outcome;

Wave::Wave(isa::Target target, uint16_t vgprs, uint16_t accvgprs)
    : rows_(size_t{vgprs} + accvgprs) {
  state.target = target;
  state.v.arch = rows_.data();
  state.v.arch_count = vgprs;
  state.v.acc = accvgprs != 0 ? rows_.data() + vgprs : nullptr;
  state.v.acc_count = accvgprs;
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

uint64_t Wave::run(uint64_t limit, Program& program, MemoryPort& port, const Observer* observer) {
  uint64_t done = 0;
  const bool quick = observer == nullptr && !without_short_way;
  wave::HostSlice slice(state.s);
  while (done < limit && status == WaveStatus::Running) {
    const uint64_t pc = state.s.pc;
    Program::Entry* entry = program.at(pc);
    if (entry == nullptr) {
      fail(Event::Trap,
           fmt::format("{}: instruction fetch from unmapped memory", place(pc, nullptr)));
      break;
    }
    const wave::Prepared& prepared = entry->prepared;
    if (quick && prepared.fits(state)) {
      if (prepared.vector) {
        done += run_straight(*entry, limit - done, program, slice);
        continue;
      }
      state.s.pc = pc + 4u * prepared.length;
      const Outcome outcome = prepared.run(prepared, state, slice);
      ++done;
      ++entry->executed;
      if (outcome.event != Event::None && !act(outcome, pc, *prepared.instruction, port)) break;
      ++order;
      continue;
    }
    slice.leave();
    const isa::Decoded* decoded = &entry->decoded;
    if (decoded->status == isa::DecodeStatus::Illegal ||
        decoded->status == isa::DecodeStatus::Truncated) {
      state.s.trapsts |= wave::kIllegalInst;
      fail(Event::Trap,
           fmt::format("{}: illegal instruction: {}", place(pc, nullptr), decoded->reason));
      break;
    }
    const isa::Instruction& instruction = decoded->instruction;
    state.s.pc = pc + 4u * instruction.length;
    wave::ScalarState before;
    if (observer != nullptr) before = state.s;
    const Outcome outcome = wave::execute(state, instruction, op_);
    ++done;
    ++entry->executed;
    if (outcome.event != Event::None && !act(outcome, pc, instruction, port)) break;
    if (observer != nullptr) record(instruction, pc, before, outcome, *observer);
    ++order;
  }
  return done;
}

/// Vector instructions from `entry` on, at least one: no jumps, no events, and nobody looks at PC.
uint64_t Wave::run_straight(Program::Entry& entry, uint64_t limit, const Program& program,
                            wave::HostSlice& slice) {
  uint64_t done = 0, pc = state.s.pc;
  // Vector instructions change neither MODE nor the allocation: what fits() looks at stays.
  const unsigned vgprs = std::min(state.v.arch_count, state.alloc.vgprs);
  const unsigned sgprs = state.alloc.sgprs;
  Program::Entry* next = &entry;
  do {
    const wave::Prepared& prepared = next->prepared;
    prepared.run(prepared, state, slice);
    ++next->executed;
    ++done;
    pc += 4u * prepared.length;
    next = program.following(pc, *next);
  } while (done < limit && next != nullptr && next->prepared.vector &&
           next->prepared.vgprs <= vgprs && next->prepared.sgprs <= sgprs);
  state.s.pc = pc;
  order += done;
  return done;
}

/// True when the wave can go on with its next instruction (now, or after the barrier).
bool Wave::act(const Outcome& outcome, uint64_t pc, const isa::Instruction& instruction,
               MemoryPort& port) {
  switch (outcome.event) {
    case Event::Memory:
      reply_.faulted = 0;
      port.perform(op_, state.s.mode, group->lds, reply_);
      wave::complete(state, op_, reply_);
      reply_.faulted |= op_.violation;
      if (reply_.faulted != 0) {
        state.s.trapsts |= wave::kMemViol;
        if (trap_on_violation) return true;
        fail(Event::Trap,
             fmt::format("{}: access to unmapped address {:#x} (lanes {:#018x})",
                         place(pc, &instruction), port.fault_address(), reply_.faulted));
        return false;
      }
      return true;
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
      // Without a trap handler S_TRAP does nothing but be seen (Vega ISA 12.5, TRAP_EN = 0).
      return true;
    case Event::Halt:
      fail(outcome.event, fmt::format("{}: wave halted itself", place(pc, &instruction)));
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

void Wave::record(const isa::Instruction& instruction, uint64_t pc, const wave::ScalarState& before,
                  const Outcome& outcome, const Observer& observer) const {
  wave::RetireRecord r;
  r.wave = id;
  r.order = order;
  r.pc = pc;
  r.instruction = instruction;
  r.exec = before.exec();
  for (uint16_t code = 0; code < state.s.sgpr.size(); ++code) {
    if (state.s.sgpr[code] != before.sgpr[code]) {
      r.scalar_writes.push_back({code, state.s.sgpr[code]});
    }
  }
  if (state.s.scc != before.scc) r.scalar_writes.push_back({isa::kScc, state.s.scc});
  r.trapsts = state.s.trapsts;

  const bool memory = outcome.event == Event::Memory;
  const bool all_lanes = instruction.row->unit == isa::Unit::Matrix;
  for (const auto& dst : instruction.dst) {
    const bool arch = dst.kind == isa::OperandKind::Vgpr;
    if (!arch && dst.kind != isa::OperandKind::Agpr) continue;
    const wave::LaneRow* rows = arch ? state.v.arch : state.v.acc;
    const unsigned count = arch ? state.v.arch_count : state.v.acc_count;
    for (unsigned i = 0; i < dst.dwords && dst.index + i < count; ++i) {
      wave::VectorWrite w;
      w.kind = dst.kind;
      w.index = static_cast<uint16_t>(dst.index + i);
      w.lanes = all_lanes ? ~uint64_t{0} : memory ? op_.exec | op_.out_of_range : r.exec;
      for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
        w.data[lane] = base::bit(w.lanes, lane) ? rows[w.index][lane] : 0;
      }
      r.vector_writes.push_back(w);
    }
  }
  if (memory) {
    const unsigned planes = (op_.bytes + 3u) / 4;
    for (uint64_t lanes = op_.exec; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<uint8_t>(__builtin_ctzll(lanes));
      for (unsigned access = 0; access < op_.accesses; ++access) {
        wave::MemoryAccess a;
        a.lane = lane;
        a.space = base::bit(op_.flat_lds, lane) ? wave::MemorySpace::Lds : op_.space;
        a.kind = op_.kind;
        a.atomic = op_.atomic;
        a.size = op_.bytes;
        a.glc = op_.glc;
        a.slc = op_.slc;
        a.scc = op_.scc;
        a.address = op_.address[access][lane];
        const bool scalar = op_.space == wave::MemorySpace::Scalar;
        for (unsigned i = 0; i < std::min(planes, 4u); ++i) {
          const unsigned plane = access * planes + i;
          const uint32_t in = scalar ? op_.scalar_data[i] : op_.data[plane][lane];
          const uint32_t out = scalar ? reply_.scalar_data[i] : reply_.data[plane][lane];
          std::memcpy(a.bytes + 4 * i, op_.kind == MemoryKind::Load ? &out : &in, 4);
          if (op_.kind == MemoryKind::AtomicReturn) std::memcpy(a.old_bytes + 4 * i, &out, 4);
        }
        r.accesses.push_back(a);
      }
    }
  }
  observer(r);
}

}  // namespace cuvette::golden
