// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Kernels in VMIDs with page tables, and doorbells rung by their stores, behind cuvette.h: the same
// expectations on every engine.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host_process.h"

namespace {

using namespace cuvette_test;

class HostVm : public testing::TestWithParam<const char*> {
 protected:
  HostVm() {
    auto o = options(GetParam());
    o.context = this;
    o.on_interrupt = [](void* context, cuvette_machine*, const cuvette_interrupt* i) {
      static_cast<HostVm*>(context)->heard_.push_back(*i);
    };
    machine_ = std::make_unique<Machine>(o);
    machine_->write(CUVETTE_REG_CP_MEC_CNTL, 0);
    machine_->hear_doorbells();
  }
  const Machine& m() const { return *machine_; }
  void settle() const {
    ASSERT_EQ(cuvette_run_until_idle(m(), 1'000'000), CUVETTE_OK) << cuvette_error_text();
  }
  void ring(uint32_t doorbell, uint64_t value) const {
    EXPECT_EQ(cuvette_doorbell(m(), doorbell, value), CUVETTE_OK);
  }
  uint32_t read(uint32_t offset) const {
    uint32_t value = 0;
    EXPECT_EQ(cuvette_register_read(m(), offset, &value), CUVETTE_OK);
    return value;
  }
  std::string reports() const {
    std::array<char, 2048> text;
    EXPECT_EQ(cuvette_take_reports(m(), text.data(), text.size()), CUVETTE_OK);
    return text.data();
  }
  void remove(unsigned slot) const {
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, Process::slot_bits(slot));
    m().write(CUVETTE_REG_CP_HQD_DEQUEUE_REQUEST, 1);
    settle();
    EXPECT_EQ(read(CUVETTE_REG_CP_HQD_ACTIVE) & 1, 0u);
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
  }
  void place_doorbells(bool there) const {
    m().write(CUVETTE_REG_CUVETTE_DOORBELL_APERTURE,
              there ? low(kAperture / kMegabytes2) | 1u << 31 : 0);
  }
  void expect_fault(const Process& p, uint64_t address, uint32_t status, const char* what);

  std::unique_ptr<Machine> machine_;
  std::vector<cuvette_interrupt> heard_;
};

/// Input of a process, different for each.
uint32_t input(uint32_t process, uint32_t item) {
  return 1000 * process + 7 * item;
}

TEST_P(HostVm, EveryAccessOfAKernelGoesThroughTheTables) {
  const Process processes[] = {Process(m(), kVmid), Process(m(), kVmid + 1)};
  for (uint32_t i = 0; i < 2; ++i) {
    const Process& p = processes[i];
    const Arguments a(p);
    p.load_triple();
    a.write(p);
    p.set_signals(1);
    for (uint32_t item = 0; item < kItems; ++item) p.put_word(a.in + 4 * item, input(i, item));
    p.activate(i, 20 + i, kRing, kQueue, a.scratch);
    p.submit(0, kItems, a.kernarg);
  }
  for (uint32_t i = 0; i < 2; ++i) ring(20 + i, 0);
  settle();
  EXPECT_EQ(reports(), "");
  EXPECT_TRUE(heard_.empty());
  for (uint32_t i = 0; i < 2; ++i) {
    const Process& p = processes[i];
    const Arguments a(p);
    EXPECT_EQ(p.left(), 0u) << i;
    for (uint32_t item = 0; item < kItems; ++item) {
      ASSERT_EQ(p.word(a.out + 4 * item), 3 * input(i, item)) << i << ", " << item;
      // Dword 1 of a lane lies 256 bytes behind dword 0, lanes 4 bytes apart.
      const uint64_t mine = a.scratch + item / 64 * kScratchOfWave + 256 + 4 * (item % 64);
      ASSERT_EQ(p.word(mine), input(i, item)) << i << ", " << item;
    }
    EXPECT_EQ(p.word(a.counter), kItems) << i;
    EXPECT_EQ(p.word(a.counter + 8), kMarker) << i;
  }
  // A page moves: tables are looked up anew, and nobody writes to the old one.
  const Process& p = processes[1];
  const Arguments a(p);
  uint64_t moved = 0;
  ASSERT_EQ(cuvette_memory_allocate(m(), kPage, kPage, 0, &moved), CUVETTE_OK);
  p.entry(kOut + 1, moved | kData);
  for (uint32_t item = 0; item < kItems; ++item) p.put_word(a.in + 4 * item, item);
  p.set_signals(1);
  p.submit(1, kItems, a.kernarg);
  ring(21, 1);
  settle();
  EXPECT_EQ(p.left(), 0u);
  constexpr uint32_t kFirst = (kPage - kOutOffset) / 4;  // behind the border
  for (uint32_t item = kFirst; item < kItems; ++item) {
    ASSERT_EQ(p.word_in_memory(moved + 4 * (item - kFirst)), 3 * item);
    ASSERT_EQ(p.word(a.out + 4 * item), 3 * input(1, item));
  }
  EXPECT_EQ(reports(), "");
}

