// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_reference.h"

#include <algorithm>

namespace cuvette::ip {

void SimdReference::tick(machine::Cycle now) {
  while (const simd::Fill* f = fill.front(now)) {
    registers_.write(f->port, now, f->row, f->lanes, f->data);
    fill.drop(now);
  }
  for (const simd::ReadRow* asked = read.front(now); asked != nullptr && row_data.can_push(now);
       asked = read.front(now)) {
    row_data.push({asked->id, row(asked->row)}, now);
    read.drop(now);
  }
  if (const simd::Issue* taken = issue.front(now)) {
    beats_.clear();
    simd::execute_whole(*taken, config_.target, registers_, now, beats_);
    uint8_t flags = 0;
    for (const simd::Retire& beat : beats_) flags |= beat.flags;
    flags_.emplace_back(taken->id, flags);
    due_.insert(due_.end(), beats_.begin(), beats_.end());
    issue.drop(now);
  }
  while (!due_.empty() && retire.can_push(now)) {
    retire.push(due_.front(), now);
    due_.pop_front();
  }
}

machine::Cycle SimdReference::next_event() const {
  if (!due_.empty()) return 0;
  return std::min({issue.next_event(), fill.next_event(), read.next_event()});
}

uint8_t SimdReference::take_flags(uint32_t id) {
  const auto found = std::ranges::find(flags_, id, &std::pair<uint32_t, uint8_t>::first);
  if (found == flags_.end()) return 0;
  const uint8_t flags = found->second;
  flags_.erase(found);
  return flags;
}

}  // namespace cuvette::ip
