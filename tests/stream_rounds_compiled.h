// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stream_rounds_loops.h"

namespace cuvette::golden::steady {

/// A loop as compilers write it: each group computes 64-bit addresses in registers that its loads,
/// or those of other groups, then take. `bytes`: as of Loops.
Case compiled_loop(uint64_t seed, const PartsMemory& memory, const std::vector<uint8_t>& bytes);

}  // namespace cuvette::golden::steady
