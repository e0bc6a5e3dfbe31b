// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "compute_unit/compute_unit_tlm.h"
#include "compute_unit/wave_control.h"
#include "vrf/vrf_tlm.h"

// The life of a wave: launch record to WaveDone.
namespace cuvette::compute_unit {

using machine::Cycle;

void ComputeUnitTlm::take_launches(Cycle now) {
  while (const spi::WaveLaunch* record = port_->launch.front(now)) {
    launch(*record, now);
    port_->launch.drop(now);
  }
}

void ComputeUnitTlm::launch(const spi::WaveLaunch& record, Cycle now) {
  WaveContext& w = waves_[record.simd * config_.slots + record.slot];
  const unsigned index = w.index;
  // In place: most of a context is registers, and a copy would cost as much again.
  std::destroy_at(&w);
  std::construct_at(&w);
  w.index = index;
  w.phase = Phase::Running;
  w.launch = Identity(record);
  w.age = launches_++;
  w.ready_at = now + 1;
  const bool poison = config_.simd.registers.seed != 0;
  set_initial_state(w.state, record, config_.target, config_.sramecc,
                    place_of(config_.index, config_.units_per_engine), config_.shared_aperture,
                    config_.private_aperture, poison);
  w.state.clock = [](void* now_of) { return static_cast<uint64_t>(*static_cast<Cycle*>(now_of)); };
  w.state.clock_context = &now_;
  clear_registers(record, now);
  if (unit_of(w).pipeline_cycles != 0) {
    const Identity& l = w.launch;
    w.state.v =
        unit_of(w).simd->registers().view(l.vgpr_base, l.vgpr_count, l.acc_base, l.acc_count);
    w.in_place = w.state.v.arch != nullptr;
  }
  wake(w);
  unit_of(w).resident |= uint64_t{1} << record.slot;
  occupied_ |= uint64_t{1} << record.simd;

  if (std::none_of(groups_.begin(), groups_.end(),
                   [&](const WorkgroupContext& g) { return g.key == record.workgroup; })) {
    WorkgroupContext group;
    group.key = record.workgroup;
    group.waves = record.waves_in_group;
    group.lds_base = record.lds_base;
    group.lds_bytes = record.lds_bytes;
    groups_.push_back(group);
    const std::vector<uint8_t> zeros(record.lds_bytes);
    if (!zeros.empty()) {
      lds_->poke(record.lds_base, zeros.data(), record.lds_bytes);
      lds_next_ = std::min(lds_next_, lds_->next_event());  // a device has to store them
    }
  }
  fetch_.start(w.index, record.pc, record.vmid, w.age);
  ++counters_.waves;
  w.launched_at = w.residency.accounted = now;
  if (watcher_) tell(w, Activity::Kind::Launch, record.pc);
  if (resident_++ == 0) resident_since_ = now;
}

/// Every register of the allocation starts defined (decisions.md D10).
void ComputeUnitTlm::clear_registers(const spi::WaveLaunch& r, Cycle now) {
  const WaveContext& w = waves_[r.simd * config_.slots + r.slot];
  vrf::Vrf& registers = unit_of(w).simd->registers();
  static constexpr wave::LaneRow kZero{};
  static const wave::LaneRow kPoisoned = [] {
    wave::LaneRow row;
    row.fill(vrf::kPoison);
    return row;
  }();
  const wave::LaneRow& blank = config_.simd.registers.seed != 0 ? kPoisoned : kZero;
  for (const bool acc : {false, true}) {
    const unsigned count = acc ? r.acc_count : r.vgpr_count;
    for (unsigned i = 0; i < count; ++i) {
      const bool named = !acc && i < r.vgprs;
      registers.write(vrf::WritePort::LaunchInit, now, row_of(w, acc, i), ~uint64_t{0},
                      named ? r.vgpr[i] : blank);
    }
  }
}

void ComputeUnitTlm::end_waves(Cycle now) {
  for_ending([this, now](WaveContext& w) {
    if (w.idle_at() > now) return;
    --ending_;
    port_->done.push(done_of(w), now + 1);
    fetch_.stop(w.index);
    account(w, now);
    w.phase = Phase::Free;
    SimdUnit& unit = unit_of(w);
    unit.resident &= ~(uint64_t{1} << w.launch.slot);
    unit.ending &= unit.resident;
    if (unit.resident == 0) occupied_ &= ~(uint64_t{1} << w.launch.simd);
    counters_.wave_cycles += w.residency.accounted - w.launched_at;
    if (watcher_) tell(w, Activity::Kind::End, w.state.s.pc);
    if (--resident_ == 0) counters_.busy_cycles += now - resident_since_;

    // Ended waves are discounted at barriers (isa_notes 39).
    const uint32_t key = w.launch.workgroup;
    WorkgroupContext& group = group_of(key);
    if (++group.ended == group.waves) {
      group = groups_.back();
      groups_.pop_back();
    } else {
      release_barrier(key, now);
    }
  });
}

void ComputeUnitTlm::begin_end(WaveContext& w) {
  w.phase = Phase::Ending;
  simds_[w.launch.simd].ending |= uint64_t{1} << w.launch.slot;
  ++ending_;
}

/// Lets everybody go when all waves that still live have arrived.
void ComputeUnitTlm::release_barrier(uint32_t key, Cycle now) {
  WorkgroupContext& group = group_of(key);
  if (group.arrived == 0 || group.arrived + group.ended != group.waves) return;
  group.arrived = 0;
  for_resident([&](WaveContext& w) {
    if (w.phase != Phase::AtBarrier || w.launch.workgroup != key) return;
    w.phase = Phase::Running;
    end_stall(w);
    w.ready_at = now + std::max(1u, config_.timing.barrier_cycles);
    wake(w);
    follow_halt(w, now);
  });
}

/// The end of a message about an address.
std::string ComputeUnitTlm::near_buffer(const WaveContext& w, uint64_t address) const {
  const std::string place = config_.address_space->place_of(w.launch.vmid, address, 0);
  return place.empty() ? place : ", " + place;
}

void ComputeUnitTlm::fail(WaveContext& w, uint32_t code, uint64_t address, const std::string& why,
                          const isa::Instruction* instruction) {
  if (w.failed || w.killed) return;
  w.failed = true;
  start_stall(w, Stall::End, now_);
  if (w.phase == Phase::AtBarrier) --group_of(w.launch.workgroup).arrived;
  if (w.phase != Phase::Ending) begin_end(w);
  leave_gds(w);
  w.error_code = code;
  w.error_address = address;
  w.error_pc = w.state.s.pc;
  w.failure = place_of(config_.index, w, w.state.s.pc, instruction) + ": " + why;
  if (failure_.empty()) failure_ = w.failure;
  failures_[w.launch.id] = w.failure;
}

}  // namespace cuvette::compute_unit
