// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/matrix_unit.h"

#include <algorithm>
#include <utility>

#include "matrix_core/computation.h"

namespace cuvette::compute_unit {

using machine::Cycle;
using matrix_core::kRowsPerPass;
using matrix_core::Operands;

void MatrixUnit::issue(MatrixIssue issue, const wave::LaneRow* a, const wave::LaneRow* b,
                       const wave::LaneRow* c, const MatrixScoreboard::Forwarding& forwarding,
                       Cycle now) {
  const isa::Instruction& i = *issue.instruction;
  const bool sparse = i.row->has(isa::kSparse);
  const unsigned a_rows = i.row->src[0].dwords;
  const unsigned b_rows = i.row->src[1].dwords;
  const unsigned c_rows = i.dst[0].dwords;
  const unsigned passes = matrix_core::operand_passes(*i.row);
  for (unsigned p = 0; p < passes; ++p) {
    Operands o;
    o.id = issue.id;
    o.wave = issue.launch;
    o.pc = issue.pc;
    o.row = static_cast<uint16_t>(isa::index_of(*i.row));
    o.pass = static_cast<uint8_t>(p);
    o.last = p + 1 == passes;
    o.cbsz = i.mod.cbsz;
    o.abid = i.mod.abid;
    o.blgp = i.mod.blgp;
    if (p < a_rows) o.a = a[p];
    if (sparse && p == 0) o.index = a[a_rows];
    for (unsigned n = 0; n < kRowsPerPass; ++n) {
      const unsigned r = p * kRowsPerPass + n;
      if (r < b_rows) o.b[n] = b[r];
      if (r >= c_rows) continue;
      ++o.c_rows;
      if (!forwarding.forwards(r)) {
        o.c[n] = c[r];
        continue;
      }
      o.forward |= 1 << n;
      o.forward_from = forwarding.from[p];
      o.forward_row = static_cast<uint8_t>((forwarding.row[r] - static_cast<int>(n)) & 31);
    }
    operands_.push_back(o);
  }
  free_at_ = now + core_->occupancy_cycles(*i.row);
  recent_ = {issue.id, recent_[0]};
  issue.d.assign(c_rows, {});
  under_way_.push_back(std::move(issue));
}

/// As the messages would move: operands by as many passes as the channel holds, which takes two
/// cycles; results at the pace of passes up to the latency; one row per cycle.
Cycle MatrixUnit::schedule(unsigned wave, uint32_t id, const isa::Row& row, Cycle now) {
  constexpr unsigned kPassesPerSend = 4;
  const Cycle sends = (matrix_core::operand_passes(row) - 1) / kPassesPerSend;
  const Cycle taken = now + 1 + 2 * sends;
  const Cycle end = now + core_->latency_cycles(row);
  const unsigned passes = matrix_core::result_passes(row);
  for (unsigned p = 0; p < passes; ++p) {
    const Cycle before_end = Cycle{matrix_core::kPassCycles} * (passes - 1 - p);
    const Cycle seen = 1 + std::max(taken, end - std::min(end, before_end));
    for (unsigned n = matrix_core::result_header(row, id, p).rows; n != 0; --n) {
      rows_free_at_ = std::max(rows_free_at_, seen);
      written.push({wave, id}, rows_free_at_++);
    }
  }
  free_at_ = now + std::max<Cycle>(core_->occupancy_cycles(row), 2 * sends + 1);
  recent_ = {id, recent_[0]};
  return rows_free_at_ - 1;
}

void MatrixUnit::tick(Cycle now) {
  while (!operands_.empty() && core_->operands.can_push(now)) {
    core_->operands.push(operands_.front(), now + 1);
    operands_.pop_front();
  }
}

MatrixUnit::Rows MatrixUnit::take(Cycle now) {
  const matrix_core::Result* r = core_->result.front(now);
  Rows out{&under_way_[answered_], r->first_row, r->rows};
  std::copy_n(r->d.begin(), r->rows, out.issue->d.begin() + out.first);
  if (r->last) ++answered_;
  core_->result.drop(now);
  return out;
}

Cycle MatrixUnit::next_event() const {
  if (!operands_.empty()) return 0;
  return std::min({written.next_event(), core_->next_event(), core_->result.next_event()});
}

}  // namespace cuvette::compute_unit
