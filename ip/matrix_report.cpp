// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_report.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "wave/matrix_parts.h"

namespace cuvette::ip {
namespace {

using isa::Type;

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

const isa::Row& row_of(const MatrixTransaction& t) {
  return *(isa::rows().begin() + t.passes.front().row);
}

/// A binary16 number as a double, by its definition.
double half_value(uint32_t bits) {
  const uint32_t exponent = bits >> 10 & 31;
  const uint32_t fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
}

/// An element or result in hex, then as the number it is.
std::string decoded(uint32_t bits, Type type) {
  char text[48];
  uint32_t word = bits;
  switch (type) {
    case Type::F16:
      std::snprintf(text, sizeof text, "0x%04x (%.6g)", bits, half_value(bits));
      return text;
    case Type::I8:
      std::snprintf(text, sizeof text, "0x%02x (%d)", bits, static_cast<int8_t>(bits));
      return text;
    case Type::I32:
      std::snprintf(text, sizeof text, "0x%08x (%d)", bits, static_cast<int32_t>(bits));
      return text;
    case Type::Bf16:
      word = bits << 16;
      break;
    default:
      break;
  }
  float value;
  std::memcpy(&value, &word, sizeof value);
  std::snprintf(text, sizeof text, "0x%0*x (%.9g)", type == Type::Bf16 ? 4 : 8, bits,
                static_cast<double>(value));
  return text;
}

/// Which element of D a lane holds.
struct Element {
  unsigned block, i, j;
};
std::optional<Element> element_at(const wave::MatrixLayout& layout, unsigned row, unsigned lane) {
  for (unsigned block = 0; block < layout.blocks; ++block) {
    for (unsigned i = 0; i < layout.m; ++i) {
      const unsigned first = layout.result_lane(block, i);
      if (layout.result_register(block, i) != row || lane < first || lane >= first + layout.n) {
        continue;
      }
      return Element{block, i, lane - first};
    }
  }
  return std::nullopt;
}

unsigned bits_of(Type type) {
  return type == Type::I8 ? 8 : type == Type::F32 ? 32 : 16;
}

/// Every factor of one element of D: where it is and what.
std::string factors(const MatrixTransaction& t, isa::Target target, const Element& e) {
  const isa::Row& row = row_of(t);
  const wave::MatrixLayout layout(row.matrix);
  isa::Instruction instruction;
  instruction.row = &row;
  instruction.target = target;
  instruction.mod.cbsz = t.passes.front().cbsz;
  instruction.mod.abid = t.passes.front().abid;
  instruction.mod.blgp = t.passes.front().blgp;
  const wave::Selection select(instruction);
  const unsigned bits = bits_of(row.matrix.a);
  std::string text;
  for (unsigned k = 0; k < layout.k; ++k) {
    const unsigned element = layout.source_element(k);
    const unsigned reg = element * bits / 32;
    const unsigned a_lane = select.a_lane(layout, e.block, e.i, k);
    const unsigned b_lane = select.b_lane(layout, e.block, e.j, k);
    if (reg >= t.passes.size()) break;
    const auto part = [&](const wave::LaneRow& lanes, unsigned lane) {
      return static_cast<uint32_t>(lanes[lane] >> element * bits % 32 & base::low_mask(bits));
    };
    text += "    k " + std::to_string(k) + ": a " +
            decoded(part(t.passes[reg].a, a_lane), row.matrix.a) + " from lane " +
            std::to_string(a_lane) + ", b " + decoded(part(t.passes[reg].b, b_lane), row.matrix.a) +
            " from lane " + std::to_string(b_lane) + "\n";
  }
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

std::string lane_text(const MatrixTransaction& t, unsigned row, unsigned lane) {
  const wave::MatrixLayout layout(row_of(t).matrix);
  std::string text = "row " + std::to_string(row) + " lane " + std::to_string(lane);
  if (const auto e = element_at(layout, row, lane)) {
    text += ", D[" + std::to_string(e->i) + "][" + std::to_string(e->j) + "] of block " +
            std::to_string(e->block);
  }
  return text;
}

/// The first wrong lane with everything that makes it, then all wrong ones of the pass.
std::string lanes_text(const MatrixMismatch& m, const MatrixTransaction& t, isa::Target target,
                       const matrix_core::Result& expected, const matrix_core::Result& actual) {
  const Type type = row_of(t).matrix.c;
  const auto row = static_cast<unsigned>(m.row);
  const auto lane = static_cast<unsigned>(m.lane);
  std::string text = "  first lane   " + lane_text(t, row, lane) + "\n";
  const unsigned pass = row / matrix_core::kRowsPerPass;
  if (pass < t.passes.size()) {
    const auto& c = t.passes[pass].c[row % matrix_core::kRowsPerPass];
    text += "    c " + decoded(c[lane], type) + "\n";
  }
  if (const auto e = element_at(wave::MatrixLayout(row_of(t).matrix), row, lane)) {
    text += factors(t, target, *e);
  }
  text += "  wrong lanes of the pass:\n";
  for (unsigned r = 0; r < expected.rows; ++r) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (expected.d[r][l] == actual.d[r][l]) continue;
      text += "    " + lane_text(t, expected.first_row + r, l) + ": expected " +
              decoded(expected.d[r][l], type) + ", got " + decoded(actual.d[r][l], type) + "\n";
    }
  }
  return text;
}

}  // namespace

void write_report(MatrixMismatch& m, isa::Target target, const matrix_core::Result* expected,
                  const matrix_core::Result* actual) {
  std::string text =
      "block matrix_core of compute unit " + std::to_string(m.compute_unit) + " SIMD " +
      std::to_string(m.simd) + " differs in " + m.field + " at cycle " + std::to_string(m.time) +
      ": " + (m.what.empty() ? "expected " + hex(m.expected) + ", got " + hex(m.actual) : m.what) +
      "\n";
  if (m.failing < m.transactions.size()) {
    const MatrixTransaction& t = m.transactions[m.failing];
    text += "  transaction  " + describe(t) + "\n";
    if (expected != nullptr && actual != nullptr) {
      text += "  result       pass " + std::to_string(expected->pass) + "\n";
      if (m.lane >= 0) text += lanes_text(m, t, target, *expected, *actual);
    }
  }
  text += "  last instructions, oldest first:\n";
  for (size_t n = 0; n < m.transactions.size(); ++n) {
    text += std::string(n == m.failing ? "  > " : "    ") + describe(m.transactions[n]) + "\n";
  }
  m.report = std::move(text);
}

}  // namespace cuvette::ip
