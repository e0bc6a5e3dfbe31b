// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/simulation.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

namespace cuvette::thunk {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

/// A slice is to take about this long, so that commands need not wait longer.
constexpr auto kSliceTime = microseconds(500);
constexpr uint64_t kLeastSlice = 500, kMostSlice = 100'000;  // cycles
/// Without work the thread looks again at once for a time, then in short and at last in long
/// intervals.
constexpr auto kEager = microseconds(500), kSoon = microseconds(100'000);
constexpr auto kShortNap = microseconds(20), kLongNap = microseconds(500);

/// Signals that are meant for the process go to other threads.
void leave_signals_to_others() {
  sigset_t set;
  sigfillset(&set);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&set, own);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace

Simulation::~Simulation() {
  stop();
}

base::Status Simulation::start(const Make& make, Poll poll) {
  poll_ = std::move(poll);
  base::Status status;
  bool made = false;
  std::mutex mutex;
  std::condition_variable opened;
  stopping_ = false;
  thread_ = std::thread([&] {
    leave_signals_to_others();
    own_thread_ = pthread_self();
    auto engines = make();
    const bool good = engines.ok();
    {
      const std::lock_guard lock(mutex);
      if (good) {
        engines_ = std::move(*engines);
      } else {
        status = engines.error();
      }
      made = true;
      opened.notify_all();
    }
    if (good) loop();
  });
  std::unique_lock lock(mutex);
  opened.wait(lock, [&] { return made; });
  lock.unlock();
  if (!status.ok()) thread_.join();
  return status;
}

void Simulation::resume() {
  if (engines_.empty() || thread_.joinable()) return;
  stopping_ = false;
  thread_ = std::thread([this] { loop(); });
}

void Simulation::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  has_commands_ = true;
  work_.notify_all();
  thread_.join();
}

bool Simulation::perform(const Command& command) {
  if (!thread_.joinable() || ended_) return false;
  Pending pending{&command, false, {}};
  std::unique_lock lock(mutex_);
  if (stopping_) return false;
  commands_.push_back(&pending);
  has_commands_ = true;
  work_.notify_all();
  pending.ready.wait(lock, [&] { return pending.done; });
  return true;
}

uint64_t Simulation::read_clock() {
  uint64_t told = told_.load();
  uint64_t next = 0;
  do {
    next = std::max(cycle_.load(), told + 1);
  } while (!told_.compare_exchange_weak(told, next));
  return next;
}

/// Commands that have come. False when the thread is to end.
bool Simulation::take_commands(Clock::duration lazy) {
  const bool wait = lazy >= kEager;
  if (!wait && !has_commands_.load(std::memory_order_acquire)) return true;
  std::unique_lock lock(mutex_);
  if (wait && commands_.empty() && !stopping_) {
    work_.wait_for(lock, lazy < kSoon ? kShortNap : kLongNap,
                   [this] { return !commands_.empty() || stopping_; });
  }
  while (!commands_.empty()) {
    Pending* pending = commands_.front();
    commands_.pop_front();
    lock.unlock();
    (*pending->command)(engines_);
    lock.lock();
    pending->done = true;
    pending->ready.notify_all();
  }
  has_commands_ = false;
  return !stopping_;
}

bool Simulation::idle() const {
  return std::ranges::all_of(engines_, [](const auto& engine) { return engine->idle(); });
}

/// That of the device that got furthest: engine golden has a clock for each device.
uint64_t Simulation::now() const {
  uint64_t latest = 0;
  for (const auto& engine : engines_) latest = std::max(latest, engine->cycle());
  return latest;
}

/// Devices without work come to where the others are.
void Simulation::pass_to(uint64_t cycle) {
  for (auto& engine : engines_) {
    if (engine->cycle() < cycle) engine->pass(cycle - engine->cycle());
  }
}

/// Clock readings that were ahead of the devices become true before they do anything.
void Simulation::catch_up() {
  if (const uint64_t told = told_.load(); told > now()) pass_to(told);
}

/// A slice, as many cycles as the host gets done in kSliceTime. On lt and ca a device that runs
/// takes the others with it.
void Simulation::advance() {
  const auto start = Clock::now();
  const uint64_t end = now() + slice_;
  for (auto& engine : engines_) {
    if (!engine->idle() && engine->cycle() < end) engine->run(end - engine->cycle());
  }
  pass_to(now());
  const auto took = Clock::now() - start;
  if (took > kSliceTime) {
    slice_ = std::max(kLeastSlice, slice_ / 2);
  } else if (took < kSliceTime / 4) {
    slice_ = std::min(kMostSlice, slice_ * 2);
  }
  cycle_ = now();
}

void Simulation::loop() {
  leave_signals_to_others();
  own_thread_ = pthread_self();
  auto worked = Clock::now();
  for (;;) {
    const auto lazy = Clock::now() - worked;
    if (!take_commands(lazy)) return;
    if (const int signal = end_signal_.load(); signal != 0) {
      if (last_) last_(engines_, signal);
      ended_ = true;
      return;
    }
    if (idle()) catch_up();
    if (poll_(engines_)) worked = Clock::now();
    if (idle()) continue;
    if (lazy >= kEager) slice_ = kLeastSlice;  // packets wait for a signal, nothing runs
    advance();
  }
}

}  // namespace cuvette::thunk
