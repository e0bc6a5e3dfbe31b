// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Queues of SDMA engines through the driver library: packets put together by hand, doorbells,
// events, errors.
#include <cstdlib>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "hsakmt.h"
#include "sdma_packets.h"

namespace {

using namespace cuvette;
using sdma_packets::copy;
using sdma_packets::fence;
using sdma_packets::Packet;
using sdma_packets::poll;

constexpr HSAuint32 kDevice = 1;
constexpr HSAuint64 kRingBytes = 4096;

struct Thunk {
  explicit Thunk(const char* engine, const char* machine = "small") {
    setenv("CUVETTE_CONFIG_DIR", CUVETTE_SOURCE_DIR "/config", 1);
    setenv("CUVETTE_MACHINE", machine, 1);
    setenv("CUVETTE_ENGINE", engine, 1);
    setenv("CUVETTE_REPORT", "none", 1);
    EXPECT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
  }
  ~Thunk() { EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS); }
};

uint8_t* allocate(HSAuint64 bytes, bool map = true) {
  HsaMemFlags f{};
  f.ui32.NonPaged = 1;
  f.ui32.HostAccess = 1;
  void* p = nullptr;
  EXPECT_EQ(hsaKmtAllocMemory(kDevice, bytes, f, &p), HSAKMT_STATUS_SUCCESS);
  if (map) {
    EXPECT_EQ(hsaKmtMapMemoryToGPU(p, bytes, nullptr), HSAKMT_STATUS_SUCCESS);
  }
  return static_cast<uint8_t*>(p);
}
uint64_t address(const void* p) {
  return reinterpret_cast<uint64_t>(p);
}
HsaEvent* new_event(HSA_EVENTTYPE type) {
  HsaEventDescriptor d{};
  d.EventType = type;
  HsaEvent* event = nullptr;
  EXPECT_EQ(hsaKmtCreateEvent(&d, false, false, &event), HSAKMT_STATUS_SUCCESS);
  return event;
}

struct SdmaQueue {
  HSAKMT_STATUS create(HSA_QUEUE_TYPE type = HSA_QUEUE_SDMA) {
    ring = allocate(kRingBytes);
    return hsaKmtCreateQueue(kDevice, type, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kRingBytes,
                             nullptr, &resource);
  }
  void put(const Packet& p) {
    for (const uint32_t w : p.words()) {
      std::memcpy(ring + write % kRingBytes, &w, sizeof w);
      write += sizeof w;
    }
  }
  void go() {
    *resource.Queue_write_ptr_aql = write;
    __atomic_store_n(resource.Queue_DoorBell_aql, write, __ATOMIC_RELEASE);
  }
  uint64_t read() const { return __atomic_load_n(resource.Queue_read_ptr_aql, __ATOMIC_ACQUIRE); }
  bool done(int milliseconds = 10'000) const {
    for (int i = 0; i < milliseconds && read() != write; ++i) usleep(1000);
    return read() == write;
  }
  uint8_t* ring = nullptr;
  uint64_t write = 0;
  HsaQueueResource resource{};
};

uint32_t load(const void* p) {
  return __atomic_load_n(static_cast<const uint32_t*>(p), __ATOMIC_ACQUIRE);
}

