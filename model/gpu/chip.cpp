// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/chip.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include <fmt/format.h>

#include "base/bits.h"
#include "compute_unit/code_store.h"
#include "gpu/configs.h"

namespace cuvette::gpu {

using base::Error;
using base::Result;
using base::Status;
using machine::Cycle;

Result<std::unique_ptr<Chip>> Chip::create(const machine::GpuConfig& description,
                                           const Registries& registries, hsa::Backing* backing,
                                           const hsa::AddressSpace& space, const Options& options) {
  std::unique_ptr<Chip> chip(new Chip(description));
  if (auto s = chip->build(registries, backing, space, options); !s.ok()) return s.error();
  chip->wire();
  for (unsigned d = 0; d < chip->domains(); ++d) {
    chip->domains_[d]->shuffle(options.order_seed);
    chip->domains_[d]->never_skip(options.never_skip);
    if (options.check_next_event) chip->check_next_event(d);
  }
  chip->start_pool(options.check_next_event ? 1 : options.threads);
  return chip;
}

void Chip::check_next_event(unsigned domain) {
  const auto complain = [this, domain](unsigned core, Cycle now) {
    if (early_ticks_.size() >= 100) return;
    early_ticks_.push_back(fmt::format("domain {} core {} cycle {}", domain, core, now));
  };
  domains_[domain]->check([this, domain] { return sent(domain); }, complain);
}

Status Chip::build(const Registries& registries, hsa::Backing* backing,
                   const hsa::AddressSpace& space, const Options& options) {
  const auto target = described_target(description_);
  if (!target) return target.error();
  if (auto s = check_policies(description_); !s.ok()) return s;
  space_ = &space;
  if (auto s = build_compute_units(registries, space, *target, options); !s.ok()) return s;
  return build_shared(registries, backing, space, *target, options);
}

Status Chip::build_compute_units(const Registries& registries, const hsa::AddressSpace& space,
                                 isa::Target target, const Options& options) {
  compute_unit::Config c = compute_unit_config(description_, registries, space, target,
                                               {options.poison, options.allow_fallback});
  c.code = code_ = std::make_shared<compute_unit::CodeStore>(target);
  auto l1 = cache_config(description_, cache::Role::VectorL1);
  const bool one_valu = in_one_place(description_, "valu");
  const bool one_matrix_core = in_one_place(description_, "matrix_core");
  c.valu_in_simd0_only = one_valu;
  c.matrix_core_in_simd0_only = one_matrix_core;
  const bool one_simd = c.simd_in_simd0_only = in_one_place(description_, "simd");
  const bool one_vrf = c.vrf_in_simd0_only = in_one_place(description_, "vrf");
  for (unsigned i = 0; i < description_.compute_units; ++i) {
    auto unit = std::make_unique<Unit>();
    std::unique_ptr<cache::Cache> vector;
    c.index = i;
    if (i != 0 && one_valu) c.implementations.valu = "tlm";
    if (i != 0 && one_matrix_core) c.implementations.matrix_core = "tlm";
    if (i != 0 && one_simd) c.implementations.simd = "tlm";
    if (i != 0 && one_vrf) c.implementations.vrf = "tlm";
    if (i != 0 && in_one_place(description_, "lds")) c.implementations.lds = "tlm";
    if (auto s = make(registries.compute_units, "compute_unit",
                      implementation(description_, "compute_unit"), c, unit->core);
        !s.ok()) {
      return s;
    }
    l1.index = i;
    if (auto s = make(registries.caches, cache::name_of(l1.role),
                      cache_implementation(description_, l1.role, i), l1, vector);
        !s.ok()) {
      return s;
    }
    units_.push_back(std::move(unit));
    vector_l1_.push_back(std::move(vector));
  }
  return {};
}

Status Chip::build_shared(const Registries& registries, hsa::Backing* backing,
                          const hsa::AddressSpace& space, isa::Target target,
                          const Options& options) {
  const auto& d = description_;
  const unsigned n = d.compute_units;
  const auto caches = [&](std::vector<std::unique_ptr<cache::Cache>>& out, unsigned count,
                          cache::Config config) -> Status {
    for (unsigned i = 0; i < count; ++i) {
      std::unique_ptr<cache::Cache> made;
      config.index = i;
      if (auto s = make(registries.caches, cache::name_of(config.role),
                        cache_implementation(description_, config.role, i), config, made);
          !s.ok()) {
        return s;
      }
      out.push_back(std::move(made));
    }
    return {};
  };
  const auto clusters = [n](unsigned shared_by) { return (n + shared_by - 1) / shared_by; };
  const auto scalar = cache_config(d, cache::Role::Scalar);
  const auto instruction = cache_config(d, cache::Role::Instruction);
  const auto slice = cache_config(d, cache::Role::L2);
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
    m.backing = backing;
    if (auto s = make(registries.memories, "memory", implementation(description_, "memory"), m,
                      own_memory_);
        !s.ok()) {
      return s;
    }
    memory_ = own_memory_.get();
  }

