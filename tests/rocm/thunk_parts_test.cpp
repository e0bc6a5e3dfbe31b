// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The parts of the driver one by one.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/decode.h"
#include "isa/text.h"
#include "thunk/engine.h"
#include "thunk/events.h"
#include "thunk/kernel_names.h"
#include "thunk/memory_map.h"
#include "thunk/settings.h"
#include "thunk/topology.h"
#include "thunk/trap_entry.h"

namespace cuvette::thunk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Buffer buffer(Buffer::Kind kind, uint64_t address, uint64_t bytes) {
  Buffer b;
  b.kind = kind;
  b.address = address;
  b.bytes = bytes;
  b.node = kFirstDevice;
  b.mapped_nodes = {kFirstDevice};
  return b;
}

TEST(MemoryMap, TranslatesWhatIsMappedToItself) {
  MemoryMap map;
  Buffer& b = map.add(buffer(Buffer::Kind::Allocated, 0x10000, 0x2000));
  auto t = map.translate(kFirstDevice, 0x11004, hsa::Access::ReadWrite);
  EXPECT_TRUE(t.ok());
  EXPECT_EQ(t.pa, 0x11004u);
  EXPECT_EQ(t.bytes, 0xffcu);
  EXPECT_EQ(map.translate(kFirstDevice, 0x12000, hsa::Access::Read).fault, hsa::Fault::Unmapped);
  EXPECT_EQ(map.translate(kFirstDevice, 0xffff, hsa::Access::Read).fault, hsa::Fault::Unmapped);
  b.mapped_nodes.clear();
  EXPECT_EQ(map.translate(kFirstDevice, 0x11004, hsa::Access::Read).fault, hsa::Fault::Unmapped);
}

TEST(MemoryMap, PermitsWhatTheFlagsSay) {
  MemoryMap map;
  Buffer& b = map.add(buffer(Buffer::Kind::Allocated, 0x10000, 0x1000));
  EXPECT_EQ(map.translate(kFirstDevice, 0x10000, hsa::Access::Execute).fault,
            hsa::Fault::NotPermitted);
  b.flags.ui32.ExecuteAccess = 1;
  EXPECT_TRUE(map.translate(kFirstDevice, 0x10000, hsa::Access::Execute).ok());
  b.flags.ui32.ReadOnly = 1;
  EXPECT_EQ(map.translate(kFirstDevice, 0x10000, hsa::Access::Write).fault,
            hsa::Fault::NotPermitted);
  EXPECT_EQ(map.translate(kFirstDevice, 0x10000, hsa::Access::Read).type,
            hsa::MemoryType::Uncached);
  b.flags.ui32.CoarseGrain = 1;
  EXPECT_EQ(map.translate(kFirstDevice, 0x10000, hsa::Access::Read).type,
            hsa::MemoryType::NonCoherent);
}

TEST(MemoryMap, UserMemoryIsSeenByWholePagesAndMayShareThem) {
  MemoryMap map;
  map.add(buffer(Buffer::Kind::User, 0x10010, 0x20));
  const Buffer& second = map.add(buffer(Buffer::Kind::User, 0x10f00, 0x200));
  EXPECT_TRUE(map.translate(kFirstDevice, 0x10800, hsa::Access::Read).ok());
  EXPECT_EQ(map.translate(kFirstDevice, 0x11080, hsa::Access::Read).bytes, 0xf80u);
  map.remove(second);
  EXPECT_TRUE(map.translate(kFirstDevice, 0x10f00, hsa::Access::Read).ok());
  EXPECT_FALSE(map.translate(kFirstDevice, 0x11000, hsa::Access::Read).ok());
  EXPECT_EQ(map.around(0x10800), nullptr);
  EXPECT_NE(map.around(0x1002f), nullptr);
}

