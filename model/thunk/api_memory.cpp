// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Memory of nodes: allocated, mapped, given back.
#include <algorithm>
#include <bit>
#include <optional>

#include "thunk/api.h"

using namespace cuvette::thunk;

namespace {

constexpr uint64_t kLargestAlignment = 2 << 20;

uint64_t page_bytes(const HsaMemFlags& flags) {
  switch (flags.ui32.PageSize) {
    case HSA_PAGE_SIZE_64KB:
      return 64 << 10;
    case HSA_PAGE_SIZE_2MB:
      return 2 << 20;
    case HSA_PAGE_SIZE_1GB:
      return 1 << 30;
    default:
      return kPageBytes;
  }
}

/// As the driver library aligns: to the largest power of two that is not more than the size, up to
/// 2 MiB. Device libraries rely on it (the heap of device-side malloc).
uint64_t alignment_of(uint64_t bytes) {
  return std::clamp(std::bit_floor(bytes), kPageBytes, kLargestAlignment);
}

HSAKMT_STATUS allocate(Driver& driver, Buffer buffer, void** address) {
  const HSAuint32 node = buffer.node;
  const bool on_device = node != kHostNode && buffer.kind == Buffer::Kind::Allocated;
  const uint64_t room = driver.description().memory.bytes;
  const std::lock_guard lock(driver.arena_mutex());
  if (on_device) {
    const uint64_t taken = driver.look([node](const MemoryMap& m) { return m.bytes_on(node); });
    if (buffer.bytes > room - std::min(room, taken)) return HSAKMT_STATUS_NO_MEMORY;
  }
  const uint64_t alignment = std::max(page_bytes(buffer.flags), alignment_of(buffer.bytes));
  void* const place = buffer.flags.ui32.FixedAddress != 0
                          ? AddressArena::take_at(*address, buffer.bytes)
                          : driver.arena().take(buffer.bytes, alignment);
  if (place == nullptr) return HSAKMT_STATUS_NO_MEMORY;
  buffer.address = address_of(place);
  driver.change(false, [&](MemoryMap& map) { map.add(std::move(buffer)); });
  *address = place;
  return HSAKMT_STATUS_SUCCESS;
}

/// Devices that a range can be mapped to: those that it was registered for, or all.
std::vector<HSAuint32> possible_devices(const Driver& driver, const Buffer& buffer) {
  std::vector<HSAuint32> devices = driver.topology().devices();
  if (buffer.registered_nodes.empty()) return devices;
  std::erase_if(devices, [&](HSAuint32 node) {
    return std::ranges::find(buffer.registered_nodes, node) == buffer.registered_nodes.end();
  });
  return devices;
}

/// `nodes`: the devices that see an allocated range from now on, no others. Without any, and for
/// memory of the process, all that are possible do.
HSAKMT_STATUS map_to(Driver& driver, void* address, HSAuint64 bytes, HSAuint64* device_address,
                     const std::vector<HSAuint32>& nodes) {
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  const uint64_t start = address_of(address);
  uint64_t seen = 0;
  driver.change(false, [&](MemoryMap& map) {
    Buffer* b = map.at(start, bytes);
    if (b == nullptr) b = map.at(start);
    if (b == nullptr) b = map.around(start);
    if (b == nullptr || b->kind == Buffer::Kind::Driver) return;
    // By an address of the process or of the device.
    const uint64_t offset =
        start - (start - b->address < b->bytes ? b->address : b->device_address);
    const uint64_t room = b->kind == Buffer::Kind::User ? b->end_page() - b->address : b->bytes;
    if (bytes > room - offset) return;
    const std::vector<HSAuint32> possible = possible_devices(driver, *b);
    const auto is_possible = [&](HSAuint32 node) {
      return std::ranges::find(possible, node) != possible.end();
    };
    if (b->kind == Buffer::Kind::Scratch) {
      b->parts[start] = page_ceil(bytes);
    } else if (nodes.empty() || b->kind == Buffer::Kind::User) {
      if (possible.empty()) return;
      b->mapped_nodes = possible;
    } else {
      if (!std::ranges::all_of(nodes, is_possible)) return;
      b->mapped_nodes = nodes;
    }
    seen = b->device_address + offset;
    map.changed();
    status = HSAKMT_STATUS_SUCCESS;
  });
  if (device_address != nullptr) *device_address = seen;
  return status;
}

}  // namespace