  const auto p = spi_config(description_, target, options.poison);
  if (!p) return p.error();
  if (auto s = make(registries.spis, "spi", implementation(description_, "spi"), *p, spi_); !s.ok())
    return s;

  if (auto s = make(registries.gds, "gds", implementation(description_, "gds"),
                    gds_config(description_, target), gds_);
      !s.ok()) {
    return s;
  }

  const auto c = command_processor_config(description_, space, target);
  if (auto s = make(registries.command_processors, "command_processor",
                    implementation(description_, "command_processor"), c, processor_);
      !s.ok()) {
    return s;
  }
  if (auto s = make(registries.crossbars, "crossbar", implementation(description_, "crossbar"),
                    crossbar_config(d), crossbar_);
      !s.ok()) {
    return s;
  }
  return choose_lookahead(options.lookahead);
}

Status Chip::choose_lookahead(uint32_t asked) {
  const uint32_t links = description_.links.smallest();
  const auto of_crossbar = static_cast<uint32_t>(crossbar_->lookahead());
  const uint32_t limit = std::min(links, of_crossbar);
  lookahead_ = asked != 0 ? asked : description_.lookahead_cycles;
  if (lookahead_ == 0) lookahead_ = limit;
  if (lookahead_ <= limit) return {};
  const char* const why =
      limit == links ? "the shortest link between domains"
                     : "what a crossbar on pins allows: its requests come as they are sent";
  const std::string wrong =
      fmt::format("lookahead of {} cycles, expected at most {}, {}", lookahead_, limit, why);
  if (asked != 0) return Error(wrong);
  const bool of_link = limit == links;
  return description_.error(of_link ? "lookahead_cycles" : "implementations.crossbar", wrong);
}

void Chip::wake_at(unsigned domain, unsigned core, Cycle at) {
  domains_[domain]->wake(core, at);
  if (wake_hook_) wake_hook_(domain, at);
}

void Chip::ring(const command_processor::Doorbell& doorbell, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  processor_->doorbell.push(doorbell, arrival);
  wake(0, processor_core_, arrival);
}

uint32_t Chip::bind(const command_processor::QueueBinding& queue, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  const uint32_t number = processor_->bind(queue, arrival);
  wake(0, processor_core_, arrival);
  return number;
}

void Chip::place_doorbells(const DoorbellAperture& doorbells, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  crossbar_->aperture.push(
      crossbar::Aperture{doorbells.there(), doorbells.base(), DoorbellAperture::kBytes}, arrival);
  wake(0, crossbar_core_, arrival);
}

void Chip::dequeue(const command_processor::Dequeue& dequeue, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  processor_->dequeue.push(dequeue, arrival);
  wake(0, processor_core_, arrival);
}

void Chip::register_done(const command_processor::RegisterDone& done, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  processor_->register_done.push(done, arrival);
  wake(0, processor_core_, arrival);
}

void Chip::launch(const command_processor::RegisterLaunch& grid, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  processor_->register_launch.push(grid, arrival);
  wake(0, processor_core_, arrival);
}

void Chip::command(unsigned unit, const spi::WaveCommand& command, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  units_[unit]->core->debug.push(command, arrival);
  wake(units_[unit]->cluster + 1, units_[unit]->number, arrival);
}

void Chip::agent_done(const command_processor::AgentDone& done, Cycle now) {
  const Cycle arrival = now + description_.links.front_end_cycles;
  processor_->agent_done.push(done, arrival);
  wake(0, processor_core_, arrival);
}

std::vector<Chip::WaveError> Chip::take_wave_errors() {
  // Compute units run in any order within the lookahead.
  std::sort(wave_errors_.begin(), wave_errors_.end(), [](const WaveError& a, const WaveError& b) {
    return std::tie(a.time, a.compute_unit, a.done.id) <
           std::tie(b.time, b.compute_unit, b.done.id);
  });
  return std::exchange(wave_errors_, {});
}

Cycle Chip::next() const {
  Cycle next = machine::kNever;
  for (const auto& domain : domains_) next = std::min(next, domain->next());
  return next;
}

bool Chip::idle() const {
  return next() == machine::kNever;
}

bool Chip::for_dirty(const WriteBytes& write) const {
  bool ok = true;
  const auto each = [&](uint64_t address, uint64_t byte_mask, const uint8_t* block) {
    for (uint64_t left = byte_mask; left != 0;) {
      const auto first = static_cast<unsigned>(std::countr_zero(left));
      const auto count = static_cast<unsigned>(std::countr_one(left >> first));
      ok = write(address + first, block + first, count) && ok;
      left &= ~(base::low_mask(count) << first);
    }
  };
  // Data that a scalar cache has not written back yet would reach the L2 last.
  for (const auto* caches : {&l2_, &scalar_}) {
    for (const auto& cache : *caches) ok = cache->for_dirty(each) && ok;
  }
  return ok;
}

}  // namespace cuvette::gpu
