// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A driver against both SystemC engines: queues whose waves are saved by a trap handler and go on
// later.
#include "pm4_bench.h"
#include "save_kernel.h"

namespace cuvette::gpu {
namespace {

constexpr uint32_t kGroups = 24, kRounds = 800;
constexpr uint32_t kAreaBytes = 1 << 20, kStackBytes = 4096;
constexpr uint32_t kSwitch = 1u << 30;  // CP_HQD_PERSISTENT_STATE.QSWITCH_MODE

void four_units(machine::GpuConfig& d) {
  d.compute_units = 4;
}

template <class G>
struct Saving {
  Bench<G>& b;
  typename Bench<G>::UserQueue queue;
  uint64_t handler = 0, area = 0;

  explicit Saving(Bench<G>& bench, unsigned number = 1, uint32_t doorbell = 20)
      : b(bench), queue(b.make_queue(1, 0, number, doorbell)) {
    hsa::DeviceMemory::Options page;
    page.permitted = hsa::Access::All;
    page.alignment = 4096;
    handler = *b.memory.allocate(4096, page);
    EXPECT_TRUE(b.memory.write(handler, save_kernel::kHandler, sizeof save_kernel::kHandler));
    area = *b.memory.allocate(kAreaBytes, page);
    // The control stack is a page behind the descriptor.
    const uint64_t mqd = *b.memory.allocate(4096 + kStackBytes, page);
    for (unsigned i = 0; i < 512; ++i) {
      EXPECT_TRUE(b.memory.write_value(mqd + 4 * i, word(queue.mqd + 4 * i)));
    }
    queue.mqd = mqd;
    set("cp_mqd_base_addr_lo", mqd);
    set("cp_mqd_base_addr_hi", mqd >> 32);
    set("cp_hqd_persistent_state", kSwitch | 0x0be05301);
    set("cp_hqd_ctx_save_base_addr_lo", area);
    set("cp_hqd_ctx_save_base_addr_hi", area >> 32);
    set("cp_hqd_ctx_save_size", kAreaBytes);
    set("cp_hqd_cntl_stack_size", kStackBytes);
    set("cp_hqd_cntl_stack_offset", kStackBytes);
    set("cp_hqd_wg_state_offset", 0);
    trap_handler(handler);
  }
  void trap_handler(uint64_t at) {
    b.select(0, 0, 0, kVmid);
    b.write(CUVETTE_REG_SQ_SHADER_TBA_LO, static_cast<uint32_t>(at >> 8));
    b.write(CUVETTE_REG_SQ_SHADER_TBA_HI, static_cast<uint32_t>(at >> 40));
    b.select(0, 0, 0);
  }
  uint32_t word(uint64_t at) {
    uint32_t value = 0;
    EXPECT_TRUE(b.memory.read_value(at, &value));
    return value;
  }
  uint32_t mqd(const char* name) { return word(queue.mqd + 4 * b.dwords.at(name)); }
  void set(const char* name, uint64_t value) {
    EXPECT_TRUE(
        b.memory.write_value(queue.mqd + 4 * b.dwords.at(name), static_cast<uint32_t>(value)));
  }
  struct Work {
    uint64_t signal = 0, out = 0;
    uint32_t groups = 0, rounds = 0;
  };
  Work start(uint32_t groups = kGroups, uint32_t rounds = kRounds, bool barrier = true,
             bool rings = true) {
    Work w;
    w.groups = groups;
    w.rounds = rounds;
    w.out = *b.memory.allocate(4 * groups * save_kernel::kGroupItems);
    w.signal = hsa::Signal::create(b.memory, 1)->handle();
    const uint64_t kernarg = *b.memory.allocate(16);
    EXPECT_TRUE(b.memory.write_value(kernarg, w.out));
    EXPECT_TRUE(b.memory.write_value(kernarg + 8, rounds));
    const uint64_t kernel = b.load_kernel(
        save_kernel::descriptor(), {std::begin(save_kernel::kCode), std::end(save_kernel::kCode)});
    auto p = Bench<G>::packet(kernel, kernarg, w.signal, groups * save_kernel::kGroupItems,
                              save_kernel::kGroupItems);
    p.group_segment_size = save_kernel::kGroupBytes;
    p.header = hsa::encode({hsa::PacketType::KernelDispatch, barrier, hsa::FenceScope::System,
                            hsa::FenceScope::System});
    const uint64_t index = *queue.ring->submit(&p);
    if (rings) b.ring(queue.doorbell, index);
    return w;
  }
  bool done(const Work& w) { return *hsa::Signal(b.memory, w.signal).load() == 0; }
  void check(const Work& w) {
    for (uint32_t g = 0; g < w.groups; ++g) {
      const auto expected = save_kernel::expected(g, w.rounds);
      for (uint32_t i = 0; i < save_kernel::kGroupItems; ++i) {
        ASSERT_EQ(word(w.out + 4 * (g * save_kernel::kGroupItems + i)), expected[i])
            << "work-group " << g << " item " << i;
      }
    }
  }
  void dequeue(uint32_t request) {
    b.select(queue.me, queue.pipe, queue.queue);
    b.write(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, request);
    b.until([&] { return (b.read(CUVETTE_REG_CP_HQD_ACTIVE) & 1) == 0; }, "leaving");
    b.select(0, 0, 0);
  }
  uint32_t saved_groups() {
    return mqd("cp_hqd_cntl_stack_offset") == kStackBytes
               ? 0
               : word(queue.mqd + 4096 + mqd("cp_hqd_cntl_stack_offset") + 4 * (8 + 3));
  }
};

/// A kernel is stopped again and again, others run in its place, and its result is as if it had
/// been alone.
template <class G>
void preempted(Bench<G>& b) {
  b.start();
  Saving<G> s(b);
  b.activate(s.queue);
  const auto w = s.start();
  auto other = b.make_queue(1, 1, 2, 33);
  for (unsigned turn = 0; turn < 5; ++turn) {
    sc_core::wait(10 + turn * 3, sc_core::SC_US);
    s.dequeue(3);
    ASSERT_EQ(*hsa::Signal(b.memory, w.signal).load(), 1) << "stopped in the middle";
    EXPECT_EQ(s.mqd("cp_hqd_active"), 0u);
    EXPECT_EQ(s.mqd("cp_mqd_readindex_lo"), 0u);
    EXPECT_GT(s.saved_groups(), 0u);
    EXPECT_EQ(s.mqd("cp_hqd_wg_state_offset") % 4096, 0u);
    EXPECT_GE(s.mqd("cp_hqd_wg_state_offset"), s.saved_groups() * 2 * save_kernel::kWaveBytes);
    b.select(s.queue.me, s.queue.pipe, s.queue.queue);
    EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_CNTL_STACK_OFFSET), s.mqd("cp_hqd_cntl_stack_offset"));
    EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_WG_STATE_OFFSET), s.mqd("cp_hqd_wg_state_offset"));
    b.select(0, 0, 0);
    EXPECT_TRUE(b.gpu->wave_report().empty()) << "no wave is left";
    // Another queue has the machine meanwhile; the LDS and registers are its.
    b.activate(other);
    const auto between = b.submit(other, 3 + turn, 7);
    b.ring(other.doorbell, between.index);
    b.until([&] { return b.done(between); }, "the kernel in its place");
    b.check(between);
    b.remove(other);
    // Into another slot every time.
    s.queue.pipe = turn % 4;
    s.queue.queue = 3 + turn % 3;
    b.activate(s.queue);
  }
  b.until([&] { return s.done(w); }, "the end");
  s.check(w);
  // Nothing is saved of a queue that does nothing.
  s.dequeue(3);
  EXPECT_EQ(s.mqd("cp_hqd_cntl_stack_offset"), kStackBytes);
  EXPECT_EQ(s.mqd("cp_hqd_wg_state_offset"), 0u);
  EXPECT_EQ(s.mqd("cp_mqd_readindex_lo"), 1u);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

