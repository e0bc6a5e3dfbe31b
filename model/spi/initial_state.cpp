// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "spi/initial_state.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bits.h"
#include "wave/operand.h"

namespace cuvette::spi {
namespace {

using hsa::InitialRegister;

/// The part of the grid a work-group covers.
struct Extent {
  std::array<uint32_t, 3> id{};
  std::array<uint32_t, 3>
      items{};  // along each dimension; less than the work-group at the grid's edge

  uint32_t total() const { return items[0] * items[1] * items[2]; }
  uint32_t waves() const { return (total() + wave::kLanes - 1) / wave::kLanes; }
};

/// A wave's id has 40 bits for the flattened id of its work-group and its number there, of 16.
constexpr uint64_t kMostGroups = uint64_t{1} << 36;

/// Number of work-groups that run. Work-groups before the first one are part of the grid and do not
/// run.
uint32_t groups_along(const Dispatch& d, unsigned dimension) {
  const uint32_t size = d.workgroup[dimension];
  const auto all = static_cast<uint32_t>((uint64_t{d.grid[dimension]} + size - 1) / size);
  return all - std::min(all, d.start[dimension]);
}

Extent extent_of(const DispatchPlan& plan, uint64_t group) {
  Extent e;
  uint64_t rest = group;
  for (unsigned d = 0; d < 3; ++d) {
    const bool first_of_rest = rest < plan.groups[d];  // most grids have one dimension
    e.id[d] = plan.dispatch.start[d] +
              static_cast<uint32_t>(first_of_rest ? rest : rest % plan.groups[d]);
    rest = first_of_rest ? 0 : rest / plan.groups[d];
    const uint64_t first = uint64_t{e.id[d]} * plan.dispatch.workgroup[d];
    e.items[d] = static_cast<uint32_t>(
        std::min<uint64_t>(plan.dispatch.grid[d] - first, plan.dispatch.workgroup[d]));
  }
  return e;
}

/// Dwords of one initial register, `count` of them.
std::array<uint32_t, 4> scalar_values(const DispatchPlan& plan, const Extent& e, uint64_t group,
                                      uint32_t index, uint64_t scratch_offset,
                                      InitialRegister what) {
  const Dispatch& d = plan.dispatch;
  const auto pair = [](uint64_t v) {
    return std::array<uint32_t, 4>{base::lo32(v), base::hi32(v), 0, 0};
  };
  const auto one = [](uint32_t v) { return std::array<uint32_t, 4>{v, 0, 0, 0}; };
  switch (what) {
    case InitialRegister::PrivateSegmentBuffer:
      return d.scratch_descriptor;
    case InitialRegister::DispatchPtr:
      return pair(d.packet_address);
    case InitialRegister::QueuePtr:
      return pair(d.queue_address);
    case InitialRegister::KernargSegmentPtr:
      return pair(d.kernarg);
    case InitialRegister::DispatchId:
      return pair(d.dispatch_index);
    case InitialRegister::FlatScratchInit:
      return pair(d.scratch_base);
    case InitialRegister::PrivateSegmentSize:
      return one(base::align_up(d.private_bytes, 4));
    case InitialRegister::GridWorkgroupCountX:
      return one(plan.groups[0]);
    case InitialRegister::GridWorkgroupCountY:
      return one(plan.groups[1]);
    case InitialRegister::GridWorkgroupCountZ:
      return one(plan.groups[2]);
    case InitialRegister::WorkgroupIdX:
      return one(e.id[0]);
    case InitialRegister::WorkgroupIdY:
      return one(e.id[1]);
    case InitialRegister::WorkgroupIdZ:
      return one(e.id[2]);
    case InitialRegister::WorkgroupInfo:
      // {first_wave, 14'0, ordered_append_term[10:0], waves of the group[5:0]} (Compute ABI).
      return one((index == 0 ? 1u << 31 : 0u) | waves_of(plan, group));
    case InitialRegister::PrivateSegmentWaveByteOffset:
      return one(static_cast<uint32_t>(scratch_offset));
    default:
      return {};
  }
}

uint32_t item_register(uint32_t x, uint32_t y, uint32_t z, InitialRegister what) {
  switch (what) {
    case InitialRegister::WorkitemIdX:
      return x;
    case InitialRegister::WorkitemIdY:
      return y;
    case InitialRegister::WorkitemIdZ:
      return z;
    default:
      return x | (y << 10) | (z << 20);
  }
}

/// The ids of `live` work-items from `flat` on: x runs fastest, and nothing is divided per lane.
void fill_item_register(const Extent& e, uint32_t flat, uint32_t live, InitialRegister what,
                        wave::LaneRow& out) {
  const uint32_t rows = e.items[1];
  uint32_t x = flat % e.items[0];
  uint32_t y = flat / e.items[0] % rows;
  uint32_t z = flat / e.items[0] / e.items[1];
  const uint32_t step =
      what == InitialRegister::WorkitemIdY || what == InitialRegister::WorkitemIdZ ? 0 : 1;
  for (uint32_t lane = 0; lane < live;) {
    const uint32_t row = std::min(live - lane, e.items[0] - x);
    const uint32_t value = item_register(x, y, z, what);
    for (uint32_t i = 0; i < row; ++i) out[lane + i] = value + i * step;
    lane += row;
    x = 0;
    if (++y < rows) continue;
    y = 0;
    ++z;
  }
}

hsa::TargetId target_id(isa::Target target) {
  return hsa::default_machine(static_cast<hsa::Processor>(isa::index_of(target)));
}

}  // namespace

base::Status check_sizes(const Dispatch& dispatch) {
  uint64_t items = 1;
  uint64_t groups = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (dispatch.grid[d] == 0 || dispatch.workgroup[d] == 0) {
      return base::Error("a grid or work-group dimension is 0");
    }
    items *= dispatch.workgroup[d];
    // The product may have 96 bits; it stays at the first number that is too large.
    const uint64_t more = groups_along(dispatch, d);
    groups = more != 0 && groups > kMostGroups / more ? kMostGroups + 1 : groups * more;
  }
  if (items > 1024) {
    return base::Error(fmt::format("work-group of {} work-items, expected at most 1024", items));
  }
  if (groups <= kMostGroups) return {};
  return base::Error(fmt::format("grid of more than {} work-groups", kMostGroups));
}

