// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/matrix_port.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bits.h"
#include "wave/operand.h"

namespace cuvette::compute_unit {

using isa::Instruction;
using isa::Operand;
using machine::Cycle;
using machine::kNever;

namespace {

/// Clocks after a matrix instruction before a vector one can start beside it (isa_notes 4).
Cycle co_issue_cycles(isa::Target target) {
  return target == isa::Target::Gfx908 ? 8 : 4;
}

/// The first `count` rows of a source of a matrix instruction.
std::vector<wave::LaneRow> rows_of(const wave::WaveState& wave, const Instruction& i,
                                   const Operand& o, unsigned count) {
  std::vector<wave::LaneRow> out(count);
  for (unsigned r = 0; r < count; ++r) {
    if (o.is_vector()) {
      out[r] = wave::source_row(wave, o, r);
    } else {  // a constant; an F64 one takes two rows
      const bool high = i.row->matrix.c == isa::Type::F64 && r % 2 != 0;
      out[r].fill(high ? base::hi32(o.value) : base::lo32(o.value));
    }
  }
  return out;
}

}  // namespace

bool MatrixPort::refuse(WaveContext& w, const Instruction& i) {
  const wave::StatusOf status = wave::status_of(*i.row, config_.target);
  return stage_.refuse(w, i,
                       status.status == wave::Status::Unsupported
                           ? status.reason
                           : fmt::format("matrix core implementation '{}' does not have it",
                                         config_.implementations.matrix_core));
}

bool MatrixPort::issue(WaveContext& w, const Code& code, Cycle now) {
  const Instruction& i = code.instruction();
  SimdUnit& unit = simds_.of(w);
  if (w.vector_done() > now) return stage_.block(w, Stall::VectorResult, w.vector_done());
  if (unit.issue_free_at > now) return stage_.block(w, Stall::Simd, unit.issue_free_at);
  if (unit.matrix == nullptr || !unit.matrix->core().implements(*i.row)) return refuse(w, i);
  if (!unit.matrix->free(now)) {
    return stage_.block(w, Stall::MatrixCore, std::max(unit.matrix->free_at(), now + 1));
  }
  MatrixScoreboard::Forwarding forwarding;
  const Cycle ready = w.matrix.matrix_ready(i, unit.matrix->recent(), now, forwarding);
  if (ready > now) return stage_.block(w, Stall::MatrixResult, ready);
  simds_.make_due(w.launch.simd);
  w.state.v = registers_.operands(w, i, now);
  const Operand& dst = i.dst[0];
  unit.issue_free_at = now + co_issue_cycles(config_.target);
  statistics_.count_matrix(unit.matrix->core().occupancy_cycles(*i.row));
  const bool in_range = wave::vector_in_range(w.state, dst.kind, dst.index, dst.dwords);
  Cycle complete = in_range ? kNever : now + 1;
  if (in_range && w.in_place && !probe_.is_observed() && unit.matrix->core().at_issue()) {
    const uint32_t id = ids_.next();
    w.matrix.issue(id, i, now);
    wave::execute_matrix(w.state, i);
    complete = unit.matrix->schedule(w.index, id, *i.row, now);
  } else if (in_range) {  // otherwise a NOP (MI100 ISA 3.6.1)
    send(w, i, forwarding, now);
  }
  stage_.step(w, code, now, complete);
  return true;
}

/// Into the matrix core, with its operands.
void MatrixPort::send(WaveContext& w, const Instruction& i,
                      const MatrixScoreboard::Forwarding& forwarding, Cycle now) {
  MatrixIssue m;
  m.id = ids_.next();
  m.wave = w.index;
  m.launch = w.launch.id;
  m.pc = w.state.s.pc;
  m.order = w.order;
  m.exec = w.state.s.exec();
  m.instruction = &i;
  const Operand& dst = i.dst[0];
  const bool sparse = i.row->has(isa::kSparse);
  auto a = rows_of(w.state, i, i.src[0], i.row->src[0].dwords);
  if (sparse) a.push_back(rows_of(w.state, i, i.src[2], 1).front());
  const auto b = rows_of(w.state, i, i.src[1], i.row->src[1].dwords);
  const auto c = rows_of(w.state, i, sparse ? dst : i.src[2], dst.dwords);
  w.matrix.issue(m.id, i, now);
  simds_.of(w).matrix->issue(std::move(m), a.data(), b.data(), c.data(), forwarding, now);
}

}  // namespace cuvette::compute_unit
