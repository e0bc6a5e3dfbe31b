// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Backing, address space, allocator, atomics, queues and signals.
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hsa/memory.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "hsa_ledger.h"

namespace cuvette::hsa {
namespace {

using ::testing::HasSubstr;

TEST(HsaAtomic, IntegerOperations) {
  const struct {
    AtomicOp op;
    uint64_t old, operand, compare, expect32, expect64;
  } cases[] = {
      {AtomicOp::Swap, 5, 9, 0, 9, 9},
      {AtomicOp::CmpSwap, 5, 9, 5, 9, 9},
      {AtomicOp::CmpSwap, 5, 9, 6, 5, 5},
      {AtomicOp::Add, 0xffffffff, 2, 0, 1, 0x100000001},
      {AtomicOp::Sub, 1, 2, 0, 0xffffffff, ~uint64_t{0}},
      {AtomicOp::SMin, 0x80000000, 1, 0, 0x80000000, 1},
      {AtomicOp::SMax, 0x80000000, 1, 0, 1, 0x80000000},
      {AtomicOp::SMin, uint64_t{1} << 63, 1, 0, 0, uint64_t{1} << 63},
      {AtomicOp::UMin, 0x80000000, 1, 0, 1, 1},
      {AtomicOp::UMax, 0x80000000, 1, 0, 0x80000000, 0x80000000},
      {AtomicOp::And, 0xf0f0, 0xff00, 0, 0xf000, 0xf000},
      {AtomicOp::Or, 0xf0f0, 0xff00, 0, 0xfff0, 0xfff0},
      {AtomicOp::Xor, 0xf0f0, 0xff00, 0, 0x0ff0, 0x0ff0},
      {AtomicOp::Inc, 3, 7, 0, 4, 4},
      {AtomicOp::Inc, 7, 7, 0, 0, 0},
      {AtomicOp::Inc, 8, 7, 0, 0, 0},
      {AtomicOp::Dec, 3, 7, 0, 2, 2},
      {AtomicOp::Dec, 0, 7, 0, 7, 7},
      {AtomicOp::Dec, 8, 7, 0, 7, 7},
      {AtomicOp::Dec, 7, 7, 0, 6, 6},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(apply_atomic(c.op, 4, c.old, c.operand, c.compare), c.expect32)
        << static_cast<int>(c.op);
    EXPECT_EQ(apply_atomic(c.op, 8, c.old, c.operand, c.compare), c.expect64)
        << static_cast<int>(c.op);
  }
  for (const AtomicOp op : {AtomicOp::FAdd, AtomicOp::FMin, AtomicOp::FMax, AtomicOp::FCmpSwap,
                            AtomicOp::PkAddF16, AtomicOp::PkAddBf16}) {
    EXPECT_THROW(apply_atomic(op, 4, 0, 0), std::logic_error) << static_cast<int>(op);
  }
}

TEST(HsaBacking, OnlyReservedRangesExist) {
  SparseMemory m;
  ASSERT_TRUE(m.reserve(0x10000, 0x30000).ok());
  uint32_t word = 0x12345678;
  EXPECT_EQ(m.resident_bytes(), 0u);
  EXPECT_TRUE(m.read(0x10000, &word, 4));
  EXPECT_EQ(word, 0u) << "untouched memory is 0";
  EXPECT_EQ(m.resident_bytes(), 0u) << "reading allocates nothing";
  word = 0xcafe;
  EXPECT_TRUE(m.write(0x2fffe, &word, 4)) << "across a page";
  EXPECT_EQ(m.resident_bytes(), 2 * SparseMemory::kPageBytes);
  uint32_t back = 0;
  EXPECT_TRUE(m.read(0x2fffe, &back, 4));
  EXPECT_EQ(back, 0xcafeu);
  EXPECT_FALSE(m.write(0x3fffe, &word, 4)) << "runs out of the range";
  EXPECT_FALSE(m.read(0xfffe, &word, 4));
  const uint8_t* const across = m.host_pointer(0x2fffe, 4);
  ASSERT_NE(across, nullptr) << "a range is in one piece";
  EXPECT_EQ(across - m.host_pointer(0x10000, 1), 0x1fffe);
  EXPECT_EQ(across[0], 0xfe);
  EXPECT_EQ(across[1], 0xca);
  EXPECT_EQ(m.resident_bytes(), 3 * SparseMemory::kPageBytes);
  EXPECT_EQ(m.host_pointer(0x40000, 1), nullptr);
  EXPECT_NE(m.host_pointer(0x2fffc, 4), nullptr);
  EXPECT_FALSE(m.reserve(0x3ffff, 1).ok()) << "overlap";
  EXPECT_FALSE(m.reserve(0, 0x10001).ok()) << "overlap";
  EXPECT_FALSE(m.reserve(~uint64_t{0} - 3, 8).ok()) << "wraps";
  EXPECT_FALSE(m.reserve(uint64_t{1} << 40, uint64_t{1} << 39).ok()) << "too large";
  EXPECT_TRUE(m.reserve(~uint64_t{0} - 3, 4).ok()) << "the last bytes";
  EXPECT_TRUE(m.write(~uint64_t{0} - 3, &word, 4));
  EXPECT_FALSE(m.write(~uint64_t{0} - 1, &word, 4));
  EXPECT_TRUE(m.release(0x10000).ok());
  EXPECT_FALSE(m.release(0x10000).ok());
  EXPECT_FALSE(m.read(0x10000, &word, 4));
}

TEST(HsaBacking, AttachedHostMemoryIsSharedInPlace) {
  alignas(8) uint8_t host[64] = {};
  SparseMemory m;
  ASSERT_TRUE(m.attach(0x1000, sizeof host, host).ok());
  ASSERT_TRUE(m.reserve(0x1040, 64).ok());
  const uint64_t v = 0x1122334455667788;
  EXPECT_TRUE(m.write(0x103c, &v, 8)) << "half in the host, half in a page";
  EXPECT_EQ(host[60], 0x88);
  EXPECT_EQ(host[63], 0x55);
  uint64_t back = 0;
  EXPECT_TRUE(m.read(0x103c, &back, 8));
  EXPECT_EQ(back, v);
  EXPECT_FALSE(m.attach(0x2001, 8, host).ok()) << "alignment differs";
  HostMemory window(0x8000, sizeof host, host);
  EXPECT_TRUE(window.read(0x803c, &back, 4));
  EXPECT_FALSE(window.read(0x803d, &back, 4));
  EXPECT_FALSE(window.read(0x7fff, &back, 4));
  EXPECT_EQ(window.host_pointer(0x8010, 4), host + 16);
}

TEST(HsaAddressSpace, PermissionsAndVmids) {
  AddressSpace s;
  ASSERT_TRUE(s.map(0x1000, 0x100, Access::Read).ok());
  EXPECT_EQ(s.generation(), 1u);
  const Translation t = s.translate(0, 0x10ff, Access::Read);
  EXPECT_TRUE(t.ok());
  EXPECT_EQ(t.pa, 0x10ffu) << "identity";
  EXPECT_EQ(t.bytes, 1u);
  EXPECT_EQ(s.translate(0, 0x1100, Access::Read).fault, Fault::Unmapped);
  EXPECT_EQ(s.translate(0, 0xfff, Access::Read).fault, Fault::Unmapped);
  EXPECT_EQ(s.translate(0, 0x1000, Access::Write).fault, Fault::NotPermitted);
  EXPECT_EQ(s.translate(0, 0x1000, Access::Execute).fault, Fault::NotPermitted);
  AddressSpace::Range own;
  own.va = 0x1080;
  own.bytes = 0x10;
  own.pa = 0x900000;
  own.vmid = 3;
  own.type = MemoryType::Uncached;
  ASSERT_TRUE(s.map(own).ok());
  EXPECT_EQ(s.translate(3, 0x1084, Access::Write).pa, 0x900004u);
  EXPECT_EQ(s.translate(3, 0x1084, Access::Write).type, MemoryType::Uncached);
  EXPECT_EQ(s.translate(3, 0x1000, Access::Read).bytes, 0x80u) << "up to the own range";
  EXPECT_EQ(s.translate(3, 0x1090, Access::Read).pa, 0x1090u);
  EXPECT_EQ(s.translate(4, 0x1084, Access::Write).fault, Fault::NotPermitted);
  EXPECT_FALSE(s.map(own).ok()) << "overlap in one VMID";
  EXPECT_FALSE(s.map(~uint64_t{0}, 2, Access::Read).ok()) << "wraps";
  EXPECT_TRUE(s.map(~uint64_t{0}, 1, Access::Read).ok());
  EXPECT_TRUE(s.translate(0, ~uint64_t{0}, Access::Read).ok());
  EXPECT_TRUE(s.unmap(0x1080, 3).ok());
  EXPECT_FALSE(s.unmap(0x1080, 3).ok());
}

TEST(HsaAllocator, SameCallsSameAddresses) {
  DeviceAllocator a;
  // By hand: pages of 4 KiB, a guard of 64 KiB behind each block.
  EXPECT_EQ(*a.allocate(100), 0x100000000u);
  EXPECT_EQ(*a.allocate(4096), 0x100011000u);
  EXPECT_EQ(*a.allocate(4097), 0x100022000u);
  EXPECT_EQ(*a.allocate(8, 0x100000), 0x100100000u);
  EXPECT_EQ(*a.allocate(8), 0x100111000u);
  DeviceAllocator::Config small;
  small.first = 0;
  small.end = 0x20000;
  small.guard = 0;
  DeviceAllocator b(small);
  EXPECT_EQ(*b.allocate(1), 0x1000u) << "never address 0";
  EXPECT_FALSE(b.allocate(0).ok());
  EXPECT_FALSE(b.allocate(1, 3).ok());
  EXPECT_FALSE(b.allocate(~uint64_t{0}).ok());
  EXPECT_FALSE(b.allocate(0x1e001).ok());
  EXPECT_EQ(*b.allocate(0x1e000), 0x2000u) << "to the last byte";
  EXPECT_FALSE(b.allocate(1).ok());
  DeviceAllocator::Config crossing;
  crossing.first = 0x1fffff000;
  DeviceAllocator c(crossing);
  EXPECT_EQ(*c.allocate(0x2000, 64, Place::Within4Gib), 0x200000000u);
}

TEST(HsaAllocator, AddressesOfTheSmallModelAreApart) {
  DeviceAllocator a;
  EXPECT_EQ(*a.allocate(8, 256, Place::Below4Gib), 0x100000u) << "above its apertures";
  EXPECT_EQ(*a.allocate(8), 0x100000000u);
  EXPECT_EQ(*a.allocate(8, 256, Place::Below4Gib), 0x111000u);
  EXPECT_EQ(*a.allocate(0xffeb1000, 4096, Place::Below4Gib), 0x122000u);
  EXPECT_FALSE(a.allocate(0x1d001, 4096, Place::Below4Gib).ok());
  EXPECT_EQ(*a.allocate(0x1d000, 4096, Place::Below4Gib), 0xfffe3000u) << "to the last byte";
  EXPECT_FALSE(a.allocate(1, 1, Place::Below4Gib).ok());
  EXPECT_EQ(*a.allocate(8), 0x100011000u) << "the others go on";
  // One range for all: nothing is given twice when it has passed 4 GiB.
  DeviceAllocator::Config config;
  config.first = 0xffff0000;
  DeviceAllocator b(config);
  EXPECT_EQ(*b.allocate(8, 256, Place::Below4Gib), 0xffff0000u);
  EXPECT_EQ(*b.allocate(8), 0x100001000u);
  EXPECT_FALSE(b.allocate(8, 256, Place::Below4Gib).ok());
}

TEST(HsaMemory, OutOfBoundsFaults) {
  DeviceMemory m;
  const uint64_t a = *m.allocate(100);
  const uint64_t b = *m.allocate(8);
  uint32_t w = 7;
  EXPECT_TRUE(m.write_value(a + 96, w).ok());
  const AccessResult past = m.write_value(a + 100, w);
  EXPECT_EQ(past.fault, Fault::NotPermitted);
  EXPECT_EQ(past.address, a + 100);
  const AccessResult straddles = m.write_value(a + 98, w);
  EXPECT_EQ(straddles.address, a + 100) << "the first byte that fails";
  uint32_t back = 0;
  EXPECT_TRUE(m.read_value(a + 96, &back).ok());
  EXPECT_EQ(back, 7u) << "a faulting store has no effect";
  EXPECT_TRUE(m.read_value(a + 124, &back).ok()) << "widened loads may read on to 128";
  EXPECT_EQ(m.read_value(a + 128, &back).fault, Fault::Unmapped);
  EXPECT_EQ(m.write_value(a - 4, w).fault, Fault::Unmapped);
  EXPECT_EQ(m.write_value(b - 4, w).fault, Fault::Unmapped);
  EXPECT_EQ(m.write_value(0, w).fault, Fault::Unmapped);
  EXPECT_THAT(m.write_value(0x10, w).str(), HasSubstr("unmapped address 0x10"));
  EXPECT_TRUE(m.free(a).ok());
  EXPECT_FALSE(m.free(a).ok());
  EXPECT_EQ(m.read_value(a, &back).fault, Fault::Unmapped);
  EXPECT_GT(*m.allocate(100), b) << "addresses are not given twice";
  DeviceMemory::Options read_only;
  read_only.permitted = Access::Read;
  const uint64_t c = *m.allocate(64, read_only);
  EXPECT_EQ(m.write_value(c, w).fault, Fault::NotPermitted);
  EXPECT_TRUE(m.poke(c, &w, 4).ok()) << "the loader may";
  EXPECT_TRUE(m.read_value(c, &back).ok());
  EXPECT_EQ(back, 7u);
}

/// Messages for an address: relative to the buffer it belongs to, or nearly does.
TEST(HsaMemory, AddressesAreToldByTheirBuffers) {
  DeviceMemory m;
  DeviceMemory::Options options;
  options.name = "buffer y";
  const uint64_t y = *m.allocate(4096, options);
  const uint64_t z = *m.allocate(100);
  const auto range = [](uint64_t va, unsigned bytes) {
    return fmt::format("({:#x}, {} bytes)", va, bytes);
  };
  const std::string of_y = "buffer y " + range(y, 4096);
  const std::string of_z = "the allocation " + range(z, 100);
  const auto place = [&m](uint64_t va, uint64_t bytes) { return m.space().place_of(0, va, bytes); };
  EXPECT_EQ(place(y + 4108, 4), "12 bytes beyond the end of " + of_y);
  EXPECT_EQ(place(y + 4097, 1), "1 byte beyond the end of " + of_y);
  EXPECT_EQ(place(y + 4096, 4), "right behind the end of " + of_y);
  EXPECT_EQ(place(y + 4094, 8), "6 bytes beyond the end of " + of_y) << "begins inside";
  EXPECT_EQ(place(y + 16, 4), "at offset 16 of " + of_y);
  EXPECT_EQ(place(y + 16, 0), "at offset 16 of " + of_y);
  EXPECT_EQ(place(y - 4, 4), "4 bytes before " + of_y);
  EXPECT_EQ(place(z - 8, 4), "8 bytes before " + of_z) << "nearer than the end of y";
  EXPECT_EQ(place(z + 100, 4), "right behind the end of " + of_z) << "what is read only";
  EXPECT_EQ(place(0, 4), "") << "nothing is near";
  EXPECT_EQ(place(~uint64_t{0}, 4), "");
  EXPECT_EQ(m.place_of(y + 4108, 4), ", 12 bytes beyond the end of " + of_y);
  EXPECT_EQ(m.place_of(0, 4), "");
  ASSERT_TRUE(m.free(y).ok());
  EXPECT_EQ(place(y + 8, 4), fmt::format("at offset 8 of buffer y ({:#x}, 4096 bytes, freed)", y));

  // An address space without names, such as a testbench's: what is mapped.
  AddressSpace plain;
  EXPECT_EQ(plain.place_of(0, 0x1000, 4), "");
  ASSERT_TRUE(plain.map(0x10000, 64, Access::ReadWrite).ok());
  EXPECT_EQ(plain.place_of(0, 0x10044, 4),
            "4 bytes beyond the end of the mapped range (0x10000, 64 bytes)");
  AddressSpace::Range own;
  own.va = 0x20000;
  own.bytes = 16;
  own.vmid = 3;
  ASSERT_TRUE(plain.map(own).ok());
  EXPECT_EQ(plain.place_of(3, 0x20018, 4),
            "8 bytes beyond the end of the mapped range (0x20000, 16 bytes)");
  EXPECT_EQ(plain.place_of(4, 0x20018, 4),
            "65496 bytes beyond the end of the mapped range (0x10000, 64 bytes)");
}

TEST(HsaMemory, BlocksStayWithinTheLimit) {
  DeviceMemory m;
  const uint64_t before = *m.allocate(1000);
  m.limit(5096);
  alignas(64) uint8_t host[65536] = {};
  EXPECT_TRUE(m.allocate_host(host, sizeof host, {}).ok()) << "not the device's";
  const auto refused = m.allocate(4097);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what, "4097 bytes do not fit: of 5096 bytes of memory 4096 are left");
  EXPECT_FALSE(m.reserve(4097, {}).ok());
  EXPECT_FALSE(m.allocate(~uint64_t{0}).ok());
  EXPECT_FALSE(m.allocate(~uint64_t{0} - 999).ok()) << "the sum wraps";
  const uint64_t rest = *m.allocate(4096);
  EXPECT_FALSE(m.allocate(1).ok());
  EXPECT_TRUE(m.free(before).ok());
  EXPECT_FALSE(m.allocate(1001).ok());
  EXPECT_TRUE(m.reserve(1000, {}).ok());
  EXPECT_FALSE(m.allocate(1).ok());
  m.limit(10);  // less than is there
  EXPECT_TRUE(m.free(rest).ok());
  EXPECT_FALSE(m.allocate(1).ok());
}

TEST(HsaMemory, MappedWithoutBacking) {
  alignas(8) uint8_t host[4096] = {};
  auto space = std::make_unique<AddressSpace>();
  ASSERT_TRUE(space->map(0x5000, 0x2000, Access::ReadWrite).ok());
  DeviceMemory m(std::make_unique<HostMemory>(0x5000, sizeof host, host), std::move(space), {});
  uint32_t w = 1;
  EXPECT_TRUE(m.write_value(0x5ffc, w).ok());
  EXPECT_EQ(m.write_value(0x6000, w).fault, Fault::NotBacked);
  EXPECT_EQ(m.atomic(0x6000, 4, AtomicOp::Add, 1, 0, nullptr).fault, Fault::NotBacked);
  EXPECT_FALSE(m.allocate_host(host, 8, {}).ok());
}

TEST(HsaMemory, AtomicsFromTwoThreads) {
  constexpr int kRounds = 100000;
  DeviceMemory m;
  const uint64_t a = *m.allocate(16);
  alignas(8) uint32_t host[2] = {0, 0};
  const uint64_t shared = *m.allocate_host(host, sizeof host, {});
  auto work = [&](uint64_t step) {
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_TRUE(m.atomic(a, 8, AtomicOp::Add, step, 0, nullptr).ok());
      ASSERT_TRUE(m.atomic(a + 8, 4, AtomicOp::Inc, 999, 0, nullptr).ok());
      // Use by a caller with floats: any function of the old value.
      ASSERT_TRUE(m.update(shared, 4, [](uint64_t old) { return old + 3; }, nullptr).ok());
    }
  };
  std::thread other(work, 1);
  work(uint64_t{1} << 32);
  other.join();
  uint64_t sum = 0;
  uint32_t wrapped = 0;
  ASSERT_TRUE(m.read_value(a, &sum).ok());
  ASSERT_TRUE(m.read_value(a + 8, &wrapped).ok());
  EXPECT_EQ(sum, (uint64_t{kRounds} << 32) + kRounds);
  EXPECT_EQ(wrapped, 2u * kRounds % 1000) << "0 to 999";
  EXPECT_EQ(host[0], 6u * kRounds);
  uint64_t old = 0;
  EXPECT_TRUE(m.atomic(a, 8, AtomicOp::Swap, 5, 0, &old).ok());
  EXPECT_EQ(old, sum);
  EXPECT_EQ(m.atomic(a + 2, 4, AtomicOp::Add, 1, 0, &old).fault, Fault::Misaligned);
  EXPECT_EQ(m.atomic(a + 4, 8, AtomicOp::Add, 1, 0, &old).fault, Fault::Misaligned);
  EXPECT_EQ(m.atomic(a + 16, 4, AtomicOp::Add, 1, 0, &old).fault, Fault::NotPermitted);
}