bool same_kernel_words(const Dispatch& a, const Dispatch& b) {
  return a.rsrc1 == b.rsrc1 && a.rsrc2 == b.rsrc2 && a.rsrc3 == b.rsrc3 &&
         a.properties == b.properties;
}

base::Result<DispatchPlan> plan(const Dispatch& dispatch, isa::Target target) {
  DispatchPlan p;
  if (auto s = replan(p, dispatch, target); !s.ok()) return s.error();
  return p;
}

base::Status replan(DispatchPlan& p, const Dispatch& dispatch, isa::Target target) {
  p.kernel_known = p.kernel_known && same_kernel_words(p.dispatch, dispatch);
  p.dispatch = dispatch;
  if (auto s = check_sizes(dispatch); !s.ok()) return s;
  uint64_t items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    p.groups[d] = groups_along(dispatch, d);
    items *= dispatch.workgroup[d];
  }
  p.waves_per_group = static_cast<uint32_t>((items + wave::kLanes - 1) / wave::kLanes);
  if (p.kernel_known) return {};

  p.kernel = {};
  p.kernel.target = target_id(target);
  p.kernel.rsrc1 = hsa::decode_rsrc1(dispatch.rsrc1);
  p.kernel.rsrc2 = hsa::decode_rsrc2(dispatch.rsrc2);
  p.kernel.rsrc3 = hsa::decode_rsrc3(dispatch.rsrc3);
  p.kernel.user_sgprs = hsa::decode_user_sgprs(dispatch.properties);
  if (!dispatch.from_registers && hsa::facts(p.kernel.target.processor).kernarg_preload) {
    hsa::decode_kernarg_preload(static_cast<uint16_t>(dispatch.properties >> 16), p.kernel);
  }
  if (auto s = hsa::set_register_counts(p.kernel); !s.ok()) return s;
  auto layout = hsa::initial_layout(p.kernel);
  if (!layout) return layout.error();
  p.layout = std::move(*layout);

  // gfx908 gives every wave as many AccVGPRs as VGPRs, in a second file (MI100 ISA 3.6.4); with a
  // unified file the split is by accum_offset.
  const uint32_t total = p.kernel.vgpr_count;
  if (isa::unified_vgprs(target)) {
    const uint32_t arch =
        p.kernel.accum_offset != 0 ? std::min(p.kernel.accum_offset, total) : total;
    p.vgpr_rows = static_cast<uint16_t>(arch);
    p.acc_rows = static_cast<uint16_t>(total - arch);
  } else {
    p.vgpr_rows = static_cast<uint16_t>(total);
    p.acc_rows = isa::has_accvgprs(target) ? p.vgpr_rows : 0;
  }
  p.sgprs = static_cast<uint16_t>(p.kernel.sgpr_count);
  p.kernel_known = true;
  return {};
}

