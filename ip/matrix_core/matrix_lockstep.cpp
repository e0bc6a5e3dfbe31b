// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_lockstep.h"

#include <algorithm>
#include <utility>

#include "ip/common/withhold.h"
#include "ip/coverage/coverage_samples.h"
#include "wave/matrix.h"

namespace cuvette::ip {
MatrixLockstep::MatrixLockstep(std::unique_ptr<matrix_core::MatrixCore> device,
                               const matrix_core::Config& config, Observer on_mismatch,
                               Failed device_failed, const Options& options)
    : config_(config),
      options_(options),
      device_(std::move(device)),
      reference_(config.target),
      timing_(options.timing, config.target),
      watch_(options.timing),
      on_mismatch_(std::move(on_mismatch)),
      device_failed_(std::move(device_failed)) {}

MatrixCounts MatrixLockstep::counts() const {
  MatrixCounts counts = counts_;
  counts.times = timing_.compared();
  return counts;
}

void MatrixLockstep::remember_operands() {
  const uint64_t sent = taken_ + operands.size();
  for (; seen_ < sent; ++seen_) {
    const matrix_core::Operands& pass = operands.peek(seen_ - taken_);
    if (!open_) transactions_.emplace_back();
    transactions_.back().passes.push_back(pass);
    transactions_.back().offered.push_back(machine::kNever);
    open_ = !pass.last;
  }
  if (transactions_.size() - oldest_ > kMostUnanswered) {
    return fail("order", std::to_string(kMostUnanswered) + " instructions have no result", oldest_);
  }
  if (operands.front(now_) != nullptr) {
    machine::Cycle& offered = transactions_[taking_].offered[taking_pass_];
    offered = std::min(offered, now_);
  }
  compare_pending();
}

/// The device took the oldest pass it had not taken.
void MatrixLockstep::remember_taken() {
  ++taken_;
  if (transactions_[taking_].passes[taking_pass_].last) {
    ++taking_;
    taking_pass_ = 0;
  } else {
    ++taking_pass_;
  }
}

/// Whether the device has taken what pass `pass` of the oldest results is made of.
bool MatrixLockstep::takable(unsigned pass) const {
  if (taking_ > oldest_) return true;
  const isa::Row& row = row_of(transactions_[oldest_]);
  const bool last = pass + 1 >= matrix_core::result_passes(row);
  const unsigned needed = last ? matrix_core::operand_passes(row)
                               : std::max<unsigned>(matrix_core::source_passes(row), pass + 1);
  return taking_ == oldest_ && taking_pass_ >= needed;
}

void MatrixLockstep::tick(machine::Cycle now) {
  const size_t answers = result.size();
  compare_cycle(now);
  if (mismatch_) withhold(result, answers);
}

void MatrixLockstep::compare_cycle(machine::Cycle now) {
  now_ = now;
  if (!mismatch_) remember_operands();
  const size_t offered = operands.size();
  const size_t answers = result.size();
  MatrixTiming::Cycle cycle;
  cycle.now = now;
  const bool visible = operands.front(now) != nullptr;
  cycle.ready = result.can_push(now);
  std::swap(operands, device_->operands);
  std::swap(result, device_->result);
  device_->tick(now);
  std::swap(operands, device_->operands);
  std::swap(result, device_->result);
  if (mismatch_) return;
  if (visible) cycle.offered = &transactions_[taking_].passes[taking_pass_];
  cycle.taken = offered != operands.size();
  cycle.answered = answers != result.size();
  cycle.last = cycle.answered && result.peek(result.size() - 1).last;
  // Before anything is forgotten: the rule reads the pass that was offered.
  const std::string late = timing_.check(cycle);
  for (size_t n = operands.size(); n < offered; ++n) remember_taken();
  if (device_failed_) {
    if (const auto failure = device_failed_()) {
      return fail(failure->field.c_str(), failure->what, oldest_);
    }
  }
  for (size_t i = answers; i < result.size() && !mismatch_; ++i) check(result.peek(i));
  // An instruction that has just got its last result is the one before the oldest.
  if (!mismatch_ && !late.empty()) fail("timing", late, oldest_ - (cycle.last ? 1 : 0));
  const bool silent = watch_.is_over(oldest_ < transactions_.size(), cycle.ready, cycle.answered);
  if (silent && !mismatch_) {
    fail("order", "no result in " + std::to_string(watch_.limit()) + " cycles", oldest_);
  }
}

machine::Cycle MatrixLockstep::next_event() const {
  return std::min(device_->next_event(), operands.next_event());
}

bool MatrixLockstep::implements(const isa::Row& row) const {
  return wave::has_matrix_semantics(row) && device_->implements(row);
}

void MatrixLockstep::check(const matrix_core::Result& actual) {
  if (oldest_ == transactions_.size()) {
    return fail("order", "a result without operands", oldest_);
  }
  MatrixTransaction& t = transactions_[oldest_];
  const auto pass = static_cast<unsigned>(t.answered.size());
  if (!takable(pass)) return fail("order", "a result before its operands were taken", oldest_);
  t.answered.push_back(now_);
  ++counts_.results;
  const matrix_core::Result want = matrix_core::result_header(row_of(t), t.id(), pass);
  if (const auto difference = compare_header(want, actual)) {
    return fail(*difference, "", oldest_, &want, &actual);
  }
  pending_.push_back(actual);
  compare_pending();
  if (!mismatch_ && want.last) finish_oldest();
}

void MatrixLockstep::compare_pending() {
  if (pending_.empty()) return;
  MatrixTransaction& t = transactions_[oldest_];
  if (!t.passes.back().last) return;  // operands are still to be sent
  if (!computed_) {
    for (matrix_core::Operands& pass : t.passes) {
      for (unsigned r = 0; r < pass.c_rows; ++r) pass.c[r] = reference_.addend(pass, r);
      reference_.take(pass);
    }
    computed_ = true;
  }
  for (const matrix_core::Result& actual : pending_) {
    const matrix_core::Result want = reference_.result(actual.pass);
    if (const auto difference = compare_lanes(want, actual, counts_)) {
      return fail(*difference, "", oldest_, &want, &actual);
    }
  }
  pending_.clear();
}

void MatrixLockstep::finish_oldest() {
  ++counts_.instructions;
  ++counts_.sampled;
  if (Coverage* coverage = Coverage::current()) {
    const MatrixTransaction* before = oldest_ != 0 ? &transactions_[oldest_ - 1] : nullptr;
    cover(*coverage, transactions_[oldest_], before, config_.target);
  }
  computed_ = false;
  if (oldest_ == kHistory) {
    transactions_.pop_front();
    --taking_;
  } else {
    ++oldest_;
  }
}

void MatrixLockstep::fail(const char* field, const std::string& what, size_t transaction) {
  MatrixDifference difference;
  difference.field = field;
  fail(difference, what, transaction, nullptr, nullptr);
}

void MatrixLockstep::fail(const MatrixDifference& difference, const std::string& what,
                          size_t transaction, const matrix_core::Result* expected,
                          const matrix_core::Result* actual) {
  MatrixMismatch m;
  m.field = difference.field;
  m.what = what;
  m.time = now_;
  m.compute_unit = config_.compute_unit;
  m.simd = config_.simd;
  m.row = difference.row;
  m.lane = difference.lane;
  m.expected = difference.expected;
  m.actual = difference.actual;
  m.transactions = recent();
  m.failing = std::min(transaction, m.transactions.size());
  if (m.failing < m.transactions.size()) {
    const matrix_core::Operands& asked = m.transactions[m.failing].passes.front();
    m.id = asked.id;
    m.wave = asked.wave;
    m.pc = asked.pc;
    m.instruction = std::string(row_of(m.transactions[m.failing]).mnemonic);
  }
  write_report(m, config_.target, expected, actual);
  mismatch_ = std::move(m);
  if (on_mismatch_) on_mismatch_(*mismatch_);
}

}  // namespace cuvette::ip
