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
    for (Group& group : units_[index]->groups) {
      if (group.dispatch == active.done.id) act(index, group);
    }
  });
}

/// Nothing starts any more, and the waves are told, behind their launch. Without a handler, without
/// room for all of them, or when waves could not find their places in scratch memory again,
/// everything goes on as before.
void SpiModel::take_saves(Cycle now) {
  while (save.front(now) != nullptr) {
    const Save request = save.pop(now);
    const auto found = std::find_if(active_.begin(), active_.end(), [&request](const auto& a) {
      return a->done.id == request.dispatch;
    });
    if (found == active_.end()) continue;  // it was over before
    Active& active = **found;
    const bool possible = active.plan.dispatch.tba != 0 &&
                          active.plan.workgroups() <= ~uint32_t{0} && !active.done.error &&
                          !active.saving && !active.moved;
    if (!possible || !find_rooms(request, active)) continue;
    active.saving = true;
    end_wait(now);
    blocked_ = false;
    WaveCommand command;
    command.action = WaveAction::Save;
    command.wave_bytes = wave_bytes(active.plan);
    for_groups_of(active, [&](size_t index, const Group& group) {
      Unit& unit = *units_[index];
      command.workgroup = group.key;
      command.room = group.room;
      unit.port.command.push(command, std::max(now + 1, unit.next_launch));
      sent_.insert(index);
    });
  }
}

/// A work-group that was saved before has its room; the others get the first that are free, or none
/// of them does. A room is free when no living work-group has it, or is yet to be restored from it.
bool SpiModel::find_rooms(const Save& request, const Active& active) {
  const uint64_t bytes = room_bytes(active.plan);
  const uint64_t end = request.area + request.to;
  rooms_.clear();
  uint64_t groups = active.restore.size(), homeless = 0;
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
  for_groups_of(active, [&](size_t, const Group& group) {
    ++groups;
    homeless += group.room_end == 0 ? 1 : 0;
  });
  if (groups > request.groups) return false;
  std::sort(rooms_.begin(), rooms_.end(),
            [](const Room& a, const Room& b) { return a.begin < b.begin; });
  rooms_.push_back({end, ~uint64_t{0}});
  std::vector<uint64_t> found;
  uint64_t at = base::align_up(request.area + request.from, uint64_t{kRoomGranule});
  for (const Room& taken : rooms_) {
    const uint64_t limit = std::min(taken.begin, end);
    for (; found.size() < homeless && at + bytes <= limit; at += bytes) found.push_back(at);
    at = std::max(at, taken.end);
  }
  if (found.size() < homeless) return false;
  auto next = found.begin();
  for_groups_of(active, [&](size_t, Group& group) {
    group.saved = 0;
    group.first_is_saved = false;
    if (group.room_end != 0 || next == found.end()) return;
    group.room = *next++;
    group.room_end = group.room + bytes;
    group.place = static_cast<uint16_t>((group.room - request.area) / kRoomGranule);
  });
  return true;
}

/// The last wave of a work-group has ended, and some were saved. Without the LDS they are lost.
void SpiModel::tell_saved(const Group& group, Active& active, Cycle now) {
  if (!group.first_is_saved && active.saving) {
    active.done.error = true;
    active.done.error_code = hsa::kQueueErrorException;
    active.give_up();
  }
  active.any_saved = true;
  active.save_end = std::max(
      active.save_end, group.place * kRoomGranule + static_cast<uint32_t>(room_bytes(active.plan)));
  saved.push({group.dispatch, static_cast<uint32_t>(group.number), group.place, group.saved},
             now + 1);
}

/// Ends a dispatch that is being saved: groups that had been restored and did not start again stay
/// where they are. A dispatch whose waves all came to their end in time is over.
void SpiModel::tell_end(Active& active, Cycle now) {
  for (const SavedGroup& group : active.restore) {
    active.save_end = std::max(active.save_end, group.place * kRoomGranule +
                                                    static_cast<uint32_t>(room_bytes(active.plan)));
    saved.push(group, now + 1);
  }
  active.done.saved =
      active.any_saved || !active.restore.empty() || active.next_group < active.plan.workgroups();
  active.done.next_group = active.next_group;
  active.done.save_end = active.save_end;
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
