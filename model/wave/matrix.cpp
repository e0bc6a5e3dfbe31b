// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/matrix.h"

#include <algorithm>

#include "wave/execute.h"
#include "wave/matrix_host.h"
#include "wave/matrix_layout.h"
#include "wave/matrix_parts.h"
#include "wave/operand.h"

namespace cuvette::wave {
namespace {

using isa::SemanticId;
using isa::Target;
using isa::Type;

constexpr unsigned kMaxChainF64 = 4;  ///< largest K of the F64 shapes
constexpr unsigned kMaxRegisters = 32;

uint64_t pair_of(const LaneRow* rows, unsigned element, unsigned lane) {
  return base::join32(rows[2 * element][lane], rows[2 * element + 1][lane]);
}

void compute_f64(const MatrixOp& op, const MatrixLayout& layout) {
  const SignsF64 signs(*op.instruction);
  const unsigned k = layout.k;
  uint64_t a[kMaxChainF64], b[kMaxMatrixColumns][kMaxChainF64];
  for (unsigned block = 0; block < layout.blocks; ++block) {
    for (unsigned j = 0; j < layout.n; ++j) {
      for (unsigned kk = 0; kk < k; ++kk) {
        b[j][kk] =
            signs.b ^ pair_of(op.b, layout.source_element(kk), layout.source_lane(block, j, kk));
      }
    }
    for (unsigned i = 0; i < layout.m; ++i) {
      for (unsigned kk = 0; kk < k; ++kk) {
        a[kk] =
            signs.a ^ pair_of(op.a, layout.source_element(kk), layout.source_lane(block, i, kk));
      }
      const unsigned reg = layout.result_register(block, i);
      const unsigned lane = layout.result_lane(block, i);
      for (unsigned j = 0; j < layout.n; ++j) {
        const uint64_t c = signs.c ^ pair_of(op.d, reg, lane + j);
        const uint64_t value = fp::dot_accumulate_f64(a, b[j], k, c);
        op.d[2 * reg][lane + j] = base::lo32(value);
        op.d[2 * reg + 1][lane + j] = base::hi32(value);
      }
    }
  }
}

/// Each result is one dot product over packed elements.
void compute_dots(const MatrixOp& op, const MatrixLayout& layout) {
  const Selection select(*op.instruction);
  const DotProduct dot(*op.instruction->row, op.instruction->target);
  const unsigned bits = dot.element_bits();
  uint32_t a[kMaxMatrixDepth];
  uint32_t b[kMaxMatrixColumns][kMaxMatrixDepth];
  for (unsigned block = 0; block < layout.blocks; ++block) {
    for (unsigned j = 0; j < layout.n; ++j) {
      for (unsigned k = 0; k < layout.k; ++k) {
        b[j][k] = packed_element(op.b, select.b_lane(layout, block, j, k), layout.source_element(k),
                                 bits);
      }
    }
    for (unsigned i = 0; i < layout.m; ++i) {
      for (unsigned k = 0; k < layout.k; ++k) {
        a[k] = packed_element(op.a, select.a_lane(layout, block, i, k), layout.source_element(k),
                              bits);
      }
      uint32_t* d = op.d[layout.result_register(block, i)].data() + layout.result_lane(block, i);
      for (unsigned j = 0; j < layout.n; ++j) d[j] = dot(a, b[j], d[j]);
    }
  }
}

fp::DotAlgorithm dot_algorithm(const isa::Row& row, Target target) {
  const isa::MatrixShape& shape = row.matrix;
  switch (shape.a) {
    case Type::F32:
      return fp::kDotF32;
    case Type::F16:
      return target == Target::Gfx942   ? fp::kDotF16Gfx942
             : target == Target::Gfx90a ? fp::kDotF16Gfx90a
                                        : fp::kDotF16Gfx908;
    case Type::Bf16:
      if (target == Target::Gfx942) return fp::kDotBf16Gfx942;
      if (target == Target::Gfx908) return fp::kDotBf16Gfx908;
      return row.mnemonic.ends_with("_1k") ? fp::kDotBf16K1Gfx90a : fp::kDotBf16Gfx90a;
    case Type::Xf32:
      return fp::kDotXf32Gfx942;
    default:
      return fp::dot_8bit_gfx942(shape.a == Type::Bf8, shape.b == Type::Bf8);
  }
}

/// C into the rows that will hold D: registers, or one constant for all elements.
void load_c(const WaveState& wave, const isa::Operand& c, unsigned rows, bool wide, LaneRow* d) {
  const bool constant = c.kind == isa::OperandKind::Inline || c.kind == isa::OperandKind::Literal;
  for (unsigned r = 0; r < rows; ++r) {
    if (constant) {
      d[r].fill(wide && r % 2 != 0 ? base::hi32(c.value) : base::lo32(c.value));
    } else {
      d[r] = source_row(wave, c, r);
    }
  }
}

/// Consecutive rows of a source, or a copy when one of them is out of range.
const LaneRow* source_rows(const WaveState& wave, const isa::Operand& operand, unsigned rows,
                           LaneRow* copy) {
  if (vector_in_range(wave, operand.kind, operand.index, rows)) return &source_row(wave, operand);
  for (unsigned r = 0; r < rows; ++r) copy[r] = source_row(wave, operand, r);
  return copy;
}

Outcome execute_mfma(WaveState& wave, const isa::Instruction& i, MatrixPath path) {
  const bool wide = i.row->matrix.c == Type::F64;
  const isa::MatrixShape& shape = i.row->matrix;
  const unsigned rows = shape.m * shape.n * shape.blocks / kLanes * (wide ? 2 : 1);
  // A destination out of range makes the instruction a NOP (MI100 ISA 3.6.1).
  if (!vector_in_range(wave, i.dst[0].kind, i.dst[0].index, rows)) return {};

  LaneRow d[kMaxRegisters];
  LaneRow a[2], b[2];
  MatrixOp op;
  op.instruction = &i;
  op.a = source_rows(wave, i.src[0], i.row->src[0].dwords, a);
  op.b = source_rows(wave, i.src[1], i.row->src[1].dwords, b);
  LaneRow* const result = destination_row(wave, i.dst[0]);
  const auto apart = [&](const LaneRow* from, unsigned count) {
    return from + count <= result || from >= result + rows;
  };
  // An accumulator in its own place is computed there.
  const bool in_place = i.src[2].kind == i.dst[0].kind && i.src[2].index == i.dst[0].index &&
                        apart(op.a, i.row->src[0].dwords) && apart(op.b, i.row->src[1].dwords);
  op.d = in_place ? result : d;
  if (!in_place) load_c(wave, i.src[2], rows, wide, d);
  compute_matrix(op, path);
  if (!in_place) std::copy_n(d, rows, result);
  return {};
}

Outcome execute_smfmac(WaveState& wave, const isa::Instruction& i, MatrixPath path) {
  const MatrixLayout layout(i.row->matrix);
  const unsigned rows = layout.result_registers();
  if (!vector_in_range(wave, i.dst[0].kind, i.dst[0].index, rows)) return {};
  LaneRow d[kMaxRegisters];
  LaneRow a[2], b[4];
  load_c(wave, i.dst[0], rows, false, d);
  SparseMatrixOp op;
  op.instruction = &i;
  op.a = source_rows(wave, i.src[0], i.row->src[0].dwords, a);
  op.b = source_rows(wave, i.src[1], i.row->src[1].dwords, b);
  op.index = &source_row(wave, i.src[2]);
  op.d = d;
  compute_sparse_matrix(op, path);
  for (unsigned r = 0; r < rows; ++r) *destination_row(wave, i.dst[0], r) = d[r];
  return {};
}

/// V_ACCVGPR_READ, WRITE and MOV are ordinary lane copies: EXEC applies.
Outcome execute_move(WaveState& wave, const isa::Instruction& i) {
  LaneRow* d = destination_row(wave, i.dst[0]);
  if (d == nullptr) return {};
  const isa::Operand& from = i.src[0];
  LaneRow value;
  if (from.is_vector()) {
    value = source_row(wave, from);
  } else {
    value.fill(read_scalar32(wave, from));
  }
  const uint64_t exec = wave.s.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (base::bit(exec, lane)) (*d)[lane] = value[lane];
  }
  return {};
}

bool is_move(SemanticId id) {
  return id == SemanticId::v_accvgpr_read_b32 || id == SemanticId::v_accvgpr_write_b32 ||
         id == SemanticId::v_accvgpr_mov_b32;
}

}  // namespace

