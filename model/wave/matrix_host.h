// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/matrix.h"

namespace cuvette::wave {

/// compute_matrix on the host's vector unit: F32, and F16 of gfx908 and gfx90a, with blocks of 16
/// or 32 columns. False, and nothing done, for everything else.
bool host_matrix(const MatrixOp& op);

}  // namespace cuvette::wave
