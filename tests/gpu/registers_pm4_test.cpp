// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A driver against both SystemC engines: rings of PM4 packets, grids from registers, the kernel
// queue, waves that are reset, halted and looked at.
#include "pm4_bench.h"

namespace cuvette::gpu {
namespace {

constexpr uint32_t kSetHalt = 0xbf8d0001;

template <class G>
void rings(Bench<G>& b) {
  b.start();
  Ring<G> r(b, 1, 2, 3, 40);
  const uint64_t fence = *b.memory.allocate(16);
  b.activate(r.slot);
  uint32_t events = 0;
  const auto finish = [&](const char* what) {
    ++events;
    r.put(b, release(fence, events, 500 + events));
    r.ring(b);
    b.until([&] { return wide(b, fence) == events; }, what);
  };
  // Two full work-groups by registers.
  Program<G> p(b, 3);
  r.put(b, p.state());
  r.put(b, packet(0x15, {2, 1, 1, 1}));
  finish("a grid");
  p.check(b, 0, 128);
  // The last work-group has 20 of 64 work-items; START leaves the first one out, DIM is the end.
  Program<G> q(b, 5);
  r.put(b, q.state(20u << 16 | 64));
  r.put(b, set_sh(CUVETTE_REG_COMPUTE_START_X, {1}));
  r.put(b, packet(0x15, {4, 1, 1, 1 | 1 << 1}));
  finish("a part of a grid");
  q.check(b, 64, 3 * 64 + 20);
  // In work-items, from 0 on; sizes from memory.
  Program<G> s(b, 7);
  const uint64_t sizes = *b.memory.allocate(12);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(b.memory.write_value(sizes + 4 * i, i == 0 ? 150u : 1u));
  }
  r.put(b, s.state());
  r.put(b, packet(0x16, {low(sizes), high(sizes), 1 | 1 << 2 | 1 << 5}));
  finish("an indirect grid");
  s.check(b, 0, 150);
  // Around the ring several times.
  for (uint32_t i = 0; i < 20; ++i) {
    Program<G> t(b, 11 + i);
    r.put(b, t.state());
    r.put(b, packet(0x15, {1, 1, 1, 1 | 1 << 2}));
    finish("another grid");
    t.check(b, 0, 64);
  }
  EXPECT_GT(r.write, 2 * kRingDwords);
  b.until([&] { return b.heard.size() == events; }, "interrupts");
  const auto entries = b.take_entries();
  ASSERT_EQ(entries.size(), events);
  for (uint32_t i = 0; i < events; ++i) {
    EXPECT_EQ(entries[i].source(), 181u);
    EXPECT_EQ(entries[i].words[4], 501 + i);
    EXPECT_EQ(entries[i].vmid(), kVmid);
  }
  // Pointers: the place in the ring, the count.
  b.select(1, 2, 3);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_PQ_RPTR), r.write % kRingDwords);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_PQ_WPTR_LO), r.write);
  EXPECT_EQ(static_cast<uint32_t>(wide(b, r.report)), r.write % kRingDwords);
  EXPECT_EQ(b.read(CUVETTE_REG_COMPUTE_NUM_THREAD_X), 64u);
  b.select(0, 0, 0);
  // Away and back: it goes on there.
  b.remove(r.slot);
  Program<G> u(b, 99);
  r.put(b, u.state());
  r.put(b, packet(0x15, {1, 1, 1, 1 | 1 << 2}));
  r.put(b, release(fence, ++events, 0));
  b.activate(r.slot);
  r.ring(b);
  b.until([&] { return wide(b, fence) == events; }, "a grid after coming back");
  u.check(b, 0, 64);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
  // A write pointer by register instead of the doorbell, then a bad packet.
  r.put(b, release(fence, ++events, 0));
  b.select(1, 2, 3);
  b.write(CUVETTE_REG_CP_HQD_PQ_WPTR_LO, low(r.write));
  b.until([&] { return wide(b, fence) == events; }, "the write pointer");
  b.until([&] { return b.heard.size() == events; }, "its interrupt");
  b.take_entries();
  r.put(b, packet(0xfe, {0}));
  r.ring(b);
  b.until([&] { return b.heard.size() == events + 1; }, "the bad packet");
  sc_core::wait(1, sc_core::SC_US);
  b.read(CUVETTE_REG_GRBM_STATUS);
  EXPECT_EQ(b.gpu->take_register_reports().size(), 1u);
  const auto bad = b.take_entries();
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_EQ(bad[0].source(), 183u);
  EXPECT_EQ(bad[0].words[4], 80u | hsa::kQueueErrorVendorPacket << 10);
  b.select(1, 2, 3);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_PQ_RPTR), (r.write - 2) % kRingDwords) << "before it";
  b.remove(r.slot);
}

