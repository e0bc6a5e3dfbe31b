// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "wave/matrix.h"
#include "wave/matrix_host.h"
#include "wave/matrix_layout.h"
#include "wave/matrix_parts.h"

// V_SMFMAC: A holds two of every four consecutive k, SrcC says which (mfma_numerics.md, "Sparse";
// tests/oracles/mfma/layout, matrices A and k).
namespace cuvette::wave {
void expand_row(const SparseMatrixOp& op, unsigned i, unsigned bits, uint32_t* a) {
  const unsigned m = op.instruction->row->matrix.m, k = op.instruction->row->matrix.k;
  const unsigned set = sparse_index_set(*op.instruction, m, k);
  const unsigned groups_per_lane = sparse_groups_per_lane(m, k);
  std::fill(a, a + k, 0u);
  for (unsigned group = 0; group < k / kSparseGroup; ++group) {
    const unsigned lane = group / groups_per_lane * m + i;
    const unsigned inside = group % groups_per_lane;
    const unsigned shift = (set * groups_per_lane + inside) * kSparseIndexBits;
    const uint32_t index = (*op.index)[lane] >> shift;
    // The high element wins when positions are equal.
    a[group * kSparseGroup + (index & 3)] = packed_element(op.a, lane, 2 * inside, bits);
    a[group * kSparseGroup + ((index >> 2) & 3)] = packed_element(op.a, lane, 2 * inside + 1, bits);
  }
}

void compute_sparse_matrix(const SparseMatrixOp& op, MatrixPath path) {
  if (path == MatrixPath::Host && host_sparse_matrix(op)) return;
  const isa::Instruction& instruction = *op.instruction;
  const MatrixLayout layout(instruction.row->matrix);
  const DotProduct dot(*instruction.row, instruction.target);
  const unsigned bits = dot.element_bits();
  uint32_t a[kMaxMatrixDepth];
  uint32_t b[kMaxMatrixColumns][kMaxMatrixDepth];
  for (unsigned j = 0; j < layout.n; ++j) {
    for (unsigned k = 0; k < layout.k; ++k) {
      b[j][k] = packed_element(op.b, layout.source_lane(0, j, k), layout.source_element(k), bits);
    }
  }
  for (unsigned i = 0; i < layout.m; ++i) {
    expand_row(op, i, bits, a);
    uint32_t* d = op.d[layout.result_register(0, i)].data() + layout.result_lane(0, i);
    for (unsigned j = 0; j < layout.n; ++j) d[j] = dot(a, b[j], d[j]);
  }
}

}  // namespace cuvette::wave
