// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/spi/spi_checker.h"

#include <algorithm>
#include <bit>

#include "base/bits.h"
#include "hsa/queue_error.h"
#include "ip/common/recording_line.h"
#include "spi/spi_model.h"

namespace cuvette::ip {

using machine::Cycle;
using spi::Dispatch;
using spi::DispatchDone;
using spi::WaveLaunch;

namespace {

std::string dispatch_text(uint32_t id) {
  return "dispatch " + std::to_string(id);
}
std::string wave_text(const WaveLaunch& w, uint64_t group) {
  return "wave " + std::to_string(w.wave_in_group) + " of work-group " + std::to_string(group) +
         " of " + dispatch_text(w.dispatch);
}
/// Flattened id, as WaveLaunch::id has it.
uint64_t group_of(const WaveLaunch& w) {
  return w.id >> 4 & base::low_mask(36);
}

}  // namespace

SpiChecker::SpiChecker(const spi::Config& config) : config_(config) {
  units_.assign(config.compute_units, UnitResources(config_));
  arriving_.resize(config.compute_units);
}

SpiChecker::Active* SpiChecker::find(uint32_t dispatch) {
  const auto found = std::find_if(active_.begin(), active_.end(), [dispatch](const auto& a) {
    return a->plan.dispatch.id == dispatch;
  });
  return found == active_.end() ? nullptr : found->get();
}

bool SpiChecker::may_use(const spi::CuMask& mask, unsigned unit) const {
  const unsigned each = spi::units_per_engine(config_.compute_units, config_.shader_engines);
  return spi::allows(mask, unit / each, unit % each);
}

SpiChecker::Finding SpiChecker::taken(unsigned, unsigned, const Dispatch& dispatch, Cycle now) {
  auto active = std::make_unique<Active>();
  active->runs = spi::replan(active->plan, dispatch, config_.target).ok();
  active->plan.dispatch = dispatch;
  active->next_group = dispatch.next_group;
  active->done.id = dispatch.id;
  if (const auto found = restores_.find(dispatch.id); found != restores_.end()) {
    active->restore = std::move(found->second);
    restores_.erase(found);
  }
  check_restored(*active);
  ++counters_.dispatches;
  if (on_dispatch_) on_dispatch_(now, dispatch.id, true);
  active_.push_back(std::move(active));
  return std::nullopt;
}

/// Work-groups that are to go on: of the grid, started, each once and in order, with waves that
/// they have, and not more than the machine has waves. Waves that only work-groups inside of the
/// grid have, and places in scratch memory, are looked at when such a work-group is to start.
void SpiChecker::check_restored(Active& active) const {
  if (active.restore.empty()) return;
  const spi::DispatchPlan& plan = active.plan;
  const Dispatch& d = plan.dispatch;
  const size_t most = size_t{config_.compute_units} * config_.simds * config_.slots;
  bool good = active.runs && active.restore.size() <= most;
  int64_t last = -1;
  for (const spi::SavedGroup& g : active.restore) {
    good = good && g.group > last && g.group < d.next_group && g.group < plan.workgroups() &&
           g.waves != 0 && g.waves < uint32_t{1} << plan.waves_per_group;
    last = g.group;
    if (!good) break;
    const auto highest = static_cast<uint32_t>(std::bit_width(g.waves) - 1);
    if (active.late_error != 0) continue;
    active.late_group = g.group;
    if (highest >= spi::waves_of(plan, g.group)) {
      active.late_error = hsa::kQueueErrorDispatch;
    } else if (d.scratch_waves != 0 && d.private_bytes != 0 &&
               spi::wave_number(plan, g.group, highest) >= d.scratch_waves) {
      active.late_error = hsa::kQueueErrorScratch;
    }
  }
  if (good) return;
  active.runs = false;
  active.done.error = true;
  active.done.error_code = hsa::kQueueErrorDispatch;
}

SpiChecker::Finding SpiChecker::taken(unsigned, unsigned, const spi::SavedGroup& group, Cycle) {
  restores_[group.dispatch].push_back(group);
  return std::nullopt;
}

SpiChecker::Finding SpiChecker::taken(unsigned, unsigned, const spi::Cancel& cancel, Cycle now) {
  Active* active = find(cancel.dispatch);
  if (active == nullptr) return std::nullopt;
  active->cancelled = true;
  cancelled_.insert(cancel.dispatch);
  active->give_up(now);
  for (unsigned u = 0; u < units_.size(); ++u) {
    for (const UnitResources::Wave& w : units_[u].waves()) {
      if (w.launch.dispatch == cancel.dispatch) active->to_kill.insert(u);
    }
  }
  return std::nullopt;
}

SpiChecker::Finding SpiChecker::taken(unsigned, unsigned, const spi::Save& save, Cycle) {
  if (Active* active = find(save.dispatch)) active->save = save;
  return std::nullopt;
}

bool SpiChecker::may_end(unsigned unit, const spi::WaveDone& done) const {
  const UnitResources::Wave* wave = units_[unit].find(done.id);
  return wave != nullptr && groups_.count({done.dispatch, wave->group}) != 0;
}

SpiChecker::Finding SpiChecker::taken(unsigned, unsigned unit, const spi::WaveDone& done,
                                      Cycle now) {
  const UnitResources::Wave* wave = units_[unit].find(done.id);
  if (wave == nullptr) {  // the machine's own error
    return Violation{"wave", "a wave has ended that was not launched"};
  }
  const auto group = groups_.find({done.dispatch, wave->group});
  if (group == groups_.end()) {
    return Violation{"wave", "a wave has ended that is of no work-group of its dispatch"};
  }
  if (done.saved) {
    group->second.waves =
        static_cast<uint16_t>(group->second.waves | 1u << wave->launch.wave_in_group);
    group->second.first = group->second.first || done.first;
  }
  const bool last = --group->second.live == 0;
  const bool lost = last && group->second.waves != 0 && !group->second.first;
  if (last) gone_[{unit, wave->launch.workgroup}] = done.dispatch;
  if (group->second.live == 0 && group->second.waves == 0) groups_.erase(group);
  units_[unit].give(done.id);
  to_end_.insert(done.id);
  Active* active = find(done.dispatch);
  if (active == nullptr) return std::nullopt;
  --active->waves;
  active->lost = active->lost || lost;
  if (done.error && !active->done.error) {
    active->done.error = true;
    active->done.error_code = done.error_code;
    active->done.error_address = done.error_address;
    active->done.error_pc = done.error_pc;
    active->give_up(now);
  }
  return std::nullopt;
}

/// Work-groups that have started behind one that has not, in an earlier cycle.
SpiChecker::Finding SpiChecker::check_early(Cycle now) {
  if (ahead_ && ahead_->at < now) {
    const Active* earlier = find(ahead_->earlier);
    if (earlier != nullptr && earlier->starts_more() && !earlier->fails_late()) {
      return ahead_->violation;
    }
    ahead_.reset();
  }
  for (const auto& active : active_) {
    if (active->early.empty() || active->early_at >= now) continue;
    return Violation{"order", "work-group " + std::to_string(*active->early.begin()) + " of " +
                                  dispatch_text(active->plan.dispatch.id) +
                                  " has started before work-group " +
                                  std::to_string(active->next_group)};
  }
  return std::nullopt;
}

SpiChecker::Finding SpiChecker::given(unsigned, unsigned unit, WaveLaunch& w, Cycle now) {
  if (auto wrong = check_early(now)) return wrong;
  Active* active = find(w.dispatch);
  if (active == nullptr || !active->runs) {
    return Violation{"dispatch", "a wave of " + dispatch_text(w.dispatch) +
                                     ", which is not under way, or cannot run"};
  }
  const uint64_t group = group_of(w);
  Arriving& arriving = arriving_[unit];
  if (arriving.waves != 0 && (arriving.dispatch != w.dispatch || arriving.group != group)) {
    return Violation{"together", wave_text(w, group) + " between waves of work-group " +
                                     std::to_string(arriving.group) + " of " +
                                     dispatch_text(arriving.dispatch)};
  }
  if (arriving.waves == 0) {
    if (auto wrong = begin_group(*active, unit, w, now)) return wrong;
  }
  while (arriving.next < arriving.waves && (arriving.which >> arriving.next & 1) == 0) {
    ++arriving.next;
  }
  if (w.wave_in_group != arriving.next) {
    return Violation{"together", wave_text(w, group) + ", expected wave " +
                                     std::to_string(arriving.next) + " next"};
  }
  if (begun_.count(w.id) == 0) {
    return Violation{"wave order", wave_text(w, group) + ", of which the gds has not been told"};
  }
  if (auto wrong = check_values(*active, arriving, w)) return wrong;
  const UnitResources::Wrong wrong = units_[unit].take(w, group);
  ++checked_;
  if (!wrong.rule.empty()) {
    return Violation{wrong.rule, wave_text(w, group) + ": " + wrong.what};
  }
  ++active->waves;
  if (active->cancelled) active->to_kill.insert(unit);
  ++counters_.waves;
  ++groups_[{w.dispatch, group}].live;
  ++arriving.next;
  if ((arriving.which >> arriving.next) == 0) arriving = {};
  return std::nullopt;
}

SpiChecker::Finding SpiChecker::begin_group(Active& active, unsigned unit, const WaveLaunch& w,
                                            Cycle now) {
  const uint64_t group = group_of(w);
  const spi::DispatchPlan& plan = active.plan;
  Arriving arriving;
  arriving.dispatch = w.dispatch;
  arriving.group = group;
  ++checked_;
  if ((active.given_up && now > active.given_up_at + on_the_way_) || active.told.count(unit) != 0) {
    return Violation{"dispatch", wave_text(w, group) + ", of which nothing starts any more"};
  }
  if (!active.restore.empty() && active.restore.front().group == group) {
    arriving.restored = active.restore.front();
    kept_[{unit, w.workgroup}] =
        plan.dispatch.save_area + uint64_t{arriving.restored->place} * spi::kRoomGranule;
    active.restore.pop_front();
  } else if (group >= plan.workgroups()) {
    return Violation{
        "once", wave_text(w, group) + ", of " + std::to_string(plan.workgroups()) + " work-groups"};
  } else if (group < active.next_group || active.early.count(group) != 0) {
    return Violation{"once", wave_text(w, group) + ", which has started before"};
  } else if (!active.restore.empty()) {
    return Violation{"order", wave_text(w, group) + " before those that were saved"};
  } else {
    active.early.insert(group);
    active.early_at = now;
    while (active.early.erase(active.next_group) != 0) ++active.next_group;
  }
  arriving.waves = spi::waves_of(plan, group);
  arriving.which = arriving.restored ? arriving.restored->waves
                                     : static_cast<uint16_t>(base::low_mask(arriving.waves));
  ++counters_.workgroups;
  arriving_[unit] = arriving;
  if (!arriving.restored) kept_.erase({unit, w.workgroup});
  return check_where(active, unit, w, now);
}

/// The compute unit is in the mask, and no earlier dispatch waits for it.
SpiChecker::Finding SpiChecker::check_where(const Active& active, unsigned unit,
                                            const WaveLaunch& w, Cycle now) {
  const Dispatch& d = active.plan.dispatch;
  const std::string where = " on compute unit " + std::to_string(unit);
  if (!may_use(d.cu_mask, unit)) {
    return Violation{"mask", wave_text(w, group_of(w)) + where + ", which is not in its mask"};
  }
  for (const auto& earlier : active_) {
    if (earlier.get() == &active) break;
    const Dispatch& e = earlier->plan.dispatch;
    if (!earlier->starts_more() || earlier->save || e.queue_priority != d.queue_priority) continue;
    if (!may_use(e.cu_mask, unit) || never_placed(*earlier) != 0) continue;
    if (ahead_) break;
    ahead_ = Ahead{e.id,
                   now,
                   {"dispatch order", wave_text(w, group_of(w)) + where + ", for which " +
                                          dispatch_text(e.id) + " waits, which is earlier"}};
    break;
  }
  return std::nullopt;
}

/// The place of the wave in scratch memory that its base says.
SpiChecker::Finding SpiChecker::check_scratch(const Active& active, const WaveLaunch& w,
                                              uint64_t& place) const {
  const spi::DispatchPlan& plan = active.plan;
  const Dispatch& d = plan.dispatch;
  const uint64_t number = spi::wave_number(plan, group_of(w), w.wave_in_group);
  place = number;
  const auto wrong = [&](const std::string& what) {
    return Violation{"scratch",
                     wave_text(w, group_of(w)) + ": base " + recording::hex(w.scratch_base) + what};
  };
  if (d.scratch_waves == 0 || d.private_bytes == 0 || d.scratch_bytes_per_wave == 0) {
    const uint64_t base = d.scratch_base + number * d.scratch_bytes_per_wave;
    if (w.scratch_base == base) return std::nullopt;
    return wrong(", expected " + recording::hex(base));
  }
  const uint64_t offset = w.scratch_base - d.scratch_base;
  place = offset / d.scratch_bytes_per_wave;
  if (offset % d.scratch_bytes_per_wave != 0 || place >= d.scratch_waves) {
    return wrong(" is none of " + std::to_string(d.scratch_waves) + " places of " +
                 std::to_string(d.scratch_bytes_per_wave) + " bytes");
  }
  for (const UnitResources& unit : units_) {
    for (const UnitResources::Wave& other : unit.waves()) {
      const WaveLaunch& o = other.launch;
      if (o.vmid == w.vmid && o.private_bytes != 0 && o.scratch_base == w.scratch_base) {
        return wrong(" is that of " + wave_text(o, other.group));
      }
    }
  }
  return std::nullopt;
}

SpiChecker::Finding SpiChecker::check_values(const Active& active, const Arriving& arriving,
                                             const WaveLaunch& w) {
  uint64_t place = 0;
  if (auto wrong = check_scratch(active, w, place)) return wrong;
  WaveLaunch want = spi::initial_state(active.plan, config_.target, arriving.group, w.wave_in_group,
                                       place, false);
  const uint64_t live = want.exec;
  if (arriving.restored) spi::restore_wave(want, *arriving.restored, active.plan);
  // Lanes without a work-item, and registers without a value, may have any.
  for (unsigned v = 0; v < want.vgpr.size(); ++v) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (v >= want.vgprs || (live >> l & 1) == 0) want.vgpr[v][l] = w.vgpr[v][l];
    }
  }
  const auto differs = [&](const std::string& field, uint64_t expected, uint64_t actual) {
    return Violation{"values", wave_text(w, arriving.group) + ": field " + field + ": expected " +
                                   recording::hex(expected) + ", the device gives " +
                                   recording::hex(actual)};
  };
  contract::Comparison comparison;
  contract::Message<WaveLaunch>::compare(want, w, comparison);
  checked_ += comparison.compared();
  if (!comparison.differences().empty()) {
    const contract::Difference& first = comparison.differences().front();
    std::string field = first.field->name;
    if (first.row >= 0) field += ", row " + std::to_string(first.row);
    if (first.lane >= 0) field += ", element " + std::to_string(first.lane);
    return differs(field, first.expected, first.actual);
  }
  for (unsigned s = 0; s < want.sgprs; ++s) {
    ++checked_;
    if (want.sgpr[s] != w.sgpr[s]) {
      return differs("sgpr, element " + std::to_string(s), want.sgpr[s], w.sgpr[s]);
    }
  }
  if (want.flat_scratch != w.flat_scratch) {
    return differs("flat_scratch", want.flat_scratch, w.flat_scratch);
  }
  return std::nullopt;
}

