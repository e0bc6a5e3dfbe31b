// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

// One dispatch in a process of its own: SystemC elaborates once per process, and peak memory is the
// process's. The kernel is HSAIL and needs the finalizer.
namespace cuvette::run::bench {

struct ChildEngine {
  std::string engine, config;
  unsigned threads = 1;
};

struct ChildSample {
  double seconds = 0;  ///< CPU time of the process
  uint64_t instructions = 0, cycles = 0;
  uint64_t peak_bytes = 0;  ///< resident, with what the process inherited
};

/// Work-groups of 256 work-items, each `iterations` times four dependent fused multiply-adds and
/// one store. Error: the kernel did not run.
base::Result<ChildSample> run_in_child(const ChildEngine& what, unsigned work_items,
                                       unsigned iterations);

}  // namespace cuvette::run::bench
