// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/target.h"
#include "wave/memory_op.h"

namespace cuvette::wave {

/// Bytes of the global data share (Vega ISA 2.2, MI100 ISA 2.2); 0: the target has none.
uint32_t gds_bytes(isa::Target target);

/// Carries out a DS operation at once on the bytes of a data share, LDS or GDS: lanes in ascending
/// order, of a lane access 0 before 1, which decides conflicting stores and atomics. Accesses that
/// failed their range check (MemoryOp::partial) or reach beyond `share`, or whose operand there
/// (SRC2 forms) does, give 0 and write nothing (decisions.md D11). Float atomics obey `mode` (D8).
void access_share(const MemoryOp& op, uint64_t lanes, const Mode& mode, std::vector<uint8_t>& share,
                  MemoryReply& reply);

}  // namespace cuvette::wave
