// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "hsa/address_space.h"
#include "hsa/allocator.h"
#include "hsa/atomic.h"
#include "hsa/backing.h"

namespace cuvette::hsa {

/// Result of an access by virtual address, and the first address that failed.
struct AccessResult {
  Fault fault = Fault::None;
  uint64_t address = 0;  ///< when it failed: the first address that did

  bool ok() const { return fault == Fault::None; }
  explicit operator bool() const { return ok(); }
  /// "unmapped address 0x100001000"
  std::string str() const;
};

/// Coherence that a program asks for when it allocates memory (ROCm's words). Coarse-grained:
/// coherent with the host at fences of system scope only. Fine-grained: at once; the MTYPE that the
/// kernel driver gives such memory of the host (memory.md "Memory types"). Uncached: the same page
/// type, by its own name.
enum class Grain : uint8_t { Coarse, Fine, Uncached };
constexpr MemoryType page_type(Grain grain) {
  return grain == Grain::Coarse ? MemoryType::NonCoherent : MemoryType::Uncached;
}
/// "coarse_grained", "fine_grained", "uncached".
const char* name(Grain grain);
std::optional<Grain> grain_from_name(std::string_view name);

/// Device memory as one object: Backing, AddressSpace and DeviceAllocator. Accesses by virtual
/// address, all or nothing: a faulting access has no effect.
class DeviceMemory {
 public:
  /// Own sparse memory, identity translation.
  DeviceMemory() : DeviceMemory(DeviceAllocator::Config{}) {}
  explicit DeviceMemory(const DeviceAllocator::Config& config);
  /// A backing and an address space from outside; allocate() then only gives and maps addresses and
  /// the backing has to cover them.
  DeviceMemory(std::unique_ptr<Backing> backing, std::unique_ptr<AddressSpace> space,
               const DeviceAllocator::Config& config);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  /// Blocks, those that are there included, take at most so many bytes together; what does not fit
  /// is an error. Memory of the host that is attached does not count. Without: no limit.
  void limit(uint64_t bytes) { limit_ = bytes; }

  /// Properties of an allocation.
  struct Options {
    uint64_t alignment = 256;              ///< bytes, a power of two
    Access permitted = Access::ReadWrite;  ///< rights of the GPU
    Place place = Place::Anywhere;         ///< constraint on the address
    MemoryType type = MemoryType::NonCoherent;
    std::string name;  ///< name in messages ("buffer y"); empty: "the allocation"
  };

  /// New zeroed memory, reserved and mapped. [size, next multiple of 64) after it is readable but
  /// not writable: compilers widen loads inside an aligned block, stores never.
  base::Result<uint64_t> allocate(uint64_t bytes, const Options& options);
  base::Result<uint64_t> allocate(uint64_t bytes) { return allocate(bytes, Options{}); }
  /// Addresses and zeroed memory without any mapping; map_part() maps pieces of it one by one.
  base::Result<uint64_t> reserve(uint64_t bytes, const Options& options);
  base::Status map_part(uint64_t block, uint64_t offset, uint64_t bytes, Access permitted);
  /// Host memory at an address of our choice, mapped in place; the caller keeps it alive.
  base::Result<uint64_t> allocate_host(void* host, uint64_t bytes, const Options& options);
  /// Unmaps what allocate, reserve or allocate_host gave. Its addresses are never given again.
  base::Status free(uint64_t va);

  AccessResult read(uint64_t va, void* out, size_t bytes, uint32_t vmid = 0) const;
  AccessResult write(uint64_t va, const void* data, size_t bytes, uint32_t vmid = 0);
  /// The loader's and debugger's write: needs a mapping, not the permission to write.
  AccessResult poke(uint64_t va, const void* data, size_t bytes, uint32_t vmid = 0);

  /// Atomic read-modify-write of 4 or 8 naturally aligned bytes. `old` may be null.
  AccessResult update(uint64_t va, unsigned bytes, const Backing::Update& function, uint64_t* old,
                      uint32_t vmid = 0);
  /// An integer AtomicOp.
  AccessResult atomic(uint64_t va, unsigned bytes, AtomicOp op, uint64_t operand, uint64_t compare,
                      uint64_t* old, uint32_t vmid = 0);
  AccessResult load_acquire(uint64_t va, unsigned bytes, uint64_t* value, uint32_t vmid = 0) const;
  AccessResult store_release(uint64_t va, unsigned bytes, uint64_t value, uint32_t vmid = 0);

  template <class T>
  AccessResult read_value(uint64_t va, T* out, uint32_t vmid = 0) const {
    static_assert(std::is_trivially_copyable<T>::value, "bytes are copied");
    return read(va, out, sizeof(T), vmid);
  }
  template <class T>
  AccessResult write_value(uint64_t va, const T& value, uint32_t vmid = 0) {
    static_assert(std::is_trivially_copyable<T>::value, "bytes are copied");
    return write(va, &value, sizeof(T), vmid);
  }

  /// AddressSpace::place_of() with a space before it, or nothing: the end of a message.
  std::string place_of(uint64_t va, uint64_t bytes, uint32_t vmid = 0) const;

  Backing& backing() { return *backing_; }
  const Backing& backing() const { return *backing_; }
  AddressSpace& space() { return *space_; }
  const AddressSpace& space() const { return *space_; }
  DeviceAllocator& allocator() { return allocator_; }

 private:
  struct Block {
    uint64_t bytes = 0;
    std::vector<uint64_t> parts;  // first addresses of what is mapped
    MemoryType type = MemoryType::NonCoherent;
    bool of_host = false;
  };
  AccessResult check(uint64_t va, size_t bytes, Access access, uint32_t vmid) const;
  AccessResult atomic_address(uint64_t va, unsigned bytes, Access access, uint32_t vmid,
                              uint64_t* pa) const;
  AccessResult copy_in(uint64_t va, const void* data, size_t bytes, Access access, uint32_t vmid);
  base::Result<uint64_t> place(uint64_t bytes, const Options& options, void* host);

  std::unique_ptr<Backing> backing_;
  std::unique_ptr<AddressSpace> space_;
  SparseMemory* sparse_ = nullptr;  // backing_ when it is ours
  DeviceAllocator allocator_;
  std::map<uint64_t, Block> blocks_;
  uint64_t limit_ = ~uint64_t{0};
  uint64_t taken_ = 0;  // by blocks that are not the host's
};

}  // namespace cuvette::hsa
