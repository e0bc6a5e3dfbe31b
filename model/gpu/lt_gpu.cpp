// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/lt_gpu.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "compute_unit/loose/levels.h"
#include "gpu/configs.h"
#include "gpu/cycle_time.h"
#include "gpu/front.h"
#include "gpu/lt_blocks.h"
#include "gpu/lt_memory.h"
#include "gpu/register_port.h"
#include "gpu/registries.h"
#include "gpu/sdma_module.h"
#include "hsa/queue_error.h"

namespace cuvette::gpu {

using base::Status;
using machine::Cycle;
using sc_core::sc_time;

struct LtGpu::Cores {
  std::vector<std::unique_ptr<compute_unit::ComputeUnit>> units;
  std::unique_ptr<spi::Spi> spi;
  std::unique_ptr<gds::Gds> gds;
  std::unique_ptr<command_processor::CommandProcessor> processor;

  Status build(const machine::GpuConfig& d, const Registries& registries,
               const hsa::AddressSpace& space, const Options& options) {
    const auto target = described_target(d);
    if (!target) return target.error();
    auto c = compute_unit_config(d, registries, space, *target,
                                 {options.poison, options.allow_fallback});
    c.shared_levels = std::make_shared<compute_unit::loose::SharedLevels>(c.levels);
    const std::string named = implementation(d, "compute_unit");
    for (c.index = 0; c.index < d.compute_units; ++c.index) {
      units.emplace_back();
      if (auto s = make(registries.compute_units, "compute_unit", named == "tlm" ? "loose" : named,
                        c, units.back());
          !s.ok()) {
        return s;
      }
    }
    const auto p = spi_config(d, *target, options.poison);
    if (!p) return p.error();
    if (auto s = make(registries.spis, "spi", implementation(d, "spi"), *p, spi); !s.ok()) {
      return s;
    }
    if (auto s = make(registries.gds, "gds", implementation(d, "gds"), gds_config(d, *target), gds);
        !s.ok()) {
      return s;
    }
    return make(registries.command_processors, "command_processor",
                implementation(d, "command_processor"), command_processor_config(d, space, *target),
                processor);
  }
};

struct LtGpu::Impl : tlm::tlm_analysis_if<command_processor::Interrupt> {
  Impl(LtGpu& gpu, const machine::GpuConfig& description, Cores cores, hsa::Backing* backing,
       std::unique_ptr<VmContexts> address_spaces, const Options& options)
      : contexts(std::move(address_spaces)),
        owner(gpu),
        period(period_of(description.clock_mhz)),
        front(description, *contexts, register_machine()),
        port(period, description.links.front_end_cycles, front, *contexts,
             write_memory(backing, gpu.memory, options.external), gpu.interrupts),
        line(period,
             [this](Cycle at, const command_processor::Interrupt& what) {
               port.interrupt(at, what);
             }),
        spi("spi", std::move(cores.spi), period, description.links.front_end_cycles),
        gds("gds", std::move(cores.gds), period, description.links.front_end_cycles),
        processor("command_processor", std::move(cores.processor), period,
                  description.links.front_end_cycles, options.external),
        sdma(description, *contexts, period) {
    const auto count = static_cast<unsigned>(cores.units.size());
    if (backing != nullptr) {
      const auto& d = description;
      memory.emplace("own_memory", *backing,
                     period * (2.0 * d.links.crossbar_cycles + d.l2.slice.hit_cycles +
                               d.memory.latency_cycles),
                     count + 1);
      memory->connect_doorbells(contexts->doorbells(),
                                [this](const command_processor::Doorbell& r) { doorbell(r); });
      contexts->doorbells().on_move([this] { memory->invalidate_dmi(); });
      sdma.use(*backing, contexts->doorbells(),
               [this](const command_processor::Doorbell& r) { doorbell(r); });
      bind_memory(options, *memory, "command_processor", processor, 0);
    } else {
      bus.emplace("external_memory", count + 1 + sdma.count(), owner.memory);
      bus->listen();
      for (unsigned i = 0; i < sdma.count(); ++i) {
        sdma.module(i).memory.bind(bus->sockets[count + 1 + i]);
      }
      processor.memory.bind(bus->sockets[0]);
    }
    processor.dispatch.bind(spi.dispatch);
    processor.cancel.bind(spi.cancel);
    processor.save.bind(spi.save);
    spi.saved.bind(processor.saved);
    processor.restore.bind(spi.restore);
    processor.on_register_access([this](Cycle at, const command_processor::RegisterAccess& a) {
      return front.packet_access(at, a);
    });
    spi.dispatch_done.bind(processor.dispatch_done);
    spi.on_wave_order([this](machine::Channel<spi::WaveOrder>& order) { gds.offer(order); });
    processor.interrupts.bind(*this);
    processor.on_ring([this](const command_processor::Doorbell& d) { doorbell(d); });
    sdma.engines().on_interrupt([this](Cycle at, const sdma::Interrupt& i) {
      line.raise(std::max(at, now()), interrupt_of(i));
    });
    sdma.engines().on_read_register(
        [this](Cycle at, uint64_t offset) { return front.look(at, offset); });
    processor.on_queue_status(
        [this](Cycle at, const command_processor::QueueStatus& s) { front.status(at, s, now()); });
    for (unsigned i = 0; i < count; ++i) {
      units.push_back(std::make_unique<LtComputeUnit>(
          fmt::format("compute_unit_{}", i).c_str(), std::move(cores.units[i]), i, period,
          description.links.front_end_cycles, options.external));
      LtComputeUnit& unit = *units.back();
      if (memory) {
        bind_memory(options, *memory, fmt::format("compute_unit_{}", i), unit, i + 1);
        unit.update_by_dmi();
      } else if (bus) {
        unit.memory.bind(bus->sockets[i + 1]);
      }
      spi.launch[i].bind(unit.launch);
      spi.command[i].bind(unit.command);
      unit.done.bind(spi.done[i]);
      unit.gds_request.bind(gds.request[i]);
      gds.taken[i].bind(unit.gds_taken);
      gds.response[i].bind(unit.gds_response);
      unit.messages.bind(*this);
      unit.stop_by(options.stop);
    }
    spi.stop_by(options.stop);
    gds.stop_by(options.stop);
    processor.stop_by(options.stop);
  }

