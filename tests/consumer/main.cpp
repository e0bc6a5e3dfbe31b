// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Two GPUs in somebody else's simulation, from installed headers and libraries only. Both run the
// same machine code with arguments of their own in memories of their own; each must see its own
// results, and take the same number of cycles alone as beside the other. A third one, loosely
// timed, has the testbench's memory instead: a TLM-2.0 target that waits.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/gpu.h"
#include "gpu/lt_gpu.h"
#include "gpu/registries.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/signal.h"

static_assert(__cplusplus < 202002L, "this program is compiled as C++17");

namespace {

namespace hsa = cuvette::hsa;
namespace cp = cuvette::command_processor;

constexpr uint32_t kGroups = 4, kGroupItems = 64, kItems = kGroups * kGroupItems;
constexpr uint32_t kUntouched = 0xdeadbeef;
constexpr uint64_t kCodeOffset = 256;

// out[id] = id * factor for the work-item's id; gfx908, assembled with llvm-mc 19.
constexpr uint32_t kCode[] = {
    0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0   out
    0xc0020180, 0x00000008,  // s_load_dword s6, s[0:1], 0x8         factor
    0x8e078602,              // s_lshl_b32 s7, s2, 6                 64 * work-group
    0x68000007,              // v_add_u32 v0, s7, v0                 id
    0x24020082,              // v_lshlrev_b32 v1, 2, v0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xd2850002, 0x00000d00,  // v_mul_lo_u32 v2, v0, s6
    0xdc708000, 0x00040201,  // global_store_dword v1, v2, s[4:5]
    0xbf810000,              // s_endpgm
};

struct Arguments {
  uint64_t out;
  uint32_t factor;
  uint32_t padding;
};

unsigned passed = 0, failed = 0;

void check(bool good, const std::string& what) {
  ++(good ? passed : failed);
  if (!good) std::printf("FAILED: %s\n", what.c_str());
}

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

/// Memory as the testbench has it: bytes behind a target socket, 50 ns each time, no extensions.
class Dram : public sc_core::sc_module {
 public:
  Dram(const sc_core::sc_module_name& name, hsa::Backing& bytes)
      : sc_module(name), socket("socket"), bytes_(bytes) {
    socket.register_b_transport(this, &Dram::b_transport);
  }
  tlm_utils::simple_target_socket<Dram, 64> socket;
  unsigned transactions = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time&) {
    ++transactions;
    wait(50, sc_core::SC_NS);
    const unsigned char* enables = t.get_byte_enable_ptr();
    bool good = true;
    for (unsigned i = 0; i < t.get_data_length(); ++i) {
      if (enables != nullptr && enables[i] != TLM_BYTE_ENABLED) continue;
      unsigned char* byte = t.get_data_ptr() + i;
      const bool there = t.is_read() ? bytes_.read(t.get_address() + i, byte, 1)
                                     : bytes_.write(t.get_address() + i, byte, 1);
      if (!there && t.is_read()) *byte = 0;
      good = good && (there || t.is_read());
    }
    t.set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  hsa::Backing& bytes_;
};

/// The host of one GPU: its memory, a queue, a doorbell register behind TLM-2.0, an interrupt.
template <class Gpu>
class Host : public sc_core::sc_module, public tlm::tlm_analysis_if<cp::Interrupt> {
 public:
  /// `outside`: the GPU reaches the memory through a Dram.
  Host(const sc_core::sc_module_name& name, uint32_t factor,
       const cuvette::machine::GpuConfig& description, const cuvette::gpu::Registries& registries,
       bool outside = false)
      : sc_module(name), mmio("mmio"), factor_(factor) {
    if (outside) {
      gpu_ = need(Gpu::create("gpu", description, registries, memory_.space(), {}));
      dram_ = std::make_unique<Dram>("dram", memory_.backing());
      gpu_->memory.bind(dram_->socket);
    } else {
      gpu_ =
          need(Gpu::create("gpu", description, registries, memory_.backing(), memory_.space(), {}));
    }
    mmio.bind(gpu_->doorbells);
    gpu_->interrupts.bind(*this);
    prepare();
  }

