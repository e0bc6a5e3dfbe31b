// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "machine/core.h"

namespace cuvette::ip::traffic {

/// Functional coverage: how often each point was reached, by name. Points that were not reached are
/// there, with 0.
using Coverage = std::map<std::string, uint64_t>;

/// Constrained-random requester of one block: it makes messages from a seed and takes the answers.
class Requester {
 public:
  virtual ~Requester() = default;
  /// In each cycle before the block. False: everything is sent and answered.
  virtual bool step(machine::Cycle now) = 0;
  /// In each cycle behind the block.
  virtual void follow(machine::Cycle /*now*/) {}
  /// Answers so far: a block that gives none for long is stuck.
  virtual uint64_t answers() const = 0;
  virtual Coverage coverage() const = 0;
  /// A rule that answers broke, of those that the lockstep kit does not know; empty: none.
  virtual std::string wrong() const { return {}; }
};

/// End of a run of requests against a block.
struct Driven {
  bool done = false;       ///< everything was answered
  machine::Cycle end = 0;  ///< cycles
};

/// Runs a block in lockstep under its requester until everything is answered, it differs, or
/// nothing is answered for `stuck` cycles; then 500 cycles more. `Seat` has tick() and kit().
template <class Seat>
Driven drive(Seat& seat, Requester& requester, machine::Cycle stuck = 50'000) {
  constexpr machine::Cycle kSettles = 500;
  Driven out;
  machine::Cycle now = 1, last = 1;
  for (uint64_t seen = 0; !seat.kit().mismatch() && now < last + stuck; ++now) {
    if (requester.answers() != seen) last = now;
    seen = requester.answers();
    out.done = !requester.step(now);
    if (out.done) break;
    seat.tick(now);
    requester.follow(now);
  }
  for (const machine::Cycle end = now + kSettles; now < end && !seat.kit().mismatch(); ++now) {
    seat.tick(now);
    requester.follow(now);
  }
  seat.kit().conclude();
  out.end = now;
  return out;
}

}  // namespace cuvette::ip::traffic