  /// To the own memory.
  static void bind_memory(const Options& options, LtMemory& memory, const std::string& name,
                          LtShell& block, unsigned index) {
    if (options.bind_memory) {
      options.bind_memory(name, block.memory, memory.sockets[index]);
    } else {
      block.memory.bind(memory.sockets[index]);
    }
  }

  void write(const command_processor::Interrupt& interrupt) override {
    port.interrupt(now(), interrupt);
  }
  Cycle now() const { return sc_core::sc_time_stamp().value() / period.value(); }
  void doorbell(const command_processor::Doorbell& ring) {
    if (!sdma.engines().doorbell(ring.index, ring.value)) front.doorbell(now(), ring);
  }

  MmioRegisters::Machine register_machine() {
    MmioRegisters::Machine m;
    m.bind = [this](const command_processor::QueueBinding& b) { return processor.bind_queue(b); };
    m.dequeue = [this](const command_processor::Dequeue& d) { processor.dequeue(d); };
    m.ring = [this](const command_processor::Doorbell& d) { processor.ring(d); };
    m.interrupt = [this](Cycle at, const command_processor::Interrupt& what) {
      line.raise(std::max(at, now()), what);
    };
    m.busy = [this] { return !owner.idle(); };
    m.ring_moved = [this] { port.ring_moved(); };
    m.launch = [this](const command_processor::RegisterLaunch& g) { processor.launch(g); };
    m.command = [this](unsigned unit, const spi::WaveCommand& c) { units[unit]->debug(c); };
    m.inspect = [this](unsigned unit, unsigned simd, unsigned slot, uint32_t index, unsigned lane) {
      return units[unit]->core().inspect(simd, slot, index, lane);
    };
    return m;
  }

