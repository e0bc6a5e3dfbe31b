// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "machine/channel.h"

namespace cuvette::ip {

/// Runs a lockstep on a clock of its own, for a part of what the machine does, as fast as its
/// device goes. A Lockstep has tick(), idle() and mismatch(); a device that answers no more is a
/// difference after some time, so that everything here ends.
template <class Lockstep>
class DeviceRun {
 public:
  explicit DeviceRun(Lockstep& lockstep) : lockstep_(lockstep) {}

  /// A message of cycle `now` of the machine.
  template <class In, class Out>
  void send(machine::Channel<In>& in, machine::Channel<Out>& out, const In& message,
            machine::Cycle now) {
    if (lockstep_.idle()) clock_ = std::max(clock_, now);
    while (!in.can_push(clock_) && !lockstep_.mismatch()) step(out);
    if (lockstep_.mismatch()) return;
    in.push(message, clock_);
    step(out);
  }
  /// Until everything is answered.
  template <class Out>
  void finish(machine::Channel<Out>& out) {
    while (!lockstep_.idle() && !lockstep_.mismatch()) step(out);
  }

 private:
  /// Answers have been compared: nobody else wants them.
  template <class Out>
  void step(machine::Channel<Out>& out) {
    lockstep_.tick(clock_++);
    while (out.front(clock_) != nullptr) out.drop(clock_);
  }

  Lockstep& lockstep_;
  machine::Cycle clock_ = 0;
};

}  // namespace cuvette::ip
