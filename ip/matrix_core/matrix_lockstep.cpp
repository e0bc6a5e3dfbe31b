// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_lockstep.h"

#include <utility>

#include "ip/coverage/coverage_samples.h"
#include "ip/matrix_core/matrix_timing.h"

namespace cuvette::ip {
namespace {

using matrix_core::Operands;
using matrix_core::Result;

constexpr unsigned kOperands = 0, kResult = 1;  // channels of the contract

BlockPlace place_of(const matrix_core::Config& config) {
  return {"matrix_core", config.compute_unit, config.simd,
          "matrix_core of compute unit " + std::to_string(config.compute_unit) + " SIMD " +
              std::to_string(config.simd),
          true};
}

}  // namespace

MatrixLockstep::MatrixLockstep(std::unique_ptr<PinDevice> device, const matrix_core::Config& config,
                               const LockstepOptions& options, Kit::OnMismatch on_mismatch)
    : config_(config),
      kit_(matrix_core::kChannels, *this, std::make_unique<MatrixReference>(config.target),
           std::move(device), pin_channels(matrix_core::kChannels), place_of(config), options,
           std::move(on_mismatch)) {
  kit_.keep_clock(matrix_core::kPassCycles);
  kit_.expect_taking();
  auto& in = kit_.input<Operands>(kOperands);
  auto& out = kit_.output<Result>(kResult);
  auto schedule = std::make_unique<MatrixTiming>(options.timing, config.target);
  in.on_offered([this, s = schedule.get()](const Operands& pass, machine::Cycle now) {
    s->offered(pass);
    reference().offered(now);
  });
  in.admit([this](const Operands& pass) { return admit(pass); });
  out.early([this](const Result& actual) {
    std::optional<Result> known = reference().header();
    if (known) known->d = actual.d;
    return known;
  });
  out.on_given([this, s = schedule.get()](const Result& actual, machine::Cycle now) {
    s->given(actual);
    if (reference().given(now)) cover_instruction();
  });
  out.explain([this](const Result& want, const Result& got) { return explain(want, got); });
  kit_.schedule(std::move(schedule));
}

MatrixReference& MatrixLockstep::reference() const {
  return static_cast<MatrixReference&>(kit_.reference());
}

bool MatrixLockstep::implements(const isa::Row& row) const {
  return has_matrix_circuit(row, config_.target) && kit_.reference().implements(row) &&
         kit_.device().implements(row, 0);
}
unsigned MatrixLockstep::occupancy_cycles(const isa::Row& row) const {
  return matrix_core::occupancy_of(row, config_.target);
}
unsigned MatrixLockstep::latency_cycles(const isa::Row& row) const {
  return matrix_core::latency_of(row, config_.target);
}

std::string MatrixLockstep::explain(const Result& want, const Result& got) const {
  const MatrixTransaction* t = reference().oldest();
  return t != nullptr ? difference_text(*t, config_.target, want, got) : std::string();
}

void MatrixLockstep::cover_instruction() const {
  if (Coverage* coverage = Coverage::current()) {
    cover(*coverage, *reference().finished(1), reference().finished(2), config_.target);
  }
}

std::string MatrixLockstep::admit(const Operands& pass) {
  const bool known = pass.row < isa::rows().end() - isa::rows().begin();
  const isa::Row* row = known ? isa::rows().begin() + pass.row : nullptr;
  if (!known || !implements(*row)) return "'row' is no instruction of the device";
  const unsigned passes = matrix_core::operand_passes(*row);
  if (next_pass_ != 0 && (pass.row != last_.row || pass.id != last_.id)) {
    return "a pass of another instruction where pass " + std::to_string(next_pass_) + " is due";
  }
  if (pass.pass != next_pass_ || pass.last != (next_pass_ + 1 == passes)) {
    return "expected pass " + std::to_string(next_pass_) + " of " + std::to_string(passes);
  }
  if (pass.c_rows > matrix_core::kRowsPerPass) return "'c_rows' must be a number from 0 to 2";
  last_ = {pass.id, pass.row};
  next_pass_ = pass.last ? 0 : next_pass_ + 1;
  return {};
}

}  // namespace cuvette::ip
