// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "compute_unit/compute_unit_tlm.h"
#include "hsa/queue_error.h"
#include "wave/operand.h"
#include "wave/status_register.h"

// Results coming back: from the simd, the lds, the matrix core and the caches.
namespace cuvette::compute_unit {

using isa::Operand;
using isa::OperandKind;
using machine::Cycle;
using wave::MemoryKind;

namespace {

bool returns(const Operation& o) {
  return !o.maintenance && (o.op.kind == MemoryKind::Load || o.op.kind == MemoryKind::AtomicReturn);
}

/// Whether row `r` of what a load gives has bits of the register's old value (decisions.md D9).
bool keeps_old_bits(const wave::MemoryOp& op, unsigned r, bool sramecc) {
  if (sramecc || (op.status_dword && r + 1 == op.dst_dwords)) return false;
  return op.extend >= wave::LoadExtend::D16Low || op.texel.d16;
}

}  // namespace

void ComputeUnitTlm::take_retires(Cycle now) {
  for_due([&](SimdUnit& unit) {
    while (const simd::Retire* r = unit.simd->retire.front(now)) {
      retire_beat(unit, *r);
      unit.simd->retire.drop(now);
    }
  });
}

void ComputeUnitTlm::retire_beat(SimdUnit& unit, const simd::Retire& r) {
  const auto found = std::find_if(unit.under_way.begin(), unit.under_way.end(),
                                  [&](const VectorIssue& v) { return v.id == r.id; });
  assert(found != unit.under_way.end());
  VectorIssue& v = *found;
  v.flags |= r.flags;
  if (r.has_mask) {
    v.has_mask = true;
    v.mask |= uint64_t{r.mask} << valu::kLanes * r.beat;
  }
  if (r.has_scalar) {
    v.has_scalar = true;
    v.scalar = r.scalar;
  }
  if (observer_ && r.dwords != 0) {
    const WaveContext& w = waves_[v.wave];
    const bool acc = v.instruction->dst[0].kind == OperandKind::Agpr;
    const unsigned base = acc ? w.launch.acc_base : w.launch.vgpr_base;
    for (unsigned n = 0; n < r.dwords; ++n) {
      const auto index = static_cast<uint16_t>(r.row.row + n - base);
      auto write = std::find_if(v.writes.begin(), v.writes.end(),
                                [&](const wave::VectorWrite& x) { return x.index == index; });
      if (write == v.writes.end()) {
        wave::VectorWrite fresh;
        fresh.kind = acc ? OperandKind::Agpr : OperandKind::Vgpr;
        fresh.index = index;
        write = v.writes.insert(v.writes.end(), fresh);
      }
      const unsigned lane0 = valu::kLanes * r.beat;
      write->lanes |= uint64_t{r.write} << lane0;
      for (unsigned l = 0; l < valu::kLanes; ++l) {
        if (base::bit(r.write, l)) write->data[lane0 + l] = r.data[n][l];
      }
    }
  }
  if (!r.last) return;
  retire_vector(v);
  unit.under_way.erase(found);
}

void ComputeUnitTlm::retire_vector(VectorIssue& v) {
  WaveContext& w = waves_[v.wave];
  const isa::Instruction& i = *v.instruction;
  wave::ScalarState before;
  if (observer_) before = w.state.s;
  for (const Operand& o : i.dst) {
    if (o.kind != OperandKind::Sgpr) continue;
    if (o.type == isa::Type::Mask) {
      if (v.has_mask) wave::write_scalar64(w.state, o, v.mask);
    } else if (v.has_scalar) {
      wave::write_scalar32(w.state, o, v.scalar);
    }
  }
  if (i.row->format == isa::Format::Vopc && i.row->has(isa::kWritesExec))
    w.state.s.set_exec(v.mask);
  raise(w, v.flags & wave::kExcpMask, i.length);
  --w.valu;
  if (v.scalar_result) --w.scalar_results;
  wake(w);
  if (!observer_) return;
  wave::RetireRecord r;
  r.wave = w.launch.id;
  r.order = v.order;
  r.pc = v.pc;
  r.instruction = i;
  r.exec = v.exec;
  r.vector_writes = std::move(v.writes);
  r.scalar_writes = wave::scalar_changes(before, w.state.s);
  r.mode = w.state.s.mode.raw;
  r.status = wave::status_register(w.state.s);
  r.trapsts = w.state.s.trapsts;
  r.flags = v.flags;
  observer_(r);
}

/// An instruction that is skipped, or a hint without effect, about to be passed.
void ComputeUnitTlm::record_nothing(const WaveContext& w, const isa::Instruction& i) const {
  if (!observer_) return;
  wave::RetireRecord r;
  r.wave = w.launch.id;
  r.order = w.order;
  r.pc = w.state.s.pc;
  r.instruction = i;
  r.exec = w.state.s.exec();
  r.mode = w.state.s.mode.raw;
  r.status = wave::status_register(w.state.s);
  r.trapsts = w.state.s.trapsts;
  observer_(r);
}

void ComputeUnitTlm::take_matrix(Cycle now) {
  for_due([&](SimdUnit& unit) {
    while (unit.matrix != nullptr && unit.matrix->has_result(now)) {
      const MatrixUnit::Rows rows = unit.matrix->take(now);
      const Operand& dst = rows.issue->instruction->dst[0];
      for (unsigned r = rows.first; r < rows.first + rows.rows; ++r) {
        const bool last = r + 1 == dst.dwords;
        filling_ |= uint64_t{1} << waves_[rows.issue->wave].launch.simd;
        unit.matrix_fills.push({nullptr, rows.issue, static_cast<uint8_t>(r), last}, now);
      }
    }
  });
}

/// Everything of a memory instruction is back.
void ComputeUnitTlm::answer(Operation& o) {
  WaveContext& w = waves_[o.wave];
  if (o.op.transfer == wave::LdsTransfer::ToLds && o.lds_step != LdsStep::TransferTo &&
      o.requests.fault == hsa::Fault::None) {
    start_transfer(o, LdsStep::TransferTo);
    return;
  }
  o.answered = true;
  if (o.reply.faulted != 0 || o.op.violation != 0) raise(w, wave::kMemViol, 0);  // the wave goes on
  if (o.requests.fault != hsa::Fault::None) {
    w.state.s.trapsts |= wave::kMemViol;
    fail(w, hsa::kQueueErrorMemoryFault, o.requests.fault_address,
         fmt::format("{} {:#x}: {}{}", hsa::name(o.requests.fault), o.requests.fault_address,
                     o.op.what(), near_buffer(w, o.requests.fault_address)),
         o.instruction);
    w.error_pc = o.pc;
  }
  if (o.op.counts_vm) {
    finish_vm(w);
  } else if (o.op.space == wave::MemorySpace::Scalar) {
    complete_scalar(o);
  } else {
    start_fill(o);
    if (o.done) done(o);
  }
}

void ComputeUnitTlm::complete_scalar(Operation& o) {
  WaveContext& w = waves_[o.wave];
  const wave::ScalarState before = w.state.s;
  if (!o.maintenance) wave::complete(w.state, o.op, o.reply);
  o.done = true;
  if (observer_) record_memory(o, wave::scalar_changes(before, w.state.s));
  done(o);
}

/// Turns the reply into rows and sends them to the register file. `done` is set when there are
/// none.
void ComputeUnitTlm::start_fill(Operation& o) {
  WaveContext& w = waves_[o.wave];
  o.filling = true;
  wave::MemoryOp& op = o.op;
  const bool acc = op.dst_kind == OperandKind::Agpr;
  const Identity& l = w.launch;
  const bool in_range = op.dst + op.dst_dwords <= (acc ? l.acc_count : l.vgpr_count);
  const unsigned count = returns(o) && in_range ? op.dst_dwords : 0;
  SimdUnit& unit = simds_[w.launch.simd];
  for (unsigned r = 0; unit.pipeline_cycles == 0 && r < count; ++r) {
    unit.simd->registers().read(vrf::ReadPort::Backdoor, now_, row_of(w, acc, op.dst + r),
                                o.rows[r]);
  }
  if (!o.maintenance) {
    // The rows of this instruction alone, as a file that starts with them. Written in place, lanes
    // that are not written and halves that stay mean nothing yet.
    const uint16_t dst = op.dst;
    const wave::VectorFile registers = w.state.v;
    if (count != 0) op.dst = 0;
    w.state.v.arch = w.state.v.acc = o.rows.data();
    w.state.v.arch_count = w.state.v.acc_count = static_cast<uint16_t>(count);
    wave::complete(w.state, op, o.reply);
    w.state.v = registers;
    op.dst = dst;
  }
  o.written_rows = count;
  o.written_lanes = op.written_lanes();
  for (unsigned r = 0; r < count; ++r) {
    unit.memory_fills.push({&o, nullptr, static_cast<uint8_t>(r), r + 1 == count}, now_);
  }
  o.done = count == 0;
  if (count != 0) filling_ |= uint64_t{1} << w.launch.simd;
}

/// Vector memory returns in order: what has come back early waits for what is older.
void ComputeUnitTlm::finish_vm(WaveContext& w) {
  for (Operation* o : w.vm_order) {
    if (!o->answered) break;
    if (!o->filling) start_fill(*o);
  }
  while (!w.vm_order.empty() && w.vm_order.front()->done) {
    Operation* o = w.vm_order.front();
    w.vm_order.erase(w.vm_order.begin());
    --w.vm;
    done(*o);
  }
}

void ComputeUnitTlm::done(Operation& o) {
  WaveContext& w = waves_[o.wave];
  if (o.op.counts_lgkm) w.lgkm -= o.op.lgkm;
  wake(w);
  if (observer_ && o.op.space != wave::MemorySpace::Scalar) record_memory(o, {});
  memory_.release(&o);
}

/// Rows of matrix instructions that took effect at issue, in the cycle of their write port.
void ComputeUnitTlm::take_written(Cycle now) {
  for_due([&](SimdUnit& unit) {
    if (unit.matrix == nullptr) return;
    while (const MatrixUnit::Written* row = unit.matrix->written.front(now)) {
      row_written(waves_[row->wave], row->id);
      unit.matrix->written.drop(now);
    }
  });
}

void ComputeUnitTlm::send_fills(Cycle now) {
  for_units(filling_, [&](SimdUnit& unit) {
    if (!unit.memory_fills.empty()) send_fill(unit.memory_fills, unit, now);
    if (!unit.matrix_fills.empty()) send_fill(unit.matrix_fills, unit, now);
    if (unit.memory_fills.empty() && unit.matrix_fills.empty()) {
      filling_ &= ~(uint64_t{1} << (&unit - simds_.data()));
    }
  });
}

/// The other half may come from a load whose row goes out only now, so it is read now and not when
/// the answer came.
void ComputeUnitTlm::merge_halves(Operation& o, unsigned r, SimdUnit& unit) {
  const WaveContext& w = waves_[o.wave];
  if (!keeps_old_bits(o.op, r, w.state.sramecc)) return;
  const bool acc = o.op.dst_kind == OperandKind::Agpr;
  wave::LaneRow& row = o.rows[r];
  unit.simd->registers().read(vrf::ReadPort::Backdoor, now_, row_of(w, acc, o.op.dst + r), row);
  for (uint64_t lanes = o.written_lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    row[lane] = wave::loaded_value(o.op, o.reply, lane, r, row[lane], false);
  }
}

/// Now, for what is issued later, unless a matrix instruction writes the row after that.
void ComputeUnitTlm::write_row(const FillJob& job, SimdUnit& unit) {
  if (std::exchange(job.written, true)) return;
  const wave::MemoryOp& op = job.operation->op;
  WaveContext& w = waves_[job.operation->wave];
  const unsigned index = op.dst + job.row;
  merge_halves(*job.operation, job.row, unit);
  if (w.matrix.will_write(op.dst_kind, index)) return;
  unit.simd->registers().write(vrf::WritePort::MemoryReturn, now_,
                               row_of(w, op.dst_kind == OperandKind::Agpr, index),
                               job.operation->written_lanes, job.operation->rows[job.row]);
}

/// What a row of a memory or matrix instruction is as a message.
simd::Fill ComputeUnitTlm::fill_of(const FillJob& job, SimdUnit& unit) {
  simd::Fill fill;
  if (job.operation != nullptr) {
    Operation& o = *job.operation;
    merge_halves(o, job.row, unit);
    fill.port = vrf::WritePort::MemoryReturn;
    fill.row = row_of(waves_[o.wave], o.op.dst_kind == OperandKind::Agpr, o.op.dst + job.row);
    fill.lanes = o.written_lanes;
    fill.data = o.rows[job.row];
  } else {
    const Operand& dst = job.matrix->instruction->dst[0];
    fill.port = vrf::WritePort::Matrix;
    fill.row = row_of(waves_[job.matrix->wave], dst.kind == OperandKind::Agpr, dst.index + job.row);
    fill.lanes = ~uint64_t{0};  // EXEC does not mask (mfma_numerics.md)
    fill.data = job.matrix->d[job.row];
  }
  return fill;
}

/// One row per write port and cycle.
bool ComputeUnitTlm::send_fill(SimdUnit::Fills& jobs, SimdUnit& unit, Cycle now) {
  const FillJob job = *jobs.front(now);
  if (unit.pipeline_cycles != 0 && job.operation != nullptr) {
    write_row(job, unit);
  } else {
    if (!unit.simd->fill.can_push(now)) return false;
    due_ |= uint64_t{1} << (&unit - simds_.data());
    unit.simd->fill.push(fill_of(job, unit), now + 1);
  }
  jobs.drop(now);
  if (job.operation != nullptr && job.last) {
    Operation& o = *job.operation;
    o.done = true;
    if (o.op.counts_vm) {
      finish_vm(waves_[o.wave]);
    } else {
      done(o);
    }
  }
  if (job.matrix != nullptr) {
    row_written(waves_[job.matrix->wave], job.matrix->id);
    if (job.last) {
      finish_matrix(*job.matrix);
      unit.matrix->drop_oldest();
    }
  }
  return true;
}

void ComputeUnitTlm::finish_matrix(const MatrixIssue& m) {
  const WaveContext& w = waves_[m.wave];
  if (!observer_) return;
  const Operand& dst = m.instruction->dst[0];
  wave::RetireRecord r;
  r.wave = w.launch.id;
  r.order = m.order;
  r.pc = m.pc;
  r.instruction = *m.instruction;
  r.exec = m.exec;
  r.mode = w.state.s.mode.raw;
  r.status = wave::status_register(w.state.s);
  r.trapsts = w.state.s.trapsts;
  for (unsigned n = 0; n < m.d.size(); ++n) {
    r.vector_writes.push_back(
        {dst.kind, static_cast<uint16_t>(dst.index + n), ~uint64_t{0}, m.d[n]});
  }
  observer_(r);
}

void ComputeUnitTlm::record_memory(const Operation& o, std::vector<wave::ScalarWrite> scalars) {
  const WaveContext& w = waves_[o.wave];
  const wave::MemoryOp& op = o.op;
  wave::RetireRecord r;
  r.wave = w.launch.id;
  r.order = o.order;
  r.pc = o.pc;
  r.instruction = *o.instruction;
  r.exec = o.exec;
  r.scalar_writes = std::move(scalars);
  r.mode = w.state.s.mode.raw;
  r.status = wave::status_register(w.state.s);
  r.trapsts = w.state.s.trapsts;
  for (unsigned n = 0; n < o.written_rows && o.written_lanes != 0; ++n) {
    wave::VectorWrite v{op.dst_kind, static_cast<uint16_t>(op.dst + n), o.written_lanes, o.rows[n]};
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if (!base::bit(v.lanes, lane)) v.data[lane] = 0;
    }
    r.vector_writes.push_back(v);
  }
  const bool accesses = !o.maintenance && op.sync == wave::SyncOp::None;
  if (accesses) wave::append_accesses(op, o.reply, r.accesses);
  for (wave::MemoryAccess& a : r.accesses) describe(o, a);
  observer_(r);
}

/// What the way to memory knows of an access: the memory type of its page, its place in the
/// coherence log.
void ComputeUnitTlm::describe(const Operation& o, wave::MemoryAccess& access) const {
  if (access.space != wave::MemorySpace::Global && access.space != wave::MemorySpace::Scalar)
    return;
  const auto t = config_.address_space->translate(waves_[o.wave].launch.vmid, access.address,
                                                  hsa::Access::None);
  if (t.ok()) access.memory_type = static_cast<uint8_t>(t.type);
  if (access.kind == MemoryKind::Load) return;
  for (size_t g = 0; g < o.requests.groups.size(); ++g) {
    const Group& group = o.requests.groups[g];
    o.requests.for_pieces(group, [&](const Piece& p) {
      const unsigned item = access.lane - p.item;
      const uint64_t first = group.address + p.offset + uint64_t{item} * p.count;
      if (item < p.items && first >= t.pa && first < t.pa + access.size) {
        access.serial = o.serials[g];
      }
    });
  }
}

}  // namespace cuvette::compute_unit
