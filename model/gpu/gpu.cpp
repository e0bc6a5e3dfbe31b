// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "gpu/assembly.h"
#include "gpu/cycle_time.h"
#include "gpu/register_port.h"
#include "hsa/queue_error.h"

namespace cuvette::gpu {

using machine::Cycle;
using sc_core::sc_time;

namespace {

sc_time period_of(const machine::Description& description) {
  return sc_time(1e6 / description.clock_mhz, sc_core::SC_PS);
}

}  // namespace

/// One SC_METHOD for all domains: it runs at the start of a quantum and advances those that have
/// something to do through all cycles in it. scheduled[d] is the start of the next quantum in which
/// domain d has, `quantum` the first of them, for which the event is notified.
struct Gpu::Impl {
  Impl(Gpu& owner, const machine::Description& description, std::unique_ptr<Assembly> machine,
       std::unique_ptr<OutsideMemory> memory, hsa::Backing* backing,
       std::unique_ptr<VmContexts> address_spaces, const TransferOptions& transfer_options)
      : contexts(std::move(address_spaces)),
        own_bytes(backing),
        outside(std::move(memory)),
        assembly(std::move(machine)),
        lookahead(assembly->lookahead()),
        period(period_of(description)),
        scheduled(assembly->domains(), machine::kNever),
        front(description, *contexts, register_machine()),
        port(period, description.links.front_end_cycles, front, *contexts,
             write_memory(backing, owner.memory, transfer_options), owner.interrupts),
        interrupts(period,
                   [this](Cycle at, const command_processor::Interrupt& what) {
                     port.interrupt(at, what);
                   }),
        agents(period,
               [this](Cycle at, const command_processor::AgentDone& done) {
                 assembly->agent_done(done, at);
               }),
        accesses(period,
                 [this](Cycle at, const command_processor::RegisterAccess& access) {
                   assembly->register_done(front.packet_access(at, access), at);
                 }),
        rings(period, [this](Cycle at, const command_processor::Doorbell& ring) {
          front.doorbell(at, ring);
        }) {
    assembly->connect_doorbells(contexts->doorbells());
    if (outside != nullptr) {
      outside->start(owner.memory, [this](Cycle at) { assembly->wake_shared(at); });
    }
  }

  void spawn(unsigned order_seed) {
    order.resize(assembly->domains());
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
    assembly->on_wake([this](unsigned domain, Cycle at) { schedule(domain, at); });
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
    assembly->run(due, start + lookahead);
    for (const unsigned domain : due) schedule(domain, assembly->domain(domain).next());
    take_interrupts();
    running = false;
    notify();
  }

  void take_interrupts() {
    auto& fresh = assembly->interrupts();
    for (const auto& i : fresh) interrupts.raise(i.time, i.what);
    fresh.clear();
    for (const auto& s : assembly->queue_statuses()) front.status(s.time, s.what, now());
    assembly->queue_statuses().clear();
    for (const auto& a : assembly->agent_dispatches()) agents.raise(a.time, a.what);
    assembly->agent_dispatches().clear();
    for (const auto& a : assembly->register_accesses()) accesses.raise(a.time, a.what);
    assembly->register_accesses().clear();
    for (const auto& r : assembly->wave_rings()) rings.raise(r.time, r.what);
    assembly->wave_rings().clear();
  }

  /// What registers do happens in the cycle of their access; later ones do not overtake.
  RegisterFront::Machine register_machine() {
    RegisterFront::Machine m;
    m.bind = [this](const command_processor::QueueBinding& b) { return assembly->bind(b, now()); };
    m.dequeue = [this](const command_processor::Dequeue& d) { assembly->dequeue(d, now()); };
    m.ring = [this](const command_processor::Doorbell& d) {
      last_ring = std::max(last_ring, now());
      assembly->ring(d, last_ring);
    };
    m.interrupt = [this](Cycle at, const command_processor::Interrupt& what) {
      interrupts.raise(std::max(at, now()), what);
    };
    m.busy = [this] { return !assembly->idle(); };
    m.ring_moved = [this] { port.ring_moved(); };
    m.launch = [this](const command_processor::RegisterLaunch& g) { assembly->launch(g, now()); };
    m.command = [this](unsigned unit, const spi::WaveCommand& c) {
      assembly->command(unit, c, now());
    };
    m.inspect = [this](unsigned unit, unsigned simd, unsigned slot, uint32_t index, unsigned lane) {
      return assembly->compute_unit(unit).inspect(simd, slot, index, lane);
    };
    return m;
  }