/// The queue has stopped for an access at `address`, and everything says so. `status`: of
/// VM_L2_PROTECTION_FAULT_STATUS, without the VMID.
void HostVm::expect_fault(const Process& p, uint64_t address, uint32_t status, const char* what) {
  EXPECT_EQ(p.left(), 1u) << what;
  EXPECT_EQ(p.error(), kMemoryFault) << what;
  ASSERT_EQ(heard_.size(), 1u) << what;
  EXPECT_EQ(heard_[0].source, kMemoryFault) << what;
  EXPECT_EQ(heard_[0].context, address) << what << std::hex << ": " << heard_[0].context;
  EXPECT_EQ(read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_STATUS), status | kVmid << 20) << what;
  EXPECT_EQ(read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_LO32), low(address >> 12)) << what;
  EXPECT_EQ(read(CUVETTE_REG_VM_L2_PROTECTION_FAULT_ADDR_HI32), high(address >> 12) & 0xf) << what;
  EXPECT_NE(reports(), "") << what;
  m().write(CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL,
            CUVETTE_REG_VM_L2_PROTECTION_FAULT_CNTL__RESET | 1);
  heard_.clear();
}

TEST_P(HostVm, FaultsAreThoseOfTheTables) {
  const Process p(m(), kVmid);
  const Arguments good(p);
  constexpr uint32_t kNoPage = 1u << 4, kOutside = 1u << 4 | 1u << 1, kNotRead = 2u << 4,
                     kNotWritten = 4u << 4 | 1u << 18;
  struct Case {
    const char* what;
    uint64_t Arguments::* where;  // null: nothing
    uint64_t to;
    uint64_t address;
    uint32_t status;
    uint64_t code[2] = {kValid | kRead | kExecute, kValid | kRead | kExecute};  // flags
  };
  const Case cases[] = {
      {"a store to a page that may only be read", &Arguments::out, p.at(kReadOnly), p.at(kReadOnly),
       kNotWritten},
      {"a store to a page without an entry", &Arguments::out, p.at(kHole), p.at(kHole), kNoPage},
      {"a store that ends in a page without an entry", &Arguments::out, p.at(kBehindPlain) - 64,
       p.at(kBehindPlain), kNoPage},
      {"a store with a dword in two pages, one without an entry", &Arguments::out,
       p.at(kBehindPlain) - 66, p.at(kBehindPlain), kNoPage},
      {"a store behind the last page", &Arguments::out, p.at(kPages), p.at(kPages), kOutside},
      {"a load from a page that may only be written", &Arguments::in, p.at(kWriteOnly),
       p.at(kWriteOnly), kNotRead},
      {"an atomic on a page that may only be read", &Arguments::counter, p.at(kReadOnly, 16),
       p.at(kReadOnly, 16), kNotWritten},
      {"a scalar load from a page without an entry", &Arguments::kernarg, p.at(kHole, 32),
       p.at(kHole, 32), kNoPage},
      {"scratch without an entry", &Arguments::scratch, p.at(kHole), p.at(kHole, 256), kNoPage},
      // The entry is read when the interrupt leaves: it permits reading.
      {"code that may not be executed",
       nullptr,
       0,
       p.at(kCode, kCodeOffset),
       kNotWritten,
       {kValid | kRead, kValid | kRead}},
      {"code that goes on in a page without an entry",
       nullptr,
       0,
       p.at(kCode + 1),
       kNoPage,
       {kValid | kRead | kExecute, 0}},
  };
  p.load_triple(kNops + 1);  // an instruction begins with the second page
  unsigned slot = 0;
  for (const Case& c : cases) {
    Arguments a = good;
    if (c.where != nullptr) a.*c.where = c.to;
    a.write(p);
    p.set_flags(kCode, c.code[0]);
    p.set_flags(kCode + 1, c.code[1]);
    p.set_signals(1);
    p.activate(slot, 20 + slot, kRing, kQueue, a.scratch);
    p.submit(0, 64, a.kernarg);
    ring(20 + slot, 0);
    settle();
    expect_fault(p, c.address, c.status, c.what);
    remove(slot);
    ++slot;
  }
  // The machine works on.
  p.set_flags(kCode, kValid | kRead | kExecute);
  p.set_flags(kCode + 1, kValid | kRead | kExecute);
  good.write(p);
  for (uint32_t item = 0; item < kItems; ++item) p.put_word(good.in + 4 * item, item + 1);
  p.set_signals(1);
  p.activate(slot, 20 + slot, kRing, kQueue, good.scratch);
  p.submit(0, kItems, good.kernarg);
  ring(20 + slot, 0);
  settle();
  EXPECT_EQ(p.left(), 0u);
  for (uint32_t item = 0; item < kItems; ++item) {
    ASSERT_EQ(p.word(good.out + 4 * item), 3 * (item + 1));
  }
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(reports(), "");
}

