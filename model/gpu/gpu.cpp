// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "gpu/chip.h"
#include "gpu/cycle_time.h"
#include "gpu/register_port.h"
#include "gpu/sdma_module.h"
#include "hsa/queue_error.h"

namespace cuvette::gpu {

using machine::Cycle;
using sc_core::sc_time;

/// One SC_METHOD for all domains: it runs at the start of a quantum and advances those that have
/// something to do through all cycles in it. scheduled[d] is the start of the next quantum in which
/// domain d has, `quantum` the first of them, for which the event is notified.
struct Gpu::Impl {
  Impl(Gpu& owner, const machine::GpuConfig& description, std::unique_ptr<Chip> machine,
       std::unique_ptr<ExternalMemory> memory, hsa::Backing* backing,
       std::unique_ptr<VmContexts> address_spaces, const TransferOptions& transfer_options)
      : contexts(std::move(address_spaces)),
        own_bytes(backing),
        external(std::move(memory)),
        chip(std::move(machine)),
        lookahead(chip->lookahead()),
        period(period_of(description.clock_mhz)),
        scheduled(chip->domains(), machine::kNever),
        front(description, *contexts, register_machine()),
        port(period, description.links.front_end_cycles, front, *contexts,
             write_memory(backing, owner.memory, transfer_options), owner.interrupts),
        interrupts(period,
                   [this](Cycle at, const command_processor::Interrupt& what) {
                     port.interrupt(at, what);
                   }),
        agents(period,
               [this](Cycle at, const command_processor::AgentDone& done) {
                 chip->agent_done(done, at);
               }),
        accesses(period,
                 [this](Cycle at, const command_processor::RegisterAccess& access) {
                   chip->register_done(front.packet_access(at, access), at);
                 }),
        rings(period,
              [this](Cycle at, const command_processor::Doorbell& ring) { doorbell(at, ring); }),
        sdma(description, *contexts, period) {
    contexts->doorbells().on_move([this] { chip->place_doorbells(contexts->doorbells(), now()); });
    connect_sdma(owner.memory);
    if (external != nullptr) {
      external->start(owner.memory, sdma_bus ? &*sdma_bus : nullptr,
                      [this](Cycle at) { chip->wake_shared(at); });
    }
  }

  /// The engines are beside the domains, as the host is.
  void connect_sdma(MemorySocket& socket) {
    sdma.engines().on_interrupt([this](Cycle at, const sdma::Interrupt& i) {
      interrupts.raise(std::max(at, now()), interrupt_of(i));
    });
    sdma.engines().on_read_register(
        [this](Cycle at, uint64_t offset) { return front.look(at, offset); });
    if (own_bytes != nullptr) {
      sdma.use(*own_bytes, contexts->doorbells(),
               [this](const command_processor::Doorbell& ring) { doorbell(now(), ring); });
    } else if (sdma.count() != 0) {
      sdma_bus.emplace("sdma_memory", sdma.count(), socket);
      for (unsigned i = 0; i < sdma.count(); ++i) {
        sdma.module(i).memory.bind(sdma_bus->sockets[i]);
      }
    }
  }
  void doorbell(Cycle at, const command_processor::Doorbell& ring) {
    if (!sdma.engines().doorbell(ring.index, ring.value)) front.doorbell(at, ring);
  }

  void spawn(unsigned order_seed) {
    order.resize(chip->domains());
    std::iota(order.begin(), order.end(), 0u);
    if (order_seed != 0) {
      std::mt19937 random(order_seed);
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    }
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&event);
    options.dont_initialize();
    sc_core::sc_spawn([this] { run(); }, sc_core::sc_gen_unique_name("domains"), &options);
    chip->on_wake([this](unsigned domain, Cycle at) { schedule(domain, at); });
  }

  sc_time time_of(Cycle cycle) const { return gpu::time_of(period, cycle); }
  Cycle cycle_of(const sc_time& time) const { return time.value() / period.value(); }
  Cycle now() const { return cycle_of(sc_core::sc_time_stamp()); }

  void schedule(unsigned domain, Cycle at) {
    if (at == machine::kNever) return;
    const Cycle start = at / lookahead * lookahead;
    if (start >= scheduled[domain]) return;
    scheduled[domain] = start;
    if (start >= quantum) return;
    quantum = start;
    if (!running) notify();
  }

