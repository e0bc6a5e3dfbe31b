// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Waves that are saved and restored by their trap handlers (docs/reference/spi.md).
#include <algorithm>
#include <bit>

#include "base/bits.h"
#include "hsa/queue_error.h"
#include "spi/spi_model.h"
#include "wave/operand.h"

namespace cuvette::spi {

using machine::Cycle;

uint32_t wave_bytes(const DispatchPlan& plan) {
  constexpr uint32_t kRowBytes = 4 * wave::kLanes;
  return (uint32_t{plan.vgpr_rows} + plan.acc_rows) * kRowBytes + kScalarRoom;
}

uint64_t room_bytes(const DispatchPlan& plan) {
  return base::align_up(
      uint64_t{plan.waves_per_group} * wave_bytes(plan) + plan.dispatch.group_bytes,
      uint64_t{kRoomGranule});
}

/// Calls `act` for the work-groups of one dispatch, with their compute units.
template <class Act>
void SpiModel::for_groups_of(const Active& active, Act act) {
  holding_.for_each([&](size_t index) {
    std::vector<Group*> groups;
    for (Group& group : units_[index]->groups) {
      if (group.dispatch == active.done.id) groups.push_back(&group);
    }
    std::sort(groups.begin(), groups.end(),
              [](const Group* a, const Group* b) { return a->order < b->order; });
    for (Group* group : groups) act(index, *group);
  });
}

/// Dispatches that cannot be saved, without a handler, without room for all of their work-groups,
/// or when waves could not find their places in scratch memory again, go on as before.
bool SpiModel::may_save(const Save& request, const Active& active) {
  if (active.plan.dispatch.tba == 0 || active.plan.workgroups() > ~uint32_t{0}) return false;
  if (active.done.error || active.given_up || active.saving || active.moved) return false;
  uint64_t groups = active.restore.size();
  for_groups_of(active, [&](size_t, const Group&) { ++groups; });
  return groups <= request.groups;
}

/// Requests where a search takes no time.
void SpiModel::take_saves(Cycle now) {
  while (save.front(now) != nullptr) {
    const Save request = save.pop(now);
    Active* const active = find(request.dispatch);
    if (active == nullptr) continue;  // it was over before
    if (!may_save(request, *active) || !find_rooms(request, *active)) continue;
    give_rooms(request, *active);
    save_waves(*active, now);
  }
}

/// One request at a time: when the last search for a compute unit is over, rooms are looked for,
/// and then the dispatch is saved or goes on. Nothing is placed meanwhile.
void SpiModel::search(Cycle now) {
  if (search_ && search_->next <= now) {
    Active* const active = find(search_->request.dispatch);
    const bool possible = active != nullptr && may_save(search_->request, *active);
    if (possible && !search_->looks) {
      const bool all = find_rooms(search_->request, *active);
      search_->looks = true;
      search_->next = now + found_cycles_ + (all ? 1 : 0);
      return;
    }
    if (possible && find_rooms(search_->request, *active)) {
      give_rooms(search_->request, *active);
      save_waves(*active, now);
    }
    search_.reset();
    frozen_until_ = now + 2;
    return;
  }
  if (search_ || save.front(now) == nullptr) return;
  const Active* const active = find(save.front(now)->dispatch);
  if (active != nullptr && active->ready > now + 1) return;  // it is being worked out
  const Save request = save.pop(now);
  if (active == nullptr) return;  // it was over before
  Cycle next = now + 1;
  for (const Engine& engine : engines_) next = std::max(next, engine.next_search);
  search_ = Search{request, next, false};
}

/// Nothing starts any more, and the waves are told, behind their launch.
void SpiModel::save_waves(Active& active, Cycle now) {
  active.unfinished = active.waits();
  active.saving = true;
  end_wait(now);
  blocked_ = false;
  WaveCommand command;
  command.action = WaveAction::Save;
  command.wave_bytes = wave_bytes(active.plan);
  size_t told_unit = units_.size();
  Cycle told = 0;
  for_groups_of(active, [&](size_t index, const Group& group) {
    Unit& unit = *units_[index];
    command.workgroup = group.key;
    command.room = group.room;
    // Behind all beats of the last launch.
    Cycle at = std::max(now + 1, unit.next_launch + contract::Message<WaveLaunch>::kBeats);
    if (config_.save_cycles != 0) {  // a command a cycle
      const Cycle launched = unit.launched == active.done.id ? unit.last_launch : now;
      at = told_unit == index ? told + 1 : std::max(now, launched) + 2;
      active.ready = std::max(active.ready, at);  // it is over when all have been told
    }
    told = at;
    told_unit = index;
    unit.port.command.push(command, at);
    sent_.insert(index);
  });
}

/// Rooms for the work-groups of a dispatch that have none: a work-group that was saved before has
/// its own, the others get the first that are free, or none of them does. A room is free when no
/// living work-group has it, or is yet to be restored from it. The tables are searched once for
/// each room that is in the way, and once for the end of the area.
bool SpiModel::find_rooms(const Save& request, const Active& active) {
  const uint64_t bytes = room_bytes(active.plan);
  const uint64_t end = request.area + request.to;
  rooms_.clear();
  found_.clear();
  found_cycles_ = 0;
  uint64_t homeless = 0;
  holding_.for_each([&](size_t index) {
    for (const Group& group : units_[index]->groups) {
      if (group.room_end != 0 && group.vmid == active.plan.dispatch.vmid) {
        rooms_.push_back({group.room, group.room_end});
      }
    }
  });
  for (const auto& other : active_) {
    if (other->plan.dispatch.vmid != active.plan.dispatch.vmid) continue;
    for (const SavedGroup& group : other->restore) {
      const uint64_t room = other->plan.dispatch.save_area + uint64_t{group.place} * kRoomGranule;
      rooms_.push_back({room, room + room_bytes(other->plan)});
    }
  }
  for_groups_of(active,
                [&](size_t, const Group& group) { homeless += group.room_end == 0 ? 1 : 0; });
  if (homeless == 0) return true;
  std::sort(rooms_.begin(), rooms_.end(),
            [](const Room& a, const Room& b) { return a.begin < b.begin; });
  rooms_.push_back({end, ~uint64_t{0}});
  uint64_t at = base::align_up(request.area + request.from, uint64_t{kRoomGranule});
  for (const Room& taken : rooms_) {
    if (taken.end <= at) continue;
    const uint64_t limit = std::min(taken.begin, end);
    found_cycles_ += config_.save_cycles;
    for (; found_.size() < homeless && at + bytes <= limit; at += bytes) {
      found_.push_back(at);
      if (config_.save_cycles != 0) ++found_cycles_;
    }
    if (found_.size() == homeless) return true;
    if (limit == end) break;
    at = taken.end;
  }
  return false;
}

void SpiModel::give_rooms(const Save& request, const Active& active) {
  auto next = found_.begin();
  for_groups_of(active, [&](size_t, Group& group) {
    group.saved = 0;
    group.first_is_saved = false;
    if (group.room_end != 0) return;
    group.room = *next++;
    group.room_end = group.room + room_bytes(active.plan);
    group.place = static_cast<uint16_t>((group.room - request.area) / kRoomGranule);
  });
}

void SpiModel::tell_room(Active& active, uint16_t place) {
  active.save_end = std::max(active.save_end,
                             place * kRoomGranule + static_cast<uint32_t>(room_bytes(active.plan)));
}

/// The last wave of a work-group has ended, and some were saved. Without the LDS they are lost.
void SpiModel::tell_saved(const Group& group, Active& active, Cycle now) {
  if (!group.first_is_saved && active.saving) {
    active.done.error = true;
    active.done.error_code = hsa::kQueueErrorException;
    active.give_up();
  }
  active.any_saved = true;
  active.told = now;
  tell_room(active, group.place);
  saved.push({group.dispatch, static_cast<uint32_t>(group.number), group.place, group.saved},
             now + 1);
}

/// Tells of the work-groups of a dispatch that is being saved which were restored and did not start
/// again: they stay where they are. False: more are to be told of. A dispatch whose waves all came
/// to their end in time is over.
bool SpiModel::tell_rest(Active& active, Cycle now) {
  if (config_.save_cycles != 0 && !active.restore.empty() && !active.telling) {
    active.telling = true;
    return false;
  }
  if (!active.restore.empty()) {  // one a cycle
    tell_room(active, active.restore.front().place);
    saved.push(active.restore.front(), now + 1);
    active.restore.pop_front();
    active.told = now;
    return false;
  }
  if (active.told && now <= *active.told) return false;
  if (!active.saving) return true;
  active.done.saved = active.any_saved || active.unfinished;
  active.done.next_group = active.next_group;
  active.done.save_end = active.save_end;
  return true;
}

/// True when the next work-group of a dispatch can be placed: of one that was saved it has been
/// found by its number, one at a time, and is in order.
bool SpiModel::find_next(Active& active, Cycle now) {
  if (!active.waits() || (now < active.asks && now + 1 < active.found)) return false;
  if (active.asks != machine::kNever && now >= active.asks) {
    active.found = std::max(active.asks, seek_free_) + config_.restore_cycles;
    if (config_.restore_cycles != 0) seek_free_ = active.found - 1;
    active.asks = machine::kNever;
  }
  if (now + 1 < active.found) return false;
  return check_restored(active) && now >= active.found;
}

/// False: what was saved has waves that the work-group does not have, or no place in scratch
/// memory.
bool SpiModel::check_restored(Active& active) {
  if (active.restore.empty()) return true;
  const SavedGroup& group = active.restore.front();
  const Dispatch& d = active.plan.dispatch;
  const bool wrong = group.waves >> waves_of(active.plan, group.group) != 0;
  const auto highest = static_cast<uint32_t>(std::bit_width(group.waves) - 1);
  const bool starves = d.scratch_waves != 0 && d.private_bytes != 0 &&
                       wave_number(active.plan, group.group, highest) >= d.scratch_waves;
  if (!wrong && !starves) return true;
  active.done.error = true;
  active.done.error_code = wrong ? hsa::kQueueErrorDispatch : hsa::kQueueErrorScratch;
  active.give_up();
  return false;
}

/// Privileged, at the second entry of its trap handler (public driver source: the first is for
/// traps and saving, 4 bytes on the one for restoring).
void restore_wave(WaveLaunch& w, const SavedGroup& saved_group, const DispatchPlan& plan) {
  const auto lowest = static_cast<unsigned>(std::countr_zero(saved_group.waves));
  const bool first = w.wave_in_group == lowest;
  const uint64_t room = plan.dispatch.save_area + uint64_t{saved_group.place} * kRoomGranule;
  w.exec = save_answer(
      room_of(room, wave_bytes(plan), plan.dispatch.group_bytes, w.wave_in_group, first), first);
  w.pc = plan.dispatch.tba + 4u;
  w.status |= wave::kStatusPriv;
  w.waves_in_group = static_cast<uint8_t>(std::popcount(saved_group.waves));
}

}  // namespace cuvette::spi
