// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "ip/common/bounded_timing.h"
#include "ip/lockstep/schedule.h"
#include "machine/core.h"
#include "machine/gpu_config.h"
#include "matrix_core/matrix_core.h"

namespace cuvette::ip {

/// The timing check of a matrix core: compares when passes move with a rule, nothing else.
///
/// exact: the schedule of matrix_core.md (Timing of the RTL), beat by beat; every cycle in
///   which a pass of operands is taken or a pass of results given has to be the one it says.
/// bounded(min,max): the last pass of results is given `min` to `max` cycles after the edge at
///   which the first pass of operands was taken; cycles in which the receiver is not ready do not
///   count.
class MatrixTiming final : public Schedule {
 public:
  MatrixTiming(const machine::TimingRule& rule, isa::Target target)
      : rule_(rule),
        target_(target),
        bounded_(rule, {"the last result comes ", "no last result ",
                        " cycles after its first operands"}) {}

  /// Events at the channels in one cycle. Cycles in which nothing is offered and nothing
  /// under way may be left out.
  struct Cycle {
    machine::Cycle now = 0;
    const matrix_core::Operands* offered = nullptr;  ///< the pass at the pins
    bool taken = false;                              ///< its last beat was
    bool ready = false;                              ///< results are taken in this cycle
    bool answered = false;                           ///< the last beat of a pass of results was
    bool last = false;                               ///< and the pass was the last one
  };
  /// Empty when the cycle keeps the rule.
  std::string check(const Cycle& cycle);
  std::string check(const PinAdapter& pins, machine::Cycle now) override;
  /// Passes of results.
  uint64_t compared() const override { return compared_ + bounded_.compared(); }
  /// The pass that is at the pins from now on, and the one that was given last.
  void offered(const matrix_core::Operands& pass) {
    offered_.row = pass.row;
    offered_.pass = pass.pass;
  }
  void given(const matrix_core::Result& pass) { last_given_ = pass.last; }

 private:
  /// An instruction under way, in beats and slots.
  struct Job {
    unsigned slots = 0;          ///< 4 per pass of the instruction
    unsigned beats = 0;          ///< of C and of D
    unsigned operand_beats = 0;  ///< of all operands
    unsigned source_beats = 0;   ///< passes that bring A and B
    unsigned arrived = 0;        ///< beats of operands
    unsigned age = 0;            ///< cycles since the first beat
  };

  std::string check_exact(const Cycle& cycle);
  bool may_start() const;
  bool slot_starts(const Job* taking) const;
  void start_slot();

  machine::TimingRule rule_;
  isa::Target target_;
  // exact
  std::deque<Job> jobs_;     ///< the older one in its slots, the younger one coming in
  unsigned in_beat_ = 0;     ///< of the operands coming in
  unsigned slot_ = 0;        ///< the next one of the oldest job
  unsigned waiting_ = 0;     ///< beats of C whose slot has not started
  bool given_ = false;       ///< a beat of results is at the pins
  unsigned given_beat_ = 0;  ///< its number
  uint64_t compared_ = 0;
  BoundedTiming bounded_;
  matrix_core::Operands offered_;  ///< row and pass
  bool last_given_ = false;
};

}  // namespace cuvette::ip