  void notify() {
    if (quantum == machine::kNever) return;
    event.notify(time_of(quantum) - sc_core::sc_time_stamp());
  }

  void run() {
    if (stop != nullptr && stop->here()) sc_core::sc_pause();  // behind this delta cycle
    const Cycle start = std::exchange(quantum, machine::kNever);
    running = true;
    due.clear();
    for (const unsigned domain : order) {
      if (scheduled[domain] == start) {
        due.push_back(domain);
        scheduled[domain] = machine::kNever;
      } else {
        quantum = std::min(quantum, scheduled[domain]);
      }
    }
    chip->run(due, start + lookahead);
    for (const unsigned domain : due) schedule(domain, chip->domain(domain).next());
    take_interrupts();
    running = false;
    notify();
  }

  void take_interrupts() {
    auto& fresh = chip->interrupts();
    for (const auto& i : fresh) interrupts.raise(i.time, i.what);
    fresh.clear();
    for (const auto& s : chip->queue_statuses()) front.status(s.time, s.what, now());
    chip->queue_statuses().clear();
    for (const auto& a : chip->agent_dispatches()) agents.raise(a.time, a.what);
    chip->agent_dispatches().clear();
    for (const auto& a : chip->register_accesses()) accesses.raise(a.time, a.what);
    chip->register_accesses().clear();
    for (const auto& r : chip->wave_rings()) rings.raise(r.time, r.what);
    chip->wave_rings().clear();
  }

  /// Effects of registers happen in the cycle of their access; later ones do not overtake.
  MmioRegisters::Machine register_machine() {
    MmioRegisters::Machine m;
    m.bind = [this](const command_processor::QueueBinding& b) { return chip->bind(b, now()); };
    m.dequeue = [this](const command_processor::Dequeue& d) { chip->dequeue(d, now()); };
    m.ring = [this](const command_processor::Doorbell& d) {
      last_ring = std::max(last_ring, now());
      chip->ring(d, last_ring);
    };
    m.interrupt = [this](Cycle at, const command_processor::Interrupt& what) {
      interrupts.raise(std::max(at, now()), what);
    };
    m.busy = [this] { return !chip->idle(); };
    m.ring_moved = [this] { port.ring_moved(); };
    m.launch = [this](const command_processor::RegisterLaunch& g) { chip->launch(g, now()); };
    m.command = [this](unsigned unit, const spi::WaveCommand& c) { chip->command(unit, c, now()); };
    m.inspect = [this](unsigned unit, unsigned simd, unsigned slot, uint32_t index, unsigned lane) {
      return chip->compute_unit(unit).inspect(simd, slot, index, lane);
    };
    return m;
  }

  std::unique_ptr<VmContexts> contexts;
  hsa::Backing* own_bytes;  // null: external memory
  std::unique_ptr<ExternalMemory> external;
  std::unique_ptr<Chip> chip;
  Cycle lookahead;
  sc_time period;
  std::vector<Cycle> scheduled;
  std::vector<unsigned> order;  // of domains, must not matter
  std::vector<unsigned> due;    // domains of this quantum
  sc_core::sc_event event;
  Cycle quantum = machine::kNever;
  bool running = false;
  MmioRegisters front;
  RegisterPort port;
  InterruptLine interrupts;
  AgentQueue agents;
  RegisterAccessQueue accesses;
  DoorbellQueue rings;
  std::optional<ExternalMemoryBus> sdma_bus;
  SdmaBlock sdma;
  DoorbellWindow window;
  Cycle last_ring = 0;
  std::vector<uint64_t> fault_addresses;
  base::StopPoint* stop = nullptr;
};

base::Result<std::unique_ptr<Gpu>> Gpu::create(const char* name,
                                               const machine::GpuConfig& description,
                                               const Registries& registries, hsa::Backing& backing,
                                               const hsa::AddressSpace& space,
                                               const Options& options) {
  return build(name, description, registries, &backing, space, options);
}

