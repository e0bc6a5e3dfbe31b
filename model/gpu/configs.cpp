// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/configs.h"

#include <algorithm>
#include <bit>

#include "cache/replacement.h"
#include "compute_unit/issue_order.h"
#include "spi/spi_model.h"

namespace cuvette::gpu {

namespace {

bool is_compared(const std::string& name) {
  return name.rfind("lockstep", 0) == 0 || name.rfind("dut:", 0) == 0;
}

base::Status check_placement(const machine::GpuConfig& description) {
  const auto made = spi::make_placement(description.front_end.placement);
  if (made.ok()) return {};
  return description.error("front_end.placement", made.error().what);
}

base::Status check_issue_order(const machine::GpuConfig& description) {
  const auto made = compute_unit::make_issue_order(description.compute_unit.issue_order, 1, 1);
  if (made.ok()) return {};
  return description.error("compute_unit.issue_order", made.error().what);
}

/// `section`: of the description.
base::Status check_replacement(const machine::GpuConfig& description, const std::string& section,
                               const machine::CacheDescription& cache) {
  const auto made = cache::make_replacement(cache.replacement, {1, cache.ways, 0});
  if (!made.ok()) return description.error(section + ".replacement", made.error().what);
  const std::string seed = section + ".replacement_seed";
  if (description.places.count(seed) == 0 || cache::replacement_draws(cache.replacement)) return {};
  return description.error(
      seed, fmt::format("replacement '{}' draws nothing, expected no replacement_seed",
                        cache.replacement));
}

/// Cache latencies for compute units without caches.
compute_unit::LevelTiming level_timing(const machine::GpuConfig& d) {
  compute_unit::LevelTiming t;
  t.vector_bytes = d.vector_l1.bytes;
  t.vector_line_bytes = d.vector_l1.line_bytes;
  t.vector_hit = d.vector_l1.hit_cycles;
  t.vector_misses = d.vector_l1.misses;
  t.scalar_bytes = d.scalar_cache.bytes;
  t.scalar_line_bytes = d.scalar_cache.line_bytes;
  t.scalar_hit = d.scalar_cache.hit_cycles;
  t.scalar_misses = d.scalar_cache.misses;
  t.code_hit = d.instruction_cache.hit_cycles;
  t.l2_bytes = uint64_t{d.l2.slice.bytes} * d.l2.slices;
  t.l2_line_bytes = d.l2.slice.line_bytes;
  t.l2_hit = d.l2.slice.hit_cycles;
  t.l2_misses = d.l2.slice.misses;
  t.slices = d.l2.slices;
  t.memory_cycles = d.memory.latency_cycles;
  t.cycles_per_block = d.memory.cycles_per_block;
  t.crossbar_cycles = d.links.crossbar_cycles;
  t.cluster_cycles = d.links.cluster_cycles;
  return t;
}

}  // namespace

std::string implementation(const machine::GpuConfig& description, const std::string& block) {
  const auto found = description.implementations.find(block);
  return found == description.implementations.end() ? "tlm" : found->second;
}

std::string cache_implementation(const machine::GpuConfig& description, cache::Role role) {
  const auto found = description.implementations.find(cache::name_of(role));
  return found == description.implementations.end() ? implementation(description, "cache")
                                                    : found->second;
}

std::string cache_implementation(const machine::GpuConfig& description, cache::Role role,
                                 unsigned index) {
  const std::string name = cache_implementation(description, role);
  return index != 0 && is_compared(name) && !description.lockstep_everywhere ? "tlm" : name;
}

bool in_one_place(const machine::GpuConfig& description, const std::string& block) {
  return is_compared(implementation(description, block)) && !description.lockstep_everywhere;
}

base::Result<isa::Target> described_target(const machine::GpuConfig& description) {
  const auto target = isa::target_from_name(description.target);
  if (!target) {
    return description.error(
        "target", fmt::format("unknown target '{}', expected gfx900, gfx906, gfx908, gfx90a or "
                              "gfx942",
                              description.target));
  }
  // MI100 ISA 3.6.4; from gfx90a on one file of 512 rows holds both kinds.
  const bool unified = isa::unified_vgprs(*target);
  const uint32_t rows = unified ? 512 : 256;
  const uint32_t acc_rows = isa::has_accvgprs(*target) && !unified ? 256 : 0;
  const auto& found = description.compute_unit;
  if (found.vgpr_rows != rows || found.accvgpr_rows != acc_rows) {
    return description.error(
        "target",
        fmt::format(
            "machine description '{}': target {} has vgpr_rows {} and accvgpr_rows {}, found {} "
            "and {}",
            description.name, description.target, rows, acc_rows, found.vgpr_rows,
            found.accvgpr_rows));
  }
  const auto id = machine_target(description);
  if (!id) return id.error();
  if (description.sramecc && id->sramecc == hsa::Feature::Unsupported) {
    return description.error(
        "sramecc", fmt::format("target {} has no sramecc, expected false", description.target));
  }
  return *target;
}

base::Result<hsa::TargetId> machine_target(const machine::GpuConfig& description) {
  auto id = hsa::parse_target(description.target);
  if (!id) return description.error("target", id.error().what);
  const auto choose = [](hsa::Feature& feature, bool on) {
    if (feature == hsa::Feature::Any) feature = on ? hsa::Feature::On : hsa::Feature::Off;
  };
  choose(id->sramecc, description.sramecc);
  choose(id->xnack, description.xnack);
  return *id;
}

base::Status check_policies(const machine::GpuConfig& d) {
  if (auto s = check_placement(d); !s.ok()) return s;
  if (auto s = check_issue_order(d); !s.ok()) return s;
  if (auto s = check_replacement(d, "vector_l1", d.vector_l1); !s.ok()) return s;
  if (auto s = check_replacement(d, "scalar_cache", d.scalar_cache); !s.ok()) return s;
  if (auto s = check_replacement(d, "instruction_cache", d.instruction_cache); !s.ok()) return s;
  return check_replacement(d, "l2.slice", d.l2.slice);
}

base::Status check_description(const machine::GpuConfig& description) {
  if (auto target = described_target(description); !target) return target.error();
  if (auto s = check_policies(description); !s.ok()) return s;
  for (const auto& [block, name] : description.implementations) {
    if (auto s = check_implementation_name(block, name); !s.ok()) {
      return description.error("implementations." + block, s.error().what);
    }
  }
  return {};
}

compute_unit::Config compute_unit_config(const machine::GpuConfig& description,
                                         const Registries& registries,
                                         const hsa::AddressSpace& space, isa::Target target,
                                         const ComputeUnitOptions& options) {
  const auto& d = description.compute_unit;
  const auto named = [&](const char* block) { return implementation(description, block); };
  compute_unit::Config c;
  c.target = target;
  c.sramecc = description.sramecc;
  c.simds = d.simds;
  c.slots = d.waves_per_simd;
  c.issue_order = d.issue_order;
  c.units_per_engine =
      spi::units_per_engine(description.compute_units, shader_engines(description));
  c.implementations = {named("simd"), named("valu"), named("vrf"), named("matrix_core"),
                       named("lds")};
  c.simd.target = target;
  c.simd.registers.rows = static_cast<uint16_t>(d.vgpr_rows);
  c.simd.registers.acc_rows = static_cast<uint16_t>(d.accvgpr_rows);
  c.simd.registers.seed = options.poison ? 1 : 0;
  c.simd.valu.target = target;
  c.simd.valu.latency_cycles = d.valu_latency_cycles;
  c.simd.valus = &registries.valus;
  c.simd.valu_implementation = named("valu");
  c.simd.vrfs = &registries.vrfs;
  c.simd.vrf_implementation = named("vrf");
  c.simd.allow_fallback = options.allow_fallback;
  c.simd.timing = d.simd_ports ? simd::Timing::Ports : simd::Timing::Issue;
  c.simd.pipeline_cycles = d.valu_latency_cycles - d.valu_cycles + 1;
  c.simd.valu_cycles = d.valu_cycles;
  c.simd.transcendental_cycles = d.transcendental_cycles;
  c.simd.double_cycles = d.double_cycles;
  c.lds.latency_cycles = d.lds_latency_cycles;
  c.lds.lanes_per_cycle = d.lds_lanes_per_cycle;
  c.matrix_core.target = target;
  c.simds_registry = &registries.simds;
  c.lds_registry = &registries.lds;
  c.matrix_registry = &registries.matrix_cores;
  c.address_space = &space;
  c.timing.fetch_cycles = d.fetch_cycles;
  c.timing.salu_cycles = d.salu_cycles;
  c.timing.valu_cycles = d.valu_cycles;
  c.timing.transcendental_cycles = d.transcendental_cycles;
  c.timing.double_cycles = d.double_cycles;
  c.timing.branch_cycles = d.branch_cycles;
  c.timing.coalescer_lanes_per_cycle = d.coalescer_lanes_per_cycle;
  c.timing.barrier_cycles = d.barrier_cycles;
  c.levels = level_timing(description);
  c.shared_aperture = description.shared_aperture;
  c.private_aperture = description.private_aperture;
  return c;
}

cache::Config cache_config(const machine::CacheDescription& d, cache::Role role, unsigned up) {
  cache::Config c;
  c.role = role;
  c.up_ports = up;
  c.bytes = d.bytes;
  c.ways = d.ways;
  c.line_bytes = d.line_bytes;
  c.hit_cycles = d.hit_cycles;
  c.misses = d.misses;
  c.replacement = d.replacement;
  c.replacement_seed = d.replacement_seed;
  return c;
}

cache::Config cache_config(const machine::GpuConfig& d, cache::Role role) {
  switch (role) {
    case cache::Role::VectorL1:
      return cache_config(d.vector_l1, role, 2);
    case cache::Role::Scalar:
      return cache_config(d.scalar_cache, role, d.scalar_cache.shared_by + 1);
    case cache::Role::Instruction:
      return cache_config(d.instruction_cache, role, d.instruction_cache.shared_by + 1);
    case cache::Role::L2:
      break;
  }
  cache::Config slice = cache_config(d.l2.slice, role, 2);
  slice.slices = d.l2.slices;
  slice.interleave_bytes = d.l2.interleave_bytes;
  return slice;
}

crossbar::Config crossbar_config(const machine::GpuConfig& d) {
  const auto groups = [&d](const machine::CacheDescription& cache) {
    return (d.compute_units + cache.shared_by - 1) / cache.shared_by;
  };
  crossbar::Config c;
  c.sources = d.compute_units + groups(d.scalar_cache) + groups(d.instruction_cache) + 1;
  c.slices = d.l2.slices;
  c.interleave_bytes = d.l2.interleave_bytes;
  c.latency_cycles = d.links.crossbar_cycles;
  // A place for every request that a cache may have under way.
  c.depth = std::bit_ceil(
      std::max({64u, d.vector_l1.misses, d.scalar_cache.misses, d.instruction_cache.misses}));
  return c;
}

gds::Config gds_config(const machine::GpuConfig& d, isa::Target target) {
  gds::Config c;
  c.target = target;
  c.compute_units = d.compute_units;
  c.latency_cycles = d.gds.latency_cycles;
  c.bytes_per_cycle = d.gds.bytes_per_cycle;
  c.shader_engines = shader_engines(d);
  return c;
}

unsigned shader_engines(const machine::GpuConfig& description) {
  return std::max(1u, (description.compute_units + 15) / 16);
}

base::Result<spi::Config> spi_config(const machine::GpuConfig& d, isa::Target target, bool poison) {
  spi::Config p;
  p.target = target;
  p.compute_units = d.compute_units;
  p.shader_engines = shader_engines(d);
  p.simds = d.compute_unit.simds;
  p.slots = d.compute_unit.waves_per_simd;
  p.vgpr_rows = d.compute_unit.vgpr_rows;
  p.acc_rows = d.compute_unit.accvgpr_rows;
  p.vgpr_granule = d.compute_unit.vgpr_granule;
  p.lds_bytes = d.compute_unit.lds_bytes;
  p.lds_granule = d.compute_unit.lds_granule_bytes;
  p.sgprs_per_simd = d.compute_unit.sgprs_per_simd;
  p.setup_cycles = d.front_end.setup_cycles;
  p.allocation_cycles = d.front_end.allocation_cycles;
  p.restore_cycles = d.front_end.restore_cycles;
  p.save_cycles = d.front_end.save_cycles;
  p.launch_cycles = d.front_end.launch_cycles;
  p.placement = d.front_end.placement;
  p.poison = poison;
  if (auto s = check_policies(d); !s.ok()) return s.error();
  return p;
}

command_processor::Config command_processor_config(const machine::GpuConfig& d,
                                                   const hsa::AddressSpace& space,
                                                   isa::Target target) {
  command_processor::Config c;
  c.target = target;
  c.packet_cycles = d.front_end.packet_cycles;
  c.poll_cycles = d.front_end.poll_cycles;
  c.group_bytes = d.compute_unit.lds_bytes;
  c.address_space = &space;
  return c;
}

}  // namespace cuvette::gpu
