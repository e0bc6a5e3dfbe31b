// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Memory of the process that is registered, and what is known of pointers.
#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "thunk/api.h"

using namespace cuvette::thunk;

namespace {

HSAKMT_STATUS register_memory(Driver& driver, void* address, HSAuint64 bytes, HsaMemFlags flags,
                              std::vector<HSAuint32> nodes) {
  if (address == nullptr || bytes == 0) return HSAKMT_STATUS_INVALID_PARAMETER;
  const uint64_t start = address_of(address);
  if (start + bytes < start) return HSAKMT_STATUS_INVALID_PARAMETER;
  void* seen = nullptr;
  {
    const std::lock_guard lock(driver.arena_mutex());
    seen = driver.arena().reserve(page_ceil(start + bytes) - page_floor(start), kPageBytes);
  }
  if (seen == nullptr) return HSAKMT_STATUS_NO_MEMORY;
  driver.change(false, [&](MemoryMap& map) {
    Buffer* known = map.at(start, bytes);
    if (known == nullptr) known = map.around(start);
    // Memory of the driver itself, or the same range again: one more user of it.
    const bool same = known != nullptr && known->address == start && known->bytes == bytes;
    if (known != nullptr && (known->kind != Buffer::Kind::User || same)) {
      ++known->registrations;
      if (!nodes.empty()) known->registered_nodes = nodes;
      return;
    }
    Buffer b;
    b.kind = Buffer::Kind::User;
    b.address = start;
    b.bytes = bytes;
    b.device_address = address_of(seen) + start % kPageBytes;
    b.node = kHostNode;
    b.flags = flags;
    b.registrations = 1;
    b.registered_nodes = std::move(nodes);
    map.add(std::move(b));
  });
  return HSAKMT_STATUS_SUCCESS;
}

HsaMemFlags flags_of_user_memory(bool coarse) {
  HsaMemFlags flags{};
  flags.ui32.HostAccess = 1;
  flags.ui32.CoarseGrain = coarse;
  return flags;
}

/// Bytes of ranges one after the other; both sides must be known to the driver.
struct Cursor {
  const HsaMemoryRange* ranges;
  HSAuint64 count, index = 0, offset = 0;