base::Result<std::unique_ptr<Gpu>> Gpu::create(const char* name,
                                               const machine::GpuConfig& description,
                                               const Registries& registries,
                                               const hsa::AddressSpace& space,
                                               const Options& options) {
  return build(name, description, registries, nullptr, space, options);
}

base::Result<std::unique_ptr<Gpu>> Gpu::build(const char* name,
                                              const machine::GpuConfig& description,
                                              const Registries& registries, hsa::Backing* backing,
                                              const hsa::AddressSpace& space,
                                              const Options& options) {
  Chip::Options o;
  o.order_seed = options.order_seed;
  o.never_skip = options.never_skip;
  o.poison = options.poison;
  o.allow_fallback = options.allow_fallback;
  o.lookahead = options.lookahead;
  o.threads = options.threads;
  const sc_time period = period_of(description.clock_mhz);
  if (auto s = check_resolution(description.clock_mhz); !s.ok()) return s.error();
  std::unique_ptr<ExternalMemory> external;
  if (backing == nullptr) {
    // The way in is at least as long as any lookahead.
    external = std::make_unique<ExternalMemory>(
        description.l2.slices, period, description.links.front_end_cycles, options.external);
    o.external_memory = external.get();
  }
  auto contexts = std::make_unique<VmContexts>(space);
  auto chip = Chip::create(description, registries, backing, *contexts, o);
  if (!chip) return chip.error();
  return std::unique_ptr<Gpu>(new Gpu(name, description, std::move(*chip), std::move(external),
                                      backing, std::move(contexts), options));
}

Gpu::Gpu(const sc_core::sc_module_name& name, const machine::GpuConfig& description,
         std::unique_ptr<Chip> chip, std::unique_ptr<ExternalMemory> external,
         hsa::Backing* backing, std::unique_ptr<VmContexts> contexts, const Options& options)
    : sc_module(name),
      doorbells("doorbells"),
      registers("registers"),
      interrupts("interrupts"),
      memory("memory"),
      impl_(std::make_unique<Impl>(*this, description, std::move(chip), std::move(external),
                                   backing, std::move(contexts), options.external)) {
  impl_->contexts->read_by(read_memory(backing, memory));
  doorbells.register_b_transport(this, &Gpu::b_transport);
  doorbells.register_transport_dbg(this, &Gpu::transport_dbg);
  registers.register_b_transport(this, &Gpu::access_registers);
  registers.register_transport_dbg(this, &Gpu::look_at_registers);
  impl_->stop = options.stop;
  impl_->spawn(options.order_seed);
}

Gpu::~Gpu() = default;

void Gpu::end_of_elaboration() {
  if (impl_->external != nullptr && memory.size() == 0) {
    SC_REPORT_ERROR("cuvette", "the socket 'memory' of a GPU with external memory is not bound");
  }
}

void Gpu::b_transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
  command_processor::Doorbell ring;
  if (!impl_->window.write(trans, ring)) return;
  // Initiators may run ahead of each other by their quantum; the doorbells keep the order of calls.
  impl_->last_ring = std::max(impl_->last_ring, impl_->cycle_of(sc_core::sc_time_stamp() + delay));
  impl_->doorbell(impl_->now(), ring);
}

void Gpu::access_registers(tlm::tlm_generic_payload& trans, sc_time& delay) {
  impl_->port.b_transport(trans, delay);
}

unsigned Gpu::look_at_registers(tlm::tlm_generic_payload& trans) {
  return impl_->port.debug(trans);
}

void Gpu::on_agent_dispatch(AgentHandler handler) {
  impl_->agents.handle_by(std::move(handler));
}

std::vector<std::string> Gpu::take_register_reports() {
  return impl_->front.take_reports();
}

unsigned Gpu::transport_dbg(tlm::tlm_generic_payload& trans) {
  return impl_->window.debug(trans);
}

uint32_t Gpu::bind_queue(const command_processor::QueueBinding& queue) {
  const uint32_t number = impl_->chip->bind(queue, impl_->now());
  impl_->front.bound(number, queue);
  return number;
}

void Gpu::unbind_queue(uint32_t queue) {
  impl_->front.unbound(queue);
  impl_->chip->unbind(queue);
}

void Gpu::dequeue(uint32_t queue, bool reset) {
  impl_->front.unbound(queue);
  impl_->chip->dequeue({queue, reset, false}, impl_->now());
}

