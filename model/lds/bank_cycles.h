// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "wave/memory_op.h"

namespace cuvette::lds {

inline constexpr unsigned kWordBytes = 4;  ///< a bank is as wide

/// Cycles that accesses keep the banks of a data share busy (docs/reference/lds.md, Timing).
struct BankCycles {
  uint32_t busy = 0;
  uint32_t conflict = 0;          ///< of `busy`: beyond those of the same words in all banks alike
  uint32_t address_conflict = 0;  ///< of `conflict`: atomics that meet at one address
  BankCycles& operator+=(const BankCycles& other);
};

/// Banks of 4 bytes beside each other, words taking turns among them. Lanes are looked at in
/// groups; a group takes as many cycles as its busiest bank has words: of loads and stores one word
/// that several lanes want counts once, of atomics once per lane.
class Banks {
 public:
  /// `banks`: a power of two up to kMost. `group`: lanes looked at together, at least 1.
  Banks(unsigned banks, unsigned group);

  /// One access of `bytes` bytes at `base` + `offset` by each of `lanes` that has all of them in
  /// the `limit` bytes behind `base`.
  BankCycles cycles_of(uint64_t lanes, uint32_t base, uint32_t limit,
                       const std::array<uint32_t, wave::kLanes>& offset, unsigned bytes,
                       bool atomic) const;

  static constexpr unsigned kMost = 256;

 private:
  unsigned banks_, group_;
};

}  // namespace cuvette::lds
