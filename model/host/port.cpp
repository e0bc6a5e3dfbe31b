// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "host/port.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "machine/settings.h"

namespace cuvette::host {
namespace {

std::atomic<bool> systemc_taken{false};

/// End of the simulation of a thread: when nothing of the machine is left.
struct SimulationEnd {
  bool is_systemc;
  ~SimulationEnd() {
    if (is_systemc) end_systemc_simulation();
  }
};

}  // namespace

std::unique_ptr<Port> Port::open(const PortOptions& options, OnInterrupt on_interrupt,
                                 OnAgent on_agent, Failure& failure) {
  const auto description = machine::parse_description(options.description_text,
                                                      options.description_name, options.settings);
  if (!description) {
    failure = {CallStatus::Description, description.error().str()};
    return nullptr;
  }
  // A mistake in the description costs the process nothing.
  if (auto s = check_machine(*description); !s.ok()) {
    failure = {CallStatus::Description, s.error().str()};
    return nullptr;
  }
  if (is_systemc(options.machine.engine) && systemc_taken.exchange(true)) {
    failure = {CallStatus::Once,
               "another machine of engine lt or ca is open in this process, and SystemC has one "
               "simulation at a time"};
    return nullptr;
  }
  std::unique_ptr<Port> port(new Port);
  port->on_interrupt_ = std::move(on_interrupt);
  port->on_agent_ = std::move(on_agent);
  port->watchdog_seconds_ = options.watchdog_seconds;
  port->is_systemc_ = is_systemc(options.machine.engine);
  port->thread_ = std::thread([&p = *port, options, d = *description] { p.run(options, d); });
  std::unique_lock lock(port->mutex_);
  port->opened_.wait(lock, [&] { return port->is_open_; });
  failure = port->failure_;
  lock.unlock();
  if (failure.status == CallStatus::Ok) return port;
  return nullptr;  // the destructor waits for the thread
}

Port::~Port() {
  if (thread_.joinable()) close();
}

Port::Failure Port::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_all();
  thread_.join();
  if (std::exchange(is_systemc_, false)) systemc_taken = false;
  return failure_;
}

void Port::call(Call& call) {
  if (in_own_thread()) {
    if (session_ == nullptr) return;
    session_->perform(call);
    return;
  }
  Pending pending;
  pending.call = &call;
  std::unique_lock lock(mutex_);
  queue_.push_back(&pending);
  work_.notify_all();
  await(pending, lock);
}

/// Until it is answered. The thread of a wait is the one that has time to look at the clock.
void Port::await(Pending& pending, std::unique_lock<std::mutex>& lock) {
  const auto done = [&] { return pending.done; };
  if (pending.call->kind != CallKind::Wait || watchdog_seconds_ <= 0) {
    pending.ready.wait(lock, done);
    return;
  }
  const std::chrono::duration<double> most(watchdog_seconds_);
  for (uint64_t before = progress_;;) {
    if (pending.ready.wait_for(lock, most, done)) return;
    const uint64_t now = progress_;
    if (now == before) stop_.ask(static_cast<uint32_t>(StopReason::Seconds));
    before = now;
  }
}

void Port::answer(Pending& pending) {
  const std::lock_guard lock(mutex_);
  pending.done = true;
  pending.ready.notify_all();
}

/// The calls that have come. False when there are none any more and the port closes.
bool Port::take(std::deque<Pending*>& batch, bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) work_.wait(lock, [this] { return closing_ || !queue_.empty(); });
  batch = std::exchange(queue_, {});
  return !closing_ || !batch.empty();
}

void Port::run(const PortOptions& options, const machine::GpuConfig& description) {
  const SimulationEnd end{is_systemc_};
  std::unique_ptr<Machine> machine;
  std::unique_ptr<EventLog> log;
  std::optional<Session> session;
  Failure failure;
  try {
    MachineOptions o = options.machine;
    o.stop = &stop_;
    o.stop_after = options.watchdog_cycles;
    auto made = make_machine(description, o);
    if (!made) {
      failure = {CallStatus::Description, made.error().str()};
    } else {
      machine = std::move(*made);
    }
    if (machine != nullptr && !options.log.empty()) {
      log = std::make_unique<EventLog>(
          options.log, LogHeader{options.machine.engine, options.quantum, options.machine.poison,
                                 options.description_name, options.description_text});
      if (!log->good()) failure = {CallStatus::File, options.log + ": cannot be written"};
    }
  } catch (const std::exception& e) {
    failure = {CallStatus::Internal, e.what()};
  }
  const bool good = failure.status == CallStatus::Ok;
  if (good) {
    session.emplace(*machine, options.quantum, log.get(), stop_);
    session->watchdog(options.watchdog_cycles);
    session->on_interrupt(on_interrupt_);
    session->on_agent(on_agent_);
    session_ = &*session;
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    is_open_ = true;
    opened_.notify_all();
  }
  if (!good) return;
  loop(*session);
  const bool whole = broken_.empty() && session->close();
  if (!whole && log != nullptr) failure_ = {CallStatus::File, options.log + ": is not whole"};
  session_ = nullptr;
}

void Port::loop(Session& session) {
  std::deque<Pending*> batch;
  try {
    while (take(batch, !session.waiting())) {
      while (!batch.empty()) {
        Pending* pending = batch.front();
        Call& call = *pending->call;
        session.perform(call, ++last_ticket_);
        batch.pop_front();
        if (call.kind == CallKind::Wait && call.status == CallStatus::Ok) {
          waiting_[last_ticket_] = pending;
        } else {
          answer(*pending);
        }
      }
      for (const Session::Ended& ended : session.take_ended()) {
        const auto found = waiting_.find(ended.ticket);
        Pending& pending = *found->second;
        waiting_.erase(found);
        pending.call->status = ended.status;
        answer(pending);
      }
      if (session.waiting()) session.step();
      progress_.store(session.progress(), std::memory_order_relaxed);
    }
  } catch (const std::exception& e) {
    // A call without an answer is refused, and so are all later ones.
    broken_ = e.what();
    for (Pending* pending : batch) waiting_[++last_ticket_] = pending;
    refuse_all(broken_);
  }
}

void Port::refuse_all(const std::string& why) {
  std::deque<Pending*> batch;
  for (const auto& [ticket, pending] : waiting_) batch.push_back(pending);
  waiting_.clear();
  do {
    for (Pending* pending : batch) {
      pending->call->status = CallStatus::Internal;
      pending->call->text = "the simulation broke off: " + why;
      answer(*pending);
    }
  } while (take(batch, true));
}

}  // namespace cuvette::host