extern "C" {

/// For machines before gfx9 alone.
HSAKMT_STATUS HSAKMTAPI hsaKmtSetMemoryPolicy(HSAuint32 node, HSAuint32, HSAuint32, void*,
                                              HSAuint64) {
  CUVETTE_THUNK_OPEN();
  if (const auto s = check_node(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtAllocMemory(HSAuint32 node, HSAuint64 bytes, HsaMemFlags flags,
                                          void** address) {
  CUVETTE_THUNK_OPEN();
  if (const auto s = check_node(driver, node); s != HSAKMT_STATUS_SUCCESS) return s;
  if (address == nullptr || bytes == 0 || bytes % page_bytes(flags) != 0) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  const bool fixed = flags.ui32.FixedAddress != 0;
  if (fixed && (*address == nullptr || address_of(*address) % page_bytes(flags) != 0)) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  if (!fixed) *address = nullptr;
  // No memory of the global data share can be had.
  if (flags.ui32.GDSMemory != 0) return HSAKMT_STATUS_NO_MEMORY;
  if (flags.ui32.Scratch != 0 && node == kHostNode) return HSAKMT_STATUS_NO_MEMORY;
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.flags = flags;
  buffer.kind = flags.ui32.Scratch != 0 ? Buffer::Kind::Scratch : Buffer::Kind::Allocated;
  // Paged memory is the host's, whoever asks for it.
  const bool on_host = node == kHostNode || flags.ui32.NonPaged == 0;
  buffer.node = on_host && flags.ui32.Scratch == 0 ? kHostNode : node;
  return allocate(driver, std::move(buffer), address);
}

HSAKMT_STATUS HSAKMTAPI hsaKmtFreeMemory(void* address, HSAuint64) {
  CUVETTE_THUNK_OPEN();
  if (address == nullptr) return HSAKMT_STATUS_ERROR;
  HSAKMT_STATUS status = HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
  uint64_t bytes = 0;
  driver.change(true, [&](MemoryMap& map) {
    const Buffer* b = map.at(address_of(address));
    if (b == nullptr || b->kind == Buffer::Kind::User || b->kind == Buffer::Kind::Driver) return;
    // The kernel driver keeps what a device still sees.
    if (!b->mapped_nodes.empty()) {
      status = HSAKMT_STATUS_ERROR;
      return;
    }
    status = HSAKMT_STATUS_SUCCESS;
    bytes = b->bytes;
    map.remove(*b);
  });
  if (status == HSAKMT_STATUS_SUCCESS) AddressArena::give_back(address, bytes);
  return status;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtMapMemoryToGPU(void* address, HSAuint64 bytes,
                                             HSAuint64* device_address) {
  CUVETTE_THUNK_OPEN();
  if (device_address != nullptr) *device_address = 0;
  if (address == nullptr) return HSAKMT_STATUS_ERROR;
  return map_to(driver, address, bytes, device_address, {});
}

HSAKMT_STATUS HSAKMTAPI hsaKmtMapMemoryToGPUNodes(void* address, HSAuint64 bytes,
                                                  HSAuint64* device_address, HsaMemMapFlags,
                                                  HSAuint64 count, HSAuint32* nodes) {
  CUVETTE_THUNK_OPEN();
  if (device_address != nullptr) *device_address = 0;
  if (address == nullptr) return HSAKMT_STATUS_ERROR;
  if (const auto s = check_nodes(driver, nodes, count); s != HSAKMT_STATUS_SUCCESS) return s;
  std::vector<HSAuint32> devices(nodes, nodes + count);
  std::ranges::sort(devices);  // a node named twice is one
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return map_to(driver, address, bytes, device_address, devices);
}

HSAKMT_STATUS HSAKMTAPI hsaKmtUnmapMemoryToGPU(void* address) {
  CUVETTE_THUNK_OPEN();
  if (address == nullptr) return HSAKMT_STATUS_SUCCESS;  // as the driver library has it
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  const uint64_t start = address_of(address);
  driver.change(true, [&](MemoryMap& map) {
    Buffer* b = map.at(start);
    if (b == nullptr) b = map.around(start);
    if (b == nullptr || b->kind == Buffer::Kind::Driver) return;
    status = HSAKMT_STATUS_SUCCESS;
    b->mapped_nodes.clear();
    b->parts.erase(start);
    map.changed();
  });
  return status;
}

}  // extern "C"
