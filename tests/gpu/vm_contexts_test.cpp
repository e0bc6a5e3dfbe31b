// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Page tables of a VMID, entry by entry. Bits are written out here: of a directory entry valid 0,
// base 47:6, page 54; of a page entry valid 0, execute 4, read 5, write 6, base 47:12, memory type
// 58:57 (PTE and PDE format of Vega10 in the public gmc_v9_0 driver source).
#include "gpu/vm_contexts.h"

#include <map>

#include <gtest/gtest.h>

#include "hsa/queue_error.h"
#include "register_front_fixture.h"

namespace cuvette::gpu {
namespace {

using hsa::Access;
using hsa::Fault;
using hsa::MemoryType;
using Error = VmContexts::Error;

constexpr uint64_t kValid = 1, kExecute = 16, kRead = 32, kWrite = 64;
constexpr uint64_t kPage = uint64_t{1} << 54;

class VmContextsTest : public testing::Test {
 protected:
  VmContextsTest() : contexts_(around_) {
    contexts_.read_by([this](uint64_t pa, void* out, size_t bytes) {
      ++reads_;
      EXPECT_EQ(bytes, 8u);
      const auto found = memory_.find(pa);
      if (found == memory_.end()) return false;
      *static_cast<uint64_t*>(out) = found->second;
      return true;
    });
    EXPECT_TRUE(around_.map(0x5000, 0x1000, Access::ReadWrite));
  }
  hsa::Translation at(uint64_t va, Access access = Access::Read) {
    return contexts_.translate(3, va, access);
  }
  /// Tables at 0x10000 (root) to 0x40000, nothing in them.
  void four_levels() {
    VmContexts::Context c;
    c.enabled = true;
    c.depth = 3;
    c.root = 0x10000 | kValid;
    c.last = 0xfffffffff;
    contexts_.set(3, c);
    for (uint64_t table = 0x10000; table <= 0x40000; table += 0x10000) {
      for (uint64_t i = 0; i < 512; ++i) memory_[table + 8 * i] = 0;
    }
  }