TEST(HsaMemory, FirstTouchFromTwoThreads) {
  DeviceMemory m;
  constexpr uint64_t kBytes = 64 * SparseMemory::kPageBytes;
  const uint64_t a = *m.allocate(kBytes);
  auto work = [&](uint64_t first) {
    for (uint64_t at = first; at < kBytes; at += SparseMemory::kPageBytes / 2) {
      ASSERT_TRUE(m.write_value(a + at, static_cast<uint32_t>(at)).ok());
    }
  };
  std::thread other(work, 4);
  work(0);
  other.join();
  for (uint64_t at = 0; at < kBytes; at += SparseMemory::kPageBytes / 2) {
    uint32_t pair[2] = {};
    ASSERT_TRUE(m.read_value(a + at, &pair).ok());
    ASSERT_EQ(pair[0], at);
    ASSERT_EQ(pair[1], at + 4);
  }
}

TEST(HsaSignal, OperationsOfAUserSignal) {
  for (const char* id : {"A224", "A225", "A227", "A228"}) Ledger::get().row(id);
  DeviceMemory m;
  auto s = Signal::create(m, -3);
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->handle() % 64, 0u);
  EXPECT_EQ(*s->load(), -3);
  EXPECT_TRUE(s->store(10).ok());
  const struct {
    AtomicOp op;
    int64_t operand, compare, after;
  } steps[] = {
      {AtomicOp::Add, 5, 0, 15},    {AtomicOp::Sub, 20, 0, -5}, {AtomicOp::SMax, 2, 0, 2},
      {AtomicOp::SMin, -7, 0, -7},  {AtomicOp::And, 12, 0, 8},  {AtomicOp::Or, 3, 0, 11},
      {AtomicOp::Xor, 1, 0, 10},    {AtomicOp::Swap, 4, 0, 4},  {AtomicOp::CmpSwap, 9, 4, 9},
      {AtomicOp::CmpSwap, 1, 4, 9}, {AtomicOp::Add, 1, 0, 10},  {AtomicOp::Sub, 1, 0, 9}};
  int64_t before = 10;
  for (const auto& step : steps) {
    EXPECT_EQ(*s->update(step.op, step.operand, step.compare), before) << static_cast<int>(step.op);
    EXPECT_EQ(*s->load(), step.after) << static_cast<int>(step.op);
    before = step.after;
  }
  EXPECT_FALSE(s->notify()->raised) << "no mailbox";
  const uint64_t mailbox = *m.allocate(8);
  ASSERT_TRUE(s->set_event(mailbox, 0x1234).ok());
  const auto event = s->notify();
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(event->raised);
  EXPECT_EQ(event->message, 0x34);
  uint64_t stored = 0;
  EXPECT_TRUE(m.read_value(mailbox, &stored).ok());
  EXPECT_EQ(stored, 0x1234u);
  ASSERT_TRUE(s->set_timestamps(100, 200).ok());
  EXPECT_EQ(s->contents()->start_ts, 100u);
  EXPECT_EQ(s->contents()->end_ts, 200u);
  EXPECT_FALSE(Signal(m, 0x40).load().ok()) << "unmapped";
  EXPECT_FALSE(Signal(m, s->handle() + 8).load().ok()) << "misaligned";
}