/// A begin before the launch, an end after the wave.
SpiChecker::Finding SpiChecker::given(unsigned, unsigned, spi::WaveOrder& order, Cycle) {
  ++checked_;
  const std::string wave = "wave " + recording::hex(order.wave);
  if (order.ended) {
    if (to_end_.erase(order.wave) != 0) {
      begun_.erase(order.wave);
      return std::nullopt;
    }
    return Violation{"wave order", wave + " has not ended, or is told twice"};
  }
  Active* active = find(order.dispatch);
  if (active == nullptr || order.wave >> 40 != order.dispatch) {
    return Violation{"wave order", wave + " of " + dispatch_text(order.dispatch) +
                                       ", which is not under way, or not its own"};
  }
  const bool restored = std::any_of(
      active->restore.begin(), active->restore.end(),
      [&](const spi::SavedGroup& g) { return (order.wave >> 4 & base::low_mask(36)) == g.group; });
  if (!begun_.insert(order.wave).second ||
      (!restored && active->last_begin != 0 && order.wave <= active->last_begin)) {
    return Violation{"wave order", wave + " begins twice, or behind a later one"};
  }
  if (!restored) active->last_begin = order.wave;
  return std::nullopt;
}

SpiChecker::Finding SpiChecker::given(unsigned, unsigned unit, spi::WaveCommand& c, Cycle) {
  ++checked_;
  Active* active = find(c.dispatch);
  if (c.action == spi::WaveAction::Kill && c.of_dispatch && !c.one &&
      cancelled_.count(c.dispatch) != 0) {
    if (active != nullptr) active->to_kill.erase(unit);
    return std::nullopt;
  }
  if (c.action == spi::WaveAction::Save) {
    const auto& waves = units_[unit].waves();
    const auto wave = std::find_if(waves.begin(), waves.end(), [&](const auto& w) {
      return w.launch.workgroup == c.workgroup;
    });
    const auto gone = gone_.find({unit, c.workgroup});
    Active* saving = wave != waves.end()   ? find(wave->launch.dispatch)
                     : gone != gone_.end() ? find(gone->second)
                                           : nullptr;
    if (saving != nullptr && saving->save) {
      saving->told.insert(unit);
      return check_room(*saving, *saving->save, unit, c);
    }
  }
  return Violation{"command", "a command to " + dispatch_text(c.dispatch) +
                                  ", expected one after its cancel or save"};
}

