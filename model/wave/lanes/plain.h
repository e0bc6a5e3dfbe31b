// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/host_float.h"
#include "wave/prepared.h"

// F32 sums, products and fused multiply-adds of whole rows on the host's vector unit, with MXCSR
// and its flags kept over instructions (HostSlice).
//
// The host's results are those of the model, but for NaNs: lanes with a NaN result are done over by
// the general handler. Every invalid operation gives a NaN, so the host's invalid flag belongs to
// the instruction at hand and is dropped; its other flags are never raised by a lane whose result
// is a NaN, except for a subnormal operand, which the model reports as well.
namespace cuvette::wave::lanes {

/// Null when the instruction is none of these, has modifiers on its result, or the host cannot.
Prepared::Run plain_row(const isa::Instruction& instruction, Prepared& prepared);

/// Of one host level; `registers`: all sources are VGPRs without abs and neg.
Prepared::Run plain_avx2(HostOp op, bool registers);
Prepared::Run plain_avx512(HostOp op, bool registers);

/// Ends an instruction with NaN results. `row` holds the host's 64 results, `nan` the enabled lanes
/// that must be done over; nothing has been written yet.
void finish_with_nans(const Prepared& p, WaveState& wave, HostSlice& slice, const uint32_t* row,
                      uint64_t nan);

}  // namespace cuvette::wave::lanes
