// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "isa/semantic_id.h"
#include "wave/executor/memory_shape.h"
#include "wave/executor/micro_op.h"
#include "wave/lanes/host_level.h"
#include "wave/lanes/level_row.h"
#include "wave/state.h"

namespace cuvette::wave::lanes {

/// Order in which a matrix instruction adds its products (fp/matrix.h).
enum class MatrixSum : uint8_t {
  Chain,         ///< F32: one after the other, fused
  Exact,         ///< F16 as F32: fours and the accumulator exactly, rounded once (gfx908)
  FoursFlushed,  ///< F16 as F32: fours pairwise, then the accumulator, no subnormals (gfx90a)
};
/// One block of 16 or 32 rows and columns, all F32, at its first lanes of the operands. A[.][k] and
/// B[k][.]: chains have one register, 64 / K lanes for each k; fours have four, element by element,
/// 256 / K lanes for each group of four k. d: the block's registers, C and D. Exact: the products
/// of a group have to be so near each other that doubles hold their sum.
using MatrixRun = void (*)(const uint32_t* a, const uint32_t* b, uint32_t* d);

/// Functions of a level of the host's vector unit.
struct LevelTable {
  std::array<LevelRow, isa::kSemantics> rows;
  MicroOp::Run called;  ///< MicroOp::lanes on registers, scalars and constants (level_vector.cpp)
  MicroOp::Run routed;  ///< the same with SDWA, DPP or CLAMP around it
  std::array<MicroOp::Run, MemoryShape::kSpaces> load, store, update;  ///< vector memory, atomics
  MicroOp::Run load_pairs, store_pairs;                        ///< of LDS, two addresses a lane
  MatrixRun (*matrix)(MatrixSum sum, unsigned k, unsigned n);  ///< null: none
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
