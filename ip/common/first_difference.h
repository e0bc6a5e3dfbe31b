// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "machine/core.h"

// Which of many lockstep objects is told of. Each has a mismatch(): an optional with time,
// compute_unit and simd.
namespace cuvette::ip {

/// Of one block's, the one that differed first; of several at one time, that of the lowest compute
/// unit, then SIMD. Null: none differs.
template <class Lockstep>
const Lockstep* first_to_differ(const std::vector<Lockstep*>& all) {
  const auto key = [](const Lockstep& l) {
    const auto& m = *l.mismatch();
    return std::tuple(m.time, m.compute_unit, m.simd);
  };
  const Lockstep* first = nullptr;
  for (const Lockstep* l : all) {
    if (l->mismatch() && (first == nullptr || key(*l) < key(*first))) first = l;
  }
  return first;
}

/// Calls `tell` with the one of several blocks' that differed first; of several at one time, with
/// that of the block that is named first. Not called when none differs.
template <class Tell, class... Lockstep>
void tell_first(Tell&& tell, const std::vector<Lockstep*>&... blocks) {
  std::optional<machine::Cycle> earliest;
  const auto look = [&earliest](const auto* l) {
    if (l == nullptr) return;
    if (!earliest || l->mismatch()->time < *earliest) earliest = l->mismatch()->time;
  };
  (look(first_to_differ(blocks)), ...);
  bool told = false;
  const auto consider = [&](const auto* l) {
    if (l == nullptr || told || l->mismatch()->time != *earliest) return;
    told = true;
    tell(*l);
  };
  (consider(first_to_differ(blocks)), ...);
}

}  // namespace cuvette::ip
