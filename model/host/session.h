// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "host/call.h"
#include "host/event_log.h"
#include "host/machine.h"

namespace cuvette::host {

/// A machine, its borders, who waits, and the log. One thread. The same calls in the same order
/// between the same steps give the same run, so a replay is this class again.
class Session {
 public:
  /// `quantum`: cycles between two borders at most. `log` may be null; all outlive the session.
  /// `stop`: that of the machine.
  Session(Machine& machine, machine::Cycle quantum, EventLog* log, base::StopPoint& stop);

  /// Waits end by StopReason::Cycles when the machine is busy and has not got on for so long; 0:
  /// never.
  void watchdog(machine::Cycle cycles) { watchdog_ = cycles; }
  /// Called inside step() when the stop point has been met, before interrupts are delivered.
  using OnStop = std::function<void(const StopEvent&)>;
  void on_stop(OnStop handler) { on_stop_ = std::move(handler); }
  /// Grows whenever something gets on: the machine, or an interrupt.
  uint64_t progress() const { return machine_.progress() + told_; }

  /// Called inside step(), at the border after the interrupt; may perform().
  using OnInterrupt = std::function<void(const InterruptEvent&)>;
  void on_interrupt(OnInterrupt handler) { on_interrupt_ = std::move(handler); }
  /// Called inside step(), between borders; may perform() memory calls.
  using OnAgent = std::function<bool(const AgentEvent&)>;
  void on_agent(OnAgent handler) { on_agent_ = std::move(handler); }

  /// A call at the present time. A Wait begins here and ends in take_ended(), known by `ticket`;
  /// inside a handler it is refused, as is everything but memory inside on_agent.
  void perform(Call& call, uint64_t ticket = 0);

  /// A wait that is over.
  struct Ended {
    uint64_t ticket = 0;
    CallStatus status = CallStatus::Ok;
  };
  /// Waits that are over.
  std::vector<Ended> take_ended();
  bool waiting() const { return !waits_.empty(); }
  /// Time passes to the next border, or to the stop point. Only while waiting().
  void step();

  machine::Cycle now() const { return machine_.now(); }
  /// Delivered so far.
  uint64_t interrupts() const { return told_; }
  /// Ends the log: false when it is not whole.
  bool close();

 private:
  struct Wait {
    uint64_t ticket = 0;
    WaitKind kind = WaitKind::Advance;
    machine::Cycle deadline = 0;
    uint64_t told = 0;                    // interrupts when it began
    CallStatus stopped = CallStatus::Ok;  // status of a wait that a stop has ended
  };
  /// A handler that is called at a border, or between two.
  enum class Inside : uint8_t { Nothing, Interrupt, Agent };
  bool allowed(const Call& call) const;
  void begin_wait(Call& call, uint64_t ticket);
  machine::Cycle border() const;
  void end_waits();
  void watch();
  void tell_interrupts();

  Machine& machine_;
  machine::Cycle quantum_;
  EventLog* log_;
  base::StopPoint& stop_;
  OnStop on_stop_;
  machine::Cycle watchdog_ = 0, got_on_at_ = 0;
  uint64_t got_on_ = 0;  // progress() then
  OnInterrupt on_interrupt_;
  OnAgent on_agent_;
  Inside inside_ = Inside::Nothing;
  std::vector<Wait> waits_;
  std::vector<InterruptEvent> coming_;  // left the chip, not delivered yet
  uint64_t told_ = 0;
};

}  // namespace cuvette::host
