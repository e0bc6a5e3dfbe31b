// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "base/bits.h"
#include "hsa/queue_error.h"
#include "spi/initial_state.h"
#include "spi/spi_model.h"

// Placement of work-groups: the dispatch, the compute unit, and the resources of their waves.
namespace cuvette::spi {

using machine::Cycle;

namespace {

/// A whole work-group has more waves than there are places in scratch memory.
bool lacks_scratch(const DispatchPlan& plan) {
  const Dispatch& d = plan.dispatch;
  return d.scratch_waves != 0 && d.private_bytes != 0 && plan.waves_per_group > d.scratch_waves;
}

}  // namespace

/// A dispatch that waits keeps the compute units of its mask: later ones go around them, so that
/// work-groups start in order wherever two dispatches may meet.
void SpiModel::place(Cycle now) {
  bool busy = false;
  claimed_.clear();
  std::optional<Resource> waits_for;  // the first that waits
  for (auto& entry : active_) find_next(*entry, now);
  if (is_frozen(now)) return;
  for (auto& entry : active_) {
    Active& active = *entry;
    if (active.ready > now) continue;
    Attempt attempt = Attempt::Placed;
    while (active.waits() && attempt == Attempt::Placed) {
      attempt = find_next(active, now) ? place_next(active, now) : Attempt::Busy;
    }
    if (attempt == Attempt::Never) {
      active.done.error = true;
      const bool starves = lacking_ == Resource::Scratch || lacks_scratch(active.plan);
      active.done.error_code = starves ? hsa::kQueueErrorScratch : hsa::kQueueErrorResources;
      active.give_up();
      end_wait(now);
    }
    if (!active.waits()) continue;
    if (!waits_for) waits_for = attempt == Attempt::Busy ? Resource::Launch : lacking_;
    busy = busy || attempt == Attempt::Busy;
    if (!active.masked) break;
    claim(active);
  }
  if (waits_for) wait_for(*waits_for, now);
  blocked_ = waits_for.has_value() && !busy;
}

/// The next work-group of a dispatch onto the first compute unit that takes it.
SpiModel::Attempt SpiModel::place_next(Active& active, Cycle now) {
  if (!find_scratch(active)) {
    lacking_ = Resource::Scratch;
    const Dispatch& d = active.plan.dispatch;
    const auto held = scratch_.lower_bound({d.vmid, d.scratch_base, 0});
    const bool any = held != scratch_.end() && held->vmid == d.vmid && held->base == d.scratch_base;
    return any ? Attempt::Full : Attempt::Never;
  }
  const unsigned first = placement_->first(last_place_, waves_at_);
  const bool timed = config_.allocation_cycles != 0;
  const bool smaller = waves_here_ < active.failed_waves;
  if (timed && smaller && now > active.next_search) forget_failures(active);
  bool launching = timed && smaller && now <= active.next_search;
  bool empty = true;                // all that it may use, as far as it was tried
  std::optional<Resource> missing;  // on the first one tried
  for (unsigned i = 0; i < compute_units(); ++i) {
    const unsigned place = (first + i) % compute_units();
    const unsigned index = places_[place];
    if (active.masked && !may_use(active, index)) continue;
    if (!claimed_.empty() && claimed_[index]) {
      empty = false;
      continue;
    }
    const Unit& unit = *units_[index];
    if (timed && active.failed[index]) {
      empty = empty && unit.held.empty();
      if (!missing) missing = active.failed[index];
      continue;
    }
    Cycle& next_search = engines_[unit.engine].next_search;
    if (unit.next_launch > now || next_search > now) {
      launching = true;
      continue;
    }
    const bool placed = place_group(active, index, now);
    next_search = now + Cycle{searched_} * config_.allocation_cycles;
    if (placed) {
      last_place_ = place;
      active.next_search = next_search;
      return Attempt::Placed;
    }
    empty = empty && unit.held.empty();
    if (!missing) missing = lacking_;
    if (timed) {
      active.failed[index] = lacking_;
      active.failed_waves = waves_here_;
    }
  }
  if (launching) return Attempt::Busy;
  if (missing) lacking_ = *missing;
  // Empty compute units have no room, or none may be used: that stays so.
  if (empty && active.waves_out == 0) {
    if (!missing) lacking_ = Resource::Slots;
    return Attempt::Never;
  }
  return Attempt::Full;
}

bool SpiModel::may_use(const Active& active, unsigned index) const {
  const Unit& unit = *units_[index];
  return allows(active.plan.dispatch.cu_mask, unit.engine, unit.in_engine);
}

void SpiModel::claim(const Active& active) {
  claimed_.resize(units_.size(), false);
  for (unsigned i = 0; i < units_.size(); ++i) claimed_[i] = claimed_[i] || may_use(active, i);
}

/// Places in scratch memory for the waves of the next work-group, in `scratch_places_`: a wave's
/// own number where that is free, so that a grid which has memory for all of its waves is always
/// placed alike. One that was saved goes on where it was. False when too few are free.
bool SpiModel::find_scratch(const Active& active) {
  const DispatchPlan& plan = active.plan;
  const Dispatch& d = plan.dispatch;
  const bool fresh = active.restore.empty();
  const uint64_t group = fresh ? active.next_group : active.restore.front().group;
  const uint32_t waves = waves_of(plan, group);
  const auto mask =
      static_cast<uint32_t>(fresh ? base::low_mask(waves) : uint64_t{active.restore.front().waves});
  waves_here_ = static_cast<uint32_t>(std::popcount(mask));
  scratch_places_.clear();
  for (uint32_t i = 0; i < waves; ++i) scratch_places_.push_back(wave_number(plan, group, i));
  if (d.scratch_waves == 0 || d.private_bytes == 0) return true;
  const ScratchPlace all{d.vmid, d.scratch_base, 0};
  std::vector<uint64_t> chosen;
  const auto is_taken = [&](uint64_t number) {
    return scratch_.count({all.vmid, all.base, number}) != 0 ||
           std::find(chosen.begin(), chosen.end(), number) != chosen.end();
  };
  uint64_t next = 0;  // the first that may be free
  for (uint32_t i = 0; i < waves; ++i) {
    if ((mask >> i & 1) == 0) continue;
    uint64_t& place = scratch_places_[i];
    if (place >= d.scratch_waves || is_taken(place)) {
      if (!fresh) return false;
      while (next < d.scratch_waves && is_taken(next)) ++next;
      if (next == d.scratch_waves) return false;
      place = next;
    }
    chosen.push_back(place);
  }
  return true;
}

/// The waves of `waves_` are launched.
void SpiModel::take_scratch(Active& active) {
  const Dispatch& d = active.plan.dispatch;
  if (d.scratch_waves == 0 || d.private_bytes == 0) return;
  for (const WaveLaunch& w : waves_) {
    const uint64_t place = scratch_places_[w.wave_in_group];
    active.moved = active.moved || place != wave_number(active.plan, w.id >> 4 & base::low_mask(36),
                                                        w.wave_in_group);
    const ScratchPlace taken{d.vmid, d.scratch_base, place};
    scratch_.insert(taken);
    scratch_of_.emplace(w.id, taken);
  }
}

void SpiModel::give_scratch(uint64_t wave) {
  const auto found = scratch_of_.find(wave);
  if (found == scratch_of_.end()) return;
  scratch_.erase(found->second);
  scratch_of_.erase(found);
}

bool SpiModel::place_group(Active& active, unsigned index, Cycle now) {
  Unit& unit = *units_[index];
  const bool fresh = active.restore.empty();
  const uint64_t number = fresh ? active.next_group : active.restore.front().group;
  const uint32_t all = waves_of(active.plan, number);
  found_room_.clear();
  for (uint32_t i = 0; i < all; ++i) {
    if (!fresh && (active.restore.front().waves >> i & 1) == 0) continue;
    Held& wave = found_room_.emplace_back();
    wave.wave = wave_id(active.plan, number, i);
    wave.group = next_group_key_;
  }
  const auto count = static_cast<uint32_t>(found_room_.size());
  if (!allocate(unit, active.plan)) return false;
  Group& group = unit.group(next_group_key_);
  waves_.clear();
  for (const Held& h : found_room_) {
    const auto i = static_cast<uint32_t>(h.wave - wave_id(active.plan, number, 0));
    WaveLaunch& w = waves_.emplace_back(
        initial_state(active.plan, config_.target, number, i, scratch_places_[i], config_.poison));
    if (!fresh) restore_wave(w, active.restore.front(), active.plan);
    w.workgroup = h.group;
    w.simd = h.simd;
    w.slot = h.slot;
    w.vgpr_base = h.vgpr_base;
    w.acc_base = h.acc_base;
    w.sgpr_base = h.sgpr_base;
    w.lds_base = group.lds_base;
  }
  take_scratch(active);
  group.number = number;
  group.dispatch = active.done.id;
  group.vmid = active.plan.dispatch.vmid;
  if (!fresh) {
    group.place = active.restore.front().place;
    group.room = active.plan.dispatch.save_area + uint64_t{group.place} * kRoomGranule;
    group.room_end = group.room + room_bytes(active.plan);
  }
  holding_.insert(index);
  sent_.insert(index);
  const Cycle search = config_.allocation_cycles;
  Cycle at = search == 0 ? now : now + count * search - 1;  // room for all has been found
  Cycle& told = engines_[unit.engine].told;
  told = std::max(told, at + 1);
  bool waits = false;  // the last wave does, and then the next search on its compute unit too
  uint32_t next = 0;   // wave of the work-group
  for (auto& w : waves_) {
    // The lanes of waves that were over are counted all the same.
    const uint32_t beats = contract::Message<WaveLaunch>::kBeats * (w.wave_in_group - next + 1u);
    next = w.wave_in_group + 1u;
    at += search == 0 ? config_.launch_cycles : std::max(config_.launch_cycles, beats);
    // The gds is told of a wave a cycle, and before the end of its launch: where the search takes
    // time, that and the search keep an engine to one wave a cycle.
    if (search != 0) waits = ++told >= at;
    at = search == 0 ? launch_slot(unit.engine, at, now) : std::max(at, told + 1);
    unit.port.launch.push(w, at);
    waves_in_engine_[unit.engine].enter(now);
    wave_order.push(WaveOrder{w.id, w.dispatch, false}, now + 1);
  }
  unit.next_launch = waits ? at + 1 : at;
  unit.last_launch = at;
  unit.launched = active.done.id;
  end_wait(now);
  ++counters_.workgroups;
  counters_.waves += count;
  active.waves_out += count;
  if (fresh) {
    ++active.next_group;
  } else {
    restored_waves_[unit.engine] += count;
    active.restore.pop_front();
    active.asks = now + count * search;
    active.found = machine::kNever;
  }
  ++next_group_key_;
  return true;
}

void SpiModel::forget_failures(Active& active) {
  active.failed_waves = 0;
  active.failed.assign(config_.allocation_cycles != 0 ? units_.size() : 0, std::nullopt);
}

Cycle SpiModel::launch_slot(unsigned engine, Cycle from, Cycle now) {
  std::vector<Cycle>& taken = engines_[engine].launches;
  taken.erase(taken.begin(), std::upper_bound(taken.begin(), taken.end(), now));
  auto at = std::lower_bound(taken.begin(), taken.end(), from);
  for (; at != taken.end() && *at == from; ++at) ++from;
  taken.insert(at, from);
  return from;
}

bool SpiModel::allocate(Unit& unit, const DispatchPlan& plan) {
  searched_ = 1;
  const uint32_t bytes = plan.dispatch.group_bytes;
  const auto lds = unit.lds.allocate(bytes);
  if (!lds) {
    lacking_ = Resource::Lds;
    return false;
  }
  const uint32_t key = found_room_.front().group;
  Group group;
  group.key = key;
  group.lds_base = *lds;
  group.lds_bytes = bytes;
  group.order = static_cast<uint32_t>(unit.orders.first_absent());
  unit.orders.insert(group.order);
  unit.groups.push_back(group);
  for (size_t i = 0; i < found_room_.size(); ++i) {
    searched_ = static_cast<uint32_t>(i + 1);
    if (allocate_wave(unit, plan, found_room_[i])) {
      ++unit.group(key).waves;
      continue;
    }
    if (i == 0) {
      unit.lds.free(*lds, bytes);
      unit.drop_group(key);
    }
    while (i-- > 0) release(unit, found_room_[i].wave);
    return false;
  }
  return true;
}

bool SpiModel::allocate_wave(Unit& unit, const DispatchPlan& plan, Held& wave) {
  // The emptiest SIMD with room; the lowest number decides between equals.
  std::vector<unsigned>& order = order_;
  order.resize(unit.simds.size());
  for (unsigned s = 0; s < order.size(); ++s) {
    unsigned place = s;
    for (; place > 0 && unit.simds[order[place - 1]].waves > unit.simds[s].waves; --place) {
      order[place] = order[place - 1];
    }
    order[place] = s;
  }
  const bool unified = isa::unified_vgprs(config_.target);
  const auto lack = [&](unsigned index, Resource resource) {
    if (index == order.front()) lacking_ = resource;
  };
  for (const unsigned index : order) {
    Simd& simd = unit.simds[index];
    const size_t slot = simd.slots.first_absent();
    if (slot >= config_.slots) {
      lack(index, Resource::Slots);
      continue;
    }
    const uint32_t rows = unified ? plan.vgpr_rows + plan.acc_rows : plan.vgpr_rows;
    const auto vgprs = simd.vgprs.allocate(rows);
    if (!vgprs) {
      lack(index, Resource::Vgprs);
      continue;
    }
    uint32_t acc_base = *vgprs + plan.vgpr_rows;
    if (!unified) {
      const auto acc = simd.acc.allocate(plan.acc_rows);
      if (!acc) {
        lack(index, Resource::AccVgprs);
        simd.vgprs.free(*vgprs, rows);
        continue;
      }
      acc_base = *acc;
    }
    const auto sgprs = simd.sgprs.allocate(plan.sgprs);
    if (!sgprs) {
      lack(index, Resource::Sgprs);
      simd.vgprs.free(*vgprs, rows);
      if (!unified) simd.acc.free(acc_base, plan.acc_rows);
      continue;
    }
    simd.slots.insert(slot);
    ++simd.waves;
    ++waves_at_[unit.place];
    wave.simd = static_cast<uint8_t>(index);
    wave.slot = static_cast<uint8_t>(slot);
    wave.vgpr_base = static_cast<uint16_t>(*vgprs);
    wave.vgpr_count = static_cast<uint16_t>(rows);
    wave.acc_base = static_cast<uint16_t>(acc_base);
    wave.acc_count = plan.acc_rows;
    wave.sgpr_base = static_cast<uint16_t>(*sgprs);
    wave.sgpr_count = plan.sgprs;
    unit.held.push_back(wave);
    return true;
  }
  return false;
}

const SpiModel::Group* SpiModel::release(Unit& unit, uint64_t wave) {
  const auto found = std::find_if(unit.held.rbegin(), unit.held.rend(),
                                  [wave](const Held& h) { return h.wave == wave; });
  assert(found != unit.held.rend());  // one WaveDone per WaveLaunch
  const Held h = *found;
  *found = unit.held.back();
  unit.held.pop_back();
  Simd& simd = unit.simds[h.simd];
  simd.slots.erase(h.slot);
  --simd.waves;
  --waves_at_[unit.place];
  simd.sgprs.free(h.sgpr_base, h.sgpr_count);
  simd.vgprs.free(h.vgpr_base, h.vgpr_count);
  if (!isa::unified_vgprs(config_.target)) simd.acc.free(h.acc_base, h.acc_count);
  Group& group = unit.group(h.group);
  if (--group.waves != 0) return nullptr;
  unit.lds.free(group.lds_base, group.lds_bytes);
  last_ = group;
  unit.drop_group(h.group);
  return &last_;
}

void SpiModel::wait_for(Resource resource, Cycle now) {
  if (waits_since_ != machine::kNever && waits_for_ == resource) return;
  end_wait(now);
  waits_for_ = resource;
  waits_since_ = now;
}

void SpiModel::end_wait(Cycle now) {
  if (waits_since_ == machine::kNever) return;
  counters_.stall_cycles[static_cast<unsigned>(waits_for_)] += now - waits_since_;
  waits_since_ = machine::kNever;
}

const char* name_of(Spi::Resource resource) {
  static constexpr const char* kNames[Spi::kResources] = {"launch", "slots", "vgprs",  "acc_vgprs",
                                                          "sgprs",  "lds",   "scratch"};
  return kNames[static_cast<unsigned>(resource)];
}

}  // namespace cuvette::spi
