// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/session.h"

#include <algorithm>
#include <utility>

namespace cuvette::host {

using machine::Cycle;

Session::Session(Machine& machine, Cycle quantum, EventLog* log, base::StopPoint& stop)
    : machine_(machine), quantum_(quantum), log_(log), stop_(stop) {
  machine_.on_interrupt([this](Cycle at, const command_processor::Interrupt& what) {
    coming_.push_back({0, at, what});
  });
  machine_.on_agent_dispatch([this](Cycle at, const command_processor::AgentDispatch& packet) {
    const AgentEvent event{at, packet};
    if (log_ != nullptr) log_->add(event);
    inside_ = Inside::Agent;
    const bool served = on_agent_ && on_agent_(event);
    inside_ = Inside::Nothing;
    if (log_ != nullptr) log_->add(AgentEndEvent{at, served});
    return served;
  });
}

bool Session::allowed(const Call& call) const {
  switch (inside_) {
    case Inside::Nothing:
      return true;
    case Inside::Interrupt:
      return call.kind != CallKind::Wait;
    case Inside::Agent:
      break;
  }
  // Registers and the map of memory belong to the borders.
  return call.kind == CallKind::MemoryRead || call.kind == CallKind::MemoryWrite ||
         call.kind == CallKind::Atomic || call.kind == CallKind::Cycle;
}

void Session::perform(Call& call, uint64_t ticket) {
  call.status = CallStatus::Ok;
  call.result = 0;
  if (!allowed(call)) {
    call.status = CallStatus::Call;
    call.text = "not inside this callback";
    return;
  }
  if (log_ != nullptr && (call.kind == CallKind::Attach || call.kind == CallKind::Retirements)) {
    // Calls of the host in its callback, and for its own memory, are in no log.
    call.status = CallStatus::Argument;
    call.text = "not with a host-event log";
    return;
  }
  if (call.kind == CallKind::Wait) {
    begin_wait(call, ticket);
  } else {
    if (call.kind == CallKind::Retirements && call.on_retire) {
      call.on_retire = [this, observer = std::move(call.on_retire)](const wave::RetireRecord& r) {
        inside_ = Inside::Agent;
        observer(r);
        inside_ = Inside::Nothing;
      };
    }
    host::perform(machine_, call);
  }
  if (log_ != nullptr) log_->add(CallEvent{now(), call});
}

void Session::begin_wait(Call& call, uint64_t ticket) {
  const auto kind = static_cast<WaitKind>(call.option);
  if (kind == WaitKind::Advance && call.count > kMostCycles) {
    call.status = CallStatus::Argument;
    call.text = "more cycles than a wait can have";
    return;
  }
  call.count = std::min(call.count, kMostCycles);
  waits_.push_back({ticket, kind, now() + call.count, told_, CallStatus::Ok});
}

std::vector<Session::Ended> Session::take_ended() {
  std::vector<Ended> ended;
  std::erase_if(waits_, [&](const Wait& w) {
    const bool came = (w.kind == WaitKind::Idle && machine_.idle()) ||
                      (w.kind == WaitKind::Interrupt && told_ != w.told);
    const bool over = now() >= w.deadline;
    if (!came && !over && w.stopped == CallStatus::Ok) return false;
    const bool good = came || (over && w.kind == WaitKind::Advance);
    ended.push_back({w.ticket, good ? CallStatus::Ok : over ? CallStatus::Timeout : w.stopped});
    return true;
  });
  return ended;
}

/// Time at which the simulation stands still next. An idle machine goes to the end of the first
/// wait at once.
Cycle Session::border() const {
  Cycle first = waits_.front().deadline;
  for (const Wait& w : waits_) first = std::min(first, w.deadline);
  if (machine_.idle()) return first;
  return std::min(first, (now() / quantum_ + 1) * quantum_);
}

void Session::step() {
  if (!stop_.here()) machine_.run_to(border());
  if (stop_.stopped()) end_waits();
  tell_interrupts();
  if (watchdog_ != 0) watch();
}

/// Ends the waits that have begun; later ones are not affected.
void Session::end_waits() {
  const StopEvent event{now(), stop_.passed(), static_cast<StopReason>(stop_.reason())};
  stop_.go_on();
  if (log_ != nullptr) log_->add(event);
  if (on_stop_) on_stop_(event);
  for (Wait& w : waits_) w.stopped = status_of(event.reason);
  got_on_at_ = now();
}

void Session::watch() {
  if (machine_.idle() || got_on_ != progress()) {
    got_on_ = progress();
    got_on_at_ = now();
  } else if (now() - got_on_at_ >= watchdog_) {
    got_on_at_ = now();
    stop_.ask(static_cast<uint32_t>(StopReason::Cycles));  // the next step meets it
  }
}

void Session::tell_interrupts() {
  for (InterruptEvent event : std::exchange(coming_, {})) {
    event.at = now();
    ++told_;
    if (log_ != nullptr) log_->add(event);
    inside_ = Inside::Interrupt;
    if (on_interrupt_) on_interrupt_(event);
    inside_ = Inside::Nothing;
  }
}

bool Session::close() {
  if (log_ == nullptr) return true;
  log_->add(EndEvent{now(), fingerprint(machine_.memory())});
  return log_->finish();
}

}  // namespace cuvette::host
