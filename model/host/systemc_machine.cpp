// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// gpu::LtGpu and gpu::Gpu in a simulation of their own, driven from outside of it.
#include <systemc>
#include <tlm>
#include <type_traits>

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "gpu/assembly.h"
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
  // What the way takes is the host's own time.
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(t, delay);
  if (t.is_response_ok()) return {};
  return base::Error(fmt::format("{} {:#x}: {}", what, address, t.get_response_string()));
}

template <class G>
class SystemcMachine final : public Machine, public tlm::tlm_analysis_if<Interrupt> {
 public:
  explicit SystemcMachine(const machine::Description& description) : Machine(description) {}
  Status build(const machine::Description& description, const MachineOptions& options) {
    typename G::Options o;
    o.poison = options.poison;
    o.stop = options.stop;
    auto made = G::create("gpu", description, registries_, memory_.backing(), memory_.space(), o);
    if (!made) return made.error();
    gpu_ = std::move(*made);
    sockets_.registers.bind(gpu_->registers);
    sockets_.doorbells.bind(gpu_->doorbells);
    gpu_->interrupts.bind(*this);
    if (options.quantum != 0 && std::is_same_v<G, gpu::LtGpu>) {
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

  void on_interrupt(OnInterrupt handler) override { on_interrupt_ = std::move(handler); }
  void on_agent_dispatch(OnAgent handler) override {
    gpu_->on_agent_dispatch([this, handler](const command_processor::AgentDispatch& packet) {
      return handler(now(), packet);
    });
  }
  void before_free() override {
    if constexpr (std::is_same_v<G, gpu::LtGpu>) gpu_->invalidate_dmi();
  }
  uint64_t progress() const override {
    const auto c = processor().counters();
    return c.packets + c.dispatches + c.barriers + c.errors + parts().spi().counters().waves;
  }
  std::vector<std::string> take_reports() override {
    auto lines = gpu_->take_errors();
    for (auto& line : gpu_->take_register_reports()) lines.push_back(std::move(line));
    return lines;
  }

 private:
  /// Whoever has the blocks.
  auto& parts() const {
    if constexpr (std::is_same_v<G, gpu::LtGpu>) {
      return *gpu_;
    } else {
      return gpu_->machine();
    }
  }
  const command_processor::CommandProcessor& processor() const { return parts().processor(); }

  void look(HangReport& report) override {
    report.queues = gpu_->queue_report();
    for (unsigned i = 0; i < parts().compute_units(); ++i) {
      for (auto& w : parts().compute_unit(i).waves()) {
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
  std::unique_ptr<G> gpu_;
  HostSockets sockets_{"host"};
  OnInterrupt on_interrupt_;
};

template <class G>
base::Result<std::unique_ptr<Machine>> make(const machine::Description& description,
                                            const MachineOptions& options) {
  auto made = std::make_unique<SystemcMachine<G>>(description);
  if (auto s = made->build(description, options); !s.ok()) return s.error();
  return std::unique_ptr<Machine>(std::move(made));
}

}  // namespace

base::Result<std::unique_ptr<Machine>> make_systemc_machine(const machine::Description& description,
                                                            const MachineOptions& options) {
  return options.engine == "lt" ? make<gpu::LtGpu>(description, options)
                                : make<gpu::Gpu>(description, options);
}

}  // namespace cuvette::host
