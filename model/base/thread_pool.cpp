// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <system_error>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cuvette::base {
namespace {

/// Number of polls before a thread sleeps: some tens of microseconds, as long as the time between
/// two calls for short tasks. Where there are more threads than processors, the one that is waited
/// for may need this one.
constexpr unsigned kSpins = 2000;

void pause_processor() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

constexpr uint64_t both(uint64_t first, uint64_t last) {
  return first << 32 | last;
}
constexpr uint32_t first_of(uint64_t left) {
  return static_cast<uint32_t>(left >> 32);
}
constexpr uint32_t last_of(uint64_t left) {
  return static_cast<uint32_t>(left);
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads, unsigned tasks)
    : spins_(threads <= std::thread::hardware_concurrency() ? kSpins : 0) {
  for (unsigned t = 0; t < tasks; ++t) home_.push_back(t * threads / tasks);
  for (unsigned t = 0; t < threads; ++t) shares_.push_back(std::make_unique<Share>());
  try {
    for (unsigned t = 1; t < threads; ++t) others_.emplace_back([this, t] { serve(t); });
  } catch (const std::system_error&) {
    // Tasks of threads that are missing are taken by others.
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& t : others_) t.join();
}

bool ThreadPool::take_first(Share& share, unsigned& task) {
  uint64_t left = share.left.load(std::memory_order_acquire);
  while (first_of(left) < last_of(left)) {
    const uint64_t rest = both(first_of(left) + 1, last_of(left));
    if (share.left.compare_exchange_weak(left, rest, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
      task = share.tasks[first_of(left)];
      return true;
    }
  }
  return false;
}

bool ThreadPool::take_last(Share& share, unsigned& task) {
  uint64_t left = share.left.load(std::memory_order_acquire);
  while (first_of(left) < last_of(left)) {
    const uint64_t rest = both(first_of(left), last_of(left) - 1);
    if (share.left.compare_exchange_weak(left, rest, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
      task = share.tasks[last_of(left) - 1];
      return true;
    }
  }
  return false;
}

void ThreadPool::call(unsigned task) {
  try {
    (*work_)(task);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (failure_ == nullptr || task < failed_) {
      failure_ = std::current_exception();
      failed_ = task;
    }
  }
}

void ThreadPool::work_off(unsigned thread) {
  const auto done = [this] {
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  };
  unsigned task = 0;
  while (take_first(*shares_[thread], task)) {
    call(task);
    done();
  }
  for (unsigned n = 1; n < threads(); ++n) {
    Share& other = *shares_[(thread + n) % threads()];
    while (take_last(other, task)) {
      call(task);
      done();
    }
  }
}

void ThreadPool::serve(unsigned thread) {
  uint32_t seen = 0;
  for (;;) {
    for (unsigned n = 0; n < spins_ && round_.load(std::memory_order_acquire) == seen; ++n) {
      pause_processor();
    }
    round_.wait(seen, std::memory_order_acquire);
    seen = round_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    work_off(thread);
  }
}

void ThreadPool::wait_for_others() {
  for (unsigned n = 0; n < spins_ && unfinished_.load(std::memory_order_acquire) != 0; ++n) {
    pause_processor();
  }
  for (;;) {
    const uint32_t left = unfinished_.load(std::memory_order_acquire);
    if (left == 0) return;
    unfinished_.wait(left, std::memory_order_acquire);
  }
}

void ThreadPool::run(const std::vector<unsigned>& here, const std::vector<unsigned>& anywhere,
                     const Work& work) {
  work_ = &work;
  if (!anywhere.empty()) {
    // Nobody takes anything before the shares are filled: all are empty.
    for (const auto& share : shares_) share->tasks.clear();
    for (const unsigned t : anywhere) shares_[home_[t]]->tasks.push_back(t);
    unfinished_.store(static_cast<uint32_t>(anywhere.size()), std::memory_order_relaxed);
    for (const auto& share : shares_) {
      share->left.store(both(0, share->tasks.size()), std::memory_order_release);
    }
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  for (const unsigned t : here) call(t);
  if (!anywhere.empty()) {
    work_off(0);
    wait_for_others();
  }
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace cuvette::base
