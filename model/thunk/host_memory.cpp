// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/host_memory.h"

#include <fmt/format.h>

namespace cuvette::thunk {
namespace {

constexpr uint64_t kNear = 1 << 20;  // bytes: a fault may have meant this range

void* host_address(uint64_t pa) {
  return reinterpret_cast<void*>(pa);  // NOLINT: host and device share addresses
}

/// Reads and writes bytes that other threads use at the same time.
hsa::HostMemory window(uint64_t pa, size_t bytes) {
  return {pa, bytes, host_address(pa)};
}

}  // namespace

hsa::Translation SharedAddressSpace::translate(uint32_t, uint64_t va, hsa::Access access) const {
  return map_.translate(node_, va, access);
}

std::string SharedAddressSpace::place_of(uint32_t, uint64_t va, uint64_t) const {
  const Buffer* b = map_.around(va);
  const bool inside = b != nullptr;
  if (!inside) b = map_.last_before(va);
  if (b == nullptr) return "";
  const char* what = b->kind == Buffer::Kind::User      ? "registered memory"
                     : b->kind == Buffer::Kind::Scratch ? "scratch memory"
                     : b->node == 0                     ? "system memory"
                     : b->node == node_                 ? "device memory"
                                                        : "memory of another device";
  const std::string range = fmt::format("{} ({:#x}, {} bytes)", what, b->address, b->bytes);
  if (inside) {
    const char* const mapped = b->mapped_nodes.empty() && b->parts.empty() ? ", not mapped"
                               : b->is_seen_by(node_)                      ? ""
                                                      : ", not mapped to this device";
    return fmt::format("in {}{}", range, mapped);
  }
  const uint64_t beyond = va - b->address - b->bytes;
  return beyond < kNear ? fmt::format("{} bytes beyond the end of {}", beyond, range) : "";
}

bool ProcessMemory::is_there(uint64_t pa, size_t bytes) const {
  for (const uint64_t end = pa + bytes; pa < end;) {
    const uint64_t seen = map_.seen_bytes(pa);
    if (seen == 0) return false;
    pa += seen;
  }
  return true;
}

uint8_t* ProcessMemory::host_pointer(uint64_t pa, size_t bytes) {
  return map_.seen_bytes(pa) >= bytes ? static_cast<uint8_t*>(host_address(pa)) : nullptr;
}

bool ProcessMemory::read(uint64_t pa, void* out, size_t bytes) const {
  if (!is_there(pa, bytes)) return false;
  return window(pa, bytes).read(pa, out, bytes);
}

bool ProcessMemory::write(uint64_t pa, const void* data, size_t bytes) {
  return !is_there(pa, bytes) || window(pa, bytes).write(pa, data, bytes);
}

}  // namespace cuvette::thunk