TEST(HsaSignal, DoorbellsAreWriteOnly) {
  for (const char* id : {"A232", "A233", "A234"}) Ledger::get().row(id);
  DeviceMemory m;
  const uint64_t reg = *m.allocate(8);
  auto d = Signal::create_doorbell(m, reg, 0x7000);
  ASSERT_TRUE(d.ok());
  EXPECT_FALSE(d->load().ok());
  EXPECT_FALSE(d->update(AtomicOp::Add, 1).ok());
  EXPECT_TRUE(d->store(41).ok());
  uint64_t seen = 0;
  EXPECT_TRUE(m.read_value(reg, &seen).ok());
  EXPECT_EQ(seen, 41u) << "the value goes to the register";
  EXPECT_EQ(d->contents()->queue_ptr, 0x7000u);
  const auto legacy = static_cast<int64_t>(SignalKind::LegacyDoorbell);
  ASSERT_TRUE(m.write_value(d->handle(), legacy).ok());
  EXPECT_FALSE(d->store(1).ok());
  EXPECT_FALSE(d->load().ok());
}

TEST(HsaQueue, ProducerAndPacketProcessor) {
  for (const char* id :
       {"A031", "A032", "A033", "A204", "A207", "A208", "A209", "A210", "A211", "A212"}) {
    Ledger::get().row(id);
  }
  DeviceMemory m;
  Queue::Config config;
  config.size = 4;
  config.id = 17;
  config.max_cu_id = 120;
  auto q = Queue::create(m, config);
  ASSERT_TRUE(q.ok()) << q.error().str();
  EXPECT_EQ(q->address() % 64, 0u);
  EXPECT_EQ(q->address() >> 32, (q->address() + 255) >> 32) << "not across 4 GiB";
  EXPECT_EQ(q->contents()->hsa_queue.id, 17u);
  EXPECT_EQ(q->contents()->max_cu_id, 120u);
  for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(q->header(i)->type, PacketType::Invalid);
  KernelDispatchPacket p;
  PacketHeader h;
  h.type = PacketType::KernelDispatch;
  p.header = encode(h);
  p.setup = 2;
  for (uint64_t i = 0; i < 4; ++i) {
    p.grid_size_x = static_cast<uint32_t>(100 + i);
    EXPECT_EQ(*q->submit(&p), i);
  }
  EXPECT_THAT(q->submit(&p).error().what, HasSubstr("full"));
  EXPECT_EQ(*q->load_write_index(), 4u) << "a full queue reserves nothing";

  auto processor = Queue::open(m, q->address());
  ASSERT_TRUE(processor.ok());
  EXPECT_EQ(processor->header(0)->type, PacketType::KernelDispatch);
  KernelDispatchPacket seen;
  ASSERT_TRUE(processor->read_packet(1, &seen).ok());
  EXPECT_EQ(seen.grid_size_x, 101u);
  EXPECT_EQ(dimensions(seen), 2u);
  ASSERT_TRUE(processor->retire(0).ok());
  ASSERT_TRUE(processor->store_read_index(1).ok());
  EXPECT_EQ(*q->load_read_index(), 1u);
  EXPECT_EQ(*q->submit(&p), 4u);
  EXPECT_EQ(q->packet_address(4), q->packet_address(0)) << "slot is index modulo size";
  EXPECT_EQ(q->packet_address(3) - q->packet_address(0), 192u);

  EXPECT_EQ(*q->add_write_index(3), 5u);
  EXPECT_EQ(*q->cas_write_index(8, 20), 8u);
  EXPECT_EQ(*q->cas_write_index(8, 30), 20u) << "not replaced";
  EXPECT_EQ(*q->load_write_index(), 20u);
  EXPECT_TRUE(q->store_write_index(6).ok());
  EXPECT_EQ(*q->load_write_index(), 6u);
  EXPECT_THAT(q->publish(1, &p).error().what, HasSubstr("in use"));
}

