// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// testbench MACHINE.yaml SCALE.co: one GPU in a SystemC testbench. The host, an sc_module, loads
// the kernel of docs/start/first_kernel.md, dispatches it through an AQL queue and checks what it
// wrote.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>

#include "gpu/gpu.h"
#include "gpu/registries.h"
#include "hsa/code_object.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/signal.h"

namespace hsa = cuvette::hsa;
using cuvette::command_processor::Interrupt;

namespace {

template <class T>
T need(cuvette::base::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().str());
  return std::move(*result);
}
void need(const cuvette::base::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().str());
}
void need(const hsa::AccessResult& access) {
  if (!access) throw std::runtime_error(access.str());
}

std::vector<uint8_t> read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error(name + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

class Host : public sc_core::sc_module, public tlm::tlm_analysis_if<Interrupt> {
 public:
  SC_HAS_PROCESS(Host);
  Host(const sc_core::sc_module_name& name, const cuvette::machine::GpuConfig& machine,
       const cuvette::gpu::Registries& blocks, const std::string& code_object)
      : sc_module(name), doorbells("doorbells"), code_(code_object) {
    gpu_ = need(
        cuvette::gpu::Gpu::create("gpu", machine, blocks, memory_.backing(), memory_.space(), {}));
    doorbells.bind(gpu_->doorbells);
    gpu_->interrupts.bind(*this);
    target_ = hsa::default_machine(need(hsa::parse_target(machine.target)).processor);
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<Host, 64> doorbells;
  bool passed = false;

 private:
  static constexpr uint32_t kItems = 4096;
  struct Arguments {
    uint64_t x, y;
    float factor;
    uint32_t padding;
  };

  void write(const Interrupt&) override { interrupted_.notify(sc_core::SC_ZERO_TIME); }

  void run() {
    const hsa::LoadedCode code =
        need(hsa::load_code_object(read_file(code_), code_, memory_, target_));
    const hsa::KernelInfo& kernel = *need(code.find("scale"));

    const uint64_t x = need(memory_.allocate(4 * kItems));
    const uint64_t y = need(memory_.allocate(4 * kItems));
    for (uint32_t i = 0; i < kItems; ++i) need(memory_.write_value(x + 4 * i, float(i)));
    const uint64_t arguments = need(memory_.allocate(sizeof(Arguments)));
    need(memory_.write_value(arguments, Arguments{x, y, 3, 0}));
    hsa::Signal done = need(hsa::Signal::create(memory_, 1));
    need(done.set_event(need(memory_.allocate(8)), 1));  // its end raises an interrupt

    hsa::Queue queue = need(hsa::Queue::create(memory_, {}));
    cuvette::command_processor::QueueBinding binding;
    binding.queue_address = queue.address();
    gpu_->bind_queue(binding);

    hsa::KernelDispatchPacket packet;
    packet.header = hsa::encode(
        {hsa::PacketType::KernelDispatch, true, hsa::FenceScope::System, hsa::FenceScope::System});
    packet.setup = 1;  // dimensions
    packet.workgroup_size_x = 256;
    packet.grid_size_x = kItems;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernel_object = kernel.descriptor;
    packet.kernarg_address = arguments;
    packet.completion_signal = done.handle();
    uint64_t index = need(queue.submit(&packet));
    const uint64_t start = gpu_->cycle();
    ring(index);
    wait(interrupted_);

    uint32_t wrong = 0;
    for (uint32_t i = 0; i < kItems; ++i) {
      float value = 0;
      need(memory_.read_value(y + 4 * i, &value));
      if (value != 3 * float(i)) ++wrong;
    }
    std::printf("%u elements, %u wrong, %llu cycles\n", kItems, wrong,
                static_cast<unsigned long long>(gpu_->cycle() - start));
    for (const std::string& line : gpu_->take_errors()) std::printf("%s\n", line.c_str());
    passed = wrong == 0;
  }

  void ring(uint64_t index) {
    tlm::tlm_generic_payload write;
    write.set_command(tlm::TLM_WRITE_COMMAND);
    write.set_address(0);  // doorbell 0
    write.set_data_ptr(reinterpret_cast<unsigned char*>(&index));
    write.set_data_length(sizeof index);
    write.set_streaming_width(sizeof index);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    doorbells->b_transport(write, delay);
    if (!write.is_response_ok()) throw std::runtime_error("the doorbell is refused");
  }

  std::string code_;
  hsa::TargetId target_;
  hsa::DeviceMemory memory_;
  std::unique_ptr<cuvette::gpu::Gpu> gpu_;
  sc_core::sc_event interrupted_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "testbench MACHINE.yaml SCALE.co\n");
    return 2;
  }
  try {
    const auto machine = need(cuvette::machine::load_description(argv[1]));
    const cuvette::gpu::Registries blocks = cuvette::gpu::tlm_registries();
    Host host("host", machine, blocks, argv[2]);
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
    return host.passed ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