/// One that was saved before keeps its room.
SpiChecker::Finding SpiChecker::check_room(const Active& saving, const spi::Save& save,
                                           unsigned unit, const spi::WaveCommand& c) const {
  const auto kept = kept_.find({unit, c.workgroup});
  const uint64_t room = spi::room_bytes(saving.plan);
  const uint64_t first = kept != kept_.end() ? kept->second : save.area + save.from;
  const uint64_t end = kept != kept_.end() ? first + room : save.area + save.to;
  const uint32_t bytes = spi::wave_bytes(saving.plan);
  if (c.room >= first && c.room + room <= end && c.wave_bytes == bytes) {
    return std::nullopt;
  }
  return Violation{"room", "a command to save work-group " + std::to_string(c.workgroup) + " to " +
                               recording::hex(c.room) + " with " + std::to_string(c.wave_bytes) +
                               " bytes for a wave, expected a room from " + recording::hex(first) +
                               " to " + recording::hex(end) + " and " + std::to_string(bytes)};
}

/// Told not later than in the cycle of the end of its dispatch.
SpiChecker::Finding SpiChecker::given(unsigned, unsigned, spi::SavedGroup& group, Cycle) {
  ++checked_;
  const auto found = groups_.find({group.dispatch, group.group});
  if (found != groups_.end() && found->second.live == 0 && found->second.waves == group.waves) {
    groups_.erase(found);
    return std::nullopt;
  }
  // One that was restored and has not started again.
  Active* active = find(group.dispatch);
  auto& left = active != nullptr ? active->restore : left_[group.dispatch];
  const auto kept = std::find_if(left.begin(), left.end(), [&](const spi::SavedGroup& g) {
    return g.group == group.group && g.waves == group.waves && g.place == group.place;
  });
  if (found == groups_.end() && kept != left.end()) {
    left.erase(kept);
    return std::nullopt;
  }
  return Violation{"saved", "work-group " + std::to_string(group.group) + " of " +
                                dispatch_text(group.dispatch) +
                                " was not saved, or not with these waves"};
}

