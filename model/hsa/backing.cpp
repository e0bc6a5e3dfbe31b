// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/backing.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>

#include "base/bits.h"

namespace cuvette::hsa {
namespace {

constexpr size_t kMaxDwordCopy = 256;  // amd_queue_t; larger copies are bulk data
/// Ranges up to here may have huge pages of the host, which hold more than what is touched.
constexpr uint64_t kMostHuge = uint64_t{256} << 20;

template <class T>
bool aligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % sizeof(T) == 0;
}

template <class T>
void load_word(void* out, uint8_t* from) {
  const T value = std::atomic_ref<T>(*reinterpret_cast<T*>(from)).load(std::memory_order_relaxed);
  std::memcpy(out, &value, sizeof value);
}

template <class T>
void store_word(uint8_t* to, const void* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  std::atomic_ref<T>(*reinterpret_cast<T*>(to)).store(value, std::memory_order_relaxed);
}

/// Reads memory that other threads may write: whole words where alignment allows it.
void copy_from_shared(void* out, uint8_t* from, size_t bytes) {
  if (bytes == 8 && aligned<uint64_t>(from)) {
    load_word<uint64_t>(out, from);
  } else if (bytes % 8 == 0 && bytes <= kMaxDwordCopy && aligned<uint64_t>(from)) {
    for (size_t i = 0; i < bytes; i += 8)
      load_word<uint64_t>(static_cast<char*>(out) + i, from + i);
  } else if (bytes % 4 == 0 && bytes <= kMaxDwordCopy && aligned<uint32_t>(from)) {
    for (size_t i = 0; i < bytes; i += 4)
      load_word<uint32_t>(static_cast<char*>(out) + i, from + i);
  } else if (bytes == 2 && aligned<uint16_t>(from)) {
    load_word<uint16_t>(out, from);
  } else if (bytes == 1) {
    load_word<uint8_t>(out, from);
  } else {
    std::memcpy(out, from, bytes);
  }
}

void copy_to_shared(uint8_t* to, const void* data, size_t bytes) {
  if (bytes == 8 && aligned<uint64_t>(to)) {
    store_word<uint64_t>(to, data);
  } else if (bytes % 8 == 0 && bytes <= kMaxDwordCopy && aligned<uint64_t>(to)) {
    for (size_t i = 0; i < bytes; i += 8) {
      store_word<uint64_t>(to + i, static_cast<const char*>(data) + i);
    }
  } else if (bytes % 4 == 0 && bytes <= kMaxDwordCopy && aligned<uint32_t>(to)) {
    for (size_t i = 0; i < bytes; i += 4) {
      store_word<uint32_t>(to + i, static_cast<const char*>(data) + i);
    }
  } else if (bytes == 2 && aligned<uint16_t>(to)) {
    store_word<uint16_t>(to, data);
  } else if (bytes == 1) {
    store_word<uint8_t>(to, data);
  } else {
    std::memcpy(to, data, bytes);
  }
}

template <class T>
uint64_t modify(uint8_t* p, const Backing::Update& update) {
  std::atomic_ref<T> word(*reinterpret_cast<T*>(p));
  T seen = word.load();
  while (!word.compare_exchange_weak(seen, static_cast<T>(update(seen)))) {
  }
  return seen;
}

bool atomic_width(uint64_t pa, unsigned bytes) {
  return (bytes == 4 || bytes == 8) && pa % bytes == 0;
}

}  // namespace

Backing::~Backing() = default;

bool Backing::read_modify_write(uint64_t pa, unsigned bytes, const Update& update, uint64_t* old) {
  if (!atomic_width(pa, bytes)) return false;
  uint8_t* p = host_pointer(pa, bytes);
  if (p == nullptr) return false;
  const uint64_t before = bytes == 4 ? modify<uint32_t>(p, update) : modify<uint64_t>(p, update);
  if (old != nullptr) *old = before;
  return true;
}

bool Backing::load_acquire(uint64_t pa, unsigned bytes, uint64_t* value) {
  if (!atomic_width(pa, bytes)) return false;
  uint8_t* p = host_pointer(pa, bytes);
  if (p == nullptr) return false;
  *value = bytes == 4
               ? std::atomic_ref(*reinterpret_cast<uint32_t*>(p)).load(std::memory_order_acquire)
               : std::atomic_ref(*reinterpret_cast<uint64_t*>(p)).load(std::memory_order_acquire);
  return true;
}

