// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_lockstep.h"

#include <algorithm>
#include <utility>

#include "ip/common/withhold.h"
#include "ip/coverage/coverage_samples.h"

namespace cuvette::ip {

ValuLockstep::ValuLockstep(std::unique_ptr<valu::Valu> device, const valu::Config& config,
                           Observer on_mismatch, Failed device_failed)
    : ValuLockstep(std::move(device), config, std::move(on_mismatch), std::move(device_failed),
                   Options{}) {}

ValuLockstep::ValuLockstep(std::unique_ptr<valu::Valu> device, const valu::Config& config,
                           Observer on_mismatch, Failed device_failed, const Options& options)
    : config_(config),
      options_(options),
      device_(std::move(device)),
      reference_(config.target),
      timing_(options.timing),
      watch_(options.timing),
      on_mismatch_(std::move(on_mismatch)),
      device_failed_(std::move(device_failed)) {}

ValuCounts ValuLockstep::counts() const {
  ValuCounts counts = counts_;
  counts.times = timing_.compared();
  return counts;
}

void ValuLockstep::remember_requests() {
  const uint64_t sent = taken_ + request.size();
  for (; seen_ < sent; ++seen_) {
    if (seen_ - answered_ == kRing - kHistory) {
      return fail("order", std::to_string(kRing - kHistory) + " requests have no response",
                  answered_);
    }
    at(seen_) = {request.peek(seen_ - taken_), now_, machine::kNever};
  }
  if (fronted_ == taken_ && request.front(now_) != nullptr) at(fronted_++).offered = now_;
}

void ValuLockstep::tick(machine::Cycle now) {
  const size_t answers = response.size();
  compare_cycle(now);
  if (mismatch_) withhold(response, answers);
}

void ValuLockstep::compare_cycle(machine::Cycle now) {
  now_ = now;
  if (!mismatch_) remember_requests();
  const size_t offered = request.size();
  const size_t answers = response.size();
  ValuTiming::Cycle cycle;
  cycle.now = now;
  cycle.offered = request.front(now) != nullptr;
  cycle.ready = response.can_push(now);
  std::swap(request, device_->request);
  std::swap(response, device_->response);
  device_->tick(now);
  std::swap(request, device_->request);
  std::swap(response, device_->response);
  taken_ += offered - request.size();
  cycle.taken = offered != request.size();
  cycle.answered = answers != response.size();
  if (mismatch_) return;
  if (device_failed_) {
    if (const auto failure = device_failed_()) {
      return fail(failure->field.c_str(), failure->what, answered_);
    }
  }
  for (size_t i = answers; i < response.size() && !mismatch_; ++i) check(response.peek(i));
  if (mismatch_) return;
  if (const std::string wrong = timing_.check(cycle); !wrong.empty()) {
    return fail("timing", wrong, cycle.answered ? answered_ - 1 : answered_);
  }
  if (watch_.is_over(answered_ < seen_, cycle.ready, cycle.answered)) {
    return fail("order", "no response in " + std::to_string(watch_.limit()) + " cycles", answered_);
  }
  if (Coverage* coverage = Coverage::current()) {
    cover_valu_cycle(*coverage, cycle.offered, cycle.taken, cycle.ready);
  }
}

machine::Cycle ValuLockstep::next_event() const {
  return std::min(device_->next_event(), request.next_event());
}

bool ValuLockstep::implements(const isa::Row& row, isa::Encoding encoding,
                              const isa::Modifiers& modifiers) const {
  return valu::LaneBeat::has(row) && device_->implements(row, encoding, modifiers);
}

void ValuLockstep::check(const valu::Response& actual) {
  if (answered_ >= taken_) return fail("order", "a response without a request", answered_);
  const uint64_t number = answered_++;
  ValuTransaction& transaction = at(number);
  transaction.answered = now_;
  const valu::Request& q = transaction.request;
  valu::Response want;
  reference_.compute(q, want);
  if (const auto difference = compare(want, actual, counts_)) {
    return fail(*difference, "", number, &want, &actual);
  }
  if (Coverage* coverage = Coverage::current()) cover(*coverage, q, actual.flags);
}

std::vector<ValuTransaction> ValuLockstep::recent() const {
  std::vector<ValuTransaction> out;
  const uint64_t first = first_kept();
  for (uint64_t n = first; n < seen_; ++n) {
    out.push_back(at(n));
    // Those in front of one that has not been at the pins may have waited longer than it did.
    if (n < fronted_ || n == first) continue;
    const machine::Cycle before = out[out.size() - 2].offered;
    out.back().offered = std::max(out.back().offered, before);
  }
  return out;
}

void ValuLockstep::fail(const char* field, const std::string& what, uint64_t number) {
  ValuDifference difference;
  difference.field = field;
  fail(difference, what, number, nullptr, nullptr);
}

void ValuLockstep::fail(const ValuDifference& difference, const std::string& what, uint64_t number,
                        const valu::Response* expected, const valu::Response* actual) {
  ValuMismatch m;
  m.field = difference.field;
  m.what = what;
  m.time = now_;
  m.compute_unit = config_.compute_unit;
  m.simd = config_.simd;
  m.lane = difference.lane;
  m.expected = difference.expected;
  m.actual = difference.actual;
  m.transactions = recent();
  m.failing = m.transactions.size();
  if (number < seen_) {
    m.failing = number - first_kept();
    const valu::Request& asked = at(number).request;
    m.id = asked.id;
    m.origin = asked.origin;
    m.instruction = std::string((isa::rows().begin() + asked.row)->mnemonic);
  }
  write_report(m, config_.target, expected, actual);
  mismatch_ = std::move(m);
  if (on_mismatch_) on_mismatch_(*mismatch_);
}

}  // namespace cuvette::ip
