// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/counter_sample.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counters/instruction_classes.h"
#include "gpu/chip.h"
#include "gpu/configs.h"
#include "gpu/gpu.h"
#include "gpu/host_interface.h"
#include "spi/initial_state.h"

namespace cuvette::gpu {
namespace {

using counters::Place;
using counters::Sample;
using machine::Cycle;

counters::MachineShape shape_of(const machine::GpuConfig& d) {
  counters::MachineShape s;
  s.target = isa::target_from_name(d.target).value_or(s.target);
  s.units = d.compute_units;
  s.engines = shader_engines(d);
  s.units_per_engine = spi::units_per_engine(s.units, s.engines);
  s.simds = d.compute_unit.simds;
  s.slices = d.l2.slices;
  s.scalar_shared_by = d.scalar_cache.shared_by;
  s.instruction_shared_by = d.instruction_cache.shared_by;
  return s;
}

/// Adds a series with a value of each of `from`.
template <class From, class F>
void add(Sample& sample, std::string_view block, std::string_view name, Place place,
         const std::vector<From>& from, F value, bool level = false) {
  sample.add(block, name, place, from.size(), [&](size_t i) { return value(from[i]); }, level);
}
void add(Sample& sample, std::string_view block, std::string_view name, Place place,
         const std::vector<uint64_t>& values) {
  sample.add(block, name, place, values.size(), [&](size_t i) { return values[i]; });
}

/// Details of a kind of blocks, if all of them keep it; else empty.
template <class T>
std::vector<T> all_of(const std::vector<std::optional<T>>& details) {
  std::vector<T> out;
  for (const auto& d : details) {
    if (!d) return {};
    out.push_back(*d);
  }
  return out;
}

using UnitCounters = compute_unit::ComputeUnit::Counters;
using UnitDetail = compute_unit::ComputeUnit::Detail;

void add_instructions(Sample& sample, const std::vector<UnitCounters>& units) {
  static const counters::ClassTable kTable;
  std::vector<std::array<uint64_t, counters::kClasses>> counts;
  for (const UnitCounters& u : units) {
    if (!u.detail || u.detail->skipped_by_row.empty()) {
      counts.push_back(kTable.count(u.by_row));
      continue;
    }
    std::vector<uint64_t> issued = u.by_row;
    for (const auto& [row, skipped] : u.detail->skipped_by_row) issued[row] -= skipped;
    counts.push_back(kTable.count(issued));
  }
  for (unsigned n = 0; n < counters::kClasses; ++n) {
    add(sample, "insts", name_of(static_cast<counters::Class>(n)), Place::Unit, counts,
        [n](const auto& c) { return c[n]; });
  }
}

void add_units(Sample& sample, const std::vector<UnitCounters>& units) {
  using C = UnitCounters;
  for (const auto& [name, member] :
       {std::pair{"waves", &C::waves}, std::pair{"busy_cycles", &C::busy_cycles},
        std::pair{"wave_cycles", &C::wave_cycles}, std::pair{"issue_cycles", &C::issue_cycles},
        std::pair{"vector_requests", &C::vector_requests},
        std::pair{"scalar_requests", &C::scalar_requests}, std::pair{"fetches", &C::fetches}}) {
    add(sample, "unit", name, Place::Unit, units, [m = member](const C& c) { return c.*m; });
  }
  for (unsigned s = 0; s < compute_unit::kStalls; ++s) {
    add(sample, "unit", std::string("stalled_") + name_of(static_cast<compute_unit::Stall>(s)),
        Place::Unit, units, [s](const C& c) { return c.stalled[s]; });
  }
}

void add_unit_details(Sample& sample, const std::vector<UnitDetail>& units) {
  if (units.empty()) return;
  using D = UnitDetail;
  for (const auto& [name, member] : {std::pair{"items", &D::items},
                                     std::pair{"whole_waves", &D::whole_waves},
                                     std::pair{"waves_below_64", &D::waves_below_64},
                                     std::pair{"waves_below_48", &D::waves_below_48},
                                     std::pair{"waves_below_32", &D::waves_below_32},
                                     std::pair{"waves_below_16", &D::waves_below_16},
                                     std::pair{"valu_cycles", &D::valu_cycles},
                                     std::pair{"valu_thread_cycles", &D::valu_thread_cycles},
                                     std::pair{"matrix_cycles", &D::matrix_cycles},
                                     std::pair{"skipped", &D::skipped},
                                     std::pair{"gds", &D::gds},
                                     std::pair{"gds_data", &D::gds_data},
                                     std::pair{"flat_lds_only", &D::flat_lds_only},
                                     std::pair{"flat_without_lds", &D::flat_without_lds},
                                     std::pair{"address_cycles", &D::address_cycles},
                                     std::pair{"address_read_cycles", &D::address_read_cycles},
                                     std::pair{"address_write_cycles", &D::address_write_cycles},
                                     std::pair{"address_buffer_cycles", &D::address_buffer_cycles},
                                     std::pair{"scalar_cycles", &D::scalar_cycles},
                                     std::pair{"buffer_read_requests", &D::buffer_read_requests},
                                     std::pair{"buffer_write_requests", &D::buffer_write_requests},
                                     std::pair{"coalesced", &D::coalesced},
                                     std::pair{"return_cycles", &D::return_cycles}}) {
    add(sample, "unit", name, Place::Unit, units, [m = member](const D& d) { return d.*m; });
  }
  add(
      sample, "unit", "resident_waves", Place::Unit, units,
      [](const D& d) { return d.resident_waves; }, true);
  for (const auto& [name, member] : {std::pair{"vmem", &D::vmem}, std::pair{"smem", &D::smem},
                                     std::pair{"lds", &D::lds}, std::pair{"fetch", &D::fetches}}) {
    add(
        sample, "unit", std::string(name) + "_level", Place::Unit, units,
        [m = member](const D& d) { return (d.*m).now; }, true);
    add(sample, "unit", std::string(name) + "_time", Place::Unit, units,
        [m = member](const D& d) { return (d.*m).time; });
  }
}

void add_lds(Sample& sample, HostInterface& gpu) {
  std::vector<lds::Lds::Counters> lds;
  std::vector<std::optional<lds::Lds::Detail>> details;
  for (unsigned i = 0; i < gpu.compute_units(); ++i) {
    lds.push_back(gpu.compute_unit(i).lds_counters());
    details.push_back(gpu.compute_unit(i).lds_detail());
  }
  const auto all = all_of(details);
  if (all.empty()) return;
  using D = lds::Lds::Detail;
  add(sample, "lds", "conflict_cycles", Place::Unit, lds,
      [](const lds::Lds::Counters& c) { return c.conflict_cycles; });
  for (const auto& [name, member] :
       {std::pair{"busy_cycles", &D::busy_cycles},
        std::pair{"atomic_return_cycles", &D::atomic_return_cycles},
        std::pair{"address_conflict_cycles", &D::address_conflict_cycles},
        std::pair{"violations", &D::violations}}) {
    add(sample, "lds", name, Place::Unit, all, [m = member](const D& d) { return d.*m; });
  }
}

void add_front(Sample& sample, HostInterface& gpu, Cycle now) {
  const auto one = [&sample](const char* block, const char* name, uint64_t value) {
    sample.add(block, name, Place::Machine, 1, [value](size_t) { return value; });
  };
  one("machine", "cycles", now);
  sample.add("engine", "cycles", Place::Engine, sample.shape.engines,
             [now](size_t) { return now; });
  if (const auto d = gpu.processor().detail(now)) {
    one("machine", "processor_cycles", d->busy_cycles);
    one("machine", "processor_memory_cycles", d->memory_cycles);
    one("machine", "decode_cycles", d->decode_cycles);
  }
  const auto detail = gpu.spi().detail(now);
  if (!detail) return;
  const spi::Spi::Counters c = gpu.spi().counters();
  one("spi", "workgroups", c.workgroups);
  one("spi", "waves", c.waves);
  for (unsigned r = 0; r < spi::Spi::kResources; ++r) {
    const std::string name = name_of(static_cast<spi::Spi::Resource>(r));
    one("spi", ("stall_" + name).c_str(), c.stall_cycles[r]);
  }
  one("machine", "spi_cycles", detail->busy_cycles);
  add(sample, "engine", "busy_cycles", Place::Engine, detail->engine_busy_cycles);
  add(sample, "engine", "saved_waves", Place::Engine, detail->saved_waves);
  add(sample, "engine", "restored_waves", Place::Engine, detail->restored_waves);
}

/// Counters and details of one cache.
using CacheCounters = cache::Cache::Counters;
using CacheDetail = cache::Cache::Detail;

void add_cache_counters(Sample& sample, const std::string& block, Place place,
                        const std::vector<CacheCounters>& caches) {
  using C = CacheCounters;
  for (const auto& [name, member] :
       {std::pair{"reads", &C::reads}, std::pair{"writes", &C::writes},
        std::pair{"atomics", &C::atomics}, std::pair{"evictions", &C::evictions},
        std::pair{"writebacks", &C::writebacks}, std::pair{"stall_cycles", &C::stall_cycles}}) {
    add(sample, block, name, place, caches, [m = member](const C& c) { return c.*m; });
  }
  add(sample, block, "accesses", place, caches,
      [](const C& c) { return c.reads + c.writes + c.atomics; });
  add(sample, block, "hits", place, caches,
      [](const C& c) { return c.read_hits + c.write_hits + c.atomic_hits; });
  add(sample, block, "misses", place, caches,
      [](const C& c) { return c.read_misses + c.write_misses + c.atomic_misses; });
}

void add_cache_details(Sample& sample, const std::string& block, Place place,
                       const std::vector<CacheDetail>& caches) {
  using D = CacheDetail;
  for (const auto& [name, member] :
       {std::pair{"stall_write_cycles", &D::stall_write_cycles},
        std::pair{"stall_atomic_cycles", &D::stall_atomic_cycles},
        std::pair{"streaming", &D::streaming}, std::pair{"bypassing", &D::bypassing},
        std::pair{"duplicates", &D::duplicates}, std::pair{"maintenance", &D::maintenance},
        std::pair{"maintenance_writebacks", &D::maintenance_writebacks},
        std::pair{"invalidated_lines", &D::invalidated_lines},
        std::pair{"busy_cycles", &D::busy_cycles}, std::pair{"request_time", &D::request_time},
        std::pair{"read_time", &D::read_time}, std::pair{"write_time", &D::write_time},
        std::pair{"atomic_time", &D::atomic_time},
        std::pair{"uncached_read_sectors", &D::uncached_read_sectors},
        std::pair{"uncached_write_sectors", &D::uncached_write_sectors}}) {
    add(sample, block, name, place, caches, [m = member](const D& d) { return d.*m; });
  }
  using Traffic = cache::Cache::Traffic;
  for (const auto& [name, member] :
       {std::pair{"reads", &Traffic::reads}, std::pair{"writes", &Traffic::writes},
        std::pair{"atomics_silent", &Traffic::atomics},
        std::pair{"atomics_return", &Traffic::atomics_return}}) {
    add(sample, block, std::string(name) + "_down", place, caches,
        [m = member](const D& d) { return d.down.*m; });
  }
  add(sample, block, "atomics_down", place, caches,
      [](const D& d) { return d.down.atomics + d.down.atomics_return; });
  add(sample, block, "atomics_silent", place, caches, [](const D& d) { return d.up.atomics; });
  add(sample, block, "atomics_return", place, caches,
      [](const D& d) { return d.up.atomics_return; });
}

void add_memory_types(Sample& sample, const std::string& block, Place place,
                      const std::vector<CacheDetail>& caches) {
  static constexpr const char* kTypes[] = {"nc", "rw", "cc", "uc"};  // by memory::Mtype
  static constexpr const char* kKinds[] = {"reads", "writes", "atomics"};
  for (unsigned t = 0; t < 4; ++t) {
    add(sample, block, std::string(kTypes[t]) + "_accesses", place, caches,
        [t](const CacheDetail& d) {
          const uint64_t* const kinds = d.up.by_mtype[t];
          return kinds[0] + kinds[1] + kinds[2];
        });
    for (unsigned k = 0; k < 3; ++k) {
      add(sample, block, std::string(kTypes[t]) + "_" + kKinds[k] + "_down", place, caches,
          [t, k](const CacheDetail& d) { return d.down.by_mtype[t][k]; });
    }
  }
}

void add_channels(Sample& sample, const std::string& block, Place place,
                  const std::vector<CacheDetail>& caches) {
  using Channel = cache::Cache::Detail::Channel;
  for (unsigned c = 0; c < 2; ++c) {
    for (const auto& [name, member] :
         {std::pair{"ea_reads_", &Channel::reads},
          std::pair{"ea_short_reads_", &Channel::short_reads},
          std::pair{"ea_writes_", &Channel::writes},
          std::pair{"ea_short_writes_", &Channel::short_writes},
          std::pair{"ea_write_stall_cycles_", &Channel::write_stall_cycles}}) {
      add(sample, block, name + std::to_string(c), place, caches,
          [c, m = member](const CacheDetail& d) { return d.channels[c].*m; });
    }
  }
}

template <class Get>
void add_caches(Sample& sample, const std::string& block, Place place, unsigned count, Cycle now,
                Get get) {
  std::vector<CacheCounters> caches;
  std::vector<std::optional<CacheDetail>> maybe;
  for (unsigned i = 0; i < count; ++i) {
    caches.push_back(get(i).counters());
    maybe.push_back(get(i).detail(now));
  }
  add_cache_counters(sample, block, place, caches);
  if (place == Place::Slice) {
    sample.add(block, "cycles", place, count, [now](size_t) { return now; });
  }
  const auto details = all_of(maybe);
  if (details.empty()) return;
  add_cache_details(sample, block, place, details);
  add_memory_types(sample, block, place, details);
  if (place != Place::Slice) return;
  add_channels(sample, block, place, details);
  add(sample, block, "write_stall_cycles", place, details,
      [](const CacheDetail& d) { return d.stall_write_cycles + d.stall_atomic_cycles; });
}

void add_machine(Sample& sample, HostInterface& gpu) {
  const Cycle now = gpu.cycle();
  add_front(sample, gpu, now);
  std::vector<UnitCounters> units;
  std::vector<std::optional<UnitDetail>> details;
  for (unsigned i = 0; i < gpu.compute_units(); ++i) {
    units.push_back(gpu.compute_unit(i).counters(now));
    details.push_back(units.back().detail);
  }
  add_instructions(sample, units);
  add_units(sample, units);
  add_unit_details(sample, all_of(details));
  add_lds(sample, gpu);
}

}  // namespace

Sample counter_sample(HostInterface& gpu, const machine::GpuConfig& description,
                      const Sample* like) {
  Sample sample(shape_of(description), like);
  add_machine(sample, gpu);
  sample.end();
  return sample;
}

Sample counter_sample(Gpu& gpu, const machine::GpuConfig& description, const Sample* like) {
  Sample sample(shape_of(description), like);
  add_machine(sample, gpu);
  const Cycle now = gpu.cycle();
  Chip& m = gpu.machine();
  add_caches(sample, "vector_l1", Place::Unit, m.compute_units(), now,
             [&m](unsigned i) -> cache::Cache& { return m.vector_l1(i); });
  add_caches(sample, "scalar_cache", Place::ScalarCache, m.scalar_caches(), now,
             [&m](unsigned i) -> cache::Cache& { return m.scalar_cache(i); });
  add_caches(sample, "instruction_cache", Place::InstructionCache, m.instruction_caches(), now,
             [&m](unsigned i) -> cache::Cache& { return m.instruction_cache(i); });
  add_caches(sample, "l2", Place::Slice, m.l2_slices(), now,
             [&m](unsigned i) -> cache::Cache& { return m.l2(i); });
  const auto one = [&sample](const char* name, uint64_t value) {
    sample.add("machine", name, Place::Machine, 1, [value](size_t) { return value; });
  };
  one("crossbar_cycles", m.crossbar().busy_cycles(now));
  if (const auto busy = m.memory().busy_cycles(now)) one("memory_cycles", *busy);
  sample.end();
  return sample;
}

}  // namespace cuvette::gpu
