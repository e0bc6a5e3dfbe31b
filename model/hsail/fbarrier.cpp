// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hsail/text.h"
#include "hsail/wave.h"

// Fine-grain barriers (HSAIL PRM 9.2): they count wavefronts. Uses that the PRM forbids stop the
// dispatch.
namespace cuvette::hsail {

void Machine::fbarrier(Group& group, Wave& wave, const Op& op) {
  Wave::Frame& frame = wave.frames.back();
  const uint64_t* names = wave.storage.data() + wave.activations[frame.activation].storage +
                          uint64_t{op.src[0]} * program_.wavesize;
  const unsigned first = frame.mask.first();
  const auto id = static_cast<CodeRef>(names[first]);
  const auto bad = [&](unsigned lane, const std::string& what) { stop(group, wave, lane, what); };
  for (unsigned lane = first; lane < program_.wavesize; ++lane) {
    if (!frame.mask.has(lane)) continue;
    if (names[lane] != id) return bad(lane, "the fbarrier is not the same in the whole wavefront");
  }
  if (id >= module_.code.size() || module_.code[id].kind != Kind::kFbarrier) {
    return bad(first, "the value names no fbarrier");
  }
  const std::string name = "fbarrier '" + module_.code[id].as<Fbarrier>().name + "'";
  auto& all = group.state.fbarriers;
  const bool alone = op.opcode == Opcode::kInitFbar || op.opcode == Opcode::kReleaseFbar;
  if (alone && frame.mask.count() != 1) {
    return bad(first, "one work-item alone initialises or releases an fbarrier");
  }
  if (op.opcode == Opcode::kInitFbar) {
    const auto [state, fresh] = all.emplace(id, FbarrierState{});
    if (!fresh) return bad(first, name + " is initialised already");
    state->second.initialised_at = op.ref;
    ++frame.pc;
    return;
  }
  const auto found = all.find(id);
  if (found == all.end()) return bad(first, name + " is not initialised");
  FbarrierState& f = found->second;
  if (op.opcode == Opcode::kReleaseFbar) {
    if (!f.members.empty()) return bad(first, name + " is released while it has members");
    all.erase(found);
    ++frame.pc;
    return;
  }
  // 9.2.3: all active work-items of a wavefront take part together.
  if (frame.mask != wave.live) {
    return bad((wave.live - frame.mask).first(),
               name + " in divergent control flow: this work-item does not reach it");
  }
  const uint32_t self = wave.first_item / program_.wavesize;
  const bool member = f.members.count(self) != 0;
  if (op.opcode == Opcode::kJoinFbar) {
    if (member) return bad(first, "the wavefront is a member of " + name + " already");
    if (!f.arrived.empty()) return bad(first, name + " is joined while others have arrived");
    f.members.emplace(self, op.ref);
    ++frame.pc;
    return;
  }
  if (!member) return bad(first, "the wavefront is no member of " + name);
  if (f.arrived.count(self) != 0)
    return bad(first, "the wavefront has arrived at " + name + " already");
  if (op.opcode == Opcode::kLeaveFbar) {
    f.members.erase(self);
    ++frame.pc;
  } else {
    f.arrived.insert(self);
    if (op.opcode == Opcode::kWaitFbar) {
      f.waiting.insert(self);
      wave.state = Wave::State::kAtFbarrier;
    } else {
      ++frame.pc;
    }
  }
  if (!f.members.empty() && f.arrived.size() == f.members.size()) satisfy(group, id);
}

void Machine::satisfy(Group& group, CodeRef fbarrier) {
  FbarrierState& f = group.state.fbarriers[fbarrier];
  for (Wave& wave : group.waves) {
    if (f.waiting.count(wave.first_item / program_.wavesize) == 0) continue;
    wave.state = Wave::State::kRunning;
    ++wave.frames.back().pc;
  }
  if (races_ != nullptr) races_->synchronize(group.state.number);
  f.arrived.clear();
  f.waiting.clear();
}

void Machine::finish(Group& group, Wave& wave) {
  wave.state = Wave::State::kDone;
  for (const auto& [id, f] : group.state.fbarriers) {
    const auto member = f.members.find(wave.first_item / program_.wavesize);
    if (member == f.members.end()) continue;
    return stop_at(
        member->second, group, wave, kNoLane,
        "a wavefront ends as a member of fbarrier '" + module_.code[id].as<Fbarrier>().name + "'");
  }
  // 9.2.3: whatever is initialised is released.
  const auto done = [](const Wave& w) { return w.state == Wave::State::kDone; };
  const auto& left = group.state.fbarriers;
  if (left.empty() || !std::all_of(group.waves.begin(), group.waves.end(), done)) return;
  const auto& [id, state] = *left.begin();
  stop_at(state.initialised_at, group, wave, kNoLane,
          "the work-group ends with fbarrier '" + module_.code[id].as<Fbarrier>().name +
              "' initialised");
}

void Machine::find_deadlock(Group& group) {
  for (const Wave& wave : group.waves) {
    if (wave.state == Wave::State::kRunning) return;
  }
  for (Wave& wave : group.waves) {
    if (wave.state == Wave::State::kDone) continue;
    return stop(group, wave, wave.live.first(),
                "no wavefront of the work-group can go on; " + where_each_wave_is());
  }
}

}  // namespace cuvette::hsail
