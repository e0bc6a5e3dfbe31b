// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "hsa/dispatch.h"
#include "isa/target.h"
#include "spi/wave_launch.h"

namespace cuvette::spi {

/// Part of a dispatch that is the same for all its waves, worked out once.
struct DispatchPlan {
  Dispatch dispatch;          ///< as it came
  hsa::KernelInfo kernel;     ///< decoded from the dispatch's rsrc words and properties
  hsa::InitialLayout layout;  ///< places of initial values in registers
  std::array<uint32_t, 3> groups{1, 1, 1};          ///< work-groups in x, y, z
  uint32_t waves_per_group = 1;                     ///< of a full work-group
  uint16_t vgpr_rows = 0, acc_rows = 0, sgprs = 0;  ///< allocated for each wave
  bool kernel_known = false;  ///< `kernel`, `layout` and the counts are those of `dispatch`

  uint64_t workgroups() const { return uint64_t{groups[0]} * groups[1] * groups[2]; }
};

/// Error: sizes of 0, more than 1024 work-items, more than 2^36 work-groups to run (wave ids cannot
/// say more).
base::Status check_sizes(const Dispatch& dispatch);
/// Errors: those of check_sizes, registers that do not exist.
base::Result<DispatchPlan> plan(const Dispatch& dispatch, isa::Target target);
/// plan() in place of an older plan for the same target. Parts that follow from the kernel's words
/// alone (rsrc1 to 3, properties) are kept when the words are the same, everything else is made
/// anew. After an error the plan is of no use but for another call.
base::Status replan(DispatchPlan& plan, const Dispatch& dispatch, isa::Target target);
/// The words of the two are equal.
bool same_kernel_words(const Dispatch& a, const Dispatch& b);

/// Waves of work-group `group` (partial work-groups have fewer).
uint32_t waves_of(const DispatchPlan& plan, uint64_t group);

/// The number of a wave in its grid, which is its place in scratch memory where every wave has one.
inline uint64_t wave_number(const DispatchPlan& plan, uint64_t group, uint32_t index) {
  return group * plan.waves_per_group + index;
}

/// Wave `index` of work-group `group` in WaveLaunch::id: ascending by dispatch, group and index.
inline uint64_t wave_id(const DispatchPlan& plan, uint64_t group, uint32_t index) {
  return uint64_t{plan.dispatch.id} << 40 | (group * 16 + index);
}

/// The registers of wave `index` of work-group `group` (flattened id) with the given place in
/// scratch memory; resources are left to the caller. Compute ABI, initial kernel register state.
WaveLaunch initial_state(const DispatchPlan& plan, isa::Target target, uint64_t group,
                         uint32_t index, uint64_t scratch_place, bool poison);

}  // namespace cuvette::spi