void run_packets(const char* engine) {
  const Thunk thunk(engine);
  HsaEvent* event = new_event(HSA_EVENTTYPE_SIGNAL);
  uint8_t* data = allocate(1 << 16);
  for (int i = 0; i < 1 << 16; ++i) data[i] = static_cast<uint8_t>(i * 7 + i / 256);
  std::vector<uint8_t> expected(data, data + (1 << 16));
  auto* signal = reinterpret_cast<uint64_t*>(allocate(4096));
  *signal = 100;
  SdmaQueue q;
  ASSERT_EQ(q.create(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(q.read(), 0u);
  // As the runtime does it: copy, decrement, mailbox, trap; the ring wraps meanwhile.
  for (int i = 0; i < 100; ++i) {
    const uint32_t bytes = 1 + static_cast<uint32_t>(i) * 37;
    std::memcpy(expected.data() + 30'000 + i, expected.data() + 11 * i, bytes);
    q.put(copy(address(data + 11 * i), address(data + 30'000 + i), bytes));
    q.put(Packet("ATOMIC")
              .set("atomic_op", 47)
              .set64("addr", address(signal))
              .set64("src_data", ~0ull));
    q.put(fence(event->EventData.HWData2, event->EventId));
    q.put(Packet("TRAP").set("int_context", event->EventId));
    q.go();
    // A wait may end early, by the signal before: the value says what has happened.
    while (__atomic_load_n(signal, __ATOMIC_ACQUIRE) == 100u - static_cast<unsigned>(i)) {
      ASSERT_EQ(hsaKmtWaitOnEvent(event, 10'000), HSAKMT_STATUS_SUCCESS) << i;
    }
    EXPECT_EQ(__atomic_load_n(signal, __ATOMIC_ACQUIRE), 99u - static_cast<unsigned>(i));
    ASSERT_TRUE(q.done());
  }
  EXPECT_EQ(std::vector<uint8_t>(data, data + (1 << 16)), expected);
  // A value that comes later, from the host; asleep in between.
  auto* flag = reinterpret_cast<uint32_t*>(data);
  __atomic_store_n(flag, 0, __ATOMIC_RELEASE);
  q.put(poll(address(flag), 3, 5));
  q.put(fence(address(flag + 1), 6));
  q.go();
  usleep(20'000);
  EXPECT_NE(load(flag + 1), 6u);
  __atomic_store_n(flag, 5, __ATOMIC_RELEASE);
  ASSERT_TRUE(q.done());
  EXPECT_EQ(load(flag + 1), 6u);
  const HSA_QUEUEID id = q.resource.QueueId;
  ASSERT_EQ(hsaKmtUpdateQueue(id, 0, HSA_QUEUE_PRIORITY_LOW, nullptr, 0, nullptr),
            HSAKMT_STATUS_SUCCESS);
  q.put(fence(address(flag + 1), 7));
  q.go();
  usleep(20'000);
  EXPECT_EQ(load(flag + 1), 6u);
  ASSERT_EQ(hsaKmtUpdateQueue(id, 100, HSA_QUEUE_PRIORITY_LOW, q.ring, kRingBytes, nullptr),
            HSAKMT_STATUS_SUCCESS);
  ASSERT_TRUE(q.done());
  EXPECT_EQ(load(flag + 1), 7u);
  HSAuint32 mask[1] = {1};
  EXPECT_EQ(hsaKmtSetQueueCUMask(id, 32, mask), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtUpdateQueue(id, 100, HSA_QUEUE_PRIORITY_LOW, q.ring, 1000, nullptr),
            HSAKMT_STATUS_ERROR);
  // One that waits for ever goes when it is destroyed.
  q.put(poll(address(flag), 3, 99));
  q.go();
  usleep(5000);
  EXPECT_EQ(hsaKmtDestroyQueue(id), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDestroyQueue(id), HSAKMT_STATUS_ERROR);
}

TEST(ThunkSdma, PacketsOnGolden) {
  run_packets("golden");
}
TEST(ThunkSdma, PacketsOnLt) {
  run_packets("lt");
}
TEST(ThunkSdma, PacketsOnCa) {
  run_packets("ca");
}

TEST(ThunkSdma, ArgumentsAndLimits) {
  const Thunk thunk("lt");
  SdmaQueue q[17];
  HsaQueueResource r{};
  const auto create = [&](void* ring, HSAuint64 bytes) {
    return hsaKmtCreateQueue(kDevice, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, bytes,
                             nullptr, &r);
  };
  EXPECT_EQ(create(nullptr, 4096), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create(allocate(4096), 3000), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create(allocate(4096, false), 4096), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(create(allocate(4096), 8192), HSAKMT_STATUS_ERROR);
  // 2 engines with 8 queues each; no engine of this machine is for links.
  for (int i = 0; i < 16; ++i) ASSERT_EQ(q[i].create(), HSAKMT_STATUS_SUCCESS) << i;
  EXPECT_EQ(q[16].create(), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(q[16].create(HSA_QUEUE_SDMA_XGMI), HSAKMT_STATUS_NO_MEMORY);
  uint8_t* data = allocate(4096);
  for (uint32_t i = 0; i < 16; ++i) {
    q[i].put(fence(address(data + 4 * i), i + 1));
    q[i].go();
  }
  for (uint32_t i = 0; i < 16; ++i) {
    EXPECT_TRUE(q[i].done());
    EXPECT_EQ(load(data + 4 * i), i + 1);
  }
  EXPECT_EQ(hsaKmtDestroyQueue(q[3].resource.QueueId), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(q[16].create(), HSAKMT_STATUS_SUCCESS);
}

TEST(ThunkSdma, TheMachineTellsItsEngines) {
  const Thunk thunk("golden", "mi100");
  HsaNodeProperties n{};
  ASSERT_EQ(hsaKmtGetNodeProperties(kDevice, &n), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(+n.NumSdmaEngines, 2u);
  EXPECT_EQ(+n.NumSdmaXgmiEngines, 6u);
  EXPECT_EQ(+n.NumSdmaQueuesPerEngine, 8u);
  SdmaQueue q;
  ASSERT_EQ(q.create(HSA_QUEUE_SDMA_XGMI), HSAKMT_STATUS_SUCCESS);
  uint8_t* data = allocate(4096);
  q.put(fence(address(data), 3));
  q.go();
  EXPECT_TRUE(q.done());
  EXPECT_EQ(load(data), 3u);
}

void run_errors(const char* engine) {
  const Thunk thunk(engine);
  HsaEvent* fault = new_event(HSA_EVENTTYPE_MEMORY);
  HsaEvent* exception = new_event(HSA_EVENTTYPE_HW_EXCEPTION);
  uint8_t* data = allocate(8192);
  uint8_t* hidden = allocate(4096, false);
  SdmaQueue a, b, good;
  for (auto* q : {&a, &b, &good}) ASSERT_EQ(q->create(), HSAKMT_STATUS_SUCCESS);
  a.put(copy(address(data), address(hidden) + 100, 8));
  a.put(fence(address(data), 0xbad));
  a.go();
  ASSERT_EQ(hsaKmtWaitOnEvent(fault, 10'000), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(+fault->EventData.EventData.MemoryAccessFault.VirtualAddress, address(hidden));
  EXPECT_EQ(hsaKmtWaitOnEvent(exception, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  testing::internal::CaptureStderr();
  b.put(Packet("SEMAPHORE"));
  b.put(fence(address(data), 0xbad));
  b.go();
  ASSERT_EQ(hsaKmtWaitOnEvent(exception, 10'000), HSAKMT_STATUS_SUCCESS);
  good.put(fence(address(data + 4), 9));
  good.go();
  EXPECT_TRUE(good.done());
  EXPECT_EQ(load(data + 4), 9u);
  usleep(20'000);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(
      told.find("offset 0x0 of the ring: SEMAPHORE (op 7, sub-op 0): the packet is not executed"),
      std::string::npos)
      << told;
  EXPECT_EQ(load(data), 0u);
  EXPECT_EQ(a.read(), 0u);
  EXPECT_EQ(b.read(), 0u);
}
TEST(ThunkSdma, ErrorsOnGolden) {
  run_errors("golden");
}
TEST(ThunkSdma, ErrorsOnLt) {
  run_errors("lt");
}
TEST(ThunkSdma, ErrorsOnCa) {
  run_errors("ca");
}

}  // namespace
