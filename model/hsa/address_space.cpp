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

const AddressSpace::Range* AddressSpace::Ranges::find(uint64_t va) const {
  const Range* hint = hints.at(va);
  if (hint != nullptr && va - hint->va < hint->bytes) return hint;
  auto it = by_va.upper_bound(va);
  if (it == by_va.begin()) return nullptr;
  const Range& range = std::prev(it)->second;
  if (va - range.va >= range.bytes) return nullptr;
  hints.note(va, &range);
  return &range;
}

const AddressSpace::Ranges* AddressSpace::own(uint32_t vmid) const {
  if (by_vmid_.empty()) return nullptr;
  auto found = by_vmid_.find(vmid);
  return found == by_vmid_.end() ? nullptr : &found->second;
}

const AddressSpace::Range* AddressSpace::find(uint32_t vmid, uint64_t va) const {
  if (const Ranges* ranges = own(vmid)) {
    if (const Range* range = ranges->find(va)) return range;
  }
  return common_.find(va);
}

Translation AddressSpace::translate(uint32_t vmid, uint64_t va, Access access) const {
  Translation t;
  const Range* range = by_vmid_.empty() ? common_.find(va) : find(vmid, va);
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
    if (const Ranges* ranges = own(vmid)) {
      auto next = ranges->by_va.upper_bound(va);
      if (next != ranges->by_va.end()) t.bytes = std::min(t.bytes, next->first - va);
    }
  }
  return t;
}

CodeExtent AddressSpace::code_at(uint32_t, uint64_t va) const {
  return code_.at(va);
}

base::Status AddressSpace::map(const Range& range) {
  if (range.bytes == 0) return base::Error("empty address range");
  const uint64_t last = range.va + (range.bytes - 1);
  if (last < range.va || range.pa + (range.bytes - 1) < range.pa) {
    return base::Error(fmt::format("address range at {:#x} runs past the end", range.va));
  }
  Ranges& ranges = range.vmid == kAnyVmid ? common_ : by_vmid_[range.vmid];
  auto next = ranges.by_va.lower_bound(range.va);
  if ((next != ranges.by_va.end() && next->first <= last) || ranges.find(range.va) != nullptr) {
    return base::Error(fmt::format("address range at {:#x}, {:#x} bytes, overlaps another",
                                   range.va, range.bytes));
  }
  ranges.by_va.emplace(range.va, range);
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
  auto found = by_vmid_.find(vmid);
  Ranges* ranges = vmid == kAnyVmid ? &common_ : found == by_vmid_.end() ? nullptr : &found->second;
  if (ranges == nullptr || ranges->by_va.erase(va) == 0) {
    return base::Error(fmt::format("no address range starts at {:#x}", va));
  }
  ranges->hints.forget();
  ++generation_;
  return {};
}

}  // namespace cuvette::hsa
