// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_timing.h"

#include <algorithm>

#include "matrix_core/computation.h"

namespace cuvette::ip {
namespace {

constexpr unsigned kBeats = contract::Message<matrix_core::Operands>::kBeats;

/// From the first beat of operands to the first slot: the two passes of latency, less the cycle in
/// which a result is at the pins.
constexpr unsigned kAhead = 7;

/// Beats of C the block holds for slots to come.
constexpr unsigned kRoom = 8;

bool starts_instruction(const MatrixTiming::Cycle& c) {
  return c.taken && c.offered->pass == 0;
}

}  // namespace

std::string MatrixTiming::check(const Cycle& cycle) {
  switch (rule_.kind) {
    case machine::TimingRule::Kind::Exact:
      return check_exact(cycle);
    case machine::TimingRule::Kind::Bounded:
      return bounded_.check(cycle.now, starts_instruction(cycle), cycle.ready,
                            cycle.answered && cycle.last);
    default:
      return {};
  }
}

std::string MatrixTiming::check(const PinAdapter& pins, machine::Cycle now) {
  const PinEnd &operands = pins.end(0), &results = pins.end(1);
  Cycle cycle;
  cycle.now = now;
  if (operands.at_pins()) cycle.offered = &offered_;
  cycle.taken = operands.moved();
  cycle.ready = results.ready();
  cycle.answered = results.moved();
  cycle.last = cycle.answered && last_given_;
  return check(cycle);
}

bool MatrixTiming::may_start() const {
  if (jobs_.empty()) return true;
  return jobs_.size() == 1 && slot_ + kAhead >= jobs_.front().slots;
}

/// `taking`: the job that gets a beat in this cycle.
bool MatrixTiming::slot_starts(const Job* taking) const {
  if (jobs_.empty()) return false;
  const Job& job = jobs_.front();
  const unsigned arriving = &job == taking ? 1 : 0;
  return job.age >= kAhead && job.arrived + arriving >= job.source_beats &&
         (slot_ >= job.beats || slot_ < job.arrived);
}

void MatrixTiming::start_slot() {
  const Job& job = jobs_.front();
  given_ = slot_ + job.beats >= job.slots;
  given_beat_ = slot_ % job.beats;
  if (slot_ < job.beats) --waiting_;
  if (++slot_ == job.slots) {
    jobs_.pop_front();
    slot_ = 0;
  }
}

std::string MatrixTiming::check_exact(const Cycle& c) {
  const bool answers = given_ && c.ready && given_beat_ % kBeats == kBeats - 1;
  const isa::Row* const row = c.offered != nullptr ? isa::rows().begin() + c.offered->row : nullptr;
  const bool takes_beat = row != nullptr && (in_beat_ != 0 || may_start()) && waiting_ < kRoom;
  const bool takes = takes_beat && in_beat_ % kBeats == kBeats - 1;

  if (takes_beat && in_beat_ == 0) {
    Job job;
    job.slots = matrix_core::occupancy_of(*row, target_);
    job.beats = kBeats * matrix_core::result_passes(*row);
    job.operand_beats = kBeats * matrix_core::operand_passes(*row);
    job.source_beats = kBeats * matrix_core::source_passes(*row);
    jobs_.push_back(job);
  }
  Job* const taking = takes_beat ? &jobs_.back() : nullptr;
  const bool sum_free = !given_ || c.ready;
  const bool starts = sum_free && slot_starts(taking);
  for (Job& job : jobs_) ++job.age;
  if (taking != nullptr) {
    if (++taking->arrived <= taking->beats) ++waiting_;
    in_beat_ = taking->arrived == taking->operand_beats ? 0 : in_beat_ + 1;
  }
  if (sum_free) given_ = false;
  if (starts) start_slot();

  if (c.answered) ++compared_;
  if (answers != c.answered) {
    return answers ? "a pass of results is due in this cycle and does not come"
                   : "a pass of results comes in a cycle in which none is due";
  }
  if (takes != c.taken) {
    return takes ? "a pass of operands has to be taken in this cycle and is not"
                 : "a pass of operands is taken in a cycle in which there is no room for it";
  }
  return {};
}

}  // namespace cuvette::ip
