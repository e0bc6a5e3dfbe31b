// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace cuvette::compute_unit {

/// A wavefront in its slot.
struct SlotWave {
  unsigned simd = 0, slot = 0;  ///< place on the compute unit
  uint64_t age = 0;             ///< launches in the compute unit before it
};

/// Wavefront scheduling policy: in which order the ready waves of a SIMD are tried at its turn,
/// among waves of equal priority. The first one whose instruction is of a class issues in that
/// class.
class IssueOrder {
 public:
  virtual ~IssueOrder() = default;
  /// Lower goes first. Below 2^56, and different for all waves of the SIMD.
  virtual uint64_t rank(const SlotWave& wave) const = 0;
  /// The wave has issued an instruction of any class, the first one of its SIMD at this turn.
  virtual void issued(const SlotWave& wave) = 0;
};

/// The policy with the name that machine descriptions give it
/// (docs/reference/compute_unit.md#issue-order), for so many SIMDs and slots of each. Error: no
/// such policy, with the names there are.
base::Result<std::unique_ptr<IssueOrder>> make_issue_order(const std::string& name, unsigned simds,
                                                           unsigned slots);

}  // namespace cuvette::compute_unit
