// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/block_counters.h"

#include <stdexcept>

#include <fmt/format.h>

#include "gpu/chip.h"
#include "gpu/gpu.h"
#include "gpu/host_interface.h"

namespace cuvette::gpu {

BlockCounters counters_of(unsigned index, const compute_unit::ComputeUnit::Counters& c) {
  BlockCounters out{"compute_unit",
                    index,
                    {{"waves", c.waves},
                     {"instructions", c.instructions},
                     {"salu", c.salu},
                     {"valu", c.valu},
                     {"matrix", c.matrix},
                     {"smem", c.smem},
                     {"vmem", c.vmem},
                     {"lds", c.lds},
                     {"branch", c.branch},
                     {"other", c.other},
                     {"busy_cycles", c.busy_cycles},
                     {"wave_cycles", c.wave_cycles},
                     {"issue_cycles", c.issue_cycles},
                     {"lane_operations", c.lane_operations},
                     {"vector_requests", c.vector_requests},
                     {"scalar_requests", c.scalar_requests},
                     {"fetches", c.fetches},
                     {"fallbacks", c.fallbacks}}};
  for (unsigned s = 0; s < compute_unit::kStalls; ++s) {
    const auto stall = static_cast<compute_unit::Stall>(s);
    out.values.emplace_back(std::string("stalled_") + name_of(stall), c.stalled[s]);
  }
  return out;
}

BlockCounters counters_of(unsigned index, const lds::Lds::Counters& c) {
  return {
      "lds",
      index,
      {{"requests", c.requests}, {"atomics", c.atomics}, {"conflict_cycles", c.conflict_cycles}}};
}

BlockCounters counters_of(const gds::Gds::Counters& c) {
  return {"gds",
          0,
          {{"requests", c.requests},
           {"atomics", c.atomics},
           {"syncs", c.syncs},
           {"waits", c.waits},
           {"busy_cycles", c.busy_cycles}}};
}

BlockCounters counters_of(const std::string& block, unsigned index,
                          const cache::Cache::Counters& c) {
  return {block,
          index,
          {{"accesses", c.reads + c.writes + c.atomics},
           {"hits", c.read_hits + c.write_hits + c.atomic_hits},
           {"misses", c.read_misses + c.write_misses + c.atomic_misses},
           {"reads", c.reads},
           {"read_hits", c.read_hits},
           {"read_misses", c.read_misses},
           {"writes", c.writes},
           {"write_hits", c.write_hits},
           {"write_misses", c.write_misses},
           {"atomics", c.atomics},
           {"atomic_hits", c.atomic_hits},
           {"atomic_misses", c.atomic_misses},
           {"fills", c.fills},
           {"forwards", c.forwards},
           {"evictions", c.evictions},
           {"writebacks", c.writebacks},
           {"invalidates", c.invalidates},
           {"stalls", c.stalls},
           {"stall_cycles", c.stall_cycles}}};
}

BlockCounters counters_of(const command_processor::CommandProcessor::Counters& c) {
  return {"command_processor",
          0,
          {{"packets", c.packets},
           {"dispatches", c.dispatches},
           {"barriers", c.barriers},
           {"errors", c.errors}}};
}

BlockCounters counters_of(const spi::Spi::Counters& c) {
  BlockCounters out{
      "spi", 0, {{"dispatches", c.dispatches}, {"workgroups", c.workgroups}, {"waves", c.waves}}};
  for (unsigned r = 0; r < spi::Spi::kResources; ++r) {
    const auto resource = static_cast<spi::Spi::Resource>(r);
    out.values.emplace_back(std::string("stall_cycles_") + name_of(resource), c.stall_cycles[r]);
  }
  return out;
}

BlockCounters counters_of(const memory::Memory::Traffic& t) {
  return {"memory",
          0,
          {{"reads", t.reads},
           {"writes", t.writes},
           {"atomics", t.atomics},
           {"read_bytes", t.read_bytes},
           {"written_bytes", t.written_bytes}}};
}

void check_residency(const std::vector<BlockCounters>& blocks) {
  for (const BlockCounters& b : blocks) {
    if (b.block != "compute_unit") continue;
    uint64_t resident = 0, in_classes = 0;
    for (const auto& [name, value] : b.values) {
      if (name == "wave_cycles") resident = value;
      if (name == "issue_cycles" || name.rfind("stalled_", 0) == 0) in_classes += value;
    }
    if (resident == in_classes) continue;
    throw std::logic_error(
        fmt::format("compute unit {}: waves were resident for {} cycles, of which {} are in a "
                    "class of issue_cycles and stalled_*",
                    b.index, resident, in_classes));
  }
}

std::vector<BlockCounters> block_counters(HostInterface& gpu) {
  std::vector<BlockCounters> out;
  out.push_back(counters_of(gpu.processor().counters()));
  out.push_back(counters_of(gpu.spi().counters()));
  for (unsigned i = 0; i < gpu.compute_units(); ++i) {
    out.push_back(counters_of(i, gpu.compute_unit(i).counters(gpu.cycle())));
  }
  for (unsigned i = 0; i < gpu.compute_units(); ++i) {
    out.push_back(counters_of(i, gpu.compute_unit(i).lds_counters()));
  }
  out.push_back(counters_of(gpu.gds().counters()));
  return out;
}

std::vector<BlockCounters> block_counters(Gpu& gpu) {
  std::vector<BlockCounters> out = block_counters(static_cast<HostInterface&>(gpu));
  Chip& m = gpu.machine();
  for (unsigned i = 0; i < m.compute_units(); ++i) {
    out.push_back(counters_of("vector_l1", i, m.vector_l1(i).counters()));
  }
  for (unsigned i = 0; i < m.scalar_caches(); ++i) {
    out.push_back(counters_of("scalar_cache", i, m.scalar_cache(i).counters()));
  }
  for (unsigned i = 0; i < m.instruction_caches(); ++i) {
    out.push_back(counters_of("instruction_cache", i, m.instruction_cache(i).counters()));
  }
  for (unsigned i = 0; i < m.l2_slices(); ++i) {
    out.push_back(counters_of("l2", i, m.l2(i).counters()));
  }
  out.push_back(counters_of(m.memory().traffic()));
  return out;
}

}  // namespace cuvette::gpu
