// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
//
// embedding ENGINE lt|at|no_byte_enables|dmi MACHINE.yaml
//
// The GPU as one sc_module in somebody else's simulation (docs/howto/embedding.md): its registers,
// doorbells, interrupts and memory are sockets and ports of the testbench, a second initiator works
// in the same memory all the time, and a checker of the base protocol stands on every socket.
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/lt_gpu.h"
#include "gpu/registries.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "ip/tlm/base_protocol_checker.h"
#include "memory_initiator.h"
#include "memory_target.h"

namespace embedding {
namespace {

namespace hsa = cuvette::hsa;
namespace cp = cuvette::command_processor;
namespace ip = cuvette::ip;
using sc_core::sc_time;

// out[2 id] = id * factor + out[2 id + 1]; gfx908, llvm-mc 19. Every other dword: masked stores.
constexpr uint32_t kCode[] = {
    0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0     out
    0xc0020180, 0x00000008,  // s_load_dword s6, s[0:1], 0x8           factor
    0x8e078602,              // s_lshl_b32 s7, s2, 6                   64 * work-group
    0x68000007,              // v_add_u32 v0, s7, v0                   id
    0x24020083,              // v_lshlrev_b32 v1, 3, v0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xd2850002, 0x00000d00,  // v_mul_lo_u32 v2, v0, s6
    0xdc508004, 0x03040001,  // global_load_dword v3, v1, s[4:5] offset:4
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0x68040702,              // v_add_u32 v2, v2, v3
    0xdc708000, 0x00040201,  // global_store_dword v1, v2, s[4:5]
    0xbf810000,              // s_endpgm
};
constexpr uint32_t kItems = 2048, kGroup = 64;
constexpr unsigned kDispatches = 6;

// The map of the testbench's memory. Physical and virtual addresses are the same.
constexpr uint64_t kBase = 0x100000000;
constexpr size_t kBytes = 1 << 20;
constexpr uint64_t kQueue = kBase, kRing = kBase + 0x1000, kSignal = kBase + 0x2000,
                   kMailbox = kBase + 0x2100, kArguments = kBase + 0x2200, kKernel = kBase + 0x3000,
                   kOut = kBase + 0x10000, kOther = kBase + 0x80000;
constexpr uint32_t kRingPackets = 16;
constexpr uint64_t kSignatureRegister = 0x7f000;
constexpr uint32_t kSignature = 0x56554343;

unsigned failures = 0;
void check(bool good, const std::string& what) {
  if (good) return;
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

/// The host: brings a queue up, dispatches, looks at results. Everything through its sockets.
class Cpu : public sc_core::sc_module, public tlm::tlm_analysis_if<cp::Interrupt> {
 public:
  SC_HAS_PROCESS(Cpu);
  Cpu(const sc_core::sc_module_name& name, bool four_phase)
      : sc_module(name),
        doorbells("doorbells"),
        registers("registers"),
        memory("memory", four_phase) {
    SC_THREAD(run);
  }
  tlm_utils::simple_initiator_socket<Cpu, 64> doorbells;
  tlm_utils::simple_initiator_socket<Cpu, 32> registers;
  MemoryInitiator memory;

  /// Called between dispatches, and once in the middle of one.
  std::function<void()> disturb;
  /// Makes the queue known, once it is in memory.
  std::function<void()> queue_is_there;
  bool finished = false;
  uint64_t traffic = 0;

 private:
  void write(const cp::Interrupt& interrupt) override {
    check(interrupt.source == 0,
          "an interrupt that is no completion: " + std::to_string(interrupt.source));
    interrupted_.notify(sc_core::SC_ZERO_TIME);
  }

  template <class Socket>
  void mmio(Socket& socket, tlm::tlm_command command, uint64_t address, void* data,
            unsigned bytes) {
    tlm::tlm_generic_payload t;
    t.set_command(command);
    t.set_address(address);
    t.set_data_ptr(static_cast<unsigned char*>(data));
    t.set_data_length(bytes);
    t.set_streaming_width(bytes);
    sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(t, delay);
    wait(delay);
    check(t.is_response_ok(), "register or doorbell: " + t.get_response_string());
  }

  void prepare() {
    hsa::KernelDescriptor kernel;
    kernel.kernarg_size = 12;
    kernel.kernel_code_entry_byte_offset = 256;
    kernel.compute_pgm_rsrc1 = 0x00ac0040;  // 4 VGPRs, 16 SGPRs, IEEE, DX10 clamp, denormals
    kernel.compute_pgm_rsrc2 = 0x84;        // 2 user SGPRs, then the work-group id in x
    kernel.kernel_code_properties = 8;      // user SGPRs: the kernarg pointer
    memory.put(kKernel, kernel);
    memory.write(kKernel + 256, kCode, sizeof kCode);

    hsa::AmdQueue queue;
    queue.hsa_queue.base_address = kRing;
    queue.hsa_queue.size = kRingPackets;
    memory.put(kQueue, queue);
    const hsa::KernelDispatchPacket empty;
    for (uint32_t i = 0; i < kRingPackets; ++i) memory.put(kRing + 64 * i, empty);
    queue_is_there();
  }

  void start(unsigned number) {
    for (uint32_t i = 0; i < 2 * kItems; ++i) memory.put(kOut + 4 * i, uint32_t{number * 1000 + i});
    struct {
      uint64_t out;
      uint32_t factor, padding;
    } arguments{kOut, number + 3, 0};
    memory.put(kArguments, arguments);
    hsa::AmdSignal signal;
    signal.kind = static_cast<int64_t>(hsa::SignalKind::User);
    signal.value = 1;
    signal.event_mailbox_ptr = kMailbox;
    signal.event_id = 1;
    memory.put(kSignal, signal);
    hsa::KernelDispatchPacket p;
    p.header = hsa::encode(
        {hsa::PacketType::KernelDispatch, true, hsa::FenceScope::System, hsa::FenceScope::System});
    p.setup = 1;
    p.workgroup_size_x = kGroup;
    p.workgroup_size_y = p.workgroup_size_z = 1;
    p.grid_size_x = kItems;
    p.grid_size_y = p.grid_size_z = 1;
    p.kernel_object = kKernel;
    p.kernarg_address = kArguments;
    p.completion_signal = kSignal;
    uint64_t index = number;
    memory.put(kRing + 64 * (number % kRingPackets), p);
    mmio(doorbells, tlm::TLM_WRITE_COMMAND, 0, &index, sizeof index);
  }

  /// The second initiator's own work while the GPU does its: what it wrote must be there.
  void work_beside() {
    const uint64_t at = kOther + traffic % 512 * 8;
    memory.put(at, traffic * 77);
    check(memory.get<uint64_t>(at) == traffic * 77, "the second initiator's own bytes");
    ++traffic;
  }

  void run() {
    uint32_t value = 0;
    mmio(registers, tlm::TLM_READ_COMMAND, kSignatureRegister, &value, sizeof value);
    check(value == kSignature, "the signature");
    prepare();
    for (unsigned n = 0; n < kDispatches; ++n) {
      start(n);
      // Disturbed while it runs, each at another time.
      for (unsigned step = 0; memory.get<int64_t>(kSignal + 8) != 0; ++step) {
        if (step == n && disturb) disturb();
        work_beside();
        check(step < 100'000, "the dispatch does not end");
        if (step >= 100'000) return;
      }
      if (!interrupted_.triggered()) wait(sc_time(1, sc_core::SC_US), interrupted_);
      for (uint32_t i = 0; i < 2 * kItems; ++i) {
        const uint32_t before = n * 1000 + i;
        const uint32_t expected = i % 2 != 0 ? before : i / 2 * (n + 3) + before + 1;
        const auto found = memory.get<uint32_t>(kOut + 4 * i);
        if (found == expected) continue;
        check(false, "dispatch " + std::to_string(n) + " dword " + std::to_string(i) +
                         ": expected " + std::to_string(expected) + ", found " +
                         std::to_string(found));
        break;
      }
      check(memory.get<uint64_t>(kMailbox) == 1, "the mailbox");
    }
    finished = true;
  }

  sc_core::sc_event interrupted_;
};

template <class Gpu>
struct Bench {
  Bench(const std::string& mode, const cuvette::machine::GpuConfig& description)
      : four_phase(mode == "at"), cpu("cpu", four_phase), memory("memory", kBase, kBytes, [&] {
          MemoryOptions o;
          o.four_phase = four_phase;
          o.byte_enables = mode != "no_byte_enables";
          o.dmi = mode == "dmi";
          return o;
        }()) {
    typename Gpu::Options options;
    options.external.four_phase = four_phase;
    options.external.outstanding = four_phase ? 4 : 1;
    options.external.split_masked_stores = mode == "no_byte_enables";
    const auto mapped = space.map(kBase, kBytes, hsa::Access::All);
    if (!mapped.ok()) throw std::runtime_error(mapped.error().str());
    auto made = Gpu::create("gpu", description, registries, space, options);
    if (!made) throw std::runtime_error(made.error().str());
    gpu = std::move(*made);

    cpu.doorbells.bind(doorbell_checker.target);
    doorbell_checker.initiator.bind(gpu->doorbells);
    cpu.registers.bind(register_checker.target);
    register_checker.initiator.bind(gpu->registers);
    gpu->memory.bind(gpu_checker.target);
    gpu_checker.initiator.bind(memory.ports[0]);
    cpu.memory.socket.bind(cpu_checker.target);
    cpu_checker.initiator.bind(memory.ports[1]);
    gpu->interrupts.bind(cpu);

    cpu.queue_is_there = [this] {
      cp::QueueBinding binding;
      binding.queue_address = kQueue;
      gpu->bind_queue(binding);
    };
    if (mode == "dmi") cpu.disturb = [this] { memory.move(); };
  }

  void judge(const std::string& mode) {
    check(cpu.finished, "everything is done in time");
    check(cpu.traffic > 10 * kDispatches, "the second initiator worked beside the GPU");
    for (const auto& line : gpu->take_errors()) check(false, line);
    for (const auto& line : gpu->take_register_reports()) check(false, line);
    for (const ip::BaseProtocolRules* c : std::initializer_list<const ip::BaseProtocolRules*>{
             &doorbell_checker, &register_checker, &gpu_checker, &cpu_checker}) {
      check(c->violations().empty(), c->report());
      check(c->under_way() == 0, "a transaction has not ended");
      check(c->blocking() + c->non_blocking() != 0, std::string(c->name()) + " saw nothing");
    }
    check((gpu_checker.non_blocking() != 0) == four_phase, "four phases");
    // Pointers are written through as the lanes want it.
    check(mode == "dmi" || (memory.masked() != 0) == (mode != "no_byte_enables"), "byte enables");
    check((memory.moves() == kDispatches) == (mode == "dmi"),
          "memory that moves during a dispatch");
    check(memory.refused() == 0, "refused byte enables");
    check((memory.pointers() > kDispatches) == (mode == "dmi"), "pointers asked for again");
    std::printf(
        "  GPU: %llu transactions and %llu in phases, %u pointers, %u masked stores; second "
        "initiator: %llu\n",
        static_cast<unsigned long long>(gpu_checker.blocking()),
        static_cast<unsigned long long>(gpu_checker.non_blocking()), memory.pointers(),
        memory.masked(),
        static_cast<unsigned long long>(cpu_checker.blocking() + cpu_checker.non_blocking()));
  }

  bool four_phase;
  cuvette::gpu::Registries registries = cuvette::gpu::tlm_registries();
  hsa::AddressSpace space;
  Cpu cpu;
  MemoryTarget memory;
  ip::BaseProtocolChecker doorbell_checker{"doorbell_checker"}, gpu_checker{"gpu_checker"},
      cpu_checker{"cpu_checker"};
  ip::BaseProtocolCheckerOf<32> register_checker{"register_checker"};
  std::unique_ptr<Gpu> gpu;
};

template <class Gpu>
void run(const std::string& mode, const cuvette::machine::GpuConfig& description) {
  Bench<Gpu> bench(mode, description);
  sc_core::sc_start(sc_time(50, sc_core::SC_MS));
  bench.judge(mode);
}

}  // namespace
}  // namespace embedding

int sc_main(int count, char** words) {
  const std::string engine = count == 4 ? words[1] : "", mode = count == 4 ? words[2] : "";
  const bool known = mode == "lt" || mode == "no_byte_enables" ||
                     (mode == "at" && engine == "ca") || (mode == "dmi" && engine == "lt");
  if (!known || (engine != "lt" && engine != "ca")) {
    std::fprintf(stderr,
                 "usage: embedding lt|ca lt|at|no_byte_enables|dmi MACHINE.yaml; at goes with "
                 "ca, dmi with lt\n");
    return 2;
  }
  try {
    const auto description = cuvette::machine::load_description(words[3]);
    if (!description) throw std::runtime_error(description.error().str());
    if (engine == "ca") {
      embedding::run<cuvette::gpu::Gpu>(mode, *description);
    } else {
      embedding::run<cuvette::gpu::LtGpu>(mode, *description);
    }
  } catch (const std::exception& error) {
    embedding::check(false, error.what());
  }
  std::printf("%s: %s with %s\n", embedding::failures == 0 ? "PASSED" : "FAILED", engine.c_str(),
              mode.c_str());
  return embedding::failures == 0 ? 0 : 1;
}