  hsa::AddressSpace around_;
  VmContexts contexts_;
  std::map<uint64_t, uint64_t> memory_;
  unsigned reads_ = 0;
};

TEST_F(VmContextsTest, WithoutAContextTheAddressSpaceAroundAnswers) {
  EXPECT_EQ(at(0x5678).pa, 0x5678u);
  EXPECT_EQ(at(0x5678).bytes, 0x988u);
  EXPECT_EQ(at(0x6000).fault, Fault::Unmapped);
  four_levels();
  EXPECT_EQ(at(0x5678).fault, Fault::Unmapped) << "of the VMID alone";
  EXPECT_EQ(contexts_.translate(2, 0x5678, Access::Read).pa, 0x5678u);
  EXPECT_TRUE(contexts_.enabled(3));
  EXPECT_FALSE(contexts_.enabled(2));
  EXPECT_FALSE(contexts_.enabled(16));
}

TEST_F(VmContextsTest, FourLevelsOfNineBits) {
  four_levels();
  // 47:39 is 0x101, 38:30 is 0x002, 29:21 is 0x1ff, 20:12 is 0x103.
  const uint64_t va = uint64_t{0x101} << 39 | uint64_t{0x002} << 30 | uint64_t{0x1ff} << 21 |
                      uint64_t{0x103} << 12 | 0x45;
  const uint64_t canonical = va | uint64_t{0xffff} << 48;
  memory_[0x10000 + 8 * 0x101] = 0x20000 | kValid;
  memory_[0x20000 + 8 * 0x002] = 0x30000 | kValid;
  memory_[0x30000 + 8 * 0x1ff] = 0x40000 | kValid;
  memory_[0x40000 + 8 * 0x103] = 0x123456789000 | kValid | kRead | uint64_t{3} << 57;
  const auto t = at(canonical);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t.pa, 0x123456789045u);
  EXPECT_EQ(t.bytes, 0x1000u - 0x45);
  EXPECT_EQ(t.type, MemoryType::Uncached);
  EXPECT_EQ(reads_, 4u);
  EXPECT_EQ(at(va).fault, Fault::Unmapped) << "bit 47 is not repeated above";
  EXPECT_EQ(at(canonical, Access::Write).fault, Fault::NotPermitted);
  EXPECT_EQ(at(canonical + 0x1000).fault, Fault::Unmapped) << "its neighbour";
  // Every level may lack.
  const std::pair<uint64_t, unsigned> levels[] = {
      {0x30000 + 8 * 0x1ff, 0}, {0x20000 + 8 * 0x002, 1}, {0x10000 + 8 * 0x101, 2}};
  for (const auto& [entry, level] : levels) {
    memory_[entry] &= ~kValid;
    EXPECT_EQ(at(canonical).fault, Fault::Unmapped);
    const auto w = contexts_.walk(3, canonical);
    EXPECT_EQ(w.error, Error::Directory);
    EXPECT_EQ(w.level, level);
  }
  VmContexts::Context c;
  c.enabled = true;
  c.depth = 3;
  c.last = 0xfffffffff;
  c.root = 0x10000;
  contexts_.set(3, c);
  EXPECT_EQ(contexts_.walk(3, canonical).error, Error::Directory);
  EXPECT_EQ(contexts_.walk(3, canonical).level, 3u) << "the root";
}

TEST_F(VmContextsTest, PermissionsAreThoseOfThePageEntry) {
  four_levels();
  memory_[0x10000] = 0x20000 | kValid;
  memory_[0x20000] = 0x30000 | kValid;
  memory_[0x30000] = 0x40000 | kValid;
  const Access wanted[] = {Access::None,      Access::Read,    Access::Write,
                           Access::ReadWrite, Access::Execute, Access::All};
  for (unsigned bits = 0; bits < 8; ++bits) {
    memory_[0x40000] = 0x7000 | kValid | ((bits & 1) != 0 ? kRead : 0) |
                       ((bits & 2) != 0 ? kWrite : 0) | ((bits & 4) != 0 ? kExecute : 0);
    for (const Access access : wanted) {
      const bool may = (static_cast<unsigned>(access) & ~bits) == 0;
      EXPECT_EQ(at(0, access).fault, may ? Fault::None : Fault::NotPermitted)
          << bits << " " << static_cast<unsigned>(access);
    }
  }
  memory_[0x40000] = 0x7000 | kRead;
  EXPECT_EQ(at(0).fault, Fault::Unmapped) << "not valid";
}

TEST_F(VmContextsTest, DirectoryEntriesMayBePages) {
  four_levels();
  memory_[0x10000] = 0x20000 | kValid;
  memory_[0x20000 + 8] = 0x7c0000000 | kValid | kPage | kRead;  // 1 GiB
  memory_[0x20000] = 0x30000 | kValid;
  memory_[0x30000 + 8 * 3] = 0x8ee600000 | kValid | kPage | kRead | uint64_t{2} << 57;  // 2 MiB
  auto t = at(0x40000000 + 0x12345678);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t.pa, 0x7c0000000u + 0x12345678);
  EXPECT_EQ(t.bytes, 0x40000000u - 0x12345678);
  t = at(0x600000 + 0x1fffff);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t.pa, 0x8ee600000u + 0x1fffff);
  EXPECT_EQ(t.bytes, 1u);
  EXPECT_EQ(t.type, MemoryType::CoherentlyCached);
  EXPECT_EQ(at(0x600000, Access::Write).fault, Fault::NotPermitted);
}

TEST_F(VmContextsTest, RangesBoundAndFlatTablesBeginAtTheFirstPage) {
  VmContexts::Context c;
  c.enabled = true;
  c.root = 0x10000 | kValid;
  c.first = 0x100;
  c.last = 0x101;
  contexts_.set(3, c);
  memory_[0x10000] = 0x7000 | kValid | kRead;
  memory_[0x10008] = 0x3000 | kValid | kRead;
  memory_[0x10010] = 0x4000 | kValid | kRead;
  EXPECT_EQ(at(0x100123).pa, 0x7123u);
  EXPECT_EQ(at(0x101123).pa, 0x3123u);
  EXPECT_EQ(at(0xfffff).fault, Fault::Unmapped);
  EXPECT_EQ(at(0x102000).fault, Fault::Unmapped);
  EXPECT_EQ(contexts_.walk(3, 0x102000).error, Error::Range);
  EXPECT_EQ(contexts_.walk(3, uint64_t{1} << 48 | 0x100000).error, Error::Range);
  // The last page cuts what a larger one covers.
  four_levels();
  c.depth = 1;
  c.first = 0;
  c.last = 0x2;
  contexts_.set(3, c);
  memory_[0x10000] = 0x200000 | kValid | kPage | kRead;
  EXPECT_EQ(at(0x1800).bytes, 0x1800u);
}

