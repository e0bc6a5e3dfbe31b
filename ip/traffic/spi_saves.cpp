// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/traffic/spi_saves.h"

#include <algorithm>

namespace cuvette::ip::traffic {

using spi::Dispatch;
using spi::SavedGroup;

namespace {

constexpr uint64_t kArea = 0x20'0000'0000;
constexpr uint64_t kPage = 4096;

uint64_t room_of(const SavedGroup& g) {
  return kArea + g.place * kPage;
}

/// Bytes of a work-group (docs/reference/spi.md "Waves that are saved"), from the launch of a wave.
uint64_t room_bytes(const Dispatch& d, const spi::WaveLaunch& w) {
  const uint64_t items = uint64_t{d.workgroup[0]} * d.workgroup[1] * d.workgroup[2];
  const uint64_t wave = 256 * (uint64_t{w.vgpr_count} + w.acc_count) + 1024;
  return ((items + 63) / 64 * wave + d.group_bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

std::optional<spi::Save> SpiSaves::request(uint32_t dispatch) {
  const auto found = known_.find(dispatch);
  if (found == known_.end()) return std::nullopt;
  Known& known = found->second;
  const uint8_t vmid = known.dispatch.vmid;
  if (known.asked || asked_.count(vmid) != 0) return std::nullopt;
  known.asked = true;
  asked_[vmid] = dispatch;
  spi::Save save;
  save.dispatch = dispatch;
  save.area = kArea;
  // Behind the rooms of dispatches that the device does not know.
  save.from = static_cast<uint32_t>(reserved_[vmid]);
  if (save.from == 0 && below(2) == 0) save.from = below(20'000);
  const bool tight = below(4) == 0;
  save.to = save.from + (tight ? below(300) * 1000 : 64u << 20);
  save.groups = below(6) == 0 ? below(5) : 1000;
  ++points_[tight ? "save into little room" : "save into much room"];
  return save;
}

void SpiSaves::launched(unsigned unit, const spi::WaveLaunch& w) {
  Known& known = known_[w.dispatch];
  const Key key{w.dispatch, w.id >> 4 & 0xf'ffff'ffff};
  if (known.bytes == 0) known.bytes = room_bytes(known.dispatch, w);
  Resident& lives = lives_[{unit, w.workgroup}];
  lives.group = key;
  lives.waves.insert(w.id);
  const auto rest = known.rest.find(key.second);
  if (rest == known.rest.end()) return;
  ++points_["work-group that goes on"];
  lives.before = true;
  lives.room = room_of(rest->second);
  known.rest.erase(rest);
  at_rest_[known.dispatch.vmid].erase(w.dispatch);  // the device knows its rooms
  if (at_rest_[known.dispatch.vmid].empty()) reserved_[known.dispatch.vmid] = 0;
}

void SpiSaves::take_room(uint8_t vmid, const Key& group, uint64_t address, uint64_t bytes) {
  for (const auto& [other, room] : rooms_[vmid]) {
    if (other == group || address >= room.end || room.begin >= address + bytes) continue;
    fail("work-groups " + std::to_string(group.second) + " of dispatch " +
         std::to_string(group.first) + " and " + std::to_string(other.second) + " of dispatch " +
         std::to_string(other.first) + " share a room");
  }
  rooms_[vmid][group] = {address, address + bytes};
  room_of_[group] = address;
}

std::map<uint64_t, SpiSaves::Ending> SpiSaves::told(unsigned unit, const spi::WaveCommand& c) {
  std::map<uint64_t, Ending> ends;
  const auto found = lives_.find({unit, c.workgroup});
  if (found == lives_.end()) return ends;  // it was over before
  Resident& lives = found->second;
  Known& known = known_[lives.group.first];
  known.told = true;
  ++points_[lives.before ? "work-group saved again" : "work-group saved"];
  if (lives.room && *lives.room != c.room) fail("a work-group that has a room gets another one");
  if (c.room % kPage != 0) fail("a room that does not begin at a page");
  lives.room = c.room;
  take_room(known.dispatch.vmid, lives.group, c.room, known.bytes);
  bool first = true;  // of those that live
  for (const uint64_t wave : lives.waves) {
    ends[wave] = {below(first ? 8 : 4) != 0, first};
    if (!ends[wave].saved) ++points_[first ? "first wave ends otherwise" : "wave ends otherwise"];
    first = false;
  }
  return ends;
}

void SpiSaves::ended(unsigned unit, const spi::WaveLaunch& w, bool saved) {
  const auto found = lives_.find({unit, w.workgroup});
  if (found == lives_.end() || found->second.waves.erase(w.id) == 0) return;
  Resident& lives = found->second;
  lives.saved = lives.saved || saved;
  if (!lives.waves.empty()) return;
  if (!lives.saved) {
    rooms_[w.vmid].erase(lives.group);
    room_of_.erase(lives.group);
  }
  lives_.erase(found);
}

void SpiSaves::saved(const SavedGroup& g) {
  const auto found = known_.find(g.dispatch);
  if (found == known_.end()) return fail("a saved work-group of a dispatch that is over");
  Known& known = found->second;
  const Key key{g.dispatch, g.group};
  const auto room = room_of_.find(key);
  if (room == room_of_.end() || room->second != room_of(g)) {
    fail("work-group " + std::to_string(g.group) + " of dispatch " + std::to_string(g.dispatch) +
         " was not saved at place " + std::to_string(g.place));
  }
  if (known.rest.erase(g.group) != 0) ++points_["work-group that has not started again"];
  known.saved.push_back(g);
}

void SpiSaves::given_up(uint32_t dispatch) {
  const auto found = known_.find(dispatch);
  if (found == known_.end()) return;
  for (const auto& [group, saved] : found->second.rest) {
    rooms_[found->second.dispatch.vmid].erase({dispatch, group});
  }
}

/// Something that is no work-group of the grid.
void SpiSaves::spoil(Resumed& r) {
  SavedGroup& last = r.groups.back();
  switch (below(4)) {
    case 0:
      last.waves = 0;
      break;
    case 1:
      last.group = static_cast<uint32_t>(r.dispatch.next_group);
      break;
    case 2:
      last.waves = 0x8000 | last.waves;
      break;
    default:
      r.groups.push_back(last);
      break;
  }
}

std::optional<SpiSaves::Resumed> SpiSaves::done(const spi::DispatchDone& done, uint32_t id,
                                                bool spoils) {
  const auto found = known_.find(done.id);
  if (found == known_.end()) return std::nullopt;
  const Known known = std::move(found->second);
  known_.erase(found);
  const uint8_t vmid = known.dispatch.vmid;
  if (known.asked && asked_[vmid] == done.id) asked_.erase(vmid);
  if (known.restored) ++points_[done.saved ? "dispatch saved again" : "dispatch that went on ends"];
  if (known.asked && !done.saved && !known.told) ++points_["dispatch not saved"];
  // Rooms stay with what is saved, under the id of the dispatch that goes on.
  std::map<Key, Room>& rooms = rooms_[vmid];
  for (auto it = rooms.begin(); it != rooms.end();) {
    if (it->first.first != done.id) {
      ++it;
      continue;
    }
    room_of_.erase(it->first);
    it = rooms.erase(it);
  }
  at_rest_[vmid].erase(done.id);
  if (at_rest_[vmid].empty()) reserved_[vmid] = 0;
  if (!done.saved) return std::nullopt;
  uint64_t end = 0;
  for (const SavedGroup& g : known.saved) {
    end = std::max(end, room_of(g) + known.bytes - kArea);
  }
  if (done.save_end != end) {
    fail("dispatch " + std::to_string(done.id) + ": the last room ends at " + std::to_string(end) +
         ", the device says " + std::to_string(done.save_end));
  }
  ++points_["dispatch saved"];
  Resumed r;
  r.dispatch = known.dispatch;
  r.dispatch.id = id;
  r.dispatch.save_area = kArea;
  r.dispatch.next_group = done.next_group;
  r.groups = known.saved;
  std::sort(r.groups.begin(), r.groups.end(),
            [](const SavedGroup& a, const SavedGroup& b) { return a.group < b.group; });
  Known& next = known_[id];
  next.dispatch = r.dispatch;
  next.bytes = known.bytes;
  next.restored = true;
  for (SavedGroup& g : r.groups) {
    g.dispatch = id;
    next.rest[g.group] = g;
    rooms[{id, g.group}] = {room_of(g), room_of(g) + known.bytes};
    room_of_[{id, g.group}] = room_of(g);
  }
  if (!r.groups.empty()) {
    at_rest_[vmid].insert(id);
    reserved_[vmid] = std::max(reserved_[vmid], end);
  }
  if (spoils && !r.groups.empty() && below(12) == 0) {
    ++points_["work-groups that no grid has"];
    spoil(r);
    given_up(id);  // when the device sees it
  }
  return r;
}

void SpiSaves::count(Coverage& all) const {
  for (const char* point : {"save into little room", "save into much room", "work-group saved",
                            "work-group saved again", "work-group that goes on",
                            "work-group that has not started again", "wave ends otherwise",
                            "first wave ends otherwise", "dispatch saved", "dispatch saved again",
                            "dispatch not saved", "dispatch that went on ends"}) {
    all[point] = 0;
  }
  for (const auto& [point, hits] : points_) all[point] = hits;
}

}  // namespace cuvette::ip::traffic
