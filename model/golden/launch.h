// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "golden/machine.h"
#include "golden/wave.h"
#include "hsa/dispatch.h"

namespace cuvette::golden {

/// Everything about a dispatch that is the same for all its waves.
struct LaunchPlan {
  DispatchRequest request;
  hsa::InitialLayout layout;
  std::array<uint32_t, 3> groups{1, 1, 1};
  uint64_t scratch_base = 0;
  uint64_t scratch_bytes_per_wave = 0;
  uint16_t vgprs = 0, accvgprs = 0, sgprs = 0;

  uint64_t workgroups() const { return uint64_t{groups[0]} * groups[1] * groups[2]; }
};

/// Errors: no machine of the target could start this.
base::Result<LaunchPlan> plan_launch(const DispatchRequest& request, const Config& config);

/// A wave with its initial state (Compute ABI, initial kernel register state): wave `index` of
/// work-group `group`, or null when the work-group has fewer waves.
std::unique_ptr<Wave> launch_wave(const LaunchPlan& plan, const Config& config, uint64_t group,
                                  unsigned index);

}  // namespace cuvette::golden
