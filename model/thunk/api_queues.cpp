// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// User-mode queues.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hsa/queue.h"
#include "spi/spi.h"
#include "thunk/api.h"

using namespace cuvette;
using namespace cuvette::thunk;

namespace {

constexpr int kLowest = HSA_QUEUE_PRIORITY_MINIMUM, kHighest = HSA_QUEUE_PRIORITY_MAXIMUM;

constexpr HSAuint64 kLeastSdmaRing = 1024;

bool is_priority(HSA_QUEUE_PRIORITY priority) {
  return priority >= kLowest && priority <= kHighest;
}
/// As the kernel driver numbers them: 0 to 15, 7 is normal.
uint8_t level_of(HSA_QUEUE_PRIORITY priority) {
  constexpr uint8_t kLevels[] = {0, 3, 5, 7, 9, 11, 15};
  return kLevels[static_cast<int>(priority) - kLowest];
}

/// Packets of a ring; 0: not a size that a ring can have.
uint32_t packets_of(HSAuint64 bytes) {
  const HSAuint64 packets = bytes / hsa::kPacketBytes;
  const bool good = bytes % hsa::kPacketBytes == 0 && packets != 0 &&
                    (packets & (packets - 1)) == 0 && packets <= (uint64_t{1} << 26);
  return good ? static_cast<uint32_t>(packets) : 0;
}

/// Bytes that a ring of an SDMA engine can have; it starts at a multiple of 256.
bool is_sdma_ring(HSAuint64 bytes) {
  return bytes >= kLeastSdmaRing && bytes <= (uint64_t{1} << 31) && (bytes & (bytes - 1)) == 0;
}

bool sees(Driver& driver, HSAuint32 node, uint64_t address, uint64_t bytes) {
  return driver.look([&](const MemoryMap& map) {
    for (uint64_t at = address; at < address + bytes;) {
      const auto t = map.translate(node, at, hsa::Access::ReadWrite);
      if (!t.ok()) return false;
      at += t.bytes;
    }
    return true;
  });
}

HSAuint32 node_of_queue(HSA_QUEUEID id) {
  return static_cast<HSAuint32>(kFirstDevice + device_of_queue(id));
}

/// On a queue that is there, by its id among those of its device; ERROR, as the kernel driver's,
/// when there is none.
template <class Function>
HSAKMT_STATUS with_queue(Driver& driver, HSA_QUEUEID id, Function&& function) {
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  if (device_of_queue(id) >= driver.topology().nodes() - kFirstDevice) return status;
  const auto device = static_cast<unsigned>(device_of_queue(id));
  const uint64_t own = doorbell_of_queue(id);
  driver.with_device(device, [&](Engine& engine, Device& d) {
    if (!d.queues.has(own)) return;
    status = HSAKMT_STATUS_SUCCESS;
    function(engine, d.queues, own);
  });
  return status;
}

/// Its pointers count bytes and are the driver's.
HSAKMT_STATUS create_sdma(Driver& driver, HSAuint32 node, HSA_QUEUE_TYPE type, void* ring,
                          HSAuint64 bytes, HsaQueueResource& resource) {
  if (ring == nullptr || !is_sdma_ring(bytes)) return HSAKMT_STATUS_INVALID_PARAMETER;
  QueueTable::SdmaRequest request;
  request.ring = reinterpret_cast<uint64_t>(ring);
  request.bytes = bytes;
  request.kind = type == HSA_QUEUE_SDMA ? sdma::Engines::Kind::General : sdma::Engines::Kind::Link;
  if (!sees(driver, node, request.ring, bytes)) return HSAKMT_STATUS_ERROR;
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  const unsigned number = node - kFirstDevice;
  driver.with_device(number, [&](Engine& engine, Device& device) {
    const auto index = device.queues.create_sdma(engine, request);
    if (!index) {
      status = HSAKMT_STATUS_NO_MEMORY;
      return;
    }
    resource.QueueId = queue_id(number, *index);
    resource.Queue_DoorBell_aql = device.queues.doorbell(*index);
    resource.Queue_read_ptr_aql = device.queues.sdma_read_pointer(*index);
    resource.Queue_write_ptr_aql = device.queues.sdma_write_pointer(*index);
    status = HSAKMT_STATUS_SUCCESS;
  });
  return status;
}

}  // namespace

