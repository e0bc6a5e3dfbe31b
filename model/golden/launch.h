// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

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
  uint64_t scratch_base = 0;                     ///< place_scratch()
  std::array<uint32_t, 4> scratch_descriptor{};  ///< V# of the queue's scratch; 0 without scratch
  uint64_t scratch_bytes_per_wave = 0;
  uint64_t scratch_groups = 0;  ///< that share scratch memory in turn; 0: each has its own
  uint16_t vgprs = 0, accvgprs = 0, sgprs = 0;
  uint32_t waves_per_group = 1;  ///< of a whole one
  uint32_t groups_per_unit = 1;  ///< that the waves of a compute unit's SIMDs have room for
  uint32_t mode = 0;             ///< MODE of a new wave
  /// Initial SGPRs: code and value of those that all waves have alike, and the others.
  std::vector<std::pair<uint16_t, uint32_t>> common_sgprs;
  std::vector<hsa::RegisterSlot> own_sgprs;

  uint64_t workgroups() const { return uint64_t{groups[0]} * groups[1] * groups[2]; }
};

/// Errors: no machine of the target could start this.
base::Result<LaunchPlan> plan_launch(const DispatchRequest& request, const Config& config);

/// Scratch of all waves: its base and its V#. A plan begins without.
void place_scratch(LaunchPlan& plan, uint64_t base, const std::array<uint32_t, 4>& descriptor);

/// V# over the scratch of all waves: swizzle enabled, index stride 64, 4-byte elements, thread id
/// added (Vega ISA 8.1.5).
std::array<uint32_t, 4> scratch_descriptor(uint64_t base);

/// So many work-groups in a row have different places: their waves differ in HW_ID.
uint64_t places_for_groups(const LaunchPlan& plan);

/// A work-group at the end of the grid may have fewer than the others.
unsigned waves_of_group(const LaunchPlan& plan, uint64_t group);

/// A wave with its initial state (Compute ABI, initial kernel register state): wave `index` of
/// work-group `group`, or null when the work-group has fewer waves. `used`: an ended wave with the
/// registers of the plan to make it from, or null. `accumulation`: see Wave::renew.
std::unique_ptr<Wave> launch_wave(const LaunchPlan& plan, const Config& config, uint64_t group,
                                  unsigned index, std::unique_ptr<Wave> used = nullptr,
                                  bool accumulation = true);

}  // namespace cuvette::golden
