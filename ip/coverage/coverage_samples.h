// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/coverage/coverage.h"
#include "ip/matrix_core/matrix_report.h"
#include "ip/vrf/vrf_cycle.h"
#include "simd/simd.h"
#include "valu/valu.h"

// From what a block was given to the bins it hits (verification_plan.md), one function per
// unit of comparison. Call them for what was compared and found equal.
namespace cuvette::ip {

/// A beat of the valu and the flags it raised.
void cover(Coverage& coverage, const valu::Request& request, uint8_t flags);
/// A cycle at the channels of the valu: whether a request was offered, whether it was taken,
/// whether responses are taken.
void cover_valu_cycle(Coverage& coverage, bool offered, bool taken, bool ready);

/// A complete instruction of the matrix core and the one before it; null: the first one.
void cover(Coverage& coverage, const MatrixTransaction& instruction,
           const MatrixTransaction* before, isa::Target target);

/// A complete instruction of the simd; `registers` written by a lane.
void cover(Coverage& coverage, const simd::Issue& issue, unsigned registers);
/// An instruction was taken; `others`: while those of other slots were not complete.
void cover_simd_order(Coverage& coverage, bool others);

/// A cycle of the register file.
void cover(Coverage& coverage, const VrfInputs& in, const VrfOutputs& out);

}  // namespace cuvette::ip
