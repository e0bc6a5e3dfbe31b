// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_core/matrix_core_model.h"

#include <algorithm>

#include "wave/matrix.h"

namespace cuvette::matrix_core {

using machine::Cycle;

MatrixCoreModel::MatrixCoreModel(const Config& config)
    : config_(config), computation_(config.target) {}

bool MatrixCoreModel::implements(const isa::Row& row) const {
  return row.on(config_.target) && row.has(isa::kMatrix) && wave::has_matrix_semantics(row);
}

unsigned MatrixCoreModel::occupancy_cycles(const isa::Row& row) const {
  return occupancy_of(row, config_.target);
}

unsigned MatrixCoreModel::latency_cycles(const isa::Row& row) const {
  return latency_of(row, config_.target);
}

Cycle MatrixCoreModel::next_event() const {
  Cycle next = operands.next_event();
  if (next != machine::kNever && !busy_) next = std::max(next, free_at_);
  if (!due_.empty()) next = std::min(next, due_.front().at);
  return next;
}

void MatrixCoreModel::tick(Cycle now) {
  while (const Operands* pass = operands.front(now)) {
    if (!busy_ && now < free_at_) break;
    if (observer_) observer_(*pass, computation_);
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

void MatrixCoreModel::take(const Operands& pass, Cycle now) {
  const isa::Row& row = *(isa::rows().begin() + pass.row);
  if (!busy_) {
    busy_ = true;
    started_ = now;
    free_at_ = now + occupancy_cycles(row);
  }
  computation_.take(pass);
  if (!pass.last) return;
  busy_ = false;

  const unsigned passes = result_passes(row);
  // The tick that sends adds one cycle.
  const Cycle end = started_ + latency_cycles(row) - 1;
  for (unsigned p = 0; p < passes; ++p) {
    Due due;
    due.at = std::max(now, end - std::min<Cycle>(end, Cycle{kPassCycles} * (passes - 1 - p)));
    due.result = computation_.result(p);
    due_.push_back(due);
  }
}

void register_tlm(Registry& registry) {
  registry.add("tlm",
               [](const Config& config) { return std::make_unique<MatrixCoreModel>(config); });
}

}  // namespace cuvette::matrix_core
