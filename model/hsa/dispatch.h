// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "hsa/kernel_info.h"
#include "hsa/memory.h"

namespace cuvette::hsa {

/// Contents of a register when a wave starts (Compute ABI, "Initial Kernel Register State"), in the
/// order in which SGPRs and VGPRs are numbered. This is the order only: the block that starts waves
/// computes the values.
enum class InitialRegister : uint8_t {
  PrivateSegmentBuffer,
  DispatchPtr,
  QueuePtr,
  KernargSegmentPtr,
  DispatchId,
  FlatScratchInit,
  PrivateSegmentSize,
  GridWorkgroupCountX,
  GridWorkgroupCountY,
  GridWorkgroupCountZ,
  KernargPreload,  ///< kernarg dwords, gfx90a and gfx942
  WorkgroupIdX,
  WorkgroupIdY,
  WorkgroupIdZ,
  WorkgroupInfo,
  PrivateSegmentWaveByteOffset,
  WorkitemIdX,
  WorkitemIdY,
  WorkitemIdZ,
  PackedWorkitemId,  ///< x | y << 10 | z << 20, gfx90a and gfx942
};
const char* name(InitialRegister what);

struct RegisterSlot {
  InitialRegister what;
  uint8_t first;    ///< register number
  uint8_t count;    ///< registers
  uint8_t written;  ///< of these, how many are initialised: user SGPRs above 15 are counted, not
                    ///< written
};

struct InitialLayout {
  std::vector<RegisterSlot> user_sgprs;    ///< written by the packet processor
  std::vector<RegisterSlot> system_sgprs;  ///< written by the SPI, numbered from user_sgpr_count
  std::vector<RegisterSlot> vgprs;         ///< written by the SPI
  uint8_t user_sgpr_count = 0;
};

constexpr unsigned kMaxUserSgprs = 16;
constexpr uint64_t kPreloadEntryOffset = 256;

/// Address where waves start: packet processors that preload kernel arguments leave out the 256
/// bytes that load them for those that do not (LLVM AMDGPUUsage, "Preloaded Kernel Arguments").
uint64_t first_instruction(const KernelInfo& kernel);

/// The dwords of the kernel arguments at `kernarg` that the kernel wants in user SGPRs. A fault
/// when there is no memory.
AccessResult read_preload(const KernelInfo& kernel, uint64_t kernarg, const DeviceMemory& memory,
                          std::array<uint32_t, kMaxUserSgprs>& out);

/// Errors: fewer user SGPRs declared than enabled, a register the target does not have (scratch
/// set-up by SGPR with architected flat scratch), workitem_id of 3.
base::Result<InitialLayout> initial_layout(const KernelInfo& kernel);

}  // namespace cuvette::hsa
