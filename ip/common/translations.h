// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include "base/address_ranges.h"
#include "hsa/address_space.h"
#include "memory/memory_messages.h"

namespace cuvette::ip {

/// Answer of the machine's address space to a question on pins.
inline memory::TranslateResponse translated(const memory::TranslateRequest& asked,
                                            const hsa::AddressSpace& space) {
  const hsa::Translation t = space.translate(asked.vmid, asked.va, asked.access);
  memory::TranslateResponse answer;
  answer.id = asked.id;
  answer.pa = t.pa;
  answer.bytes = t.bytes;
  answer.type = static_cast<memory::Mtype>(t.type);
  answer.fault = t.fault;
  return answer;
}

/// Translations that a device has been given: which physical address a virtual one has, and
/// what may be done there.
class Translations {
 public:
  void add(const memory::TranslateRequest& asked, const memory::TranslateResponse& answer) {
    if (answer.fault != hsa::Fault::None || answer.bytes == 0) return;
    const uint64_t end =
        answer.bytes > UINT64_MAX - asked.va ? UINT64_MAX : asked.va + answer.bytes;
    put(by_vmid_[asked.vmid], asked.va, end, answer.pa - asked.va);
    const uint64_t bytes = end - asked.va;
    const uint64_t last = bytes > UINT64_MAX - answer.pa ? UINT64_MAX : answer.pa + bytes;
    for (const hsa::Access right : {hsa::Access::Read, hsa::Access::Write, hsa::Access::Execute}) {
      if (hsa::includes(asked.access, right)) permitted_[index_of(right)].add(answer.pa, last);
    }
    types_[static_cast<unsigned>(answer.type) % 4].add(answer.pa, last);
  }
  std::optional<uint64_t> physical(uint32_t vmid, uint64_t va) const {
    const auto space = by_vmid_.find(vmid);
    if (space == by_vmid_.end()) return std::nullopt;
    const auto behind = space->second.upper_bound(va);
    if (behind == space->second.begin() || std::prev(behind)->second.end <= va) return std::nullopt;
    return va + std::prev(behind)->second.offset;
  }
  /// True if some translation has given the address this right: Read, Write or Execute.
  bool permits(uint64_t pa, hsa::Access right) const {
    return permitted_[index_of(right)].contains(pa);
  }
  /// Some translation has given the address this memory type.
  bool is_of_type(uint64_t pa, memory::Mtype type) const {
    return types_[static_cast<unsigned>(type) % 4].contains(pa);
  }

 private:
  struct Range {
    uint64_t end = 0, offset = 0;  // physical minus virtual
  };
  using Space = std::map<uint64_t, Range>;  // by first address; apart from each other

  static unsigned index_of(hsa::Access right) {
    return right == hsa::Access::Read ? 0 : right == hsa::Access::Write ? 1 : 2;
  }
  /// The newest answer counts.
  static void put(Space& space, uint64_t first, uint64_t end, uint64_t offset) {
    auto it = space.upper_bound(first);
    if (it != space.begin()) --it;
    while (it != space.end() && it->first < end) {
      const uint64_t begin = it->first;
      const Range old = it->second;
      if (old.end <= first) {
        ++it;
        continue;
      }
      it = space.erase(it);
      if (begin < first) space[begin] = {first, old.offset};
      if (old.end > end) space[end] = {old.end, old.offset};
      it = space.upper_bound(first);
    }
    space[first] = {end, offset};
  }

  std::map<uint32_t, Space> by_vmid_;
  base::AddressRanges permitted_[3], types_[4];
};

}  // namespace cuvette::ip
