// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_core/computation.h"

#include <algorithm>
#include <cassert>

#include "base/bits.h"
#include "wave/matrix.h"
#include "wave/matrix_layout.h"

namespace cuvette::matrix_core {
namespace {

/// Passes between the last one of the matrix pipe and the first reader of D: MFMA to VALU takes
/// passes + 2 wait states of 4 clocks on gfx908 (MI100 ISA 7.2).
constexpr unsigned kResultPasses = 2;

unsigned next(unsigned rows) {
  return rows == 2 ? 0 : rows + 1;
}

}  // namespace

unsigned result_rows(const isa::Row& row) {
  const wave::MatrixLayout layout(row.matrix);
  return layout.result_registers() * (row.matrix.c == isa::Type::F64 ? 2 : 1);
}

unsigned result_passes(const isa::Row& row) {
  return (result_rows(row) + kRowsPerPass - 1) / kRowsPerPass;
}

unsigned source_passes(const isa::Row& row) {
  const unsigned b_passes = (row.src[1].dwords + kRowsPerPass - 1) / kRowsPerPass;
  return std::max<unsigned>(row.src[0].dwords, b_passes);
}

unsigned operand_passes(const isa::Row& row) {
  return std::max(source_passes(row), result_passes(row));
}

unsigned occupancy_of(const isa::Row& row, isa::Target target) {
  return kPassCycles * isa::passes_on(row, target);
}

unsigned latency_of(const isa::Row& row, isa::Target target) {
  return kPassCycles * (isa::passes_on(row, target) + kResultPasses);
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
    own_ = next(own_);
  }
  if (pass.pass < row_->src[0].dwords) a_[pass.pass] = pass.a;
  for (unsigned r = 0; r < kRowsPerPass; ++r) {
    const unsigned b_row = pass.pass * kRowsPerPass + r;
    if (b_row < row_->src[1].dwords) b_[b_row] = pass.b[r];
  }
  for (unsigned r = 0; r < pass.c_rows; ++r) own()[c_rows_++] = row_of_c(pass, r, own_);
  if (pass.last) compute(pass);
}

const wave::LaneRow& Computation::addend(const Operands& pass, unsigned r) const {
  return row_of_c(pass, r, pass.pass == 0 ? next(own_) : own_);
}

const wave::LaneRow& Computation::row_of_c(const Operands& pass, unsigned r, unsigned own) const {
  if (!base::bit(pass.forward, r)) return pass.c[r];
  const unsigned before = pass.forward_from == 0 ? next(next(own)) : next(own);
  return rows_[before][(pass.forward_row + r) % kMaxRows];
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
    op.d = own().data();
    wave::compute_sparse_matrix(op);
    return;
  }
  wave::MatrixOp op;
  op.instruction = &instruction;
  op.a = a_.data();
  op.b = b_.data();
  op.d = own().data();
  wave::compute_matrix(op);
}

Result Computation::result(unsigned pass) const {
  Result out = result_header(*row_, id_, pass);
  for (unsigned r = 0; r < out.rows; ++r) out.d[r] = own()[pass * kRowsPerPass + r];
  return out;
}

}  // namespace cuvette::matrix_core
