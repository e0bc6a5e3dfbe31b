// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The registers and the command processor of engine ca around the golden machine, without SystemC:
// a driver meets the same queues, packets and interrupts, and kernels are executed by golden.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "command_processor/command_processor.h"
#include "gpu/configs.h"
#include "gpu/mmio_registers.h"
#include "gpu/registries.h"
#include "gpu/sdma_module.h"
#include "host/golden_spi.h"
#include "host/machine.h"
#include "memory/serve.h"

namespace cuvette::host {
namespace {

using base::Status;
using command_processor::CommandProcessor;
using command_processor::Interrupt;
using gpu::MmioRegisters;
using machine::Cycle;

class GoldenMachine final : public Machine {
 public:
  GoldenMachine(const machine::GpuConfig& description, const hsa::TargetId& target,
                const golden::Config& config, const MachineOptions& options)
      : Machine(description, options),
        spi_(memory_, target, listening(config), description.compute_units,
             gpu::shader_engines(description)),
        front_(description, contexts_, register_machine()),
        stop_(config.stop),
        sdma_port_(memory_.backing()),
        sdma_(gpu::sdma_config(description, contexts_, false)) {
    for (unsigned i = 0; i < sdma_.count(); ++i) sdma_.engine(i).connect(sdma_port_);
    sdma_.on_interrupt([this](Cycle at, const sdma::Interrupt& i) {
      raise(std::max(at, now_), gpu::interrupt_of(i));
    });
    sdma_.on_read_register([this](Cycle at, uint64_t offset) { return front_.look(at, offset); });
    contexts_.read_by([this](uint64_t pa, void* out, size_t bytes) {
      return memory_.backing().read(pa, out, bytes);
    });
    spi_.see_by(contexts_);
    spi_.stop_after(options.stop_after);
    if (options.memory) spi_.use_scratch_of_queues();
  }

  Status build(const machine::GpuConfig& description, isa::Target target) {
    auto s = gpu::make(registries_.command_processors, "command_processor",
                       gpu::implementation(description, "command_processor"),
                       gpu::command_processor_config(description, contexts_, target), processor_);
    if (!s.ok()) return s;
    processor_->connect(spi_, port_, {&near_}, {&far_});
    return {};
  }

  Cycle now() const override { return now_; }
  void run_to(Cycle end) override {
    for (;;) {
      const Cycle next = next_event();
      if (next >= end) break;
      now_ = std::max(now_, next);
      tick();
      if (stop_ != nullptr && stop_->stopped()) return;
    }
    now_ = std::max(now_, end);
  }
  bool idle() const override { return next_event() == machine::kNever; }

  Status read_register(uint32_t offset, uint32_t& value) override {
    return check(front_.read(now_, offset, sizeof value, value), offset);
  }
  Status write_register(uint32_t offset, uint32_t value) override {
    return check(front_.write(now_, offset, sizeof value, value), offset);
  }
  Status ring(uint32_t doorbell, uint64_t value) override {
    this->doorbell({doorbell, value});
    return {};
  }
  uint32_t bind(const command_processor::QueueBinding& queue) override {
    const uint32_t number = processor_->bind(queue, now_ + 1);
    front_.bound(number, queue);
    return number;
  }
  void unbind(uint32_t queue, bool reset) override {
    front_.unbound(queue);
    processor_->dequeue.push({queue, reset, false}, now_ + 1);
  }
  sdma::Engines& sdma() override { return sdma_; }
  void watch_packets(CommandProcessor::OnStage observer) override {
    processor_->on_stage(std::move(observer));
  }
  Work work() const override { return {spi_.work().waves, spi_.work().by_row}; }
  std::vector<gpu::BlockCounters> block_counters() override {
    return {gpu::counters_of(processor_->counters())};
  }
  std::optional<uint32_t> inspect(uint32_t, uint32_t, uint32_t, uint32_t, unsigned) const override {
    return std::nullopt;
  }
  void on_retire(OnRetire observer) override { spi_.on_retire(std::move(observer)); }
  void on_interrupt(OnInterrupt handler) override { on_interrupt_ = std::move(handler); }
  void on_agent_dispatch(OnAgent handler) override { on_agent_ = std::move(handler); }
  uint64_t progress() const override {
    const auto c = processor_->counters();
    return c.packets + c.dispatches + c.barriers + c.errors;
  }
  std::vector<std::string> take_wave_errors() override { return spi_.take_errors(); }
  std::vector<std::string> take_reports() override {
    auto lines = take_wave_errors();
    for (auto& line : processor_->take_reports()) lines.push_back(std::move(line));
    for (auto& line : sdma_.take_errors()) lines.push_back(std::move(line));
    for (auto& line : front_.take_reports()) lines.push_back(std::move(line));
    return lines;
  }

