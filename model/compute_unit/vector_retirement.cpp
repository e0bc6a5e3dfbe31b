// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/vector_retirement.h"

#include <algorithm>
#include <cassert>

#include "base/bits.h"
#include "wave/operand.h"

namespace cuvette::compute_unit {

using isa::Operand;
using isa::OperandKind;
using machine::Cycle;

void VectorRetirement::start(WaveContext& w, VectorIssue issue) {
  ++w.valu;
  if (issue.scalar_result) ++w.scalar_results;
  under_way_[w.launch.simd].push_back(std::move(issue));
}

void VectorRetirement::take(Cycle now) {
  simds_.for_due([&](SimdUnit& unit, unsigned simd) {
    while (const simd::Retire* beat = unit.simd->retire.front(now)) {
      take_beat(under_way_[simd], *beat);
      unit.simd->retire.drop(now);
    }
  });
}

void VectorRetirement::take_beat(std::deque<VectorIssue>& under_way, const simd::Retire& r) {
  const auto found = std::find_if(under_way.begin(), under_way.end(),
                                  [&](const VectorIssue& v) { return v.id == r.id; });
  assert(found != under_way.end());
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
  if (probe_.is_observed() && r.dwords != 0) note_writes(v, r);
  if (!r.last) return;
  retire(v);
  under_way.erase(found);
}

void VectorRetirement::note_writes(VectorIssue& v, const simd::Retire& r) const {
  const WaveContext& w = slots_[v.wave];
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

void VectorRetirement::retire(VectorIssue& v) {
  WaveContext& w = slots_[v.wave];
  const isa::Instruction& i = *v.instruction;
  wave::ScalarState before;
  if (probe_.is_observed()) before = w.state.s;
  for (const Operand& o : i.dst) {
    if (o.kind != OperandKind::Sgpr) continue;
    if (o.type == isa::Type::Mask) {
      if (v.has_mask) wave::write_scalar64(w.state, o, v.mask);
    } else if (v.has_scalar) {
      wave::write_scalar32(w.state, o, v.scalar);
    }
  }
  if (i.row->format == isa::Format::Vopc && i.row->has(isa::kWritesExec)) {
    w.state.s.set_exec(v.mask);
  }
  traps_.raise(w, v.flags & wave::kExcpMask, i.length);
  --w.valu;
  if (v.scalar_result) --w.scalar_results;
  slots_.wake(w);
  probe_.tell_retired(w, v.pc, v.order, slots_.now());
  if (!probe_.is_observed()) return;
  wave::RetireRecord r = ProbePoint::record_of(w, i, v.pc, v.order, v.exec);
  r.vector_writes = std::move(v.writes);
  r.scalar_writes = wave::scalar_changes(before, w.state.s);
  r.flags = v.flags;
  probe_.retire(r);
}

void MatrixRetirement::take(Cycle now) {
  simds_.for_due([&](SimdUnit& unit, unsigned) {
    while (unit.matrix != nullptr && unit.matrix->has_result(now)) {
      const MatrixUnit::Rows rows = unit.matrix->take(now);
      const Operand& dst = rows.issue->instruction->dst[0];
      for (unsigned r = rows.first; r < rows.first + rows.rows; ++r) {
        write_back_.start(*rows.issue, r, r + 1 == dst.dwords, now);
      }
    }
  });
}

void MatrixRetirement::take_written(const WriteBack::Row& row) {
  WaveContext& w = slots_[row.matrix->wave];
  note_written(w, row.matrix->id);
  if (!row.last) return;
  retire(*row.matrix);
  simds_.of(w).matrix->drop_oldest();
}

void MatrixRetirement::take_scheduled(Cycle now) {
  simds_.for_due([&](SimdUnit& unit, unsigned) {
    if (unit.matrix == nullptr) return;
    while (const MatrixUnit::Written* row = unit.matrix->written.front(now)) {
      note_written(slots_[row->wave], row->id);
      unit.matrix->written.drop(now);
    }
  });
}

void MatrixRetirement::retire(const MatrixIssue& m) {
  const WaveContext& w = slots_[m.wave];
  probe_.tell_retired(w, m.pc, m.order, slots_.now());
  if (!probe_.is_observed()) return;
  const Operand& dst = m.instruction->dst[0];
  wave::RetireRecord r = ProbePoint::record_of(w, *m.instruction, m.pc, m.order, m.exec);
  for (unsigned n = 0; n < m.d.size(); ++n) {
    r.vector_writes.push_back(
        {dst.kind, static_cast<uint16_t>(dst.index + n), ~uint64_t{0}, m.d[n]});
  }
  probe_.retire(r);
}

}  // namespace cuvette::compute_unit
