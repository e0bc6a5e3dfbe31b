// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "golden/launch.h"
#include "golden/machine.h"
#include "golden/range_use.h"
#include "golden/snapshot.h"

namespace cuvette::golden {

/// Executor of dispatches by several host threads, each with work-groups of its own. A dispatch
/// holds only when nothing depended on the order of work-groups; otherwise memory is put back.
/// Decoded code and storage are kept from dispatch to dispatch.
class ParallelRun {
 public:
  /// `memory` and `config` outlive it.
  ParallelRun(hsa::DeviceMemory& memory, const Config& config);
  ~ParallelRun();

  /// True: memory and `report` are what one thread would have made. False, with both as they were:
  /// something depended on the order, or failed.
  bool run(const LaunchPlan& plan, Report& report);

 private:
  class Worker;
  friend class Worker;

  bool try_once();

  hsa::DeviceMemory& memory_;
  const Config& config_;
  const LaunchPlan* plan_ = nullptr;  ///< of the dispatch
  RangeUse ranges_;
  Snapshot snapshot_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> next_group_{0}, instructions_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  size_t working_ = 0;  ///< of them, in this dispatch
  base::ThreadPool pool_;
};

}  // namespace cuvette::golden
