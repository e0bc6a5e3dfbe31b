// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/write_back.h"

#include <utility>

#include "wave/operand.h"

namespace cuvette::compute_unit {

using isa::Operand;
using isa::OperandKind;
using machine::Cycle;
using wave::MemoryKind;

namespace {

bool returns(const Operation& o) {
  return !o.maintenance && (o.op.kind == MemoryKind::Load || o.op.kind == MemoryKind::AtomicReturn);
}

/// True if row `r` of a load's result has bits of the register's old value (decisions.md D9).
bool keeps_old_bits(const wave::MemoryOp& op, unsigned r, bool sramecc) {
  if (sramecc || (op.status_dword && r + 1 == op.dst_dwords)) return false;
  return op.extend >= wave::LoadExtend::D16Low || op.texel.d16;
}

}  // namespace

void WriteBack::start(Operation& o) {
  WaveContext& w = slots_[o.wave];
  const Cycle now = slots_.now();
  const unsigned simd = w.launch.simd;
  o.filling = true;
  wave::MemoryOp& op = o.op;
  const bool acc = op.dst_kind == OperandKind::Agpr;
  const Identity& l = w.launch;
  const bool in_range = op.dst + op.dst_dwords <= (acc ? l.acc_count : l.vgpr_count);
  const unsigned count = returns(o) && in_range ? op.dst_dwords : 0;
  const bool in_place = simds_[simd].pipeline_cycles != 0;
  for (unsigned r = 0; !in_place && r < count; ++r) {
    registers_.read(w, acc, op.dst + r, now, o.rows[r]);
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
    ports_[simd].memory.push({&o, nullptr, static_cast<uint8_t>(r), r + 1 == count}, now);
  }
  o.done = count == 0;
  if (o.done) return;
  if (op.counts_vm) statistics_.begin_return(now);
  filling_ |= uint64_t{1} << simd;
}

void WriteBack::start(MatrixIssue& m, unsigned row, bool last, Cycle now) {
  const unsigned simd = slots_[m.wave].launch.simd;
  filling_ |= uint64_t{1} << simd;
  ports_[simd].matrix.push({nullptr, &m, static_cast<uint8_t>(row), last}, now);
}

/// The other half may come from a load whose row goes out only now, so it is read now and not when
/// the answer came.
void WriteBack::merge_halves(Operation& o, unsigned r, Cycle now) {
  const WaveContext& w = slots_[o.wave];
  if (!keeps_old_bits(o.op, r, w.state.sramecc)) return;
  wave::LaneRow& row = o.rows[r];
  registers_.read(w, o.op.dst_kind == OperandKind::Agpr, o.op.dst + r, now, row);
  for (uint64_t lanes = o.written_lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    row[lane] = wave::loaded_value(o.op, o.reply, lane, r, row[lane], false);
  }
}

/// Now, for what is issued later, unless a matrix instruction writes the row after that.
void WriteBack::write(const Row& row, Cycle now) {
  if (std::exchange(row.written, true)) return;
  Operation& o = *row.operation;
  const WaveContext& w = slots_[o.wave];
  const unsigned index = o.op.dst + row.row;
  merge_halves(o, row.row, now);
  if (w.matrix.will_write(o.op.dst_kind, index)) return;
  registers_.write_return(w, o.op.dst_kind == OperandKind::Agpr, index, o.written_lanes,
                          o.rows[row.row], now);
}

/// Message for a row of a memory or matrix instruction.
simd::Fill WriteBack::fill_of(const Row& row, Cycle now) {
  simd::Fill fill;
  if (row.operation != nullptr) {
    Operation& o = *row.operation;
    merge_halves(o, row.row, now);
    fill.port = vrf::WritePort::MemoryReturn;
    fill.row =
        registers_.row_of(slots_[o.wave], o.op.dst_kind == OperandKind::Agpr, o.op.dst + row.row);
    fill.lanes = o.written_lanes;
    fill.data = o.rows[row.row];
  } else {
    const MatrixIssue& m = *row.matrix;
    const Operand& dst = m.instruction->dst[0];
    fill.port = vrf::WritePort::Matrix;
    fill.row =
        registers_.row_of(slots_[m.wave], dst.kind == OperandKind::Agpr, dst.index + row.row);
    fill.lanes = ~uint64_t{0};  // EXEC does not mask (mfma_numerics.md)
    fill.data = m.d[row.row];
  }
  return fill;
}

/// False when the SIMD has no room for the row.
bool WriteBack::send_row(const Row& row, unsigned simd, Cycle now) {
  SimdUnit& unit = simds_[simd];
  if (unit.pipeline_cycles != 0 && row.operation != nullptr) {
    write(row, now);
    return true;
  }
  if (!unit.simd->fill.can_push(now)) return false;
  simds_.make_due(simd);
  unit.simd->fill.push(fill_of(row, now), now + 1);
  return true;
}

}  // namespace cuvette::compute_unit
