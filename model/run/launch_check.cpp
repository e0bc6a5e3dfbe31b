// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/launch_check.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/bits.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Status;

constexpr uint64_t kLanes = 64;

/// The name that text and machine code have for the same kernel.
std::string plain_name(const KernelShape& shape) {
  return shape.name.substr(shape.name.rfind('&', 0) == 0 ? 1 : 0);
}

std::array<uint64_t, 3> groups_of(const Launch& launch) {
  std::array<uint64_t, 3> groups{};
  for (size_t d = 0; d < 3; ++d) {
    groups[d] = (uint64_t{launch.grid[d]} + launch.workgroup[d] - 1) / launch.workgroup[d];
  }
  return groups;
}

/// At most `most` + 1: the product may have 96 bits.
uint64_t product(const std::array<uint64_t, 3>& numbers, uint64_t most) {
  uint64_t out = 1;
  for (const uint64_t n : numbers) out = n != 0 && out > most / n ? most + 1 : out * n;
  return std::min(out, most + 1);
}

uint64_t items_of(const Launch& launch) {
  return uint64_t{launch.workgroup[0]} * launch.workgroup[1] * launch.workgroup[2];
}

Status check_groups(const Dispatch& dispatch, const Launch& launch) {
  const auto groups = groups_of(launch);
  if (product(groups, kMostWorkgroups) <= kMostWorkgroups) return {};
  return Error(
      fmt::format("{} work-groups, expected at most {}", fmt::join(groups, " x "), kMostWorkgroups),
      dispatch.grid_where);
}

/// The key that asks for most of it: `group_bytes`, the largest `local` argument, or the kernel.
base::Location group_place(const Dispatch& dispatch, uint64_t fixed) {
  base::Location place = dispatch.kernel_where;
  uint64_t most = fixed;
  if (dispatch.group_bytes > most) {
    most = dispatch.group_bytes;
    place = dispatch.group_bytes_where;
  }
  for (const Argument& argument : dispatch.arguments) {
    if (argument.kind != Argument::Kind::Local || argument.amount <= most) continue;
    most = argument.amount;
    place = argument.where;
  }
  return place;
}

Status check_group_memory(const Dispatch& dispatch, const KernelShape& shape, const Launch& launch,
                          const UnitRoom& room) {
  const uint64_t bytes = uint64_t{shape.group_bytes} + launch.dynamic_group_bytes;
  if (bytes <= room.group_bytes) return {};
  return Error(
      fmt::format("kernel '{}' has {} bytes of group memory ({} of its own, {} of the dispatch), "
                  "expected at most {}, what a compute unit has",
                  plain_name(shape), bytes, shape.group_bytes, launch.dynamic_group_bytes,
                  room.group_bytes),
      group_place(dispatch, shape.group_bytes));
}

Status check_scratch(const Dispatch& dispatch, const KernelShape& shape, const Launch& launch) {
  const uint64_t item = uint64_t{shape.private_bytes} + launch.stack_bytes;
  if (item == 0) return {};
  const uint64_t wave = base::align_up(base::align_up(item, 4) * kLanes, 1024);
  if (wave > kMostScratchOfWave) {
    const bool own = shape.private_bytes > launch.stack_bytes;
    return Error(
        fmt::format("kernel '{}' has {} bytes of scratch for a work-item ({} of its own, {} "
                    "of stack_bytes), expected at most {}",
                    plain_name(shape), item, shape.private_bytes, launch.stack_bytes,
                    kMostScratchOfWave / kLanes),
        own ? dispatch.kernel_where : dispatch.stack_bytes_where);
  }
  const uint64_t waves =
      product(groups_of(launch), kMostWorkgroups) * ((items_of(launch) + kLanes - 1) / kLanes);
  if (waves <= kMostScratchBytes / wave) return {};
  return Error(fmt::format("{} waves with {} bytes of scratch each, expected at most {} together",
                           waves, wave, kMostScratchBytes),
               dispatch.grid_where);
}

/// A work-group lies in one compute unit as a whole.
Status check_registers(const Dispatch& dispatch, const KernelShape& shape, const Launch& launch,
                       const UnitRoom& room) {
  if (shape.vgprs == 0 || room.vgpr_rows == 0) return {};
  uint64_t waves = room.waves_per_simd;
  waves =
      std::min<uint64_t>(waves, room.vgpr_rows / base::align_up(shape.vgprs, room.vgpr_granule));
  if (shape.sgprs != 0) waves = std::min<uint64_t>(waves, room.sgprs_per_simd / shape.sgprs);
  const uint64_t needed = (items_of(launch) + kLanes - 1) / kLanes;
  if (needed <= waves * room.simds) return {};
  return Error(
      fmt::format("a work-group of {} waves of kernel '{}' with {} VGPRs and {} SGPRs each, "
                  "expected at most {} waves, what a compute unit has registers and wave slots for",
                  needed, plain_name(shape), shape.vgprs, shape.sgprs, waves * room.simds),
      dispatch.workgroup_where);
}

Status check_promises(const Dispatch& dispatch, const KernelShape& shape, const Launch& launch) {
  hsa::LaunchSize size;
  for (size_t d = 0; d < 3; ++d) {
    size.grid[d] = launch.grid[d];
    size.workgroup[d] = launch.workgroup[d];
  }
  size.dimensions = launch.dimensions;
  size.dynamic_group_bytes = launch.dynamic_group_bytes;
  size.wavefront = shape.wavefront;
  const auto broken = hsa::first_broken_limit(shape.limits, size);
  if (!broken) return {};
  base::Location place = dispatch.grid_where;
  if (broken->part == hsa::LaunchPart::Workgroup) place = dispatch.workgroup_where;
  if (broken->part == hsa::LaunchPart::GroupBytes) place = group_place(dispatch, 0);
  return Error(fmt::format("kernel '{}': {}", plain_name(shape), broken->what), place);
}

}  // namespace

Status check_launch(const Dispatch& dispatch, const KernelShape& shape, const Launch& launch,
                    const UnitRoom& room) {
  if (auto s = check_promises(dispatch, shape, launch); !s.ok()) return s;
  if (auto s = check_groups(dispatch, launch); !s.ok()) return s;
  if (auto s = check_group_memory(dispatch, shape, launch, room); !s.ok()) return s;
  if (auto s = check_scratch(dispatch, shape, launch); !s.ok()) return s;
  return check_registers(dispatch, shape, launch, room);
}

}  // namespace cuvette::run