unsigned element_bits(Type type) {
  switch (type) {
    case Type::I8:
    case Type::Fp8:
    case Type::Bf8:
      return 8;
    case Type::F16:
    case Type::Bf16:
      return 16;
    case Type::F64:
      return 64;
    default:
      return 32;
  }
}

DotProduct::DotProduct(const isa::Row& row, Target target)
    : k_(row.matrix.k),
      element_bits_(wave::element_bits(row.matrix.a)),
      integer_(row.matrix.a == Type::I8),
      algorithm_(dot_algorithm(row, target)) {}

void compute_matrix(const MatrixOp& op, MatrixPath path) {
  if (path == MatrixPath::Host && host_matrix(op)) return;
  const MatrixLayout layout(op.instruction->row->matrix);
  if (op.instruction->row->matrix.a == Type::F64) return compute_f64(op, layout);
  compute_dots(op, layout);
}

bool has_matrix_semantics(const isa::Row& row) {
  return row.semantic == SemanticId::v_mfma || row.semantic == SemanticId::v_smfmac ||
         is_move(row.semantic);
}

Outcome execute_matrix(WaveState& wave, const isa::Instruction& instruction, MatrixPath path) {
  if (instruction.semantic() == SemanticId::v_mfma) return execute_mfma(wave, instruction, path);
  if (instruction.semantic() == SemanticId::v_smfmac) {
    return execute_smfmac(wave, instruction, path);
  }
  if (is_move(instruction.semantic())) return execute_move(wave, instruction);
  return {Event::Unsupported, 0, "no semantics for this matrix instruction"};
}

}  // namespace cuvette::wave
