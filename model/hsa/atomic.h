// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/atomic_op.h"

namespace cuvette::hsa {

using base::AtomicOp;
using base::is_float;

/// The value an integer operation leaves in memory. `bytes` is 4 or 8; inputs above that width are
/// ignored and the result is zero-extended. `compare` is used by CmpSwap and MSkOr only. A float
/// operation is a bug here (throws std::logic_error): this layer does no floating point, its caller
/// supplies it.
uint64_t apply_atomic(AtomicOp op, unsigned bytes, uint64_t old, uint64_t operand,
                      uint64_t compare = 0);

}  // namespace cuvette::hsa
