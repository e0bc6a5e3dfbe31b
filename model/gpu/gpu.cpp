// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "gpu/assembly.h"
#include "hsa/queue_error.h"

namespace cuvette::gpu {

using machine::Cycle;
using sc_core::sc_time;

namespace {

constexpr unsigned kDoorbellBytes = 8;

const char* error_name(uint32_t code) {
  switch (code) {
    case hsa::kQueueErrorMemoryFault:
      return "memory fault";
    case hsa::kQueueErrorIllegalInstruction:
      return "illegal instruction";
    case hsa::kQueueErrorException:
      return "trap";
    default:
      return "error";
  }
}

}  // namespace

/// One SC_METHOD per domain. A domain's process runs at the start of a quantum and advances all its
/// cycles in it; scheduled[d] is the start of the quantum its event is notified for.
struct Gpu::Impl {
  Impl(Gpu& owner, const machine::Description& description, std::unique_ptr<Assembly> machine)
      : gpu(owner),
        assembly(std::move(machine)),
        lookahead(assembly->lookahead()),
        period(1e6 / description.clock_mhz, sc_core::SC_PS),
        scheduled(assembly->domains(), machine::kNever) {
    for (unsigned i = 0; i < assembly->domains(); ++i) {
      events.push_back(std::make_unique<sc_core::sc_event>());
    }
  }

  void spawn(unsigned order_seed) {
    std::vector<unsigned> order(assembly->domains());
    std::iota(order.begin(), order.end(), 0u);
    if (order_seed != 0) {
      std::mt19937 random(order_seed);
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    }
    for (const unsigned i : order) {
      sc_core::sc_spawn_options options;
      options.spawn_method();
      options.set_sensitivity(events[i].get());
      options.dont_initialize();
      sc_core::sc_spawn([this, i] { run(i); }, sc_core::sc_gen_unique_name("domain"), &options);
    }
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(&interrupt_event);
    options.dont_initialize();
    sc_core::sc_spawn([this] { deliver(); }, sc_core::sc_gen_unique_name("interrupts"), &options);
    assembly->on_wake([this](unsigned domain, Cycle at) { schedule(domain, at); });
  }

  sc_time time_of(Cycle cycle) const { return sc_time::from_value(period.value() * cycle); }
  Cycle cycle_of(const sc_time& time) const { return time.value() / period.value(); }
  Cycle now() const { return cycle_of(sc_core::sc_time_stamp()); }

  void schedule(unsigned domain, Cycle at) {
    if (at == machine::kNever) return;
    const Cycle quantum = at / lookahead * lookahead;
    if (quantum >= scheduled[domain]) return;
    scheduled[domain] = quantum;
    events[domain]->notify(time_of(quantum) - sc_core::sc_time_stamp());
  }

  void run(unsigned domain) {
    const Cycle start = scheduled[domain];
    assembly->domain(domain).run(start + lookahead);
    scheduled[domain] = machine::kNever;
    schedule(domain, assembly->domain(domain).next());
    take_interrupts();
  }

  void take_interrupts() {
    auto& fresh = assembly->interrupts();
    if (fresh.empty()) return;
    for (const auto& i : fresh) {
      interrupts.emplace(std::tuple(i.time, i.what.source, i.what.queue, i.what.context), i.what);
    }
    fresh.clear();
    next_interrupt();
  }
  void next_interrupt() {
    if (interrupts.empty()) return;
    interrupt_event.notify(time_of(std::get<0>(interrupts.begin()->first)) -
                           sc_core::sc_time_stamp());
  }
  void deliver() {
    while (!interrupts.empty() && std::get<0>(interrupts.begin()->first) <= now()) {
      const auto what = interrupts.begin()->second;
      interrupts.erase(interrupts.begin());
      gpu.interrupts.write(what);
    }
    next_interrupt();
  }

