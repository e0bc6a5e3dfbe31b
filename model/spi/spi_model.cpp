// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "spi/spi_model.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "base/bits.h"
#include "hsa/queue_error.h"
#include "machine/policy_table.h"

namespace cuvette::spi {

using machine::Cycle;

namespace {

class RoundRobin final : public Placement {
 public:
  unsigned first(unsigned last_used, const std::vector<unsigned>& waves) const override {
    return (last_used + 1u) % static_cast<unsigned>(waves.size());
  }
};

class FirstFit final : public Placement {
 public:
  unsigned first(unsigned, const std::vector<unsigned>&) const override { return 0; }
};

/// The fewest waves; the lowest place decides between equals.
class LeastLoaded final : public Placement {
 public:
  unsigned first(unsigned, const std::vector<unsigned>& waves) const override {
    return static_cast<unsigned>(std::min_element(waves.begin(), waves.end()) - waves.begin());
  }
};

template <class Policy>
std::unique_ptr<Placement> make() {
  return std::make_unique<Policy>();
}

struct Entry {
  const char* name;
  std::unique_ptr<Placement> (*make)();
};

/// A new policy is a row of this table.
constexpr Entry kPolicies[] = {{"round_robin", make<RoundRobin>},
                               {"first_fit", make<FirstFit>},
                               {"least_loaded", make<LeastLoaded>}};

/// Work-groups of this grid that have started, each once and in order, with waves that a work-group
/// has, and not more than there is room for.
bool are_good(const std::deque<SavedGroup>& saved, const DispatchPlan& plan, size_t most) {
  if (saved.size() > most) return false;
  const uint64_t end = std::min(plan.workgroups(), plan.dispatch.next_group);
  uint64_t least = 0;
  return std::all_of(saved.begin(), saved.end(), [&](const SavedGroup& g) {
    const bool good =
        g.group >= least && g.group < end && g.waves != 0 && g.waves >> plan.waves_per_group == 0;
    least = uint64_t{g.group} + 1;
    return good;
  });
}

}  // namespace

base::Result<std::unique_ptr<Placement>> make_placement(const std::string& name) {
  const Entry* const entry = machine::find_policy(kPolicies, name);
  if (entry == nullptr) return machine::unknown_policy(kPolicies, "placement", name);
  return entry->make();
}

std::vector<std::string> placement_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kPolicies) names.emplace_back(entry.name);
  return names;
}

/// There is one work-group more than waves while room for it is looked for.
SpiModel::Unit::Unit(const Config& config)
    : simds(config.simds, Simd(config)),
      lds(config.lds_bytes, config.lds_granule),
      orders(size_t{config.simds} * config.slots + 1) {}

SpiModel::Group& SpiModel::Unit::group(uint32_t key) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [key](const Group& g) { return g.key == key; });
  assert(found != groups.end());
  return *found;
}

void SpiModel::Unit::drop_group(uint32_t key) {
  Group& dropped = group(key);
  orders.erase(dropped.order);
  dropped = groups.back();
  groups.pop_back();
}

SpiModel::SpiModel(const Config& config)
    : config_(config),
      placement_(make_placement(config.placement).value()),  // checked with the description
      holding_(config.compute_units),
      sent_(config.compute_units),
      engines_(config.shader_engines),
      last_place_(config.compute_units - 1),
      waves_in_engine_(config.shader_engines),
      saved_waves_(config.shader_engines),
      restored_waves_(config.shader_engines) {
  const unsigned per_engine = units_per_engine(config.compute_units, config.shader_engines);
  for (unsigned i = 0; i < config.compute_units; ++i) {
    units_.push_back(std::make_unique<Unit>(config));
    units_.back()->engine = i / per_engine;
    units_.back()->in_engine = i % per_engine;
  }
  for (unsigned i = 0; i < per_engine; ++i) {
    for (unsigned unit = i; unit < config.compute_units; unit += per_engine) {
      units_[unit]->place = static_cast<unsigned>(places_.size());
      places_.push_back(unit);
    }
  }
  waves_at_.resize(places_.size());
}

void SpiModel::take_sent(std::vector<unsigned>& units) {
  units.clear();
  sent_.for_each([&](size_t unit) {
    units.push_back(static_cast<unsigned>(unit));
    sent_.erase(unit);
  });
}

Cycle SpiModel::next_event() const {
  Cycle next = std::min(dispatch.next_event(), cancel.next_event());
  next = std::min(next, std::min(save.next_event(), restore.next_event()));
  holding_.for_each(
      [&](size_t unit) { next = std::min(next, units_[unit]->port.done.next_event()); });
  bool waiting = false;
  for (const auto& active : active_) {
    if (active->waits()) next = std::min(next, active->asks);
    if (active->ready > now_) {
      next = std::min(next, active->ready);
    } else if (active->waits() && active->found > now_ + 1) {
      next = std::min(next, active->found - 1);
    } else if (active->waits()) {
      waiting = true;
    } else if (active->waves_out == 0) {
      return 0;  // it is over and waits for room in dispatch_done only
    }
  }
  if (search_) {
    next = std::min(next, search_->next);
  } else if (waiting && frozen_until_ > now_ + 1) {
    next = std::min(next, frozen_until_);
  } else if (waiting && !blocked_) {
    for (const auto& unit : units_) next = std::min(next, unit->next_launch);
  }
  return next;
}

