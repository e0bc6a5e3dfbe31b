// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/core.h"
#include "matrix_core/matrix_core.h"

namespace cuvette::ip {

/// One instruction as lockstep saw it.
struct MatrixTransaction {
  /// Those that were sent. Forwarded rows of C are what the reference made, once it was compared.
  std::vector<matrix_core::Operands> passes;
  std::vector<machine::Cycle> offered;   ///< by pass: first cycle at the pins; kNever: not yet
  std::vector<machine::Cycle> answered;  ///< by pass of results: cycle it was given
  uint32_t id() const { return passes.front().id; }
};

/// The row of the instruction table.
const isa::Row& row_of(const MatrixTransaction& transaction);

/// The first difference between a device and the reference.
struct MatrixMismatch {
  std::string field;  ///< "order", "id", "pass", "last", "first_row", "rows", "d", "timing",
                      ///< "assertion", "protocol"
  machine::Cycle time = 0;
  uint32_t compute_unit = 0, simd = 0;
  uint32_t id = 0;
  uint64_t wave = 0, pc = 0;  ///< of the instruction, where there is one
  std::string instruction;    ///< mnemonic
  int row = -1, lane = -1;    ///< for "d": register of D and lane
  uint64_t expected = 0, actual = 0;
  std::string what;    ///< for "timing", "assertion", "protocol", "order": in words
  std::string report;  ///< all of it with the operands, then the last instructions; many lines
  /// The last ones, oldest first: answered ones, the failing one, and those still under way.
  std::vector<MatrixTransaction> transactions;
  size_t failing = 0;  ///< which of them; the size of the list when it is none of them
};

/// Writes `report`: block, instruction, time, wave, pc, the element of D in the first wrong lane
/// with everything that makes it, every wrong lane of the pass, in hex and decoded by type, the
/// last instructions. `expected` and `actual`: the pass; null where there is no such pass.
void write_report(MatrixMismatch& mismatch, isa::Target target, const matrix_core::Result* expected,
                  const matrix_core::Result* actual);

}  // namespace cuvette::ip