bool Backing::store_release(uint64_t pa, unsigned bytes, uint64_t value) {
  if (!atomic_width(pa, bytes)) return false;
  uint8_t* p = host_pointer(pa, bytes);
  if (p == nullptr) return false;
  if (bytes == 4) {
    std::atomic_ref(*reinterpret_cast<uint32_t*>(p))
        .store(base::lo32(value), std::memory_order_release);
  } else {
    std::atomic_ref(*reinterpret_cast<uint64_t*>(p)).store(value, std::memory_order_release);
  }
  return true;
}

/// A range of device memory. Its own memory is one mapping of the host, zeros that cost nothing
/// until they are touched, from the beginning of its first page to the end of its last one.
struct SparseMemory::Range {
  Range(uint64_t first, uint64_t size, uint8_t* attached)
      : base(first),
        bytes(size),
        host(attached),
        first_page(first / kPageBytes),
        used(attached != nullptr ? 0 : (first + size - 1) / kPageBytes - first_page + 1) {
    if (attached != nullptr) return;
    void* const own = mmap(nullptr, used.size() * kPageBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (own == MAP_FAILED) return;
    if (bytes <= kMostHuge) madvise(own, used.size() * kPageBytes, MADV_HUGEPAGE);
    host = static_cast<uint8_t*>(own) + first % kPageBytes;
  }
  ~Range() {
    if (!used.empty() && host != nullptr) {
      munmap(host - base % kPageBytes, used.size() * kPageBytes);
    }
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  uint64_t last() const { return base + bytes - 1; }
  uint8_t* at(uint64_t pa) const { return host + (pa - base); }
  size_t page_of(uint64_t pa) const { return pa / kPageBytes - first_page; }

  uint64_t base;
  uint64_t bytes;
  uint8_t* host;  // of the first byte
  uint64_t first_page;
  std::vector<std::atomic<bool>> used;  // own pages that may have been written
};

SparseMemory::SparseMemory() = default;
SparseMemory::~SparseMemory() = default;

void SparseMemory::visit(const Visitor& visitor) const {
  for (const auto& [first, range] : ranges_) {
    for (size_t i = 0; i < range->used.size(); ++i) {
      const uint64_t pa = (range->first_page + i) * kPageBytes;
      const uint8_t* const bytes = range->host - first % kPageBytes + i * kPageBytes;
      if (range->used[i].load()) visitor(pa, bytes, kPageBytes);
    }
  }
}

const SparseMemory::Range* SparseMemory::find(uint64_t pa) const {
  const Range* hint = hints_.at(pa);
  if (hint != nullptr && pa - hint->base < hint->bytes) return hint;
  auto it = ranges_.upper_bound(pa);
  if (it == ranges_.begin()) return nullptr;
  const Range& range = *std::prev(it)->second;
  if (pa > range.last()) return nullptr;
  hints_.note(pa, &range);
  return &range;
}

base::Status SparseMemory::check_new(uint64_t pa, uint64_t bytes) const {
  if (bytes == 0) return base::Error("empty memory range");
  if (bytes > kMaxRangeBytes) {
    return base::Error(
        fmt::format("memory range of {:#x} bytes, at most {:#x} expected", bytes, kMaxRangeBytes));
  }
  if (pa + (bytes - 1) < pa) {
    return base::Error(fmt::format("memory range at {:#x} runs past the end of memory", pa));
  }
  auto next = ranges_.lower_bound(pa);
  const bool hits_next = next != ranges_.end() && next->first <= pa + (bytes - 1);
  if (hits_next || find(pa) != nullptr) {
    return base::Error(
        fmt::format("memory range at {:#x}, {:#x} bytes, overlaps another", pa, bytes));
  }
  return {};
}

base::Status SparseMemory::reserve(uint64_t pa, uint64_t bytes) {
  if (auto status = check_new(pa, bytes); !status) return status;
  auto range = std::make_unique<Range>(pa, bytes, nullptr);
  if (range->host == nullptr) {
    return base::Error(
        fmt::format("the host has no room for a memory range of {:#x} bytes", bytes));
  }
  ranges_.emplace(pa, std::move(range));
  return {};
}

base::Status SparseMemory::attach(uint64_t pa, uint64_t bytes, void* host) {
  if (auto status = check_new(pa, bytes); !status) return status;
  if (host == nullptr) return base::Error("attached host memory is null");
  if (reinterpret_cast<uintptr_t>(host) % 8 != pa % 8) {
    return base::Error("attached host memory is not aligned like its device address");
  }
  ranges_.emplace(pa, std::make_unique<Range>(pa, bytes, static_cast<uint8_t*>(host)));
  return {};
}

base::Status SparseMemory::release(uint64_t pa) {
  auto it = ranges_.find(pa);
  if (it == ranges_.end()) return base::Error(fmt::format("no memory range starts at {:#x}", pa));
  for (const auto& used : it->second->used) {
    if (used.load()) --resident_pages_;
  }
  hints_.forget();
  ranges_.erase(it);
  return {};
}

/// Host address of bytes of one range, to be written there.
uint8_t* SparseMemory::use(const Range& range, uint64_t pa, size_t bytes) {
  if (range.used.empty()) return range.at(pa);
  auto& used = const_cast<std::vector<std::atomic<bool>>&>(range.used);
  const size_t last = range.page_of(pa + (bytes - 1));
  for (size_t page = range.page_of(pa); page <= last; ++page) {
    if (!used[page].load(std::memory_order_relaxed) && !used[page].exchange(true)) {
      ++resident_pages_;
    }
  }
  return range.at(pa);
}

uint8_t* SparseMemory::host_pointer(uint64_t pa, size_t bytes) {
  const Range* range = find(pa);
  if (range == nullptr || bytes == 0 || bytes - 1 > range->last() - pa) return nullptr;
  return use(*range, pa, bytes);
}

/// `first`: the range that holds `pa`, null when none does.
bool SparseMemory::covered(const Range* first, uint64_t pa, size_t bytes) const {
  if (first != nullptr && bytes - 1 <= first->last() - pa) return true;
  for (const Range* range = first; range != nullptr; range = find(pa)) {
    const uint64_t here = range->last() - pa;
    if (bytes - 1 <= here) return true;
    pa += here + 1;
    bytes -= here + 1;
    if (pa == 0) return false;  // wrapped
  }
  return false;
}

bool SparseMemory::read(uint64_t pa, void* out, size_t bytes) const {
  if (bytes == 0) return true;
  const Range* range = find(pa);
  if (!covered(range, pa, bytes)) return false;
  auto* to = static_cast<uint8_t*>(out);
  for (;; range = find(pa)) {
    size_t chunk = std::min<uint64_t>(bytes - 1, range->last() - pa) + 1;
    if (!range->used.empty()) {
      chunk = std::min<uint64_t>(chunk, kPageBytes - pa % kPageBytes);
      // Reading uses no memory.
      if (range->used[range->page_of(pa)].load(std::memory_order_acquire)) {
        copy_from_shared(to, range->at(pa), chunk);
      } else {
        std::memset(to, 0, chunk);
      }
    } else {
      copy_from_shared(to, range->at(pa), chunk);
    }
    bytes -= chunk;
    if (bytes == 0) return true;
    pa += chunk;
    to += chunk;
  }
}

bool SparseMemory::write(uint64_t pa, const void* data, size_t bytes) {
  if (bytes == 0) return true;
  const Range* range = find(pa);
  if (!covered(range, pa, bytes)) return false;
  const auto* from = static_cast<const uint8_t*>(data);
  for (;; range = find(pa)) {
    const size_t chunk = std::min<uint64_t>(bytes - 1, range->last() - pa) + 1;
    copy_to_shared(use(*range, pa, chunk), from, chunk);
    bytes -= chunk;
    if (bytes == 0) return true;
    pa += chunk;
    from += chunk;
  }
}

bool HostMemory::inside(uint64_t pa, size_t bytes) const {
  return pa >= base_ && bytes <= bytes_ && pa - base_ <= bytes_ - bytes;
}

uint8_t* HostMemory::host_pointer(uint64_t pa, size_t bytes) {
  return bytes != 0 && inside(pa, bytes) ? host_ + (pa - base_) : nullptr;
}

bool HostMemory::read(uint64_t pa, void* out, size_t bytes) const {
  if (!inside(pa, bytes)) return false;
  copy_from_shared(out, host_ + (pa - base_), bytes);
  return true;
}

bool HostMemory::write(uint64_t pa, const void* data, size_t bytes) {
  if (!inside(pa, bytes)) return false;
  copy_to_shared(host_ + (pa - base_), data, bytes);
  return true;
}

}  // namespace cuvette::hsa
