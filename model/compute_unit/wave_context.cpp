// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/wave_context.h"

#include <algorithm>
#include <iterator>

#include "base/bits.h"
#include "vrf/vrf_model.h"
#include "wave/operand.h"

namespace cuvette::compute_unit {
namespace {

struct StallNames {
  const char* name;
  const char* text;
};
/// By Stall.
constexpr StallNames kStallNames[] = {{"fetch", "instruction fetch"},
                                      {"arbitration", "the turn of another wave"},
                                      {"scalar_result", "a scalar result of a vector instruction"},
                                      {"waitcnt", "s_waitcnt"},
                                      {"vector_result", "vector results"},
                                      {"message", "room for a message"},
                                      {"matrix_result", "a matrix result"},
                                      {"simd", "the simd"},
                                      {"matrix_core", "the matrix core"},
                                      {"memory_pipeline", "the memory pipeline"},
                                      {"lds", "the lds"},
                                      {"full_counter", "a full counter"},
                                      {"barrier", "other waves at the barrier"},
                                      {"latency", "its last instruction"},
                                      {"sleep", "the end of its sleep"},
                                      {"rotation", "the turn of its simd"},
                                      {"halt", "a debugger"},
                                      {"end", "outstanding memory before the end"}};
static_assert(std::size(kStallNames) == kStalls);

}  // namespace

const char* name_of(Stall stall) {
  return kStallNames[static_cast<unsigned>(stall)].name;
}

const char* text_of(Stall stall) {
  return kStallNames[static_cast<unsigned>(stall)].text;
}

WaitCount::WaitCount(uint32_t simm16)
    : vm(static_cast<unsigned>(base::bits(simm16, 3, 0) | base::bits(simm16, 15, 14) << 4)),
      exp(static_cast<unsigned>(base::bits(simm16, 6, 4))),
      lgkm(static_cast<unsigned>(base::bits(simm16, 11, 8))) {}

void Residency::account(machine::Cycle end, machine::Cycle ready_at, bool sleeping,
                        ComputeUnit::Counters& into) {
  if (end <= accounted) return;
  const auto add = [&into](Stall reason, machine::Cycle cycles) {
    into.stalled[static_cast<unsigned>(reason)] += cycles;
  };
  if (stalled) {
    add(stall, end - accounted);
  } else {
    machine::Cycle from = accounted;
    if (issues) {
      ++into.issue_cycles;
      ++from;
    }
    const machine::Cycle ready = std::clamp(ready_at, from, end);
    add(sleeping ? Stall::Sleep : Stall::Latency, ready - from);
    add(Stall::Rotation, end - ready);
  }
  issues = false;
  accounted = end;
}

/// VM_CNT 3:0, EXP_CNT 6:4, LGKM_CNT 11:8, VALU_CNT 14:12, upper VM_CNT 23:22.
uint32_t ib_sts(const WaveContext& wave) {
  const unsigned vm = std::min(wave.vm, 63u);
  return (vm & 15) | std::min(wave.exp, 7u) << 4 | std::min(wave.lgkm, 15u) << 8 |
         std::min(wave.valu, 7u) << 12 | (vm >> 4) << 22;
}

uint32_t place_of(unsigned compute_unit, unsigned units_per_engine) {
  return (compute_unit % units_per_engine & 15) << 8 | (compute_unit / units_per_engine & 7) << 13;
}

void set_initial_state(wave::WaveState& w, const spi::WaveLaunch& launch, isa::Target target,
                       bool sramecc, uint32_t place, uint64_t shared_aperture,
                       uint64_t private_aperture, bool poison) {
  w.target = target;
  w.sramecc = sramecc;
  if (poison) std::fill_n(w.s.sgpr.begin(), isa::kLastSgpr + 1, vrf::kPoison);
  // `sgpr` holds what the spi wants in all of its registers, named or not.
  std::copy(launch.sgpr.begin(), launch.sgpr.begin() + launch.sgprs, w.s.sgpr.begin());
  w.s.set_pair(isa::kFlatScratchLo, launch.flat_scratch);
  w.s.sgpr[isa::kM0] = launch.m0;
  w.s.set_exec(launch.exec);
  w.s.pc = launch.pc;
  w.s.tba = launch.tba;
  w.s.tma = launch.tma;
  w.s.mode.raw = launch.mode;
  w.s.status = static_cast<uint32_t>(base::insert_bits(launch.status, 2, 1, launch.priority & 3u));
  if (launch.waves_in_group > 1) w.s.status |= wave::kStatusInTg;
  w.alloc.vgprs = launch.vgpr_count;
  w.alloc.accvgprs = launch.acc_count;
  w.alloc.sgprs = launch.sgpr_count;
  w.alloc.lds_bytes = launch.lds_bytes;
  // WAVE_ID 3:0, SIMD_ID 5:4, VM_ID 23:20.
  w.alloc.hw_id = launch.slot | uint32_t{launch.simd} << 4 | place | (launch.vmid & 15u) << 20;
  w.alloc.vgpr_base = static_cast<uint8_t>(launch.vgpr_base / 4);
  w.alloc.sgpr_base = static_cast<uint8_t>(launch.sgpr_base / 8);
  w.alloc.lds_base = static_cast<uint8_t>(launch.lds_base / 256);
  w.alloc.shared_aperture = shared_aperture;
  w.alloc.private_aperture = private_aperture;
  w.alloc.scratch_base = launch.scratch_base;
  w.alloc.scratch_bytes_per_lane = launch.private_bytes;
}

Activity activity_of(const WaveContext& wave, Activity::Kind kind, machine::Cycle time,
                     uint64_t pc) {
  Activity a;
  a.kind = kind;
  a.time = time;
  a.wave = wave.launch.id;
  a.dispatch = wave.launch.dispatch;
  a.workgroup = wave.launch.workgroup;
  a.simd = wave.launch.simd;
  a.slot = wave.launch.slot;
  a.pc = pc;
  return a;
}

}  // namespace cuvette::compute_unit
