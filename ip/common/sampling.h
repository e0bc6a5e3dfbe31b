// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cuvette::ip {

/// True if transaction `number` is compared in lockstep sampled 1/`share`: one of every `share` in
/// a row, chosen by a fixed hash (splitmix64) of their number, so that neither beats nor loops of a
/// kernel fall into step with the choice; the same in every run. Transaction 0 is always compared,
/// so that short runs have a sample.
inline bool sampled(uint64_t number, uint32_t share) {
  if (share <= 1 || number == 0) return true;
  if (number < share) return false;
  uint64_t z = number / share + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return number % share == z % share;
}

}  // namespace cuvette::ip
