// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <vector>

namespace cuvette::ip {

/// The lockstep object that differed first; of several at one time that of the lowest compute unit,
/// then SIMD, then the one that is named first. Null: none differs. Each has a mismatch(): an
/// optional with time, compute_unit and simd.
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

}  // namespace cuvette::ip
