// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The functions of the thunk, called in ways that runtimes do not, against what the driver library
// says.
#include <sys/wait.h>
#include <unistd.h>

#include "thunk_device.h"

namespace {

using namespace cuvette_test;

TEST(Calls, NothingWorksBeforeOpenAndAfterClose) {
  HsaSystemProperties p;
  EXPECT_EQ(hsaKmtAcquireSystemProperties(&p), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  {
    const Thunk thunk("lt");
    EXPECT_EQ(hsaKmtAcquireSystemProperties(&p), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
    EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtAcquireSystemProperties(&p), HSAKMT_STATUS_SUCCESS);
  }
  EXPECT_EQ(hsaKmtAcquireSystemProperties(&p), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  const Thunk again("lt");
  EXPECT_EQ(hsaKmtAcquireSystemProperties(&p), HSAKMT_STATUS_SUCCESS);
}

TEST(Calls, AChildOfForkHasNoDevice) {
  const Thunk thunk("golden");
  const pid_t child = fork();
  if (child == 0) {
    HsaVersionInfo v;
    const bool refused = hsaKmtGetVersion(&v) == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED &&
                         hsaKmtOpenKFD() == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Calls, ClocksAscendInAFixedRatio) {
  const Thunk thunk("lt");
  HsaClockCounters first, last;
  ASSERT_EQ(hsaKmtGetClockCounters(kDevice, &first), HSAKMT_STATUS_SUCCESS);
  for (int i = 0; i < 3004; ++i) ASSERT_EQ(hsaKmtGetClockCounters(kDevice, &last), 0);
  EXPECT_GE(+last.GPUClockCounter, first.GPUClockCounter + 3004);
  const auto cycles = static_cast<double>(last.GPUClockCounter - first.GPUClockCounter);
  const auto time = static_cast<double>(last.SystemClockCounter - first.SystemClockCounter);
  EXPECT_NEAR(time, cycles / 1.502, 2);
}

TEST(Calls, MemoryBelowTheCapacityOnly) {
  const Thunk thunk("golden");
  HsaMemoryProperties bank;
  ASSERT_EQ(hsaKmtGetNodeMemoryProperties(kDevice, 1, &bank), HSAKMT_STATUS_SUCCESS);
  void* p = nullptr;
  EXPECT_EQ(hsaKmtAllocMemory(kDevice, bank.SizeInBytes + kPage, device_flags(), &p),
            HSAKMT_STATUS_NO_MEMORY);
  ASSERT_EQ(hsaKmtAllocMemory(kDevice, bank.SizeInBytes, device_flags(), &p),
            HSAKMT_STATUS_SUCCESS);
  void* more = nullptr;
  EXPECT_EQ(hsaKmtAllocMemory(kDevice, kPage, device_flags(), &more), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(hsaKmtFreeMemory(p, bank.SizeInBytes), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocMemory(kDevice, kPage, device_flags(), &more), HSAKMT_STATUS_SUCCESS);
}

void run_packets(const char* engine) {
  const Thunk thunk(engine);
  HsaEventDescriptor d{};
  d.EventType = HSA_EVENTTYPE_SIGNAL;
  HsaEvent* event = nullptr;
  ASSERT_EQ(hsaKmtCreateEvent(&d, false, false, &event), HSAKMT_STATUS_SUCCESS);
  RawQueue q;
  q.signal->value = 40;
  q.signal->event_mailbox_ptr = event->EventData.HWData2;
  q.signal->event_id = event->EventId;
  ASSERT_EQ(q.create(), HSAKMT_STATUS_SUCCESS);
  for (int i = 1; i <= 40; ++i) {
    q.submit();
    // A wait may end early, by the signal before: the value says what has happened.
    while (__atomic_load_n(&q.signal->value, __ATOMIC_ACQUIRE) != 40 - i) {
      ASSERT_EQ(hsaKmtWaitOnEvent(event, 10'000), HSAKMT_STATUS_SUCCESS);
    }
  }
  EXPECT_EQ(q.queue->read_dispatch_id, 40u);
  EXPECT_EQ(hsaKmtDestroyQueue(q.resource.QueueId), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDestroyQueue(q.resource.QueueId), HSAKMT_STATUS_ERROR);
}
/// Twice: after the last close the device goes on when it is opened again.
TEST(Calls, PacketsOnGolden) {
  run_packets("golden");
  run_packets("golden");
}
TEST(Calls, PacketsOnLt) {
  run_packets("lt");
  run_packets("lt");
}
TEST(Calls, PacketsOnCa) {
  run_packets("ca");
  run_packets("ca");
}

TEST(Calls, AQueueThatSleepsWakesWithItsRing) {
  const Thunk thunk("lt");
  RawQueue q;
  q.signal->value = 2;
  ASSERT_EQ(q.create(), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(hsaKmtUpdateQueue(q.resource.QueueId, 0, HSA_QUEUE_PRIORITY_LOW, nullptr, 0, nullptr),
            HSAKMT_STATUS_SUCCESS);
  q.submit();
  usleep(20'000);
  EXPECT_EQ(__atomic_load_n(&q.signal->value, __ATOMIC_ACQUIRE), 2);
  ASSERT_EQ(hsaKmtUpdateQueue(q.resource.QueueId, 100, HSA_QUEUE_PRIORITY_LOW, q.ring, q.size * 64,
                              nullptr),
            HSAKMT_STATUS_SUCCESS);
  for (int i = 0; i < 10'000 && __atomic_load_n(&q.signal->value, __ATOMIC_ACQUIRE) == 2; ++i) {
    usleep(1000);
  }
  EXPECT_EQ(__atomic_load_n(&q.signal->value, __ATOMIC_ACQUIRE), 1);
}

/// Global wave sync belongs to one queue at a time.
TEST(Calls, GlobalWaveSyncHasOneOwner) {
  const Thunk thunk("golden");
  HsaNodeProperties node;
  ASSERT_EQ(hsaKmtGetNodeProperties(kDevice, &node), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(+node.NumGws, 64);
  RawQueue a, b;
  ASSERT_EQ(a.create(), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(b.create(), HSAKMT_STATUS_SUCCESS);
  const HSA_QUEUEID first = a.resource.QueueId, second = b.resource.QueueId;
  HSAuint32 resource = 7;
  EXPECT_EQ(hsaKmtAllocQueueGWS(9999, 1, &resource), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtAllocQueueGWS(first, 0, nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtAllocQueueGWS(first, 1, &resource), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(resource, 0u);
  EXPECT_EQ(hsaKmtAllocQueueGWS(first, 1, nullptr), HSAKMT_STATUS_OUT_OF_RESOURCES);
  EXPECT_EQ(hsaKmtAllocQueueGWS(second, 64, nullptr), HSAKMT_STATUS_OUT_OF_RESOURCES);
  EXPECT_EQ(hsaKmtAllocQueueGWS(second, 0, nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtAllocQueueGWS(first, 0, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocQueueGWS(second, 64, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDestroyQueue(second), HSAKMT_STATUS_SUCCESS);  // gives it back
  EXPECT_EQ(hsaKmtAllocQueueGWS(first, 64, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDestroyQueue(first), HSAKMT_STATUS_SUCCESS);
}

/// As the driver library's: device libraries find the begin of a block of 2 MiB by its address.
TEST(Calls, LargeBlocksAreAlignedToTheirSize) {
  const Thunk thunk("golden");
  for (const HSAuint64 bytes : {kPage, 3 * kPage, HSAuint64{1} << 16, HSAuint64{5} << 18,
                                HSAuint64{1} << 21, HSAuint64{7} << 20}) {
    HSAuint64 least = kPage;
    while (least < (HSAuint64{2} << 20) && least * 2 <= bytes) least *= 2;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(reinterpret_cast<HSAuint64>(allocate(bytes)) % least, 0u) << bytes;
    }
  }
}

/// Every function that is not there answers as the driver library does, and does nothing.
TEST(Calls, Refusals) {
  const Thunk thunk("golden");
  HSAint32 mode = 7;
  HsaQueueInfo info;
  HsaSharedMemoryHandle handle;
  HsaCounterProperties* counters = nullptr;
  EXPECT_EQ(hsaKmtGetXNACKMode(&mode), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(mode, 0);
  EXPECT_EQ(hsaKmtSetXNACKMode(0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtSetXNACKMode(1), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtRuntimeEnable(nullptr, false), HSAKMT_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(hsaKmtRuntimeDisable(), HSAKMT_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(hsaKmtGetQueueInfo(1, &info), HSAKMT_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(hsaKmtSVMSetAttr(nullptr, 0, 0, nullptr), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtSVMGetAttr(nullptr, 0, 0, nullptr), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtShareMemory(&mode, kPage, &handle), HSAKMT_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(hsaKmtShareMemory(&mode, kPage, nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtDbgRegister(kDevice), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtDbgRegister(5), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(hsaKmtPmcGetCounterProperties(kDevice, &counters), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(hsaKmtPmcStartTrace(0, nullptr, 0), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtPmcStopTrace(5), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(hsaKmtSPMAcquire(kDevice), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtSetMemoryPolicy(kDevice, 0, 0, nullptr, 0), HSAKMT_STATUS_NOT_IMPLEMENTED);
  EXPECT_EQ(hsaKmtMapGraphicHandle(kDevice, 0, 0, 0, 0, nullptr), HSAKMT_STATUS_NOT_IMPLEMENTED);
  HsaMemoryRange range{&mode, sizeof mode};
  HSAuint64 copied = 9;
  EXPECT_EQ(hsaKmtProcessVMRead(static_cast<HSAuint32>(getpid()), &range, 1, &range, 1, &copied),
            HSAKMT_STATUS_ERROR);  // not known to the driver
  EXPECT_EQ(copied, 0u);
  auto* p = static_cast<int*>(allocate(kPage));
  p[0] = 42;
  HsaMemoryRange from{p, 4}, to{p + 9, 4};
  EXPECT_EQ(hsaKmtProcessVMWrite(static_cast<HSAuint32>(getpid()), &from, 1, &to, 1, &copied),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(p[9], 42);
  EXPECT_EQ(copied, 4u);
  EXPECT_EQ(hsaKmtProcessVMRead(1, &from, 1, &to, 1, &copied), HSAKMT_STATUS_ERROR);
}

}  // namespace
