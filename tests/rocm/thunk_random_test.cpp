// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Random sequences of calls of the thunk, and many rounds of making and destroying.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <malloc.h>

#include "thunk_device.h"

namespace {

using namespace cuvette_test;

/// Resources of this process that a leak would take.
struct Resources {
  size_t threads = 0, files = 0, mappings = 0, heap = 0;
};
Resources resources() {
  const auto entries = [](const char* folder) {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  };
  Resources r;
  r.threads = entries("/proc/self/task");
  r.files = entries("/proc/self/fd");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++r.mappings;
  r.heap = mallinfo2().uordblks;
  return r;
}

/// A queue that works, memory that is mapped, registered memory and an event, made and destroyed;
/// every tenth time the device is closed and opened, too.
TEST(Sequences, AThousandRounds) {
  constexpr int kRounds = 1000, kWarm = 100;
  auto thunk = std::make_unique<Thunk>("golden");
  RawQueue q;
  std::vector<uint8_t> user(3 * kPage);
  HsaEventDescriptor d{};
  d.EventType = HSA_EVENTTYPE_SIGNAL;
  Resources before;
  for (int i = 0; i < kRounds; ++i) {
    if (i == kWarm) before = resources();
    HsaEvent* event = nullptr;
    ASSERT_EQ(hsaKmtCreateEvent(&d, false, false, &event), HSAKMT_STATUS_SUCCESS);
    q.queue->read_dispatch_id = q.queue->write_dispatch_id = 0;
    q.signal->value = 1;
    q.signal->event_mailbox_ptr = event->EventData.HWData2;
    q.signal->event_id = event->EventId;
    ASSERT_EQ(q.create(), HSAKMT_STATUS_SUCCESS);
    q.submit();
    ASSERT_EQ(hsaKmtWaitOnEvent(event, 10'000), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(__atomic_load_n(&q.signal->value, __ATOMIC_ACQUIRE), 0);
    void* p = allocate(3 * kPage);
    std::memset(p, i, 3 * kPage);
    ASSERT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtFreeMemory(p, 3 * kPage), HSAKMT_STATUS_SUCCESS);
    HSAuint64 seen = 0;
    ASSERT_EQ(hsaKmtRegisterMemory(user.data(), user.size()), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtMapMemoryToGPU(user.data(), user.size(), &seen), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtUnmapMemoryToGPU(user.data()), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtDeregisterMemory(user.data()), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtDestroyQueue(q.resource.QueueId), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtDestroyEvent(event), HSAKMT_STATUS_SUCCESS);
    if (i % 10 == 9) {
      thunk.reset();
      thunk = std::make_unique<Thunk>("golden");
    }
  }
  const Resources after = resources();
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.files, before.files);
  EXPECT_LE(after.mappings, before.mappings + 10);
  EXPECT_LE(after.heap, before.heap + (64 << 10));
}

/// Random calls beside a list of what there is, kept here: every status is known before.
class Sequence {
 public:
  explicit Sequence(unsigned seed) : random_(seed) {}
  void run(int calls) {
    for (int i = 0; i < calls; ++i) one();
    clean();
  }

 private:
  struct Memory {
    HSAuint64 bytes;
    bool mapped;
  };
  uint64_t below(uint64_t n) { return random_() % n; }
  template <class Map>
  typename Map::key_type pick(const Map& map) {
    return std::next(map.begin(), static_cast<ptrdiff_t>(below(map.size())))->first;
  }

  void one() {
    switch (below(14)) {
      case 0:
      case 1:
        return alloc();
      case 2:
        return map_one();
      case 3:
        return unmap_one();
      case 4:
      case 5:
        return free_one();
      case 6:
        return query();
      case 7:
        return create_event();
      case 8:
        return destroy_event();
      case 9:
        return use_event();
      case 10:
        return create_queue();
      case 11:
        return destroy_queue();
      case 12:
        return register_one();
      default:
        return deregister_one();
    }
  }

