// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A driver of a GPU as a SystemC module: everything through sockets and memory, in the steps a gfx9
// kernel driver takes.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "csv.h"
#include "cuvette_registers.h"
#include "gpu/gpu.h"
#include "gpu/lt_gpu.h"
#include "gpu/registries.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/queue_error.h"
#include "hsa/signal.h"

namespace cuvette::gpu {

// out[id] = id * factor for the work-item's id; gfx908, assembled with llvm-mc 19.
inline constexpr uint32_t kCode[] = {
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
constexpr uint64_t kCodeOffset = 256;
constexpr uint32_t kItems = 128;
constexpr uint32_t kVmid = 8, kPasid = 0x77;
constexpr uint32_t kRingLog2 = 8;  // 256 dwords, 32 entries
constexpr uint64_t kUnmapped = 0x765432100000;

/// Dwords of the memory queue descriptor by name.
inline std::map<std::string, unsigned> mqd_dwords() {
  std::map<std::string, unsigned> found;
  for (const csv::Row& c : csv::read("ledger/gfx9_structs.csv")) {
    if (c.size() >= 7 && c[0] == "v9_mqd" && !c[1].empty()) {
      found[c[6]] = static_cast<unsigned>(std::stoul(c[1]));
    }
  }
  return found;
}

/// Memory of the testbench behind a target socket, without extensions, 20 ns each time.
class Dram : public sc_core::sc_module {
 public:
  Dram(const sc_core::sc_module_name& name, hsa::Backing& bytes)
      : sc_module(name), socket("socket"), bytes_(bytes) {
    socket.register_b_transport(this, &Dram::b_transport);
  }
  tlm_utils::simple_target_socket<Dram, 64> socket;
  std::function<void(const tlm::tlm_generic_payload&)> watch;  // sees every access first

 private:
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time&) {
    if (watch) watch(t);
    wait(20, sc_core::SC_NS);
    const unsigned char* enables = t.get_byte_enable_ptr();
    bool good = true;
    for (unsigned i = 0; i < t.get_data_length(); ++i) {
      if (enables != nullptr && enables[i] != TLM_BYTE_ENABLED) continue;
      unsigned char* byte = t.get_data_ptr() + i;
      const bool there = t.is_read() ? bytes_.read(t.get_address() + i, byte, 1)
                                     : bytes_.write(t.get_address() + i, byte, 1);
      // Whole blocks are read: what lies behind the end of memory does not matter.
      if (!there && t.is_read()) *byte = 0;
      good = good && (there || t.is_read());
    }
    t.set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  hsa::Backing& bytes_;
};

template <class G>
class Bench : public sc_core::sc_module, public tlm::tlm_analysis_if<command_processor::Interrupt> {
 public:
  SC_HAS_PROCESS(Bench);
  using Adjust = std::function<void(machine::GpuConfig&)>;
  /// `outside`: the GPU reaches the memory through a Dram. `adjust`: what differs from small.yaml.
  Bench(const sc_core::sc_module_name& name, std::function<void(Bench&)> body, bool outside = false,
        const typename G::Options& options = {}, const Adjust& adjust = {})
      : sc_module(name),
        doorbells("doorbells"),
        registers("registers"),
        description(*machine::load_description(CUVETTE_SOURCE_DIR "/config/small.yaml")),
        dwords(mqd_dwords()),
        body_(std::move(body)) {
    if (adjust) adjust(description);
    auto made = outside ? G::create("gpu", description, registries_, memory.space(), options)
                        : G::create("gpu", description, registries_, memory.backing(),
                                    memory.space(), options);
    gpu = std::move(*made);
    if (outside) {
      dram_ = std::make_unique<Dram>("dram", memory.backing());
      gpu->memory.bind(dram_->socket);
    }
    doorbells.bind(gpu->doorbells);
    registers.bind(gpu->registers);
    gpu->interrupts.bind(*this);
    SC_THREAD(run);
  }
  /// One GPU, from the start to the end of `body`.
  static void go(std::function<void(Bench&)> body, bool outside = false,
                 const Adjust& adjust = {}) {
    Bench bench("bench", std::move(body), outside, {}, adjust);
    sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS));
    bench.expect_end();
  }
  void expect_end() {
    EXPECT_TRUE(finished_) << "within 20 ms";
    EXPECT_TRUE(gpu->idle());
  }

  // ---- registers and doorbells ----

