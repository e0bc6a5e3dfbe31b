// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/matrix.h"

namespace cuvette::wave {

// compute_matrix and compute_sparse_matrix on the host's vector unit. False, and nothing done,
// where the host has none or MXCSR is not as it starts, and for F16 of gfx908 with numbers so far
// apart that doubles do not hold the sum of four products.
bool host_matrix(const MatrixOp& op);
bool host_sparse_matrix(const SparseMatrixOp& op);

}  // namespace cuvette::wave
