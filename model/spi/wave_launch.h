// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "spi/cu_mask.h"
#include "wave/state.h"

/// Records that travel command_processor -> spi -> compute_unit and back.
namespace cuvette::spi {

/// One kernel dispatch as the command processor hands it over: the packet and the kernel's own
/// description, both still undigested, because turning them into registers is the spi's work
/// (Compute ABI, initial state).
struct Dispatch {
  uint32_t id = 0;  ///< chosen by the command processor, returned by DispatchDone
  uint8_t vmid = 0;
  uint8_t queue_priority = 0;
  uint64_t packet_address = 0;  ///< of the AQL packet in the ring
  uint64_t dispatch_index = 0;  ///< 64-bit packet number: the dispatch id of the ABI
  uint64_t queue_address = 0;   ///< amd_queue_t
  uint64_t kernel_object =
      0;               ///< kernel descriptor or amd_kernel_code_t, as the loader normalised it
  uint64_t entry = 0;  ///< first instruction
  uint64_t kernarg = 0;
  std::array<uint32_t, 3> grid{1, 1, 1};       ///< work-items
  std::array<uint16_t, 3> workgroup{1, 1, 1};  ///< work-items
  uint32_t group_bytes = 0;                    ///< LDS of a work-group
  uint32_t private_bytes = 0;                  ///< scratch of a work-item
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;    ///< COMPUTE_PGM_RSRC1..3
  uint32_t properties = 0;  ///< enable bits of the user SGPRs (kernel_code_properties)
  std::array<uint32_t, 4> scratch_descriptor{};  ///< amd_queue_t.scratch_resource_descriptor
  uint64_t scratch_base = 0;                     ///< backing memory of the queue's waves
  uint64_t scratch_bytes_per_wave = 0;
  uint64_t tba = 0, tma = 0;  ///< trap handler and its memory, byte addresses; 0: none
  // Of dispatches that come from the COMPUTE_* registers.
  bool from_registers = false;           ///< user SGPRs are `user_data`, as many as rsrc2 says
  std::array<uint32_t, 16> user_data{};  ///< COMPUTE_USER_DATA_0..15
  std::array<uint32_t, 3> start{0, 0,
                                0};  ///< first work-group id; the grid starts at 0 all the same
  CuMask cu_mask = kAllUnits;        ///< where its work-groups may be
};

/// The waves of a dispatch end where they are, and no other one starts.
struct Cancel {
  uint32_t dispatch = 0;
};

/// What is asked of waves from outside (SQ_CMD): of one wave, or of all that the masks admit.
enum class WaveAction : uint8_t {
  Kill,  ///< ends without an error when its accesses are back
  Halt,
  Resume,
  Attach,  ///< of all: waves that halt stay until somebody lets them go on
  Detach,  ///< as after reset: waves that halt end with an error
};
struct WaveCommand {
  WaveAction action = WaveAction::Kill;
  bool one = false;          ///< `simd` and `slot` count
  bool of_vmid = false;      ///< `vmid` counts
  bool of_dispatch = false;  ///< `dispatch` counts
  uint8_t simd = 0, slot = 0;
  uint8_t vmid = 0;
  uint32_t dispatch = 0;
};

/// Answer to a Dispatch when its last wave has ended and its resources are free.
struct DispatchDone {
  uint32_t id = 0;
  bool error = false;
  uint32_t error_code = 0;  ///< queue error bits, as amd_queue_t and abi_items name them
  uint64_t error_address = 0, error_pc = 0;
};

/// Registers of a new wave in ABI order. Values only; the compute unit copies them.
struct WaveLaunch {
  uint64_t id = 0;  ///< unique for the whole run: (dispatch, work-group, wave) in grid order
  uint32_t dispatch = 0;
  std::array<uint32_t, 3> workgroup_id{};
  uint32_t workgroup = 0;  ///< key of the work-group on this compute unit (barrier, LDS)
  uint8_t wave_in_group = 0, waves_in_group = 1;
  uint8_t vmid = 0;
  uint8_t simd = 0, slot = 0;
  uint16_t vgpr_base = 0, vgpr_count = 0;  ///< rows
  uint16_t acc_base = 0, acc_count = 0;
  uint16_t sgpr_base = 0, sgpr_count = 0;  ///< in the scalar register file of the SIMD
  uint32_t lds_base = 0, lds_bytes = 0;
  uint64_t scratch_base = 0;   ///< of this wave
  uint32_t private_bytes = 0;  ///< per work-item
  uint64_t pc = 0;
  uint64_t tba = 0, tma = 0;  ///< as in Dispatch
  uint64_t exec = 0;          ///< live work-items
  uint32_t mode = 0, status = 0, m0 = 0;
  uint8_t priority = 0;
  uint8_t sgprs = 0;  ///< s0.. that are initialised
  std::array<uint32_t, 48> sgpr{};
  uint64_t flat_scratch = 0;
  uint8_t vgprs = 0;  ///< v0.. that are initialised
  std::array<wave::LaneRow, 3> vgpr{};
};

/// A wave begins or has ended: what the gds goes by when ordered counts have to wait for earlier
/// waves. Begins come in the order of launch, ascending ids in a dispatch.
struct WaveOrder {
  uint64_t wave = 0;  ///< WaveLaunch::id
  uint32_t dispatch = 0;
  bool ended = false;
};

/// A wave has ended: its slot and registers may be given away; its LDS and barrier when the last
/// wave of the work-group is gone. Exactly one per WaveLaunch.
struct WaveDone {
  uint64_t id = 0;
  uint8_t simd = 0, slot = 0;
  uint32_t dispatch = 0;
  uint32_t workgroup = 0;
  bool error = false;
  uint32_t error_code = 0;
  uint64_t error_address = 0, error_pc = 0;
};

}  // namespace cuvette::spi