  uint64_t left() const { return index < count ? ranges[index].SizeInBytes - offset : 0; }
  uint8_t* here() const { return static_cast<uint8_t*>(ranges[index].MemoryAddress) + offset; }
  void advance(uint64_t bytes) {
    offset += bytes;
    while (index < count && offset >= ranges[index].SizeInBytes) {
      offset = 0;
      ++index;
    }
  }
};

/// Between ranges of this process; another one has a device of its own, which nobody sees.
HSAKMT_STATUS copy_ranges(HSAuint32 process, const HsaMemoryRange* to, HSAuint64 to_count,
                          const HsaMemoryRange* from, HSAuint64 from_count, HSAuint64* copied) {
  if (copied != nullptr) *copied = 0;
  CUVETTE_THUNK_OPEN();
  if (to == nullptr || from == nullptr || to_count == 0 || from_count == 0) {
    return HSAKMT_STATUS_ERROR;
  }
  if (process != static_cast<HSAuint32>(getpid())) return HSAKMT_STATUS_ERROR;
  Cursor target{to, to_count}, source{from, from_count};
  target.advance(0);
  source.advance(0);
  while (const uint64_t bytes = std::min(target.left(), source.left())) {
    const bool known = driver.look([&](const MemoryMap& map) {
      return map.covers(address_of(target.here()), bytes) &&
             map.covers(address_of(source.here()), bytes);
    });
    if (!known) return HSAKMT_STATUS_ERROR;
    std::memmove(target.here(), source.here(), bytes);
    if (copied != nullptr) *copied += bytes;
    target.advance(bytes);
    source.advance(bytes);
  }
  return source.left() == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

}  // namespace

extern "C" {

HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemory(void* address, HSAuint64 bytes) {
  CUVETTE_THUNK_OPEN();
  return register_memory(driver, address, bytes, flags_of_user_memory(true), {});
}

HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryToNodes(void* address, HSAuint64 bytes, HSAuint64 count,
                                                    HSAuint32* nodes) {
  CUVETTE_THUNK_OPEN();
  if (const auto s = check_nodes(driver, nodes, count); s != HSAKMT_STATUS_SUCCESS) return s;
  return register_memory(driver, address, bytes, flags_of_user_memory(true),
                         {nodes, nodes + count});
}

/// Ordinary paged memory of the host alone.
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryWithFlags(void* address, HSAuint64 bytes,
                                                      HsaMemFlags flags) {
  CUVETTE_THUNK_OPEN();
  if (flags.ui32.HostAccess != 1 || flags.ui32.NonPaged == 1) return HSAKMT_STATUS_NOT_SUPPORTED;
  return register_memory(driver, address, bytes, flags_of_user_memory(flags.ui32.CoarseGrain != 0),
                         {});
}

HSAKMT_STATUS HSAKMTAPI hsaKmtDeregisterMemory(void* address) {
  CUVETTE_THUNK_OPEN();
  HSAKMT_STATUS status = HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
  driver.change(true, [&](MemoryMap& map) {
    Buffer* b = map.at(address_of(address));
    if (b == nullptr || b->registrations == 0) return;
    status = HSAKMT_STATUS_SUCCESS;
    --b->registrations;
    if (b->registrations != 0 || b->kind != Buffer::Kind::User) return;
    if (!b->mapped_nodes.empty()) {
      b->registrations = 1;
      status = HSAKMT_STATUS_ERROR;
      return;
    }
    map.remove(*b);
  });
  return status;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtQueryPointerInfo(const void* pointer, HsaPointerInfo* info) {
  CUVETTE_THUNK_OPEN();
  if (info == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  std::memset(static_cast<void*>(info), 0, sizeof *info);
  return driver.look([&](const MemoryMap& map) {
    const Buffer* b = map.around(address_of(pointer));
    if (b == nullptr || b->kind == Buffer::Kind::Driver || b->kind == Buffer::Kind::Scratch) {
      return HSAKMT_STATUS_ERROR;
    }
    info->Type =
        b->kind == Buffer::Kind::User ? HSA_POINTER_REGISTERED_USER : HSA_POINTER_ALLOCATED;
    info->Node = b->node;
    info->MemFlags = b->flags;
    info->CPUAddress = reinterpret_cast<void*>(b->address);  // NOLINT: host and device share it
    info->GPUAddress = b->device_address;
    info->SizeInBytes = b->bytes;
    info->NRegisteredNodes = static_cast<HSAuint32>(b->registered_nodes.size());
    info->RegisteredNodes = b->registered_nodes.empty() ? nullptr : b->registered_nodes.data();
    info->NMappedNodes = static_cast<HSAuint32>(b->mapped_nodes.size());
    info->MappedNodes = b->mapped_nodes.empty() ? nullptr : b->mapped_nodes.data();
    info->UserData = b->user_data;
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS HSAKMTAPI hsaKmtSetMemoryUserData(const void* pointer, void* user_data) {
  CUVETTE_THUNK_OPEN();
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  driver.change(false, [&](MemoryMap& map) {
    Buffer* b = map.around(address_of(pointer));
    if (b == nullptr || b->kind == Buffer::Kind::Driver) return;
    b->user_data = user_data;
    status = HSAKMT_STATUS_SUCCESS;
  });
  return status;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtProcessVMRead(HSAuint32 process, HsaMemoryRange* local,
                                            HSAuint64 local_count, HsaMemoryRange* remote,
                                            HSAuint64 remote_count, HSAuint64* copied) {
  return copy_ranges(process, local, local_count, remote, remote_count, copied);
}

HSAKMT_STATUS HSAKMTAPI hsaKmtProcessVMWrite(HSAuint32 process, HsaMemoryRange* local,
                                             HSAuint64 local_count, HsaMemoryRange* remote,
                                             HSAuint64 remote_count, HSAuint64* copied) {
  return copy_ranges(process, remote, remote_count, local, local_count, copied);
}

}  // extern "C"
