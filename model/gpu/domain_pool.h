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

namespace cuvette::gpu {

/// Host threads that share the domains of a quantum. Each domain has a home, the thread that ran it
/// last time if that had time; who is done early takes from the far end of another's share. Between
/// two calls of run() the threads wait, first awake, then asleep. Nothing that run() does depends
/// on their number but the time it takes.
class DomainPool {
 public:
  using Work = std::function<void(unsigned domain)>;
  /// `threads`, the one that calls run() among them, for domains 0 to `domains` - 1.
  DomainPool(unsigned threads, unsigned domains);
  DomainPool(const DomainPool&) = delete;
  DomainPool& operator=(const DomainPool&) = delete;
  ~DomainPool();

  unsigned threads() const { return static_cast<unsigned>(shares_.size()); }

  /// Calls `work` once for each domain, and returns when all calls have. The calling thread makes
  /// the calls for `here` one after the other before it takes others. Exceptions of the calls are
  /// thrown again, that of the first domain which threw.
  void run(const std::vector<unsigned>& here, const std::vector<unsigned>& anywhere,
           const Work& work);

 private:
  /// Domains that nobody has taken: those from `first` to `last` - 1 of `domains`, both numbers in
  /// one word (first in the upper half).
  struct alignas(64) Share {
    std::atomic<uint64_t> left{0};
    std::vector<unsigned> domains;
  };
  static bool take_first(Share& share, unsigned& domain);
  static bool take_last(Share& share, unsigned& domain);
  void serve(unsigned thread);
  void work_off(unsigned thread);
  void call(unsigned domain);
  void wait_for_others();

  unsigned spins_;
  std::vector<unsigned> home_;  // by domain
  std::vector<std::unique_ptr<Share>> shares_;
  const Work* work_ = nullptr;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  unsigned failed_ = 0;  // the domain of `failure_`
  alignas(64) std::atomic<uint32_t> round_{0};
  alignas(64) std::atomic<uint32_t> unfinished_{0};  // domains
  std::atomic<bool> stop_{false};
  std::vector<std::thread> others_;
};

}  // namespace cuvette::gpu
