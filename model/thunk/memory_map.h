// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "hsa/address_space.h"
#include "hsakmt.h"

namespace cuvette::thunk {

inline uint64_t address_of(const void* p) {
  return reinterpret_cast<uint64_t>(p);
}

inline constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t page_floor(uint64_t address) {
  return address / kPageBytes * kPageBytes;
}
constexpr uint64_t page_ceil(uint64_t address) {
  return page_floor(address + kPageBytes - 1);
}

/// Virtual addresses for a device whose memory lies at the same addresses in the host. Addresses
/// are never given twice, so that accesses to freed memory fault on both sides; an inaccessible
/// page follows every range. Not thread-safe.
class AddressArena {
 public:
  AddressArena() = default;
  AddressArena(const AddressArena&) = delete;
  AddressArena& operator=(const AddressArena&) = delete;

  /// Addresses alone, of whole pages; null when the host has no room.
  void* reserve(uint64_t bytes, uint64_t alignment);
  /// Zeroed memory of whole pages at a multiple of `alignment`, a power of two of at least a page;
  /// null when the host has no room.
  void* take(uint64_t bytes, uint64_t alignment);
  /// The same at `address`; null when something is there.
  static void* take_at(void* address, uint64_t bytes);
  /// Gives the memory back and keeps the addresses.
  static void give_back(void* address, uint64_t bytes);

 private:
  uint64_t next_ = 0, end_ = 0;  // of the range reserved last
};

/// A range that the driver knows: allocated by it, or registered memory of the process.
struct Buffer {
  enum class Kind : uint8_t { Allocated, Scratch, User, Driver };
  Kind kind = Kind::Allocated;
  uint64_t address = 0, bytes = 0;  ///< as the caller gave them
  /// Address at which devices see it: user memory has other addresses there than in the
  /// process, at the same offset in their page, as the kernel driver has it; everything else has
  /// its own.
  uint64_t device_address = 0;
  uint32_t node = 0;
  HsaMemFlags flags{};
  unsigned registrations = 0;
  /// Nodes that it was registered for (none: all of them) and those that see it now.
  std::vector<HSAuint32> registered_nodes, mapped_nodes;
  std::map<uint64_t, uint64_t> parts;  ///< of scratch: mapped pieces, bytes by address
  void* user_data = nullptr;

  uint64_t first_page() const { return page_floor(address); }
  uint64_t end_page() const { return page_ceil(address + bytes); }
  uint64_t device_page() const { return page_floor(device_address); }
  bool is_seen_by(uint32_t node) const;
  bool holds(uint64_t va) const {
    return (va >= address && va - address < bytes) ||
           (va >= device_address && va - device_address < bytes);
  }
};

/// The ranges of a process and what each device sees of them. Not thread-safe.
class MemoryMap {
 public:
  /// The range overlaps none that the driver has allocated.
  Buffer& add(Buffer buffer);
  void remove(const Buffer& buffer);

  /// By its first address; of user memory that registered with `bytes`, or with any number (0).
  Buffer* at(uint64_t address, uint64_t bytes = 0);
  /// Buffer that holds the address, one of the process or one of the device.
  Buffer* around(uint64_t address);
  const Buffer* around(uint64_t address) const;
  /// The allocated range that begins last at or before the address; null: none does.
  const Buffer* last_before(uint64_t address) const;

  /// Translation of an address of the device of `node`, page by page.
  hsa::Translation translate(uint32_t node, uint64_t va, hsa::Access access) const;
  /// Number of bytes from an address of the process on that belong to something that any device
  /// sees; 0: none.
  uint64_t seen_bytes(uint64_t address) const;
  /// Some range covers [va, va + bytes), mapped or not.
  bool covers(uint64_t va, uint64_t bytes) const;

  /// After a change of what is mapped.
  void changed() { ++generation_; }
  uint64_t generation() const { return generation_; }
  /// Bytes that were allocated on a node and not freed.
  uint64_t bytes_on(uint32_t node) const;

 private:
  std::map<uint64_t, Buffer> owned_;  // disjoint, by address
  std::list<Buffer> user_;            // may share pages; few at a time
  uint64_t generation_ = 1;
};

/// The memory type of the page table entries of a range (docs/reference/memory.md "Memory types").
hsa::MemoryType memory_type(const HsaMemFlags& flags);
hsa::Access permitted(const Buffer& buffer);

}  // namespace cuvette::thunk
