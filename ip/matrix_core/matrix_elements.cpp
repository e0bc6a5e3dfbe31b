// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_elements.h"

#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/bits.h"
#include "wave/matrix_parts.h"

namespace cuvette::ip {
namespace {

using isa::Type;

/// A number with so many bits of exponent and fraction as a double, by the definition of its
/// format. `ieee`: the largest exponent means infinity and NaN; otherwise minus zero is the only
/// NaN.
double small_value(uint32_t bits, int exponent_bits, int fraction_bits, int bias, bool ieee) {
  const int largest = (1 << exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & largest;
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const bool negative = (bits >> (exponent_bits + fraction_bits) & 1) != 0;
  const double sign = negative ? -1 : 1;
  if (ieee && exponent == largest) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (!ieee && negative && exponent == 0 && fraction == 0) return std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

isa::Instruction instruction_of(const MatrixTransaction& t, isa::Target target) {
  isa::Instruction instruction;
  instruction.row = &row_of(t);
  instruction.target = target;
  instruction.mod.cbsz = t.passes.front().cbsz;
  instruction.mod.abid = t.passes.front().abid;
  instruction.mod.blgp = t.passes.front().blgp;
  return instruction;
}

/// Bits 0, 1 and 2: the signs of A, B and C are turned.
unsigned turned_signs(const isa::Instruction& i) {
  return i.row->matrix.a == Type::F64 && i.target == isa::Target::Gfx942 ? i.mod.blgp : 0;
}
std::string sign_text(unsigned turned, unsigned bit) {
  return base::bit(turned, bit) ? "neg " : "";
}

/// Registers of A or of B, as far as they were sent.
std::vector<wave::LaneRow> source_rows(const MatrixTransaction& t, unsigned count, bool b) {
  constexpr unsigned kRows = matrix_core::kRowsPerPass;
  std::vector<wave::LaneRow> rows;
  for (unsigned r = 0; r < count && (b ? r / kRows : r) < t.passes.size(); ++r) {
    rows.push_back(b ? t.passes[r / kRows].b[r % kRows] : t.passes[r].a);
  }
  rows.resize(count);
  return rows;
}
uint64_t source_element(const std::vector<wave::LaneRow>& rows, unsigned lane, unsigned element,
                        Type type) {
  if (type == Type::F64) return base::join32(rows[2 * element][lane], rows[2 * element + 1][lane]);
  return wave::packed_element(rows.data(), lane, element, wave::element_bits(type));
}

/// Place of the element of A for one k.
struct Source {
  bool stored = true;
  unsigned lane = 0, element = 0;
};
Source sparse_source(const MatrixTransaction& t, const isa::Instruction& i,
                     const wave::MatrixLayout& layout, unsigned row, unsigned k) {
  const unsigned group = k / wave::kSparseGroup;
  const unsigned per_lane = wave::sparse_groups_per_lane(layout.m, layout.k);
  Source s;
  s.lane = group / per_lane * layout.m + row;
  const unsigned inside = group % per_lane;
  const unsigned set = wave::sparse_index_set(i, layout.m, layout.k);
  const uint32_t index =
      t.passes.front().index[s.lane] >> (set * per_lane + inside) * wave::kSparseIndexBits;
  const unsigned position = k % wave::kSparseGroup;
  // The high element wins when positions are equal.
  const bool high = (index >> 2 & 3) == position;
  s.stored = high || (index & 3) == position;
  s.element = 2 * inside + (high ? 1 : 0);
  return s;
}

}  // namespace

std::string element_text(uint64_t bits, Type type) {
  char text[64];
  const auto word = static_cast<uint32_t>(bits);
  switch (type) {
    case Type::F64:
      std::snprintf(text, sizeof text, "0x%016" PRIx64 " (%.17g)", bits,
                    std::bit_cast<double>(bits));
      break;
    case Type::F16:
      std::snprintf(text, sizeof text, "0x%04x (%.6g)", word, small_value(word, 5, 10, 15, true));
      break;
    case Type::Bf16:
      std::snprintf(text, sizeof text, "0x%04x (%.9g)", word, small_value(word, 8, 7, 127, true));
      break;
    case Type::Fp8:
      std::snprintf(text, sizeof text, "0x%02x (%.6g)", word, small_value(word, 4, 3, 8, false));
      break;
    case Type::Bf8:
      std::snprintf(text, sizeof text, "0x%02x (%.6g)", word, small_value(word, 5, 2, 16, false));
      break;
    case Type::I8:
      std::snprintf(text, sizeof text, "0x%02x (%d)", word, static_cast<int8_t>(word));
      break;
    case Type::I32:
      std::snprintf(text, sizeof text, "0x%08x (%d)", word, static_cast<int32_t>(word));
      break;
    default:
      std::snprintf(text, sizeof text, "0x%08x (%.9g)", word,
                    static_cast<double>(std::bit_cast<float>(word)));
      break;
  }
  return text;
}

std::optional<MatrixElement> element_at(const isa::Row& row, unsigned reg, unsigned lane) {
  const wave::MatrixLayout layout(row.matrix);
  const unsigned wanted = row.matrix.c == Type::F64 ? reg / 2 : reg;
  for (unsigned block = 0; block < layout.blocks; ++block) {
    for (unsigned i = 0; i < layout.m; ++i) {
      const unsigned first = layout.result_lane(block, i);
      if (layout.result_register(block, i) != wanted || lane < first || lane >= first + layout.n) {
        continue;
      }
      return MatrixElement{block, i, lane - first};
    }
  }
  return std::nullopt;
}

std::string addend_text(const MatrixTransaction& t, isa::Target target, unsigned reg,
                        unsigned lane) {
  static_assert(matrix_core::kRowsPerPass == 2, "a pass has both registers of a double");
  const unsigned pass = reg / matrix_core::kRowsPerPass;
  if (pass >= t.passes.size()) return "-";
  const auto& c = t.passes[pass].c;
  const Type type = row_of(t).matrix.c;
  const uint64_t bits =
      type == Type::F64 ? base::join32(c[0][lane], c[1][lane]) : c[reg % c.size()][lane];
  return sign_text(turned_signs(instruction_of(t, target)), 2) + element_text(bits, type);
}

std::string factors_text(const MatrixTransaction& t, isa::Target target, const MatrixElement& e) {
  const isa::Row& row = row_of(t);
  const wave::MatrixLayout layout(row.matrix);
  const isa::Instruction instruction = instruction_of(t, target);
  const wave::Selection select(instruction);
  const bool sparse = row.has(isa::kSparse);
  const Type a_type = row.matrix.a;
  const Type b_type = row.matrix.b != Type::None ? row.matrix.b : a_type;
  const auto a = source_rows(t, row.src[0].dwords, false);
  const auto b = source_rows(t, row.src[1].dwords, true);
  const unsigned turned = turned_signs(instruction);
  std::string text;
  for (unsigned k = 0; k < layout.k; ++k) {
    const Source from =
        sparse ? sparse_source(t, instruction, layout, e.i, k)
               : Source{true, select.a_lane(layout, e.block, e.i, k), layout.source_element(k)};
    const unsigned b_lane =
        sparse ? layout.source_lane(0, e.j, k) : select.b_lane(layout, e.block, e.j, k);
    text += "    k " + std::to_string(k) + ": a ";
    if (from.stored) {
      text += sign_text(turned, 0) +
              element_text(source_element(a, from.lane, from.element, a_type), a_type) +
              " from lane " + std::to_string(from.lane);
    } else {
      text += "0";
    }
    text += ", b " + sign_text(turned, 1) +
            element_text(source_element(b, b_lane, layout.source_element(k), b_type), b_type) +
            " from lane " + std::to_string(b_lane) + "\n";
  }
  return text;
}

}  // namespace cuvette::ip
