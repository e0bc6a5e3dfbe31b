// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/range_use.h"

namespace cuvette::golden {

bool RangeUse::read(uint64_t range) {
  const std::lock_guard lock(mutex_);
  Use& use = ranges_[range];
  if (use.counts || use.changed) return true;
  use.read = true;
  return false;
}

void RangeUse::change(uint64_t range) {
  const std::lock_guard lock(mutex_);
  Use& use = ranges_[range];
  use.changed = true;
  if (!use.read) return;
  use.counts = true;
  conflict_ = true;
}

void RangeUse::start() {
  conflict_ = false;
  if (ranges_.size() > kMostRanges) ranges_.clear();
  for (auto& [range, use] : ranges_) use.read = use.changed = false;
}

}  // namespace cuvette::golden
