// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Devices behind the functions of the thunk, for tests.
#include <cstdlib>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "hsa/packet.h"
#include "hsa/queue.h"
#include "hsa/signal.h"
#include "hsakmt.h"

namespace cuvette_test {

namespace hsa = cuvette::hsa;

constexpr HSAuint32 kHost = 0, kDevice = 1;
constexpr HSAuint64 kPage = 4096;

struct Thunk {
  explicit Thunk(const char* engine, unsigned devices = 1, const char* machine = "small") {
    setenv("CUVETTE_CONFIG_DIR", CUVETTE_SOURCE_DIR "/config", 1);
    setenv("CUVETTE_MACHINE", machine, 1);
    setenv("CUVETTE_ENGINE", engine, 1);
    setenv("CUVETTE_DEVICES", std::to_string(devices).c_str(), 1);
    setenv("CUVETTE_REPORT", "none", 1);
    EXPECT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
  }
  ~Thunk() { EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS); }
};

inline HsaMemFlags device_flags() {
  HsaMemFlags f{};
  f.ui32.NonPaged = 1;
  f.ui32.HostAccess = 1;
  return f;
}

/// Seen by all devices when it is mapped.
inline void* allocate(HSAuint64 bytes, bool map = true, HSAuint32 node = kDevice) {
  void* p = nullptr;
  EXPECT_EQ(hsaKmtAllocMemory(node, bytes, device_flags(), &p), HSAKMT_STATUS_SUCCESS);
  if (map) {
    EXPECT_EQ(hsaKmtMapMemoryToGPU(p, bytes, nullptr), HSAKMT_STATUS_SUCCESS);
  }
  return p;
}

/// A queue with everything that a runtime gives it.
struct RawQueue {
  explicit RawQueue(uint32_t packets = 16, HSAuint32 of = kDevice) : size(packets), node(of) {
    ring = static_cast<hsa::BarrierPacket*>(allocate(kPage, true, node));
    for (uint32_t i = 0; i < size; ++i) ring[i] = hsa::BarrierPacket{};
    queue = new (allocate(kPage, true, node)) hsa::AmdQueue;
    queue->hsa_queue.base_address = reinterpret_cast<uint64_t>(ring);
    queue->hsa_queue.size = size;
    signal = new (allocate(kPage, true, node)) hsa::AmdSignal;
    signal->kind = 1;
  }
  HSAKMT_STATUS create() {
    resource.Queue_read_ptr_aql = &queue->read_dispatch_id;
    resource.Queue_write_ptr_aql = &queue->write_dispatch_id;
    return hsaKmtCreateQueue(node, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring,
                             size * 64, nullptr, &resource);
  }
  void submit() { submit(signal, nullptr); }
  /// A packet that waits for `before` to be 0, unless that is null, and counts `after` down.
  void submit(const hsa::AmdSignal* after, const hsa::AmdSignal* before) {
    const uint64_t index = queue->write_dispatch_id++;
    hsa::BarrierPacket p;
    p.dep_signal[0] = reinterpret_cast<uint64_t>(before);
    p.completion_signal = reinterpret_cast<uint64_t>(after);
    hsa::PacketHeader header;
    header.type = hsa::PacketType::BarrierAnd;
    p.header = hsa::encode(header);
    auto* slot = reinterpret_cast<uint8_t*>(ring + index % size);
    std::memcpy(slot + 4, reinterpret_cast<const uint8_t*>(&p) + 4, sizeof p - 4);
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot), uint32_t{p.header}, __ATOMIC_RELEASE);
    __atomic_store_n(resource.Queue_DoorBell_aql, index, __ATOMIC_RELEASE);
  }
  uint32_t size;
  HSAuint32 node;
  hsa::BarrierPacket* ring;
  hsa::AmdQueue* queue;
  hsa::AmdSignal* signal;
  HsaQueueResource resource{};
};

}  // namespace cuvette_test
