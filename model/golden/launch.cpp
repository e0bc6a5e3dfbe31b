// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/launch.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/bits.h"
#include "wave/operand.h"

namespace cuvette::golden {
namespace {

using hsa::InitialRegister;

constexpr uint32_t kLdsBytes = 65536;
/// A wave's id in records has 40 bits for the flattened id of its work-group and its number of 16.
constexpr uint64_t kMostGroups = uint64_t{1} << 36;
constexpr uint32_t kPoison = 0xdeadbeef;
constexpr uint64_t kUnits = 16;  // compute units that HW_ID tells apart

/// Position of a wave in the grid.
struct Position {
  std::array<uint32_t, 3> id{};    // work-group id
  std::array<uint32_t, 3> size{};  // work-items of this, perhaps partial, work-group
  uint32_t waves = 1;
  uint64_t wave_number = 0;  // in the dispatch, or its place, for scratch
};

Position position_of(const LaunchPlan& plan, uint64_t group, unsigned index) {
  Position p;
  const auto& r = plan.request;
  if (plan.groups[1] == 1 && plan.groups[2] == 1) {
    p.id = {static_cast<uint32_t>(group), 0, 0};
  } else {
    p.id = {static_cast<uint32_t>(group % plan.groups[0]),
            static_cast<uint32_t>(group / plan.groups[0] % plan.groups[1]),
            static_cast<uint32_t>(group / plan.groups[0] / plan.groups[1])};
  }
  uint64_t items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    p.id[d] += r.start[d];
    const uint64_t start = uint64_t{p.id[d]} * r.workgroup[d];
    p.size[d] = static_cast<uint32_t>(std::min<uint64_t>(r.workgroup[d], r.grid[d] - start));
    items *= p.size[d];
  }
  p.waves = static_cast<uint32_t>((items + wave::kLanes - 1) / wave::kLanes);
  const uint64_t place = plan.scratch_groups == 0 ? group : group % plan.scratch_groups;
  p.wave_number = place * plan.waves_per_group + index;
  return p;
}

/// WAVE_ID 3:0, SIMD_ID 5:4, CU_ID 11:8 (Vega ISA table 5, HW_ID): golden places work-groups on 16
/// compute units in turn.
uint32_t hardware_id(const LaunchPlan& plan, uint64_t group, unsigned index) {
  const uint64_t unit = group / plan.groups_per_unit;
  const auto place = static_cast<uint32_t>(group - unit * plan.groups_per_unit);
  const uint32_t slot = place * plan.waves_per_group + index;
  return slot / 4 | slot % 4 << 4 | static_cast<uint32_t>(unit % kUnits) << 8;
}

/// Value of one dword of an initial register that all waves have alike; none of the others.
std::optional<uint64_t> common_value(const LaunchPlan& plan, InitialRegister what, unsigned dword) {
  const auto& r = plan.request;
  const auto pick = [dword](uint64_t v) { return dword == 0 ? base::lo32(v) : base::hi32(v); };
  switch (what) {
    case InitialRegister::PrivateSegmentBuffer:
      return plan.scratch_descriptor[dword];
    case InitialRegister::DispatchPtr:
      return pick(r.packet_address);
    case InitialRegister::QueuePtr:
      return pick(r.queue_address);
    case InitialRegister::KernargSegmentPtr:
      return pick(r.kernarg);
    case InitialRegister::DispatchId:
      return pick(r.dispatch_id);
    case InitialRegister::FlatScratchInit:
      return pick(plan.scratch_base);
    case InitialRegister::PrivateSegmentSize:
      return r.private_bytes;
    case InitialRegister::KernargPreload:
      return r.preload[dword];
    case InitialRegister::GridWorkgroupCountX:
      return plan.groups[0];
    case InitialRegister::GridWorkgroupCountY:
      return plan.groups[1];
    case InitialRegister::GridWorkgroupCountZ:
      return plan.groups[2];
    case InitialRegister::WorkgroupIdX:
    case InitialRegister::WorkgroupIdY:
    case InitialRegister::WorkgroupIdZ:
    case InitialRegister::WorkgroupInfo:
    case InitialRegister::PrivateSegmentWaveByteOffset:
      return std::nullopt;
    default:
      return 0;
  }
}

/// Initial value of a register that common_value() does not know.
uint32_t own_value(const LaunchPlan& plan, const Position& p, unsigned index,
                   InitialRegister what) {
  switch (what) {
    case InitialRegister::WorkgroupIdX:
      return p.id[0];
    case InitialRegister::WorkgroupIdY:
      return p.id[1];
    case InitialRegister::WorkgroupIdZ:
      return p.id[2];
    case InitialRegister::WorkgroupInfo:
      // First wave of the group at bit 31, waves of the group at 5:0 (Compute ABI, work-group
      // info).
      return (index == 0 ? 0x80000000u : 0u) | p.waves;
    default:
      return static_cast<uint32_t>(p.wave_number * plan.scratch_bytes_per_wave);
  }
}

void list_sgprs(LaunchPlan& plan) {
  plan.common_sgprs.clear();
  plan.own_sgprs.clear();
  if (const auto* data = plan.request.user_data) {
    const size_t count = std::min<size_t>(plan.request.kernel->rsrc2.user_sgpr_count, data->size());
    for (size_t i = 0; i < count; ++i) plan.common_sgprs.emplace_back(i, (*data)[i]);
  }
  for (const auto* list : {&plan.layout.user_sgprs, &plan.layout.system_sgprs}) {
    for (const hsa::RegisterSlot& slot : *list) {
      if (!common_value(plan, slot.what, 0)) plan.own_sgprs.push_back(slot);
      for (unsigned i = 0; i < slot.written; ++i) {
        const auto value = common_value(plan, slot.what, i);
        if (value) plan.common_sgprs.emplace_back(slot.first + i, static_cast<uint32_t>(*value));
      }
    }
  }
}

void set_sgprs(const LaunchPlan& plan, const Position& p, unsigned index, Wave& w) {
  for (const auto& [code, value] : plan.common_sgprs) w.state.s.sgpr[code] = value;
  for (const hsa::RegisterSlot& slot : plan.own_sgprs) {
    for (unsigned i = 0; i < slot.written; ++i) {
      w.state.s.sgpr[slot.first + i] = own_value(plan, p, index, slot.what);
    }
  }
}

/// Value of a register of work-item ids for the work-item at `at`.
uint32_t item_value(InitialRegister what, const std::array<uint32_t, 3>& at) {
  switch (what) {
    case InitialRegister::WorkitemIdX:
      return at[0];
    case InitialRegister::WorkitemIdY:
      return at[1];
    case InitialRegister::WorkitemIdZ:
      return at[2];
    default:
      return at[0] | at[1] << 10 | at[2] << 20;
  }
}

/// Work-items are numbered x fastest within the work-group's real size (HSAIL PRM 2.2.3).
void set_vgprs(const LaunchPlan& plan, const Position& p, unsigned index, unsigned live, Wave& w) {
  const uint64_t number = uint64_t{index} * wave::kLanes;
  std::array<uint32_t, 3> first{};
  if (p.size[1] == 1 && p.size[2] == 1) {
    first[0] = static_cast<uint32_t>(number);
  } else {
    first = {static_cast<uint32_t>(number % p.size[0]),
             static_cast<uint32_t>(number / p.size[0] % p.size[1]),
             static_cast<uint32_t>(number / p.size[0] / p.size[1])};
  }
  for (const auto& slot : plan.layout.vgprs) {
    if (slot.first >= w.state.v.arch_count) continue;
    wave::LaneRow& row = w.state.v.arch[slot.first];
    std::array<uint32_t, 3> at = first;
    if (at[0] + live <= p.size[0]) {  // usually: one row of the work-group
      const uint32_t value = item_value(slot.what, at);
      const bool counts =
          slot.what != InitialRegister::WorkitemIdY && slot.what != InitialRegister::WorkitemIdZ;
      for (unsigned lane = 0; lane < live; ++lane) row[lane] = value + (counts ? lane : 0);
      continue;
    }
    for (unsigned lane = 0; lane < live; ++lane) {
      row[lane] = item_value(slot.what, at);
      if (++at[0] < p.size[0]) continue;
      at[0] = 0;
      if (++at[1] < p.size[1]) continue;
      at[1] = 0;
      ++at[2];
    }
  }
}

}  // namespace

