// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <pthread.h>

#include "base/result.h"
#include "thunk/engine.h"

namespace cuvette::thunk {

/// The thread that the engines of all devices live in, which have one clock between slices.
/// Commands of other threads wait in a locked queue and are carried out between two slices of
/// simulated time, in order; so is polling for doorbells. Time passes while a device has something
/// to do. Without work the thread sleeps, the longer the longer there is none.
class Simulation {
 public:
  using Make = std::function<base::Result<EngineList>()>;
  using Command = std::function<void(EngineList&)>;
  /// Called between slices; true when there is something to do that is worth the processor.
  using Poll = std::function<bool(EngineList&)>;

  Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  /// Makes the engines in the thread. Error: that of `make`.
  base::Status start(const Make& make, Poll poll);
  /// Goes on after stop(), with the engines as they were.
  void resume();
  /// Ends the thread behind the commands that wait; the engines stay.
  void stop();
  bool runs() const { return thread_.joinable(); }

  /// Any thread but the simulation's: returns when the command has been carried out. False, at
  /// once, when there is no thread.
  bool perform(const Command& command);

  /// Cycles of the devices, strictly ascending from call to call. Any thread.
  uint64_t read_clock();
  /// From now on the simulation calls `last` once, soon, whatever it does, and stands still then.
  /// May be called by a signal handler; has_ended() tells when that is over.
  void end_by_signal(int signal) { end_signal_.store(signal); }
  bool has_ended() const { return ended_.load(); }
  bool is_own_thread() const { return own_thread_.load() == pthread_self(); }
  /// Function called then, with the number of the signal.
  void on_end(std::function<void(EngineList&, int)> last) { last_ = std::move(last); }

 private:
  struct Pending {
    const Command* command;
    bool done = false;
    std::condition_variable ready;
  };
  void loop();
  bool take_commands(std::chrono::steady_clock::duration lazy);
  bool idle() const;
  uint64_t now() const;
  void pass_to(uint64_t cycle);
  void advance();
  void catch_up();

  EngineList engines_;
  Poll poll_;
  std::function<void(EngineList&, int)> last_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Pending*> commands_;
  bool stopping_ = false;
  std::atomic<int> end_signal_{0};
  std::atomic<bool> ended_{false};
  std::atomic<pthread_t> own_thread_{};
  std::atomic<bool> has_commands_{false};
  std::atomic<uint64_t> cycle_{0};  // of the engines, at the last border
  std::atomic<uint64_t> told_{0};   // by read_clock()
  uint64_t slice_ = 2000;           // cycles
};

}  // namespace cuvette::thunk