extern "C" {

/// Queues of AQL packets and of SDMA engines. The caller gives the pointers of an AQL ring, which
/// are fields of its amd_queue_t, the driver those of an SDMA ring; it always gives the doorbell.
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueue(HSAuint32 node, HSA_QUEUE_TYPE type, HSAuint32 percentage,
                                          HSA_QUEUE_PRIORITY priority, void* ring, HSAuint64 bytes,
                                          HsaEvent*, HsaQueueResource* resource) {
  CUVETTE_THUNK_OPEN();
  if (const auto s = check_device(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  if (resource == nullptr || !is_priority(priority) || percentage > 100) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  if (type == HSA_QUEUE_SDMA || type == HSA_QUEUE_SDMA_XGMI) {
    return create_sdma(driver, node, type, ring, bytes, *resource);
  }
  if (type != HSA_QUEUE_COMPUTE_AQL) return HSAKMT_STATUS_NOT_SUPPORTED;
  const uint32_t packets = packets_of(bytes);
  if (ring == nullptr || packets == 0 || resource->Queue_read_ptr_aql == nullptr ||
      resource->Queue_write_ptr_aql == nullptr) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  QueueTable::Request request;
  request.queue_address = resource->QueueRptrValue - offsetof(hsa::AmdQueue, read_dispatch_id);
  request.ring = reinterpret_cast<uint64_t>(ring);
  request.packets = packets;
  request.priority = level_of(priority);
  if (!sees(driver, node, request.ring, bytes) ||
      !sees(driver, node, request.queue_address, sizeof(hsa::AmdQueue))) {
    return HSAKMT_STATUS_ERROR;
  }
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  const unsigned number = node - kFirstDevice;
  driver.with_device(number, [&](Engine& engine, Device& device) {
    request.trap_handler = device.trap_entry.address();
    request.trap_memory = device.trap_entry.memory();
    const auto index = device.queues.create(engine, request);
    if (!index) {
      status = HSAKMT_STATUS_NO_MEMORY;
      return;
    }
    resource->QueueId = queue_id(number, *index);
    resource->Queue_DoorBell_aql = device.queues.doorbell(*index);
    status = HSAKMT_STATUS_SUCCESS;
  });
  return status;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtUpdateQueue(HSA_QUEUEID id, HSAuint32 percentage,
                                          HSA_QUEUE_PRIORITY priority, void* ring, HSAuint64 bytes,
                                          HsaEvent*) {
  CUVETTE_THUNK_OPEN();
  if (!is_priority(priority) || id == 0) return HSAKMT_STATUS_INVALID_PARAMETER;
  const uint32_t packets = packets_of(bytes);
  // Without a ring, or a share of time, the queue sleeps.
  const bool sleeps = ring == nullptr || bytes == 0 || percentage == 0;
  const auto address = reinterpret_cast<uint64_t>(ring);
  const bool seen = sleeps || sees(driver, node_of_queue(id), address, bytes);
  bool good = true;
  const HSAKMT_STATUS there =
      with_queue(driver, id, [&](Engine& engine, QueueTable& queues, uint64_t own) {
        if (queues.is_sdma(own)) {
          good = seen && (sleeps || is_sdma_ring(bytes)) &&
                 queues.update_sdma(engine, own, sleeps ? 0 : address, bytes);
          return;
        }
        good = seen && (sleeps || packets != 0);
        if (!good) return;
        queues.update(engine, own, sleeps ? 0 : address, packets, level_of(priority));
      });
  return good ? there : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyQueue(HSA_QUEUEID id) {
  CUVETTE_THUNK_OPEN();
  if (id == 0) return HSAKMT_STATUS_INVALID_PARAMETER;
  return with_queue(driver, id, [&](Engine& engine, QueueTable& queues, uint64_t own) {
    queues.destroy(engine, own);
  });
}

/// Bits in the order of the kernel driver: compute unit 0 of every shader engine, then 1, ...
HSAKMT_STATUS HSAKMTAPI hsaKmtSetQueueCUMask(HSA_QUEUEID id, HSAuint32 count, HSAuint32* mask) {
  CUVETTE_THUNK_OPEN();
  if (count == 0 || count % 32 != 0 || mask == nullptr || id == 0) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  const HsaNodeProperties& node = driver.topology().node(kFirstDevice);
  const unsigned engines = node.NumShaderBanks;
  spi::CuMask units{};
  bool any = false;
  for (unsigned bit = 0; bit < std::min<unsigned>(count, engines * node.NumCUPerArray); ++bit) {
    if ((mask[bit / 32] >> (bit % 32) & 1) == 0) continue;
    units[bit % engines] = static_cast<uint16_t>(units[bit % engines] | 1u << (bit / engines));
    any = true;
  }
  if (!any) return HSAKMT_STATUS_ERROR;
  bool good = true;
  const HSAKMT_STATUS there =
      with_queue(driver, id, [&](Engine& engine, QueueTable& queues, uint64_t own) {
        good = !queues.is_sdma(own);  // it uses no compute unit
        if (good) queues.set_mask(engine, own, units);
      });
  return good ? there : HSAKMT_STATUS_ERROR;
}

/// Waves are never saved: there is no control stack and no save area to tell of.
HSAKMT_STATUS HSAKMTAPI hsaKmtGetQueueInfo(HSA_QUEUEID, HsaQueueInfo* info) {
  CUVETTE_THUNK_OPEN();
  return info == nullptr ? HSAKMT_STATUS_INVALID_PARAMETER : HSAKMT_STATUS_NOT_SUPPORTED;
}

/// Second-level handler: waves come to it through the driver's own handler.
HSAKMT_STATUS HSAKMTAPI hsaKmtSetTrapHandler(HSAuint32 node, void* handler, HSAuint64, void* memory,
                                             HSAuint64) {
  CUVETTE_THUNK_OPEN();
  if (const auto s = check_device(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  driver.set_trap_handler(node - kFirstDevice, reinterpret_cast<uint64_t>(handler),
                          reinterpret_cast<uint64_t>(memory));
  return HSAKMT_STATUS_SUCCESS;
}

/// All of the global wave sync of a device, or none (0), for one of the process's queues there.
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocQueueGWS(HSA_QUEUEID id, HSAuint32 count, HSAuint32* first) {
  CUVETTE_THUNK_OPEN();
  if (driver.topology().node(kFirstDevice).NumGws == 0) return HSAKMT_STATUS_NOT_SUPPORTED;
  bool compute = true, done = false;
  const HSAKMT_STATUS there =
      with_queue(driver, id, [&](Engine&, QueueTable& queues, uint64_t own) {
        compute = !queues.is_sdma(own);
        done = compute && queues.assign_gws(own, count != 0);
      });
  if (there != HSAKMT_STATUS_SUCCESS || !compute) return HSAKMT_STATUS_ERROR;
  if (!done) return count != 0 ? HSAKMT_STATUS_OUT_OF_RESOURCES : HSAKMT_STATUS_INVALID_PARAMETER;
  if (first != nullptr) *first = 0;
  return HSAKMT_STATUS_SUCCESS;
}

}  // extern "C"
