// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/matrix_unit.h"

#include <algorithm>
#include <utility>

namespace cuvette::compute_unit {

using machine::Cycle;
using matrix_core::kRowsPerPass;
using matrix_core::Operands;

void MatrixUnit::issue(MatrixIssue issue, const wave::LaneRow* a, const wave::LaneRow* b,
                       const wave::LaneRow* c, unsigned c_rows, Cycle now) {
  const isa::Instruction& i = issue.instruction;
  const bool sparse = i.row->has(isa::kSparse);
  const unsigned a_rows = i.row->src[0].dwords;
  const unsigned b_rows = i.row->src[1].dwords;
  const unsigned passes = std::max({a_rows, b_rows, (c_rows + kRowsPerPass - 1) / kRowsPerPass});
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
    if (p < b_rows) o.b = b[p];
    for (unsigned r = p * kRowsPerPass; r < std::min((p + 1) * kRowsPerPass, c_rows); ++r) {
      o.c[o.c_rows++] = c[r];
    }
    operands_.push_back(o);
  }
  free_at_ = now + core_->occupancy_cycles(*i.row);
  issue.d.assign(c_rows, {});
  under_way_.push_back(std::move(issue));
}

void MatrixUnit::tick(Cycle now) {
  while (!operands_.empty() && core_->operands.can_push(now)) {
    core_->operands.push(operands_.front(), now + 1);
    operands_.pop_front();
  }
}

bool MatrixUnit::take(Cycle now, MatrixIssue& finished) {
  while (const matrix_core::Result* r = core_->result.front(now)) {
    MatrixIssue& issue = under_way_.front();
    for (unsigned n = 0; n < r->rows; ++n) issue.d[r->first_row + n] = r->d[n];
    const bool last = r->last;
    core_->result.drop(now);
    if (!last) continue;
    finished = std::move(issue);
    under_way_.pop_front();
    return true;
  }
  return false;
}

Cycle MatrixUnit::next_event() const {
  if (!operands_.empty()) return 0;
  return std::min(core_->next_event(), core_->result.next_event());
}

}  // namespace cuvette::compute_unit