void SpiModel::tick(Cycle now) {
  now_ = now;
  take_dispatches(now);
  take_cancels(now);
  take_done(now);
  if (config_.save_cycles == 0) take_saves(now);
  place(now);
  if (config_.save_cycles != 0) search(now);
  finish(now);
}

void SpiModel::take_dispatches(Cycle now) {
  while (restore.front(now) != nullptr) {
    const SavedGroup group = restore.pop(now);
    restores_[group.dispatch].push_back(group);
  }
  while (dispatch.front(now) != nullptr) {
    const Dispatch& d = *dispatch.front(now);
    // One list of work-groups that go on at a time.
    const bool waits = config_.restore_cycles != 0 && restores_.count(d.id) != 0 &&
                       std::any_of(active_.begin(), active_.end(),
                                   [](const auto& a) { return !a->restore.empty(); });
    if (waits) break;
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
    const size_t most = size_t{config_.compute_units} * config_.simds * config_.slots;
    if (!are_good(active.restore, active.plan, most)) {
      active.give_up();
      active.done.error = true;
      active.done.error_code = hsa::kQueueErrorDispatch;
    }
    const Cycle begins = std::max(now, setup_free_);
    active.ready = begins + config_.setup_cycles;
    setup_free_ = active.ready == begins ? begins : active.ready - 1;
    active.found = active.ready;
    if (active.next_group != 0 || !active.restore.empty()) {
      active.asks = setup_free_;
      active.found = machine::kNever;
    }
    forget_failures(active);
    ++counters_.dispatches;
    dispatches_.enter(now);
    if (on_dispatch_) on_dispatch_(now, d.id, true);
    const auto behind = std::find_if(active_.begin(), active_.end(), [&d](const auto& other) {
      return other->plan.dispatch.queue_priority < d.queue_priority;
    });
    active_.insert(behind, std::move(taken));
    dispatch.drop(now);
    blocked_ = false;
  }
}

/// One that is over, best of the same kernel: its plan has most of what the dispatch needs.
std::unique_ptr<SpiModel::Active> SpiModel::spare_for(const Dispatch& d) {
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
  active->unfinished = active->given_up = active->telling = false;
  active->asks = machine::kNever;
  active->told.reset();
  active->save_end = 0;
  active->restore.clear();
  active->done = {};
  return active;
}

SpiModel::Active* SpiModel::find(uint32_t id) {
  const auto found = std::find_if(active_.begin(), active_.end(),
                                  [id](const auto& a) { return a->done.id == id; });
  return found == active_.end() ? nullptr : found->get();
}

/// Cancels dispatches: the rest never starts; the waves are told to end, behind their launch.
void SpiModel::take_cancels(Cycle now) {
  while (cancel.front(now) != nullptr) {
    const uint32_t id = cancel.pop(now).dispatch;
    Active* const found = find(id);
    if (found == nullptr) continue;  // it was over before
    Active& active = *found;
    active.give_up();
    end_wait(now);
    blocked_ = false;
    WaveCommand kill;
    kill.action = WaveAction::Kill;
    kill.of_dispatch = true;
    kill.dispatch = id;
    holding_.for_each([&](size_t unit) {
      // Behind all beats of the last launch.
      const Cycle told =
          std::max(now + 1, units_[unit]->next_launch + contract::Message<WaveLaunch>::kBeats);
      units_[unit]->port.command.push(kill, told);
      active.ready = std::max(active.ready, told);  // it is over when all have been told
      sent_.insert(unit);
    });
  }
}

void SpiModel::take_done(Cycle now) {
  holding_.for_each([&](size_t index) {
    Unit& unit = *units_[index];
    while (unit.port.done.front(now) != nullptr) {
      const WaveDone done = unit.port.done.pop(now);
      waves_in_engine_[unit.engine].leave(now);
      if (done.saved) {
        ++saved_waves_[unit.engine];
        Group& group = unit.group(done.workgroup);
        group.saved = static_cast<uint16_t>(group.saved | 1u << (done.id & 15));
        group.first_is_saved = group.first_is_saved || done.first;
      }
      const Group* over = release(unit, done.id);
      if (config_.allocation_cycles != 0) {
        for (auto& entry : active_) entry->failed[index].reset();
        Cycle& next_search = engines_[unit.engine].next_search;
        next_search = std::max(next_search, now + 1);
      }
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

std::optional<Spi::Detail> SpiModel::detail(Cycle now) const {
  Detail d;
  d.busy_cycles = dispatches_.busy(now);
  for (const base::Occupancy& waves : waves_in_engine_) {
    d.engine_busy_cycles.push_back(waves.busy(now));
  }
  d.saved_waves = saved_waves_;
  d.restored_waves = restored_waves_;
  return d;
}

void SpiModel::finish(Cycle now) {
  for (auto it = active_.begin(); it != active_.end();) {
    Active& active = **it;
    const bool searched = search_ && search_->request.dispatch == active.done.id;
    if (active.waits() || active.waves_out != 0 || active.ready > now || searched ||
        !tell_rest(active, now) || !dispatch_done.can_push(now)) {
      ++it;
      continue;
    }
    dispatches_.leave(now);
    dispatch_done.push(active.done, now + 1);
    if (on_dispatch_) on_dispatch_(now, active.done.id, false);
    spare_.push_back(std::move(*it));
    it = active_.erase(it);
  }
}

void register_tlm(Registry& registry) {
  registry.add("tlm", [](const Config& config) { return std::make_unique<SpiModel>(config); });
}

}  // namespace cuvette::spi
