// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A driver against both SystemC engines: VMIDs with page tables of their own in memory. Entries are
// written out by the format that tests/gpu/vm_contexts_test.cpp names.
#include "pm4_bench.h"

namespace cuvette::gpu {
namespace {

constexpr uint64_t kValid = 1, kExecute = 16, kRead = 32, kWrite = 64;
constexpr uint64_t kAll = kValid | kExecute | kRead | kWrite;
constexpr uint64_t kPage = uint64_t{1} << 54;
constexpr uint64_t kWindow = 0x700000000000;  // where both VMIDs have their results
constexpr uint32_t kVmids[] = {kVmid, kVmid + 1};

/// The first 64 GiB as the host sees them, and a window of two pages: one of results, one of the
/// same bytes that may only be read.
template <class G>
struct Tables {
  uint64_t root = 0, window = 0, results = 0;

  explicit Tables(Bench<G>& b) {
    const auto page = [&b] {
      hsa::DeviceMemory::Options options;
      options.alignment = 4096;
      return *b.memory.allocate(4096, options);
    };
    root = page();
    results = page();
    window = page();
    const uint64_t low_directory = page(), high_directory = page(), last_directory = page();
    const auto put = [&b](uint64_t table, unsigned index, uint64_t entry) {
      EXPECT_TRUE(b.memory.write_value(table + 8 * index, entry));
    };
    put(root, 0, low_directory | kValid);
    for (unsigned i = 0; i < 64; ++i) put(low_directory, i, uint64_t{i} << 30 | kAll | kPage);
    put(root, kWindow >> 39, high_directory | kValid);
    put(high_directory, 0, last_directory | kValid);
    put(last_directory, 0, window | kValid);
    put(window, 0, results | kValid | kRead | kWrite);
    put(window, 1, results | kValid | kRead);
  }
  void use(Bench<G>& b, uint32_t vmid) const {
    const uint32_t pair = 8 * vmid;
    b.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32 + pair, low(root | kValid));
    b.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32 + pair, high(root));
    b.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32 + pair, 0);
    b.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32 + pair, 0);
    b.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32 + pair, 0xffffffff);
    b.write(CUVETTE_REG_VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32 + pair, 7);  // 47 bits of address
    b.write(CUVETTE_REG_VM_CONTEXT0_CNTL + 4 * vmid,
            CUVETTE_REG_VM_CONTEXT0_CNTL__RESET | 1 |
                3u << CUVETTE_REG_VM_CONTEXT0_CNTL__PAGE_TABLE_DEPTH__SHIFT);
  }
};

template <class G>
uint32_t word(Bench<G>& b, uint64_t at) {
  uint32_t value = 0;
  EXPECT_TRUE(b.memory.read_value(at, &value));
  return value;
}

/// A queue of this VMID.
template <class G>
typename Bench<G>::UserQueue queue_of(Bench<G>& b, uint32_t vmid, unsigned slot,
                                      uint32_t doorbell) {
  auto q = b.make_queue(1, 0, slot, doorbell);
  EXPECT_TRUE(b.memory.write_value(q.mqd + 4 * b.dwords.at("cp_hqd_vmid"), vmid));
  b.activate(q);
  return q;
}