TEST(MemoryMap, UserMemoryHasAddressesOfTheDevice) {
  MemoryMap map;
  Buffer b = buffer(Buffer::Kind::User, 0x10010, 0x20);
  b.device_address = 0x900010;
  map.add(b);
  EXPECT_EQ(map.translate(kFirstDevice, 0x900018, hsa::Access::Write).pa, 0x10018u);
  EXPECT_FALSE(map.translate(kFirstDevice, 0x10018, hsa::Access::Read).ok());
  EXPECT_EQ(map.seen_bytes(0x10018), 0xfe8u);
  EXPECT_EQ(map.seen_bytes(0x900018), 0u);
  EXPECT_EQ(map.around(0x900018), map.around(0x10018));
}

TEST(MemoryMap, EachDeviceSeesWhatIsMappedToIt) {
  MemoryMap map;
  map.add(buffer(Buffer::Kind::Allocated, 0x10000, 0x1000));
  Buffer far = buffer(Buffer::Kind::Allocated, 0x20000, 0x1000);
  far.mapped_nodes = {kFirstDevice + 1};
  map.add(far);
  map.add(buffer(Buffer::Kind::Scratch, 0x30000, 0x1000)).parts[0x30000] = 0x1000;
  const auto seen = [&map](uint32_t node) {
    std::vector<uint64_t> addresses;
    for (const uint64_t va : {0x10000, 0x20000, 0x30000}) {
      if (map.translate(node, va, hsa::Access::Read).ok()) addresses.push_back(va);
    }
    return addresses;
  };
  EXPECT_THAT(seen(kHostNode), ElementsAre());
  EXPECT_THAT(seen(kFirstDevice), ElementsAre(0x10000, 0x30000));
  EXPECT_THAT(seen(kFirstDevice + 1), ElementsAre(0x20000));
  // The bytes are there for what a cache writes back, whoever sees them.
  EXPECT_EQ(map.seen_bytes(0x20000), 0x1000u);
}

TEST(MemoryMap, ScratchIsSeenPieceByPiece) {
  MemoryMap map;
  Buffer& b = map.add(buffer(Buffer::Kind::Scratch, 0x100000, 0x100000));
  EXPECT_FALSE(map.translate(kFirstDevice, 0x104000, hsa::Access::Read).ok());
  b.parts[0x104000] = 0x2000;
  EXPECT_EQ(map.translate(kFirstDevice, 0x105000, hsa::Access::Read).bytes, 0x1000u);
  EXPECT_FALSE(map.translate(kFirstDevice, 0x106000, hsa::Access::Read).ok());
  EXPECT_FALSE(map.translate(kFirstDevice, 0x103fff, hsa::Access::Read).ok());
}

