// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "spi/spi_tlm.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/bits.h"
#include "hsa/queue_error.h"

namespace cuvette::spi {

using machine::Cycle;

namespace {

class RoundRobin final : public Placement {
 public:
  unsigned first(unsigned last_used, unsigned units) const override {
    return (last_used + 1u) % units;
  }
};

class FirstFit final : public Placement {
 public:
  unsigned first(unsigned, unsigned) const override { return 0; }
};

/// Work-groups of this grid that have started, each once and in order, with waves that they have.
bool are_good(const std::deque<SavedGroup>& saved, const DispatchPlan& plan) {
  const uint64_t end = std::min(plan.workgroups(), plan.dispatch.next_group);
  uint64_t least = 0;
  return std::all_of(saved.begin(), saved.end(), [&](const SavedGroup& g) {
    const bool good = g.group >= least && g.group < end && g.waves != 0 &&
                      g.waves >> waves_of(plan, g.group) == 0;
    least = uint64_t{g.group} + 1;
    return good;
  });
}

}  // namespace

std::unique_ptr<Placement> make_placement(const std::string& name) {
  if (name == "round_robin") return std::make_unique<RoundRobin>();
  if (name == "first_fit") return std::make_unique<FirstFit>();
  return nullptr;
}

SpiTlm::Unit::Unit(const Config& config)
    : simds(config.simds, Simd(config)), lds(config.lds_bytes, config.lds_granule) {}

SpiTlm::Group& SpiTlm::Unit::group(uint32_t key) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [key](const Group& g) { return g.key == key; });
  assert(found != groups.end());
  return *found;
}

void SpiTlm::Unit::drop_group(uint32_t key) {
  group(key) = groups.back();
  groups.pop_back();
}

SpiTlm::SpiTlm(const Config& config)
    : config_(config),
      placement_(make_placement(config.placement)),
      holding_(config.compute_units),
      sent_(config.compute_units),
      engines_(config.shader_engines),
      last_place_(config.compute_units - 1) {
  assert(placement_ != nullptr);  // names are checked where the description is read
  const unsigned per_engine = units_per_engine(config.compute_units, config.shader_engines);
  for (unsigned i = 0; i < config.compute_units; ++i) {
    units_.push_back(std::make_unique<Unit>(config));
    units_.back()->engine = i / per_engine;
    units_.back()->in_engine = i % per_engine;
  }
  for (unsigned i = 0; i < per_engine; ++i) {
    for (unsigned unit = i; unit < config.compute_units; unit += per_engine) {
      places_.push_back(unit);
    }
  }
}

void SpiTlm::take_sent(std::vector<unsigned>& units) {
  units.clear();
  sent_.for_each([&](size_t unit) {
    units.push_back(static_cast<unsigned>(unit));
    sent_.erase(unit);
  });
}

Cycle SpiTlm::next_event() const {
  Cycle next = std::min(dispatch.next_event(), cancel.next_event());
  next = std::min(next, std::min(save.next_event(), restore.next_event()));
  holding_.for_each(
      [&](size_t unit) { next = std::min(next, units_[unit]->port.done.next_event()); });
  bool waiting = false;
  for (const auto& active : active_) {
    if (active->waits()) {
      waiting = true;
    } else if (active->waves_out == 0) {
      return 0;  // it is over and waits for room in dispatch_done only
    }
  }
  if (waiting && !blocked_) {
    for (const auto& unit : units_) next = std::min(next, unit->next_launch);
  }
  return next;
}

void SpiTlm::tick(Cycle now) {
  take_dispatches(now);
  take_cancels(now);
  take_done(now);
  take_saves(now);
  place(now);
  finish(now);
}