TEST_P(HostVm, DoorbellsOfWavesRingQueues) {
  place_doorbells(true);
  unsigned first_slot = 0;
  for (const bool tables : {true, false}) {
    SCOPED_TRACE(tables ? "page tables" : "no page tables");
    const Process p(m(), tables ? kVmid : kVmid + 1, tables);
    const uint64_t doorbells = tables ? p.at(kDoorbells) : kAperture;
    const unsigned mine = first_slot, other = first_slot + 1;
    first_slot += 2;
    const uint32_t doorbell = 20 + mine;
    p.load_put();
    p.set_signals(4);
    p.activate(mine, doorbell, kRing, kQueue);
    p.activate(other, doorbell + 1, kOtherRing, kOtherQueue);
    settle();  // queues look once by themselves
    // Packets of the other queue: barriers with nothing to wait for, complete but for the headers.
    constexpr uint32_t kBarrier = 3 | 1 << 8 | 2 << 9 | 2 << 11;
    for (const uint64_t packet : {0, 64}) p.put(p.at(kOtherRing, packet + 56), p.at(kSignals));
    p.put_word(p.at(kOtherRing), kBarrier);
    settle();
    EXPECT_EQ(p.left(), 4u) << "nobody has told of the packet";
    // A kernel puts the second one and tells of both.
    put_by_kernel(p, 0, p.at(kOtherRing, 64), kBarrier, doorbells + 8 * (doorbell + 1), 1);
    ring(doorbell, 0);
    settle();
    EXPECT_EQ(p.left(), 1u) << "the dispatch and both packets";
    EXPECT_EQ(p.get(p.at(kOtherQueue, 128)), 2u) << "read index";
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, Process::slot_bits(other));
    EXPECT_EQ(read(CUVETTE_REG_CP_HQD_PQ_WPTR_LO), 16u);
    EXPECT_NE(read(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL) &
                  CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_HIT__MASK,
              0u);
    m().write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
    // A kernel puts the next packet of its own queue.
    put_by_kernel(p, 2, p.at(kPlain), 5, doorbells + 8 * 50, 99);
    p.put_word(p.at(kRing, 128), 1);  // not yet
    p.set_signals(2);
    put_by_kernel(p, 1, p.at(kRing, 128), Process::kHeader, doorbells + 8 * doorbell, 2);
    ring(doorbell, 1);
    settle();
    EXPECT_EQ(p.left(), 0u);
    EXPECT_EQ(p.word(p.at(kPlain)), 5u) << "the second kernel has run";
    // It rang a doorbell that no queue has.
    ASSERT_EQ(heard_.size(), 1u);
    EXPECT_EQ(heard_[0].source, CUVETTE_INTERRUPT_UNKNOWN_DOORBELL);
    EXPECT_EQ(heard_[0].queue, 50u);
    EXPECT_EQ(heard_[0].context, 99u);
    heard_.clear();
    EXPECT_EQ(reports(), "");
    remove(mine);
    remove(other);
  }
}

TEST_P(HostVm, ScalarStoresRingAsWell) {
  place_doorbells(true);
  const Process p(m(), kVmid);
  p.load_put(kPutScalar);
  p.set_signals(1);
  p.activate(0, 20, kRing, kQueue);
  put_by_kernel(p, 0, p.at(kPlain), 5, p.at(kDoorbells) + 8 * 50, uint64_t{7} << 32 | 99);
  ring(20, 0);
  settle();
  EXPECT_EQ(p.left(), 0u);
  EXPECT_EQ(p.word(p.at(kPlain)), 5u);
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_EQ(heard_[0].source, CUVETTE_INTERRUPT_UNKNOWN_DOORBELL);
  EXPECT_EQ(heard_[0].queue, 50u);
  EXPECT_EQ(heard_[0].context, uint64_t{7} << 32 | 99);
}