  std::unique_ptr<VmContexts> contexts;
  LtGpu& owner;
  sc_time period;
  MmioRegisters front;
  RegisterPort port;
  InterruptLine line;  // of the registers' own interrupts
  std::optional<LtMemory> memory;
  std::optional<ExternalMemoryBus> bus;
  LtSpi spi;
  LtGds gds;
  LtCommandProcessor processor;
  SdmaBlock sdma;
  std::vector<std::unique_ptr<LtComputeUnit>> units;
  std::vector<uint64_t> fault_addresses;
};

base::Result<std::unique_ptr<LtGpu>> LtGpu::build(
    const char* name, const machine::GpuConfig& description, const Registries& registries,
    hsa::Backing* backing, const hsa::AddressSpace& space, const Options& options) {
  if (auto s = check_resolution(description.clock_mhz); !s.ok()) return s.error();
  Cores cores;
  auto contexts = std::make_unique<VmContexts>(space);
  if (auto s = cores.build(description, registries, *contexts, options); !s.ok()) return s.error();
  return std::unique_ptr<LtGpu>(
      new LtGpu(name, description, std::move(cores), backing, std::move(contexts), options));
}

base::Result<std::unique_ptr<LtGpu>> LtGpu::create(
    const char* name, const machine::GpuConfig& description, const Registries& registries,
    hsa::Backing& backing, const hsa::AddressSpace& space, const Options& options) {
  return build(name, description, registries, &backing, space, options);
}

base::Result<std::unique_ptr<LtGpu>> LtGpu::create(const char* name,
                                                   const machine::GpuConfig& description,
                                                   const Registries& registries,
                                                   const hsa::AddressSpace& space,
                                                   const Options& options) {
  return build(name, description, registries, nullptr, space, options);
}

LtGpu::LtGpu(const sc_core::sc_module_name& name, const machine::GpuConfig& description,
             Cores cores, hsa::Backing* backing, std::unique_ptr<VmContexts> contexts,
             const Options& options)
    : sc_module(name),
      doorbells("doorbells"),
      registers("registers"),
      interrupts("interrupts"),
      memory("memory"),
      impl_(std::make_unique<Impl>(*this, description, std::move(cores), backing,
                                   std::move(contexts), options)) {
  impl_->contexts->read_by(read_memory(backing, memory));
  doorbells.bind(impl_->processor.doorbells);
  registers.register_b_transport(this, &LtGpu::access_registers);
  registers.register_transport_dbg(this, &LtGpu::look_at_registers);
}

LtGpu::~LtGpu() = default;

void LtGpu::end_of_elaboration() {
  if (impl_->bus && memory.size() == 0) {
    SC_REPORT_ERROR("cuvette", "the socket 'memory' of a GPU with external memory is not bound");
  }
}

void LtGpu::access_registers(tlm::tlm_generic_payload& trans, sc_time& delay) {
  impl_->port.b_transport(trans, delay);
}

unsigned LtGpu::look_at_registers(tlm::tlm_generic_payload& trans) {
  return impl_->port.debug(trans);
}

void LtGpu::on_agent_dispatch(AgentHandler handler) {
  impl_->processor.on_agent_dispatch(std::move(handler));
}

std::vector<std::string> LtGpu::take_register_reports() {
  return impl_->front.take_reports();
}

uint32_t LtGpu::bind_queue(const command_processor::QueueBinding& queue) {
  const uint32_t number = impl_->processor.bind_queue(queue);
  impl_->front.bound(number, queue);
  return number;
}

void LtGpu::unbind_queue(uint32_t queue) {
  impl_->front.unbound(queue);
  impl_->processor.unbind_queue(queue);
}

void LtGpu::dequeue(uint32_t queue, bool reset) {
  impl_->front.unbound(queue);
  impl_->processor.dequeue({queue, reset, false});
}

bool LtGpu::reset() {
  auto& engines = impl_->sdma.engines();
  for (const sdma::RingReport& ring : engines.reports()) engines.unbind(ring.ring);
  if (impl_->front.cancel(cycle()) || !idle()) return false;
  impl_->front.reset(cycle());
  return true;
}

bool LtGpu::watch_packets(command_processor::CommandProcessor::OnStage observer) {
  return impl_->processor.core().on_stage(std::move(observer));
}

Cycle LtGpu::cycle() const {
  return sc_core::sc_time_stamp().value() / impl_->period.value();
}

sc_time LtGpu::time_of(Cycle cycle) const {
  return gpu::time_of(impl_->period, cycle);
}

bool LtGpu::idle() const {
  return impl_->spi.idle() && impl_->gds.idle() && impl_->processor.idle() && impl_->line.empty() &&
         impl_->sdma.idle() && !impl_->port.busy() &&
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

std::vector<command_processor::QueueReport> LtGpu::queue_report() const {
  auto queues = impl_->processor.core().queues();
  impl_->front.name_doorbells(queues);
  return queues;
}

std::vector<std::string> LtGpu::take_wave_errors() {
  std::vector<std::tuple<Cycle, unsigned, spi::WaveDone>> errors;
  for (unsigned i = 0; i < compute_units(); ++i) {
    for (auto& [time, done] : impl_->units[i]->take_errors()) errors.emplace_back(time, i, done);
  }
  std::sort(errors.begin(), errors.end(), [](const auto& x, const auto& y) {
    return std::tuple(std::get<0>(x), std::get<1>(x), std::get<2>(x).id) <
           std::tuple(std::get<0>(y), std::get<1>(y), std::get<2>(y).id);
  });
  std::vector<std::string> lines;
  lines.reserve(errors.size());
  impl_->fault_addresses.clear();
  for (const auto& [time, unit, done] : errors) {
    lines.push_back(wave_error_text(unit, compute_unit(unit), done, *impl_->contexts));
    if (done.error_code == hsa::kQueueErrorMemoryFault) {
      impl_->fault_addresses.push_back(done.error_address);
    }
  }
  return lines;
}

std::vector<std::string> LtGpu::take_errors() {
  auto lines = take_wave_errors();
  for (auto& line : impl_->processor.core().take_reports()) lines.push_back(std::move(line));
  for (auto& line : impl_->sdma.engines().take_errors()) lines.push_back(std::move(line));
  return lines;
}

const std::vector<uint64_t>& LtGpu::fault_addresses() const {
  return impl_->fault_addresses;
}

unsigned LtGpu::compute_units() const {
  return static_cast<unsigned>(impl_->units.size());
}

const compute_unit::ComputeUnit& LtGpu::compute_unit(unsigned index) const {
  return impl_->units[index]->core();
}

compute_unit::ComputeUnit& LtGpu::compute_unit(unsigned index) {
  return impl_->units[index]->core();
}

spi::Spi& LtGpu::spi() {
  return impl_->spi.core();
}

sdma::Engines& LtGpu::sdma() {
  return impl_->sdma.engines();
}

gds::Gds& LtGpu::gds() {
  return impl_->gds.core();
}

const command_processor::CommandProcessor& LtGpu::processor() const {
  return impl_->processor.core();
}

ExternalMemoryCounters LtGpu::external_memory() const {
  const auto& bus = impl_->bus;
  return bus ? bus->counters() : ExternalMemoryCounters{};
}

void LtGpu::invalidate_dmi() {
  if (auto& own = impl_->memory) own->invalidate_dmi();
}

}  // namespace cuvette::gpu