SpiChecker::Finding SpiChecker::given(unsigned, unsigned, DispatchDone& done, Cycle now) {
  if (auto wrong = check_early(now)) return wrong;
  ++checked_;
  Active* active = find(done.id);
  const std::string name = dispatch_text(done.id);
  if (active == nullptr) return Violation{"done", name + " is not under way"};
  if (active->waves != 0) {
    return Violation{"done",
                     name + " has " + std::to_string(active->waves) + " waves that have not ended"};
  }
  const bool saves = active->save.has_value() && done.saved;
  if (active->starts_more() && !saves && !done.error) {
    return Violation{"done", name + " has not started work-group " +
                                 std::to_string(active->next_group) + " of " +
                                 std::to_string(active->plan.workgroups())};
  }
  if (done.saved && (!active->save || done.next_group != active->next_group)) {
    return Violation{"saved", name + " was not to be saved, or has started work-groups before " +
                                  std::to_string(active->next_group)};
  }
  if (!active->to_kill.empty()) {
    return Violation{"command", name + " was cancelled, and compute unit " +
                                    std::to_string(*active->to_kill.begin()) +
                                    " has not been told"};
  }
  if (auto wrong = check_error(*active, done)) return wrong;
  if (on_dispatch_) on_dispatch_(now, done.id, false);
  left_.clear();
  if (done.saved) left_[done.id] = active->restore;
  active_.erase(std::find_if(active_.begin(), active_.end(),
                             [&](const auto& a) { return a.get() == active; }));
  return std::nullopt;
}