  tlm::tlm_response_status access(bool write, uint64_t address, void* data, unsigned bytes,
                                  unsigned char* enables = nullptr) {
    tlm::tlm_generic_payload t;
    t.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    t.set_address(address);
    t.set_data_ptr(static_cast<unsigned char*>(data));
    t.set_data_length(bytes);
    t.set_streaming_width(bytes);
    t.set_byte_enable_ptr(enables);
    t.set_byte_enable_length(enables != nullptr ? bytes : 0);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    registers->b_transport(t, delay);
    wait(delay);
    return t.get_response_status();
  }
  uint32_t read(uint32_t offset) {
    uint32_t value = 0xdeadbeef;
    EXPECT_EQ(access(false, offset, &value, 4), tlm::TLM_OK_RESPONSE) << std::hex << offset;
    return value;
  }
  void write(uint32_t offset, uint32_t value) {
    EXPECT_EQ(access(true, offset, &value, 4), tlm::TLM_OK_RESPONSE) << std::hex << offset;
  }
  void ring(uint32_t index, uint64_t value) {
    tlm::tlm_generic_payload t;
    t.set_command(tlm::TLM_WRITE_COMMAND);
    t.set_address(uint64_t{index} * 8);
    t.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    t.set_data_length(8);
    t.set_streaming_width(8);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    doorbells->b_transport(t, delay);
    EXPECT_TRUE(t.is_response_ok());
  }
  void select(unsigned me, unsigned pipe, unsigned queue, unsigned vmid = 0) {
    write(CUVETTE_REG_GRBM_GFX_CNTL, pipe | me << 2 | vmid << 4 | queue << 8);
  }
  void until(const std::function<bool()>& condition, const char* what) {
    for (unsigned i = 0; i < 2000; ++i) {
      if (condition()) {
        log.push_back(gpu->cycle());
        return;
      }
      wait(1, sc_core::SC_US);
    }
    ADD_FAILURE() << "waited in vain: " << what;
  }

  // ---- what a driver does ----

  void start() {
    write(CUVETTE_REG_CP_MEC_CNTL, 0);
    write(CUVETTE_REG_CP_PQ_STATUS, CUVETTE_REG_CP_PQ_STATUS__DOORBELL_ENABLE__MASK);
    select(0, 0, 0, kVmid);
    write(CUVETTE_REG_SH_MEM_BASES, 0x00010002);
    write(CUVETTE_REG_SH_MEM_CONFIG, 3u << CUVETTE_REG_SH_MEM_CONFIG__ALIGNMENT_MODE__SHIFT);
    for (unsigned pipe = 0; pipe < 4; ++pipe) {
      for (unsigned me = 1; me < 3; ++me) {
        select(me, pipe, 0);
        write(CUVETTE_REG_CPC_INT_CNTL, 0x05002000);  // time stamps, opcodes, dequeues
      }
    }
    select(0, 0, 0);
    // 256 dwords
    interrupt_ring = *memory.allocate(1024);
    write_pointer = *memory.allocate(8);
    write(CUVETTE_REG_IH_RB_BASE, static_cast<uint32_t>(interrupt_ring >> 8));
    write(CUVETTE_REG_IH_RB_BASE_HI, static_cast<uint32_t>(interrupt_ring >> 40));
    write(CUVETTE_REG_IH_RB_WPTR_ADDR_LO, static_cast<uint32_t>(write_pointer));
    write(CUVETTE_REG_IH_RB_WPTR_ADDR_HI, static_cast<uint32_t>(write_pointer >> 32));
    write(CUVETTE_REG_IH_VMID_0_LUT + 4 * kVmid, kPasid);
    write(CUVETTE_REG_IH_RB_CNTL, CUVETTE_REG_IH_RB_CNTL__RB_ENABLE__MASK |
                                      kRingLog2 << CUVETTE_REG_IH_RB_CNTL__RB_SIZE__SHIFT |
                                      CUVETTE_REG_IH_RB_CNTL__WPTR_WRITEBACK_ENABLE__MASK |
                                      CUVETTE_REG_IH_RB_CNTL__ENABLE_INTR__MASK);
  }

