// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/memory_retirement.h"

namespace cuvette::compute_unit {

void MemoryRetirement::take_answer(Operation& o) {
  WaveContext& w = slots_[o.wave];
  if (o.op.transfer == wave::LdsTransfer::ToLds && o.lds_step != LdsStep::TransferTo &&
      o.requests.fault == hsa::Fault::None) {
    lds_.start_transfer(o, LdsStep::TransferTo);
    return;
  }
  o.answered = true;
  if (o.reply.faulted != 0 || o.op.violation != 0) {
    traps_.raise(w, wave::kMemViol, 0);  // the wave goes on
  }
  if (o.requests.fault != hsa::Fault::None) {
    w.state.s.trapsts |= wave::kMemViol;
    termination_.fail_access(w, o);
    w.error_pc = o.pc;
  }
  if (o.op.counts_vm) {
    retire_in_order(w);
  } else if (o.op.space == wave::MemorySpace::Scalar) {
    complete_scalar(o);
  } else {
    write_back_.start(o);
    if (o.done) retire(o);
  }
}

void MemoryRetirement::take_written(Operation& o) {
  o.done = true;
  if (!o.op.counts_vm) return retire(o);
  statistics_.end_return(slots_.now());
  retire_in_order(slots_[o.wave]);
}

void MemoryRetirement::complete_scalar(Operation& o) {
  WaveContext& w = slots_[o.wave];
  const wave::ScalarState before = w.state.s;
  if (!o.maintenance) wave::complete(w.state, o.op, o.reply);
  o.done = true;
  if (probe_.is_observed()) {
    probe_.retire_memory(w, o, wave::scalar_changes(before, w.state.s));
  }
  retire(o);
}

/// An access that has come back early waits for those that are older.
void MemoryRetirement::retire_in_order(WaveContext& w) {
  for (Operation* o : w.vm_order) {
    if (!o->answered) break;
    if (!o->filling) write_back_.start(*o);
  }
  while (!w.vm_order.empty() && w.vm_order.front()->done) {
    Operation* o = w.vm_order.front();
    w.vm_order.erase(w.vm_order.begin());
    --w.vm;
    retire(*o);
  }
}

void MemoryRetirement::retire(Operation& o) {
  WaveContext& w = slots_[o.wave];
  if (o.op.counts_lgkm) w.lgkm -= o.op.lgkm;
  statistics_.end_access(o, slots_.now());
  slots_.wake(w);
  if (probe_.is_observed() && o.op.space != wave::MemorySpace::Scalar) {
    probe_.retire_memory(w, o, {});
  }
  probe_.tell_retired(w, o.pc, o.order, slots_.now());
  memory_.release(&o);
}

}  // namespace cuvette::compute_unit
