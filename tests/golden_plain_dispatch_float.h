// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "golden_plain_dispatch_code.h"
#include "hsa/kernel_info.h"

// F32 operations in all modes by the host's double arithmetic, as docs/floating_point.md and the
// Vega ISA have them.
namespace cuvette::golden::plain {

struct FloatModes {
  hsa::FloatRound round = hsa::FloatRound::NearEven;
  hsa::FloatDenorm denorm = hsa::FloatDenorm::FlushNone;
  bool ieee = true, dx10_clamp = true;
};

/// Of operands that have been through abs and neg; `c` is what Mac and Fmac add to.
uint32_t evaluate_float(What what, uint32_t a, uint32_t b, uint32_t c, const FloatModes& modes);
uint32_t clamped(uint32_t result, const FloatModes& modes);
/// V_CVT_F32_U32.
uint32_t to_float(uint32_t value, const FloatModes& modes);

}  // namespace cuvette::golden::plain
