// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// gpu::LtGpu and gpu::Gpu in a simulation of their own, driven from outside of it.
#include <systemc>
#include <tlm>

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "gpu/block_counters.h"
#include "gpu/counter_sample.h"
#include "gpu/gpu.h"
#include "gpu/lt_gpu.h"
#include "gpu/registries.h"
#include "host/machine.h"

namespace cuvette::host {
namespace {

using base::Status;
using command_processor::Interrupt;
using machine::Cycle;

struct HostSockets : sc_core::sc_module {
  explicit HostSockets(const sc_core::sc_module_name& name)
      : sc_module(name), registers("registers"), doorbells("doorbells") {}
  tlm_utils::simple_initiator_socket<HostSockets, 32> registers;
  tlm_utils::simple_initiator_socket<HostSockets, 64> doorbells;
};

template <class Socket>
Status access(Socket& socket, tlm::tlm_command command, uint64_t address, void* data,
              unsigned bytes, const char* what) {
  tlm::tlm_generic_payload t;
  t.set_command(command);
  t.set_address(address);
  t.set_data_ptr(static_cast<unsigned char*>(data));
  t.set_data_length(bytes);
  t.set_streaming_width(bytes);
  // The delay of the access is the host's own time.
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(t, delay);
  if (t.is_response_ok()) return {};
  return base::Error(fmt::format("{} {:#x}: {}", what, address, t.get_response_string()));
}

class SystemcMachine final : public Machine, public tlm::tlm_analysis_if<Interrupt> {
 public:
  SystemcMachine(const machine::GpuConfig& description, const MachineOptions& options)
      : Machine(description, options) {}
  /// The GPU of an engine, bound to the sockets of the host.
  template <class G>
  Status build(const machine::GpuConfig& description, const MachineOptions& options) {
    typename G::Options o;
    o.poison = options.poison;
    o.stop = options.stop;
    auto made = G::create("gpu", description, registries_, memory_.backing(), memory_.space(), o);
    if (!made) return made.error();
    sockets_.registers.bind((*made)->registers);
    sockets_.doorbells.bind((*made)->doorbells);
    (*made)->interrupts.bind(*this);
    G& gpu = **made;
    block_counters_ = [&gpu] { return gpu::block_counters(gpu); };
    mark_ = gpu::counter_sample(gpu, description);
    counter_sample_ = [&gpu, description, this] {
      return gpu::counter_sample(gpu, description, &mark_);
    };
    gpu_ = std::move(*made);
    if (options.quantum != 0 && options.engine == "lt") {
      tlm::tlm_global_quantum::instance().set(gpu_->time_of(options.quantum));
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates
    return {};
  }

  Cycle now() const override { return gpu_->cycle(); }
  void run_to(Cycle end) override {
    const sc_core::sc_time until = gpu_->time_of(end);
    if (until > sc_core::sc_time_stamp()) {
      sc_core::sc_start(until - sc_core::sc_time_stamp(), sc_core::SC_RUN_TO_TIME);
    }
  }
  bool idle() const override { return gpu_->idle(); }

  Status read_register(uint32_t offset, uint32_t& value) override {
    return access(sockets_.registers, tlm::TLM_READ_COMMAND, offset, &value, sizeof value,
                  "register");
  }
  Status write_register(uint32_t offset, uint32_t value) override {
    return access(sockets_.registers, tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value,
                  "register");
  }
  Status ring(uint32_t doorbell, uint64_t value) override {
    return access(sockets_.doorbells, tlm::TLM_WRITE_COMMAND, uint64_t{doorbell} * sizeof value,
                  &value, sizeof value, "doorbell at");
  }

  uint32_t bind(const command_processor::QueueBinding& queue) override {
    return gpu_->bind_queue(queue);
  }
  void unbind(uint32_t queue, bool reset) override { gpu_->dequeue(queue, reset); }
  void watch_packets(command_processor::CommandProcessor::OnStage observer) override {
    gpu_->watch_packets(std::move(observer));
  }
  Work work() const override {
    Work work;
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) {
      const auto counters = gpu_->compute_unit(i).counters();
      work.waves += counters.waves;
      for (const auto& row : isa::rows()) {
        const uint64_t n = counters.by_row[isa::index_of(row)];
        if (n != 0) work.by_row[&row] += n;
      }
    }
    return work;
  }