  struct UserQueue {
    unsigned me = 0, pipe = 0, queue = 0;
    uint32_t doorbell = 0;
    std::unique_ptr<hsa::Queue> ring;
    uint64_t mqd = 0, inactive = 0;
  };
  UserQueue make_queue(unsigned me, unsigned pipe, unsigned queue, uint32_t doorbell) {
    UserQueue q{me, pipe, queue, doorbell, nullptr, 0, 0};
    q.ring = std::make_unique<hsa::Queue>(*hsa::Queue::create(memory, {}));
    q.inactive = hsa::Signal::create(memory, 0)->handle();
    EXPECT_TRUE(memory.write_value(
        q.ring->address() + offsetof(hsa::AmdQueue, queue_inactive_signal), q.inactive));
    q.mqd = *memory.allocate(2048);
    const uint64_t report = q.ring->address() + offsetof(hsa::AmdQueue, read_dispatch_id);
    const uint64_t poll = q.ring->address() + offsetof(hsa::AmdQueue, write_dispatch_id);
    const auto set = [&](const char* name, uint64_t value) {
      ASSERT_EQ(dwords.count(name), 1u) << name;
      EXPECT_TRUE(memory.write_value(q.mqd + 4 * dwords.at(name), static_cast<uint32_t>(value)));
    };
    set("header", 0xc0310800);
    set("cp_mqd_base_addr_lo", q.mqd);
    set("cp_mqd_base_addr_hi", q.mqd >> 32);
    enable_units(q.mqd);
    set("cp_hqd_vmid", kVmid);
    set("cp_hqd_persistent_state", 0x0be05301);
    set("cp_hqd_queue_priority", 15);
    set("cp_hqd_pq_base_lo", q.ring->ring() >> 8);
    set("cp_hqd_pq_base_hi", q.ring->ring() >> 40);
    set("cp_hqd_pq_rptr_report_addr_lo", report);
    set("cp_hqd_pq_rptr_report_addr_hi", report >> 32);
    set("cp_hqd_pq_wptr_poll_addr_lo", poll);
    set("cp_hqd_pq_wptr_poll_addr_hi", poll >> 32);
    set("cp_hqd_pq_doorbell_control", doorbell * 2 << 2 | 2);
    // log2(64 packets of 16 dwords) - 1; AQL's bits.
    set("cp_hqd_pq_control", 9 | 5 << 8 | 1 << 14 | 1 << 16 | 2 << 25 | 1 << 27);
    set("cp_mqd_control", 0x100);
    set("cp_hqd_aql_control", 1);
    return q;
  }
  /// Every compute unit of every shader engine.
  void enable_units(uint64_t mqd) {
    for (unsigned engine = 0; engine < 8; ++engine) {
      const auto name = "compute_static_thread_mgmt_se" + std::to_string(engine);
      ASSERT_EQ(dwords.count(name), 1u) << name;
      EXPECT_TRUE(memory.write_value(mqd + 4 * dwords.at(name), ~uint32_t{0}));
    }
  }
  /// The steps of a queue's activation: the whole image in order, then the doorbell, then ACTIVE.
  void activate(const UserQueue& q) {
    select(q.me, q.pipe, q.queue);
    EXPECT_EQ(read(CUVETTE_REG_CP_HQD_ACTIVE) & 1, 0u);
    constexpr unsigned kFirst = 128, kCount = 56;
    for (unsigned i = 0; i < kCount; ++i) {
      uint32_t word = 0;
      EXPECT_TRUE(memory.read_value(q.mqd + 4 * (kFirst + i), &word));
      write(CUVETTE_REG_CP_MQD_BASE_ADDR + 4 * i, word);
    }
    write(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL,
          read(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL) |
              CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN__MASK);
    write(CUVETTE_REG_CP_HQD_EOP_RPTR, CUVETTE_REG_CP_HQD_EOP_RPTR__INIT_FETCHER__MASK);
    write(CUVETTE_REG_CP_HQD_ACTIVE, 1);
    select(0, 0, 0);
  }
  void remove(const UserQueue& q) {
    select(q.me, q.pipe, q.queue);
    write(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 1);
    until([this] { return (read(CUVETTE_REG_CP_HQD_ACTIVE) & 1) == 0; }, "dequeue");
    select(0, 0, 0);
  }

