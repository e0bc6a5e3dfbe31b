// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/wave.h"

#include <algorithm>

namespace cuvette::hsail {

namespace {

/// 12.5: an exception of the BREAK policy is signaled.
std::string exception_text(unsigned exceptions) {
  constexpr const char* kNames[] = {"invalid operation", "divide by zero", "overflow", "underflow",
                                    "inexact"};
  std::string text;
  for (unsigned i = 0; i < 5; ++i) {
    if ((exceptions >> i & 1) != 0) text += (text.empty() ? "" : ", ") + std::string(kNames[i]);
  }
  return "exception enabled for BREAK: " + text;
}

/// The work-items that synchronize with each other, by flattened id (9.1.2).
uint64_t barrier_slice(const Op& op, unsigned wavesize) {
  if (op.width == Width::kAll) return uint64_t{1} << 32;
  if (op.width == Width::kWavesize) return wavesize;
  return uint64_t{1} << (static_cast<unsigned>(op.width) - 1);
}

}  // namespace

uint64_t Machine::run_wave(Group& group, Wave& wave, uint64_t budget) {
  ExecContext c;
  c.program = &program_;
  c.dispatch = &dispatch_;
  c.group = &group.state;
  c.port = &port_;
  c.region = &region_;
  c.first_item = wave.first_item;
  c.ids = &wave.ids;
  c.frames = &wave.memory;
  c.detected = &wave.detected;
  c.lanes = program_.wavesize;
  c.everyone = LaneMask::range(0, c.lanes);
  c.wave_slot = group.place * (kMostItems / c.lanes) + wave.first_item / c.lanes;
  c.goes_on = options_.on_undefined == OnUndefined::kGoOn;
  c.races = races_.get();
  c.access.group = group.state.number;
  c.access.wave = group.state.number * (kMostItems / c.lanes) + wave.first_item / c.lanes;
  uint64_t used = 0;
  while (used < budget) {
    if (wave.frames.empty()) {
      finish(group, wave);
      return used;
    }
    Wave::Frame& frame = wave.frames.back();
    c.activation = &wave.activations[frame.activation];
    c.block = &program_.blocks[c.activation->block];
    c.storage = wave.storage.data() + c.activation->storage;
    const bool at_end = frame.pc >= c.block->end;
    if (at_end || frame.mask.none() || frame.pc == frame.meet) {
      // Lanes that run off the end have returned (10.9); lanes at their meeting point go on in the
      // frame below, which waits there.
      const bool in_kernel = frame.activation == 0;
      if (at_end && in_kernel) {
        wave.live -= frame.mask;
        for (Wave::Frame& f : wave.frames) f.mask &= wave.live;
      }
      const bool whole = frame.meet == UINT32_MAX;
      wave.frames.pop_back();
      if (whole && !in_kernel) return_from(wave);
      continue;
    }
    const uint32_t pc = frame.pc;
    const Op& op = program_.ops[pc];
    c.mask = frame.mask;
    c.clock = executed_ + used;
    ++used;
    switch (op.flow) {
      case Flow::kNext:
      case Flow::kWait:
        c.out_of_turns = wave.waits >= kWaitTurns;
        if (c.races != nullptr) {
          c.access.instruction = pc;
          c.races->begin_instruction();
        }
        op.handler(c, op);
        if (c.races != nullptr) order_races(op, c);
        if (!c.failure.empty()) {
          stop(group, wave, c.failed_lane, c.failure);
          return used;
        }
        if (c.raised != 0) {
          const unsigned exceptions = hsail_exceptions(c.raised & op.exceptions);
          c.raised = 0;
          const ExceptionPolicies& enabled = c.activation->policies;
          wave.detected |= exceptions & enabled.detect;
          if ((exceptions & enabled.breaks) != 0) {
            stop(group, wave, kNoLane, exception_text(exceptions & enabled.breaks));
            return used;
          }
        }
        if (c.undefined != nullptr) {
          note_undefined(group, wave, pc, c.undefined_lanes, c.undefined);
          c.undefined = nullptr;
          c.undefined_lanes = {};
        }
        if (c.raced_with != RaceWatch::kNone) note_race(group, wave, pc, c);
        if (failed_) return used;
        if (op.flow == Flow::kWait && c.unsatisfied && wave.waits < kWaitTurns) {
          ++wave.waits;
          c.unsatisfied = false;
          end_turn_ = true;  // others have to change the signal
          return used;
        }
        c.unsatisfied = false;
        wave.waits = 0;
        ++frame.pc;
        break;
      case Flow::kBranch:
        frame.pc = program_.targets[op.first_target];
        break;
      case Flow::kConditional:
      case Flow::kSwitch:
        branch(group, wave, op);
        if (failed_) return used;
        break;
      case Flow::kReturn: {
        // In a function the lanes wait for the others of the call at its end (10.9).
        const LaneMask gone = frame.mask;
        const uint32_t activation = frame.activation;
        if (activation == 0) wave.live -= gone;
        for (Wave::Frame& f : wave.frames) {
          if (f.activation == activation) f.mask -= gone;
        }
        break;
      }
      case Flow::kCall:
        call(group, wave, op);
        if (failed_) return used;
        break;
      case Flow::kBarrier:
        arrive(group, wave, op);
        if (failed_ || wave.state != Wave::State::kRunning) return used;
        break;
      case Flow::kFbarrier:
        fbarrier(group, wave, op);
        if (failed_ || wave.state != Wave::State::kRunning) return used;
        break;
      case Flow::kWaveBarrier:
        if (frame.mask != wave.live) {
          stop(group, wave, (wave.live - frame.mask).first(),
               "wavebarrier in divergent control flow: this work-item does not reach it");
          return used;
        }
        ++frame.pc;
        break;
    }
  }
  return used;
}

/// cbr and sbr: lanes with the same target stay together. The lowest target runs first.
void Machine::branch(const Group& group, Wave& wave, const Op& op) {
  const Wave::Frame frame = wave.frames.back();
  const uint64_t* selector = wave.storage.data() + wave.activations[frame.activation].storage +
                             uint64_t{op.src[0]} * program_.wavesize;
  const uint32_t meet = program_.post_dominators[frame.pc];
  std::map<uint32_t, LaneMask> ways;
  LaneMask beyond;
  frame.mask.each([&](unsigned lane) {
    uint32_t target = frame.pc + 1;
    if (op.flow == Flow::kConditional) {
      if (selector[lane] != 0) target = program_.targets[op.first_target];
    } else if (selector[lane] < op.targets) {
      target = program_.targets[op.first_target + static_cast<uint32_t>(selector[lane])];
    } else {
      // 8.1 leaves an index beyond the list undefined: the first label, and noted.
      target = program_.targets[op.first_target];
      beyond.set(lane);
    }
    ways[target].set(lane);
  });
  if (beyond.any())
    note_undefined(group, wave, frame.pc, beyond, "sbr index beyond the list of labels");
  if (ways.size() == 1) {
    wave.frames.back().pc = ways.begin()->first;
    return;
  }
  if (meet == frame.meet) {
    wave.frames.pop_back();  // the frame below already waits there
  } else {
    wave.frames.back().pc = meet;
  }
  for (auto way = ways.rbegin(); way != ways.rend(); ++way) {
    if (way->first != meet)
      wave.frames.push_back({way->first, meet, way->second, frame.activation});
  }
}

/// 9.1, 9.3: every work-item of the slice that `width` names must execute the same barrier.
void Machine::arrive(Group& group, Wave& wave, const Op& op) {
  Wave::Frame& frame = wave.frames.back();
  const uint64_t slice = barrier_slice(op, program_.wavesize);
  if (slice <= program_.wavesize) {
    // Within the wavefront: each slice has to be there completely or not at all.
    const auto n = static_cast<unsigned>(slice);
    for (unsigned first = 0; first < program_.wavesize; first += n) {
      const LaneMask members = LaneMask::range(first, n) & wave.born;
      const LaneMask missing = members - frame.mask;
      if (missing.none() && members.any()) {
        count_barrier(group, frame.pc, slice, wave.first_item + first);
      } else if (missing.any() && missing != members) {
        return stop(group, wave, missing.first(),
                    "barrier in divergent control flow: this work-item does not reach it");
      }
    }
    ++frame.pc;
    return;
  }
  if (const LaneMask missing = wave.born - frame.mask; missing.any()) {
    const unsigned lane = missing.first();
    const bool ended = !wave.live.has(lane);
    return stop(group, wave, lane,
                ended ? "barrier after this work-item of the work-group has ended"
                      : "barrier in divergent control flow: this work-item does not reach it");
  }
  wave.state = Wave::State::kAtBarrier;
  wave.barrier_pc = frame.pc;
}

void Machine::release_barriers(Group& group) {
  const auto waits = [](const Wave& w) { return w.state == Wave::State::kAtBarrier; };
  for (Wave& wave : group.waves) {
    if (!waits(wave)) continue;
    const uint32_t pc = wave.barrier_pc;
    const uint64_t slice = barrier_slice(program_.ops[pc], program_.wavesize);
    const auto with = [&](const Wave& w) {
      return w.first_item / slice == wave.first_item / slice;
    };
    bool complete = true;
    for (const Wave& other : group.waves) {
      if (!with(other)) continue;
      if (other.state == Wave::State::kDone) {
        return stop(group, wave, wave.born.first(),
                    "barrier that wavefront " +
                        std::to_string(other.first_item / program_.wavesize) +
                        " of the work-group never reaches: it has ended");
      }
      complete = complete && waits(other) && other.barrier_pc == pc;
    }
    if (!complete) continue;
    count_barrier(group, pc, slice, wave.first_item);
    if (races_ != nullptr) races_->synchronize(group.state.number);
    for (Wave& other : group.waves) {
      if (!with(other)) continue;
      other.state = Wave::State::kRunning;
      ++other.frames.back().pc;
    }
  }
  // Another barrier is wrong once nobody is left who could come: narrow ones let some go ahead.
  const auto done = [](const Wave& w) { return w.state == Wave::State::kDone; };
  if (!std::all_of(group.waves.begin(), group.waves.end(),
                   [&](const Wave& w) { return waits(w) || done(w); })) {
    return;
  }
  for (const Wave& wave : group.waves) {
    if (done(wave)) continue;
    const uint64_t slice = barrier_slice(program_.ops[wave.barrier_pc], program_.wavesize);
    for (const Wave& other : group.waves) {
      if (done(other) || other.first_item / slice != wave.first_item / slice) continue;
      if (other.barrier_pc == wave.barrier_pc) continue;
      return stop(group, wave, wave.born.first(),
                  "wavefronts of one work-group wait at different barriers: wavefront " +
                      std::to_string(other.first_item / program_.wavesize) + " at " +
                      place_text(module_.code[program_.ops[other.barrier_pc].ref].at));
    }
  }
}

void Machine::count_barrier(Group& group, uint32_t pc, uint64_t slice, uint32_t first_item) const {
  if (slice >= group.items()) return;
  std::vector<uint64_t>& counts = group.narrow_barriers[pc];
  counts.resize((group.items() + slice - 1) / slice);
  ++counts[first_item / slice];
}

void Machine::compare_barriers(const Group& group) {
  for (const auto& [pc, counts] : group.narrow_barriers) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    if (*least == *most) continue;
    const uint64_t slice = barrier_slice(program_.ops[pc], program_.wavesize);
    const auto item = static_cast<uint64_t>(least - counts.begin()) * slice;
    const auto times = [](uint64_t n) { return std::to_string(n) + (n == 1 ? " time" : " times"); };
    return stop_at(program_.ops[pc].ref, group, group.waves[item / program_.wavesize],
                   static_cast<unsigned>(item % program_.wavesize),
                   "barrier that this work-item executes " + times(*least) + " and others " +
                       times(*most) + ", expected the whole work-group to execute it");
  }
}

}  // namespace cuvette::hsail
