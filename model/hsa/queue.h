// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "hsa/memory.h"
#include "hsa/packet.h"

namespace cuvette::hsa {

enum class QueueType : uint32_t { Multi = 0, Single = 1 };
constexpr uint32_t kQueueFeatureKernelDispatch = 1;
constexpr uint32_t kQueueFeatureAgentDispatch = 2;

/// hsa_queue_t, large machine model.
struct HsaQueue {
  uint32_t type = 0;
  uint32_t features = 0;
  uint64_t base_address = 0;     ///< the packet ring
  uint64_t doorbell_signal = 0;  ///< signal handle
  uint32_t size = 0;             ///< packets, a power of two
  uint32_t reserved1 = 0;
  uint64_t id = 0;
};
static_assert(sizeof(HsaQueue) == 40, "layout");

/// amd_queue_t (Compute ABI, "Queues"): four lines of 64 bytes for producer, kernel, packet
/// processor and rarely used fields. 64-byte aligned and not across a multiple of 4 GiB.
struct AmdQueue {
  HsaQueue hsa_queue;
  uint32_t reserved1[4] = {};
  uint64_t write_dispatch_id = 0;

  uint32_t group_segment_aperture_base_hi = 0;
  uint32_t private_segment_aperture_base_hi = 0;
  uint32_t max_cu_id = 0;
  uint32_t max_wave_id = 0;
  uint64_t max_legacy_doorbell_dispatch_id_plus_1 = 0;
  uint32_t legacy_doorbell_lock = 0;
  uint32_t reserved2[9] = {};

  uint64_t read_dispatch_id = 0;
  uint32_t read_dispatch_id_field_base_byte_offset = 128;
  uint32_t compute_tmpring_size = 0;
  uint32_t scratch_resource_descriptor[4] = {};
  uint64_t scratch_backing_memory_location = 0;
  uint64_t scratch_backing_memory_byte_size = 0;
  uint32_t scratch_workitem_byte_size = 0;
  uint32_t queue_properties = 0;
  uint32_t reserved3[2] = {};

  uint64_t queue_inactive_signal = 0;
  uint32_t reserved4[14] = {};
};
static_assert(sizeof(AmdQueue) == 256, "layout");
static_assert(offsetof(AmdQueue, write_dispatch_id) == 56, "layout");
static_assert(offsetof(AmdQueue, group_segment_aperture_base_hi) == 64, "layout");
static_assert(offsetof(AmdQueue, read_dispatch_id) == 128, "layout");
static_assert(offsetof(AmdQueue, queue_inactive_signal) == 192, "layout");

constexpr uint32_t kQueueEnableTrapHandler = 1;
constexpr uint32_t kQueueIsPtr64 = 2;
constexpr uint32_t kQueueEnableTrapDebugSgprs = 4;
constexpr uint32_t kQueueEnableProfiling = 8;

/// A queue in device memory, for a producer and for a packet processor alike. Cheap to copy.
/// Indices count packets since creation and never wrap; a slot is index modulo size. Faults come
/// back as Error.
class Queue {
 public:
  struct Config {
    uint32_t size = 64;  ///< packets, a power of two up to 2^20
    uint64_t id = 0;
    uint64_t doorbell_signal = 0;
    QueueType type = QueueType::Multi;
    uint32_t group_segment_aperture_base_hi = 0;
    uint32_t private_segment_aperture_base_hi = 0;
    uint32_t max_cu_id = 0;    ///< compute units of the agent
    uint32_t max_wave_id = 0;  ///< waves per compute unit
  };

  /// Allocates the ring (every header INVALID) and the amd_queue_t.
  static base::Result<Queue> create(DeviceMemory& memory, const Config& config);
  /// Takes a queue that is there. Errors: misaligned address, size not a power of two, unmapped
  /// ring.
  static base::Result<Queue> open(DeviceMemory& memory, uint64_t address);

  uint64_t address() const { return address_; }
  uint64_t ring() const { return ring_; }
  uint32_t size() const { return size_; }
  uint64_t doorbell_signal() const { return doorbell_signal_; }
  uint64_t packet_address(uint64_t index) const {
    return ring_ + (index & (size_ - 1)) * kPacketBytes;
  }
  base::Result<AmdQueue> contents() const;

  /// Acquire loads, release stores, sequentially consistent changes.
  base::Result<uint64_t> load_write_index() const;
  base::Status store_write_index(uint64_t index);
  base::Result<uint64_t> add_write_index(uint64_t count);
  /// The value before: equal to `expected` when it was replaced.
  base::Result<uint64_t> cas_write_index(uint64_t expected, uint64_t desired);
  base::Result<uint64_t> load_read_index() const;
  base::Status store_read_index(uint64_t index);

  /// Producer: copies bytes 4 to 63 of a packet into the slot, then stores its first 4 bytes
  /// (header and setup) with release, which hands the slot over. Error when the slot is not
  /// INVALID.
  base::Status publish(uint64_t index, const void* packet);
  /// Reserves a slot and publishes; an Error when the ring is full. The result is the packet's
  /// index, which is also the value to ring the doorbell with.
  base::Result<uint64_t> submit(const void* packet);

  /// Packet processor: the header of the slot (acquire), then the packet, then giving the slot back
  /// (header INVALID, release) before the read index moves.
  base::Result<PacketHeader> header(uint64_t index) const;
  base::Status read_packet(uint64_t index, void* packet) const;
  base::Status retire(uint64_t index);

 private:
  Queue(DeviceMemory& memory, uint64_t address) : memory_(&memory), address_(address) {}

  DeviceMemory* memory_;
  uint64_t address_;
  uint64_t ring_ = 0;
  uint32_t size_ = 1;
  uint64_t doorbell_signal_ = 0;
};

}  // namespace cuvette::hsa