void SpiTlm::take_dispatches(Cycle now) {
  while (restore.front(now) != nullptr) {
    const SavedGroup group = restore.pop(now);
    restores_[group.dispatch].push_back(group);
  }
  while (dispatch.front(now) != nullptr) {
    const Dispatch& d = *dispatch.front(now);
    std::unique_ptr<Active> taken = spare_for(d);
    Active& active = *taken;
    active.done.id = d.id;
    if (const auto found = restores_.find(d.id); found != restores_.end()) {
      active.restore = std::move(found->second);
      restores_.erase(found);
    }
    active.next_group = d.next_group;
    if (replan(active.plan, d, config_.target).ok()) {
      for (unsigned i = 0; i < units_.size() && d.cu_mask != kAllUnits; ++i) {
        active.masked = active.masked || !may_use(active, i);
      }
    } else {
      active.plan.groups = {0, 0, 0};
      active.give_up();
      active.done.error = true;
      active.done.error_code =
          check_sizes(d).ok() ? hsa::kQueueErrorResources : hsa::kQueueErrorDispatch;
    }
    if (!are_good(active.restore, active.plan)) {
      active.give_up();
      active.done.error = true;
      active.done.error_code = hsa::kQueueErrorDispatch;
    }
    ++counters_.dispatches;
    if (on_dispatch_) on_dispatch_(now, d.id, true);
    active_.push_back(std::move(taken));
    dispatch.drop(now);
    blocked_ = false;
  }
}

/// One that is over, best of the same kernel: its plan has most of what the dispatch needs.
std::unique_ptr<SpiTlm::Active> SpiTlm::spare_for(const Dispatch& d) {
  if (spare_.empty()) return std::make_unique<Active>();
  auto found = std::find_if(spare_.begin(), spare_.end(), [&d](const auto& spare) {
    return same_kernel_words(spare->plan.dispatch, d);
  });
  if (found == spare_.end()) --found;
  std::swap(*found, spare_.back());
  std::unique_ptr<Active> active = std::move(spare_.back());
  spare_.pop_back();
  active->next_group = active->waves_out = 0;
  active->masked = active->saving = active->any_saved = active->moved = false;
  active->save_end = 0;
  active->restore.clear();
  active->done = {};
  return active;
}

/// What has not started never will; the waves of the dispatch are told to end, behind their launch.
void SpiTlm::take_cancels(Cycle now) {
  while (cancel.front(now) != nullptr) {
    const uint32_t id = cancel.pop(now).dispatch;
    const auto found = std::find_if(active_.begin(), active_.end(),
                                    [id](const auto& a) { return a->done.id == id; });
    if (found == active_.end()) continue;  // it was over before
    (*found)->give_up();
    end_wait(now);
    blocked_ = false;
    WaveCommand kill;
    kill.action = WaveAction::Kill;
    kill.of_dispatch = true;
    kill.dispatch = id;
    holding_.for_each([&](size_t unit) {
      units_[unit]->port.command.push(kill, std::max(now + 1, units_[unit]->next_launch));
      sent_.insert(unit);
    });
  }
}

void SpiTlm::take_done(Cycle now) {
  holding_.for_each([&](size_t index) {
    Unit& unit = *units_[index];
    while (unit.port.done.front(now) != nullptr) {
      const WaveDone done = unit.port.done.pop(now);
      if (done.saved) {
        Group& group = unit.group(done.workgroup);
        group.saved = static_cast<uint16_t>(group.saved | 1u << (done.id & 15));
        group.first_is_saved = group.first_is_saved || done.first;
      }
      const Group* over = release(unit, done.id);
      if (!scratch_.empty()) give_scratch(done.id);
      wave_order.push(WaveOrder{done.id, done.dispatch, true}, now + 1);
      blocked_ = false;
      for (auto& entry : active_) {
        Active& active = *entry;
        if (active.done.id != done.dispatch) continue;
        --active.waves_out;
        if (over != nullptr && over->saved != 0) tell_saved(*over, active, now);
        if (done.error && !active.done.error) {
          active.done.error = true;
          active.done.error_code = done.error_code;
          active.done.error_address = done.error_address;
          active.done.error_pc = done.error_pc;
          active.give_up();
          end_wait(now);
        }
      }
    }
    if (unit.held.empty()) holding_.erase(index);
  });
}

