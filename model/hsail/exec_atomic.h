// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hsail/brig_enums.h"

namespace cuvette::hsail {

/// 6.6: the value an atomic leaves behind. `a` is src0, `b` src1 of cas.
uint64_t atomic_result(AtomicOp op, Type type, uint64_t old, uint64_t a, uint64_t b);

}  // namespace cuvette::hsail
