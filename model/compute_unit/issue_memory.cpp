// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "compute_unit/compute_unit_tlm.h"
#include "hsa/queue_error.h"

// Memory instructions: address generation, translation, and the way to the lds, the gds or the
// caches.
namespace cuvette::compute_unit {

using isa::Format;
using isa::Instruction;
using machine::Cycle;
using machine::kNever;
using wave::Event;

namespace {

constexpr unsigned kVmLimit = 63, kLgkmLimit = 15, kExpLimit = 7;  // of the counters (isa_notes 38)

}  // namespace

bool ComputeUnitTlm::issue_memory(WaveContext& w, const Code& code, Turn& turn) {
  const Cycle now = turn.now;
  const Instruction& i = code.instruction();
  const bool scalar = i.row->format == Format::Smem;
  const bool in_gds = i.row->format == Format::Ds && i.mem.gds;
  const bool lds = i.row->format == Format::Ds && !in_gds;
  if (!scalar && w.vector_done() > now) return block(w, Stall::VectorResult, w.vector_done());
  if (!scalar && !matrix_results_ready(w, i, now)) return false;
  if (scalar ? !memory_.scalar_free() : !lds && !in_gds && !memory_.vector_free()) {
    return block_for_room(w, Stall::MemoryPipeline);
  }
  if (!lds_->request.can_push(now) && (lds || i.row->format == Format::Flat)) {
    // What has left in this cycle makes room for the next one.
    return lds_->request.can_push(now + 1) ? block(w, Stall::Lds, now + 1)
                                           : block_for_room(w, Stall::Lds);
  }
  // What a wave waits for in the gds comes before what it asks for next.
  if (in_gds && w.sync != wave::SyncOp::None) return block(w, Stall::MemoryPipeline, kNever);
  if (in_gds && w.exp >= kExpLimit) return block(w, Stall::FullCounter, kNever);
  // The largest step of LGKM_CNT is 2.
  if (w.vm >= kVmLimit || w.lgkm + 2 > kLgkmLimit) return block(w, Stall::FullCounter, kNever);

  Operation* o = memory_.allocate();
  o->instruction = &i;
  o->wave = w.index;
  o->pc = w.state.s.pc;
  o->order = w.order;
  o->exec = w.state.s.exec();
  if (!scalar) w.state.v = operands(w, i);
  const wave::Outcome outcome = wave::execute(w.state, i, o->op);
  if (outcome.event == Event::Unsupported) {
    memory_.release(o);
    return refuse(w, i, outcome.reason);
  }
  if (outcome.event != Event::Memory && outcome.event != Event::GlobalSync) {
    memory_.release(o);
    if (outcome.event != Event::None) {
      return issue_maintenance(w, code, outcome.event, outcome.argument, turn);
    }
    record_nothing(w, i);
    step(w, code, now + 1);
    return true;
  }
  if (lies_apart(o->op)) {
    memory_.release(o);
    return refuse(w, i, "an atomic on 8 bytes that swizzling puts apart");
  }
  const auto on_fault = records_violations(w) ? OnFault::LeaveOut : OnFault::Stop;
  coalesce(o->op, *config_.address_space, w.launch.vmid, config_.timing.coalescer_lanes_per_cycle,
           on_fault, o->requests);
  o->reply.faulted = o->requests.left_out;
  if (o->requests.fault != hsa::Fault::None) {
    w.state.s.trapsts |= scalar ? 0u : uint32_t{wave::kMemViol};
    const uint64_t address = o->requests.fault_address;
    const std::string why = fmt::format("{} {:#x}: {}{}", hsa::name(o->requests.fault), address,
                                        o->op.what(), near_buffer(w, address));
    memory_.release(o);
    fail(w, hsa::kQueueErrorMemoryFault, address, why, &i);
    return false;
  }
  if (o->op.violation != 0 && on_fault == OnFault::Stop) {
    const uint64_t address = o->op.first_violation();
    const std::string why = wave::violation_text(o->op);
    memory_.release(o);
    w.state.s.trapsts |= wave::kMemViol;
    fail(w, hsa::kQueueErrorMemoryFault, address, why, &i);
    return false;
  }
  if (o->op.counts_vm) {
    ++w.vm;
    w.vm_order.push_back(o);
  }
  if (o->op.counts_lgkm) w.lgkm += o->op.lgkm;
  switch (o->op.space) {
    case wave::MemorySpace::Scalar:
      memory_.issue_scalar(o);
      break;
    case wave::MemorySpace::Global:
      if ((o->op.flat_lds & o->op.exec) != 0) send_to_lds(w, *o, now);
      if (o->op.transfer == wave::LdsTransfer::FromLds && o->op.exec != 0) {
        start_transfer(*o, LdsStep::TransferFrom);
      }
      memory_.issue_vector(o);
      break;
    case wave::MemorySpace::Gds:
      send_to_gds(w, *o, now);
      break;
    case wave::MemorySpace::Lds:
      send_to_lds(w, *o, now);
      break;
  }
  step(w, code, now + 1);
  return true;
}

/// Cache maintenance travels the way of the accesses it orders and is counted like one of them.
bool ComputeUnitTlm::issue_maintenance(WaveContext& w, const Code& code, Event event,
                                       uint32_t argument, Turn& turn) {
  const Instruction& i = code.instruction();
  Operation* o = memory_.allocate();
  o->op = wave::MemoryOp{};
  o->instruction = &i;
  o->op.instruction = &i;
  o->wave = w.index;
  o->pc = w.state.s.pc;
  o->order = w.order;
  o->exec = w.state.s.exec();
  o->maintenance = true;
  const bool write_back = event == Event::ScalarCacheWriteback || event == Event::L2Writeback;
  o->maintenance_op = write_back ? memory::MemOp::Writeback : memory::MemOp::Invalidate;
  const bool l2 = event == Event::L2Writeback || event == Event::L2Invalidate;
  const bool scalar = event == Event::ScalarCacheInvalidate || event == Event::ScalarCacheWriteback;
  // sc0 and sc1 of gfx942 name the scope (1 work-group, 2 agent, 3 system). Earlier targets mean
  // the agent, and with the L2 the system: the agent has one L2, which is its point of coherence.
  if (i.target == isa::Target::Gfx942 && !scalar) {
    o->scope = static_cast<memory::Scope>(argument);
  } else {
    o->scope = l2 ? memory::Scope::System : memory::Scope::Agent;
  }
  o->op.glc = l2;  // past the vector L1
  o->requests.groups.assign(1, Group{});
  if (scalar) {
    o->op.space = wave::MemorySpace::Scalar;
    o->op.counts_lgkm = true;
    o->op.lgkm = 1;
    ++w.lgkm;
    memory_.issue_scalar(o);
  } else {
    o->op.counts_vm = true;
    ++w.vm;
    w.vm_order.push_back(o);
    memory_.issue_vector(o);
  }
  step(w, code, turn.now + 1);
  return true;
}

}  // namespace cuvette::compute_unit