TEST(HsaQueue, BadQueuesAreRefused) {
  DeviceMemory m;
  Queue::Config config;
  config.size = 3;
  EXPECT_FALSE(Queue::create(m, config).ok());
  config.size = 0;
  EXPECT_FALSE(Queue::create(m, config).ok());
  config.size = 8;
  auto q = Queue::create(m, config);
  ASSERT_TRUE(q.ok());
  EXPECT_FALSE(Queue::open(m, q->address() + 8).ok()) << "misaligned";
  EXPECT_FALSE(Queue::open(m, 0x40).ok()) << "unmapped";
  const uint32_t odd = 24;
  ASSERT_TRUE(m.write_value(q->address() + 24, odd).ok());
  EXPECT_FALSE(Queue::open(m, q->address()).ok()) << "24 packets";
  const uint32_t larger = 64;
  ASSERT_TRUE(m.write_value(q->address() + 24, larger).ok());
  EXPECT_FALSE(Queue::open(m, q->address()).ok()) << "ring runs past its memory";
}

TEST(HsaQueue, TwoProducers) {
  DeviceMemory m;
  Queue::Config config;
  config.size = 1024;
  const auto q = Queue::create(m, config);
  ASSERT_TRUE(q.ok());
  auto produce = [&m, address = q->address()](uint32_t tag) {
    auto mine = Queue::open(m, address);
    ASSERT_TRUE(mine.ok());
    KernelDispatchPacket p;
    p.header = 2;
    for (uint32_t i = 0; i < 512; ++i) {
      p.grid_size_x = tag + i;
      ASSERT_TRUE(mine->submit(&p).ok());
    }
  };
  std::thread other(produce, 10000);
  produce(20000);
  other.join();
  std::set<uint32_t> seen;
  for (uint64_t i = 0; i < 1024; ++i) {
    KernelDispatchPacket p;
    ASSERT_TRUE(q->read_packet(i, &p).ok());
    EXPECT_EQ(p.header, 2);
    seen.insert(p.grid_size_x);
  }
  EXPECT_EQ(seen.size(), 1024u) << "every packet exactly once";
}

}  // namespace
}  // namespace cuvette::hsa
