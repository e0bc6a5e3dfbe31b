// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fp/matrix.h"
#include "isa/semantic_id.h"
#include "wave/executor/memory_shape.h"
#include "wave/executor/micro_op.h"
#include "wave/lanes/host_level.h"
#include "wave/lanes/level_row.h"
#include "wave/state.h"

namespace cuvette::wave::lanes {

/// Way in which a matrix instruction adds its products (fp::MatrixMethod, and integers).
enum class MatrixSum : uint8_t { Chain, Exact, Pairwise, Fused, FusedEvenOdd, Integer };
/// One block of 16 or 32 rows and columns, all F32, at its first lanes of the operands. A[.][k] and
/// B[k][.]: chains have one register, 64 / K lanes for each k; fours have four, element by element,
/// 256 / K lanes for each group of four k. d: the block's registers, C and D. Exact: the products
/// of a group have to be so near each other that doubles hold their sum.
using MatrixRun = void (*)(const uint32_t* a, const uint32_t* b, uint32_t* d);

/// Rows of 64 words that a row of elements becomes for a DotRun.
enum class DotForm : uint8_t {
  Wide,     ///< F32
  Flushed,  ///< F32, subnormals of the format and zeros are +0
  Bytes,    ///< two signed bytes as 16 bits each
  Split,    ///< factor with 12 fraction bits, in 16; exponent; F32
};
constexpr unsigned rows_of(DotForm form) {
  return form == DotForm::Split ? 3 : 1;
}
/// Rows of elements, one in the low bits of a word (Bytes: two), to rows_of(form) rows each.
using DotDecode = void (*)(DotForm form, const LaneRow* raw, unsigned rows, LaneRow* out);
/// Decoded elements of one block: A[i][k] or B[k][i] at first[place[k] + i].
struct DotOperand {
  const uint32_t* first;
  const uint16_t* place;
};
/// D += A * B of one block of 16 or 32 rows and columns, in order of registers; or of 16 blocks of
/// 4, whose A[i][k] is a row of 64 lanes from place[k] + i * rows_of(form) * 64 on.
using DotRun = void (*)(const DotOperand& a, const DotOperand& b, unsigned k, uint32_t* d);
struct DotKernel {
  MatrixSum sum;
  unsigned group;  ///< products added at once
  DotForm form;
  DotRun run[3];  ///< of 4, 16 and 32 columns
};
/// D += A * B with K = 4 in F64, by lanes of A and B; C has its sign changed before. One block of
/// 16 or four of 4 rows.
using ChainF64 = void (*)(const uint64_t* a, const uint64_t* b, uint64_t sign_of_c, LaneRow* d);

/// Functions of a level of the host's vector unit.
struct LevelTable {
  std::array<LevelRow, isa::kSemantics> rows;
  MicroOp::Run called;  ///< MicroOp::lanes on registers, scalars and constants (level_vector.cpp)
  MicroOp::Run routed;  ///< the same with SDWA, DPP or CLAMP around it
  std::array<MicroOp::Run, MemoryShape::kSpaces> load, store, update;  ///< vector memory, atomics
  MicroOp::Run load_pairs, store_pairs;                            ///< of LDS, two addresses a lane
  MatrixRun (*matrix)(MatrixSum sum, unsigned k, unsigned n);      ///< null: none
  const DotKernel* (*dot)(MatrixSum sum, unsigned group);          ///< null: none
  DotDecode (*dot_decode)(DotForm form, fp::MatrixFormat format);  ///< Bytes: of any format
  ChainF64 (*chain_f64)(unsigned columns);                         ///< null: none
  /// Two registers of four F16 per lane as F32, a register for each. `flush`: zeros and
  /// subnormals become +0.
  void (*widen)(const LaneRow* from, bool flush, LaneRow* to);
};
const LevelTable& level_table_v2();
const LevelTable& level_table_v3();
const LevelTable& level_table_v4();
/// Table of host_level(); null for HostLevel::None.
const LevelTable* level_table();

/// The level's function for a row with an instruction's modifiers, SDWA and DPP apart.
struct LevelChoice {
  LevelFunction function;  ///< null: the reference's
  HostMode mode = HostMode::None;
  bool clamp = false;  ///< CLAMP comes after it
};
LevelChoice choose_level(const isa::Instruction& instruction, isa::SemanticId semantic);

}  // namespace cuvette::wave::lanes
