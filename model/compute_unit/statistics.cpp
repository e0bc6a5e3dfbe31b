// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/statistics.h"

#include <algorithm>

#include "base/bits.h"
#include "compute_unit/wave_control.h"

namespace cuvette::compute_unit {

using machine::Cycle;

Statistics::Statistics(uint32_t coalescer_lanes) : coalescer_lanes_(coalescer_lanes) {
  counters_.by_row.resize(isa::rows().count);
}

void Statistics::count_launch(const spi::WaveLaunch& record, Cycle now) {
  ++counters_.waves;
  const auto items = static_cast<unsigned>(std::popcount(record.exec));
  ComputeUnit::Detail& d = detail_;
  d.items += items;
  ++(items == wave::kLanes ? d.whole_waves : d.waves_below_64);
  if (items < 48) ++d.waves_below_48;
  if (items < 32) ++d.waves_below_32;
  if (items < 16) ++d.waves_below_16;
  if (resident_++ == 0) resident_since_ = now;
}

void Statistics::count_end(Cycle residency, Cycle now) {
  counters_.wave_cycles += residency;
  if (--resident_ == 0) counters_.busy_cycles += now - resident_since_;
}

void Statistics::begin_access(const Operation& o, Cycle now) {
  const wave::MemoryOp& op = o.op;
  if (base::Occupancy* const level = level_of(op.space)) level->enter(now);
  if (op.space == wave::MemorySpace::Gds) {
    ++detail_.gds;
    if (o.instruction->row->unit == isa::Unit::Lds) ++detail_.gds_data;
  }
  if (op.space != wave::MemorySpace::Global) return;
  const uint64_t lanes = op.exec | op.flat_lds;
  if (o.instruction->row->format == isa::Format::Flat) {
    const bool none = (op.flat_lds & lanes) == 0;
    if (none) ++detail_.flat_without_lds;
    if (!none && (lanes & ~op.flat_lds) == 0) ++detail_.flat_lds_only;
  }
  if (is_coalesced(o)) ++detail_.coalesced;
}

/// True if a vector access has the fewest requests that its bytes can have. A window of lanes is a
/// request at least.
bool Statistics::is_coalesced(const Operation& o) const {
  const wave::MemoryOp& op = o.op;
  unsigned windows = 0;
  for (unsigned first = 0; first < wave::kLanes; first += coalescer_lanes_) {
    const uint64_t here =
        base::low_mask(std::min(first + coalescer_lanes_, wave::kLanes)) & ~base::low_mask(first);
    if ((op.exec & ~op.flat_lds & here) != 0) ++windows;
  }
  const auto bytes = uint64_t{op.bytes} * op.accesses *
                     static_cast<unsigned>(std::popcount(op.exec & ~op.flat_lds));
  const uint64_t fewest =
      std::max<uint64_t>(windows, (bytes + memory::kBlockBytes - 1) / memory::kBlockBytes);
  return windows != 0 && o.requests.groups.size() <= fewest;
}

void Statistics::end_access(const Operation& o, Cycle now) {
  base::Occupancy* const level = level_of(o.op.space);
  if (level != nullptr && !o.maintenance) level->leave(now);
}

base::Occupancy* Statistics::level_of(wave::MemorySpace space) {
  switch (space) {
    case wave::MemorySpace::Scalar:
      return &smem_;
    case wave::MemorySpace::Global:
      return &vmem_;
    case wave::MemorySpace::Lds:
      return &dsmem_;
    case wave::MemorySpace::Gds:
      break;
  }
  return nullptr;
}

ComputeUnit::Counters Statistics::counters(Cycle now) const {
  ComputeUnit::Counters c = counters_;
  count_units(c);
  if (resident_ != 0) c.busy_cycles += now - resident_since_;
  return c;
}

ComputeUnit::Detail Statistics::detail(Cycle now) const {
  const auto level = [now](const base::Occupancy& o) {
    return ComputeUnit::Detail::Level{o.level(), o.item_time(now)};
  };
  ComputeUnit::Detail d = detail_;
  d.resident_waves = resident_;
  d.vmem = level(vmem_);
  d.smem = level(smem_);
  d.lds = level(dsmem_);
  d.return_cycles = returns_.busy(now);
  return d;
}

}  // namespace cuvette::compute_unit
