// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "host/session.h"

namespace cuvette::host {

/// Options of a machine in a thread of its own. `machine.stop` and `machine.stop_after` are the
/// port's.
struct PortOptions {
  MachineOptions machine;
  machine::Cycle quantum = 1000;  ///< cycles between two borders at most
  /// Name of the machine description in messages, and its text.
  std::string description_name, description_text;
  std::vector<std::string> settings;  ///< PATH=VALUE, changes of the description; none with a log
  std::string log;                    ///< file; empty: none
  /// Waits end when the machine is busy and nothing gets on for so many cycles (golden: also
  /// instructions of a dispatch); 0: never.
  machine::Cycle watchdog_cycles = 0;
  double watchdog_seconds = 0;  ///< the same of the host's time
};

/// A machine in a thread of its own, for any number of host threads: calls wait in a locked queue
/// and are taken at the borders of a Session. The thread makes, drives and destroys the machine, so
/// everything SystemC does happens there.
class Port {
 public:
  /// In the machine's thread. They may call() the port.
  using OnInterrupt = std::function<void(const InterruptEvent&)>;
  using OnAgent = std::function<bool(const AgentEvent&)>;

  /// Outcome of open() and close(); Ok: there is none.
  struct Failure {
    CallStatus status = CallStatus::Ok;
    std::string text;
  };
  /// Null, with `failure`, when there is no such machine. SystemC engines: one at a time in a
  /// process, until its close().
  static std::unique_ptr<Port> open(const PortOptions& options, OnInterrupt on_interrupt,
                                    OnAgent on_agent, Failure& failure);
  ~Port();

  /// Any thread: returns when the call, or the wait, is over.
  void call(Call& call);
  /// Waits under way end at the machine's next stop point; without one, the next wait does. Any
  /// thread, any signal handler.
  void cancel() { stop_.ask(static_cast<uint32_t>(StopReason::Cancel)); }
  /// True inside a handler.
  bool in_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }
  /// Ends thread, machine and log. No other call is under way; not inside a handler. Failure: that
  /// of open(), or a log that is not whole.
  Failure close();

 private:
  struct Pending {
    Call* call = nullptr;
    bool done = false;
    std::condition_variable ready;
  };
  Port() = default;
  void run(const PortOptions& options, const machine::GpuConfig& description);
  void loop(Session& session);
  bool take(std::deque<Pending*>& batch, bool wait);
  void await(Pending& pending, std::unique_lock<std::mutex>& lock);
  void answer(Pending& pending);
  void refuse_all(const std::string& why);

  OnInterrupt on_interrupt_;
  OnAgent on_agent_;
  base::StopPoint stop_;  // outlives its users
  double watchdog_seconds_ = 0;
  std::atomic<uint64_t> progress_{0};  // of the session, at its last border
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable work_, opened_;
  std::deque<Pending*> queue_;
  std::map<uint64_t, Pending*> waiting_;  // by ticket; of the machine's thread alone
  uint64_t last_ticket_ = 0;
  bool closing_ = false, is_open_ = false;
  Failure failure_;             // of open() and close()
  bool is_systemc_ = false;     // the process may have no other one now
  std::string broken_;          // reason why the simulation broke off
  Session* session_ = nullptr;  // of the machine's thread alone
};

}  // namespace cuvette::host
