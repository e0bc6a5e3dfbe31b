// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "valu_manual.h"
#include "valu_manual_number.h"

// Helpers of the files of valu_manual.h for operands.
namespace cuvette::valu_manual {

inline bool bit(uint64_t word, unsigned at) {
  return (word >> at & 1) != 0;
}

/// Sources of an instruction that is not packed: half, abs, neg.
inline uint64_t source(const Format& f, const isa::Row& row, const valu::Request& q, uint64_t word,
                       unsigned index) {
  uint64_t x = word;
  if (f.exponent_bits == kHalf.exponent_bits && row.has(isa::kOpSel) &&
      bit(q.modifiers.op_sel, index)) {
    x >>= 16;
  }
  x &= f.all();
  if (bit(q.modifiers.abs, index)) x &= ~f.sign();
  if (bit(q.modifiers.neg, index)) x ^= f.sign();
  return x;
}

/// Place of a result of 16 bits: the other half is kept by the instructions that say so and
/// beside a high half, otherwise 0.
inline uint64_t placed(const isa::Row& row, const valu::Request& q, uint64_t result, uint64_t old) {
  if (row.has(isa::kOpSel) && bit(q.modifiers.op_sel, 3)) {
    return (result & 0xffff) << 16 | (old & 0xffff);
  }
  const std::string name(row.mnemonic);
  const bool keeps = name == "v_mad_f16" || name == "v_fma_f16" || name == "v_div_fixup_f16";
  return (result & 0xffff) | (keeps ? old & 0xffff0000 : 0);
}

}  // namespace cuvette::valu_manual