/// A ring of PM4 packets in a VMID with page tables: the value of its doorbell is the write
/// pointer.
TEST_P(HostVm, DoorbellsOfWavesRingRingsOfPackets) {
  place_doorbells(true);
  const Process p(m(), kVmid);
  p.load_put();
  p.set_signals(1);
  p.activate(0, 20, kRing, kQueue);
  // WRITE_DATA to memory, confirmed, of one dword; tests/ledger/gfx9_packets.csv.
  const uint64_t to = p.at(kPlain, 64);
  const std::vector<uint32_t> packet = {3u << 30 | 3u << 16 | 0x37u << 8, 5u << 8 | 1u << 20,
                                        low(to), high(to), 0x600d};
  for (size_t i = 0; i < packet.size(); ++i) p.put_word(p.at(kOtherRing, 4 * i), packet[i]);
  m().write(CUVETTE_REG_GRBM_GFX_CNTL, Process::slot_bits(1));
  m().write(CUVETTE_REG_CP_HQD_VMID, kVmid);
  m().write(CUVETTE_REG_CP_HQD_PQ_BASE, low(p.at(kOtherRing) >> 8));
  m().write(CUVETTE_REG_CP_HQD_PQ_BASE_HI, low(p.at(kOtherRing) >> 40));
  m().write(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR, low(p.at(kOtherQueue)));
  m().write(CUVETTE_REG_CP_HQD_PQ_RPTR_REPORT_ADDR_HI, high(p.at(kOtherQueue)));
  m().write(CUVETTE_REG_CP_HQD_PQ_CONTROL, 9u << CUVETTE_REG_CP_HQD_PQ_CONTROL__QUEUE_SIZE__SHIFT);
  m().write(CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL,
            21 * 2 << 2 | CUVETTE_REG_CP_HQD_PQ_DOORBELL_CONTROL__DOORBELL_EN__MASK);
  m().write(CUVETTE_REG_CP_HQD_ACTIVE, 1);
  m().write(CUVETTE_REG_GRBM_GFX_CNTL, 0);
  settle();
  EXPECT_EQ(p.word(to), 0u);
  put_by_kernel(p, 0, p.at(kPlain), 5, p.at(kDoorbells) + 8 * 21, packet.size());
  ring(20, 0);
  settle();
  EXPECT_EQ(p.left(), 0u);
  EXPECT_EQ(p.word(to), 0x600du);
  EXPECT_EQ(p.word(p.at(kOtherQueue)), packet.size()) << "place of the next packet";
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(reports(), "");
}

TEST_P(HostVm, DoorbellsAreForStoresAndWhereTheApertureIs) {
  struct Case {
    const char* what;
    bool tables, aperture, load;
    uint32_t status;
  };
  constexpr uint32_t kNoPage = 1u << 4, kNotRead = 2u << 4;
  const Case cases[] = {
      {"a load, no page tables", false, true, true, kNotRead},
      {"no aperture, no page tables", false, false, false, kNoPage},
      {"a page that may not be read", true, true, true, kNotRead},
      {"an entry that is not valid", true, true, false, kNoPage},
  };
  unsigned slot = 0;
  for (const Case& c : cases) {
    place_doorbells(c.aperture);
    const Process p(m(), kVmid, c.tables);
    if (!c.tables) {
      m().write(CUVETTE_REG_VM_CONTEXT0_CNTL + 4 * kVmid, CUVETTE_REG_VM_CONTEXT0_CNTL__RESET);
    } else {
      p.entry(kDoorbells, c.load ? kAperture | kValid | kWrite : 0);
    }
    const uint64_t doorbell = (c.tables ? p.at(kDoorbells) : kAperture) + 8 * 50;
    Arguments a(p);
    p.set_signals(1);
    p.activate(slot, 20 + slot, kRing, kQueue, a.scratch);
    if (c.load) {
      a.in = doorbell;
      a.write(p);
      p.load_triple();
      p.submit(0, 64, a.kernarg);
    } else {
      p.load_put();
      put_by_kernel(p, 0, p.at(kPlain), 1, doorbell, 3);
    }
    ring(20 + slot, 0);
    settle();
    expect_fault(p, doorbell, c.status, c.what);
    remove(slot);
    ++slot;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, HostVm, testing::Values("golden", "lt", "ca"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
