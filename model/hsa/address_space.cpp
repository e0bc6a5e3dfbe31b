// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/address_space.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace cuvette::hsa {
namespace {

/// Farther away than this an address has nothing to do with a buffer: guards between blocks are
/// smaller (hsa/allocator.h), runaway indices rarely larger.
constexpr uint64_t kNear = uint64_t{1} << 28;
/// Names of memory that is gone are kept for so many blocks.
constexpr size_t kMostGone = 1024;

std::string count_of(uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

/// Named or mapped range near an access, for messages.
struct Candidate {
  uint64_t va = 0, bytes = 0;
  std::string what;
  bool gone = false;

  std::string str() const {
    return fmt::format("{} ({:#x}, {}{})", what, va, count_of(bytes), gone ? ", freed" : "");
  }
};

std::string place_by(const Candidate* before, const Candidate* after, uint64_t va, uint64_t bytes) {
  if (before != nullptr && va - before->va < before->bytes) {
    const uint64_t inside = va - before->va;
    const uint64_t left = before->bytes - inside;
    if (bytes > left) {
      return fmt::format("{} beyond the end of {}", count_of(bytes - left), before->str());
    }
    return fmt::format("at offset {} of {}", inside, before->str());
  }
  constexpr uint64_t kFar = ~uint64_t{0};
  const uint64_t beyond = before != nullptr ? va - before->va - before->bytes : kFar;
  const uint64_t ahead = after != nullptr ? after->va - va : kFar;
  if (beyond <= ahead && beyond < kNear) {
    return beyond == 0 ? "right behind the end of " + before->str()
                       : fmt::format("{} beyond the end of {}", count_of(beyond), before->str());
  }
  if (ahead < kNear) return fmt::format("{} before {}", count_of(ahead), after->str());
  return {};
}

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

void AddressSpace::name(uint64_t va, uint64_t bytes, std::string what) {
  names_[va] = {bytes, std::move(what), false};
}

void AddressSpace::forget(uint64_t va) {
  const auto found = names_.find(va);
  if (found == names_.end() || found->second.gone) return;
  found->second.gone = true;
  gone_.push_back(va);
  if (gone_.size() <= kMostGone) return;
  const auto oldest = names_.find(gone_.front());
  if (oldest != names_.end() && oldest->second.gone) names_.erase(oldest);
  gone_.pop_front();
}

std::string AddressSpace::place_of(uint32_t vmid, uint64_t va, uint64_t bytes) const {
  if (!names_.empty()) {
    Candidate before, after;
    const auto next = names_.upper_bound(va);
    const auto candidate = [](const auto& entry) {
      const Named& n = entry.second;
      return Candidate{entry.first, n.bytes, n.what, n.gone};
    };
    if (next != names_.begin()) before = candidate(*std::prev(next));
    if (next != names_.end()) after = candidate(*next);
    return place_by(next != names_.begin() ? &before : nullptr,
                    next != names_.end() ? &after : nullptr, va, bytes);
  }
  // By what is mapped for the VMID and for all, which never overlap in one VMID's eyes.
  Candidate before, after;
  bool has_before = false, has_after = false;
  for (const Ranges* ranges : {own(vmid), &common_}) {
    if (ranges == nullptr) continue;
    const auto next = ranges->by_va.upper_bound(va);
    const auto candidate = [](const auto& entry) {
      return Candidate{entry.first, entry.second.bytes, "the mapped range", false};
    };
    if (next != ranges->by_va.begin() && (!has_before || std::prev(next)->first > before.va)) {
      before = candidate(*std::prev(next));
      has_before = true;
    }
    if (next != ranges->by_va.end() && (!has_after || next->first < after.va)) {
      after = candidate(*next);
      has_after = true;
    }
  }
  return place_by(has_before ? &before : nullptr, has_after ? &after : nullptr, va, bytes);
}

}  // namespace cuvette::hsa
