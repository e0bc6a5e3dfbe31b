// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "compute_unit/matrix_scoreboard.h"
#include "compute_unit/memory_unit.h"
#include "hsa/address_space.h"
#include "isa/instruction.h"
#include "machine/core.h"
#include "spi/wave_launch.h"
#include "wave/code_flow.h"
#include "wave/memory_op.h"
#include "wave/state.h"

namespace cuvette::compute_unit {

enum class Phase : uint8_t {
  Free,
  Running,
  AtBarrier,
  Ending,  ///< S_ENDPGM or an error: leaves when nothing is outstanding
};

/// Part of a launch record that stays when the registers have their values.
struct Identity {
  Identity() = default;
  explicit Identity(const spi::WaveLaunch& l)
      : id(l.id),
        dispatch(l.dispatch),
        workgroup(l.workgroup),
        wave_in_group(l.wave_in_group),
        waves_in_group(l.waves_in_group),
        vmid(l.vmid),
        doorbell(l.doorbell),
        simd(l.simd),
        slot(l.slot),
        vgpr_base(l.vgpr_base),
        vgpr_count(l.vgpr_count),
        acc_base(l.acc_base),
        acc_count(l.acc_count),
        lds_base(l.lds_base),
        lds_bytes(l.lds_bytes) {}

  uint64_t id = 0;                       ///< WaveLaunch::id
  uint32_t dispatch = 0, workgroup = 0;  ///< Dispatch::id; key of the work-group here
  uint8_t wave_in_group = 0, waves_in_group = 1, vmid = 0;  ///< the first counts from 0
  uint16_t doorbell = 0;                                    ///< index that MSG_GET_DOORBELL answers
  uint8_t simd = 0, slot = 0;                               ///< place on the compute unit
  /// Rows of the register files.
  uint16_t vgpr_base = 0, vgpr_count = 0, acc_base = 0, acc_count = 0;
  uint32_t lds_base = 0, lds_bytes = 0;  ///< of its work-group; bytes
};

/// Classes of the counters that the cycles of a wave are in, one each.
struct Residency {
  bool stalled = false;          ///< by `stall`; otherwise the wave is on its way to the next try
  Stall stall = Stall::Fetch;    ///< reason, while `stalled`
  bool issues = false;           ///< the cycle `accounted` is that of an issue
  machine::Cycle accounted = 0;  ///< earlier cycles are in a class
  uint64_t pc = 0;               ///< of the instruction that is to issue, for who watches

  /// Puts the cycles before `end` that are in no class yet into theirs. Between tries the wave has
  /// nothing to try before `ready_at`.
  void account(machine::Cycle end, machine::Cycle ready_at, bool sleeping,
               ComputeUnit::Counters& into);
};

/// One wave slot. State that every try of an instruction reads comes first, by lines of 64 bytes,
/// so that many waves fit into the caches of the host.
struct alignas(64) WaveContext {
  Phase phase = Phase::Free;
  bool sleeping = false;        ///< S_SLEEP, until `ready_at`
  bool in_place = false;        ///< `state` has the registers: instructions take effect when issued
  bool saves = false;           ///< enters the trap handler at the next border of instructions
  bool steps = false;           ///< the same, asked for by its last instruction
  unsigned index = 0;           ///< simd * slots + slot
  uint32_t raised = 0;          ///< exceptions (TRAPSTS bits) not reported to the trap handler
  unsigned valu = 0;            ///< vector instructions in the simd
  machine::Cycle ready_at = 0;  ///< no issue before
  machine::Cycle wake = 0;      ///< no use in trying before, unless something arrives
  uint64_t order = 0;           ///< instructions issued
  Residency residency;          ///< classes of its cycles

  uint64_t age = 0;  ///< launches before this one
  Identity launch;
  unsigned scalar_results = 0;         ///< those of `valu` that will write SGPRs, VCC or EXEC
  unsigned vm = 0, lgkm = 0, exp = 0;  ///< VM_CNT, LGKM_CNT, EXP_CNT

  machine::Cycle valu_until = 0;    ///< vector instructions that took effect at issue retire then
  machine::Cycle scalar_until = 0;  ///< those of them that wrote SGPRs, VCC or EXEC
  hsa::CodeExtent code;             ///< code that it executes
  /// Address at which straight-line execution goes on behind the last instruction.
  uint64_t falls_to = wave::kNoFallThrough;
  MatrixScoreboard matrix;  ///< its matrix instructions

  wave::WaveState state;

  machine::Cycle launched_at = 0;          ///< cycle of the launch record
  wave::SyncOp sync = wave::SyncOp::None;  ///< the one that is not done
  std::vector<Operation*> vm_order;        ///< they return in issue order (MI100 ISA 4.4)

  unsigned raised_length = 0;  ///< dwords of the instruction that raised them, 0: imprecise

  bool save_first = false;  ///< stores the LDS before the trap handler
  uint64_t save_room = 0;   ///< answer that the handler gets; 0: nobody saves the wave
  bool saved = false;       ///< S_ENDPGM_SAVED

  bool killed = false;       ///< ends by a command
  bool failed = false;       ///< ends by an error
  bool unsupported = false;  ///< failed, by an instruction nobody has
  std::string failure;      ///< compute unit, wave, pc, instruction and reason; empty unless failed
  uint32_t error_code = 0;  ///< of hsa/queue_error.h
  uint64_t error_address = 0, error_pc = 0;  ///< of a memory fault, 0: none; of the instruction

  /// When all vector instructions, or those with scalar results, are retired; kNever: not known.
  machine::Cycle vector_done() const { return valu != 0 ? machine::kNever : valu_until; }
  machine::Cycle scalar_done() const {
    return scalar_results != 0 ? machine::kNever : scalar_until;
  }
  /// When nothing is outstanding; kNever: not known.
  machine::Cycle idle_at() const {
    return vm == 0 && lgkm == 0 && exp == 0 && matrix.idle() ? vector_done() : machine::kNever;
  }
  /// SPI_PRIO + WAVE_PRIO (STATUS bits 2:1 and 4:3).
  unsigned priority() const { return ((state.s.status >> 1) & 3) + ((state.s.status >> 3) & 3); }
};

/// State that relative operands of the wave's next instruction depend on.
inline wave::Relative relative_of(const WaveContext& wave) {
  return {wave.state.s.mode.raw, wave.state.s.m0()};
}

/// Activity of the wave at `time`, without what only its kind has.
Activity activity_of(const WaveContext& wave, Activity::Kind kind, machine::Cycle time,
                     uint64_t pc);

/// S_WAITCNT: fields of SIMM16 (isa_notes 38).
struct WaitCount {
  unsigned vm = 63, exp = 7, lgkm = 15;  ///< the greatest counts that pass
  explicit WaitCount(uint32_t simm16);
};

/// HW_REG_IB_STS as S_GETREG reads it.
uint32_t ib_sts(const WaveContext& wave);

/// The architectural state a launch record describes (vector registers apart), in a state that is
/// as made. `place`: CU_ID and SE_ID of HW_ID.
void set_initial_state(wave::WaveState& wave, const spi::WaveLaunch& launch, isa::Target target,
                       bool sramecc, uint32_t place, uint64_t shared_aperture,
                       uint64_t private_aperture, bool poison);
/// CU_ID 11:8, SE_ID from 13 on (Vega ISA table 5, HW_ID) of a compute unit; an engine has one
/// array, so that SH_ID is 0. 8 engines of 16 compute units at most have places of their own.
uint32_t place_of(unsigned compute_unit, unsigned units_per_engine);

}  // namespace cuvette::compute_unit
