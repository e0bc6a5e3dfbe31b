// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "golden/launch.h"
#include "golden/machine.h"
#include "golden/snapshot.h"

namespace cuvette::golden {

/// Run of a dispatch by several host threads, each with work-groups of its own. It holds only when
/// nothing depended on the order of work-groups; otherwise memory is put back.
class ParallelRun {
 public:
  ParallelRun(hsa::DeviceMemory& memory, const Config& config, const LaunchPlan& plan,
              RangeUse& ranges);
  ~ParallelRun();

  /// True: memory and `report` are what one thread would have made. False, with both as they were:
  /// something depended on the order, or failed.
  bool run(Report& report);

 private:
  class Worker;
  friend class Worker;

  bool try_once();

  hsa::DeviceMemory& memory_;
  const Config& config_;
  const LaunchPlan& plan_;
  RangeUse& ranges_;
  Snapshot snapshot_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> next_group_{0}, instructions_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace cuvette::golden
