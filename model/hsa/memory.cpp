// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/memory.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

/// Compilers widen loads inside an aligned block of at most this size.
constexpr uint64_t kReadableTail = 64;

/// By Grain.
constexpr const char* kGrains[] = {"coarse_grained", "fine_grained", "uncached"};

AccessResult failed(Fault fault, uint64_t address) {
  AccessResult r;
  r.fault = fault;
  r.address = address;
  return r;
}

}  // namespace

const char* name(Grain grain) {
  return kGrains[static_cast<unsigned>(grain)];
}

std::optional<Grain> grain_from_name(std::string_view name) {
  for (unsigned g = 0; g < std::size(kGrains); ++g) {
    if (name == kGrains[g]) return static_cast<Grain>(g);
  }
  return std::nullopt;
}

std::string AccessResult::str() const {
  return ok() ? "no fault" : fmt::format("{} {:#x}", name(fault), address);
}

DeviceMemory::DeviceMemory(const DeviceAllocator::Config& config)
    : space_(std::make_unique<AddressSpace>()), allocator_(config) {
  auto own = std::make_unique<SparseMemory>();
  sparse_ = own.get();
  backing_ = std::move(own);
}

DeviceMemory::DeviceMemory(std::unique_ptr<Backing> backing, std::unique_ptr<AddressSpace> space,
                           const DeviceAllocator::Config& config)
    : backing_(std::move(backing)), space_(std::move(space)), allocator_(config) {}

DeviceMemory::~DeviceMemory() = default;

base::Result<uint64_t> DeviceMemory::place(uint64_t bytes, const Options& options, void* host) {
  const uint64_t left = limit_ - std::min(limit_, taken_);
  if (host == nullptr && bytes > left) {
    return base::Error(
        fmt::format("{} bytes do not fit: of {} bytes of memory {} are left", bytes, limit_, left));
  }
  auto va = allocator_.allocate(bytes, options.alignment, options.place);
  if (!va) return va;
  if (sparse_ != nullptr) {
    auto status = host != nullptr ? sparse_->attach(*va, bytes, host)
                                  : sparse_->reserve(*va, base::align_up(bytes, kReadableTail));
    if (!status) return status.error();
  } else if (host != nullptr) {
    return base::Error("host memory can be attached to own sparse memory only");
  }
  Block& block = blocks_[*va];
  block.bytes = bytes;
  block.type = options.type;
  block.of_host = host != nullptr;
  if (!block.of_host) taken_ += bytes;
  space_->name(*va, bytes, options.name.empty() ? "the allocation" : options.name);
  return va;
}

base::Result<uint64_t> DeviceMemory::reserve(uint64_t bytes, const Options& options) {
  return place(bytes, options, nullptr);
}

base::Status DeviceMemory::map_part(uint64_t block, uint64_t offset, uint64_t bytes,
                                    Access permitted) {
  auto it = blocks_.find(block);
  if (it == blocks_.end()) return base::Error(fmt::format("no block at {:#x}", block));
  AddressSpace::Range range;
  range.va = range.pa = block + offset;
  range.bytes = bytes;
  range.permitted = permitted;
  range.type = it->second.type;
  if (auto status = space_->map(range); !status) return status;
  it->second.parts.push_back(range.va);
  return {};
}

base::Result<uint64_t> DeviceMemory::allocate(uint64_t bytes, const Options& options) {
  auto va = place(bytes, options, nullptr);
  if (!va) return va;
  if (auto status = map_part(*va, 0, bytes, options.permitted); !status) return status.error();
  const uint64_t tail = base::align_up(bytes, kReadableTail) - bytes;
  if (tail != 0 && includes(options.permitted, Access::Read)) {
    if (auto status = map_part(*va, bytes, tail, Access::Read); !status) return status.error();
  }
  return va;
}

base::Result<uint64_t> DeviceMemory::allocate_host(void* host, uint64_t bytes,
                                                   const Options& options) {
  if (host == nullptr) return base::Error("attached host memory is null");
  auto va = place(bytes, options, host);
  if (!va) return va;
  if (auto status = map_part(*va, 0, bytes, options.permitted); !status) return status.error();
  return va;
}

base::Status DeviceMemory::free(uint64_t va) {
  auto it = blocks_.find(va);
  if (it == blocks_.end()) return base::Error(fmt::format("no block at {:#x}", va));
  for (uint64_t part : it->second.parts) {
    if (auto status = space_->unmap(part); !status) return status;
  }
  if (!it->second.of_host) taken_ -= it->second.bytes;
  space_->code().remove(va, va + it->second.bytes);
  blocks_.erase(it);
  space_->forget(va);
  return sparse_ != nullptr ? sparse_->release(va) : base::Status();
}

