// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/matrix_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace cuvette::hsail {

namespace {

constexpr MatrixInst kInstructions[] = {
#include "hsail/matrix_instructions.inc"
};
constexpr size_t kCount = std::size(kInstructions);

/// D, A, B, C, the index of sparse ones, then the literals: cbsz, abid, blgp or neg.
constexpr const char* operands_of(const MatrixInst& x) {
  if (x.sparse) return "MABNu34";
  if (x.broadcast) return x.permutes ? "MABN343" : "MABN34";
  return x.permutes || x.has_neg() ? "MABN3" : "MABN";
}

constexpr std::array<InstRow, kCount> make_rows() {
  std::array<InstRow, kCount> rows{};
  for (size_t i = 0; i < kCount; ++i) {
    const MatrixInst& x = kInstructions[i];
    rows[i] = {x.name.data(),  x.opcode, Kind::kInstBasic, Syntax::kMatrix, type_bit(x.result), 0,
               operands_of(x), 0,        AtomicOp::kAdd};
  }
  return rows;
}
constexpr std::array<InstRow, kCount> kRows = make_rows();

constexpr bool in_order() {
  for (size_t i = 1; i < kCount; ++i) {
    if (kInstructions[i - 1].opcode >= kInstructions[i].opcode) return false;
  }
  return static_cast<unsigned>(kInstructions[0].opcode) >= kFirstVendorOpcode;
}
static_assert(in_order());

/// The type of so many bits; one number keeps its own type.
Type operand_type_of(MatrixFormat format, unsigned elements) {
  if (format == MatrixFormat::kF64) return Type::kF64;
  if (format == MatrixFormat::kF32) return Type::kF32;
  const unsigned bits = elements * element_bits(format);
  return bits == 32 ? Type::kB32 : bits == 64 ? Type::kB64 : Type::kB128;
}

}  // namespace

unsigned element_bits(MatrixFormat format) {
  switch (format) {
    case MatrixFormat::kI8:
    case MatrixFormat::kFp8:
    case MatrixFormat::kBf8:
      return 8;
    case MatrixFormat::kF16:
    case MatrixFormat::kBf16:
      return 16;
    case MatrixFormat::kF64:
      return 64;
    default:
      return 32;
  }
}

std::optional<MatrixTarget> find_matrix_target(std::string_view name) {
  const std::string_view processor = name.substr(0, name.find(':'));
  if (processor == "gfx908") return MatrixTarget::kGfx908;
  if (processor == "gfx90a") return MatrixTarget::kGfx90a;
  if (processor == "gfx942") return MatrixTarget::kGfx942;
  return std::nullopt;
}

Type MatrixInst::a_type() const {
  return operand_type_of(a, a_elements());
}
Type MatrixInst::b_type() const {
  return operand_type_of(b, b_elements());
}

const MatrixInst* matrix_inst(Opcode opcode) {
  if (static_cast<unsigned>(opcode) < kFirstVendorOpcode) return nullptr;
  const auto* const found =
      std::lower_bound(std::begin(kInstructions), std::end(kInstructions), opcode,
                       [](const MatrixInst& x, Opcode wanted) { return x.opcode < wanted; });
  return found != std::end(kInstructions) && found->opcode == opcode ? found : nullptr;
}

InstRows matrix_rows() {
  return {kRows.data(), kRows.data() + kRows.size()};
}

std::string similar_matrix_names(std::string_view name) {
  const size_t shape = name.find('_');
  if (shape == std::string_view::npos) return {};
  const std::string_view stem = name.substr(0, name.find('_', shape + 1));
  std::string text;
  for (const MatrixInst& x : kInstructions) {
    if (x.name.substr(0, stem.size()) != stem || x.name[stem.size()] != '_') continue;
    text += text.empty() ? "; with this shape: " : ", ";
    text += x.name;
  }
  return text;
}

MatrixModifiers matrix_modifiers(const Module& module, const Inst& inst) {
  const MatrixInst& x = *matrix_inst(inst.opcode);
  MatrixModifiers result;
  size_t next = x.sparse ? 5 : 4;
  const auto literal = [&](unsigned* value) {
    if (next < inst.operands.size()) {
      *value = static_cast<unsigned>(module.constant(inst.operands[next++]));
    }
  };
  if (x.broadcast) {
    literal(&result.cbsz);
    literal(&result.abid);
  }
  if (x.permutes) literal(&result.blgp);
  if (x.has_neg()) literal(&result.neg);
  return result;
}

std::string matrix_target_problem(const Module& module, const Inst& inst, std::string_view target) {
  const MatrixInst& x = *matrix_inst(inst.opcode);
  const std::string processor(target.substr(0, target.find(':')));
  const std::string quoted = "'" + std::string(x.name) + "'";
  const auto known = find_matrix_target(target);
  if (!known) return quoted + ": target " + processor + " has no matrix instructions";
  if (!x.on(*known)) return quoted + " is not an instruction of target " + processor;
  const MatrixModifiers modifiers = matrix_modifiers(module, inst);
  if (modifiers.blgp != 0 && !x.has_blgp(*known)) {
    return quoted + " has no blgp on target " + processor + ", expected 0";
  }
  if (modifiers.neg != 0 && *known != MatrixTarget::kGfx942) {
    return quoted + " has no neg on target " + processor + ", expected 0";
  }
  return {};
}

}  // namespace cuvette::hsail