TEST(AddressArena, GivesNothingTwice) {
  AddressArena arena;
  auto* first = static_cast<uint8_t*>(arena.take(10'000, kPageBytes));
  ASSERT_NE(first, nullptr);
  first[9'999] = 1;
  AddressArena::give_back(first, 10'000);
  auto* second = static_cast<uint8_t*>(arena.take(100, 65536));
  ASSERT_NE(second, nullptr);
  EXPECT_GE(second, first + 3 * kPageBytes + kPageBytes);
  EXPECT_EQ(reinterpret_cast<uint64_t>(second) % 65536, 0u);
  EXPECT_EQ(second[99], 0);
  EXPECT_EQ(AddressArena::take_at(second, 4096), nullptr);
}

TEST(AddressArenaDeathTest, FreedMemoryAndThePageBehindFault) {
  AddressArena arena;
  auto* p = static_cast<volatile uint8_t*>(arena.take(4096, kPageBytes));
  EXPECT_DEATH(p[4096] = 1, "");
  AddressArena::give_back(const_cast<uint8_t*>(p), 4096);
  EXPECT_DEATH(p[0] = 1, "");
}

struct Events : testing::Test {
  uint64_t mailboxes[EventTable::kMost] = {};
  EventTable table{mailboxes};
  HsaEvent* make(bool manual, HSA_EVENTTYPE type = HSA_EVENTTYPE_SIGNAL) {
    HsaEventDescriptor d{};
    d.EventType = type;
    return table.create(d, manual, false);
  }
};

TEST_F(Events, HaveAnIdAndAMailbox) {
  HsaEvent* e = make(false);
  EXPECT_NE(e->EventId, 0u);
  EXPECT_EQ(+e->EventData.HWData2, reinterpret_cast<uint64_t>(mailboxes + e->EventId));
}

TEST_F(Events, ResetThemselvesUnlessManual) {
  HsaEvent* one = make(false);
  HsaEvent* two = make(true);
  table.raise(one->EventId);
  table.raise(two->EventId);
  EXPECT_EQ(table.wait(&one, 1, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(table.wait(&one, 1, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(table.wait(&two, 1, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(table.wait(&two, 1, true, 0), HSAKMT_STATUS_SUCCESS);
}

TEST_F(Events, WithoutAnIdThoseWhoseMailboxWasStoredTo) {
  HsaEvent* one = make(false);
  HsaEvent* two = make(false);
  mailboxes[two->EventId] = two->EventId;
  table.raise(0);
  EXPECT_EQ(table.wait(&one, 1, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(table.wait(&two, 1, true, 0), HSAKMT_STATUS_SUCCESS);
  table.raise(0);
  EXPECT_EQ(table.wait(&two, 1, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(Events, WaitForOneOrForAll) {
  HsaEvent* both[] = {make(false), make(false)};
  table.raise(both[1]->EventId);
  EXPECT_EQ(table.wait(both, 2, true, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(table.wait(both, 2, false, 1), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(table.wait(both, 2, false, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(Events, WakeWhoWaits) {
  HsaEvent* e = make(false);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    table.raise(e->EventId);
  });
  EXPECT_EQ(table.wait(&e, 1, true, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
  other.join();
}

/// One of the waiters may wait again at once: the signal that woke it is still one for the others.
TEST_F(Events, WakeEverybodyWhoWaits) {
  constexpr int kWaiters = 4;
  for (int round = 0; round < 50; ++round) {
    HsaEvent* e = make(false);
    std::atomic<int> woken = 0;
    std::vector<std::thread> waiters;
    waiters.reserve(kWaiters);
    for (int i = 0; i < kWaiters; ++i) {
      waiters.emplace_back([&] {
        if (table.wait(&e, 1, false, 20'000) == HSAKMT_STATUS_SUCCESS) ++woken;
      });
    }
    while (table.waiters(e) != kWaiters) std::this_thread::yield();
    table.set(e, true);
    for (auto& t : waiters) t.join();
    EXPECT_EQ(woken, kWaiters);
    EXPECT_TRUE(table.destroy(e));
  }
}

/// Who signals an event and then waits for it, as ROCr does when it destroys a queue, does not take
/// the signal from those that it is meant for.
TEST_F(Events, AreNotTakenFromWaitersByALaterOne) {
  for (int round = 0; round < 200; ++round) {
    HsaEvent* e = make(false);
    std::thread other([&] {
      EXPECT_EQ(table.wait(&e, 1, false, 20'000), HSAKMT_STATUS_SUCCESS);
      table.set(e, true);
    });
    while (table.waiters(e) == 0) std::this_thread::yield();
    table.set(e, true);
    EXPECT_EQ(table.wait(&e, 1, false, 20'000), HSAKMT_STATUS_SUCCESS);
    other.join();
    EXPECT_TRUE(table.destroy(e));
  }
}

/// Who is on the way to the wait when the signal comes does not miss it because others wait
/// already.
TEST_F(Events, AreThereForALateWaiter) {
  HsaEvent* e = make(false);
  std::thread other([&] { EXPECT_EQ(table.wait(&e, 1, false, 20'000), HSAKMT_STATUS_SUCCESS); });
  while (table.waiters(e) == 0) std::this_thread::yield();
  table.set(e, true);
  other.join();
  EXPECT_EQ(table.wait(&e, 1, false, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(table.wait(&e, 1, false, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(Events, StaySignalledWhenAWaitForAllIsOver) {
  HsaEvent* both[] = {make(false), make(false)};
  table.set(both[1], true);
  EXPECT_EQ(table.wait(both, 2, true, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(table.wait(both + 1, 1, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(table.wait(both + 1, 1, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(Events, ADestroyedOneEndsTheWait) {
  HsaEvent* e = make(false);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(table.destroy(e));
  });
  EXPECT_EQ(table.wait(&e, 1, true, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_WAIT_FAILURE);
  other.join();
  EXPECT_FALSE(table.destroy(e));
}

TEST_F(Events, OfMemoryTellTheFault) {
  HsaEvent* e = make(false, HSA_EVENTTYPE_MEMORY);
  HsaMemoryAccessFault fault{};
  fault.VirtualAddress = 0x1234000;
  fault.Failure.NotPresent = 1;
  table.raise_memory_fault(fault);
  EXPECT_EQ(table.wait(&e, 1, true, 0), HSAKMT_STATUS_SUCCESS);
  const HSAuint64 address = e->EventData.EventData.MemoryAccessFault.VirtualAddress;
  EXPECT_EQ(address, 0x1234000u);
}

TEST_F(Events, AreAsManyAsMailboxes) {
  for (uint32_t i = 1; i < EventTable::kMost; ++i) ASSERT_NE(make(false), nullptr);
  EXPECT_EQ(make(false), nullptr);
}

TEST(Settings, ComeFromTheEnvironment) {
  setenv("CUVETTE_ENGINE", "ca", 1);
  setenv("CUVETTE_MACHINE", "small", 1);
  setenv("CUVETTE_LOCKSTEP", "valu,lds:1/4", 1);
  const auto good = settings_from_environment();
  ASSERT_TRUE(good);
  EXPECT_EQ(good->engine.config, "small");
  EXPECT_THAT(good->engine.lockstep, ElementsAre("valu", "lds:1/4"));
  setenv("CUVETTE_ENGINE", "lt", 1);
  EXPECT_THAT(settings_from_environment().error().what, HasSubstr("CUVETTE_ENGINE=ca"));
  unsetenv("CUVETTE_LOCKSTEP");
  setenv("CUVETTE_THREADS", "many", 1);
  EXPECT_THAT(settings_from_environment().error().what, HasSubstr("found 'many'"));
  unsetenv("CUVETTE_THREADS");
  EXPECT_EQ(settings_from_environment()->devices, 1u);
  setenv("CUVETTE_DEVICES", "8", 1);
  EXPECT_EQ(settings_from_environment()->devices, 8u);
  setenv("CUVETTE_DEVICES", "9", 1);
  EXPECT_THAT(settings_from_environment().error().what, HasSubstr("a number from 1 to 8"));
  unsetenv("CUVETTE_DEVICES");
  setenv("CUVETTE_ENGINE", "quick", 1);
  EXPECT_THAT(settings_from_environment().error().what, HasSubstr("lt, ca or golden"));
}

TEST(Files, OfSeveralDevicesHaveTheirNumber) {
  EXPECT_EQ(file_of_device("a/b.pftrace", 0, 1), "a/b.pftrace");
  EXPECT_EQ(file_of_device("a/b.pftrace", 0, 2), "a/b.device0.pftrace");
  EXPECT_EQ(file_of_device("a.b/c", 12, 13), "a.b/c.device12");
  EXPECT_EQ(file_of_device("", 1, 2), "");
}

TEST(KernelNames, PlacesOfObjects) {
  ObjectPlace place;
  ASSERT_TRUE(parse_object_uri("file:///a%20b/c.so#offset=0x40&size=24", place));
  EXPECT_FALSE(place.in_memory);
  EXPECT_EQ(place.path, "/a b/c.so");
  EXPECT_EQ(place.offset, 0x40u);
  EXPECT_EQ(place.size, 24u);
  ASSERT_TRUE(parse_object_uri("memory://123#offset=0x7f00&size=0x10", place));
  EXPECT_TRUE(place.in_memory);
  EXPECT_EQ(place.offset, 0x7f00u);
  EXPECT_FALSE(parse_object_uri("http://host/file", place));
}

TEST(KernelNames, NobodyKnowsWithoutAList) {
  KernelNames names;
  EXPECT_EQ(names.of(0x1000), "kernel object 0x1000");
  names.list(reinterpret_cast<const void*>(8));  // not there
  EXPECT_EQ(names.of(0x2000), "kernel object 0x2000");
}

/// The words are those that the assembler's names say, on every target.
TEST(TrapEntry, JumpsToTheSecondLevel) {
  alignas(256) uint8_t page[TrapEntry::kBytes] = {};
  TrapEntry entry(page);
  EXPECT_EQ(entry.address(), 0u);
  entry.set_second_level(0x123456789000, 0xabcdef000);
  EXPECT_EQ(entry.address(), reinterpret_cast<uint64_t>(page));
  const char* expected[] = {"s_getreg_b32 ttmp12, hwreg(",
                            "s_mov_b32 ttmp11, 0",
                            "s_getpc_b64 ttmp[14:15]",
                            "s_load_dwordx2 ttmp[2:3], ttmp[14:15], ",
                            "s_load_dwordx2 ttmp[14:15], ttmp[14:15], ",
                            "s_waitcnt lgkmcnt(0)",
                            "s_setpc_b64 ttmp[2:3]"};
  uint32_t words[TrapEntry::kBytes / 4];
  std::memcpy(words, page, sizeof words);
  for (const isa::Target target : isa::kAllTargets) {
    size_t at = 0;
    uint64_t base = 0;
    std::vector<uint64_t> loaded;
    for (const char* text : expected) {
      const auto decoded = isa::decode(target, words + at, 4);
      ASSERT_EQ(decoded.status, isa::DecodeStatus::Legal) << text;
      EXPECT_THAT(isa::text(decoded.instruction), HasSubstr(text));
      at += decoded.instruction.length;
      if (std::string(text).find("getpc") != std::string::npos) base = 4 * at;
      if (std::string(text).find("s_load") != std::string::npos) {
        uint64_t value = 0;
        std::memcpy(&value, page + base + words[at - 1], sizeof value);
        loaded.push_back(value);
      }
    }
    EXPECT_THAT(loaded, ElementsAre(0x123456789000u, 0xabcdef000u));
  }
}

TEST(Topology, OfAnMi100) {
  const auto d = machine::load_description(CUVETTE_SOURCE_DIR "/config/mi100.yaml");
  ASSERT_TRUE(d);
  const auto t = Topology::create(*d);
  ASSERT_TRUE(t);
  const HsaNodeProperties& n = t->node(kFirstDevice);
  const HSAuint32 cores = n.NumFComputeCores, simds = n.NumSIMDPerCU, engines = n.NumShaderBanks;
  EXPECT_EQ(cores / simds, 120u);
  EXPECT_EQ(n.NumCUPerArray * engines * n.NumArrays, 120u);
  EXPECT_EQ(n.EngineId.ui32.Stepping, 8u);
  EXPECT_EQ(n.Capability.ui32.DoorbellType, 2u);
  EXPECT_EQ(t->banks(kFirstDevice).size(), 3u);
  EXPECT_EQ(t->banks(kFirstDevice)[0].HeapType, HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC);
  const HSAuint64 lds = t->banks(kFirstDevice)[1].VirtualBaseAddress;
  EXPECT_EQ(lds, d->shared_aperture);
  EXPECT_EQ(t->caches(kHostNode)[0].CacheType.ui32.CPU, 1u);
  ASSERT_EQ(t->links(kFirstDevice).size(), 1u);
  const HsaIoLinkProperties link = t->links(kFirstDevice)[0];
  EXPECT_EQ(link.NodeTo, kHostNode);
  const HSAuint64 hive = n.HiveID;
  EXPECT_EQ(hive, 0u);
}

}  // namespace
}  // namespace cuvette::thunk