 private:
  void look(HangReport& report) override {
    report.queues = processor_->queues();
    front_.name_doorbells(report.queues);
    std::vector<golden::WaveReport> waves;
    uint32_t dispatch = 0;
    spi_.look(waves, dispatch);
    for (auto& w : waves) {
      HangWave h;
      tell_packet(report, dispatch, h);
      h.wave = w.id;
      h.workgroup = static_cast<uint32_t>(w.workgroup);
      h.index = w.index;
      h.begun = w.begun;
      h.at_barrier = w.at_barrier;
      h.pc = w.pc;
      h.instruction = std::move(w.instruction);
      h.waits_for = std::move(w.waits_for);
      report.waves.push_back(std::move(h));
    }
  }

  /// S_SENDMSG of waves reaches the host as interrupts.
  golden::Config listening(golden::Config config) {
    config.on_message = [this](uint32_t message, uint32_t m0) {
      raise(now_, {command_processor::kWaveMessage + message, 0, m0});
    };
    return config;
  }

  MmioRegisters::Machine register_machine() {
    MmioRegisters::Machine m;
    m.saves_waves = false;
    m.bind = [this](const command_processor::QueueBinding& b) {
      return processor_->bind(b, now_ + 1);
    };
    m.dequeue = [this](const command_processor::Dequeue& d) {
      processor_->dequeue.push(d, now_ + 1);
    };
    m.ring = [this](const command_processor::Doorbell& d) {
      processor_->doorbell.push(d, now_ + 1);
    };
    m.interrupt = [this](Cycle at, const Interrupt& i) { raise(std::max(at, now_), i); };
    m.busy = [this] { return !idle(); };
    m.ring_moved = [this] { ring_moved_ = true; };
    m.launch = [this](const command_processor::RegisterLaunch& g) {
      processor_->register_launch.push(g, now_ + 1);
    };
    // Waves run to their end at once: there is none to stop or to look at.
    m.command = [](unsigned, const spi::WaveCommand&) {};
    m.inspect = [](unsigned, unsigned, unsigned, uint32_t, unsigned) { return std::nullopt; };
    return m;
  }

  static Status check(MmioRegisters::Status status, uint32_t offset) {
    using S = MmioRegisters::Status;
    if (status == S::Ok) return {};
    return base::Error(fmt::format(
        "register {:#x}: {}", offset,
        status == S::ReadOnly ? "TLM_COMMAND_ERROR_RESPONSE" : "TLM_ADDRESS_ERROR_RESPONSE"));
  }

  void doorbell(const command_processor::Doorbell& ring) {
    if (!sdma_.doorbell(ring.index, ring.value)) front_.doorbell(now_, ring);
  }

  Cycle next_event() const {
    Cycle next = std::min(processor_->next_event(), spi_.next_event());
    for (unsigned i = 0; i < sdma_.count(); ++i) {
      next = std::min(next, sdma_.engine(i).next_event());
    }
    if (!raised_.empty()) next = std::min(next, std::get<0>(raised_.begin()->first));
    if (ring_moved_ && !entries_.empty() && !front_.ring_slot().full) next = std::min(next, now_);
    return next == machine::kNever ? next : std::max(next, now_);
  }

  void tick() {
    CommandProcessor& p = *processor_;
    if (p.next_event() <= now_ && ticked_ <= now_) {
      p.tick(now_);
      ticked_ = now_ + 1;
    }
    spi_.tick(now_);
    for (const auto& d : spi_.take_rung()) doorbell(d);
    for (unsigned i = 0; i < sdma_.count(); ++i) {
      if (sdma_.engine(i).next_event() <= now_) sdma_.engine(i).tick(now_);
    }
    for (auto* port : {&port_, &near_, &far_}) serve(*port);
    while (!p.queue_status.empty()) {
      const Cycle at = p.queue_status.next_event();
      front_.status(at, p.queue_status.pop(at), now_);
    }
    while (p.agent_dispatch.front(now_) != nullptr) {
      const auto packet = p.agent_dispatch.pop(now_);
      const bool served = on_agent_ && on_agent_(now_, packet);
      p.agent_done.push({packet.id, !served}, now_ + 1);
    }
    while (!p.register_access.empty()) {
      const Cycle sent = p.register_access.next_event();
      p.register_done.push(front_.packet_access(now_, p.register_access.pop(sent)), now_ + 1);
    }
    while (!p.interrupt.empty()) {
      const Cycle at = p.interrupt.next_event();
      raise(at, p.interrupt.pop(at));
    }
    while (!raised_.empty() && std::get<0>(raised_.begin()->first) <= now_) {
      const Interrupt what = raised_.begin()->second;
      raised_.erase(raised_.begin());
      leave_chip(what);
    }
    write_ring();
  }

