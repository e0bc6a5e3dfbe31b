// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Doorbells rung by stores of waves, on both SystemC engines.
#include "pm4_bench.h"

namespace cuvette::gpu {
namespace {

constexpr uint64_t kAperture = 0x7e0000000000;  // nothing is mapped there
constexpr uint64_t kMegabytes2 = 0x200000;

// Stores the 64 bits behind the address to the address; both are in the kernarg segment. gfx908,
// assembled with llvm-mc 19.
const Words kStore = {
    0xc00a0100, 0x00000000,  // s_load_dwordx4 s[4:7], s[0:1], 0x0
    0x7e000280,              // v_mov_b32 v0, 0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0x7e040206,              // v_mov_b32 v2, s6
    0x7e060207,              // v_mov_b32 v3, s7
    0xdc748000, 0x00040200,  // global_store_dwordx2 v0, v[2:3], s[4:5]
    0xbf8c0f70,              // s_waitcnt vmcnt(0)
    0xbf810000,              // s_endpgm
};

/// One work-item, as every lane that stores rings, stores `value` to `address`.
template <class G>
uint64_t store(Bench<G>& b, typename Bench<G>::UserQueue& q, uint64_t address, uint64_t value) {
  return dispatch(b, q, kStore, {address, value}, 1, 1);
}

template <class G>
void moving_rings(Bench<G>& b) {
  b.start();
  b.write(CUVETTE_REG_CUVETTE_DOORBELL_APERTURE,
          static_cast<uint32_t>(kAperture / kMegabytes2) | 1u << 31);
  const auto over = [&](uint64_t signal) { return *hsa::Signal(b.memory, signal).load() == 0; };
  auto first = b.make_queue(1, 0, 1, 20);
  auto second = b.make_queue(1, 0, 2, 21);
  b.activate(first);
  b.activate(second);
  sc_core::wait(20, sc_core::SC_US);  // queues look once by themselves
  // A packet nobody has told of, until a wave does.
  const auto work = b.submit(second, 3, 1);
  sc_core::wait(20, sc_core::SC_US);
  EXPECT_FALSE(b.done(work));
  const uint64_t told = store(b, first, kAperture + 8 * 21, work.index);
  b.until([&] { return over(told); }, "the store");
  b.until([&] { return b.done(work); }, "the packet behind the doorbell");
  b.check(work);
  b.select(1, 0, 2);
  EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_PQ_WPTR_LO), 16 * work.index);
  EXPECT_NE(b.read(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL) &
                CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_HIT__MASK,
            0u);
  b.select(0, 0, 0);
  // A ring of PM4 packets: the value is its write pointer.
  Ring<G> r(b, 1, 2, 3, 40);
  b.activate(r.slot);
  sc_core::wait(20, sc_core::SC_US);
  const uint64_t fence = *b.memory.allocate(8);
  r.put(b, release(fence, 7, 0));
  store(b, first, kAperture + 8 * 40, r.write);
  b.until([&] { return wide(b, fence) == 7; }, "the ring's packet");
  // A doorbell of no queue.
  sc_core::wait(20, sc_core::SC_US);  // interrupts of what was done
  b.take_entries();
  b.heard.clear();
  store(b, first, kAperture + 8 * 50, 99);
  b.until([&] { return !b.heard.empty(); }, "the interrupt");
  const auto entries = b.take_entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].source(), 200u);
  EXPECT_EQ(entries[0].words[4], 100u);
  EXPECT_EQ(entries[0].words[5], 99u);
  // Without the aperture the address is nothing.
  b.write(CUVETTE_REG_CUVETTE_DOORBELL_APERTURE, 0);
  store(b, first, kAperture + 8 * 21, 1);
  b.until([&] { return *hsa::Signal(b.memory, first.inactive).load() != 0; }, "the fault");
  EXPECT_EQ(*hsa::Signal(b.memory, first.inactive).load(), int64_t{hsa::kQueueErrorMemoryFault});
  EXPECT_EQ(b.gpu->take_errors().size(), 1u);
  b.remove(first);
  b.remove(second);
  b.remove(r.slot);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

/// The aperture comes to lie over memory that waves have stored to, and goes away again.
template <class G>
void rings_over_memory(Bench<G>& b) {
  b.start();
  hsa::DeviceMemory::Options aligned;
  aligned.alignment = kMegabytes2;
  const uint64_t place = *b.memory.allocate(kMegabytes2, aligned);
  auto first = b.make_queue(1, 0, 1, 20);
  auto second = b.make_queue(1, 0, 2, 21);
  b.activate(first);
  b.activate(second);
  sc_core::wait(20, sc_core::SC_US);
  const auto stored = [&](uint64_t value) {
    const uint64_t told = store(b, first, place + 8 * 21, value);
    b.until([&] { return *hsa::Signal(b.memory, told).load() == 0; }, "the store");
  };
  stored(5);
  stored(6);
  EXPECT_EQ(wide(b, place + 8 * 21), 6u);
  const uint32_t there = static_cast<uint32_t>(place / kMegabytes2) | 1u << 31;
  for (unsigned round = 0; round < 2; ++round) {
    b.write(CUVETTE_REG_CUVETTE_DOORBELL_APERTURE, there);
    const auto work = b.submit(second, 3, 1);
    stored(work.index);
    stored(work.index);  // the first one asks for a pointer
    b.until([&] { return b.done(work); }, "the packet behind the doorbell");
    b.check(work);
    b.write(CUVETTE_REG_CUVETTE_DOORBELL_APERTURE, 0);
    EXPECT_EQ(wide(b, place + 8 * 21), 6u + round) << "no doorbell reaches memory";
    stored(7 + round);
    EXPECT_EQ(wide(b, place + 8 * 21), 7u + round);
  }
  b.remove(first);
  b.remove(second);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

TEST(DoorbellsOfGpu, LieOverMemory) {
  Bench<Gpu>::go(rings_over_memory<Gpu>);
}
TEST(DoorbellsOfLtGpu, LieOverMemory) {
  Bench<LtGpu>::go(rings_over_memory<LtGpu>);
}
TEST(DoorbellsOfGpu, StoresOfWavesRing) {
  Bench<Gpu>::go(moving_rings<Gpu>);
}
TEST(DoorbellsOfLtGpu, StoresOfWavesRing) {
  Bench<LtGpu>::go(moving_rings<LtGpu>);
}
TEST(DoorbellsOfGpu, NothingDependsOnLookaheadOrOrderOfProcesses) {
  expect_same_in_any_order(moving_rings<Gpu>, 3, 5);
}

}  // namespace
}  // namespace cuvette::gpu
