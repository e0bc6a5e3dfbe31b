// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/races.h"

#include <algorithm>

namespace cuvette::hsail {

namespace {

constexpr unsigned kLineBytes = 64;
constexpr unsigned kWordBytes = 4;

}  // namespace

bool RaceWatch::ordered(const Record& before, const Access& now) {
  if (before.wave == now.wave) return true;
  const GroupClock& mine = groups_[now.group];
  const GroupClock& its = groups_[before.group];
  if (before.group == now.group && mine.first_release.size() > before.phase + size_t{1})
    return true;
  // The first release behind the access, by its wavefront or, behind a barrier, by its group.
  uint64_t released = 0;
  const std::vector<uint64_t>& own = waves_[before.wave].releases;
  if (before.releases < own.size()) released = own[before.releases];
  for (size_t phase = before.phase + size_t{1}; phase < its.first_release.size(); ++phase) {
    const uint64_t time = its.first_release[phase];
    if (time == 0) continue;
    released = released == 0 ? time : std::min(released, time);
    break;
  }
  return released != 0 && released < std::max(waves_[now.wave].acquired, mine.acquired);
}

bool RaceWatch::races(const Record& before, const Access& now, uint8_t mask) {
  if (before.wave == kNone || (before.mask & mask) == 0) return false;
  return !(before.atomic && now.atomic) && !ordered(before, now);
}

void RaceWatch::note(Word& word, const Access& access, uint8_t mask) {
  const auto releases = static_cast<uint32_t>(waves_[access.wave].releases.size());
  const auto phase = static_cast<uint32_t>(groups_[access.group].first_release.size() - 1);
  const Record record{access.wave, access.group, access.instruction, phase,
                      releases,    mask,         access.atomic};
  if (access.changes) {
    word.store = record;
    word.loads = {};
    return;
  }
  // Its own place, a free one, or that of the reader before last.
  auto place = std::find_if(word.loads.begin(), word.loads.end(), [&](const Record& r) {
    return r.wave == access.wave || r.wave == kNone;
  });
  if (place == word.loads.end()) {
    word.loads[0] = word.loads[1];
    place = word.loads.begin() + 1;
  }
  *place = record;
}

RaceWatch::Line* RaceWatch::line_at(uint32_t space, uint64_t line) {
  auto& lines = lines_[space];
  const auto found = lines.find(line);
  if (found != lines.end()) return &found->second;
  if (line_count_ == kMostLines) {
    overflowed_ = true;
    return nullptr;
  }
  ++line_count_;
  return &lines[line];
}

/// Lanes of one instruction store different bytes to one place.
uint32_t RaceWatch::collision(uint32_t space, uint64_t address, unsigned bytes,
                              const uint8_t* data) {
  uint32_t found = kNone;
  auto& stored = own_stores_[space];
  for (unsigned i = 0; i < bytes; ++i) {
    const auto [place, fresh] = stored.try_emplace(address + i, data[i]);
    if (!fresh && place->second != data[i]) found = kOwnLanes;
  }
  return found;
}

uint32_t RaceWatch::access(const Access& access, uint32_t space, uint64_t address, unsigned bytes,
                           const uint8_t* data) {
  uint32_t found = kNone;
  if (access.changes && !access.atomic) found = collision(space, address, bytes, data);
  for (uint64_t at = address; at < address + bytes;) {
    const uint64_t word_start = at / kWordBytes * kWordBytes;
    const uint64_t end = std::min<uint64_t>(word_start + kWordBytes, address + bytes);
    const auto mask = static_cast<uint8_t>(((1u << (end - at)) - 1) << (at - word_start));
    at = end;
    Line* const line = line_at(space, word_start / kLineBytes);
    if (line == nullptr) continue;
    Word& word = (*line)[word_start % kLineBytes / kWordBytes];
    if (found == kNone && races(word.store, access, mask)) found = word.store.instruction;
    if (access.changes) {
      for (const Record& load : word.loads)
        if (found == kNone && races(load, access, mask)) found = load.instruction;
    }
    note(word, access, mask);
  }
  return found;
}

void RaceWatch::release(uint32_t wave, uint32_t group) {
  ++now_;
  waves_[wave].releases.push_back(now_);
  uint64_t& first = groups_[group].first_release.back();
  if (first == 0) first = now_;
}

void RaceWatch::acquire(uint32_t wave, uint32_t group) {
  waves_[wave].acquired = groups_[group].acquiring = ++now_;
}

void RaceWatch::synchronize(uint32_t group) {
  GroupClock& clock = groups_[group];
  clock.acquired = clock.acquiring;
  clock.first_release.push_back(0);
}

void RaceWatch::end_group(uint32_t group) {
  const auto found = lines_.find(group);
  if (found == lines_.end()) return;
  line_count_ -= found->second.size();
  lines_.erase(found);
}

}  // namespace cuvette::hsail
