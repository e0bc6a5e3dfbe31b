// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/exec.h"

// Cross-lane instructions (HSAIL PRM 9.4). Active are the lanes that execute the instruction
// together; `width` is a promise that changes no result.
namespace cuvette::hsail {

namespace {

/// The active lanes whose value is not 0.
LaneMask lanes_set(const ExecContext& c, uint32_t slot) {
  const uint64_t* a = c.slot(slot);
  LaneMask lanes;
  c.each_lane([&](unsigned l) {
    if (a[l] != 0) lanes.set(l);
  });
  return lanes;
}

void active_lane_count(ExecContext& c, const Op& op) {
  const uint64_t count = lanes_set(c, op.src[0]).count();
  uint64_t* d = c.slot(op.dest[0]);
  c.each_lane([=](unsigned l) { d[l] = count; });
}

void active_lane_id(ExecContext& c, const Op& op) {
  uint64_t* d = c.slot(op.dest[0]);
  uint64_t earlier = 0;
  c.each_lane([&](unsigned l) { d[l] = earlier++; });
}

/// 256 bits in four registers; those above WAVESIZE are 0.
void active_lane_mask(ExecContext& c, const Op& op) {
  const LaneMask lanes = lanes_set(c, op.src[0]);
  for (unsigned i = 0; i < 4; ++i) {
    uint64_t* d = c.slot(op.dest[i]);
    c.each_lane([&](unsigned l) { d[l] = lanes.word(i); });
  }
}

/// Every lane reads before any lane writes: source, identity and destination may be one register.
void active_lane_permute(ExecContext& c, const Op& op) {
  const uint64_t* from = c.slot(op.src[1]);
  const uint64_t* use_identity = c.slot(op.src[3]);
  const uint32_t halves = op.type == Type::kB128 ? 2 : 1;
  uint64_t result[2][kMostLanes];
  for (uint32_t half = 0; half < halves; ++half) {
    const uint64_t* value = c.slot(op.src[0] + half);
    const uint64_t* identity = c.slot(op.src[2] + half);
    c.each_lane([&](unsigned l) {
      const auto source = static_cast<unsigned>(from[l] % c.lanes);
      const bool active = c.mask.has(source);
      result[half][l] = use_identity[l] != 0 || !active ? identity[l] : value[source];
    });
  }
  for (uint32_t half = 0; half < halves; ++half) {
    uint64_t* d = c.slot(op.dest[0] + half);
    c.each_lane([&](unsigned l) { d[l] = result[half][l]; });
  }
}

}  // namespace

Handler lane_handler(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kActiveLaneCount:
      return active_lane_count;
    case Opcode::kActiveLaneId:
      return active_lane_id;
    case Opcode::kActiveLaneMask:
      return active_lane_mask;
    case Opcode::kActiveLanePermute:
      return active_lane_permute;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
