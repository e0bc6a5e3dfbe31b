// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A driver against both SystemC engines: queues and grids on the compute units of their masks.
#include <set>

#include "pm4_bench.h"

namespace cuvette::gpu {
namespace {

constexpr unsigned kUnits = 4;
constexpr uint32_t kGroups = 24;

// out[work-group] = HW_REG_HW_ID.CU_ID; gfx908, assembled with llvm-mc 19.
const Words kWhere = {
    0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0
    0xb8861a04,              // s_getreg_b32 s6, hwreg(HW_REG_HW_ID, 8, 4)
    0x8e078202,              // s_lshl_b32 s7, s2, 2
    0x7e020207,              // v_mov_b32 v1, s7
    0x7e040206,              // v_mov_b32 v2, s6
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xdc708000, 0x00040201,  // global_store_dword v1, v2, s[4:5]
    0xbf810000,              // s_endpgm
};

// The same with all of HW_REG_HW_ID.
Words whole_id() {
  Words code = kWhere;
  code[2] = 0xb886f804;
  return code;
}

/// 8 engines of 15 compute units.
void mi100(machine::GpuConfig& d) {
  d = *machine::load_description(CUVETTE_SOURCE_DIR "/config/mi100.yaml");
}

template <class G>
void places(Bench<G>& b) {
  constexpr uint32_t kEach = 15, kEngines = 8, kAll = kEach * kEngines;
  b.start();
  const uint64_t out = *b.memory.allocate(4 * kAll);
  const auto run = [&](typename Bench<G>::UserQueue& q) {
    const uint64_t signal = dispatch(b, q, whole_id(), {out}, 64 * kAll);
    b.until([&] { return *hsa::Signal(b.memory, signal).load() == 0; }, "the grid");
    std::set<std::pair<uint32_t, uint32_t>> found;
    for (uint32_t i = 0; i < kAll; ++i) {
      uint32_t id = 0;
      EXPECT_TRUE(b.memory.read_value(out + 4 * i, &id));
      EXPECT_EQ(id >> 12 & 1, 0u) << "SH_ID";
      found.insert({id >> 13 & 7, id >> 8 & 15});
    }
    return found;
  };
  auto all = b.make_queue(1, 0, 1, 20);
  b.activate(all);
  const auto found = run(all);
  EXPECT_EQ(found.size(), kAll) << "one work-group on each";
  for (const auto& [engine, unit] : found) EXPECT_LT(unit, kEach) << engine;
  b.remove(all);
  // A wave reads the mask of its engine.
  auto masked = b.make_queue(1, 0, 2, 22);
  b.select(1, 0, 2);
  const uint32_t masks[kEngines] = {0, 0, 1u << 14, 0, 0, 0b10, 0, 1u << 14 | 1};
  const uint32_t registers[kEngines] = {
      CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE0, CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE1,
      CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE2, CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE3,
      CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE4, CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE5,
      CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE6, CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE7};
  for (unsigned e = 0; e < kEngines; ++e) b.write(registers[e], masks[e]);
  b.activate(masked);
  EXPECT_EQ(run(masked),
            (std::set<std::pair<uint32_t, uint32_t>>{{2, 14}, {5, 1}, {7, 0}, {7, 14}}));
  b.remove(masked);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

void four_units(machine::GpuConfig& d) {
  d.compute_units = kUnits;
}

template <class G>
std::set<uint32_t> units(Bench<G>& b, uint64_t out) {
  std::set<uint32_t> found;
  for (uint32_t i = 0; i < kGroups; ++i) {
    uint32_t unit = ~0u;
    EXPECT_TRUE(b.memory.read_value(out + 4 * i, &unit));
    EXPECT_LT(unit, kUnits) << "work-group " << i;
    found.insert(unit);
    EXPECT_TRUE(b.memory.write_value(out + 4 * i, ~uint32_t{0}));
  }
  return found;
}

template <class G>
void grids(Bench<G>& b) {
  b.start();
  Ring<G> r(b, 1, 2, 3, 40);
  b.activate(r.slot);
  Program<G> p(b, 0, kWhere);
  const uint64_t fence = *b.memory.allocate(8);
  uint64_t step = 0;
  r.put(b, p.state());
  const auto run = [&](uint32_t mask) {
    r.put(b, set_sh(CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE0, {mask}));
    r.put(b, packet(0x15, {kGroups, 1, 1, 1}));
    r.put(b, release(fence, ++step, 0));
    r.ring(b);
    b.until([&] { return wide(b, fence) == step; }, "a grid");
    return units(b, p.out);
  };
  EXPECT_EQ(run(0xffffffff), (std::set<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(run(0b0101), (std::set<uint32_t>{0, 2}));
  EXPECT_EQ(run(0xffff0008), (std::set<uint32_t>{3})) << "the second array is not there";
  // None is left: the queue stops.
  b.take_entries();
  b.heard.clear();
  r.put(b, set_sh(CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE0, {0xfff0}));
  r.put(b, packet(0x15, {kGroups, 1, 1, 1}));
  r.ring(b);
  b.until([&] { return !b.heard.empty(); }, "the error");
  const auto entries = b.take_entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].source(), 183u);
  EXPECT_EQ(entries[0].words[4], 80u | hsa::kQueueErrorResources << 10);
  b.remove(r.slot);
}

template <class G>
void queues(Bench<G>& b) {
  b.start();
  Ring<G> k(b, 2, 0, 0, 12, 0);
  b.write(CUVETTE_REG_RLC_CP_SCHEDULERS, 0x80 | 2 << 5);
  b.activate(k.slot);
  const uint64_t out = *b.memory.allocate(4 * kGroups);
  const auto value = [&](uint64_t signal) { return *hsa::Signal(b.memory, signal).load(); };
  // One queue by registers, one by the kernel queue: its mask is in the descriptor.
  auto first = b.make_queue(1, 0, 1, 20);
  b.select(1, 0, 1);
  b.write(CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE0, 0b0001);
  b.activate(first);
  auto second = b.make_queue(1, 1, 5, 33);
  EXPECT_TRUE(b.memory.write_value(second.mqd + 4 * b.dwords.at("compute_static_thread_mgmt_se0"),
                                   uint32_t{0b1100}));
  k.put(b, packet(0xa2, {1u << 29 | kVmid << 8 | 5 << 13 | 1 << 16, 33 * 2 << 2, low(second.mqd),
                         high(second.mqd), 0, 0}));
  k.ring(b);
  b.select(1, 1, 5);
  b.until([&] { return (b.read(CUVETTE_REG_CP_HQD_ACTIVE) & 1) != 0; }, "mapping");
  b.select(0, 0, 0);
  const uint64_t one = dispatch(b, first, kWhere, {out}, 64 * kGroups);
  b.until([&] { return value(one) == 0; }, "the first queue");
  EXPECT_EQ(units(b, out), (std::set<uint32_t>{0}));
  // Waves without an end on the units of the second, more than they hold; the first goes on.
  const uint64_t endless =
      dispatch(b, second, {0xbf82ffff}, {}, 64 * kGroups);  // s_branch to itself
  sc_core::wait(5, sc_core::SC_US);
  const uint64_t two = dispatch(b, first, kWhere, {out}, 64 * kGroups);
  b.until([&] { return value(two) == 0; }, "the first beside the second");
  EXPECT_EQ(units(b, out), (std::set<uint32_t>{0}));
  for (const std::string& line : b.gpu->wave_report()) {
    EXPECT_TRUE(line.rfind("compute unit 2 ", 0) == 0 || line.rfind("compute unit 3 ", 0) == 0)
        << line;
  }
  EXPECT_EQ(value(endless), 1);
  b.select(1, 1, 5);
  b.write(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 2);
  b.until([&] { return (b.read(CUVETTE_REG_CP_HQD_ACTIVE) & 1) == 0; }, "the reset");
  // A mask without a compute unit, then one again.
  b.write(CUVETTE_REG_COMPUTE_STATIC_THREAD_MGMT_SE0, 0);
  auto third = b.make_queue(1, 1, 5, 34);
  b.activate(third);
  const uint64_t lost = dispatch(b, third, kWhere, {out}, 64 * kGroups);
  b.until([&] { return value(third.inactive) != 0; }, "the error");
  EXPECT_EQ(value(third.inactive), int64_t{hsa::kQueueErrorResources});
  EXPECT_EQ(value(lost), 1);
  b.remove(third);
  b.write(CUVETTE_REG_GRBM_SOFT_RESET, CUVETTE_REG_GRBM_SOFT_RESET__SOFT_RESET_CP__MASK);
  b.write(CUVETTE_REG_GRBM_SOFT_RESET, 0);
  b.start();
  b.read_pointer = 0;
  auto fourth = b.make_queue(1, 1, 5, 35);
  b.activate(fourth);
  const uint64_t all = dispatch(b, fourth, kWhere, {out}, 64 * kGroups);
  b.until([&] { return value(all) == 0; }, "after a reset");
  EXPECT_EQ(units(b, out), (std::set<uint32_t>{0, 1, 2, 3}));
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

TEST(MasksOfGpu, EveryComputeUnitHasAPlaceOfItsOwn) {
  Bench<Gpu>::go(places<Gpu>, false, mi100);
}
TEST(MasksOfLtGpu, EveryComputeUnitHasAPlaceOfItsOwn) {
  Bench<LtGpu>::go(places<LtGpu>, false, mi100);
}
TEST(MasksOfGpu, GridsStayOnTheirComputeUnits) {
  Bench<Gpu>::go(grids<Gpu>, false, four_units);
}
TEST(MasksOfLtGpu, GridsStayOnTheirComputeUnits) {
  Bench<LtGpu>::go(grids<LtGpu>, false, four_units);
}
TEST(MasksOfGpu, QueuesStayOnTheirComputeUnits) {
  Bench<Gpu>::go(queues<Gpu>, false, four_units);
}
TEST(MasksOfLtGpu, QueuesStayOnTheirComputeUnits) {
  Bench<LtGpu>::go(queues<LtGpu>, false, four_units);
}

}  // namespace
}  // namespace cuvette::gpu
