// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_report.h"

#include <cinttypes>
#include <cstdio>

#include "base/bits.h"
#include "ip/matrix_core/matrix_elements.h"

namespace cuvette::ip {
namespace {

using isa::Type;

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

std::string describe(const MatrixTransaction& t) {
  const matrix_core::Operands& o = t.passes.front();
  std::string text = "id " + std::to_string(o.id) + " cycle ";
  text += t.offered.front() != machine::kNever ? std::to_string(t.offered.front()) : "-";
  text += " wave " + hex(o.wave) + " pc " + hex(o.pc) + ": " + std::string(row_of(t).mnemonic);
  if (o.cbsz != 0) text += " cbsz:" + std::to_string(o.cbsz);
  if (o.abid != 0) text += " abid:" + std::to_string(o.abid);
  if (o.blgp != 0) text += " blgp:" + std::to_string(o.blgp);
  return text + ", operands " + std::to_string(t.passes.size()) + " results " +
         std::to_string(t.answered.size());
}

/// Registers and lane, then the element in them. Doubles have two registers.
std::string lane_text(const MatrixTransaction& t, unsigned row, unsigned lane) {
  const bool wide = row_of(t).matrix.c == Type::F64;
  std::string text = wide ? "rows " + std::to_string(row & ~1u) + " and " + std::to_string(row | 1u)
                          : "row " + std::to_string(row);
  text += " lane " + std::to_string(lane);
  if (const auto e = element_at(row_of(t), row, lane)) {
    text += ", D[" + std::to_string(e->i) + "][" + std::to_string(e->j) + "] of block " +
            std::to_string(e->block);
  }
  return text;
}

/// The first wrong lane with everything that makes it, then all wrong ones of the pass.
std::string lanes_text(const MatrixTransaction& t, isa::Target target,
                       const matrix_core::Result& expected, const matrix_core::Result& actual,
                       unsigned row, unsigned lane) {
  const Type type = row_of(t).matrix.c;
  std::string text = "  first lane   " + lane_text(t, row, lane) + "\n";
  text += "    c " + addend_text(t, target, row, lane) + "\n";
  if (const auto e = element_at(row_of(t), row, lane)) text += factors_text(t, target, *e);
  text += "  wrong lanes of the pass:\n";
  const unsigned step = type == Type::F64 ? 2 : 1;
  const auto element = [step](const matrix_core::Result& from, unsigned r, unsigned l) {
    return step == 2 ? base::join32(from.d[r][l], from.d[r + 1][l]) : from.d[r][l];
  };
  for (unsigned r = 0; r < expected.rows; r += step) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      const uint64_t want = element(expected, r, l), got = element(actual, r, l);
      if (want == got) continue;
      text += "    " + lane_text(t, expected.first_row + r, l) + ": expected " +
              element_text(want, type) + ", got " + element_text(got, type) + "\n";
    }
  }
  return text;
}

}  // namespace

const isa::Row& row_of(const MatrixTransaction& t) {
  return *(isa::rows().begin() + t.passes.front().row);
}

std::string difference_text(const MatrixTransaction& t, isa::Target target,
                            const matrix_core::Result& want, const matrix_core::Result& got) {
  std::string text =
      "transaction  " + describe(t) + "\n  result       pass " + std::to_string(want.pass) + "\n";
  for (unsigned r = 0; r < want.rows; ++r) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (want.d[r][l] != got.d[r][l]) {
        return text + lanes_text(t, target, want, got, want.first_row + r, l);
      }
    }
  }
  return text;
}

}  // namespace cuvette::ip