template <class G>
void registers_alone(Bench<G>& b) {
  b.start();
  Program<G> p(b, 6);
  b.select(1, 3, 7, 0);
  b.write(CUVETTE_REG_COMPUTE_PGM_LO, low(p.entry >> 8));
  b.write(CUVETTE_REG_COMPUTE_PGM_HI, high(p.entry >> 8));
  b.write(CUVETTE_REG_COMPUTE_PGM_RSRC1, kRsrc1);
  b.write(CUVETTE_REG_COMPUTE_PGM_RSRC2, kRsrc2);
  b.write(CUVETTE_REG_COMPUTE_NUM_THREAD_X, 64);
  b.write(CUVETTE_REG_COMPUTE_NUM_THREAD_Y, 1);
  b.write(CUVETTE_REG_COMPUTE_NUM_THREAD_Z, 1);
  b.write(CUVETTE_REG_COMPUTE_USER_DATA_0, low(p.kernarg));
  b.write(CUVETTE_REG_COMPUTE_USER_DATA_1, high(p.kernarg));
  b.write(CUVETTE_REG_COMPUTE_VMID, kVmid);
  b.write(CUVETTE_REG_COMPUTE_DIM_X, 2);
  b.write(CUVETTE_REG_COMPUTE_DIM_Y, 1);
  b.write(CUVETTE_REG_COMPUTE_DIM_Z, 0);
  b.write(CUVETTE_REG_COMPUTE_DISPATCH_INITIATOR, 1);
  sc_core::wait(20, sc_core::SC_US);
  p.check(b, 0, 0);  // no work-group in z
  b.write(CUVETTE_REG_COMPUTE_DIM_Z, 1);
  b.write(CUVETTE_REG_COMPUTE_DISPATCH_INITIATOR, 0);
  sc_core::wait(20, sc_core::SC_US);
  p.check(b, 0, 0);  // no shader
  b.write(CUVETTE_REG_COMPUTE_DISPATCH_INITIATOR, 1);
  EXPECT_NE(b.read(CUVETTE_REG_GRBM_STATUS), 0u);
  b.until([&] { return b.read(CUVETTE_REG_GRBM_STATUS) == 0; }, "the grid");
  // Nobody has written the L2 back: by a queue, as a driver would.
  Ring<G> r(b, 1, 0, 0, 10);
  const uint64_t fence = *b.memory.allocate(8);
  b.activate(r.slot);
  r.put(b, release(fence, 1, 0));
  r.ring(b);
  b.until([&] { return wide(b, fence) == 1; }, "the write-back");
  p.check(b, 0, 128);
  b.take_entries();
  // A grid that no compute unit takes: 1025 work-items in a work-group.
  b.select(1, 3, 7, 0);
  b.write(CUVETTE_REG_COMPUTE_NUM_THREAD_X, 1025);
  b.write(CUVETTE_REG_COMPUTE_DISPATCH_INITIATOR, 1);
  b.until([&] { return !b.heard.empty() && b.heard.back().source != 0; }, "the refusal");
  EXPECT_EQ(b.heard.back().source, hsa::kQueueErrorDispatch);
  const auto entries = b.take_entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].source(), 183u);
  EXPECT_EQ(entries[0].vmid(), kVmid);
  EXPECT_EQ(entries[0].ring(), 3u | 1 << 2 | 7 << 4) << "the slot";
  b.remove(r.slot);
}

