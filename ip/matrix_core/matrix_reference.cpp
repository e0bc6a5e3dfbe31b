// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_reference.h"

#include <algorithm>

#include "wave/matrix.h"

namespace cuvette::ip {

void MatrixReference::tick(machine::Cycle now) {
  while (operands.front(now) != nullptr) {
    matrix_core::Operands pass = operands.pop(now);
    if (!open_) transactions_.emplace_back();
    open_ = !pass.last;
    for (unsigned r = 0; r < pass.c_rows; ++r) pass.c[r] = computation_.addend(pass, r);
    computation_.take(pass);
    MatrixTransaction& t = transactions_.back();
    t.passes.push_back(pass);
    t.offered.push_back(offered_);
    if (!pass.last) continue;
    const unsigned passes = matrix_core::result_passes(row_of(t));
    for (unsigned p = 0; p < passes; ++p) result.push(computation_.result(p), now);
  }
}

bool MatrixReference::implements(const isa::Row& row) const {
  return wave::has_matrix_semantics(row);
}
// The reference has no time of its own.
unsigned MatrixReference::occupancy_cycles(const isa::Row&) const {
  return 0;
}
unsigned MatrixReference::latency_cycles(const isa::Row&) const {
  return 0;
}

bool MatrixReference::given(machine::Cycle now) {
  MatrixTransaction& t = transactions_[oldest_];
  t.answered.push_back(now);
  if (t.answered.size() != matrix_core::result_passes(row_of(t))) return false;
  if (oldest_ == kFinished) {
    transactions_.pop_front();
  } else {
    ++oldest_;
  }
  return true;
}

std::optional<matrix_core::Result> MatrixReference::header() const {
  const MatrixTransaction* t = oldest();
  if (t == nullptr) return std::nullopt;
  const isa::Row& row = row_of(*t);
  const auto pass = static_cast<unsigned>(t->answered.size());
  const bool last = pass + 1 >= matrix_core::result_passes(row);
  const unsigned needed = last ? matrix_core::operand_passes(row)
                               : std::max<unsigned>(matrix_core::source_passes(row), pass + 1);
  if (t->passes.size() < needed) return std::nullopt;
  return matrix_core::result_header(row, t->id(), pass);
}

const MatrixTransaction* MatrixReference::oldest() const {
  return oldest_ < transactions_.size() ? &transactions_[oldest_] : nullptr;
}
const MatrixTransaction* MatrixReference::finished(size_t back) const {
  return oldest_ >= back ? &transactions_[oldest_ - back] : nullptr;
}

}  // namespace cuvette::ip