uint32_t SpiChecker::never_placed(const Active& active) const {
  const Dispatch& d = active.plan.dispatch;
  if (!active.runs) return 0;
  if (d.scratch_waves != 0 && d.private_bytes != 0 &&
      active.plan.waves_per_group > d.scratch_waves) {
    return hsa::kQueueErrorScratch;
  }
  const bool room = fits(active.plan, config_) &&
                    spi::leaves_any(d.cu_mask, config_.compute_units, config_.shader_engines);
  return room ? 0 : hsa::kQueueErrorResources;
}

/// Checks the error of a wave that failed, or of a dispatch that cannot be placed.
SpiChecker::Finding SpiChecker::check_error(const Active& active, const DispatchDone& done) const {
  const Dispatch& d = active.plan.dispatch;
  DispatchDone want = active.done;
  if (!want.error && !active.runs) {
    want.error = true;
    want.error_code =
        spi::check_sizes(d).ok() ? hsa::kQueueErrorResources : hsa::kQueueErrorDispatch;
  } else if (!want.error && !done.saved &&
             (active.starts_more() || (active.cancelled && done.error))) {
    want.error_code = never_placed(active);  // a cancel may come when the answer is on its way
    want.error = want.error_code != 0;
  }
  const bool may_lose = active.save && active.lost;
  if (may_lose && done.error && done.error_code == hsa::kQueueErrorException) return std::nullopt;
  // What else is wrong with a dispatch may be seen in time or not.
  if (active.fails_late() && done.error && done.error_code == active.late_error) {
    return std::nullopt;
  }
  if (want.error == done.error && want.error_code == done.error_code &&
      want.error_address == done.error_address && want.error_pc == done.error_pc) {
    return std::nullopt;
  }
  const auto text = [](const DispatchDone& x) {
    return x.error ? "error code " + std::to_string(x.error_code) + " address " +
                         recording::hex(x.error_address) + " pc " + recording::hex(x.error_pc)
                   : std::string("no error");
  };
  return Violation{"error",
                   dispatch_text(d.id) + " ends with " + text(done) + ", expected " + text(want)};
}