  std::unique_ptr<VmContexts> contexts;
  hsa::Backing* own_bytes;  // null: outside memory
  std::unique_ptr<OutsideMemory> outside;
  std::unique_ptr<Assembly> assembly;
  Cycle lookahead;
  sc_time period;
  std::vector<Cycle> scheduled;
  std::vector<unsigned> order;  // of domains, must not matter
  std::vector<unsigned> due;    // domains of this quantum
  sc_core::sc_event event;
  Cycle quantum = machine::kNever;
  bool running = false;
  RegisterFront front;
  RegisterPort port;
  InterruptLine interrupts;
  AgentLine agents;
  AccessLine accesses;
  RingLine rings;
  DoorbellWindow window;
  Cycle last_ring = 0;
  std::vector<uint64_t> fault_addresses;
  base::StopPoint* stop = nullptr;
};

base::Result<std::unique_ptr<Gpu>> Gpu::create(const char* name,
                                               const machine::Description& description,
                                               const Registries& registries, hsa::Backing& backing,
                                               const hsa::AddressSpace& space,
                                               const Options& options) {
  return build(name, description, registries, &backing, space, options);
}

base::Result<std::unique_ptr<Gpu>> Gpu::create(const char* name,
                                               const machine::Description& description,
                                               const Registries& registries,
                                               const hsa::AddressSpace& space,
                                               const Options& options) {
  return build(name, description, registries, nullptr, space, options);
}

base::Result<std::unique_ptr<Gpu>> Gpu::build(const char* name,
                                              const machine::Description& description,
                                              const Registries& registries, hsa::Backing* backing,
                                              const hsa::AddressSpace& space,
                                              const Options& options) {
  Assembly::Options o;
  o.order_seed = options.order_seed;
  o.never_skip = options.never_skip;
  o.poison = options.poison;
  o.allow_fallback = options.allow_fallback;
  o.lookahead = options.lookahead;
  o.threads = options.threads;
  const sc_time period = period_of(description);
  if (period == sc_core::SC_ZERO_TIME) {
    return base::Error(
        fmt::format("the time resolution of the simulation is above one period of {} MHz",
                    description.clock_mhz));
  }
  std::unique_ptr<OutsideMemory> outside;
  if (backing == nullptr) {
    // The way in is at least as long as any lookahead.
    outside = std::make_unique<OutsideMemory>(description.l2.slices, period,
                                              description.links.front_end_cycles, options.outside);
    o.external_memory = outside.get();
  }
  auto contexts = std::make_unique<VmContexts>(space);
  auto assembly = Assembly::create(description, registries, backing, *contexts, o);
  if (!assembly) return assembly.error();
  return std::unique_ptr<Gpu>(new Gpu(name, description, std::move(*assembly), std::move(outside),
                                      backing, std::move(contexts), options));
}

Gpu::Gpu(const sc_core::sc_module_name& name, const machine::Description& description,
         std::unique_ptr<Assembly> assembly, std::unique_ptr<OutsideMemory> outside,
         hsa::Backing* backing, std::unique_ptr<VmContexts> contexts, const Options& options)
    : sc_module(name),
      doorbells("doorbells"),
      registers("registers"),
      interrupts("interrupts"),
      memory("memory"),
      impl_(std::make_unique<Impl>(*this, description, std::move(assembly), std::move(outside),
                                   backing, std::move(contexts), options.outside)) {
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
  if (impl_->outside != nullptr && memory.size() == 0) {
    SC_REPORT_ERROR("cuvette", "the socket 'memory' of a GPU with outside memory is not bound");
  }
}

void Gpu::b_transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
  command_processor::Doorbell ring;
  if (!impl_->window.write(trans, ring)) return;
  // Initiators may run ahead of each other by their quantum; the doorbells keep the order of calls.
  impl_->last_ring = std::max(impl_->last_ring, impl_->cycle_of(sc_core::sc_time_stamp() + delay));
  impl_->front.doorbell(impl_->now(), ring);
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
  const uint32_t number = impl_->assembly->bind(queue, impl_->now());
  impl_->front.bound(number, queue);
  return number;
}

void Gpu::unbind_queue(uint32_t queue) {
  impl_->front.unbound(queue);
  impl_->assembly->unbind(queue);
}

Cycle Gpu::cycle() const {
  return impl_->now();
}

sc_time Gpu::time_of(Cycle cycle) const {
  return impl_->time_of(cycle);
}

bool Gpu::idle() const {
  return impl_->assembly->idle() && impl_->interrupts.empty() && impl_->agents.empty() &&
         impl_->accesses.empty() && impl_->rings.empty() && !impl_->port.busy() &&
         (impl_->outside == nullptr || !impl_->outside->busy());
}

std::vector<std::string> Gpu::wave_report() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < impl_->assembly->compute_units(); ++i) {
    for (const auto& w : impl_->assembly->compute_unit(i).waves()) {
      lines.push_back(wave_line(i, w));
    }
  }
  return lines;
}

std::vector<command_processor::QueueReport> Gpu::queue_report() const {
  auto queues = impl_->assembly->processor().queues();
  impl_->front.name_doorbells(queues);
  return queues;
}

std::vector<std::string> Gpu::take_errors() {
  std::vector<std::string> lines;
  impl_->fault_addresses.clear();
  for (const auto& e : impl_->assembly->take_wave_errors()) {
    lines.push_back(wave_error_text(e.compute_unit, impl_->assembly->compute_unit(e.compute_unit),
                                    e.done, *impl_->contexts));
    if (e.done.error_code == hsa::kQueueErrorMemoryFault) {
      impl_->fault_addresses.push_back(e.done.error_address);
    }
  }
  for (auto& line : impl_->assembly->processor().take_reports()) lines.push_back(std::move(line));
  return lines;
}

const std::vector<uint64_t>& Gpu::fault_addresses() const {
  return impl_->fault_addresses;
}

bool Gpu::settle() {
  return impl_->assembly->for_dirty([this](uint64_t pa, const uint8_t* bytes, unsigned count) {
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
  for (unsigned i = 0; i < impl_->assembly->compute_units(); ++i) {
    for (auto& line : impl_->assembly->compute_unit(i).in_flight()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

OutsideCounters Gpu::outside() const {
  return impl_->outside != nullptr ? impl_->outside->counters() : OutsideCounters{};
}

Assembly& Gpu::machine() {
  return *impl_->assembly;
}

}  // namespace cuvette::gpu
