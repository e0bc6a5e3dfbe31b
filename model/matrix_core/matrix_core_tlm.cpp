// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_core/matrix_core_tlm.h"

#include <algorithm>
#include <cassert>

#include "wave/matrix.h"
#include "wave/matrix_layout.h"

namespace cuvette::matrix_core {

using machine::Cycle;

namespace {

constexpr unsigned kPassCycles = 4;
/// Passes between the last one of the matrix pipe and the first reader of D: MFMA to VALU takes
/// passes + 2 wait states of 4 clocks on gfx908 (MI100 ISA 7.2).
constexpr unsigned kResultPasses = 2;

unsigned result_rows(const isa::Row& row) {
  const wave::MatrixLayout layout(row.matrix);
  return layout.result_registers() * (row.matrix.c == isa::Type::F64 ? 2 : 1);
}

}  // namespace

MatrixCoreTlm::MatrixCoreTlm(const Config& config) : config_(config) {}

bool MatrixCoreTlm::implements(const isa::Row& row) const {
  return row.on(config_.target) && row.has(isa::kMatrix) && wave::has_matrix_semantics(row);
}

unsigned MatrixCoreTlm::occupancy_cycles(const isa::Row& row) const {
  return kPassCycles * isa::passes_on(row, config_.target);
}

unsigned MatrixCoreTlm::latency_cycles(const isa::Row& row) const {
  return kPassCycles * (isa::passes_on(row, config_.target) + kResultPasses);
}

Cycle MatrixCoreTlm::next_event() const {
  Cycle next = operands.next_event();
  if (next != machine::kNever && !busy_) next = std::max(next, free_at_);
  if (!due_.empty()) next = std::min(next, due_.front().at);
  return next;
}

void MatrixCoreTlm::tick(Cycle now) {
  while (const Operands* pass = operands.front(now)) {
    if (!busy_ && now < free_at_) break;
    take(*pass, now);
    operands.drop(now);
  }
  size_t sent = 0;
  while (sent < due_.size() && due_[sent].at <= now && result.can_push(now)) {
    result.push(due_[sent].result, now + 1);
    ++sent;
  }
  due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(sent));
}

void MatrixCoreTlm::take(const Operands& pass, Cycle now) {
  const isa::Row& row = *(isa::rows().begin() + pass.row);
  if (!busy_) {
    busy_ = true;
    started_ = now;
    c_rows_ = 0;
    free_at_ = now + occupancy_cycles(row);
  }
  if (pass.pass < row.src[0].dwords) a_[pass.pass] = pass.a;
  if (pass.pass == 0) index_ = pass.index;
  if (pass.pass < row.src[1].dwords) b_[pass.pass] = pass.b;
  for (unsigned r = 0; r < pass.c_rows; ++r) d_[c_rows_++] = pass.c[r];
  if (!pass.last) return;
  busy_ = false;
  compute(pass);

  const unsigned rows = result_rows(row);
  const unsigned passes = (rows + kRowsPerPass - 1) / kRowsPerPass;
  // The tick that sends adds one cycle.
  const Cycle end = started_ + latency_cycles(row) - 1;
  for (unsigned p = 0; p < passes; ++p) {
    Due due;
    due.at = std::max(now, end - std::min<Cycle>(end, Cycle{kPassCycles} * (passes - 1 - p)));
    due.result.id = pass.id;
    due.result.pass = static_cast<uint8_t>(p);
    due.result.last = p + 1 == passes;
    due.result.first_row = static_cast<uint8_t>(p * kRowsPerPass);
    due.result.rows = static_cast<uint8_t>(std::min(kRowsPerPass, rows - p * kRowsPerPass));
    for (unsigned r = 0; r < due.result.rows; ++r) due.result.d[r] = d_[p * kRowsPerPass + r];
    due_.push_back(due);
  }
}

void MatrixCoreTlm::compute(const Operands& last) {
  isa::Instruction instruction;
  instruction.row = isa::rows().begin() + last.row;
  instruction.target = config_.target;
  instruction.mod.cbsz = last.cbsz;
  instruction.mod.abid = last.abid;
  instruction.mod.blgp = last.blgp;
  assert(c_rows_ == result_rows(*instruction.row));
  if (instruction.row->has(isa::kSparse)) {
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

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<MatrixCoreTlm>(config); });
}

}  // namespace cuvette::matrix_core
