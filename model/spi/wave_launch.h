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
  /// Enable bits of the user SGPRs (kernel_code_properties); above them kernarg_preload, whose
  /// dwords are in `user_data`.
  uint32_t properties = 0;
  std::array<uint32_t, 4> scratch_descriptor{};  ///< amd_queue_t.scratch_resource_descriptor
  uint64_t scratch_base = 0;                     ///< backing memory of the queue's waves
  uint64_t scratch_bytes_per_wave = 0;
  /// Waves that memory holds: a wave has one of so many places while it runs, shared with all grids
  /// of its base. 0: as many as the grid has.
  uint32_t scratch_waves = 0;
  uint64_t tba = 0, tma = 0;  ///< trap handler and its memory, byte addresses; 0: none
  // Of dispatches that come from the COMPUTE_* registers.
  bool from_registers = false;  ///< user SGPRs are `user_data`, as many as rsrc2 says
  /// COMPUTE_USER_DATA_0..15; of a packet the preloaded kernel arguments.
  std::array<uint32_t, 16> user_data{};
  std::array<uint32_t, 3> start{0, 0,
                                0};  ///< first work-group id; the grid starts at 0 all the same
  CuMask cu_mask = kAllUnits;        ///< where its work-groups may be
  // Of dispatches that were saved.
  uint64_t save_area = 0;   ///< what SavedGroup::place counts from
  uint64_t next_group = 0;  ///< work-groups before it have started, in flattened order
};

/// The waves of a dispatch end where they are, and no other one starts.
struct Cancel {
  uint32_t dispatch = 0;
};

/// Rooms of saved work-groups start at multiples of this many bytes.
inline constexpr uint32_t kRoomGranule = 4096;
/// Of a room, per wave: scalar registers and what else a trap handler keeps.
inline constexpr uint32_t kScalarRoom = 1024;

/// No further work-group of the dispatch starts, the trap handlers of its waves save them, and
/// DispatchDone says so. Each work-group gets a room of its own in [area + from, area + to).
/// Without a trap handler, or when the rooms do not fit, nothing happens: the dispatch goes on.
struct Save {
  uint32_t dispatch = 0;
  uint64_t area = 0;
  uint32_t from = 0, to = 0;
  uint32_t groups = 0;  ///< so many work-groups at most
};
/// A work-group that was saved: told to the command processor, and by it, before the Dispatch, when
/// it is to go on.
struct SavedGroup {
  uint32_t dispatch = 0;
  uint32_t group = 0;  ///< flattened id
  uint16_t place = 0;  ///< of its room in the area, in kRoomGranule
  uint16_t waves = 0;  ///< bit n: wave n has been saved; the others were over
};

/// What is asked of waves from outside (SQ_CMD): of one wave, or of all that the masks admit.
enum class WaveAction : uint8_t {
  Kill,  ///< ends without an error when its accesses are back
  Halt,
  Resume,
  Attach,  ///< of all: waves that halt stay until somebody lets them go on
  Detach,  ///< as after reset: waves that halt end with an error
  Save,    ///< of one work-group: into the trap handler, with `room` for what it stores
};
struct WaveCommand {
  WaveAction action = WaveAction::Kill;
  bool one = false;          ///< `simd` and `slot` count
  bool of_vmid = false;      ///< `vmid` counts
  bool of_dispatch = false;  ///< `dispatch` counts
  uint8_t simd = 0, slot = 0;
  uint8_t vmid = 0;
  uint32_t dispatch = 0;
  // Of Save.
  uint32_t workgroup = 0;   ///< WaveLaunch::workgroup
  uint64_t room = 0;        ///< address
  uint32_t wave_bytes = 0;  ///< of each wave
};

/// Where in the room of its work-group a wave is saved. The first one, which has the LDS behind its
/// registers, is the lowest that is left.
constexpr uint64_t room_of(uint64_t room, uint32_t wave_bytes, uint32_t lds_bytes, unsigned wave,
                           bool first) {
  return first ? room : room + lds_bytes + uint64_t{wave} * wave_bytes;
}
/// What S_SENDMSG(SAVEWAVE), and the start of a restored wave, put into EXEC (public driver source,
/// trap handler of gfx9): the address, and bit 26 of the upper half for the first wave.
constexpr uint64_t save_answer(uint64_t address, bool first) {
  return address | uint64_t{first} << 58;
}

/// Answer to a Dispatch when its last wave has ended and its resources are free.
struct DispatchDone {
  uint32_t id = 0;
  bool error = false;
  uint32_t error_code = 0;  ///< queue error bits, as amd_queue_t and abi_items name them
  uint64_t error_address = 0, error_pc = 0;
  // After a Save.
  bool saved = false;       ///< a part of it is still to run
  uint64_t next_group = 0;  ///< work-groups before it have started
  uint32_t save_end = 0;    ///< bytes of the area up to the end of its last room
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
  bool saved = false;  ///< by S_ENDPGM_SAVED after a Save
  bool first = false;  ///< of a saved one: it has stored the LDS
};

}  // namespace cuvette::spi
