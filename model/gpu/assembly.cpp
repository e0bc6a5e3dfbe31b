// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/assembly.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "gpu/link.h"
#include "spi/spi_tlm.h"

namespace cuvette::gpu {

using base::Error;
using base::Result;
using base::Status;
using machine::Cycle;

namespace {

cache::Config cache_config(const machine::CacheDescription& d, cache::Role role, unsigned up) {
  cache::Config c;
  c.role = role;
  c.up_ports = up;
  c.bytes = d.bytes;
  c.ways = d.ways;
  c.line_bytes = d.line_bytes;
  c.hit_cycles = d.hit_cycles;
  c.misses = d.misses;
  return c;
}

template <class Interface, class Config>
Status make(const machine::Registry<Interface, Config>& registry, const std::string& block,
            const std::string& name, const Config& config, std::unique_ptr<Interface>& out) {
  out = registry.make(name, config);
  if (out != nullptr) return {};
  return Error(fmt::format("block {} has no implementation '{}' here", block, name));
}

}  // namespace

Result<std::unique_ptr<Assembly>> Assembly::create(const machine::Description& description,
                                                   const Registries& registries,
                                                   hsa::Backing& backing,
                                                   const hsa::AddressSpace& space,
                                                   const Options& options) {
  std::unique_ptr<Assembly> assembly(new Assembly(description));
  if (auto s = assembly->build(registries, backing, space, options); !s.ok()) return s.error();
  assembly->wire();
  for (auto& domain : assembly->domains_) {
    domain->shuffle(options.order_seed);
    domain->never_skip(options.never_skip);
  }
  return assembly;
}

std::string Assembly::implementation(const std::string& block) const {
  const auto found = description_.implementations.find(block);
  return found == description_.implementations.end() ? "tlm" : found->second;
}

Status Assembly::build(const Registries& registries, hsa::Backing& backing,
                       const hsa::AddressSpace& space, const Options& options) {
  const auto target = isa::target_from_name(description_.target);
  if (!target) return Error(fmt::format("unknown target '{}'", description_.target));
  const uint32_t limit = description_.links.smallest();
  lookahead_ = options.lookahead != 0 ? options.lookahead : description_.lookahead_cycles;
  if (lookahead_ == 0) lookahead_ = limit;
  if (lookahead_ > limit) {
    return Error(fmt::format("lookahead of {} cycles, expected at most {}, the shortest link",
                             lookahead_, limit));
  }
  if (auto s = build_compute_units(registries, space, *target, options); !s.ok()) return s;
  return build_shared(registries, backing, space, *target, options);
}

Status Assembly::build_compute_units(const Registries& registries, const hsa::AddressSpace& space,
                                     isa::Target target, const Options& options) {
  const auto& d = description_.compute_unit;
  compute_unit::Config c;
  c.target = target;
  c.sramecc = description_.sramecc;
  c.simds = d.simds;
  c.slots = d.waves_per_simd;
  c.implementations = {implementation("simd"), implementation("valu"), implementation("vrf"),
                       implementation("matrix_core"), implementation("lds")};
  c.simd.target = target;
  c.simd.registers.rows = static_cast<uint16_t>(d.vgpr_rows);
  c.simd.registers.acc_rows = static_cast<uint16_t>(d.accvgpr_rows);
  c.simd.registers.seed = options.poison ? 1 : 0;
  c.simd.valu.target = target;
  c.simd.valu.latency_cycles = d.valu_latency_cycles;
  c.simd.valus = &registries.valus;
  c.simd.valu_implementation = implementation("valu");
  c.simd.allow_fallback = options.allow_fallback;
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
  c.shared_aperture = description_.shared_aperture;
  c.private_aperture = description_.private_aperture;
  // Port 1 is for the command processor's fences.
  const auto l1 = cache_config(description_.vector_l1, cache::Role::VectorL1, 2);
  for (unsigned i = 0; i < description_.compute_units; ++i) {
    auto unit = std::make_unique<Unit>();
    c.index = i;
    if (auto s = make(registries.compute_units, "compute_unit", implementation("compute_unit"), c,
                      unit->core);
        !s.ok()) {
      return s;
    }
    if (auto s = make(registries.caches, "cache", implementation("cache"), l1, unit->l1); !s.ok()) {
      return s;
    }
    units_.push_back(std::move(unit));
  }
  return {};
}

Status Assembly::build_shared(const Registries& registries, hsa::Backing& backing,
                              const hsa::AddressSpace& space, isa::Target target,
                              const Options& options) {
  const auto& d = description_;
  const unsigned n = d.compute_units;
  const auto caches = [&](std::vector<std::unique_ptr<cache::Cache>>& out, unsigned count,
                          const cache::Config& config) -> Status {
    for (unsigned i = 0; i < count; ++i) {
      std::unique_ptr<cache::Cache> made;
      if (auto s = make(registries.caches, "cache", implementation("cache"), config, made);
          !s.ok()) {
        return s;
      }
      out.push_back(std::move(made));
    }
    return {};
  };
  const auto clusters = [n](unsigned shared_by) { return (n + shared_by - 1) / shared_by; };
  const auto scalar =
      cache_config(d.scalar_cache, cache::Role::Scalar, d.scalar_cache.shared_by + 1);
  const auto instruction = cache_config(d.instruction_cache, cache::Role::Instruction,
                                        d.instruction_cache.shared_by + 1);
  auto slice = cache_config(d.l2.slice, cache::Role::L2, 2);
  slice.slices = d.l2.slices;
  slice.interleave_bytes = d.l2.interleave_bytes;
  if (auto s = caches(scalar_, clusters(d.scalar_cache.shared_by), scalar); !s.ok()) return s;
  if (auto s = caches(instruction_, clusters(d.instruction_cache.shared_by), instruction);
      !s.ok()) {
    return s;
  }
  if (auto s = caches(l2_, d.l2.slices, slice); !s.ok()) return s;

  memory_ = options.external_memory;
  if (memory_ == nullptr) {
    memory::Config m;
    m.ports = d.l2.slices;
    m.latency_cycles = d.memory.latency_cycles;
    m.cycles_per_block = d.memory.cycles_per_block;
    m.backing = &backing;
    if (auto s = make(registries.memories, "memory", implementation("memory"), m, own_memory_);
        !s.ok()) {
      return s;
    }
    memory_ = own_memory_.get();
  }

  spi::Config p;
  p.target = target;
  p.compute_units = n;
  p.simds = d.compute_unit.simds;
  p.slots = d.compute_unit.waves_per_simd;
  p.vgpr_rows = d.compute_unit.vgpr_rows;
  p.acc_rows = d.compute_unit.accvgpr_rows;
  p.vgpr_granule = d.compute_unit.vgpr_granule;
  p.lds_bytes = d.compute_unit.lds_bytes;
  p.lds_granule = d.compute_unit.lds_granule_bytes;
  p.sgprs_per_simd = d.compute_unit.sgprs_per_simd;
  p.launch_cycles = d.front_end.launch_cycles;
  p.placement = d.front_end.placement;
  p.poison = options.poison;
  if (spi::make_placement(p.placement) == nullptr) {
    return Error(
        fmt::format("unknown placement '{}', expected round_robin or first_fit", p.placement));
  }
  if (auto s = make(registries.spis, "spi", implementation("spi"), p, spi_); !s.ok()) return s;

  command_processor::Config c;
  c.target = target;
  c.packet_cycles = d.front_end.packet_cycles;
  c.queues = d.front_end.queues;
  c.address_space = &space;
  if (auto s = make(registries.command_processors, "command_processor",
                    implementation("command_processor"), c, processor_);
      !s.ok()) {
    return s;
  }
  Crossbar::Config x;
  x.sources = n + static_cast<unsigned>(scalar_.size() + instruction_.size()) + 1;
  x.slices = d.l2.slices;
  x.interleave_bytes = d.l2.interleave_bytes;
  x.cycles = d.links.crossbar_cycles;
  crossbar_ = std::make_unique<Crossbar>(x);
  return {};
}

void Assembly::wake(unsigned domain, unsigned core, Cycle at) {
  if (at == machine::kNever) return;
  domains_[domain]->wake(core, at);
  if (wake_hook_) wake_hook_(domain, at);
}

void Assembly::ring(const command_processor::Doorbell& doorbell, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  processor_->doorbell.push(doorbell, arrival);
  wake(0, processor_core_, arrival);
}

uint32_t Assembly::bind(const command_processor::QueueBinding& queue, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  const uint32_t number = processor_->bind(queue, arrival);
  wake(0, processor_core_, arrival);
  return number;
}

std::vector<Assembly::WaveError> Assembly::take_wave_errors() {
  // Compute units run in any order within the lookahead.
  std::sort(wave_errors_.begin(), wave_errors_.end(), [](const WaveError& a, const WaveError& b) {
    return std::tie(a.time, a.compute_unit, a.done.id) <
           std::tie(b.time, b.compute_unit, b.done.id);
  });
  return std::exchange(wave_errors_, {});
}

Cycle Assembly::next() const {
  Cycle next = machine::kNever;
  for (const auto& domain : domains_) next = std::min(next, domain->next());
  return next;
}

bool Assembly::idle() const {
  return next() == machine::kNever;
}

}  // namespace cuvette::gpu
