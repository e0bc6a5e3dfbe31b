// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hsakmt.h"
#include "spi/spi.h"
#include "thunk/queues.h"
#include "thunk/recorder.h"
#include "thunk/trap_entry.h"

namespace cuvette::thunk {

/// Pages of a device that the driver gives it.
struct DevicePages {
  uint64_t* doorbells = nullptr;  ///< spi::kDoorbells quadwords
  uint64_t* pointers = nullptr;   ///< twice as many
  void* trap = nullptr;           ///< TrapEntry::kBytes, executable
};

/// Part of a device that the driver keeps beside its engine: queues, trap handler, record of
/// kernels. Used by the thread of the simulation alone.
struct Device {
  Device(HSAuint32 node_number, const DevicePages& pages)
      : node(node_number),
        queues(pages.doorbells, pages.pointers, recorder),
        trap_entry(pages.trap) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  HSAuint32 node;
  Recorder recorder;
  QueueTable queues;
  TrapEntry trap_entry;
  std::vector<std::string> sdma_errors;  ///< told on standard error already
};

/// Ids of queues in a process: doorbells of the devices one after the other.
constexpr uint64_t queue_id(unsigned device, uint64_t doorbell) {
  return uint64_t{device} * spi::kDoorbells + doorbell;
}
constexpr uint64_t device_of_queue(uint64_t id) {
  return id / spi::kDoorbells;
}
constexpr uint64_t doorbell_of_queue(uint64_t id) {
  return id % spi::kDoorbells;
}

}  // namespace cuvette::thunk