TEST_F(VmContextsTest, BlockSizesWidenThePageTable) {
  VmContexts::Context c;
  c.enabled = true;
  c.depth = 1;
  c.block_size = 2;  // 2048 pages, 8 MiB
  c.root = 0x10000 | kValid;
  c.last = 0xfffff;
  contexts_.set(3, c);
  memory_[0x10000 + 8 * 5] = 0x20000 | kValid;
  memory_[0x20000 + 8 * 0x7ab] = 0x9000 | kValid | kRead;
  EXPECT_EQ(at(5 * 0x800000 + 0x7ab000).pa, 0x9000u);
  memory_[0x10000 + 8 * 5] = 0x40000000 | kValid | kRead | kPage;
  EXPECT_EQ(at(5 * 0x800000 + 0x7ab000).pa, 0x407ab000u);
  EXPECT_EQ(at(5 * 0x800000).bytes, 0x800000u);
}

TEST_F(VmContextsTest, WhatIsNotModelledOrNotThereIsAFault) {
  four_levels();
  memory_[0x10000] = 0x20000 | kValid;
  memory_[0x20000] = 0x30000 | kValid | uint64_t{9} << 59;  // block fragments
  EXPECT_EQ(at(0).fault, Fault::Unmapped);
  EXPECT_EQ(contexts_.walk(3, 0).error, Error::Malformed);
  memory_[0x20000] = 0x30000 | kValid;
  memory_[0x30000] = 0x40000 | kValid;
  memory_[0x40000] = 0x50000 | kValid | kRead | uint64_t{1} << 56;  // translate further
  EXPECT_EQ(contexts_.walk(3, 0).error, Error::Malformed);
  memory_[0x30000] = 0x90000 | kValid;  // nothing is there
  EXPECT_EQ(contexts_.walk(3, 0).error, Error::Memory);
  EXPECT_EQ(at(0).fault, Fault::NotBacked);
}

TEST_F(VmContextsTest, TheDoorbellApertureIsThereForStores) {
  constexpr uint64_t kAperture = 0x7e0000000000;
  EXPECT_EQ(at(kAperture, Access::Write).fault, Fault::Unmapped);
  contexts_.doorbells().place(true, kAperture);
  const auto t = at(kAperture + 0x18, Access::Write);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t.pa, kAperture + 0x18);
  EXPECT_EQ(t.bytes, 0x200000u - 0x18);
  EXPECT_EQ(t.type, MemoryType::Uncached);
  EXPECT_EQ(at(kAperture, Access::Read).fault, Fault::NotPermitted);
  EXPECT_EQ(at(kAperture, Access::ReadWrite).fault, Fault::NotPermitted);
  EXPECT_EQ(at(kAperture, Access::Execute).fault, Fault::NotPermitted);
  EXPECT_EQ(at(kAperture + 0x200000, Access::Write).fault, Fault::Unmapped);
  // With page tables it is where they say, and never cached.
  four_levels();
  EXPECT_EQ(at(kAperture, Access::Write).fault, Fault::Unmapped);
  memory_[0x10000] = 0x20000 | kValid;
  memory_[0x20000] = 0x30000 | kValid;
  memory_[0x30000] = 0x40000 | kValid;
  memory_[0x40000] = (kAperture + 0x1000) | kValid | kWrite;
  EXPECT_EQ(at(0x18, Access::Write).pa, kAperture + 0x1018);
  EXPECT_EQ(at(0x18, Access::Write).type, MemoryType::Uncached);
}