/// A dispatch that waits keeps the compute units of its mask: later ones go around them, so that
/// work-groups start in order wherever two dispatches may meet.
void SpiTlm::place(Cycle now) {
  bool busy = false;
  claimed_.clear();
  std::optional<Resource> waits_for;  // the first that waits
  for (auto& entry : active_) {
    Active& active = *entry;
    Attempt attempt = Attempt::Placed;
    while (active.waits() && attempt == Attempt::Placed) attempt = place_next(active, now);
    if (attempt == Attempt::Never) {
      active.done.error = true;
      active.done.error_code =
          lacking_ == Resource::Scratch ? hsa::kQueueErrorScratch : hsa::kQueueErrorResources;
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
SpiTlm::Attempt SpiTlm::place_next(Active& active, Cycle now) {
  if (!find_scratch(active)) {
    lacking_ = Resource::Scratch;
    const Dispatch& d = active.plan.dispatch;
    const auto held = scratch_.lower_bound({d.vmid, d.scratch_base, 0});
    const bool any = held != scratch_.end() && held->vmid == d.vmid && held->base == d.scratch_base;
    return any ? Attempt::Full : Attempt::Never;
  }
  const unsigned first = placement_->first(last_place_, compute_units());
  bool launching = false;
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
    if (unit.next_launch > now) {
      launching = true;
      continue;
    }
    if (place_group(active, index, now)) {
      last_place_ = place;
      return Attempt::Placed;
    }
    empty = empty && unit.held.empty();
    if (!missing) missing = lacking_;
  }
  if (launching) return Attempt::Busy;
  // Empty compute units have no room: they never will.
  if (empty && active.waves_out == 0) return Attempt::Never;
  if (missing) lacking_ = *missing;
  return Attempt::Full;
}

bool SpiTlm::may_use(const Active& active, unsigned index) const {
  const Unit& unit = *units_[index];
  return allows(active.plan.dispatch.cu_mask, unit.engine, unit.in_engine);
}

void SpiTlm::claim(const Active& active) {
  claimed_.resize(units_.size(), false);
  for (unsigned i = 0; i < units_.size(); ++i) claimed_[i] = claimed_[i] || may_use(active, i);
}

/// Places in scratch memory for the waves of the next work-group, in `scratch_places_`: a wave's
/// own number where that is free, so that a grid which has memory for all of its waves is always
/// placed alike. One that was saved goes on where it was. False when too few are free.
bool SpiTlm::find_scratch(const Active& active) {
  const DispatchPlan& plan = active.plan;
  const Dispatch& d = plan.dispatch;
  const bool fresh = active.restore.empty();
  const uint64_t group = fresh ? active.next_group : active.restore.front().group;
  const uint32_t waves = waves_of(plan, group);
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
  for (uint64_t& place : scratch_places_) {
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
void SpiTlm::take_scratch(Active& active) {
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

void SpiTlm::give_scratch(uint64_t wave) {
  const auto found = scratch_of_.find(wave);
  if (found == scratch_of_.end()) return;
  scratch_.erase(found->second);
  scratch_of_.erase(found);
}

bool SpiTlm::place_group(Active& active, unsigned index, Cycle now) {
  Unit& unit = *units_[index];
  const bool fresh = active.restore.empty();
  const uint64_t number = fresh ? active.next_group : active.restore.front().group;
  const uint32_t all = waves_of(active.plan, number);
  waves_.clear();
  for (uint32_t i = 0; i < all; ++i) {
    if (!fresh && (active.restore.front().waves >> i & 1) == 0) continue;
    waves_.push_back(
        initial_state(active.plan, config_.target, number, i, scratch_places_[i], config_.poison));
    waves_.back().workgroup = next_group_key_;
  }
  const auto count = static_cast<uint32_t>(waves_.size());
  if (!fresh) {
    for (WaveLaunch& w : waves_) restore_wave(w, active.restore.front(), active.plan);
  }
  if (!allocate(unit, active.plan, waves_)) return false;
  take_scratch(active);
  Group& group = unit.group(next_group_key_);
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
  Cycle at = now;
  for (auto& w : waves_) {
    at = launch_slot(unit.engine, at + config_.launch_cycles, now);
    unit.port.launch.push(w, at);
    wave_order.push(WaveOrder{w.id, w.dispatch, false}, now + 1);
  }
  unit.next_launch = at;
  end_wait(now);
  ++counters_.workgroups;
  counters_.waves += count;
  active.waves_out += count;
  if (fresh) {
    ++active.next_group;
  } else {
    active.restore.pop_front();
  }
  ++next_group_key_;
  return true;
}

Cycle SpiTlm::launch_slot(unsigned engine, Cycle from, Cycle now) {
  std::vector<Cycle>& taken = engines_[engine];
  taken.erase(taken.begin(), std::upper_bound(taken.begin(), taken.end(), now));
  auto at = std::lower_bound(taken.begin(), taken.end(), from);
  for (; at != taken.end() && *at == from; ++at) ++from;
  taken.insert(at, from);
  return from;
}

bool SpiTlm::allocate(Unit& unit, const DispatchPlan& plan, std::vector<WaveLaunch>& waves) {
  const uint32_t bytes = plan.dispatch.group_bytes;
  const auto lds = unit.lds.allocate(bytes);
  if (!lds) {
    lacking_ = Resource::Lds;
    return false;
  }
  const uint32_t key = waves.front().workgroup;
  Group group;
  group.key = key;
  group.lds_base = *lds;
  group.lds_bytes = bytes;
  unit.groups.push_back(group);
  for (size_t i = 0; i < waves.size(); ++i) {
    waves[i].lds_base = *lds;
    if (allocate_wave(unit, plan, waves[i])) {
      ++unit.group(key).waves;
      continue;
    }
    if (i == 0) {
      unit.lds.free(*lds, bytes);
      unit.drop_group(key);
    }
    while (i-- > 0) release(unit, waves[i].id);
    return false;
  }
  return true;
}

bool SpiTlm::allocate_wave(Unit& unit, const DispatchPlan& plan, WaveLaunch& w) {
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
    const auto slot = std::find(simd.slots.begin(), simd.slots.end(), false);
    if (slot == simd.slots.end()) {
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
    *slot = true;
    ++simd.waves;
    w.simd = static_cast<uint8_t>(index);
    w.slot = static_cast<uint8_t>(slot - simd.slots.begin());
    w.vgpr_base = static_cast<uint16_t>(*vgprs);
    w.acc_base = static_cast<uint16_t>(acc_base);
    w.sgpr_base = static_cast<uint16_t>(*sgprs);
    unit.held.push_back({w.id, w.simd, w.slot, w.vgpr_base, static_cast<uint16_t>(rows), w.acc_base,
                         plan.acc_rows, w.sgpr_base, plan.sgprs, w.workgroup});
    return true;
  }
  return false;
}

const SpiTlm::Group* SpiTlm::release(Unit& unit, uint64_t wave) {
  const auto found = std::find_if(unit.held.begin(), unit.held.end(),
                                  [wave](const Held& h) { return h.wave == wave; });
  assert(found != unit.held.end());  // one WaveDone per WaveLaunch
  const Held h = *found;
  *found = unit.held.back();
  unit.held.pop_back();
  Simd& simd = unit.simds[h.simd];
  simd.slots[h.slot] = false;
  --simd.waves;
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

void SpiTlm::wait_for(Resource resource, Cycle now) {
  if (waits_since_ != machine::kNever && waits_for_ == resource) return;
  end_wait(now);
  waits_for_ = resource;
  waits_since_ = now;
}

void SpiTlm::end_wait(Cycle now) {
  if (waits_since_ == machine::kNever) return;
  counters_.stall_cycles[static_cast<unsigned>(waits_for_)] += now - waits_since_;
  waits_since_ = machine::kNever;
}

const char* name_of(Spi::Resource resource) {
  static constexpr const char* kNames[Spi::kResources] = {"launch", "slots", "vgprs",  "acc_vgprs",
                                                          "sgprs",  "lds",   "scratch"};
  return kNames[static_cast<unsigned>(resource)];
}

void SpiTlm::finish(Cycle now) {
  for (auto it = active_.begin(); it != active_.end();) {
    const Active& active = **it;
    if (active.waits() || active.waves_out != 0 || !dispatch_done.can_push(now)) {
      ++it;
      continue;
    }
    if (active.saving) tell_end(**it, now);
    dispatch_done.push(active.done, now + 1);
    if (on_dispatch_) on_dispatch_(now, active.done.id, false);
    spare_.push_back(std::move(*it));
    it = active_.erase(it);
  }
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<SpiTlm>(config); });
}

}  // namespace cuvette::spi
