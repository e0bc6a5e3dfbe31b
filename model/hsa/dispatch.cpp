// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/dispatch.h"

#include <algorithm>

#include <fmt/format.h>

namespace cuvette::hsa {
namespace {

constexpr const char* kRegisterNames[] = {
    "Private Segment Buffer",
    "Dispatch Ptr",
    "Queue Ptr",
    "Kernarg Segment Ptr",
    "Dispatch Id",
    "Flat Scratch Init",
    "Private Segment Size",
    "Grid Work-Group Count X",
    "Grid Work-Group Count Y",
    "Grid Work-Group Count Z",
    "Kernarg Preload",
    "Work-Group Id X",
    "Work-Group Id Y",
    "Work-Group Id Z",
    "Work-Group Info",
    "Private Segment Wave Byte Offset",
    "Work-Item Id X",
    "Work-Item Id Y",
    "Work-Item Id Z",
    "Packed Work-Item Id",
};
static_assert(sizeof kRegisterNames / sizeof *kRegisterNames ==
              static_cast<size_t>(InitialRegister::PackedWorkitemId) + 1);

struct RegisterRow {
  bool enabled;
  InitialRegister what;
  uint8_t count;
};

/// Dense numbering: enabled rows follow each other, others take no number. Registers from `limit`
/// on are counted but not written.
std::vector<RegisterSlot> number(const std::vector<RegisterRow>& rows, unsigned first,
                                 unsigned limit) {
  std::vector<RegisterSlot> slots;
  for (const RegisterRow& row : rows) {
    if (!row.enabled || row.count == 0) continue;
    const unsigned below = first < limit ? limit - first : 0;
    slots.push_back({row.what, static_cast<uint8_t>(first), row.count,
                     static_cast<uint8_t>(std::min<unsigned>(row.count, below))});
    first += row.count;
  }
  return slots;
}

unsigned end_of(const std::vector<RegisterSlot>& slots) {
  return slots.empty() ? 0u : slots.back().first + unsigned{slots.back().count};
}

}  // namespace

const char* name(InitialRegister what) {
  return kRegisterNames[static_cast<unsigned>(what)];
}

uint64_t first_instruction(const KernelInfo& kernel) {
  return kernel.entry + (kernel.kernarg_preload_dwords != 0 ? kPreloadEntryOffset : 0);
}

AccessResult read_preload(const KernelInfo& kernel, uint64_t kernarg, const DeviceMemory& memory,
                          std::array<uint32_t, kMaxUserSgprs>& out) {
  const size_t count = std::min<size_t>(kernel.kernarg_preload_dwords, out.size());
  return memory.read(kernarg + uint64_t{4} * kernel.kernarg_preload_offset, out.data(), 4 * count);
}

base::Result<InitialLayout> initial_layout(const KernelInfo& kernel) {
  using R = InitialRegister;
  const ProcessorFacts& processor = facts(kernel.target.processor);
  const UserSgprs& u = kernel.user_sgprs;
  const Rsrc2& s = kernel.rsrc2;
  if (processor.architected_scratch && (u.private_segment_buffer || u.flat_scratch_init)) {
    return base::Error(
        fmt::format("Private Segment Buffer or Flat Scratch Init enabled, but {} sets up scratch "
                    "in hardware",
                    processor.name));
  }
  if (s.workitem_id == 3) {
    return base::Error("enable_vgpr_workitem_id is 3, expected 0 to 2");
  }

  InitialLayout layout;
  layout.user_sgpr_count = s.user_sgpr_count;
  layout.user_sgprs = number(
      {
          {u.private_segment_buffer, R::PrivateSegmentBuffer, 4},
          {u.dispatch_ptr, R::DispatchPtr, 2},
          {u.queue_ptr, R::QueuePtr, 2},
          {u.kernarg_segment_ptr, R::KernargSegmentPtr, 2},
          {u.dispatch_id, R::DispatchId, 2},
          {u.flat_scratch_init, R::FlatScratchInit, 2},
          {u.private_segment_size, R::PrivateSegmentSize, 1},
          {u.grid_workgroup_count_x, R::GridWorkgroupCountX, 1},
          {u.grid_workgroup_count_y, R::GridWorkgroupCountY, 1},
          {u.grid_workgroup_count_z, R::GridWorkgroupCountZ, 1},
          {kernel.kernarg_preload_dwords != 0, R::KernargPreload, kernel.kernarg_preload_dwords},
      },
      0, kMaxUserSgprs);
  if (end_of(layout.user_sgprs) > s.user_sgpr_count) {
    return base::Error(fmt::format("user_sgpr_count is {}, but {} user SGPRs are enabled",
                                   s.user_sgpr_count, end_of(layout.user_sgprs)));
  }
  // The SPI's SGPRs follow the ones really initialised (Compute ABI, "Initial Kernel Register
  // State").
  const unsigned first_system = std::min<unsigned>(s.user_sgpr_count, kMaxUserSgprs);
  const bool wave_offset = s.private_segment && !processor.architected_scratch;
  layout.system_sgprs = number(
      {
          {s.workgroup_id_x, R::WorkgroupIdX, 1},
          {s.workgroup_id_y, R::WorkgroupIdY, 1},
          {s.workgroup_id_z, R::WorkgroupIdZ, 1},
          {s.workgroup_info, R::WorkgroupInfo, 1},
          {wave_offset, R::PrivateSegmentWaveByteOffset, 1},
      },
      first_system, kernel.sgpr_count);
  const bool packed = processor.packed_workitem_ids;
  layout.vgprs = number(
      {
          {packed, R::PackedWorkitemId, 1},
          {!packed, R::WorkitemIdX, 1},
          {!packed && s.workitem_id > 0, R::WorkitemIdY, 1},
          {!packed && s.workitem_id > 1, R::WorkitemIdZ, 1},
      },
      0, kernel.vgpr_count);
  return layout;
}

}  // namespace cuvette::hsa
