// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Several devices behind the functions of the thunk: nodes and links, what each device sees, queues
// that wait for each other, faults by node.
#include <array>
#include <set>
#include <vector>

#include <unistd.h>

#include "sdma_packets.h"
#include "thunk_device.h"

namespace {

using namespace cuvette_test;
using cuvette::sdma_packets::copy;

constexpr HSAuint32 kSecond = 2, kNobody = 3;

uint64_t address(const void* p) {
  return reinterpret_cast<uint64_t>(p);
}

HSAKMT_STATUS map_to(void* p, std::vector<HSAuint32> nodes) {
  HSAuint64 seen = 0;
  return hsaKmtMapMemoryToGPUNodes(p, kPage, &seen, HsaMemMapFlags{}, nodes.size(), nodes.data());
}

std::set<HSAuint32> mapped_nodes(const void* p) {
  HsaPointerInfo info;
  EXPECT_EQ(hsaKmtQueryPointerInfo(p, &info), HSAKMT_STATUS_SUCCESS);
  return {info.MappedNodes, info.MappedNodes + info.NMappedNodes};
}

TEST(Devices, HaveNodesOfTheirOwn) {
  const Thunk thunk("golden", 2);
  HsaSystemProperties system{};
  ASSERT_EQ(hsaKmtAcquireSystemProperties(&system), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(+system.NumNodes, 3u);
  std::array<HsaNodeProperties, 3> n{};
  for (HSAuint32 i = 0; i < 3; ++i) {
    ASSERT_EQ(hsaKmtGetNodeProperties(i, &n[i]), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(n[i].NumFComputeCores != 0, i != kHost);
    EXPECT_EQ(n[i].NumCPUCores != 0, i == kHost);
  }
  EXPECT_EQ(+n[1].LocationId, 0x100u);
  EXPECT_EQ(+n[2].LocationId, 0x200u);
  EXPECT_NE(+n[1].UniqueID, +n[2].UniqueID);
  EXPECT_EQ(+n[2].FComputeIdLo, n[1].FComputeIdLo + n[1].NumFComputeCores);
  EXPECT_EQ(+n[1].LocalMemSize, +n[2].LocalMemSize);
}

struct Link {
  HSA_IOLINKTYPE type;
  unsigned weight;
};
/// From every node to every other one, by what the machine has for links between devices.
void check_links(const char* machine, Link peers, bool hive) {
  const Thunk thunk("golden", 3, machine);
  for (HSAuint32 from = 0; from < 4; ++from) {
    HsaNodeProperties n{};
    ASSERT_EQ(hsaKmtGetNodeProperties(from, &n), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(+n.NumIOLinks, 3u);
    EXPECT_EQ(n.HiveID != 0, hive && from != kHost);
    HsaIoLinkProperties links[4];
    EXPECT_EQ(hsaKmtGetNodeIoLinkProperties(from, 4, links), HSAKMT_STATUS_INVALID_PARAMETER);
    ASSERT_EQ(hsaKmtGetNodeIoLinkProperties(from, 3, links), HSAKMT_STATUS_SUCCESS);
    std::set<HSAuint32> reached{from};
    for (int i = 0; i < 3; ++i) {
      const HsaIoLinkProperties& l = links[i];
      const Link expected =
          from == kHost || l.NodeTo == kHost ? Link{HSA_IOLINKTYPE_PCIEXPRESS, 20} : peers;
      EXPECT_EQ(+l.NodeFrom, from);
      EXPECT_EQ(l.IoLinkType, expected.type);
      EXPECT_EQ(+l.Weight, expected.weight);
      reached.insert(l.NodeTo);
    }
    EXPECT_EQ(reached.size(), 4u);
  }
}
TEST(Devices, ReachEachOtherThroughTheHost) {
  check_links("small", {HSA_IOLINKTYPE_PCIEXPRESS, 40}, false);
}
TEST(Devices, ReachEachOtherByXgmi) {
  check_links("mi100", {HSA_IOLINK_TYPE_XGMI, 15}, true);
}

TEST(Devices, WrongNodesAreNoUnits) {
  const Thunk thunk("golden", 2);
  constexpr auto kWrong = HSAKMT_STATUS_INVALID_NODE_UNIT;
  HsaNodeProperties node;
  HsaMemoryProperties bank;
  HsaCacheProperties cache;
  HsaIoLinkProperties link;
  HsaClockCounters clock;
  HsaGpuTileConfig tiles;
  HsaQueueResource resource{};
  void* p = nullptr;
  EXPECT_EQ(hsaKmtGetNodeProperties(kNobody, &node), kWrong);
  EXPECT_EQ(hsaKmtGetNodeMemoryProperties(kNobody, 1, &bank), kWrong);
  EXPECT_EQ(hsaKmtGetNodeCacheProperties(kNobody, 0, 1, &cache), kWrong);
  EXPECT_EQ(hsaKmtGetNodeIoLinkProperties(kNobody, 1, &link), kWrong);
  EXPECT_EQ(hsaKmtGetClockCounters(kNobody, &clock), kWrong);
  EXPECT_EQ(hsaKmtAllocMemory(kNobody, kPage, device_flags(), &p), kWrong);
  EXPECT_EQ(hsaKmtSetMemoryPolicy(kNobody, 0, 0, nullptr, 0), kWrong);
  void* ring = allocate(kPage);
  for (const HSAuint32 none : {kHost, kNobody}) {  // no device there
    EXPECT_EQ(hsaKmtGetTileConfig(none, &tiles), kWrong);
    EXPECT_EQ(hsaKmtSetTrapHandler(none, nullptr, 0, nullptr, 0), kWrong);
    EXPECT_EQ(hsaKmtDbgRegister(none), kWrong);
    EXPECT_EQ(hsaKmtSPMAcquire(none), kWrong);
    EXPECT_EQ(hsaKmtCreateQueue(none, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage,
                                nullptr, &resource),
              kWrong);
  }
  EXPECT_EQ(map_to(ring, {kDevice, kNobody}), kWrong);
  HSAuint32 nodes[] = {kSecond, kNobody};
  EXPECT_EQ(hsaKmtRegisterMemoryToNodes(&node, sizeof node, 2, nodes), kWrong);
  EXPECT_EQ(mapped_nodes(ring), (std::set<HSAuint32>{kDevice, kSecond}));  // as it was
  // Queues of devices that are not there.
  for (const HSA_QUEUEID id :
       {HSA_QUEUEID{1}, HSA_QUEUEID{4097}, HSA_QUEUEID{1} << 40, ~HSA_QUEUEID{0}}) {
    EXPECT_EQ(hsaKmtDestroyQueue(id), HSAKMT_STATUS_ERROR) << id;
  }
}

TEST(Devices, SeeWhatIsMappedToThem) {
  const Thunk thunk("golden", 2);
  void* p = allocate(kPage, false);
  HsaQueueResource r{};
  const auto queue_on = [&](HSAuint32 node) {
    const auto status = hsaKmtCreateQueue(node, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, p,
                                          kPage, nullptr, &r);
    if (status == HSAKMT_STATUS_SUCCESS) {
      EXPECT_EQ(hsaKmtDestroyQueue(r.QueueId), HSAKMT_STATUS_SUCCESS);
    }
    return status;
  };
  EXPECT_EQ(mapped_nodes(p), std::set<HSAuint32>{});
  // Memory of the first device, seen by the second one alone.
  ASSERT_EQ(map_to(p, {kSecond}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mapped_nodes(p), std::set<HSAuint32>{kSecond});
  EXPECT_EQ(queue_on(kDevice), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(queue_on(kSecond), HSAKMT_STATUS_SUCCESS);
  // A list of nodes replaces the one before.
  ASSERT_EQ(map_to(p, {kDevice}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mapped_nodes(p), std::set<HSAuint32>{kDevice});
  EXPECT_EQ(queue_on(kDevice), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(queue_on(kSecond), HSAKMT_STATUS_ERROR);
  ASSERT_EQ(map_to(p, {kSecond, kDevice, kSecond}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mapped_nodes(p), (std::set<HSAuint32>{kDevice, kSecond}));
  EXPECT_EQ(map_to(p, {kHost}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(map_to(p, {kDevice, kHost}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(mapped_nodes(p), (std::set<HSAuint32>{kDevice, kSecond}));
  EXPECT_EQ(hsaKmtFreeMemory(p, kPage), HSAKMT_STATUS_ERROR);  // seen
  ASSERT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mapped_nodes(p), std::set<HSAuint32>{});
  // Without a list: all devices, or those that it was registered for.
  ASSERT_EQ(hsaKmtMapMemoryToGPU(p, kPage, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mapped_nodes(p), (std::set<HSAuint32>{kDevice, kSecond}));
  ASSERT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
  HSAuint32 second[] = {kSecond};
  ASSERT_EQ(hsaKmtRegisterMemoryToNodes(p, kPage, 1, second), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(map_to(p, {kDevice}), HSAKMT_STATUS_ERROR);
  ASSERT_EQ(hsaKmtMapMemoryToGPU(p, kPage, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mapped_nodes(p), std::set<HSAuint32>{kSecond});
  ASSERT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtFreeMemory(p, kPage), HSAKMT_STATUS_SUCCESS);
}

/// Lists of nodes do not matter there: the registration says which devices see it.
TEST(Devices, SeeMemoryOfTheProcessThatIsRegisteredForThem) {
  const Thunk thunk("golden", 2);
  std::vector<uint8_t> all(kPage), one(kPage);
  ASSERT_EQ(hsaKmtRegisterMemory(all.data(), kPage), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(map_to(all.data(), {kDevice}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mapped_nodes(all.data()), (std::set<HSAuint32>{kDevice, kSecond}));
  HSAuint32 nodes[] = {kHost, kSecond};
  ASSERT_EQ(hsaKmtRegisterMemoryToNodes(one.data(), kPage, 2, nodes), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(map_to(one.data(), {kDevice}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mapped_nodes(one.data()), std::set<HSAuint32>{kSecond});
  for (auto* p : {all.data(), one.data()}) {
    EXPECT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtDeregisterMemory(p), HSAKMT_STATUS_SUCCESS);
  }
}

TEST(Devices, HaveTheCapacityOfTheirOwnMemory) {
  const Thunk thunk("golden", 2);
  HsaMemoryProperties bank;
  ASSERT_EQ(hsaKmtGetNodeMemoryProperties(kSecond, 1, &bank), HSAKMT_STATUS_SUCCESS);
  void *first = nullptr, *second = nullptr, *more = nullptr;
  const HSAuint64 bytes = bank.SizeInBytes;
  ASSERT_EQ(hsaKmtAllocMemory(kDevice, bytes, device_flags(), &first), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(hsaKmtAllocMemory(kSecond, bytes, device_flags(), &second), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocMemory(kSecond, kPage, device_flags(), &more), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(hsaKmtFreeMemory(first, bytes), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocMemory(kSecond, kPage, device_flags(), &more), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(hsaKmtAllocMemory(kDevice, kPage, device_flags(), &more), HSAKMT_STATUS_SUCCESS);
}

TEST(Devices, HaveOneClock) {
  const Thunk thunk("lt", 2);
  HsaClockCounters last{}, now{};
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(hsaKmtGetClockCounters(i % 2 == 0 ? kDevice : kSecond, &now), HSAKMT_STATUS_SUCCESS);
    EXPECT_GT(+now.GPUClockCounter, +last.GPUClockCounter);
    EXPECT_GE(+now.SystemClockCounter, +last.SystemClockCounter);
    last = now;
  }
}

/// A chain of barrier packets: each waits for the one before, which is in the other device's queue.
void run_chain(const char* engine) {
  const Thunk thunk(engine, 2);
  constexpr int kSteps = 20;
  RawQueue q[2] = {RawQueue(16, kDevice), RawQueue(16, kSecond)};
  for (auto& queue : q) ASSERT_EQ(queue.create(), HSAKMT_STATUS_SUCCESS);
  EXPECT_NE(q[0].resource.QueueId, q[1].resource.QueueId);
  auto* const memory = static_cast<uint8_t*>(allocate(kPage));
  std::vector<hsa::AmdSignal*> signals;
  for (int i = 0; i <= kSteps; ++i) {
    signals.push_back(new (memory + 64 * i) hsa::AmdSignal);
    signals.back()->kind = 1;
    signals.back()->value = 1;
  }
  const auto value = [&](int i) { return __atomic_load_n(&signals[i]->value, __ATOMIC_ACQUIRE); };
  for (int i = 0; i < kSteps; ++i) q[i % 2].submit(signals[i + 1], signals[i]);
  usleep(20'000);
  for (int i = 1; i <= kSteps; ++i) EXPECT_EQ(value(i), 1) << i;  // all wait
  __atomic_store_n(&signals[0]->value, 0, __ATOMIC_RELEASE);
  for (int i = 0; i < 10'000 && value(kSteps) != 0; ++i) usleep(1000);
  for (int i = 1; i <= kSteps; ++i) EXPECT_EQ(value(i), 0) << i;
  for (auto& queue : q) {
    EXPECT_EQ(queue.queue->read_dispatch_id, kSteps / 2);
    EXPECT_EQ(hsaKmtDestroyQueue(queue.resource.QueueId), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtDestroyQueue(queue.resource.QueueId), HSAKMT_STATUS_ERROR);
  }
}
TEST(Devices, WaitForEachOtherOnGolden) {
  run_chain("golden");
}
TEST(Devices, WaitForEachOtherOnLt) {
  run_chain("lt");
}
TEST(Devices, WaitForEachOtherOnCa) {
  run_chain("ca");
}

/// Copies of the second device: from memory of the first one while it is mapped; behind that, a
/// fault with the second device's node.
void run_copies(const char* engine) {
  const Thunk thunk(engine, 2);
  HsaEventDescriptor d{};
  d.EventType = HSA_EVENTTYPE_MEMORY;
  HsaEvent* fault = nullptr;
  ASSERT_EQ(hsaKmtCreateEvent(&d, false, false, &fault), HSAKMT_STATUS_SUCCESS);
  auto* const far = static_cast<uint8_t*>(allocate(kPage, false));
  auto* const own = static_cast<uint8_t*>(allocate(kPage, true, kSecond));
  auto* const ring = static_cast<uint8_t*>(allocate(kPage, true, kSecond));
  for (HSAuint64 i = 0; i < kPage; ++i) far[i] = static_cast<uint8_t>(i * 7 + 3);
  ASSERT_EQ(map_to(far, {kSecond}), HSAKMT_STATUS_SUCCESS);
  HsaQueueResource r{};
  ASSERT_EQ(hsaKmtCreateQueue(kSecond, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage,
                              nullptr, &r),
            HSAKMT_STATUS_SUCCESS);
  uint64_t write = 0;
  const auto submit = [&](const void* from, void* to, uint32_t bytes) {
    const auto packet = copy(address(from), address(to), bytes);
    for (const uint32_t w : packet.words()) {
      std::memcpy(ring + write, &w, sizeof w);
      write += sizeof w;
    }
    *r.Queue_write_ptr_aql = write;
    __atomic_store_n(r.Queue_DoorBell_aql, write, __ATOMIC_RELEASE);
  };
  const auto read = [&] { return __atomic_load_n(r.Queue_read_ptr_aql, __ATOMIC_ACQUIRE); };
  submit(far + 5, own, 1000);
  for (int i = 0; i < 10'000 && read() != write; ++i) usleep(1000);
  ASSERT_EQ(read(), write);
  EXPECT_EQ(std::memcmp(own, far + 5, 1000), 0);
  EXPECT_EQ(hsaKmtWaitOnEvent(fault, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  ASSERT_EQ(map_to(far, {kDevice}), HSAKMT_STATUS_SUCCESS);
  submit(far, own, 8);
  ASSERT_EQ(hsaKmtWaitOnEvent(fault, 10'000), HSAKMT_STATUS_SUCCESS);
  const HsaMemoryAccessFault& told = fault->EventData.EventData.MemoryAccessFault;
  EXPECT_EQ(+told.NodeId, kSecond);
  EXPECT_EQ(+told.VirtualAddress, address(far));
  EXPECT_EQ(+told.Failure.NotPresent, 1u);
}
TEST(Devices, CopyFromEachOtherOnGolden) {
  run_copies("golden");
}
TEST(Devices, CopyFromEachOtherOnLt) {
  run_copies("lt");
}
TEST(Devices, CopyFromEachOtherOnCa) {
  run_copies("ca");
}

/// One queue of each device may have the global wave sync.
TEST(Devices, HaveAGlobalWaveSyncEach) {
  const Thunk thunk("golden", 2);
  RawQueue a(16, kDevice), b(16, kSecond), c(16, kSecond);
  for (auto* q : {&a, &b, &c}) ASSERT_EQ(q->create(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocQueueGWS(a.resource.QueueId, 1, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocQueueGWS(b.resource.QueueId, 1, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocQueueGWS(c.resource.QueueId, 1, nullptr), HSAKMT_STATUS_OUT_OF_RESOURCES);
}

TEST(Devices, AreFromOneToEight) {
  for (const char* number : {"0", "9", "two", "-1", "1.5", "2 "}) {
    setenv("CUVETTE_DEVICES", number, 1);
    testing::internal::CaptureStderr();
    EXPECT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
    EXPECT_EQ(
        testing::internal::GetCapturedStderr(),
        std::string("cuvette: error: CUVETTE_DEVICES: expected a number from 1 to 8, found '") +
            number + "'\n");
  }
  const Thunk thunk("golden", 8);
  HsaSystemProperties system{};
  ASSERT_EQ(hsaKmtAcquireSystemProperties(&system), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(+system.NumNodes, 9u);
  RawQueue last(16, 8);
  last.signal->value = 1;
  ASSERT_EQ(last.create(), HSAKMT_STATUS_SUCCESS);
  last.submit();
  for (int i = 0; i < 10'000 && __atomic_load_n(&last.signal->value, __ATOMIC_ACQUIRE) != 0; ++i) {
    usleep(1000);
  }
  EXPECT_EQ(__atomic_load_n(&last.signal->value, __ATOMIC_ACQUIRE), 0);
}

}  // namespace
