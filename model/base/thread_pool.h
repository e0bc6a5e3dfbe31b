// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cuvette::base {

/// Host threads that share numbered tasks, again and again. Each task has a home, the thread that
/// runs it if that has time; who is done early takes from the far end of another's share. Between
/// two calls of run() the threads wait, first awake, then asleep. Where the host gives fewer
/// threads than asked for, those there do the work.
class ThreadPool {
 public:
  using Work = std::function<void(unsigned task)>;
  /// `threads`, the one that calls run() among them, for tasks 0 to `tasks` - 1.
  ThreadPool(unsigned threads, unsigned tasks);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  unsigned threads() const { return static_cast<unsigned>(shares_.size()); }

  /// Calls `work` once for each task, and returns when all calls have. The calling thread makes
  /// the calls for `here` one after the other before it takes others. Exceptions of the calls are
  /// thrown again, that of the first task which threw.
  void run(const std::vector<unsigned>& here, const std::vector<unsigned>& anywhere,
           const Work& work);

 private:
  /// Tasks that nobody has taken: those from `first` to `last` - 1 of `tasks`, both numbers in
  /// one word (first in the upper half).
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
    std::vector<unsigned> tasks;
  };
  static bool take_first(Share& share, unsigned& task);
  static bool take_last(Share& share, unsigned& task);
  void serve(unsigned thread);
  void work_off(unsigned thread);
  void call(unsigned task);
  void wait_for_others();

  unsigned spins_;
  std::vector<unsigned> home_;  // by task
  std::vector<std::unique_ptr<Share>> shares_;
  const Work* work_ = nullptr;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  unsigned failed_ = 0;  // the task of `failure_`
  alignas(64) std::atomic<uint32_t> round_{0};
  alignas(64) std::atomic<uint32_t> unfinished_{0};  // tasks
  std::atomic<bool> stop_{false};
  std::vector<std::thread> others_;
};

}  // namespace cuvette::base