TEST(DoorbellAperture, RingsWhatIsWholeInItsLowerHalf) {
  constexpr uint64_t kAperture = 0x7e0000000000, kMegabytes2 = 0x200000;
  DoorbellAperture a;
  EXPECT_FALSE(a.covers(kAperture));
  a.place(true, kAperture);
  EXPECT_TRUE(a.covers(kAperture));
  EXPECT_TRUE(a.covers(kAperture + kMegabytes2 - 1));
  EXPECT_FALSE(a.covers(kAperture - 1));
  EXPECT_FALSE(a.covers(kAperture + kMegabytes2));
  uint8_t data[64];
  for (unsigned i = 0; i < 64; ++i) data[i] = static_cast<uint8_t>(i + 1);
  // A whole one, 4 bytes of one, 3 bytes of one, the upper half of one.
  const uint64_t mask =
      uint64_t{0xff} << 8 | uint64_t{0xf} << 24 | uint64_t{0x7} << 32 | uint64_t{0xf0} << 48;
  const auto found = a.rung(kAperture + 0x40, data, mask);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].index, 9u);
  EXPECT_EQ(found[0].value, 0x100f0e0d0c0b0a09u);
  EXPECT_EQ(found[1].index, 11u);
  EXPECT_EQ(found[1].value, 0x1c1b1a19u);
  // Bytes from the middle of a doorbell on.
  const auto second = a.rung(kAperture + 4, data, 0xff0);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].index, 1u);
  EXPECT_EQ(second[0].value, 0x0c0b0a0908070605u);
}

// ---- by the registers ----

class VmRegistersTest : public MmioRegistersTest {
 protected:
  static Reg nth(Reg first, unsigned i) {
    return static_cast<Reg>(static_cast<unsigned>(first) + i);
  }
  /// VMID 9: one flat table of two pages for pages 0x100 and 0x101.
  void enable() {
    hsa::DeviceMemory::Options page;
    page.alignment = 4096;
    table_ = *memory_.allocate(4096, page);
    put(0, 0x7000 | kValid | kRead);
    put(1, 0);
    write(nth(Reg::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, 18),
          static_cast<uint32_t>(table_ | kValid));
    write(nth(Reg::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32, 18), static_cast<uint32_t>(table_ >> 32));
    write(nth(Reg::VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32, 18), 0x100);
    write(nth(Reg::VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32, 18), 0x101);
    write(nth(Reg::VM_CONTEXT0_CNTL, 9), 0x7ffe81);
  }
  void put(unsigned index, uint64_t entry) {
    EXPECT_TRUE(memory_.write_value(table_ + 8 * index, entry));
  }
  /// A memory fault of a queue of VMID 9: VM_L2_PROTECTION_FAULT_STATUS without the VMID.
  uint32_t fault(uint64_t address) {
    write(Reg::VM_L2_PROTECTION_FAULT_CNTL, 1);
    MmioRegisters::RingEntry entry;
    route_ = front_.route(now_, {hsa::kQueueErrorMemoryFault, 100, address}, entry);
    const uint32_t word = read(Reg::VM_L2_PROTECTION_FAULT_STATUS);
    EXPECT_EQ(word >> 20, 9u) << "VMID";
    EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_ADDR_LO32), static_cast<uint32_t>(address >> 12));
    return word & 0xfffff;
  }
  uint64_t table_ = 0;
  MmioRegisters::Route route_ = MmioRegisters::Route::Direct;
};

TEST_F(VmRegistersTest, RegistersSwitchAContextOnAndOff) {
  EXPECT_FALSE(contexts_.enabled(9));
  enable();
  EXPECT_TRUE(contexts_.enabled(9));
  EXPECT_FALSE(contexts_.enabled(8));
  EXPECT_EQ(contexts_.translate(9, 0x100040, Access::Read).pa, 0x7040u);
  EXPECT_EQ(contexts_.translate(9, 0x100040, Access::Write).fault, Fault::NotPermitted);
  EXPECT_EQ(contexts_.translate(8, table_, Access::Read).pa, table_) << "as the host sees it";
  write(Reg::VM_CONTEXTS_DISABLE, 1u << 9);
  EXPECT_FALSE(contexts_.enabled(9));
  write(Reg::VM_CONTEXTS_DISABLE, 1u << 8);
  EXPECT_TRUE(contexts_.enabled(9));
  write(nth(Reg::VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32, 18), 0xf);
  write(nth(Reg::VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32, 18), 0xf);
  EXPECT_EQ(contexts_.translate(9, 0xf00100040, Access::Read).fault, Fault::Unmapped);
  EXPECT_EQ(contexts_.walk(9, 0xfffff00000100040).error, Error::None) << "36 bits of pages";
  write(nth(Reg::VM_CONTEXT0_CNTL, 9), 0x7ffe80);
  EXPECT_FALSE(contexts_.enabled(9));
  EXPECT_TRUE(front_.take_reports().empty());
}

