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
  /// Passes that were sent. Forwarded rows of C are those the reference made, once it was compared.
  std::vector<matrix_core::Operands> passes;
  std::vector<machine::Cycle> offered;   ///< by pass: first cycle at the pins; kNever: not yet
  std::vector<machine::Cycle> answered;  ///< by pass of results: cycle it was given
  uint32_t id() const { return passes.front().id; }
};

/// The row of the instruction table.
const isa::Row& row_of(const MatrixTransaction& transaction);

/// Lines of a report: the instruction, the pass of results, and where lanes differ the element of D
/// in the first wrong one with everything that makes it, then every wrong lane in hex and decoded
/// by type. `want` and `got`: a pass of the results of `transaction`.
std::string difference_text(const MatrixTransaction& transaction, isa::Target target,
                            const matrix_core::Result& want, const matrix_core::Result& got);

}  // namespace cuvette::ip
