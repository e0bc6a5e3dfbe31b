// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/series.h"

#include <algorithm>
#include <utility>

#include "wave/lanes/host_float.h"

namespace cuvette::golden {
namespace {

using hsa::InitialRegister;

/// Work-groups in one row, of whole waves in one row, all of whose waves have 64 work-items: how
/// many there are.
uint64_t whole_groups(const LaunchPlan& plan) {
  constexpr uint64_t kMostGroups = uint64_t{1} << 31;  // their ids stay in the lower half
  const auto& r = plan.request;
  const bool one_row =
      plan.groups[1] == 1 && plan.groups[2] == 1 && r.workgroup[1] == 1 && r.workgroup[2] == 1;
  if (!one_row || r.workgroup[0] % wave::kLanes != 0) return 0;
  const uint64_t end = std::min<uint64_t>(r.grid[0] / r.workgroup[0], kMostGroups);
  return end - std::min<uint64_t>(end, r.start[0]);
}

/// What differs between the waves of such work-groups.
wave::OwnRegisters own_registers(const LaunchPlan& plan, isa::Target target) {
  wave::OwnRegisters own;
  const auto range = [](isa::RegisterFile file, const hsa::RegisterSlot& slot) {
    return isa::RegisterRange{file, static_cast<uint8_t>(slot.written),
                              static_cast<uint16_t>(slot.first)};
  };
  for (const hsa::RegisterSlot& slot : plan.own_sgprs) {
    if (slot.what == InitialRegister::WorkgroupIdY || slot.what == InitialRegister::WorkgroupIdZ)
      continue;
    auto& list = slot.what == InitialRegister::WorkgroupIdX ? own.growing : own.others;
    list.push_back(range(isa::RegisterFile::Scalar, slot));
  }
  for (const hsa::RegisterSlot& slot : plan.layout.vgprs) {
    if (slot.what == InitialRegister::WorkitemIdY || slot.what == InitialRegister::WorkitemIdZ)
      continue;
    own.growing.push_back({isa::RegisterFile::Vgpr, 1, static_cast<uint16_t>(slot.first)});
  }
  if (target == isa::Target::Gfx942) {
    own.others.push_back({isa::RegisterFile::Scalar, 2, isa::kFlatScratchLo});
  }
  return own;
}

}  // namespace

Series::Series(const LaunchPlan& plan, const Config& config, Program& program, MemoryPort& port)
    : plan_(plan),
      config_(config),
      program_(program),
      port_(port),
      whole_groups_(whole_groups(plan)) {}

/// What a wave sees. False: it is no wave like that.
bool Series::look(std::unique_ptr<Wave>& wave, uint64_t group, unsigned index,
                  wave::StreamWaves::Seen& seen) {
  wave = launch_wave(plan_, config_, group, index, std::move(wave), program_.accumulates());
  for (const Program::Block* block : code_->blocks) {
    if (!block->fits(wave->state)) return false;
  }
  wave::HostSlice slice(wave->state.s);
  slice.memory = &port_;
  return code_->streams.see(wave->state, slice, seen);
}

/// What all waves from the first one of a work-group on have in common; none: it is not enough, or
/// they are not many. `used` is that first one then.
std::optional<wave::StreamSeries> Series::find(uint64_t group, std::unique_ptr<Wave>& used) {
  constexpr uint64_t kWorthIt = 16;
  const unsigned waves = plan_.waves_per_group;
  // Accesses have to be told, or subnormal numbers are kept from the host: waves one by one do
  // that.
  const bool alone = port_.watched || (program_.careful() && wave::lanes::subnormals_are_slow());
  if (alone || group >= whole_groups_) return std::nullopt;
  const wave::StreamSeries::Grid grid{whole_groups_ - group, waves};
  if (grid.groups < 2 || grid.groups * waves < kWorthIt) return std::nullopt;
  if (code_ == nullptr) {
    code_ = &program_.straight(hsa::first_instruction(*plan_.request.kernel),
                               own_registers(plan_, config_.target));
    instructions_ = code_->instructions;
  }
  if (code_->streams.empty() || instructions_ > config_.slice) return std::nullopt;
  port_.refresh();
  wave::StreamWaves::Seen first, next, row;
  const bool seen = look(used, group, waves > 1 ? 1 : 0, next) && look(used, group + 1, 0, row) &&
                    look(used, group, 0, first);
  if (!seen) return std::nullopt;
  return std::optional<wave::StreamSeries>(std::in_place, code_->streams, first, next, row, grid);
}

bool Series::keeps_apart(std::unique_ptr<Wave>& used) {
  const auto series = find(0, used);
  return series && plan_.workgroups() <= whole_groups_ + 1 &&
         series->keeps_apart(plan_.workgroups(), code_->leaves_for_end);
}

uint64_t Series::run(uint64_t group, uint64_t most, uint64_t most_waves,
                     std::unique_ptr<Wave>& used) {
  auto series = find(group, used);
  if (!series) return 0;
  wave::HostSlice slice(used->state.s);
  slice.memory = &port_;
  slice.enter();
  const uint64_t done = series->run(used->state, slice, std::min(most / instructions_, most_waves));
  slice.leave();
  program_.met_subnormals(slice.met_subnormals);
  for (Program::Block* block : code_->blocks) block->executed += done;
  code_->end->executed += done;
  return done;
}

}  // namespace cuvette::golden
