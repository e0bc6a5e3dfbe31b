// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_core/computation.h"

#include <algorithm>
#include <cassert>

#include "wave/matrix.h"
#include "wave/matrix_layout.h"

namespace cuvette::matrix_core {
namespace {

/// Passes between the last one of the matrix pipe and the first reader of D: MFMA to VALU takes
/// passes + 2 wait states of 4 clocks on gfx908 (MI100 ISA 7.2).
constexpr unsigned kResultPasses = 2;

}  // namespace

unsigned lead_passes(const isa::Row& row) {
  return row.src[1].dwords > 2 ? row.src[1].dwords - 2 : 0;
}

unsigned result_rows(const isa::Row& row) {
  const wave::MatrixLayout layout(row.matrix);
  return layout.result_registers() * (row.matrix.c == isa::Type::F64 ? 2 : 1);
}

unsigned result_passes(const isa::Row& row) {
  return (result_rows(row) + kRowsPerPass - 1) / kRowsPerPass;
}

unsigned operand_passes(const isa::Row& row) {
  return std::max<unsigned>({row.src[0].dwords, row.src[1].dwords, result_passes(row)});
}

unsigned occupancy_of(const isa::Row& row, isa::Target target) {
  return kPassCycles * isa::passes_on(row, target);
}

unsigned latency_of(const isa::Row& row, isa::Target target) {
  return kPassCycles * (isa::passes_on(row, target) + kResultPasses + lead_passes(row));
}

Result result_header(const isa::Row& row, uint32_t id, unsigned pass) {
  Result out;
  out.id = id;
  out.pass = static_cast<uint8_t>(pass);
  out.last = pass + 1 == result_passes(row);
  out.first_row = static_cast<uint8_t>(pass * kRowsPerPass);
  out.rows = static_cast<uint8_t>(std::min(kRowsPerPass, result_rows(row) - out.first_row));
  return out;
}

void Computation::take(const Operands& pass) {
  if (pass.pass == 0) {
    row_ = isa::rows().begin() + pass.row;
    id_ = pass.id;
    index_ = pass.index;
    c_rows_ = 0;
  }
  if (pass.pass < row_->src[0].dwords) a_[pass.pass] = pass.a;
  if (pass.pass < row_->src[1].dwords) b_[pass.pass] = pass.b;
  for (unsigned r = 0; r < pass.c_rows; ++r) d_[c_rows_++] = pass.c[r];
  if (pass.last) compute(pass);
}

void Computation::compute(const Operands& last) {
  isa::Instruction instruction;
  instruction.row = row_;
  instruction.target = target_;
  instruction.mod.cbsz = last.cbsz;
  instruction.mod.abid = last.abid;
  instruction.mod.blgp = last.blgp;
  assert(c_rows_ == result_rows(*row_));
  if (row_->has(isa::kSparse)) {
    wave::SparseMatrixOp op;
    op.instruction = &instruction;
    op.a = a_.data();
    op.b = b_.data();
    op.index = &index_;
    op.d = d_.data();
    wave::compute_sparse_matrix(op);
    return;
  }
  wave::MatrixOp op;
  op.instruction = &instruction;
  op.a = a_.data();
  op.b = b_.data();
  op.d = d_.data();
  wave::compute_matrix(op);
}

Result Computation::result(unsigned pass) const {
  Result out = result_header(*row_, id_, pass);
  for (unsigned r = 0; r < out.rows; ++r) out.d[r] = d_[pass * kRowsPerPass + r];
  return out;
}

}  // namespace cuvette::matrix_core
