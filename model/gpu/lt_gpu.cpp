// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/lt_gpu.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "gpu/configs.h"
#include "gpu/front.h"
#include "gpu/link.h"
#include "gpu/lt_memory.h"
#include "gpu/lt_shell.h"
#include "gpu/registries.h"

namespace cuvette::gpu {

using base::Status;
using machine::Cycle;
using sc_core::sc_time;

namespace {

sc_time period_of(const machine::Description& description) {
  return sc_time(1e6 / description.clock_mhz, sc_core::SC_PS);
}

}  // namespace

struct LtGpu::Cores {
  struct Unit {
    std::unique_ptr<compute_unit::ComputeUnit> core;
    spi::Spi::ComputeUnitPort waves;
    cache::Cache::Port vector, scalar, instruction;
  };
  std::vector<std::unique_ptr<Unit>> units;
  std::unique_ptr<spi::Spi> spi;
  std::unique_ptr<command_processor::CommandProcessor> processor;
  cache::Cache::Port memory, near, far;  // the processor's

  Status build(const machine::Description& d, const Registries& registries,
               const hsa::AddressSpace& space, const Options& options) {
    const auto target = isa::target_from_name(d.target);
    if (!target) return base::Error(fmt::format("unknown target '{}'", d.target));
    auto c = compute_unit_config(d, registries, space, *target,
                                 {options.poison, options.allow_fallback});
    for (c.index = 0; c.index < d.compute_units; ++c.index) {
      units.push_back(std::make_unique<Unit>());
      Unit& unit = *units.back();
      if (auto s = make(registries.compute_units, "compute_unit", implementation(d, "compute_unit"),
                        c, unit.core);
          !s.ok()) {
        return s;
      }
      unit.core->connect(unit.waves, unit.vector, unit.scalar, unit.instruction);
    }
    const auto p = spi_config(d, *target, options.poison);
    if (!p) return p.error();
    if (auto s = make(registries.spis, "spi", implementation(d, "spi"), *p, spi); !s.ok()) {
      return s;
    }
    if (auto s = make(registries.command_processors, "command_processor",
                      implementation(d, "command_processor"),
                      command_processor_config(d, space, *target), processor);
        !s.ok()) {
      return s;
    }
    processor->connect(*spi, memory, {&near}, {&far});
    return {};
  }
};

struct LtGpu::Impl {
  Impl(LtGpu& owner, const machine::Description& description, std::unique_ptr<Cores> made,
       hsa::Backing& backing)
      : cores(std::move(made)),
        period(period_of(description)),
        front_end_cycles(description.links.front_end_cycles),
        line(period, owner.interrupts),
        memory("memory", backing,
               period * (2.0 * description.links.crossbar_cycles + description.l2.slice.hit_cycles),
               static_cast<unsigned>(cores->units.size()) + 1),
        spi("spi", *cores->spi, period, false),
        // Signals and queues are shared with host threads: no plain copies there.
        processor("command_processor", *cores->processor, period, false) {
    for (auto* port : {&cores->memory, &cores->near, &cores->far}) processor.carry(*port);
    processor.memory.bind(memory.sockets[0]);
    processor.after([this](Cycle) { after_processor(); });
    spi.after([this](Cycle) { after_spi(); });
    for (unsigned i = 0; i < cores->units.size(); ++i) {
      Cores::Unit& unit = *cores->units[i];
      units.push_back(std::make_unique<LtShell>(fmt::format("compute_unit_{}", i).c_str(),
                                                *unit.core, period, true));
      for (auto* port : {&unit.vector, &unit.scalar, &unit.instruction}) units[i]->carry(*port);
      units[i]->memory.bind(memory.sockets[i + 1]);
      units[i]->after([this, i](Cycle now) { after_unit(i, now); });
    }
  }

  void after_processor() {
    if (!cores->spi->dispatch.empty()) spi.wake();
    auto& raised = cores->processor->interrupt;
    while (!raised.empty()) {
      const Cycle sent = raised.next_event();
      line.raise(sent, raised.pop(sent));
    }
  }
  void after_spi() {
    for (unsigned i = 0; i < units.size(); ++i) {
      if (carry(cores->spi->compute_unit(i).launch, cores->units[i]->waves.launch,
                front_end_cycles) != machine::kNever) {
        units[i]->wake();
      }
    }
    if (!cores->spi->dispatch_done.empty()) processor.wake();
  }
  void after_unit(unsigned index, Cycle now) {
    Cores::Unit& unit = *cores->units[index];
    auto& done = unit.waves.done;
    for (size_t i = 0; i < done.size(); ++i) {
      if (done.peek(i).error) errors.push_back({now, index, done.peek(i)});
    }
    if (carry(done, cores->spi->compute_unit(index).done, front_end_cycles) != machine::kNever) {
      spi.wake();
    }
    auto& messages = unit.core->messages;
    while (!messages.empty()) {
      const Cycle sent = messages.next_event();
      const auto message = messages.pop(sent);
      line.raise(sent + front_end_cycles,
                 {command_processor::kWaveMessage | message.message, index, message.m0});
    }
  }

