// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hsail/machine.h"

namespace cuvette::hsail {

/// One wavefront. Its lanes follow a stack of frames: the top one runs; a frame ends where it meets
/// the frame below (`meet` equals the pc of that one), whose mask contains its lanes.
struct Machine::Wave {
  /// Lanes that run together.
  struct Frame {
    uint32_t pc;    ///< instruction number
    uint32_t meet;  ///< instruction number; UINT32_MAX: the first frame of its activation
    LaneMask mask;
    uint32_t activation;  ///< into `activations`
  };
  enum class State : uint8_t { kRunning, kAtBarrier, kAtFbarrier, kDone };

  State state = State::kRunning;
  uint32_t barrier_pc = 0;  ///< kAtBarrier: the barrier
  uint32_t first_item = 0;  ///< current flat id of lane 0
  LaneMask born;            ///< lanes that have a work-item
  LaneMask live;            ///< of these, those that have not ended
  std::vector<Frame> frames;
  std::vector<Activation> activations;  ///< the kernel's first; calls add and remove at the end
  std::vector<uint64_t> storage;        ///< slots of the activations
  LaneFrames memory;
  unsigned detected = 0;  ///< exception_detected, HSAIL's bits (11.2.3)
  unsigned waits = 0;     ///< turns that the signal wait in execution has waited
  /// Work-item ids by dimension and lane.
  std::array<std::vector<uint32_t>, 3> ids;
};

/// A resident work-group with its wavefronts.
struct Machine::Group {
  GroupState state;
  uint32_t place = 0;  ///< among the resident ones
  std::vector<Wave> waves;
  /// Number of executions by each slice of a barrier that is narrower than the work-group, by
  /// instruction.
  std::map<uint32_t, std::vector<uint64_t>> narrow_barriers;
  /// Work-items that it has.
  uint32_t items() const { return state.size[0] * state.size[1] * state.size[2]; }
  bool done() const {
    for (const Wave& w : waves) {
      if (w.state != Wave::State::kDone) return false;
    }
    return true;
  }
};

}  // namespace cuvette::hsail