  /// Memory without time; there are no caches.
  void serve(cache::Cache::Port& port) {
    while (!port.request.empty()) {
      const Cycle sent = port.request.next_event();
      port.response.push(memory::serve(memory_.backing(), port.request.pop(sent)),
                         std::max(sent, now_) + 1);
    }
  }

  void raise(Cycle at, const Interrupt& i) {
    raised_.emplace(std::tuple(at, i.source, i.queue, i.context), i);
  }

  void leave_chip(const Interrupt& interrupt) {
    MmioRegisters::RingEntry entry;
    switch (front_.route(now_, interrupt, entry)) {
      case MmioRegisters::Route::Direct:
        tell(interrupt);
        return;
      case MmioRegisters::Route::Masked:
        return;
      case MmioRegisters::Route::Ring:
        entries_.emplace_back(entry, interrupt);
        ring_moved_ = true;
        return;
    }
  }

  /// Memory first, then the write pointer, then the host.
  void write_ring() {
    ring_moved_ = false;
    while (!entries_.empty()) {
      const auto slot = front_.ring_slot();
      if (slot.full) return;
      const auto [entry, interrupt] = entries_.front();
      entries_.pop_front();
      if (!memory_.write(slot.address, entry.data(), sizeof entry).ok()) {
        front_.report(fmt::format("interrupt ring: no memory to write at {:#x}", slot.address));
        continue;
      }
      if (const uint64_t copy = front_.ring_advance(); copy != 0) {
        if (!memory_.write_value(copy, front_.ring_write_pointer()).ok()) {
          front_.report(fmt::format("interrupt ring: no memory to write at {:#x}", copy));
        }
      }
      if (front_.ring_interrupts()) tell(interrupt);
    }
  }

  void tell(const Interrupt& interrupt) {
    if (on_interrupt_) on_interrupt_(now_, interrupt);
  }

  gpu::Registries registries_ = gpu::tlm_registries();
  gpu::VmContexts contexts_{memory_.space()};
  GoldenSpi spi_;
  MmioRegisters front_;
  base::StopPoint* stop_;
  sdma::BackingPort sdma_port_;
  sdma::Engines sdma_;  // in no time
  std::unique_ptr<CommandProcessor> processor_;
  cache::Cache::Port port_, near_, far_;
  Cycle now_ = 0, ticked_ = 0;
  std::multimap<std::tuple<Cycle, uint32_t, uint32_t, uint64_t>, Interrupt> raised_;
  std::deque<std::pair<MmioRegisters::RingEntry, Interrupt>> entries_;
  bool ring_moved_ = false;  // look at entries_
  OnInterrupt on_interrupt_;
  OnAgent on_agent_;
};

}  // namespace

base::Result<std::unique_ptr<Machine>> make_golden_machine(const machine::GpuConfig& description,
                                                           const MachineOptions& options) {
  const auto target = gpu::machine_target(description);
  if (!target) return target.error();
  const auto isa_target = isa::target_from_name(hsa::facts(target->processor).name);
  if (!isa_target) return base::Error(fmt::format("unknown target '{}'", description.target));
  golden::Config config;
  config.target = *isa_target;
  config.sramecc = description.sramecc;
  config.shared_aperture = description.shared_aperture;
  config.private_aperture = description.private_aperture;
  config.watchdog = options.watchdog;
  config.poison = options.poison;
  config.stop = options.stop;
  auto made = std::make_unique<GoldenMachine>(description, *target, config, options);
  if (auto s = made->build(description, *isa_target); !s.ok()) return s.error();
  return std::unique_ptr<Machine>(std::move(made));
}

}  // namespace cuvette::host
