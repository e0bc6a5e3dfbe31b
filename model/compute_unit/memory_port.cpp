// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/memory_port.h"

#include "hsa/queue_error.h"

namespace cuvette::compute_unit {

using isa::Format;
using isa::Instruction;
using machine::Cycle;
using machine::kNever;
using wave::Event;

namespace {

constexpr unsigned kVmLimit = 63, kLgkmLimit = 15, kExpLimit = 7;  // of the counters (isa_notes 38)

}  // namespace

/// True if results, room and counters let the instruction issue.
inline bool MemoryPort::is_ready(WaveContext& w, const Instruction& i, Cycle now) {
  const bool scalar = i.row->format == Format::Smem;
  const bool in_gds = i.row->format == Format::Ds && i.mem.gds;
  const bool lds = i.row->format == Format::Ds && !in_gds;
  if (!scalar && w.vector_done() > now) {
    return stage_.block(w, Stall::VectorResult, w.vector_done());
  }
  if (!scalar && !stage_.matrix_results_ready(w, i, now)) return false;
  if (scalar ? !paths_.caches.scalar_free() : !lds && !in_gds && !paths_.caches.vector_free()) {
    return stage_.block_for_room(w, Stall::MemoryPipeline);
  }
  if ((lds || i.row->format == Format::Flat) && !paths_.lds.has_room(now)) {
    // A request that leaves in this cycle makes room for the next one.
    return paths_.lds.has_room(now + 1) ? stage_.block(w, Stall::Lds, now + 1)
                                        : stage_.block_for_room(w, Stall::Lds);
  }
  // A wave's outstanding sync in the gds comes before its next request.
  if (in_gds && w.sync != wave::SyncOp::None) {
    return stage_.block(w, Stall::MemoryPipeline, kNever);
  }
  // The largest step of LGKM_CNT is 2.
  if ((in_gds && w.exp >= kExpLimit) || w.vm >= kVmLimit || w.lgkm + 2 > kLgkmLimit) {
    return stage_.block(w, Stall::FullCounter, kNever);
  }
  return true;
}

inline Operation& MemoryPort::begin(const WaveContext& w, const Instruction& i) {
  Operation& o = *paths_.caches.allocate();
  o.instruction = &i;
  o.wave = w.index;
  o.pc = w.state.s.pc;
  o.order = w.order;
  o.exec = w.state.s.exec();
  return o;
}

/// Requests of the access. False when it ends the wave.
inline bool MemoryPort::translate(WaveContext& w, Operation& o) {
  const Instruction& i = *o.instruction;
  if (lies_apart(o.op)) {
    return stage_.refuse(w, i, "an atomic on 8 bytes that swizzling puts apart");
  }
  const auto on_fault =
      traps_.records_violations(w, o.op.space) ? OnFault::LeaveOut : OnFault::Stop;
  coalesce(o.op, *config_.address_space, w.launch.vmid, config_.timing.coalescer_lanes_per_cycle,
           on_fault, o.requests);
  o.reply.faulted = o.requests.left_out;
  if (o.requests.fault != hsa::Fault::None) {
    w.state.s.trapsts |= i.row->format == Format::Smem ? 0u : uint32_t{wave::kMemViol};
    termination_.fail_access(w, o);
    return false;
  }
  if (o.op.violation != 0 && on_fault == OnFault::Stop) {
    w.state.s.trapsts |= wave::kMemViol;
    termination_.fail(w, hsa::kQueueErrorMemoryFault, o.op.first_violation(),
                      wave::violation_text(o.op), &i);
    return false;
  }
  return true;
}

inline void MemoryPort::send(WaveContext& w, Operation& o, Cycle now) {
  switch (o.op.space) {
    case wave::MemorySpace::Scalar:
      paths_.caches.issue_scalar(&o);
      break;
    case wave::MemorySpace::Global:
      if ((o.op.flat_lds & o.op.exec) != 0) paths_.lds.send(w, o, now);
      if (o.op.transfer == wave::LdsTransfer::FromLds && o.op.exec != 0) {
        paths_.lds.start_transfer(o, LdsStep::TransferFrom);
      }
      paths_.caches.issue_vector(&o, now);
      break;
    case wave::MemorySpace::Gds:
      paths_.gds.send(w, o, now);
      break;
    case wave::MemorySpace::Lds:
      paths_.lds.send(w, o, now);
      break;
  }
}

bool MemoryPort::issue(WaveContext& w, const Code& code, Cycle now) {
  const Instruction& i = code.instruction();
  if (!is_ready(w, i, now)) return false;
  Operation& o = begin(w, i);
  if (i.row->format != Format::Smem) w.state.v = registers_.operands(w, i, now);
  const wave::Outcome outcome = wave::execute(w.state, i, o.op);
  const bool accesses = outcome.event == Event::Memory || outcome.event == Event::GlobalSync;
  if (!accesses) paths_.caches.release(&o);
  if (outcome.event == Event::Unsupported) return stage_.refuse(w, i, outcome.reason);
  if (outcome.event == Event::None) {
    if (probe_.is_observed()) probe_.retire_nothing(w, i);
    stage_.step(w, code, now, now + 1);
    return true;
  }
  if (!accesses) {
    maintain(w, code, outcome, now);
    return true;
  }
  if (!translate(w, o)) {
    paths_.caches.release(&o);
    return false;
  }
  if (o.op.counts_vm) {
    ++w.vm;
    w.vm_order.push_back(&o);
  }
  if (o.op.counts_lgkm) w.lgkm += o.op.lgkm;
  statistics_.begin_access(o, now);
  const bool to_cache =
      o.op.space == wave::MemorySpace::Scalar || o.op.space == wave::MemorySpace::Global;
  const auto requests = to_cache ? static_cast<uint32_t>(o.requests.groups.size()) : 0;
  send(w, o, now);
  stage_.step(w, code, now, kNever, requests);
  return true;
}

/// Cache maintenance travels the way of the accesses it orders and is counted like one of them.
void MemoryPort::maintain(WaveContext& w, const Code& code, const wave::Outcome& outcome,
                          Cycle now) {
  const Instruction& i = code.instruction();
  const Event event = outcome.event;
  Operation& o = begin(w, i);
  o.op = wave::MemoryOp{};
  o.op.instruction = &i;
  o.maintenance = true;
  const bool write_back = event == Event::ScalarCacheWriteback || event == Event::L2Writeback;
  o.maintenance_op = write_back ? memory::MemOp::Writeback : memory::MemOp::Invalidate;
  const bool l2 = event == Event::L2Writeback || event == Event::L2Invalidate;
  const bool scalar = event == Event::ScalarCacheInvalidate || event == Event::ScalarCacheWriteback;
  // sc0 and sc1 of gfx942 name the scope (1 work-group, 2 agent, 3 system). Earlier targets mean
  // the agent, and with the L2 the system: the agent has one L2, which is its point of coherence.
  if (i.target == isa::Target::Gfx942 && !scalar) {
    o.scope = static_cast<memory::Scope>(outcome.argument);
  } else {
    o.scope = l2 ? memory::Scope::System : memory::Scope::Agent;
  }
  o.op.glc = l2;  // past the vector L1
  o.requests.groups.assign(1, Group{});
  if (scalar) {
    o.op.space = wave::MemorySpace::Scalar;
    o.op.counts_lgkm = true;
    o.op.lgkm = 1;
    ++w.lgkm;
    paths_.caches.issue_scalar(&o);
  } else {
    o.op.counts_vm = true;
    ++w.vm;
    w.vm_order.push_back(&o);
    paths_.caches.issue_vector(&o, now);
  }
  stage_.step(w, code, now, kNever, 1);
}

}  // namespace cuvette::compute_unit
