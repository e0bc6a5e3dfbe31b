// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "golden_plain_dispatch_code.h"

// Integer operations and those of masks, as the Vega and the MI300 ISA have them.
namespace cuvette::golden::plain {

/// A VGPR of one register. `lane` is for MbcntLo and MbcntHi.
uint32_t evaluate_integer(What what, uint32_t a, uint32_t b, uint32_t c, unsigned lane);
inline bool has_wide_result(What what) {
  return what == What::Shl64 || what == What::Ashr64 || what == What::LshlAdd64;
}
/// A pair of VGPRs. `a` of Shl64 and Ashr64 and `b` of LshlAdd64 are counts.
uint64_t evaluate_wide(What what, uint64_t a, uint64_t b, uint64_t c);
/// Types of 32 bits look at the low halves.
bool evaluate_compare(Cond cond, Type type, uint64_t a, uint64_t b);
/// A pair of SGPRs, SMov64 to SAshr64; `b` may be a count.
uint64_t evaluate_mask(What what, uint64_t a, uint64_t b);
/// What is left of `exec`, SAndSave to SAndn1Save.
uint64_t evaluate_exec(What what, uint64_t a, uint64_t exec);

}  // namespace cuvette::golden::plain