  Gpu& gpu;
  std::unique_ptr<Assembly> assembly;
  Cycle lookahead;
  sc_time period;
  std::vector<Cycle> scheduled;
  std::vector<std::unique_ptr<sc_core::sc_event>> events;
  std::multimap<std::tuple<Cycle, uint32_t, uint32_t, uint64_t>, command_processor::Interrupt>
      interrupts;
  sc_core::sc_event interrupt_event;
  std::map<uint64_t, uint64_t> written;  // doorbell to last value
  Cycle last_ring = 0;
  std::set<unsigned> told;  // compute units whose failure() was reported
};

base::Result<std::unique_ptr<Gpu>> Gpu::create(const char* name,
                                               const machine::Description& description,
                                               const Registries& registries, hsa::Backing& backing,
                                               const hsa::AddressSpace& space,
                                               const Options& options) {
  Assembly::Options o;
  o.order_seed = options.order_seed;
  o.never_skip = options.never_skip;
  o.poison = options.poison;
  o.allow_fallback = options.allow_fallback;
  o.lookahead = options.lookahead;
  if (sc_time(1e6 / description.clock_mhz, sc_core::SC_PS) == sc_core::SC_ZERO_TIME) {
    return base::Error(
        fmt::format("the time resolution of the simulation is above one period of {} MHz",
                    description.clock_mhz));
  }
  auto assembly = Assembly::create(description, registries, backing, space, o);
  if (!assembly) return assembly.error();
  return std::unique_ptr<Gpu>(new Gpu(name, description, std::move(*assembly), options));
}

Gpu::Gpu(const sc_core::sc_module_name& name, const machine::Description& description,
         std::unique_ptr<Assembly> assembly, const Options& options)
    : sc_module(name),
      doorbells("doorbells"),
      interrupts("interrupts"),
      impl_(std::make_unique<Impl>(*this, description, std::move(assembly))) {
  doorbells.register_b_transport(this, &Gpu::b_transport);
  doorbells.register_transport_dbg(this, &Gpu::transport_dbg);
  impl_->spawn(options.order_seed);
}

Gpu::~Gpu() = default;

void Gpu::b_transport(tlm::tlm_generic_payload& trans, sc_time& delay) {
  const unsigned bytes = trans.get_data_length();
  if (trans.get_address() % kDoorbellBytes != 0) {
    trans.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (trans.get_command() != tlm::TLM_WRITE_COMMAND) {
    trans.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  if ((bytes != 4 && bytes != 8) || trans.get_streaming_width() < bytes) {
    trans.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (trans.get_byte_enable_ptr() != nullptr) {
    trans.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  command_processor::Doorbell ring;
  ring.index = static_cast<uint32_t>(trans.get_address() / kDoorbellBytes);
  std::memcpy(&ring.value, trans.get_data_ptr(), bytes);
  impl_->written[ring.index] = ring.value;
  // Initiators may run ahead of each other by their quantum; the doorbells keep the order of calls.
  impl_->last_ring = std::max(impl_->last_ring, impl_->cycle_of(sc_core::sc_time_stamp() + delay));
  impl_->assembly->ring(ring, impl_->last_ring);
  trans.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Gpu::transport_dbg(tlm::tlm_generic_payload& trans) {
  if (trans.get_command() != tlm::TLM_READ_COMMAND || trans.get_address() % kDoorbellBytes != 0) {
    return 0;
  }
  const auto found = impl_->written.find(trans.get_address() / kDoorbellBytes);
  const uint64_t value = found == impl_->written.end() ? 0 : found->second;
  const unsigned bytes = std::min(trans.get_data_length(), kDoorbellBytes);
  std::memcpy(trans.get_data_ptr(), &value, bytes);
  trans.set_response_status(tlm::TLM_OK_RESPONSE);
  return bytes;
}

uint32_t Gpu::bind_queue(const command_processor::QueueBinding& queue) {
  return impl_->assembly->bind(queue, impl_->now());
}

void Gpu::unbind_queue(uint32_t queue) {
  impl_->assembly->unbind(queue);
}

Cycle Gpu::cycle() const {
  return impl_->now();
}

sc_time Gpu::time_of(Cycle cycle) const {
  return impl_->time_of(cycle);
}

bool Gpu::idle() const {
  return impl_->assembly->idle() && impl_->interrupts.empty();
}

std::vector<std::string> Gpu::wave_report() const {
  std::vector<std::string> lines;
  for (unsigned i = 0; i < impl_->assembly->compute_units(); ++i) {
    for (const auto& w : impl_->assembly->compute_unit(i).waves()) {
      lines.push_back(
          fmt::format("compute unit {} simd {} slot {} wave {:#x} pc {:#x} {}: waits for {}", i,
                      w.simd, w.slot, w.id, w.pc, w.instruction, w.waits_for));
    }
  }
  return lines;
}

std::vector<std::string> Gpu::take_errors() {
  std::vector<std::string> lines;
  for (const auto& e : impl_->assembly->take_wave_errors()) {
    // A compute unit has words for its first failure; the others are numbers.
    std::string text = impl_->assembly->compute_unit(e.compute_unit).failure();
    if (!text.empty() && impl_->told.insert(e.compute_unit).second) {
      lines.push_back(fmt::format("compute unit {}: {}", e.compute_unit, text));
      continue;
    }
    lines.push_back(
        fmt::format("compute unit {} wave {:#x} pc {:#x}: {} (code {:#x}, address {:#x})",
                    e.compute_unit, e.done.id, e.done.error_pc, error_name(e.done.error_code),
                    e.done.error_code, e.done.error_address));
  }
  return lines;
}

Assembly& Gpu::machine() {
  return *impl_->assembly;
}

}  // namespace cuvette::gpu
