// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "run/engine.h"

namespace cuvette::run {

/// Work-groups of a grid: their number has to fit what every engine counts with.
constexpr uint64_t kMostWorkgroups = uint64_t{1} << 36;
/// Scratch of all waves of a dispatch: a wave's offset in it has 32 bits (Compute ABI).
constexpr uint64_t kMostScratchBytes = uint64_t{1} << 32;
/// Scratch of a wave: 13 bits of WAVESIZE of COMPUTE_TMPRING_SIZE, in units of 1 KiB.
constexpr uint64_t kMostScratchOfWave = uint64_t{8191} * 1024;

/// Check of a launch against the machine as described and against the limits of the kernel:
/// the same on every engine, before it is asked. Errors, at the key of the dispatch file that says
/// the size: number and limit of work-groups, group memory, scratch and registers; a broken limit
/// of the kernel (hsa/launch_limits.h).
base::Status check_launch(const Dispatch& dispatch, const KernelShape& shape, const Launch& launch,
                          const UnitRoom& room);

}  // namespace cuvette::run
