// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction.h"
#include "wave/state.h"

namespace cuvette::wave {

/// Code that computes: by fp element after element, or the host's vector unit where it gives the
/// same bits.
enum class MatrixPath : uint8_t { Reference, Host };

/// The operands of one dense matrix instruction as values: what a matrix core sees. Rows are
/// registers of 64 lanes, counted from the first of the operand.
struct MatrixOp {
  const isa::Instruction* instruction = nullptr;
  const LaneRow* a = nullptr;  ///< as many rows as src[0].dwords
  const LaneRow* b = nullptr;  ///< as many rows as src[1].dwords
  LaneRow* d = nullptr;        ///< in: C; out: D. As many rows as dst[0].dwords
};

/// D = A * B + C with cbsz, abid, blgp and the arithmetic of the target (mfma_numerics.md). EXEC
/// and MODE take no part. The row is a V_MFMA.
void compute_matrix(const MatrixOp& op, MatrixPath path = MatrixPath::Host);

/// A sparse (4:2) one: A compressed, B dense, indices in one register of SrcC, D also C.
struct SparseMatrixOp {
  const isa::Instruction* instruction = nullptr;
  /// Rows as in MatrixOp.
  const LaneRow* a = nullptr;
  const LaneRow* b = nullptr;
  const LaneRow* index = nullptr;  ///< one row, src[2]
  LaneRow* d = nullptr;
};
/// The row is a V_SMFMAC.
void compute_sparse_matrix(const SparseMatrixOp& op, MatrixPath path = MatrixPath::Host);

/// V_MFMA, V_SMFMAC and the AccVGPR moves.
bool has_matrix_semantics(const isa::Row& row);

}  // namespace cuvette::wave