/// A kernel queue in micro engine 2.
template <class G>
Ring<G> kernel_queue(Bench<G>& b) {
  Ring<G> k(b, 2, 0, 0, 12, 0);
  b.write(CUVETTE_REG_RLC_CP_SCHEDULERS, 0x80 | 2 << 5);
  b.activate(k.slot);
  return k;
}

template <class G>
void kernel_queues(Bench<G>& b) {
  b.start();
  Ring<G> k = kernel_queue(b);
  const uint64_t fence = *b.memory.allocate(8);
  uint64_t step = 0;
  const auto run = [&](const Words& words, const char* what) {
    k.put(b, words);
    // QUERY_STATUS with fence and interrupt.
    ++step;
    k.put(b, packet(0xa4, {3u << 30 | static_cast<uint32_t>(700 + step), 0, low(fence), high(fence),
                           low(step), high(step)}));
    k.ring(b);
    b.until([&] { return wide(b, fence) == step; }, what);
    for (const auto& r : b.gpu->take_register_reports()) ADD_FAILURE() << what << ": " << r;
  };
  b.select(2, 0, 0);
  b.write(CUVETTE_REG_CPC_INT_CNTL, 0x05003000);  // also query status
  b.select(0, 0, 0);
  // An AQL queue into a named slot; a packet waits for it in the ring already.
  auto q = b.make_queue(1, 1, 5, 33);
  const auto early = b.submit(q, 3, 1);
  run(packet(0xa2,
             {1u << 29 | kVmid << 8 | 5 << 13 | 1 << 16 | 0 << 18, 33 * 2 << 2, low(q.mqd),
              high(q.mqd), low(q.ring->address() + offsetof(hsa::AmdQueue, write_dispatch_id)),
              high(q.ring->address() + offsetof(hsa::AmdQueue, write_dispatch_id))}),
      "mapping");
  b.until([&] { return b.done(early); }, "the packet that waited");
  b.check(early);
  b.select(1, 1, 5);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 1u);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_VMID) & 15, kVmid);
  b.select(0, 0, 0);
  const auto next = b.submit(q, 4, 2);
  b.ring(q.doorbell, next.index);
  b.until([&] { return b.done(next); }, "its doorbell");
  b.check(next);
  // A ring of PM4 packets where there is room among the slots given.
  Ring<G> r(b, 0, 0, 0, 50);
  run(packet(0xa0, {0, 1u << (1 * 8 + 5) | 1u << (3 * 8 + 2), 0, 0, 0, 0, 0}), "resources");
  run(packet(0xa2, {1u << 29 | 1 << 4, 50 * 2 << 2, low(r.slot.mqd), high(r.slot.mqd), low(r.poll),
                    high(r.poll)}),
      "mapping somewhere");
  b.select(1, 3, 2);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 1u) << "the first one is taken";
  b.select(0, 0, 0);
  Program<G> p(b, 8);
  const uint64_t done = *b.memory.allocate(8);
  r.put(b, p.state());
  r.put(b, packet(0x15, {2, 1, 1, 1}));
  r.put(b, release(done, 1, 3));
  r.ring(b);
  b.until([&] { return wide(b, done) == 1; }, "the grid of a mapped ring");
  p.check(b, 0, 128);
  // One leaves by its doorbell, the other by its process.
  run(packet(0xa3, {1u << 29, 33 * 2 << 2, 0, 0, 0}), "unmapping by doorbell");
  b.select(1, 1, 5);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 0u) << "when the fence is there";
  b.select(1, 3, 2);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 1u);
  run(packet(0xa3, {1 << 4, kPasid + 1, 0, 0, 0}), "another process");
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 1u);
  run(packet(0xa3, {1 << 4, kPasid, 0, 0, 0}), "unmapping by process");
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 0u);
  b.select(2, 0, 0);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 1u) << "never itself";
  b.select(0, 0, 0);
  // Mapped again they go on.
  run(packet(0xa2, {1u << 29 | kVmid << 8 | 5 << 13 | 1 << 16, 33 * 2 << 2, low(q.mqd), high(q.mqd),
                    0, 0}),
      "mapping again");
  const auto last = b.submit(q, 9, 4);
  b.ring(q.doorbell, last.index);
  b.until([&] { return b.done(last); }, "after coming back");
  b.check(last);
  unsigned queries = 0;
  for (const auto& e : b.take_entries()) {
    if (e.source() != 199) continue;
    ++queries;
    EXPECT_EQ(e.words[4], 700 + queries);
  }
  EXPECT_EQ(queries, step);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
  // The slot is taken: the kernel queue stops, the others do not. The interrupt of the last packet
  // comes behind its signal.
  sc_core::wait(2, sc_core::SC_US);
  k.put(b,
        packet(0xa2, {1u << 29 | 5 << 13 | 1 << 16, 33 * 2 << 2, low(q.mqd), high(q.mqd), 0, 0}));
  k.ring(b);
  const size_t heard = b.heard.size();
  b.until([&] { return b.heard.size() > heard; }, "the refusal");
  sc_core::wait(1, sc_core::SC_US);
  b.read(CUVETTE_REG_GRBM_STATUS);
  EXPECT_EQ(b.gpu->take_register_reports().size(), 1u);
  const auto after = b.submit(q, 10, 5);
  b.ring(q.doorbell, after.index);
  b.until([&] { return b.done(after); }, "the others go on");
  b.remove(k.slot);
  b.remove(q);
}