bool Gpu::reset() {
  auto& engines = impl_->sdma.engines();
  for (const sdma::RingReport& ring : engines.reports()) engines.unbind(ring.ring);
  if (impl_->front.cancel(impl_->now()) || !idle()) return false;
  impl_->front.reset(impl_->now());
  return true;
}

bool Gpu::watch_packets(command_processor::CommandProcessor::OnStage observer) {
  return impl_->chip->processor().on_stage(std::move(observer));
}

Cycle Gpu::cycle() const {
  return impl_->now();
}

sc_time Gpu::time_of(Cycle cycle) const {
  return impl_->time_of(cycle);
}

bool Gpu::idle() const {
  return impl_->chip->idle() && impl_->interrupts.empty() && impl_->agents.empty() &&
         impl_->accesses.empty() && impl_->rings.empty() && !impl_->port.busy() &&
         impl_->sdma.idle() && (impl_->external == nullptr || !impl_->external->busy());
}

std::vector<std::string> Gpu::wave_report() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < impl_->chip->compute_units(); ++i) {
    for (const auto& w : impl_->chip->compute_unit(i).waves()) {
      lines.push_back(wave_line(i, w));
    }
  }
  return lines;
}

std::vector<command_processor::QueueReport> Gpu::queue_report() const {
  auto queues = impl_->chip->processor().queues();
  impl_->front.name_doorbells(queues);
  return queues;
}

std::vector<std::string> Gpu::take_wave_errors() {
  std::vector<std::string> lines;
  impl_->fault_addresses.clear();
  for (const auto& e : impl_->chip->take_wave_errors()) {
    lines.push_back(wave_error_text(e.compute_unit, impl_->chip->compute_unit(e.compute_unit),
                                    e.done, *impl_->contexts));
    if (e.done.error_code == hsa::kQueueErrorMemoryFault) {
      impl_->fault_addresses.push_back(e.done.error_address);
    }
  }
  return lines;
}

std::vector<std::string> Gpu::take_errors() {
  auto lines = take_wave_errors();
  for (auto& line : impl_->chip->processor().take_reports()) lines.push_back(std::move(line));
  for (auto& line : impl_->sdma.engines().take_errors()) lines.push_back(std::move(line));
  return lines;
}

const std::vector<uint64_t>& Gpu::fault_addresses() const {
  return impl_->fault_addresses;
}

bool Gpu::settle() {
  return impl_->chip->for_dirty([this](uint64_t pa, const uint8_t* bytes, unsigned count) {
    if (impl_->own_bytes != nullptr) return impl_->own_bytes->write(pa, bytes, count);
    tlm::tlm_generic_payload trans;
    trans.set_command(tlm::TLM_WRITE_COMMAND);
    trans.set_address(pa);
    trans.set_data_ptr(const_cast<uint8_t*>(bytes));  // nobody writes through it
    trans.set_data_length(count);
    trans.set_streaming_width(count);
    return memory->transport_dbg(trans) == count;
  });
}

std::vector<std::string> Gpu::in_flight() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < impl_->chip->compute_units(); ++i) {
    for (auto& line : impl_->chip->compute_unit(i).in_flight()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

ExternalMemoryCounters Gpu::external_memory() const {
  return impl_->external != nullptr ? impl_->external->counters() : ExternalMemoryCounters{};
}

unsigned Gpu::compute_units() const {
  return impl_->chip->compute_units();
}

const compute_unit::ComputeUnit& Gpu::compute_unit(unsigned index) const {
  return impl_->chip->compute_unit(index);
}

compute_unit::ComputeUnit& Gpu::compute_unit(unsigned index) {
  return impl_->chip->compute_unit(index);
}

spi::Spi& Gpu::spi() {
  return impl_->chip->spi();
}

sdma::Engines& Gpu::sdma() {
  return impl_->sdma.engines();
}

gds::Gds& Gpu::gds() {
  return impl_->chip->gds();
}

const command_processor::CommandProcessor& Gpu::processor() const {
  return impl_->chip->processor();
}

Chip& Gpu::machine() {
  return *impl_->chip;
}

}  // namespace cuvette::gpu
