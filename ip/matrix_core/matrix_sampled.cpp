// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_sampled.h"

#include <algorithm>
#include <utility>

#include "ip/common/sampling.h"

namespace cuvette::ip {

MatrixSampled::MatrixSampled(std::unique_ptr<matrix_core::MatrixCoreModel> model,
                             std::unique_ptr<MatrixLockstep> lockstep)
    : model_(std::move(model)),
      lockstep_(std::move(lockstep)),
      share_(lockstep_->kit().options().share),
      run_(*lockstep_) {
  lockstep_->kit().compare_all();
  // As deep as the model's.
  operands = model_->operands;
  result = model_->result;
  model_->observe([this](const matrix_core::Operands& pass,
                         const matrix_core::Computation& computation) { take(pass, computation); });
}

machine::Cycle MatrixSampled::next_event() const {
  // The model looks at what it holds and at what is offered.
  return std::min(model_->next_event(), operands.next_event());
}

bool MatrixSampled::in_sample(uint64_t instruction) const {
  return sampled(instruction, share_) && !lockstep_->mismatch();
}

void MatrixSampled::tick(machine::Cycle now) {
  now_ = now;
  std::swap(operands, model_->operands);
  std::swap(result, model_->result);
  model_->tick(now);
  std::swap(operands, model_->operands);
  std::swap(result, model_->result);
}

/// The model takes a pass. The device has not seen the instruction before: it gets every row of C.
void MatrixSampled::take(const matrix_core::Operands& pass, const matrix_core::Computation& model) {
  const bool wanted = in_sample(instructions_);
  if (wanted) {
    matrix_core::Operands alone = pass;
    for (unsigned r = 0; r < pass.c_rows; ++r) alone.c[r] = model.addend(pass, r);
    alone.forward = 0;
    run_.send(lockstep_->operands, lockstep_->result, alone, now_);
  }
  if (!pass.last) return;
  ++instructions_;
  if (wanted) {
    run_.finish(lockstep_->result);
  } else {
    lockstep_->kit().pass_by("instruction", 1);
  }
}

}  // namespace cuvette::ip
