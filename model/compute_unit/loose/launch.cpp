// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "compute_unit/loose/loose_unit.h"
#include "compute_unit/wave_control.h"
#include "vrf/vrf_model.h"

// The life of a wave: launch record to WaveDone.
namespace cuvette::compute_unit::loose {

using machine::Cycle;

namespace {

/// Registers of the wave, as the record wants them, the others defined (decisions.md D10).
void fill_registers(Slot& w, const spi::WaveLaunch& r, bool poison) {
  wave::LaneRow blank{};
  if (poison) blank.fill(vrf::kPoison);
  w.rows.assign(size_t{r.vgpr_count} + r.acc_count, blank);
  const unsigned named = std::min<unsigned>(r.vgprs, r.vgpr_count);
  std::copy_n(r.vgpr.begin(), named, w.rows.begin());
  w.state.v.arch = w.rows.data();
  w.state.v.arch_count = r.vgpr_count;
  w.state.v.acc = r.acc_count != 0 ? w.rows.data() + r.vgpr_count : nullptr;
  w.state.v.acc_count = r.acc_count;
}

}  // namespace

void LooseUnit::take_launches() {
  while (const spi::WaveLaunch* record = port_->launch.front(now_)) {
    launch(*record);
    port_->launch.drop(now_);
  }
}

void LooseUnit::launch(const spi::WaveLaunch& record) {
  // The sender of a dispatch has acquired before.
  if (!any_dispatch_ || record.dispatch > newest_dispatch_) {
    any_dispatch_ = true;
    newest_dispatch_ = record.dispatch;
    levels_.begin(record.dispatch);
    renew_code();
  }
  Slot& w = slots_[record.simd * config_.slots + record.slot];
  const unsigned index = w.index;
  wave::LaneRows rows = std::move(w.rows);
  std::destroy_at(&w);
  std::construct_at(&w);
  w.rows = std::move(rows);
  w.index = index;
  w.phase = Phase::Running;
  w.launch = Identity(record);
  w.age = launches_++;
  const bool poison = config_.simd.registers.seed != 0;
  set_initial_state(w.state, record, config_.target, config_.sramecc,
                    place_of(config_.index, config_.units_per_engine), config_.shared_aperture,
                    config_.private_aperture, poison);
  fill_registers(w, record, poison);
  w.state.clock = [](void* wave) {
    return static_cast<uint64_t>(static_cast<Slot*>(wave)->ready_at);
  };
  w.state.clock_context = &w;
  w.view = code_of(record.vmid).view.get();
  join_group(w, record);
  resident_.push_back(&w);
  ++counters_.waves;
  w.launched_at = w.ready_at = now_;
  w.place = record.pc;
  advance(w, now_ + 1, Stall::Latency);
  advance(w, w.ready_at + refill_, Stall::Fetch);
  if (resident_.size() == 1 && now_ > busy_to_) {
    counters_.busy_cycles += busy_to_ - busy_from_;
    busy_from_ = busy_to_ = now_;
  }
  if (watcher_) tell(w, Activity::Kind::Launch, now_, record.pc, nullptr, {});
}

void LooseUnit::join_group(Slot& w, const spi::WaveLaunch& record) {
  for (const auto& group : groups_) {
    if (group->key == record.workgroup) w.group = group.get();
  }
  if (w.group != nullptr) return;
  std::unique_ptr<Group> fresh;
  if (spare_groups_.empty()) {
    fresh = std::make_unique<Group>();
  } else {
    fresh = std::move(spare_groups_.back());
    spare_groups_.pop_back();
  }
  fresh->key = record.workgroup;
  fresh->waves = record.waves_in_group;
  fresh->arrived = fresh->ended = 0;
  fresh->latest = 0;
  fresh->lds.assign(record.lds_bytes, 0);
  w.group = fresh.get();
  groups_.push_back(std::move(fresh));
}

/// The wave is over when all that it has sent is back.
void LooseUnit::end_wave(Slot& w) {
  const Cycle back =
      std::max({w.ready_at, w.vector_back.all(), w.scalar_back.all(), w.results_at, w.matrix_at});
  advance(w, back, Stall::End);
  if (residency_watcher_) tell_slept(w, w.ready_at);
  w.phase = Phase::Free;
  std::erase(resident_, &w);
  put(done_, w.ready_at + 1, done_of(w));
  counters_.wave_cycles += w.ready_at - w.launched_at;
  busy_to_ = std::max(busy_to_, w.ready_at);
  if (watcher_) tell(w, Activity::Kind::End, w.ready_at, w.state.s.pc, nullptr, {});

  // Ended waves are discounted at barriers (isa_notes 39).
  Group& group = *w.group;
  group.latest = std::max(group.latest, w.ready_at);
  if (++group.ended != group.waves) return release_barrier(group);
  const auto found = std::find_if(groups_.begin(), groups_.end(),
                                  [&](const auto& g) { return g.get() == &group; });
  spare_groups_.push_back(std::move(*found));
  groups_.erase(found);
}

/// Lets everybody go when all waves that still live have arrived.
void LooseUnit::release_barrier(Group& group) {
  if (group.arrived == 0 || group.arrived + group.ended != group.waves) return;
  group.arrived = 0;
  const Cycle from = group.latest + std::max(1u, config_.timing.barrier_cycles);
  for (Slot* w : resident_) {
    if (w->phase != Phase::AtBarrier || w->group != &group) continue;
    w->phase = Phase::Running;
    w->released = true;
    advance(*w, from, Stall::Barrier);
  }
}

/// Its program is over; what it waits for in the gds is not.
void LooseUnit::leave_program(Slot& w) {
  if (w.phase == Phase::AtBarrier) --w.group->arrived;
  w.phase = Phase::Ending;
  leave_gds(w);
  if (w.in_gds == nullptr) end_wave(w);
}

void LooseUnit::fail(Slot& w, uint32_t code, uint64_t address, const std::string& why,
                     const isa::Instruction* instruction) {
  if (w.failed || w.killed) return;
  w.failed = true;
  w.error_code = code;
  w.error_address = address;
  w.error_pc = w.state.s.pc;
  w.failure = place_of(config_.index, w, w.state.s.pc, instruction) + ": " + why;
  if (failure_.empty()) failure_ = w.failure;
  failures_[w.launch.id] = w.failure;
  leave_program(w);
}

}  // namespace cuvette::compute_unit::loose