  Cycle now() const { return sc_core::sc_time_stamp().value() / period.value(); }

  struct WaveError {
    Cycle time;
    unsigned compute_unit;
    spi::WaveDone done;
  };

  std::unique_ptr<Cores> cores;
  sc_time period;
  uint32_t front_end_cycles;
  InterruptLine line;
  DoorbellWindow window;
  LtMemory memory;
  LtShell spi, processor;
  std::vector<std::unique_ptr<LtShell>> units;
  std::vector<WaveError> errors;
  WaveErrorTexts error_texts;
  Cycle last_ring = 0;
};

base::Result<std::unique_ptr<LtGpu>> LtGpu::create(
    const char* name, const machine::Description& description, const Registries& registries,
    hsa::Backing& backing, const hsa::AddressSpace& space, const Options& options) {
  if (period_of(description) == sc_core::SC_ZERO_TIME) {
    return base::Error(
        fmt::format("the time resolution of the simulation is above one period of {} MHz",
                    description.clock_mhz));
  }
  auto cores = std::make_unique<Cores>();
  if (auto s = cores->build(description, registries, space, options); !s.ok()) return s.error();
  return std::unique_ptr<LtGpu>(new LtGpu(name, description, std::move(cores), backing));
}

LtGpu::LtGpu(const sc_core::sc_module_name& name, const machine::Description& description,
             std::unique_ptr<Cores> cores, hsa::Backing& backing)
    : sc_module(name),
      doorbells("doorbells"),
      interrupts("interrupts"),
      impl_(std::make_unique<Impl>(*this, description, std::move(cores), backing)) {
  doorbells.register_b_transport(this, &LtGpu::b_transport);
  doorbells.register_transport_dbg(this, &LtGpu::transport_dbg);
}

LtGpu::~LtGpu() = default;

void LtGpu::b_transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
  command_processor::Doorbell ring;
  if (!impl_->window.write(trans, ring)) return;
  // Initiators may run ahead of each other by their quantum; the doorbells keep the order of calls.
  const sc_time at = sc_core::sc_time_stamp() + delay;
  impl_->last_ring = std::max<Cycle>(impl_->last_ring, at.value() / impl_->period.value());
  impl_->cores->processor->doorbell.push(ring, impl_->last_ring + impl_->front_end_cycles);
  impl_->processor.wake();
}

unsigned LtGpu::transport_dbg(tlm::tlm_generic_payload& trans) {
  return impl_->window.debug(trans);
}

uint32_t LtGpu::bind_queue(const command_processor::QueueBinding& queue) {
  const Cycle at =
      std::max<Cycle>(impl_->now() + impl_->front_end_cycles, impl_->processor.next_tick());
  const uint32_t number = impl_->cores->processor->bind(queue, at);
  impl_->processor.wake();
  return number;
}

void LtGpu::unbind_queue(uint32_t queue) {
  impl_->cores->processor->unbind(queue);
  impl_->processor.wake();
}

Cycle LtGpu::cycle() const {
  return impl_->now();
}

sc_time LtGpu::time_of(Cycle cycle) const {
  return sc_time::from_value(impl_->period.value() * cycle);
}

bool LtGpu::idle() const {
  return impl_->line.empty() && impl_->spi.idle() && impl_->processor.idle() &&
         std::all_of(impl_->units.begin(), impl_->units.end(),
                     [](const auto& unit) { return unit->idle(); });
}

std::vector<std::string> LtGpu::wave_report() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < compute_units(); ++i) {
    for (const auto& w : compute_unit(i).waves()) lines.push_back(wave_line(i, w));
  }
  return lines;
}

std::vector<std::string> LtGpu::take_errors() {
  auto errors = std::exchange(impl_->errors, {});
  std::sort(errors.begin(), errors.end(), [](const auto& x, const auto& y) {
    return std::tie(x.time, x.compute_unit, x.done.id) <
           std::tie(y.time, y.compute_unit, y.done.id);
  });
  std::vector<std::string> lines;
  for (const auto& e : errors) {
    lines.push_back(impl_->error_texts.text(e.compute_unit, compute_unit(e.compute_unit), e.done));
  }
  return lines;
}

unsigned LtGpu::compute_units() const {
  return static_cast<unsigned>(impl_->units.size());
}

const compute_unit::ComputeUnit& LtGpu::compute_unit(unsigned index) const {
  return *impl_->cores->units[index]->core;
}

void LtGpu::invalidate_dmi() {
  impl_->memory.invalidate_dmi();
}

}  // namespace cuvette::gpu