std::string DeviceMemory::place_of(uint64_t va, uint64_t bytes, uint32_t vmid) const {
  std::string place = space_->place_of(vmid, va, bytes);
  return place.empty() ? place : ", " + place;
}

AccessResult DeviceMemory::check(uint64_t va, size_t bytes, Access access, uint32_t vmid) const {
  while (bytes > 0) {
    const Translation t = space_->translate(vmid, va, access);
    if (!t.ok()) return failed(t.fault, va);
    if (t.bytes >= bytes) break;
    va += t.bytes;
    bytes -= t.bytes;
  }
  return {};
}

AccessResult DeviceMemory::read(uint64_t va, void* out, size_t bytes, uint32_t vmid) const {
  if (bytes == 0) return {};
  // Nearly always one translation does for the whole range.
  Translation t = space_->translate(vmid, va, Access::Read);
  if (!t.ok()) return failed(t.fault, va);
  if (t.bytes < bytes) {
    if (auto r = check(va, bytes, Access::Read, vmid); !r) return r;
  }
  auto* to = static_cast<uint8_t*>(out);
  for (;;) {
    const size_t chunk = std::min<uint64_t>(bytes, t.bytes);
    if (!backing_->read(t.pa, to, chunk)) return failed(Fault::NotBacked, va);
    bytes -= chunk;
    if (bytes == 0) return {};
    va += chunk;
    to += chunk;
    t = space_->translate(vmid, va, Access::Read);
  }
}

AccessResult DeviceMemory::copy_in(uint64_t va, const void* data, size_t bytes, Access access,
                                   uint32_t vmid) {
  if (bytes == 0) return {};
  Translation t = space_->translate(vmid, va, access);
  if (!t.ok()) return failed(t.fault, va);
  if (t.bytes < bytes) {
    if (auto r = check(va, bytes, access, vmid); !r) return r;
  }
  const auto* from = static_cast<const uint8_t*>(data);
  for (;;) {
    const size_t chunk = std::min<uint64_t>(bytes, t.bytes);
    if (!backing_->write(t.pa, from, chunk)) return failed(Fault::NotBacked, va);
    bytes -= chunk;
    if (bytes == 0) return {};
    va += chunk;
    from += chunk;
    t = space_->translate(vmid, va, access);
  }
}

AccessResult DeviceMemory::write(uint64_t va, const void* data, size_t bytes, uint32_t vmid) {
  return copy_in(va, data, bytes, Access::Write, vmid);
}

AccessResult DeviceMemory::poke(uint64_t va, const void* data, size_t bytes, uint32_t vmid) {
  return copy_in(va, data, bytes, Access::None, vmid);
}

AccessResult DeviceMemory::atomic_address(uint64_t va, unsigned bytes, Access access, uint32_t vmid,
                                          uint64_t* pa) const {
  if ((bytes != 4 && bytes != 8) || va % bytes != 0) return failed(Fault::Misaligned, va);
  const Translation t = space_->translate(vmid, va, access);
  if (!t.ok()) return failed(t.fault, va);
  // A word that straddles two ranges is no single word of memory: the part behind is what is
  // missing.
  if (t.bytes < bytes) return failed(Fault::Unmapped, va + t.bytes);
  *pa = t.pa;
  return {};
}

AccessResult DeviceMemory::update(uint64_t va, unsigned bytes, const Backing::Update& function,
                                  uint64_t* old, uint32_t vmid) {
  uint64_t pa = 0;
  if (auto r = atomic_address(va, bytes, Access::ReadWrite, vmid, &pa); !r) return r;
  if (!backing_->read_modify_write(pa, bytes, function, old)) return failed(Fault::NotBacked, va);
  return {};
}

AccessResult DeviceMemory::atomic(uint64_t va, unsigned bytes, AtomicOp op, uint64_t operand,
                                  uint64_t compare, uint64_t* old, uint32_t vmid) {
  const auto apply = [=](uint64_t before) {
    return apply_atomic(op, bytes, before, operand, compare);
  };
  return update(va, bytes, std::cref(apply), old, vmid);  // by reference: nothing is allocated
}

AccessResult DeviceMemory::load_acquire(uint64_t va, unsigned bytes, uint64_t* value,
                                        uint32_t vmid) const {
  uint64_t pa = 0;
  if (auto r = atomic_address(va, bytes, Access::Read, vmid, &pa); !r) return r;
  if (!backing_->load_acquire(pa, bytes, value)) return failed(Fault::NotBacked, va);
  return {};
}

AccessResult DeviceMemory::store_release(uint64_t va, unsigned bytes, uint64_t value,
                                         uint32_t vmid) {
  uint64_t pa = 0;
  if (auto r = atomic_address(va, bytes, Access::Write, vmid, &pa); !r) return r;
  if (!backing_->store_release(pa, bytes, value)) return failed(Fault::NotBacked, va);
  return {};
}

}  // namespace cuvette::hsa