void place_scratch(LaunchPlan& plan, uint64_t base, const std::array<uint32_t, 4>& descriptor) {
  plan.scratch_base = base;
  plan.scratch_descriptor = descriptor;
  list_sgprs(plan);
}

std::array<uint32_t, 4> scratch_descriptor(uint64_t base) {
  return {base::lo32(base), (base::hi32(base) & 0xffff) | (1u << 31), 0xffffffff, 0x00e80000};
}

base::Result<LaunchPlan> plan_launch(const DispatchRequest& request, const Config& config) {
  LaunchPlan plan;
  plan.request = request;
  const hsa::KernelInfo& kernel = *request.kernel;
  uint64_t items = 1, groups = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (request.grid[d] == 0 || request.workgroup[d] == 0) {
      return base::Error("grid and work-group sizes must not be 0");
    }
    plan.groups[d] = static_cast<uint32_t>((uint64_t{request.grid[d]} + request.workgroup[d] - 1) /
                                           request.workgroup[d]);
    plan.groups[d] -= std::min(plan.groups[d], request.start[d]);
    items *= request.workgroup[d];
    // The product may have 96 bits; it stays at the first number that is too large.
    const uint64_t more = plan.groups[d];
    groups = more != 0 && groups > kMostGroups / more ? kMostGroups + 1 : groups * more;
  }
  if (items > 1024) {
    return base::Error(fmt::format("work-group of {} work-items, expected at most 1024", items));
  }
  if (groups > kMostGroups) {
    return base::Error(fmt::format("grid of more than {} work-groups", kMostGroups));
  }
  if (request.group_bytes > kLdsBytes) {
    return base::Error(fmt::format("kernel '{}' wants {} bytes of group memory, the machine has {}",
                                   kernel.name, request.group_bytes, kLdsBytes));
  }
  auto layout = hsa::initial_layout(kernel);
  if (!layout) {
    return base::Error(fmt::format("kernel '{}': {}", kernel.name, layout.error().what));
  }
  plan.layout = *layout;
  const bool unified = isa::unified_vgprs(config.target);
  // Ten waves per SIMD, eight from gfx90a on.
  plan.waves_per_group = static_cast<uint32_t>((items + wave::kLanes - 1) / wave::kLanes);
  plan.groups_per_unit = 4 * (unified ? 8 : 10) / plan.waves_per_group;
  plan.mode = kernel.rsrc1.mode() | (uint32_t{kernel.rsrc2.exceptions} << 12);
  plan.vgprs = static_cast<uint16_t>(unified && kernel.accum_offset != 0
                                         ? std::min(kernel.accum_offset, kernel.vgpr_count)
                                         : kernel.vgpr_count);
  plan.accvgprs = static_cast<uint16_t>(unified ? kernel.vgpr_count - plan.vgprs
                                        : isa::has_accvgprs(config.target) ? kernel.vgpr_count
                                                                           : 0);
  plan.sgprs = static_cast<uint16_t>(kernel.sgpr_count);
  // Scratch of a wave: 64 lanes, dword interleaved, in units of 1 KiB (Compute ABI, WAVESIZE of
  // TMPRING_SIZE).
  plan.scratch_bytes_per_wave =
      base::align_up(base::align_up(request.private_bytes, 4) * wave::kLanes, 1024);
  list_sgprs(plan);
  return plan;
}