  std::vector<gpu::BlockCounters> block_counters() override { return block_counters_(); }
  std::optional<counters::Sample> counter_sample() override {
    counters::Sample sample = counter_sample_();
    sample.subtract(mark_);
    return sample;
  }
  void mark_counters() override { mark_ = counter_sample_(); }
  std::optional<uint32_t> inspect(uint32_t compute_unit, uint32_t simd, uint32_t slot,
                                  uint32_t index, unsigned lane) const override {
    if (compute_unit >= gpu_->compute_units() || lane >= wave::kLanes) return std::nullopt;
    return gpu_->compute_unit(compute_unit).inspect(simd, slot, index, lane);
  }
  void on_retire(OnRetire observer) override {
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) gpu_->compute_unit(i).observe(observer);
  }
  void on_interrupt(OnInterrupt handler) override { on_interrupt_ = std::move(handler); }
  void on_agent_dispatch(OnAgent handler) override {
    gpu_->on_agent_dispatch([this, handler](const command_processor::AgentDispatch& packet) {
      return handler(now(), packet);
    });
  }
  sdma::Engines& sdma() override { return gpu_->sdma(); }
  void before_free() override { gpu_->invalidate_dmi(); }
  uint64_t progress() const override {
    const auto c = gpu_->processor().counters();
    return c.packets + c.dispatches + c.barriers + c.errors + gpu_->spi().counters().waves;
  }
  std::vector<std::string> take_wave_errors() override { return gpu_->take_wave_errors(); }
  std::vector<std::string> take_reports() override {
    auto lines = gpu_->take_errors();
    for (auto& line : gpu_->take_register_reports()) lines.push_back(std::move(line));
    return lines;
  }

 private:
  void look(HangReport& report) override {
    report.queues = gpu_->queue_report();
    for (unsigned i = 0; i < gpu_->compute_units(); ++i) {
      for (auto& w : gpu_->compute_unit(i).waves()) {
        HangWave h;
        tell_packet(report, w.dispatch, h);
        h.wave = w.id;
        h.workgroup = w.workgroup;
        h.index = w.wave_in_group;
        h.compute_unit = i;
        h.simd = w.simd;
        h.slot = w.slot;
        h.at_barrier = w.at_barrier;
        h.halted = w.halted;
        h.ending = w.ending;
        h.pc = w.pc;
        h.vm = w.vm;
        h.lgkm = w.lgkm;
        h.exp = w.exp;
        h.instruction = std::move(w.instruction);
        h.waits_for = std::move(w.waits_for);
        report.waves.push_back(std::move(h));
      }
    }
  }

  void write(const Interrupt& interrupt) override {
    if (on_interrupt_) on_interrupt_(now(), interrupt);
  }

  gpu::Registries registries_ = gpu::tlm_registries();
  std::unique_ptr<gpu::HostInterface> gpu_;
  HostSockets sockets_{"host"};
  OnInterrupt on_interrupt_;
  // Counters of gpu_, by its type.
  std::function<std::vector<gpu::BlockCounters>()> block_counters_;
  std::function<counters::Sample()> counter_sample_;
  counters::Sample mark_;
};

template <class G>
base::Result<std::unique_ptr<Machine>> make(const machine::GpuConfig& description,
                                            const MachineOptions& options) {
  auto made = std::make_unique<SystemcMachine>(description, options);
  if (auto s = made->template build<G>(description, options); !s.ok()) return s.error();
  return std::unique_ptr<Machine>(std::move(made));
}

}  // namespace

base::Result<std::unique_ptr<Machine>> make_systemc_machine(const machine::GpuConfig& description,
                                                            const MachineOptions& options) {
  return options.engine == "lt" ? make<gpu::LtGpu>(description, options)
                                : make<gpu::Gpu>(description, options);
}

void end_systemc_simulation() {
  // The next use of the library makes a simulation context anew, with a clock at 0. Static events
  // of the library belong to the first context until the end of the process.
  static const sc_core::sc_simcontext* const first = sc_core::sc_curr_simcontext;
  if (sc_core::sc_curr_simcontext != first) delete sc_core::sc_curr_simcontext;
  sc_core::sc_curr_simcontext = nullptr;
  sc_core::sc_default_global_context = nullptr;
}

}  // namespace cuvette::host
