// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/vm_contexts.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bits.h"

namespace cuvette::gpu {
namespace {

using hsa::Access;
using hsa::Fault;

constexpr unsigned kAddressBits = 48;
constexpr unsigned kIndexBits = 9;  // of a directory below the root
constexpr unsigned kTableEntryBytes = 8;
constexpr uint64_t kTableAddress = 0x0000ffffffffffc0;
constexpr uint64_t kPageAddress = 0x0000fffffffff000;
constexpr uint64_t kExecute = 1 << 4, kRead = 1 << 5, kWrite = 1 << 6;
constexpr uint64_t kIsPage = uint64_t{1} << 54;
constexpr uint64_t kFurther = uint64_t{1} << 56;
constexpr unsigned kTypeShift = 57;
constexpr unsigned kFragmentShift = 59;

hsa::Translation at_doorbell(uint64_t va, Access access) {
  hsa::Translation t;
  if (!hsa::includes(Access::Write, access)) {
    t.fault = Fault::NotPermitted;
    return t;
  }
  t.pa = va;
  t.bytes = DoorbellAperture::kBytes - va % DoorbellAperture::kBytes;
  t.type = hsa::MemoryType::Uncached;
  return t;
}

/// Bits 63:48 repeat bit 47.
bool is_canonical(uint64_t va) {
  const uint64_t high = va >> (kAddressBits - 1);
  return high == 0 || high == base::low_mask(64 - kAddressBits + 1);
}

}  // namespace

void VmContexts::set(unsigned vmid, const Context& context) {
  contexts_[vmid] = context;
  ++changes_;
}

Access VmContexts::permitted(uint64_t entry) {
  Access all = Access::None;
  if ((entry & kRead) != 0) all = all | Access::Read;
  if ((entry & kWrite) != 0) all = all | Access::Write;
  if ((entry & kExecute) != 0) all = all | Access::Execute;
  return all;
}

VmContexts::Walk VmContexts::walk(unsigned vmid, uint64_t va) const {
  const Context& c = contexts_[vmid];
  Walk w;
  const uint64_t page = (va & base::low_mask(kAddressBits)) >> kPageBits;
  if (!is_canonical(va) || page < c.first || page > c.last) {
    w.error = Error::Range;
    w.level = c.depth;
    return w;
  }
  uint64_t index = page - c.first;
  unsigned page_bits = kPageBits;
  w.entry = c.root;
  for (w.level = c.depth;; --w.level) {
    // `entry` says where the table of this level is.
    if (!valid(w.entry)) {
      w.error = Error::Directory;
      return w;
    }
    if (w.entry >> kFragmentShift != 0) {
      w.error = Error::Malformed;
      return w;
    }
    const unsigned below = w.level == 0 ? 0 : kIndexBits * w.level + c.block_size;
    const uint64_t at = (w.entry & kTableAddress) + (index >> below) * kTableEntryBytes;
    index &= base::low_mask(below);
    if (!read_ || !read_(at, &w.entry, sizeof w.entry)) {
      w.error = Error::Memory;
      w.entry = 0;
      return w;
    }
    if (w.level == 0) break;
    if (valid(w.entry) && (w.entry & kIsPage) != 0) {
      page_bits += below;
      break;
    }
  }
  if (valid(w.entry) && ((w.entry & kFurther) != 0 || w.entry >> kFragmentShift != 0)) {
    w.error = Error::Malformed;
    return w;
  }
  w.offset = va & base::low_mask(page_bits);
  const uint64_t left = base::low_mask(page_bits) - w.offset;
  // The page, or what the range leaves of it.
  const uint64_t range =
      ((c.last - page) << kPageBits) + base::low_mask(kPageBits) - (va & base::low_mask(kPageBits));
  w.bytes = std::min(left, range) + 1;
  return w;
}

hsa::CodeExtent VmContexts::code_at(uint32_t vmid, uint64_t va) const {
  if (!enabled(vmid)) return around_.code_at(vmid, va);
  const hsa::Translation t = translate(vmid, va, Access::Execute);
  if (!t.ok()) return {va, va + 1, nullptr};
  const hsa::CodeExtent e = around_.code_at(vmid, t.pa);
  // A translation of this page alone: the next one may be anywhere.
  const uint64_t before = va & base::low_mask(kPageBits);
  const uint64_t behind = (uint64_t{1} << kPageBits) - before;
  return {va - std::min(before, t.pa - e.begin), va + std::min(behind, e.end - t.pa), e.name};
}

hsa::Translation VmContexts::translate(uint32_t vmid, uint64_t va, Access access) const {
  if (!enabled(vmid)) {
    return doorbells_.covers(va) ? at_doorbell(va, access) : around_.translate(vmid, va, access);
  }
  const Walk w = walk(vmid, va);
  hsa::Translation t;
  if (w.error == Error::Memory) {
    t.fault = Fault::NotBacked;
  } else if (w.error != Error::None || !valid(w.entry)) {
    t.fault = Fault::Unmapped;
  } else if (!hsa::includes(permitted(w.entry), access)) {
    t.fault = Fault::NotPermitted;
  }
  if (!t.ok()) return t;
  t.pa = (w.entry & kPageAddress) + w.offset;
  t.bytes = w.bytes;
  t.type = doorbells_.covers(t.pa) ? hsa::MemoryType::Uncached
                                   : static_cast<hsa::MemoryType>(w.entry >> kTypeShift & 3);
  return t;
}

std::string VmContexts::place_of(uint32_t vmid, uint64_t va, uint64_t bytes) const {
  if (!enabled(vmid)) return around_.place_of(vmid, va, bytes);
  const hsa::Translation t = translate(vmid, va, Access::None);
  if (!t.ok()) return fmt::format("in no valid page of VMID {}", vmid);
  const std::string place = around_.place_of(vmid, t.pa, bytes);
  return place.empty() ? place : fmt::format("physical address {:#x}, {}", t.pa, place);
}

bool VmContexts::any() const {
  return std::any_of(contexts_.begin(), contexts_.end(),
                     [](const Context& c) { return c.enabled; });
}

}  // namespace cuvette::gpu
