// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/address_space.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace cuvette::hsa {
namespace {

constexpr const char* kFaultNames[] = {"none", "unmapped address", "access not permitted at",
                                       "no memory behind address", "misaligned atomic at"};

}  // namespace

const char* name(Fault fault) {
  return kFaultNames[static_cast<unsigned>(fault)];
}

AddressSpace::~AddressSpace() = default;

const AddressSpace::Range* AddressSpace::find_in(const Ranges& ranges, uint64_t va) {
  auto it = ranges.upper_bound(va);
  if (it == ranges.begin()) return nullptr;
  const Range& range = std::prev(it)->second;
  return va - range.va < range.bytes ? &range : nullptr;
}

const AddressSpace::Range* AddressSpace::find(uint32_t vmid, uint64_t va) const {
  auto own = by_vmid_.find(vmid);
  if (own != by_vmid_.end()) {
    if (const Range* range = find_in(own->second, va)) return range;
  }
  auto any = by_vmid_.find(kAnyVmid);
  return any == by_vmid_.end() ? nullptr : find_in(any->second, va);
}

Translation AddressSpace::translate(uint32_t vmid, uint64_t va, Access access) const {
  Translation t;
  const Range* range = find(vmid, va);
  if (range == nullptr) {
    t.fault = Fault::Unmapped;
    return t;
  }
  if (!includes(range->permitted, access)) {
    t.fault = Fault::NotPermitted;
    return t;
  }
  t.pa = range->pa + (va - range->va);
  t.bytes = range->bytes - (va - range->va);
  t.type = range->type;
  if (range->vmid == kAnyVmid && vmid != kAnyVmid) {
    // A later range of the VMID itself hides the rest of the common one.
    auto own = by_vmid_.find(vmid);
    if (own != by_vmid_.end()) {
      auto next = own->second.upper_bound(va);
      if (next != own->second.end()) t.bytes = std::min(t.bytes, next->first - va);
    }
  }
  return t;
}

base::Status AddressSpace::map(const Range& range) {
  if (range.bytes == 0) return base::Error("empty address range");
  const uint64_t last = range.va + (range.bytes - 1);
  if (last < range.va || range.pa + (range.bytes - 1) < range.pa) {
    return base::Error(fmt::format("address range at {:#x} runs past the end", range.va));
  }
  Ranges& ranges = by_vmid_[range.vmid];
  auto next = ranges.lower_bound(range.va);
  if ((next != ranges.end() && next->first <= last) || find_in(ranges, range.va) != nullptr) {
    return base::Error(fmt::format("address range at {:#x}, {:#x} bytes, overlaps another",
                                   range.va, range.bytes));
  }
  ranges.emplace(range.va, range);
  ++generation_;
  return {};
}

base::Status AddressSpace::map(uint64_t va, uint64_t bytes, Access permitted) {
  Range range;
  range.va = va;
  range.pa = va;
  range.bytes = bytes;
  range.permitted = permitted;
  return map(range);
}

base::Status AddressSpace::unmap(uint64_t va, uint32_t vmid) {
  auto ranges = by_vmid_.find(vmid);
  if (ranges == by_vmid_.end() || ranges->second.erase(va) == 0) {
    return base::Error(fmt::format("no address range starts at {:#x}", va));
  }
  ++generation_;
  return {};
}

}  // namespace cuvette::hsa