  void alloc() {
    const auto node = static_cast<HSAuint32>(below(4));
    const HSAuint64 bytes = below(8) == 0 ? below(5000) : kPage * (1 + below(5));
    void* p = nullptr;
    const auto status = hsaKmtAllocMemory(node, bytes, device_flags(), &p);
    if (node > 1) {
      EXPECT_EQ(status, HSAKMT_STATUS_INVALID_NODE_UNIT);
      return;
    }
    if (bytes == 0 || bytes % kPage != 0) {
      EXPECT_EQ(status, HSAKMT_STATUS_INVALID_PARAMETER);
      return;
    }
    ASSERT_EQ(status, HSAKMT_STATUS_SUCCESS);
    static_cast<uint8_t*>(p)[bytes - 1] = 1;
    ASSERT_EQ(freed_.count(p), 0u);
    memory_[p] = {bytes, false};
  }
  void map_one() {
    HSAuint64 seen = 1;
    if (!freed_.empty() && below(3) == 0) {
      void* p = *freed_.begin();
      EXPECT_EQ(hsaKmtMapMemoryToGPU(p, kPage, &seen), HSAKMT_STATUS_ERROR);
      EXPECT_EQ(seen, 0u);
      return;
    }
    if (memory_.empty()) return;
    void* p = pick(memory_);
    Memory& m = memory_[p];
    const bool beyond = below(6) == 0;
    const auto status = hsaKmtMapMemoryToGPU(p, m.bytes + (beyond ? kPage : 0), &seen);
    EXPECT_EQ(status, beyond ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS);
    if (!beyond) m.mapped = true;
    EXPECT_EQ(seen, beyond ? 0 : reinterpret_cast<HSAuint64>(p));
  }
  void unmap_one() {
    EXPECT_EQ(hsaKmtUnmapMemoryToGPU(nullptr), HSAKMT_STATUS_SUCCESS);
    if (!freed_.empty()) {
      EXPECT_EQ(hsaKmtUnmapMemoryToGPU(*freed_.begin()), HSAKMT_STATUS_ERROR);
    }
    if (memory_.empty()) return;
    void* p = pick(memory_);
    EXPECT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
    memory_[p].mapped = false;
  }
  void free_one() {
    EXPECT_EQ(hsaKmtFreeMemory(nullptr, 0), HSAKMT_STATUS_ERROR);
    if (memory_.empty()) return;
    void* p = pick(memory_);
    const Memory m = memory_[p];
    EXPECT_EQ(hsaKmtFreeMemory(static_cast<uint8_t*>(p) + 64, m.bytes),
              HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
    EXPECT_EQ(hsaKmtFreeMemory(p, m.bytes), m.mapped ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS);
    if (m.mapped) return;
    memory_.erase(p);
    freed_.insert(p);
    EXPECT_EQ(hsaKmtFreeMemory(p, m.bytes), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  }
  void query() {
    HsaPointerInfo info;
    EXPECT_EQ(hsaKmtQueryPointerInfo(this, &info), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(info.Type, HSA_POINTER_UNKNOWN);
    if (memory_.empty()) return;
    void* p = pick(memory_);
    const Memory& m = memory_[p];
    ASSERT_EQ(hsaKmtSetMemoryUserData(p, this), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtQueryPointerInfo(static_cast<uint8_t*>(p) + below(m.bytes), &info),
              HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(info.Type, HSA_POINTER_ALLOCATED);
    EXPECT_EQ(+info.CPUAddress, p);
    const HSAuint64 bytes = info.SizeInBytes;
    EXPECT_EQ(bytes, m.bytes);
    EXPECT_EQ(info.NMappedNodes, m.mapped ? 1u : 0u);
    EXPECT_EQ(+info.UserData, this);
  }
  void create_event() {
    HsaEventDescriptor d{};
    d.EventType = static_cast<HSA_EVENTTYPE>(below(HSA_EVENTTYPE_MAXID + 2));
    HsaEvent* e = nullptr;
    const auto status = hsaKmtCreateEvent(&d, true, false, &e);
    if (d.EventType >= HSA_EVENTTYPE_MAXID) {
      EXPECT_EQ(status, HSAKMT_STATUS_INVALID_PARAMETER);
      return;
    }
    ASSERT_EQ(status, HSAKMT_STATUS_SUCCESS);
    events_[e] = d.EventType == HSA_EVENTTYPE_SIGNAL || d.EventType == HSA_EVENTTYPE_DEBUG_EVENT;
  }
  void destroy_event() {
    EXPECT_EQ(hsaKmtDestroyEvent(nullptr), HSAKMT_STATUS_INVALID_HANDLE);
    if (events_.empty()) return;
    HsaEvent* e = pick(events_);
    EXPECT_EQ(hsaKmtDestroyEvent(e), HSAKMT_STATUS_SUCCESS);
    events_.erase(e);
    EXPECT_EQ(hsaKmtDestroyEvent(e), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(hsaKmtSetEvent(e), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(hsaKmtQueryEventState(e), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(hsaKmtWaitOnEvent(e, 0), HSAKMT_STATUS_WAIT_FAILURE);
  }
  void use_event() {
    if (events_.empty()) return;
    HsaEvent* e = pick(events_);
    const bool settable = events_[e];
    EXPECT_EQ(hsaKmtWaitOnEvent(e, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    EXPECT_EQ(hsaKmtSetEvent(e), settable ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR);
    EXPECT_EQ(hsaKmtWaitOnEvent(e, 0),
              settable ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_WAIT_TIMEOUT);
    EXPECT_EQ(hsaKmtResetEvent(e), settable ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR);
    EXPECT_EQ(hsaKmtWaitOnEvent(e, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  }
  void create_queue() {
    if (queues_.size() >= 8) return;
    static RawQueue spare;  // its memory; queues without packets may share it
    HsaQueueResource r = {};
    r.Queue_read_ptr_aql = &spare.queue->read_dispatch_id;
    r.Queue_write_ptr_aql = &spare.queue->write_dispatch_id;
    const auto create = [&](HSAuint32 node, HSA_QUEUE_TYPE type, void* ring, HSAuint64 bytes) {
      return hsaKmtCreateQueue(node, type, 100, HSA_QUEUE_PRIORITY_HIGH, ring, bytes, nullptr, &r);
    };
    EXPECT_EQ(create(kHost, HSA_QUEUE_COMPUTE_AQL, spare.ring, 1024),
              HSAKMT_STATUS_INVALID_NODE_UNIT);
    EXPECT_EQ(create(kDevice, HSA_QUEUE_COMPUTE, spare.ring, 1024), HSAKMT_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(create(kDevice, HSA_QUEUE_COMPUTE_AQL, spare.ring, 1000),
              HSAKMT_STATUS_INVALID_PARAMETER);
    EXPECT_EQ(create(kDevice, HSA_QUEUE_COMPUTE_AQL, this, 1024), HSAKMT_STATUS_ERROR);
    ASSERT_EQ(create(kDevice, HSA_QUEUE_COMPUTE_AQL, spare.ring, 1024), HSAKMT_STATUS_SUCCESS);
    const HSA_QUEUEID id = r.QueueId;
    EXPECT_EQ(queues_.count(id), 0u);
    queues_[id] = true;
  }
  void destroy_queue() {
    EXPECT_EQ(hsaKmtDestroyQueue(0), HSAKMT_STATUS_INVALID_PARAMETER);
    EXPECT_EQ(hsaKmtDestroyQueue(9999), HSAKMT_STATUS_ERROR);
    if (queues_.empty()) return;
    const HSA_QUEUEID q = pick(queues_);
    HSAuint32 mask[4] = {1, 0, 0, 0};
    EXPECT_EQ(hsaKmtSetQueueCUMask(q, 31, mask), HSAKMT_STATUS_INVALID_PARAMETER);
    EXPECT_EQ(hsaKmtSetQueueCUMask(q, 32, mask), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtDestroyQueue(q), HSAKMT_STATUS_SUCCESS);
    queues_.erase(q);
    EXPECT_EQ(hsaKmtSetQueueCUMask(q, 32, mask), HSAKMT_STATUS_ERROR);
    EXPECT_EQ(hsaKmtUpdateQueue(q, 0, HSA_QUEUE_PRIORITY_LOW, nullptr, 0, nullptr),
              HSAKMT_STATUS_ERROR);
  }
  void register_one() {
    if (users_.size() >= 8) return;
    auto* p = static_cast<uint8_t*>(std::malloc(10'000));
    EXPECT_EQ(hsaKmtRegisterMemory(p, 0), HSAKMT_STATUS_INVALID_PARAMETER);
    HsaMemFlags f{};
    EXPECT_EQ(hsaKmtRegisterMemoryWithFlags(p, 10'000, f), HSAKMT_STATUS_NOT_SUPPORTED);
    f.ui32.HostAccess = 1;
    ASSERT_EQ(hsaKmtRegisterMemoryWithFlags(p, 10'000, f), HSAKMT_STATUS_SUCCESS);
    users_[p] = 1;
    if (below(2) == 0) {  // again: it counts
      EXPECT_EQ(hsaKmtRegisterMemory(p, 10'000), HSAKMT_STATUS_SUCCESS);
      ++users_[p];
    }
  }
  void deregister_one() {
    EXPECT_EQ(hsaKmtDeregisterMemory(this), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
    if (users_.empty()) return;
    uint8_t* p = pick(users_);
    HSAuint64 seen = 0;
    EXPECT_EQ(hsaKmtMapMemoryToGPU(p, 10'000, &seen), HSAKMT_STATUS_SUCCESS);
    EXPECT_NE(seen, reinterpret_cast<HSAuint64>(p));
    EXPECT_EQ(seen % kPage, reinterpret_cast<HSAuint64>(p) % kPage);
    HsaPointerInfo info;
    EXPECT_EQ(hsaKmtQueryPointerInfo(reinterpret_cast<void*>(seen + 9'999), &info), 0);
    EXPECT_EQ(+info.CPUAddress, p);
    if (users_[p] == 1) {
      EXPECT_EQ(hsaKmtDeregisterMemory(p), HSAKMT_STATUS_ERROR);  // mapped
    }
    EXPECT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtDeregisterMemory(p), HSAKMT_STATUS_SUCCESS);
    if (--users_[p] != 0) return;
    EXPECT_EQ(hsaKmtDeregisterMemory(p), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
    users_.erase(p);
    std::free(p);
  }

  void clean() {
    for (const auto& [q, there] : queues_) EXPECT_EQ(hsaKmtDestroyQueue(q), 0);
    for (const auto& [e, settable] : events_) EXPECT_EQ(hsaKmtDestroyEvent(e), 0);
    for (const auto& [p, m] : memory_) {
      EXPECT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
      EXPECT_EQ(hsaKmtFreeMemory(p, m.bytes), HSAKMT_STATUS_SUCCESS);
    }
    for (const auto& [p, count] : users_) {
      for (int i = 0; i < count; ++i) EXPECT_EQ(hsaKmtDeregisterMemory(p), 0);
      std::free(p);
    }
  }

  std::mt19937_64 random_;
  std::map<void*, Memory> memory_;
  std::set<void*> freed_;
  std::map<HsaEvent*, bool> events_;  // may be set by the host
  std::map<HSA_QUEUEID, bool> queues_;
  std::map<uint8_t*, int> users_;  // registrations
};

void run_sequences(const char* engine) {
  const Thunk thunk(engine);
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Sequence(seed).run(60);
    if (testing::Test::HasFailure()) return;
  }
}
TEST(Sequences, RandomOnGolden) {
  run_sequences("golden");
}
TEST(Sequences, RandomOnLt) {
  run_sequences("lt");
}

}  // namespace
