// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hsail/inst_table.h"

/// The instructions of the vendor extension "cuvette:mfma" (hsail_mfma.md): the matrix
/// instructions of the machines, one for each shape and pair of element formats, made from the
/// instruction table of layer isa at configure time. Their rows belong to the table of
/// inst_table.h: inst_rows(opcode) and match_row know them.
namespace cuvette::hsail {

constexpr std::string_view kMatrixExtension = "cuvette:mfma";

/// Elements of A and B.
enum class MatrixFormat : uint8_t { kF32, kF64, kF16, kBf16, kI8, kXf32, kFp8, kBf8 };
/// Size of an element; kXf32 takes 32.
unsigned element_bits(MatrixFormat format);

enum class MatrixTarget : uint8_t { kGfx908, kGfx90a, kGfx942 };
/// Matrix target "gfx908" or "gfx908:sramecc+"; nothing for targets without matrix instructions.
std::optional<MatrixTarget> find_matrix_target(std::string_view name);

/// D = A * B + C: A is m x k, B k x m, C and D m x m; `blocks` such products at once.
struct MatrixInst {
  std::string_view name;     ///< "cuvette:mfma_32x32x1_2b_f32_f32"
  std::string_view machine;  ///< the machine's name for it with dots: "mfma.f32.32x32x1f32"
  Opcode opcode;             ///< 0x8000 and up (13.1.3)
  uint8_t m;                 ///< rows and columns of D
  uint8_t k;                 ///< columns of A and rows of B
  uint8_t blocks;            ///< products
  MatrixFormat a;
  MatrixFormat b;
  Type result;      ///< of the elements of C and D
  bool sparse;      ///< A holds two of every four consecutive k, an operand says which
  bool broadcast;   ///< has cbsz and abid
  bool permutes;    ///< has blgp, see has_blgp
  uint8_t targets;  ///< bit per MatrixTarget

  bool on(MatrixTarget target) const { return (targets >> static_cast<unsigned>(target) & 1) != 0; }
  /// gfx942 has no blgp in the instructions of one block other than F32.
  bool has_blgp(MatrixTarget target) const {
    return permutes && (target != MatrixTarget::kGfx942 || blocks > 1 || a == MatrixFormat::kF32);
  }
  /// F64: the signs of A, B and C, which only gfx942 can change.
  constexpr bool has_neg() const { return a == MatrixFormat::kF64; }
  /// Elements that one work-item holds.
  unsigned a_elements() const { return b_elements() / (sparse ? 2 : 1); }
  unsigned b_elements() const { return unsigned{k} * m * blocks / 64; }
  unsigned results() const { return unsigned{m} * m * blocks / 64; }
  /// Type of the operands A and B: the bits of a work-item's elements, the first in the low ones.
  Type a_type() const;
  Type b_type() const;
};

/// Instruction of an opcode; nullptr for one that is none of the extension.
const MatrixInst* matrix_inst(Opcode opcode);
inline bool is_matrix(Opcode opcode) {
  return matrix_inst(opcode) != nullptr;
}

/// The rows of the extension, by opcode.
InstRows matrix_rows();

/// "; with this shape: ..., ..." for the message about an unknown instruction.
std::string similar_matrix_names(std::string_view name);

/// The literals at the end of the operands; 0 where the instruction has none.
struct MatrixModifiers {
  unsigned cbsz = 0;
  unsigned abid = 0;
  unsigned blgp = 0;
  unsigned neg = 0;  ///< bit 0: A, 1: B, 2: C
};
MatrixModifiers matrix_modifiers(const Module& module, const Inst& inst);

/// Reason why `target` cannot execute a matrix instruction of a validated module; empty when it
/// can.
std::string matrix_target_problem(const Module& module, const Inst& inst, std::string_view target);

}  // namespace cuvette::hsail