  uint64_t load_kernel(hsa::KernelDescriptor descriptor, const std::vector<uint32_t>& code) {
    hsa::DeviceMemory::Options executable;
    executable.permitted = hsa::Access::All;
    const uint64_t kernel = *memory.allocate(kCodeOffset + 4 * code.size(), executable);
    descriptor.kernel_code_entry_byte_offset = kCodeOffset;
    EXPECT_TRUE(memory.write_value(kernel, descriptor));
    EXPECT_TRUE(memory.write(kernel + kCodeOffset, code.data(), 4 * code.size()));
    return kernel;
  }
  uint64_t load_kernel() {
    hsa::KernelDescriptor descriptor;
    descriptor.kernarg_size = 12;
    descriptor.compute_pgm_rsrc1 = 0x00ac0040;
    descriptor.compute_pgm_rsrc2 = 0x84;
    descriptor.kernel_code_properties = 8;
    return load_kernel(descriptor, {std::begin(kCode), std::end(kCode)});
  }
  /// A dispatch in one dimension, behind all packets before it, with fences of system scope.
  static hsa::KernelDispatchPacket packet(uint64_t kernel, uint64_t kernarg, uint64_t signal,
                                          uint32_t items, uint16_t group = 64) {
    hsa::KernelDispatchPacket p;
    p.header = hsa::encode(
        {hsa::PacketType::KernelDispatch, true, hsa::FenceScope::System, hsa::FenceScope::System});
    p.setup = 1;
    p.workgroup_size_x = group;
    p.workgroup_size_y = p.workgroup_size_z = 1;
    p.grid_size_x = items;
    p.grid_size_y = p.grid_size_z = 1;
    p.kernel_object = kernel;
    p.kernarg_address = kernarg;
    p.completion_signal = signal;
    return p;
  }
  struct Work {
    uint64_t signal = 0, out = 0;
    uint32_t factor = 0;
    uint64_t index = 0;
  };
  /// A dispatch whose completion signal has a mailbox and this event id.
  Work submit(const UserQueue& q, uint32_t factor, uint32_t event, uint64_t out = 0) {
    Work w;
    w.factor = factor;
    w.out = out != 0 ? out : *memory.allocate(4 * kItems);
    hsa::Signal done = *hsa::Signal::create(memory, 1);
    EXPECT_TRUE(done.set_event(*memory.allocate(8), event).ok());
    w.signal = done.handle();
    struct {
      uint64_t out;
      uint32_t factor, padding;
    } arguments{w.out, factor, 0};
    const uint64_t kernarg = *memory.allocate(sizeof arguments);
    EXPECT_TRUE(memory.write_value(kernarg, arguments));
    if (kernel_ == 0) kernel_ = load_kernel();
    const hsa::KernelDispatchPacket p = packet(kernel_, kernarg, w.signal, kItems);
    w.index = *q.ring->submit(&p);
    return w;
  }
  bool done(const Work& w) { return *hsa::Signal(memory, w.signal).load() == 0; }
  void check(const Work& w) {
    for (uint32_t i = 0; i < kItems; ++i) {
      uint32_t value = 0;
      ASSERT_TRUE(memory.read_value(w.out + 4 * i, &value));
      ASSERT_EQ(value, i * w.factor) << i;
    }
  }

  struct Entry {
    uint32_t words[8];
    uint32_t client() const { return words[0] & 0xff; }
    uint32_t source() const { return words[0] >> 8 & 0xff; }
    uint32_t ring() const { return words[0] >> 16 & 0xff; }
    uint32_t vmid() const { return words[0] >> 24 & 0xf; }
  };
  /// Entries of the ring that were not read yet, by the copy of the write pointer.
  std::vector<Entry> take_entries() {
    std::vector<Entry> found;
    uint32_t end = 0;
    EXPECT_TRUE(memory.read_value(write_pointer, &end));
    EXPECT_EQ(end, read(CUVETTE_REG_IH_RB_WPTR));
    while (read_pointer != end) {
      Entry e{};
      EXPECT_TRUE(memory.read_value(interrupt_ring + read_pointer, &e));
      found.push_back(e);
      log.insert(log.end(), std::begin(e.words), std::end(e.words));
      read_pointer = (read_pointer + 32) % 1024;
    }
    write(CUVETTE_REG_IH_RB_RPTR, read_pointer);
    return found;
  }
  void write(const command_processor::Interrupt& interrupt) override { heard.push_back(interrupt); }
  Dram& dram() { return *dram_; }

  tlm_utils::simple_initiator_socket<Bench, 64> doorbells;
  tlm_utils::simple_initiator_socket<Bench, 32> registers;
  machine::GpuConfig description;
  hsa::DeviceMemory memory;
  std::unique_ptr<G> gpu;
  std::map<std::string, unsigned> dwords;
  uint64_t interrupt_ring = 0, write_pointer = 0;
  uint32_t read_pointer = 0;
  std::vector<command_processor::Interrupt> heard;
  std::vector<uint64_t> log;  // cycles and words of everything that was waited for, heard and read

 private:
  void run() {
    body_(*this);
    finished_ = true;
  }

  Registries registries_ = tlm_registries();
  std::unique_ptr<Dram> dram_;
  std::function<void(Bench&)> body_;
  uint64_t kernel_ = 0;
  bool finished_ = false;
};

/// `body` runs on GPUs beside each other that differ in lookahead and in the order of activations
/// within a cycle; all logs are equal and hold at least `entries` words.
inline void expect_same_in_any_order(const std::function<void(Bench<Gpu>&)>& body, unsigned gpus,
                                     size_t entries) {
  std::vector<std::unique_ptr<Bench<Gpu>>> benches;
  for (unsigned seed = 0; seed < gpus; ++seed) {
    Gpu::Options options;
    options.order_seed = seed;
    options.lookahead = seed;  // 0: the largest the links allow
    const std::string name = "bench" + std::to_string(seed);
    benches.push_back(std::make_unique<Bench<Gpu>>(name.c_str(), body, false, options));
  }
  sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS));
  for (auto& bench : benches) {
    bench->expect_end();
    EXPECT_GE(bench->log.size(), entries);
    EXPECT_EQ(bench->log, benches[0]->log);
  }
}

}  // namespace cuvette::gpu
