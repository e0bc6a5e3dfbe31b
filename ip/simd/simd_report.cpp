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

std::string name(vrf::RowAddress row) {
  return (row.acc ? "acc row " : "row ") + std::to_string(row.row);
}

std::string describe(const SimdTransaction& t) {
  const simd::Issue& i = t.issue;
  return "id " + std::to_string(i.id) + " slot " + std::to_string(i.slot) + " wave " + hex(i.wave) +
         " pc " + hex(i.pc) + ": " + isa::text(i.instruction) + ", taken at cycle " +
         std::to_string(t.taken) + ", beats " + std::to_string(t.given) +
         (t.sampled ? " of " + std::to_string(t.expected.size()) : ", not compared");
}

/// What an instruction is given besides registers.
std::string inputs(const simd::Issue& i) {
  std::string text = "  exec         " + hex(i.exec) + " mode " + hex(i.mode) + " mask " +
                     hex(i.mask_in) + " m0 " + hex(i.m0) + "\n";
  text +=
      "  scalars      " + hex(i.scalar[0]) + " " + hex(i.scalar[1]) + " " + hex(i.scalar[2]) + "\n";
  text += "  registers    from row " + std::to_string(i.vgpr_base) + ", " +
          std::to_string(i.vgpr_count) + "; acc from row " + std::to_string(i.acc_base) + ", " +
          std::to_string(i.acc_count) + "\n";
  return text;
}

std::string lanes(const SimdTransaction& t, const simd::Retire& want, const simd::Retire& got) {
  std::string text = "  wrong lanes of the beat, with the first dword of each source:\n";
  for (unsigned n = 0; n < want.dwords; ++n) {
    for (unsigned l = 0; l < valu::kLanes; ++l) {
      if (!base::bit(want.write, l) || want.data[n][l] == got.data[n][l]) continue;
      const unsigned lane = want.beat * valu::kLanes + l;
      text += "    " + name(want.row) + (n != 0 ? " + " + std::to_string(n) : "") + " lane " +
              std::to_string(lane) + ": expected " + hex(want.data[n][l]) + ", got " +
              hex(got.data[n][l]) + ", sources";
      for (const wave::LaneRow& source : t.sources) text += " " + hex(source[lane]);
      text += "\n";
    }
  }
  return text;
}

}  // namespace

void write_report(SimdMismatch& m, const SimdTransaction* transaction, const simd::Retire* expected,
                  const simd::Retire* actual) {
  std::string place;
  if (m.row) place = name(*m.row);
  if (m.row && m.lane >= 0) place += " lane " + std::to_string(m.lane);
  if (m.row) place += ": ";
  std::string text =
      "block simd of compute unit " + std::to_string(m.compute_unit) + " SIMD " +
      std::to_string(m.simd) + " differs in " + m.field + " at cycle " + std::to_string(m.time) +
      ": " + place +
      (m.what.empty() ? "expected " + hex(m.expected) + ", got " + hex(m.actual) : m.what) + "\n";
  if (transaction != nullptr) {
    text += "  instruction  " + describe(*transaction) + "\n" + inputs(transaction->issue);
    if (expected != nullptr && actual != nullptr && m.field == "data") {
      text += lanes(*transaction, *expected, *actual);
    }
  }
  text += "  last instructions, oldest first:\n";
  for (const SimdTransaction& t : m.transactions) text += "    " + describe(t) + "\n";
  m.report = std::move(text);
}

}  // namespace cuvette::ip