template <class G>
void spaces(Bench<G>& b) {
  b.start();
  const Tables<G> tables[] = {Tables<G>(b), Tables<G>(b)};
  typename Bench<G>::UserQueue queues[2];
  for (unsigned i = 0; i < 2; ++i) {
    tables[i].use(b, kVmids[i]);
    queues[i] = queue_of(b, kVmids[i], i, 20 + i);
  }
  // The same kernel to the same address in both, at once: 128 items, factors 3 and 5.
  typename Bench<G>::Work work[2];
  for (unsigned i = 0; i < 2; ++i) work[i] = b.submit(queues[i], 3 + 2 * i, i, kWindow);
  for (unsigned i = 0; i < 2; ++i) b.ring(queues[i].doorbell, work[i].index);
  for (unsigned i = 0; i < 2; ++i) b.until([&] { return b.done(work[i]); }, "a dispatch");
  for (uint32_t item = 0; item < kItems; ++item) {
    ASSERT_EQ(word(b, tables[0].results + 4 * item), 3 * item);
    ASSERT_EQ(word(b, tables[1].results + 4 * item), 5 * item);
  }
  // A page moves: tables are looked up anew.
  hsa::DeviceMemory::Options options;
  options.alignment = 4096;
  const uint64_t moved = *b.memory.allocate(4096, options);
  EXPECT_TRUE(b.memory.write_value(tables[1].window, moved | kValid | kRead | kWrite));
  b.write(CUVETTE_REG_VM_INVALIDATE_ENG0_REQ, 1u << kVmids[1] | 1u << 18);
  EXPECT_EQ(b.read(CUVETTE_REG_VM_INVALIDATE_ENG0_ACK) >> kVmids[1] & 1, 1u);
  const auto again = b.submit(queues[1], 7, 2, kWindow);
  b.ring(queues[1].doorbell, again.index);
  b.until([&] { return b.done(again); }, "after the move");
  for (uint32_t item = 0; item < kItems; ++item) {
    ASSERT_EQ(word(b, moved + 4 * item), 7 * item);
    ASSERT_EQ(word(b, tables[1].results + 4 * item), 5 * item);
  }
  EXPECT_TRUE(b.gpu->take_errors().empty());
  for (const auto& q : queues) b.remove(q);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

template <class G>
void faults(Bench<G>& b) {
  b.start();
  const Tables<G> tables(b);
  tables.use(b, kVmid);
  struct Case {
    const char* what;
    uint64_t address;
    uint32_t status;  // without the VMID
  };
  const Case cases[] = {
      {"a page that may only be read", kWindow + 0x1000, 4u << 4 | 1u << 18},
      {"a page without an entry", kWindow + 0x2000, 1u << 4},
      {"a directory entry that is not valid", kWindow + 0x200000, 1u << 4 | 2u << 1},
      {"behind the last page", uint64_t{0xffff800000000000}, 1u << 4 | 1u << 1},
  };
  unsigned slot = 0;
  for (const Case& c : cases) {
    b.take_entries();
    b.heard.clear();
    auto q = queue_of(b, kVmid, slot, 20 + slot);
    const auto work = b.submit(q, 3, 1, c.address);
    b.ring(q.doorbell, work.index);
    b.until([&] { return *hsa::Signal(b.memory, q.inactive).load() != 0; }, c.what);
    b.until([&] { return !b.heard.empty(); }, c.what);
    EXPECT_EQ(*hsa::Signal(b.memory, q.inactive).load(), int64_t{hsa::kQueueErrorMemoryFault});
    EXPECT_EQ(b.read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS), c.status | kVmid << 20) << c.what;
    const uint64_t page = c.address >> 12;
    EXPECT_EQ(b.read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_LO32), low(page)) << c.what;
    EXPECT_EQ(b.read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_HI32), high(page) & 0xf) << c.what;
    const auto entries = b.take_entries();
    ASSERT_EQ(entries.size(), 1u) << c.what;
    EXPECT_EQ(entries[0].client(), 27u);
    EXPECT_EQ(entries[0].vmid(), kVmid);
    EXPECT_EQ(entries[0].words[3], kPasid);
    EXPECT_EQ(entries[0].words[4], low(page));
    b.write(CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL,
            CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL__RESET | 1);
    EXPECT_EQ(b.read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS), 0u);
    b.gpu->take_errors();
    b.remove(q);
    ++slot;
  }
  EXPECT_EQ(word(b, tables.results), 0u) << "no fault has written";
  // A queue whose own ring is in no table stops, too.
  EXPECT_TRUE(b.memory.write_value(tables.root, uint64_t{0}));
  b.heard.clear();
  b.take_entries();
  auto lost = queue_of(b, kVmid, 5, 30);
  b.ring(lost.doorbell, 1);
  b.until([&] { return !b.heard.empty(); }, "a queue without a ring");
  EXPECT_EQ(b.heard[0].source, hsa::kQueueErrorMemoryFault);
  b.remove(lost);
  // The context off: addresses are the host's again.
  b.write(CUVETTE_REG_VM_CONTEXT0_CNTL + 4 * kVmid, CUVETTE_REG_VM_CONTEXT0_CNTL__RESET);
  auto good = queue_of(b, kVmid, 6, 31);
  const auto work = b.submit(good, 9, 3);
  b.ring(good.doorbell, work.index);
  b.until([&] { return b.done(work); }, "without page tables");
  b.check(work);
  b.remove(good);
}

