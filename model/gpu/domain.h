// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <functional>
#include <set>
#include <vector>

#include "machine/core.h"

namespace cuvette::gpu {

/// Cores that share one time: ticked cycle by cycle, each only when it has something to do, idle
/// cycles skipped (docs/reference/engines.md). Plain C++ without SystemC; the owner calls run().
class Domain {
 public:
  /// Called after every tick of a core: notes what it sent to other domains and wakes the
  /// neighbours.
  using After = std::function<void(machine::Cycle now)>;

  /// The number of the core, for wake().
  unsigned add(machine::Core& core, After after);
  /// The order in which cores of one cycle are ticked, which must not matter: a seeded permutation
  /// for tests. 0: as added.
  void shuffle(unsigned seed);
  /// Ticks every core in every cycle until none has anything to do: the reference for skipping.
  void never_skip(bool on) { never_skip_ = on; }
  /// never_skip(), and `complain` is called for every core that acts before its own next_event: it
  /// changes what it says its next event is, or sends something. `sent` counts what has been sent
  /// to other domains.
  using Complain = std::function<void(unsigned core, machine::Cycle now)>;
  void check(std::function<uint64_t()> sent, Complain complain);

  /// A message for the core becomes visible at `at`; never earlier than a cycle already run.
  void wake(unsigned core, machine::Cycle at) {
    assert(at >= next_cycle_);
    if (at < wake_[core]) wake_[core] = at;
    if (at < next_) next_ = at;
  }
  /// A channel to the core, inside this domain, whose oldest message is of `oldest` (kNever: it is
  /// empty). What came in cycles that are run the core has seen.
  void arrive(unsigned core, machine::Cycle oldest) {
    if (oldest >= next_cycle_) wake(core, oldest);
  }
  /// The same, and the core itself says when it can take the message: it may have no room before.
  void notice(unsigned core, machine::Cycle oldest) {
    if (oldest == machine::kNever) return;
    const machine::Cycle next = members_[core].core->next_event();
    wake(core, next > next_cycle_ ? next : next_cycle_);
  }
  /// The next cycle in which a core wants to be ticked.
  machine::Cycle next() const { return next_; }
  /// Runs every cycle before `end`.
  void run(machine::Cycle end);

 private:
  void tick(machine::Cycle now);
  /// after(), which must find nothing to do.
  void expect_silence(unsigned core, machine::Cycle now);

  struct Member {
    machine::Core* core;
    After after;
  };
  void tick_checked(machine::Cycle now);
  std::vector<Member> members_;
  std::vector<machine::Cycle> wake_;
  std::set<unsigned> early_;  // check(): ticked before their next event
  std::function<uint64_t()> sent_;
  Complain complain_;
  std::vector<unsigned> order_, ticked_;
  machine::Cycle next_ = machine::kNever;
  machine::Cycle next_cycle_ = 0;  // earlier ones are run
  bool never_skip_ = false, checks_ = false;
};

}  // namespace cuvette::gpu