/// Only registers are polled: the lookahead of an engine may show in memory. The data that the
/// handlers have stored goes into the log.
void timed(Bench<Gpu>& b) {
  b.start();
  Saving<Gpu> s(b);
  b.activate(s.queue);
  const auto w = s.start();
  for (unsigned turn = 0; turn < 3; ++turn) {
    sc_core::wait(12 + turn * 4, sc_core::SC_US);
    s.dequeue(3);
    EXPECT_GT(s.saved_groups(), 0u);
    for (uint32_t at = s.mqd("cp_hqd_cntl_stack_offset"); at < kStackBytes; at += 4) {
      b.log.push_back(s.word(s.queue.mqd + 4096 + at));
    }
    uint64_t hash = 0;
    for (uint32_t at = 0; at < s.mqd("cp_hqd_wg_state_offset"); at += 4) {
      hash = hash * 0x100000001b3 + s.word(s.area + at);
    }
    b.log.push_back(hash);
    b.activate(s.queue);
  }
  s.dequeue(1);
  EXPECT_TRUE(s.done(w));
  s.check(w);
}

/// Several kernels beside each other, and packets that wait behind them.
template <class G>
void several(Bench<G>& b) {
  b.start();
  Saving<G> s(b);
  b.activate(s.queue);
  std::vector<typename Saving<G>::Work> all;
  all.push_back(s.start(40, 200, false));
  all.push_back(s.start(3, 40, false));
  all.push_back(s.start(40, 100, false));
  all.push_back(s.start(5, 50, true));
  for (unsigned turn = 0; turn < 4; ++turn) {
    sc_core::wait(15, sc_core::SC_US);
    s.dequeue(3);
    b.activate(s.queue);
  }
  b.ring(s.queue.doorbell, 4);
  b.until([&] { return s.done(all[3]); }, "the end");
  for (const auto& w : all) {
    EXPECT_TRUE(s.done(w));
    s.check(w);
  }
  b.until(
      [&] {
        return wide(b, s.queue.ring->address() + offsetof(hsa::AmdQueue, read_dispatch_id)) == 4;
      },
      "the read index");
  s.dequeue(1);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

/// The kernel queue saves what it takes away.
template <class G>
void unmapped(Bench<G>& b) {
  b.start();
  Saving<G> s(b);
  Ring<G> k(b, 2, 0, 0, 12, 0);
  b.write(CUVETTE_REG_RLC_CP_SCHEDULERS, 0x80 | 2 << 5);
  b.activate(k.slot);
  const uint64_t fence = *b.memory.allocate(8);
  uint64_t step = 0;
  const auto run = [&](const Words& words) {
    k.put(b, words);
    k.put(b, packet(0xa4, {1u << 30, 0, low(fence), high(fence), low(++step), 0}));
    k.ring(b);
    b.until([&] { return wide(b, fence) == step; }, "the kernel queue");
  };
  const Words map = packet(0xa2, {1u << 29 | kVmid << 8 | 5 << 13 | 1 << 16, 20 * 2 << 2,
                                  low(s.queue.mqd), high(s.queue.mqd), 0, 0});
  const Words unmap = packet(0xa3, {1u << 29, 20 * 2 << 2, 0, 0, 0});
  run(map);
  const auto w = s.start();
  for (unsigned turn = 0; turn < 2; ++turn) {
    sc_core::wait(20, sc_core::SC_US);
    run(unmap);
    EXPECT_FALSE(s.done(w));
    EXPECT_GT(s.saved_groups(), 0u);
    run(map);
  }
  b.until([&] { return s.done(w); }, "the end");
  s.check(w);
  run(unmap);
  b.remove(k.slot);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

/// Three processes, one VMID: they take turns.
template <class G>
void oversubscribed(Bench<G>& b) {
  b.start();
  Ring<G> k(b, 2, 0, 0, 12, 0);
  b.write(CUVETTE_REG_RLC_CP_SCHEDULERS, 0x80 | 2 << 5);
  b.activate(k.slot);
  const uint64_t fence = *b.memory.allocate(8);
  uint64_t step = 0;
  const auto run = [&](const Words& words) {
    k.put(b, words);
    k.put(b, packet(0xa4, {1u << 30, 0, low(fence), high(fence), low(++step), 0}));
    k.ring(b);
    b.until([&] { return wide(b, fence) == step; }, "the kernel queue");
  };
  std::vector<std::unique_ptr<Saving<G>>> all;
  std::vector<typename Saving<G>::Work> work;
  Words list;
  for (uint32_t i = 0; i < 3; ++i) {
    all.push_back(std::make_unique<Saving<G>>(b, 1 + i, 20 + i));
    work.push_back(all[i]->start(10 + i, 300 + 50 * i, true, false));
    Words process(15);
    process[0] = (0x71 + i) | 1u << 25;
    process[3] = 0x00010002;
    process[4] = 3u << CUVETTE_REG_SH_MEM_CONFIG__ALIGNMENT_MODE__SHIFT;
    process[5] = low(all[i]->handler >> 8);
    process[6] = high(all[i]->handler >> 8);
    const uint64_t mqd = all[i]->queue.mqd;
    for (const Words& w :
         {packet(0xa1, process),
          packet(0xa2, {1u << 29 | 1 << 4, (20 + i) * 2 << 2, low(mqd), high(mqd), 0, 0})}) {
      list.insert(list.end(), w.begin(), w.end());
    }
  }
  all[0]->trap_handler(0);  // each process brings its own
  const auto size = static_cast<uint32_t>(list.size() + 4);
  const uint64_t at = *b.memory.allocate(4 * size);
  for (const uint32_t w :
       packet(0xa5, {low(at), high(at), size | 1u << 20 | 1u << 23 | 3u << 24})) {
    list.push_back(w);
  }
  ASSERT_TRUE(b.memory.write(at, list.data(), 4 * list.size()));
  run(packet(0xa0, {1u << kVmid, 1u << 1, 0, 0, 0, 0, 0}));
  run(packet(0xa5, {low(at), high(at), size | 1u << 23 | 3u << 24}));
  // Queue that has the slot; one that loses it before its end has been saved.
  std::array<unsigned, 3> saves{};
  std::array<bool, 3> was{};
  const auto look = [&] {
    b.select(1, 0, 1);
    const uint32_t mqd = b.read(CUVETTE_REG_CP_MQD_BASE_ADDR);
    const bool active = (b.read(CUVETTE_REG_CP_HQD_ACTIVE) & 1) != 0;
    b.select(0, 0, 0);
    for (unsigned p = 0; p < 3; ++p) {
      const bool is = active && mqd == low(all[p]->queue.mqd);
      if (was[p] && !is && !all[p]->done(work[p]) && all[p]->saved_groups() != 0) ++saves[p];
      was[p] = is;
    }
  };
  for (unsigned i = 0; i < 3; ++i) {
    b.until(
        [&] {
          look();
          return all[i]->done(work[i]);
        },
        "a process");
    all[i]->check(work[i]);
  }
  for (const unsigned times : saves) EXPECT_GE(times, 2u) << "out in the middle, and again";
  run(packet(0xa5, {0, 0, 1u << 23}));  // an empty one
  b.remove(k.slot);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

/// Without what saving needs a queue drains, and says so.
template <class G>
void drained(Bench<G>& b) {
  b.start();
  Saving<G> s(b);
  const auto expect_drain = [&](const char* what, const std::string& report) {
    b.activate(s.queue);
    const auto w = s.start(8, 30);
    b.until([&] { return b.gpu->wave_report().size() == 16; }, "its waves");
    s.dequeue(3);
    EXPECT_TRUE(s.done(w)) << what;
    s.check(w);
    const auto reports = b.gpu->take_register_reports();
    if (report.empty()) {
      EXPECT_TRUE(reports.empty()) << what;
      EXPECT_EQ(s.mqd("cp_hqd_cntl_stack_offset"), kStackBytes) << what;
      return;
    }
    ASSERT_EQ(reports.size(), 1u) << what;
    EXPECT_NE(reports[0].find(report), std::string::npos) << reports[0];
  };
  s.set("cp_hqd_persistent_state", 0x0be05301);
  expect_drain("no switching", "QSWITCH_MODE");
  s.set("cp_hqd_persistent_state", kSwitch);
  s.set("cp_hqd_ctx_save_size", 0);
  expect_drain("no area", "CTX_SAVE");
  s.set("cp_hqd_ctx_save_size", 4096);
  expect_drain("an area without room", "");
  s.set("cp_hqd_ctx_save_size", kAreaBytes);
  s.set("cp_hqd_cntl_stack_size", 0);
  expect_drain("no control stack", "control stack");
  s.set("cp_hqd_cntl_stack_size", kStackBytes);
  s.set("cp_hqd_cntl_stack_offset", kStackBytes + 4);
  expect_drain("a control stack that begins behind its end", "CNTL_STACK_OFFSET");
  s.set("cp_hqd_cntl_stack_offset", kStackBytes);
  s.trap_handler(0);
  expect_drain("no trap handler", "trap handler");
  s.trap_handler(s.handler);
  // An area that is not there: the handler's stores fault, and the queue stops.
  s.set("cp_hqd_ctx_save_base_addr_lo", low(kUnmapped));
  s.set("cp_hqd_ctx_save_base_addr_hi", high(kUnmapped));
  b.activate(s.queue);
  const auto lost = s.start();
  sc_core::wait(10, sc_core::SC_US);
  s.dequeue(3);
  EXPECT_FALSE(s.done(lost));
  EXPECT_NE(*hsa::Signal(b.memory, s.queue.inactive).load() & hsa::kQueueErrorMemoryFault, 0);
}

/// A control stack that nobody wrote.
template <class G>
void forged(Bench<G>& b) {
  b.start();
  Saving<G> s(b);
  s.set("cp_hqd_cntl_stack_offset", kStackBytes - 256);
  b.activate(s.queue);
  const hsa::Signal inactive(b.memory, s.queue.inactive);
  b.until([&] { return *inactive.load() != 0; }, "the error");
  EXPECT_EQ(*inactive.load(), int64_t{hsa::kQueueErrorPacket});
  s.dequeue(1);
}

TEST(SaveOfGpu, AKernelGoesOnAfterOthers) {
  Bench<Gpu>::go(preempted<Gpu>, false, four_units);
}
TEST(SaveOfLtGpu, AKernelGoesOnAfterOthers) {
  Bench<LtGpu>::go(preempted<LtGpu>, false, four_units);
}
TEST(SaveOfGpu, KernelsBesideEachOtherGoOn) {
  Bench<Gpu>::go(several<Gpu>, false, four_units);
}
TEST(SaveOfLtGpu, KernelsBesideEachOtherGoOn) {
  Bench<LtGpu>::go(several<LtGpu>, false, four_units);
}
TEST(SaveOfGpu, TheKernelQueuePreempts) {
  Bench<Gpu>::go(unmapped<Gpu>, false, four_units);
}
TEST(SaveOfLtGpu, TheKernelQueuePreempts) {
  Bench<LtGpu>::go(unmapped<LtGpu>, false, four_units);
}
TEST(SaveOfGpu, ProcessesShareAVmidInTurn) {
  Bench<Gpu>::go(oversubscribed<Gpu>, false, four_units);
}
TEST(SaveOfLtGpu, ProcessesShareAVmidInTurn) {
  Bench<LtGpu>::go(oversubscribed<LtGpu>, false, four_units);
}
TEST(SaveOfGpu, WithoutASetUpQueuesDrain) {
  Bench<Gpu>::go(drained<Gpu>, false, four_units);
}
TEST(SaveOfLtGpu, WithoutASetUpQueuesDrain) {
  Bench<LtGpu>::go(drained<LtGpu>, false, four_units);
}
TEST(SaveOfGpu, AForgedControlStackStopsTheQueue) {
  Bench<Gpu>::go(forged<Gpu>, false, four_units);
}
TEST(SaveOfLtGpu, AForgedControlStackStopsTheQueue) {
  Bench<LtGpu>::go(forged<LtGpu>, false, four_units);
}
TEST(SaveOfGpu, CyclesDoNotDependOnTheOrderOfDomains) {
  expect_same_in_any_order(timed, 3, 100);
}

}  // namespace
}  // namespace cuvette::gpu
