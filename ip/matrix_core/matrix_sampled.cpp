// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_sampled.h"

#include <algorithm>
#include <utility>

#include "ip/common/sampling.h"

namespace cuvette::ip {

MatrixSampled::MatrixSampled(std::unique_ptr<matrix_core::MatrixCore> model,
                             std::unique_ptr<MatrixLockstep> lockstep)
    : model_(std::move(model)), lockstep_(std::move(lockstep)), run_(*lockstep_) {
  // As deep as the model's.
  operands = model_->operands;
  result = model_->result;
}

machine::Cycle MatrixSampled::next_event() const {
  // The model looks at what it holds and at what is offered.
  return std::min(model_->next_event(), operands.next_event());
}

bool MatrixSampled::in_sample(uint64_t instruction) const {
  return sampled(instruction, lockstep_->options().share) && !lockstep_->mismatch();
}

void MatrixSampled::tick(machine::Cycle now) {
  const size_t offered = operands.size();
  keep_operands();
  std::swap(operands, model_->operands);
  std::swap(result, model_->result);
  model_->tick(now);
  std::swap(operands, model_->operands);
  std::swap(result, model_->result);
  for (size_t n = 0; n < offered - operands.size(); ++n) take(n, now);
}

void MatrixSampled::keep_operands() {
  uint64_t instruction = instructions_;
  kept_.resize(std::max(kept_.size(), operands.size()));
  for (size_t n = 0; n < operands.size(); ++n) {
    const matrix_core::Operands& pass = operands.peek(n);
    Kept& kept = kept_[n];
    kept.wanted = in_sample(instruction);
    kept.last = pass.last;
    if (kept.wanted) kept.pass = pass;
    instruction += pass.last ? 1 : 0;
  }
}

/// The model has taken a pass.
void MatrixSampled::take(size_t n, machine::Cycle now) {
  const Kept& kept = kept_[n];
  if (kept.wanted) run_.send(lockstep_->operands, lockstep_->result, kept.pass, now);
  if (!kept.last) return;
  ++instructions_;
  if (kept.wanted) {
    run_.finish(lockstep_->result);
  } else {
    lockstep_->pass_by();
  }
}

}  // namespace cuvette::ip