/// The scheduler's way: a run list gives every process a VMID with its page tables.
template <class G>
void run_lists(Bench<G>& b) {
  b.start();
  Ring<G> k(b, 2, 0, 0, 12, 0);
  b.write(CUVETTE_REG_RLC_CP_SCHEDULERS, 0x80 | 2 << 5);
  b.activate(k.slot);
  const uint64_t fence = *b.memory.allocate(8);
  uint64_t step = 0;
  const auto run = [&](const Words& words, const char* what) {
    k.put(b, words);
    k.put(b, packet(0xa4, {1u << 30, 0, low(fence), high(fence), low(++step), 0}));
    k.ring(b);
    b.until([&] { return wide(b, fence) == step; }, what);
  };
  const Tables<G> tables[] = {Tables<G>(b), Tables<G>(b)};
  // State that the driver sets up once: everything but the right tables.
  for (unsigned i = 0; i < 2; ++i) tables[1 - i].use(b, kVmids[i]);
  typename Bench<G>::UserQueue queues[] = {b.make_queue(1, 0, 1, 20), b.make_queue(1, 0, 2, 21)};
  Words list;
  for (unsigned i = 0; i < 2; ++i) {
    Words process(15);
    process[0] = 0x71 + i;
    process[1] = low(tables[i].root | kValid);
    process[2] = high(tables[i].root);
    process[3] = 0x00010002;
    process[4] = 3u << CUVETTE_REG_SH_MEM_CONFIG__ALIGNMENT_MODE__SHIFT;
    const uint64_t mqd = queues[i].mqd;
    for (const Words& w :
         {packet(0xa1, process), packet(0xa2, {1u << 29 | 1 << 4, queues[i].doorbell * 2 << 2,
                                               low(mqd), high(mqd), 0, 0})}) {
      list.insert(list.end(), w.begin(), w.end());
    }
  }
  const uint64_t at = *b.memory.allocate(4 * list.size());
  ASSERT_TRUE(b.memory.write(at, list.data(), 4 * list.size()));
  run(packet(0xa0, {3u << kVmids[0], 1u << 1 | 1u << 2, 0, 0, 0, 0, 0}), "resources");
  run(packet(0xa5, {low(at), high(at), static_cast<uint32_t>(list.size()) | 1u << 23 | 2u << 24}),
      "the run list");
  for (unsigned i = 0; i < 2; ++i) {
    b.select(1, 0, 1 + i);
    EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_VMID) & 15, kVmids[i]);
    EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 1u);
    b.select(0, 0, 0);
    EXPECT_EQ(b.read(CUVETTE_REG_IH_VMID_0_LUT + 4 * kVmids[i]), 0x71 + i);
    const auto work = b.submit(queues[i], 3 + 2 * i, i, kWindow);
    b.ring(queues[i].doorbell, work.index);
    b.until([&] { return b.done(work); }, "a dispatch");
    for (uint32_t item = 0; item < kItems; ++item) {
      ASSERT_EQ(word(b, tables[i].results + 4 * item), (3 + 2 * i) * item);
    }
  }
  run(packet(0xa5, {0, 0, 1u << 23}), "an empty one");
  for (unsigned i = 0; i < 2; ++i) {
    b.select(1, 0, 1 + i);
    EXPECT_EQ(b.read(CUVETTE_REG_CP_HQD_ACTIVE), 0u);
  }
  b.select(0, 0, 0);
  b.remove(k.slot);
  EXPECT_TRUE(b.gpu->take_register_reports().empty());
}

TEST(PageTablesOfGpu, VmidsHaveAddressSpacesOfTheirOwn) {
  Bench<Gpu>::go(spaces<Gpu>);
}
TEST(PageTablesOfLtGpu, VmidsHaveAddressSpacesOfTheirOwn) {
  Bench<LtGpu>::go(spaces<LtGpu>);
}
TEST(PageTablesOfGpu, FaultsAreThoseOfTheTables) {
  Bench<Gpu>::go(faults<Gpu>);
}
TEST(PageTablesOfLtGpu, FaultsAreThoseOfTheTables) {
  Bench<LtGpu>::go(faults<LtGpu>);
}

TEST(PageTablesOfGpu, RunListsGiveProcessesTheirTables) {
  Bench<Gpu>::go(run_lists<Gpu>);
}
TEST(PageTablesOfLtGpu, RunListsGiveProcessesTheirTables) {
  Bench<LtGpu>::go(run_lists<LtGpu>);
}

}  // namespace
}  // namespace cuvette::gpu