TEST_F(VmRegistersTest, FaultsSayWhereTheWalkEnded) {
  start_engines();
  load(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  enable();
  constexpr uint32_t kMissingValid = 1 << 4, kMissingWrite = 4 << 4, kMissingRead = 2 << 4;
  constexpr uint32_t kRangeError = 1 << 1, kNoPageTable = 2 << 1, kIsWrite = 1 << 18;
  EXPECT_EQ(fault(0x100000), kMissingWrite | kIsWrite);
  EXPECT_EQ(fault(0x101000), kMissingValid);
  EXPECT_EQ(fault(0x102000), kMissingValid | kRangeError);
  put(1, 0x8000 | kValid | kWrite);
  EXPECT_EQ(fault(0x101000), kMissingRead);
  put(1, 0x8000 | kValid | kRead | uint64_t{1} << 56);
  EXPECT_EQ(fault(0x101000), 1u << 8) << "MAPPING_ERROR";
  write(nth(Reg::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, 18), 0);
  EXPECT_EQ(fault(0x101000), kMissingValid | kNoPageTable);
  EXPECT_EQ(route_, MmioRegisters::Route::Direct);
  // The first one stays; an invalidation may clear it, too.
  MmioRegisters::RingEntry entry;
  front_.route(now_, {hsa::kQueueErrorMemoryFault, 100, 0x555000}, entry);
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_STATUS) & 0xfffff, kMissingValid | kNoPageTable | 1);
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_ADDR_LO32), 0x101u);
  write(Reg::VM_INVALIDATE_ENG0_REQ, 1u << 23 | 1u << 9);
  EXPECT_EQ(read(Reg::VM_L2_PROTECTION_FAULT_STATUS), 0u);
  EXPECT_EQ(read(Reg::VM_INVALIDATE_ENG0_ACK), 1u << 9);
}

TEST_F(VmRegistersTest, AContextMayWantNoInterrupt) {
  start_engines();
  load(1, 2, 3);
  write(Reg::CP_HQD_ACTIVE, 1);
  enable();
  put(1, 0x8000 | kValid | kWrite);
  struct Case {
    uint64_t address;
    unsigned enable;  // bit of VM_CONTEXTn_CNTL
  };
  for (const Case& c : {Case{0x102000, 9}, Case{0x101000, 17}, Case{0x100000, 19}}) {
    write(nth(Reg::VM_CONTEXT0_CNTL, 9), 1 | 1u << c.enable);
    fault(c.address);
    EXPECT_EQ(route_, MmioRegisters::Route::Direct) << c.enable;
    write(nth(Reg::VM_CONTEXT0_CNTL, 9), 0x7ffe81 & ~(1u << c.enable));
    fault(c.address);
    EXPECT_EQ(route_, MmioRegisters::Route::Masked) << c.enable;
  }
  put(1, 0);
  write(nth(Reg::VM_CONTEXT0_CNTL, 9), 0x7ffe81 & ~(1u << 15));
  fault(0x101000);
  EXPECT_EQ(route_, MmioRegisters::Route::Masked) << "valid";
  write(nth(Reg::VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32, 18), 0);
  fault(0x101000);
  EXPECT_EQ(route_, MmioRegisters::Route::Direct);
  write(nth(Reg::VM_CONTEXT0_CNTL, 9), 0x7ffe81 & ~(1u << 13));
  fault(0x101000);
  EXPECT_EQ(route_, MmioRegisters::Route::Masked) << "directory";
}

}  // namespace
}  // namespace cuvette::gpu