template <class G>
void resets(Bench<G>& b) {
  b.start();
  Ring<G> k = kernel_queue(b);
  const uint64_t fence = *b.memory.allocate(8);
  // Waves that never end, more than the machine has slots; half of them wait at a barrier.
  auto q = b.make_queue(1, 0, 1, 20);
  b.activate(q);
  const uint64_t signal = dispatch(b, q, {0xbf82ffff}, {}, 64 * 64);  // s_branch to itself
  sc_core::wait(20, sc_core::SC_US);
  EXPECT_FALSE(b.gpu->wave_report().empty());
  // By register: waves end, the signal stays, the queue is gone.
  b.select(1, 0, 1);
  b.write(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 2);
  b.until([&] { return (b.read(CUVETTE_REG_CP_HQD_ACTIVE) & 1) == 0; }, "the reset");
  b.select(0, 0, 0);
  EXPECT_TRUE(b.gpu->wave_report().empty());
  EXPECT_EQ(*hsa::Signal(b.memory, signal).load(), 1);
  EXPECT_EQ(*hsa::Signal(b.memory, q.inactive).load(), 0);
  EXPECT_TRUE(b.heard.empty());
  EXPECT_TRUE(b.gpu->take_errors().empty());
  // By the kernel queue.
  auto second = b.make_queue(1, 2, 2, 21);
  b.activate(second);
  const uint64_t other = dispatch(b, second, {0xbf82ffff}, {}, 64 * 64);
  sc_core::wait(20, sc_core::SC_US);
  k.put(b, packet(0xa3, {1u << 29 | 1, 21 * 2 << 2, 0, 0, 0}));
  k.put(b, packet(0xa4, {1u << 30, 0, low(fence), high(fence), 77, 0}));
  k.ring(b);
  b.until([&] { return wide(b, fence) == 77; }, "the reset by the kernel queue");
  EXPECT_TRUE(b.gpu->wave_report().empty());
  EXPECT_EQ(*hsa::Signal(b.memory, other).load(), 1);
  // Everything was given back: the machine runs as many waves as before.
  auto third = b.make_queue(1, 0, 1, 22);
  b.activate(third);
  for (uint32_t i = 0; i < 3; ++i) {
    const auto work = b.submit(third, 3 + i, i);
    b.ring(third.doorbell, work.index);
    b.until([&] { return b.done(work); }, "work after the resets");
    b.check(work);
  }
  b.remove(third);
  b.remove(k.slot);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

/// SQ_IND_INDEX, SQ_IND_DATA.
template <class G>
uint32_t look(Bench<G>& b, unsigned simd, unsigned slot, uint32_t index, unsigned lane = 0) {
  b.write(CUVETTE_REG_SQ_IND_INDEX, slot | simd << 4 | lane << 6 | index << 16);
  return b.read(CUVETTE_REG_SQ_IND_DATA);
}

template <class G>
void debuggers(Bench<G>& b) {
  b.start();
  auto q = b.make_queue(1, 0, 0, 20);
  b.activate(q);
  Words code(std::begin(kCode), std::end(kCode));
  code.insert(code.end() - 1, {kSetHalt, 0xb0090077});  // then s_movk_i32 s9, 0x77
  // Without a debugger a wave that halts ends with an error.
  const uint64_t first = dispatch(b, q, {kSetHalt, 0xbf810000}, {}, 64);
  b.until([&] { return *hsa::Signal(b.memory, q.inactive).load() != 0; }, "the error");
  EXPECT_EQ(*hsa::Signal(b.memory, q.inactive).load(), int64_t{hsa::kQueueErrorException});
  EXPECT_EQ(*hsa::Signal(b.memory, first).load(), 1);
  EXPECT_EQ(b.gpu->take_errors().size(), 1u);
  b.remove(q);
  // With one it stays, in sight.
  b.write(CUVETTE_REG_CUVETTE_DEBUGGER, 1);
  auto d = b.make_queue(1, 0, 0, 21);
  b.activate(d);
  const Words probe = {0xb0081234,              // s_movk_i32 s8, 0x1234
                       0x24060082,              // v_lshlrev_b32 v3, 2, v0
                       kSetHalt,   0xb0090077,  // s_movk_i32 s9, 0x77
                       kSetHalt,   0xbf810000};
  const uint64_t signal = dispatch(b, d, probe, {}, 64);
  constexpr uint32_t kStatus = 0x12, kPcLow = 0x18, kPcHigh = 0x19, kHalt = 1u << 13;
  b.until([&] { return (look(b, 0, 0, kStatus) & kHalt) != 0; }, "the halt");
  EXPECT_EQ(look(b, 0, 0, kStatus) >> 16 & 1, 1u) << "valid";
  EXPECT_EQ(look(b, 0, 0, 0x208), 0x1234u);
  EXPECT_EQ(look(b, 0, 0, 0x209), 0u);
  EXPECT_EQ(look(b, 0, 0, 0x27e), 0xffffffffu) << "EXEC";
  EXPECT_EQ(look(b, 0, 0, 0x403, 5), 20u) << "v3 of lane 5";
  EXPECT_EQ(look(b, 0, 0, 0x403, 63), 252u);
  EXPECT_EQ(look(b, 0, 0, 0x14) >> 20 & 15, kVmid);
  EXPECT_EQ(look(b, 0, 0, 0x1a), 0xb0090077u) << "the next instruction";
  EXPECT_EQ(look(b, 0, 0, 0x999), 0u);
  EXPECT_EQ(look(b, 1, 0, kStatus), 0u) << "no wave there";
  const uint64_t pc = uint64_t{look(b, 0, 0, kPcHigh)} << 32 | look(b, 0, 0, kPcLow);
  uint32_t word = 0;
  EXPECT_TRUE(b.memory.read_value(pc, &word));
  EXPECT_EQ(word, 0xb0090077u) << "behind S_SETHALT";
  // Registers in a row.
  b.write(CUVETTE_REG_SQ_IND_INDEX, 0x208u << 16 | 1 << 12);
  EXPECT_EQ(b.read(CUVETTE_REG_SQ_IND_DATA), 0x1234u);
  EXPECT_EQ(b.read(CUVETTE_REG_SQ_IND_DATA), 0u);
  EXPECT_EQ(b.read(CUVETTE_REG_SQ_IND_INDEX) >> 16, 0x20au);
  // It goes on to the next halt, for its own VMID only.
  const uint32_t resume = 1 | 1 << 4;
  b.write(CUVETTE_REG_SQ_CMD, resume | 1 << 7 | (kVmid + 1) << 28);
  sc_core::wait(10, sc_core::SC_US);
  EXPECT_EQ(look(b, 0, 0, 0x209), 0u) << "another VMID";
  b.write(CUVETTE_REG_SQ_CMD, resume | 1 << 7 | kVmid << 28);
  b.until([&] { return look(b, 0, 0, 0x209) == 0x77; }, "the resumed wave");
  EXPECT_NE(look(b, 0, 0, kStatus) & kHalt, 0u);
  EXPECT_EQ(*hsa::Signal(b.memory, signal).load(), 1);
  EXPECT_FALSE(b.gpu->wave_report().empty());
  b.write(CUVETTE_REG_SQ_CMD, 1 | 0 << 4);  // one wave: SIMD 0, slot 0
  b.until([&] { return *hsa::Signal(b.memory, signal).load() == 0; }, "the end");
  // A running wave is halted from outside, killed, and its dispatch is over.
  const uint64_t endless = dispatch(b, d, {0xbf82ffff}, {}, 64);
  b.until([&] { return look(b, 0, 0, kStatus) != 0; }, "the endless wave");
  b.write(CUVETTE_REG_SQ_CMD, 1 | 1 << 4 | 1 << 8);
  b.until([&] { return (look(b, 0, 0, kStatus) & kHalt) != 0; }, "halted");
  b.write(CUVETTE_REG_SQ_CMD, 3 | 1 << 4);
  b.until([&] { return *hsa::Signal(b.memory, endless).load() == 0; }, "killed");
  // Without a debugger nobody could let it go on.
  dispatch(b, d, {kSetHalt, 0xbf810000}, {}, 64);
  b.until([&] { return (look(b, 0, 0, kStatus) & kHalt) != 0; }, "halted again");
  b.write(CUVETTE_REG_CUVETTE_DEBUGGER, 0);
  b.until([&] { return *hsa::Signal(b.memory, d.inactive).load() != 0; }, "given up");
  b.remove(d);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
  b.write(CUVETTE_REG_SQ_CMD, 5);
  EXPECT_EQ(b.gpu->take_register_reports(), std::vector<std::string>{"SQ_CMD 0x5: not modelled"});
}

TEST(Pm4OfGpu, RingsRunPacketsAndGrids) {
  Bench<Gpu>::go(rings<Gpu>);
}
TEST(Pm4OfLtGpu, RingsRunPacketsAndGrids) {
  Bench<LtGpu>::go(rings<LtGpu>);
}
TEST(Pm4OfGpu, RegistersAloneStartGrids) {
  Bench<Gpu>::go(registers_alone<Gpu>);
}
TEST(Pm4OfLtGpu, RegistersAloneStartGrids) {
  Bench<LtGpu>::go(registers_alone<LtGpu>);
}
TEST(Pm4OfGpu, TheKernelQueueMapsAndUnmaps) {
  Bench<Gpu>::go(kernel_queues<Gpu>);
}
TEST(Pm4OfLtGpu, TheKernelQueueMapsAndUnmaps) {
  Bench<LtGpu>::go(kernel_queues<LtGpu>);
}
TEST(Pm4OfGpu, AResetEndsWavesAndFreesTheMachine) {
  Bench<Gpu>::go(resets<Gpu>);
}
TEST(Pm4OfLtGpu, AResetEndsWavesAndFreesTheMachine) {
  Bench<LtGpu>::go(resets<LtGpu>);
}
TEST(Pm4OfGpu, ADebuggerSeesHaltedWaves) {
  Bench<Gpu>::go(debuggers<Gpu>);
}
TEST(Pm4OfLtGpu, ADebuggerSeesHaltedWaves) {
  Bench<LtGpu>::go(debuggers<LtGpu>);
}
TEST(Pm4OfGpu, NothingDependsOnLookaheadOrOrderOfProcesses) {
  expect_same_in_any_order(kernel_queues<Gpu>, 3, 50);
}

}  // namespace
}  // namespace cuvette::gpu