  /// One dispatch, from the doorbell to the interrupt of its completion signal. Called from a
  /// thread. The result: cycles.
  uint64_t dispatch() {
    for (uint32_t i = 0; i < kItems; ++i) need(memory_.write_value(out_ + 4 * i, kUntouched));
    hsa::Signal done(memory_, signal_);
    need(done.store(1));

    hsa::PacketHeader header;
    header.type = hsa::PacketType::KernelDispatch;
    header.barrier = true;
    header.acquire = header.release = hsa::FenceScope::System;
    hsa::KernelDispatchPacket packet;
    packet.header = hsa::encode(header);
    packet.setup = 1;
    packet.workgroup_size_x = kGroupItems;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = kItems;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernel_object = kernel_;
    packet.kernarg_address = arguments_;
    packet.completion_signal = signal_;
    const uint64_t index = need(queue_->submit(&packet));

    // The SIMDs of a compute unit take turns of four cycles: every run begins at the same one.
    wait(gpu_->time_of((gpu_->cycle() / 4 + 1) * 4) - sc_core::sc_time_stamp());
    const uint64_t start = gpu_->cycle();
    ring(index);
    wait(interrupted_);
    const uint64_t cycles = gpu_->cycle() - start;
    check(need(done.load()) == 0, std::string(name()) + ": completion signal is 0");
    check(source_ == 0, std::string(name()) + ": interrupt is a completion");
    for (const auto& line : gpu_->take_errors()) check(false, std::string(name()) + ": " + line);
    return cycles;
  }

  /// The buffer against id * factor. One check.
  void check_buffer() {
    for (uint32_t i = 0; i < kItems; ++i) {
      uint32_t value = 0;
      need(memory_.read_value(out_ + 4 * i, &value));
      if (value == i * factor_) continue;
      check(false, std::string(name()) + ": item " + std::to_string(i) + " expected " +
                       std::to_string(i * factor_) + ", found " + std::to_string(value));
      return;
    }
    check(true, "");
  }
  /// As long as nothing was dispatched here.
  bool untouched() {
    uint32_t value = 1;
    need(memory_.read_value(out_ + 4, &value));
    return value == 0;
  }

  /// The Dram was used, and the GPU says that its atomics were no atomics there. Two checks.
  void check_outside() {
    check(dram_->transactions > 0, "the external memory was used");
    check(gpu_->external_memory().emulated_atomics > 0, "emulated atomics are counted");
  }

  void write(const cp::Interrupt& interrupt) override {
    source_ = interrupt.source;
    interrupted_.notify(sc_core::SC_ZERO_TIME);
  }

  tlm_utils::simple_initiator_socket<Host<Gpu>, 64> mmio;

 private:
  void prepare() {
    hsa::DeviceMemory::Options executable;
    executable.permitted = hsa::Access::All;
    kernel_ = need(memory_.allocate(kCodeOffset + sizeof kCode, executable));
    hsa::KernelDescriptor descriptor;
    descriptor.kernarg_size = 12;
    descriptor.kernel_code_entry_byte_offset = kCodeOffset;
    descriptor.compute_pgm_rsrc1 = 0x00ac0040;  // 4 VGPRs, 16 SGPRs, IEEE, DX10 clamp, denormals
    descriptor.compute_pgm_rsrc2 = 0x84;        // 2 user SGPRs, then the work-group id in x
    descriptor.kernel_code_properties = 8;      // user SGPRs: the kernarg pointer
    need(memory_.write_value(kernel_, descriptor));
    need(memory_.write(kernel_ + kCodeOffset, kCode, sizeof kCode));

    out_ = need(memory_.allocate(4 * kItems));
    arguments_ = need(memory_.allocate(sizeof(Arguments)));
    need(memory_.write_value(arguments_, Arguments{out_, factor_, 0}));
    hsa::Signal done = need(hsa::Signal::create(memory_, 1));
    signal_ = done.handle();
    need(done.set_event(need(memory_.allocate(8)), 1));

    queue_ = std::make_unique<hsa::Queue>(need(hsa::Queue::create(memory_, {})));
    cp::QueueBinding binding;
    binding.queue_address = queue_->address();
    gpu_->bind_queue(binding);
  }

