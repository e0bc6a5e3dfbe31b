// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_report.h"

#include <cstdio>

#include "base/bits.h"
#include "isa/text.h"

namespace cuvette::ip {
namespace {

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
  return text;
}

/// A recording has no words of the instruction.
std::string instruction_text(const isa::Instruction& i) {
  return i.length != 0 ? isa::text(i) : std::string(i.row->mnemonic);
}

std::string describe(const SimdTransaction& t) {
  const simd::Issue& i = t.issue;
  return "id " + std::to_string(i.id) + " slot " + std::to_string(i.slot) + " wave " + hex(i.wave) +
         " pc " + hex(i.pc) + ": " + instruction_text(i.instruction) + ", taken at cycle " +
         std::to_string(t.taken) + ", beats " + std::to_string(t.given);
}

/// Operands of an instruction besides registers.
std::string inputs(const simd::Issue& i) {
  return "exec         " + hex(i.exec) + " mode " + hex(i.mode) + " mask " + hex(i.mask_in) +
         " m0 " + hex(i.m0) + "\n  scalars      " + hex(i.scalar[0]) + " " + hex(i.scalar[1]) +
         " " + hex(i.scalar[2]) + "\n  registers    from row " + std::to_string(i.vgpr_base) +
         ", " + std::to_string(i.vgpr_count) + "; acc from row " + std::to_string(i.acc_base) +
         ", " + std::to_string(i.acc_count);
}

std::string wrong_lanes(const SimdTransaction& t, const simd::Retire& want,
                        const simd::Retire& got) {
  std::string text;
  for (unsigned n = 0; n < want.dwords; ++n) {
    for (unsigned l = 0; l < contract::kBeatLanes; ++l) {
      if (!base::bit(want.write, l) || want.data[n][l] == got.data[n][l]) continue;
      const unsigned lane = want.beat * contract::kBeatLanes + l;
      text += "\n    " + row_text(want.row) + (n != 0 ? " + " + std::to_string(n) : "") + " lane " +
              std::to_string(lane) + ": expected " + hex(want.data[n][l]) + ", got " +
              hex(got.data[n][l]) + ", sources";
      for (const wave::LaneRow& source : t.sources) text += " " + hex(source[lane]);
    }
  }
  if (text.empty()) return text;
  return "\n  wrong lanes of the beat, with the first dword of each source:" + text;
}

}  // namespace

std::string row_text(vrf::RowAddress row) {
  return (row.acc ? "acc row " : "row ") + std::to_string(row.row);
}

std::string difference_text(const SimdTransaction& transaction, const simd::Retire& want,
                            const simd::Retire& got) {
  return "instruction  " + describe(transaction) + "\n  " + inputs(transaction.issue) +
         wrong_lanes(transaction, want, got);
}

}  // namespace cuvette::ip