uint32_t waves_of(const DispatchPlan& plan, uint64_t group) {
  return extent_of(plan, group).waves();
}

WaveLaunch initial_state(const DispatchPlan& plan, isa::Target target, uint64_t group,
                         uint32_t index, uint64_t scratch_place, bool poison) {
  constexpr uint32_t kPoison = 0xdeadbeef;
  const Extent e = extent_of(plan, group);
  WaveLaunch w;
  w.id = wave_id(plan, group, index);
  w.dispatch = plan.dispatch.id;
  w.workgroup_id = e.id;
  w.wave_in_group = static_cast<uint8_t>(index);
  w.waves_in_group = static_cast<uint8_t>(e.waves());
  w.vmid = plan.dispatch.vmid;
  w.vgpr_count = plan.vgpr_rows;
  w.acc_count = plan.acc_rows;
  w.sgpr_count = plan.sgprs;
  w.lds_bytes = plan.dispatch.group_bytes;
  const uint64_t scratch_offset = scratch_place * plan.dispatch.scratch_bytes_per_wave;
  w.scratch_base = plan.dispatch.scratch_base + scratch_offset;
  w.private_bytes = plan.dispatch.private_bytes;
  w.pc = plan.dispatch.entry;
  w.tba = plan.dispatch.tba;
  w.tma = plan.dispatch.tma;
  w.doorbell = plan.dispatch.doorbell;
  if (plan.kernel.rsrc2.trap_handler) w.status |= wave::kStatusTrapEn;
  w.mode = plan.kernel.rsrc1.mode() | (uint32_t{plan.kernel.rsrc2.exceptions} << 12);
  w.priority = plan.kernel.rsrc1.priority;
  const uint32_t live = std::min<uint32_t>(wave::kLanes, e.total() - index * wave::kLanes);
  w.exec = base::low_mask(live);
  // Architected flat scratch: the hardware puts the wave's own base there.
  if (hsa::facts(target_id(target).processor).architected_scratch) w.flat_scratch = w.scratch_base;

  if (poison) w.sgpr.fill(kPoison);
  if (plan.dispatch.from_registers) {
    const auto& data = plan.dispatch.user_data;
    w.sgprs =
        static_cast<uint8_t>(std::min<size_t>(plan.kernel.rsrc2.user_sgpr_count, data.size()));
    std::copy_n(data.begin(), w.sgprs, w.sgpr.begin());
  }
  for (const auto* slots : {&plan.layout.user_sgprs, &plan.layout.system_sgprs}) {
    for (const auto& slot : *slots) {
      if (slot.what == InitialRegister::KernargPreload) {
        std::copy_n(plan.dispatch.user_data.begin(), slot.written, w.sgpr.begin() + slot.first);
        w.sgprs = static_cast<uint8_t>(slot.first + slot.written);
        continue;
      }
      const auto values = scalar_values(plan, e, group, index, scratch_offset, slot.what);
      for (unsigned i = 0; i < slot.written && slot.first + i < w.sgpr.size(); ++i) {
        w.sgpr[slot.first + i] = i < values.size() ? values[i] : 0;
      }
      w.sgprs = static_cast<uint8_t>(
          std::min<size_t>(std::max<unsigned>(w.sgprs, slot.first + slot.count), w.sgpr.size()));
    }
  }
  for (const auto& slot : plan.layout.vgprs) {
    if (poison) w.vgpr[slot.first].fill(kPoison);
    fill_item_register(e, index * wave::kLanes, live, slot.what, w.vgpr[slot.first]);
    w.vgprs = static_cast<uint8_t>(std::max<unsigned>(w.vgprs, slot.first + 1u));
  }
  return w;
}

}  // namespace cuvette::spi