  void ring(uint64_t value) {
    tlm::tlm_generic_payload write;
    write.set_command(tlm::TLM_WRITE_COMMAND);
    write.set_address(0);
    write.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    write.set_data_length(sizeof value);
    write.set_streaming_width(sizeof value);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    mmio->b_transport(write, delay);
    check(write.is_response_ok(), std::string(name()) + ": doorbell is accepted");
  }

  hsa::DeviceMemory memory_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<Dram> dram_;
  std::unique_ptr<hsa::Queue> queue_;
  uint64_t kernel_ = 0, out_ = 0, arguments_ = 0, signal_ = 0;
  uint32_t factor_;
  uint32_t source_ = ~0u;
  sc_core::sc_event interrupted_;
};

class Testbench : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Testbench);
  Testbench(const sc_core::sc_module_name& name,  //
            const cuvette::machine::GpuConfig& description,
            const cuvette::gpu::Registries& registries)
      : sc_module(name),
        a_("a", 3, description, registries),
        b_("b", 5, description, registries),
        c_("c", 7, description, registries, true) {
    SC_THREAD(run_a);
    SC_THREAD(run_b);
  }
  bool finished() const { return finished_; }

 private:
  /// Two runs of A alone, then two of B while A works all the time.
  void run_a() {
    wait(10, sc_core::SC_US);  // a bound queue is looked at once; that is over now for both
    a_cycles_.push_back(run_once(a_));
    a_cycles_.push_back(run_once(a_));
    check(b_.untouched(), "what A does leaves B's memory alone");
    start_b_.notify();
    while (!b_done_) run_once(a_);
    run_once(c_);
    c_.check_outside();
    finish();
  }
  void run_b() {
    wait(start_b_);
    b_cycles_.push_back(run_once(b_));
    b_cycles_.push_back(run_once(b_));
    b_done_ = true;
  }
  template <class Gpu>
  static uint64_t run_once(Host<Gpu>& host) {
    const uint64_t cycles = host.dispatch();
    host.check_buffer();
    return cycles;
  }
  void finish() {
    check(b_cycles_[0] == a_cycles_[0], "B beside A takes the cycles of A alone, first run");
    check(b_cycles_[1] == a_cycles_[1], "B beside A takes the cycles of A alone, second run");
    for (unsigned i = 0; i < 2; ++i) {
      std::printf("run %u: %llu cycles alone, %llu beside the other\n", i + 1,
                  static_cast<unsigned long long>(a_cycles_[i]),
                  static_cast<unsigned long long>(b_cycles_[i]));
    }
    finished_ = true;
  }

  Host<cuvette::gpu::Gpu> a_, b_;
  Host<cuvette::gpu::LtGpu> c_;
  std::vector<uint64_t> a_cycles_, b_cycles_;
  sc_core::sc_event start_b_;
  bool b_done_ = false;
  bool finished_ = false;
};

void run() {
  const std::string file = need(cuvette::machine::find_description("small", {MACHINE_DIR}));
  check(file == std::string(MACHINE_DIR) + "/small.yaml", "the installed description: " + file);
  const auto description = need(cuvette::machine::load_description(file));
  const cuvette::gpu::Registries registries = cuvette::gpu::tlm_registries();
  Testbench testbench("testbench", description, registries);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
  check(testbench.finished(), "everything is done within 10 ms");
}

}  // namespace

int sc_main(int, char**) {
  try {
    run();
  } catch (const std::exception& error) {
    check(false, error.what());
  }
  std::printf("%u passed, %u failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
