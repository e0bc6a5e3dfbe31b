// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/memory_map.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <sys/mman.h>

namespace cuvette::thunk {
namespace {

constexpr uint64_t kArenaBytes = uint64_t{1} << 40;
constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void* pointer(uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT: host and device share addresses
}

}  // namespace

void* AddressArena::take(uint64_t bytes, uint64_t alignment) {
  void* place = reserve(bytes, alignment);
  if (place == nullptr || mprotect(place, page_ceil(bytes), PROT_READ | PROT_WRITE) == 0) {
    return place;
  }
  return nullptr;
}

void* AddressArena::reserve(uint64_t bytes, uint64_t alignment) {
  if (bytes == 0 || bytes > kArenaBytes / 2) return nullptr;
  bytes = page_ceil(bytes);
  uint64_t start = (next_ + alignment - 1) / alignment * alignment;
  if (end_ == 0 || start + bytes + kPageBytes > end_) {
    void* arena = mmap(nullptr, kArenaBytes, PROT_NONE, kPrivate, -1, 0);
    if (arena == MAP_FAILED) return nullptr;
    next_ = address_of(arena);
    end_ = next_ + kArenaBytes;
    start = (next_ + alignment - 1) / alignment * alignment;
  }
  next_ = start + bytes + kPageBytes;
  return pointer(start);
}

void* AddressArena::take_at(void* address, uint64_t bytes) {
  void* p = mmap(address, page_ceil(bytes), PROT_READ | PROT_WRITE, kPrivate | MAP_FIXED_NOREPLACE,
                 -1, 0);
  if (p == MAP_FAILED) return nullptr;
  if (p == address) return p;
  munmap(p, page_ceil(bytes));  // a kernel that does not know the flag
  return nullptr;
}

void AddressArena::give_back(void* address, uint64_t bytes) {
  const uint64_t size = page_ceil(bytes);
  if (mmap(address, size, PROT_NONE, kPrivate | MAP_FIXED, -1, 0) != MAP_FAILED) return;
  munmap(address, size);  // the arena never gives these addresses again
}

Buffer& MemoryMap::add(Buffer buffer) {
  changed();
  if (buffer.device_address == 0) buffer.device_address = buffer.address;
  if (buffer.kind == Buffer::Kind::User) return user_.emplace_back(std::move(buffer));
  const uint64_t address = buffer.address;
  return owned_[address] = std::move(buffer);
}

void MemoryMap::remove(const Buffer& buffer) {
  changed();
  if (buffer.kind == Buffer::Kind::User) {
    user_.remove_if([&buffer](const Buffer& b) { return &b == &buffer; });
  } else {
    owned_.erase(buffer.address);
  }
}

Buffer* MemoryMap::at(uint64_t address, uint64_t bytes) {
  if (const auto found = owned_.find(address); found != owned_.end()) return &found->second;
  for (Buffer& b : user_) {
    if (b.address == address && (bytes == 0 || b.bytes == bytes)) return &b;
  }
  return nullptr;
}

const Buffer* MemoryMap::last_before(uint64_t address) const {
  const auto next = owned_.upper_bound(address);
  return next == owned_.begin() ? nullptr : &std::prev(next)->second;
}

const Buffer* MemoryMap::around(uint64_t address) const {
  if (const Buffer* b = last_before(address); b != nullptr && b->holds(address)) return b;
  for (const Buffer& b : user_) {
    if (b.holds(address)) return &b;
  }
  return nullptr;
}

Buffer* MemoryMap::around(uint64_t address) {
  return const_cast<Buffer*>(std::as_const(*this).around(address));
}

bool MemoryMap::covers(uint64_t va, uint64_t bytes) const {
  while (bytes != 0) {
    const Buffer* b = around(va);
    if (b == nullptr) return false;
    const uint64_t here = std::min(bytes, b->address + b->bytes - va);
    va += here;
    bytes -= here;
  }
  return true;
}

uint64_t MemoryMap::bytes_on(uint32_t node) const {
  uint64_t sum = 0;
  for (const auto& [address, b] : owned_) {
    if (b.kind == Buffer::Kind::Allocated && b.node == node) sum += b.bytes;
  }
  return sum;
}

namespace {

/// Number of bytes of a range that some device sees, from the byte `offset` of its pages on; 0:
/// none.
uint64_t mapped_bytes(const Buffer& b, uint64_t offset) {
  const uint64_t bytes = b.end_page() - b.first_page();
  if (offset >= bytes) return 0;
  if (b.kind == Buffer::Kind::Scratch) {
    const uint64_t va = b.address + offset;
    const auto next = b.parts.upper_bound(va);
    if (next == b.parts.begin()) return 0;
    const auto& [start, length] = *std::prev(next);
    return va - start < length ? length - (va - start) : 0;
  }
  return b.mapped_nodes.empty() ? 0 : bytes - offset;
}

}  // namespace

bool Buffer::is_seen_by(uint32_t of) const {
  if (kind == Kind::Scratch) return node == of;
  return std::find(mapped_nodes.begin(), mapped_nodes.end(), of) != mapped_nodes.end();
}

hsa::Translation MemoryMap::translate(uint32_t node, uint64_t va, hsa::Access access) const {
  hsa::Translation t;
  t.fault = hsa::Fault::Unmapped;
  const auto look = [&](const Buffer& b) {
    const uint64_t offset = va - b.device_page();
    const uint64_t bytes = mapped_bytes(b, offset);
    if (bytes == 0 || t.ok() || !b.is_seen_by(node)) return;
    t.pa = b.first_page() + offset;
    t.bytes = bytes;
    t.type = memory_type(b.flags);
    t.fault = hsa::includes(permitted(b), access) ? hsa::Fault::None : hsa::Fault::NotPermitted;
  };
  const auto next = owned_.upper_bound(va);
  if (next != owned_.begin()) look(std::prev(next)->second);
  for (const Buffer& b : user_) look(b);
  return t;
}

uint64_t MemoryMap::seen_bytes(uint64_t address) const {
  uint64_t most = 0;
  const auto look = [&](const Buffer& b) {
    most = std::max(most, mapped_bytes(b, address - b.first_page()));
  };
  const auto next = owned_.upper_bound(address);
  if (next != owned_.begin()) look(std::prev(next)->second);
  for (const Buffer& b : user_) look(b);
  return most;
}

hsa::MemoryType memory_type(const HsaMemFlags& flags) {
  return flags.ui32.CoarseGrain != 0 && flags.ui32.Uncached == 0 ? hsa::MemoryType::NonCoherent
                                                                 : hsa::MemoryType::Uncached;
}

hsa::Access permitted(const Buffer& buffer) {
  hsa::Access a = hsa::Access::Read;
  if (buffer.flags.ui32.ReadOnly == 0) a = a | hsa::Access::Write;
  if (buffer.flags.ui32.ExecuteAccess != 0) a = a | hsa::Access::Execute;
  return a;
}

}  // namespace cuvette::thunk
