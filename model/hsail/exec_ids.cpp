// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/exec.h"

// Dispatch, work-item and miscellaneous values (HSAIL PRM 2.2, 2.3, 11.1, 11.4).
namespace cuvette::hsail {

namespace {

template <class F>
void per_lane(ExecContext& c, const Op& op, F value) {
  uint64_t* d = c.slot(op.dest[0]);
  c.each_lane([&](unsigned l) { d[l] = value(l); });
}

void workitem_id(ExecContext& c, const Op& op) {
  per_lane(c, op, [&](unsigned l) { return (*c.ids)[op.literal][l]; });
}
uint32_t absolute_id(const ExecContext& c, unsigned dimension, unsigned lane) {
  return c.group->id[dimension] * c.dispatch->workgroup[dimension] + (*c.ids)[dimension][lane];
}
void workitem_abs_id(ExecContext& c, const Op& op) {
  per_lane(c, op, [&](unsigned l) { return absolute_id(c, static_cast<unsigned>(op.literal), l); });
}
/// 2.3.2: by the full work-group size, so not dense in partial work-groups.
void workitem_flat_id(ExecContext& c, const Op& op) {
  const auto& size = c.dispatch->workgroup;
  per_lane(c, op, [&](unsigned l) {
    const auto& id = *c.ids;
    return id[0][l] + id[1][l] * size[0] + id[2][l] * size[0] * size[1];
  });
}
void workitem_flat_abs_id(ExecContext& c, const Op& op) {
  const auto& grid = c.dispatch->grid;
  const bool wide = op.type == Type::kU64;
  per_lane(c, op, [&](unsigned l) {
    const uint64_t id = absolute_id(c, 0, l) + uint64_t{absolute_id(c, 1, l)} * grid[0] +
                        uint64_t{absolute_id(c, 2, l)} * grid[0] * grid[1];
    return wide ? id : id & 0xffffffff;
  });
}
void current_workitem_flat_id(ExecContext& c, const Op& op) {
  per_lane(c, op, [&](unsigned l) { return c.first_item + l; });
}
void lane_id(ExecContext& c, const Op& op) {
  per_lane(c, op, [](unsigned l) { return l; });
}

void uniform(ExecContext& c, const Op& op, uint64_t value) {
  per_lane(c, op, [value](unsigned) { return value; });
}
void workgroup_id(ExecContext& c, const Op& op) {
  uniform(c, op, c.group->id[op.literal]);
}
void workgroup_size(ExecContext& c, const Op& op) {
  uniform(c, op, c.dispatch->workgroup[op.literal]);
}
void current_workgroup_size(ExecContext& c, const Op& op) {
  uniform(c, op, c.group->size[op.literal]);
}
void grid_size(ExecContext& c, const Op& op) {
  uniform(c, op, c.dispatch->grid[op.literal]);
}
void grid_groups(ExecContext& c, const Op& op) {
  uniform(c, op, c.dispatch->groups[op.literal]);
}
void dim(ExecContext& c, const Op& op) {
  uniform(c, op, c.dispatch->dimensions);
}
void group_base(ExecContext& c, const Op& op) {
  uniform(c, op, 0);
}
void group_static_size(ExecContext& c, const Op& op) {
  uniform(c, op, c.program->layout.group.bytes);
}
void group_total_size(ExecContext& c, const Op& op) {
  uniform(c, op, c.group->memory.size());
}
void kernarg_base(ExecContext& c, const Op& op) {
  uniform(c, op, c.dispatch->kernarg_address);
}

void completion_signal(ExecContext& c, const Op& op) {
  uniform(c, op, c.dispatch->completion_signal);
}
void packet_id(ExecContext& c, const Op& op) {
  uniform(c, op, c.dispatch->packet_id);
}
/// The clock of this engine counts instructions.
void clock(ExecContext& c, const Op& op) {
  uniform(c, op, c.clock);
}
/// This engine has one compute unit, which runs Machine::Options::resident_groups work-groups.
void compute_unit(ExecContext& c, const Op& op) {
  uniform(c, op, 0);
}
void wave_id(ExecContext& c, const Op& op) {
  uniform(c, op, c.wave_slot);
}
void last_wave_id(ExecContext& c, const Op& op) {
  uniform(c, op, c.dispatch->wave_slots - 1);
}

/// 11.4.2: without a debugger the dispatch ends with an error.
void debug_trap(ExecContext& c, const Op& op) {
  const auto lane = c.mask.first();
  c.fail(lane, "debugtrap with the value " + std::to_string(c.slot(op.src[0])[lane]));
}

// 11.2: the exceptions of the wavefront. Bits above the five are ignored.

void clear_exceptions(ExecContext& c, const Op& op) {
  *c.detected &= ~static_cast<unsigned>(op.literal);
}
void set_exceptions(ExecContext& c, const Op& op) {
  *c.detected |= static_cast<unsigned>(op.literal) & kAllExceptions;
}
void get_exceptions(ExecContext& c, const Op& op) {
  uniform(c, op, *c.detected);
}

/// The number of an fbarrier is that of its definition.
void fbarrier_number(ExecContext& c, const Op& op) {
  const uint64_t* a = c.slot(op.src[0]);
  per_lane(c, op, [a](unsigned l) { return a[l]; });
}

}  // namespace

Handler id_handler(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::kWorkItemId:
      return workitem_id;
    case Opcode::kWorkItemAbsId:
      return workitem_abs_id;
    case Opcode::kWorkItemFlatId:
      return workitem_flat_id;
    case Opcode::kWorkItemFlatAbsId:
      return workitem_flat_abs_id;
    case Opcode::kCurrentWorkItemFlatId:
      return current_workitem_flat_id;
    case Opcode::kLaneId:
      return lane_id;
    case Opcode::kWorkGroupId:
      return workgroup_id;
    case Opcode::kWorkGroupSize:
      return workgroup_size;
    case Opcode::kCurrentWorkGroupSize:
      return current_workgroup_size;
    case Opcode::kGridSize:
      return grid_size;
    case Opcode::kGridGroups:
      return grid_groups;
    case Opcode::kDim:
      return dim;
    case Opcode::kGroupBasePtr:
      return group_base;
    case Opcode::kGroupStaticSize:
      return group_static_size;
    case Opcode::kGroupTotalSize:
      return group_total_size;
    case Opcode::kKernargBasePtr:
      return kernarg_base;
    case Opcode::kPacketCompletionSig:
      return completion_signal;
    case Opcode::kPacketId:
      return packet_id;
    case Opcode::kClock:
      return clock;
    case Opcode::kLdf:
      return fbarrier_number;
    case Opcode::kCuId:
    case Opcode::kMaxCuId:
      return compute_unit;
    case Opcode::kWaveId:
      return wave_id;
    case Opcode::kMaxWaveId:
      return last_wave_id;
    case Opcode::kDebugTrap:
      return debug_trap;
    case Opcode::kClearDetectExcept:
      return clear_exceptions;
    case Opcode::kGetDetectExcept:
      return get_exceptions;
    case Opcode::kSetDetectExcept:
      return set_exceptions;
    default:
      return nullptr;
  }
}

}  // namespace cuvette::hsail