uint64_t places_for_groups(const LaunchPlan& plan) {
  const uint64_t places = uint64_t{plan.groups_per_unit} * kUnits;
  return plan.scratch_groups == 0 ? places : std::min(places, plan.scratch_groups);
}

unsigned waves_of_group(const LaunchPlan& plan, uint64_t group) {
  return position_of(plan, group, 0).waves;
}

std::unique_ptr<Wave> launch_wave(const LaunchPlan& plan, const Config& config, uint64_t group,
                                  unsigned index, std::unique_ptr<Wave> used, bool accumulation) {
  const Position p = position_of(plan, group, index);
  if (index >= p.waves) return nullptr;
  auto w = std::move(used);
  if (w == nullptr) {
    w = std::make_unique<Wave>(config.target, plan.vgprs, plan.accvgprs);
  } else {
    w->renew(accumulation);
  }
  auto& s = w->state.s;
  w->uses_micro_ops = config.decoded;
  w->state.sramecc = config.sramecc;
  // No time passes here: the clock a wave reads counts its own instructions, whatever the others
  // do.
  w->state.clock = [](void* wave) { return static_cast<const Wave*>(wave)->order; };
  w->state.clock_context = w.get();
  if (config.poison) {
    s.sgpr.fill(kPoison);
    for (unsigned i = 0; i < plan.vgprs; ++i) w->state.v.arch[i].fill(kPoison);
    for (unsigned i = 0; i < plan.accvgprs; ++i) w->state.v.acc[i].fill(kPoison);
    for (unsigned code = isa::kVccLo; code < s.sgpr.size(); ++code) s.sgpr[code] = 0;
  }
  const uint64_t items = uint64_t{p.size[0]} * p.size[1] * p.size[2];
  const auto live = static_cast<unsigned>(
      std::min<uint64_t>(wave::kLanes, items - uint64_t{index} * wave::kLanes));
  s.set_exec(base::low_mask(live));
  s.pc = hsa::first_instruction(*plan.request.kernel);
  s.tba = plan.request.tba;
  s.tma = plan.request.tma;
  if (plan.request.trap_present) s.status |= wave::kStatusTrapEn;
  if (plan.waves_per_group > 1) s.status |= wave::kStatusInTg;
  const uint32_t priority = plan.request.kernel->rsrc1.priority & 3u;
  s.status = static_cast<uint32_t>(base::insert_bits(s.status, 2, 1, priority));
  s.mode.raw = plan.mode;
  auto& alloc = w->state.alloc;
  alloc.vgprs = plan.vgprs;
  alloc.accvgprs = plan.accvgprs;
  alloc.sgprs = plan.sgprs;
  alloc.lds_bytes = plan.request.group_bytes;
  alloc.shared_aperture = config.shared_aperture;
  alloc.private_aperture = config.private_aperture;
  alloc.scratch_base = plan.scratch_base + p.wave_number * plan.scratch_bytes_per_wave;
  alloc.scratch_bytes_per_lane = plan.request.private_bytes;
  alloc.hw_id = hardware_id(plan, group, index);
  w->doorbell = plan.request.doorbell;
  w->on_message = config.on_message ? &config.on_message : nullptr;
  // From gfx942 on the scratch base of the wave is in FLAT_SCRATCH at launch (architected flat
  // scratch).
  if (config.target == isa::Target::Gfx942) s.set_pair(isa::kFlatScratchLo, alloc.scratch_base);
  set_sgprs(plan, p, index, *w);
  set_vgprs(plan, p, index, live, *w);
  w->id = group * 16 + index;
  return w;
}

}  // namespace cuvette::golden
