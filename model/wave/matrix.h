// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"
#include "wave/state.h"

namespace cuvette::wave {

/// The operands of one dense matrix instruction as values: what a matrix core sees. Rows are
/// registers of 64 lanes, counted from the first of the operand.
struct MatrixOp {
  const isa::Instruction* instruction = nullptr;
  const LaneRow* a = nullptr;  ///< as many rows as src[0].dwords
  const LaneRow* b = nullptr;
  LaneRow* d = nullptr;  ///< in: C; out: D. As many rows as dst[0].dwords
};

/// D = A * B + C with cbsz, abid, blgp and the arithmetic of the target (mfma_numerics.md). EXEC
/// and MODE take no part. The row must be a dense one (has_matrix_semantics).
void compute_matrix(const MatrixOp& op);

/// Dense MFMA and the AccVGPR moves; sparse ones have no semantics in this build.
bool has_matrix_semantics(const isa::Row& row);

}  // namespace cuvette::wave