bool SpiChecker::busy() const {
  return !to_end_.empty() || std::any_of(active_.begin(), active_.end(), [](const auto& active) {
    // A device may be looking for rooms.
    return active->starts_more() || active->waves == 0 || !active->to_kill.empty() ||
           (active->save && active->told.empty());
  });
}

/// Message that is due and that no end of a wave would change.
std::string SpiChecker::owed() const {
  for (const auto& active : active_) {
    const std::string name = dispatch_text(active->plan.dispatch.id);
    if (!active->to_kill.empty()) return name + " is cancelled, and waves have not been told";
    if (active->waves == 0 && !active->starts_more()) return "no end of " + name;
  }
  if (!to_end_.empty()) return "the gds has not been told of the end of a wave";
  const bool empty = std::all_of(units_.begin(), units_.end(),
                                 [](const UnitResources& u) { return u.waves().empty(); });
  for (const auto& active : active_) {
    if (empty && active->starts_more()) {
      return "no wave of work-group " + std::to_string(active->next_group) + " of " +
             dispatch_text(active->plan.dispatch.id) + ", and every compute unit is empty";
    }
  }
  return {};
}

SpiChecker::Finding SpiChecker::conclude() const {
  std::string what = owed();
  for (const auto& [key, group] : groups_) {
    if (!what.empty() || group.live != 0) continue;
    what = "work-group " + std::to_string(key.second) + " of " + dispatch_text(key.first) +
           " was saved, and nobody has been told";
  }
  if (!what.empty()) return Violation{"missing", "at the end, " + what};
  return std::nullopt;
}

}  // namespace cuvette::ip
