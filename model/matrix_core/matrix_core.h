// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "wave/state.h"

/// Contract of the matrix_core block (docs/matrix_core.md): the MFMA unit of one SIMD. Holds no
/// architectural register: operands come in by pass, results go out by pass.
namespace cuvette::matrix_core {

/// Rows of C and D that move in one pass (4 clocks): D rows / passes never exceeds this for any
/// shape.
inline constexpr unsigned kRowsPerPass = 2;

/// One pass of one instruction. Pass p brings row p of A and of B (the first a_dwords and b_dwords
/// passes) and rows kRowsPerPass*p.. of C; pass 0 of a sparse instruction brings its index
/// register, and C is the accumulator. Instructions do not interleave.
struct Operands {
  uint32_t id = 0;
  uint16_t row = 0;  ///< isa::index_of(row)
  uint8_t pass = 0;
  bool last = false;
  uint8_t cbsz = 0, abid = 0, blgp = 0;
  uint8_t c_rows = 0;  ///< valid rows of `c` in this pass
  wave::LaneRow a{}, b{};
  std::array<wave::LaneRow, kRowsPerPass> c{};
  wave::LaneRow index{};      ///< V_SMFMAC: which two of four consecutive k are in A
  uint64_t wave = 0, pc = 0;  ///< of the instruction, for reports; no pins, never compared
};

struct Result {
  uint32_t id = 0;
  uint8_t pass = 0;
  bool last = false;
  uint8_t first_row = 0;  ///< of D
  uint8_t rows = 0;
  std::array<wave::LaneRow, kRowsPerPass> d{};
};

/// EXEC does not mask (mfma_numerics.md); MODE has no effect; no exceptions. Ordering: results in
/// request order. Lockstep classes: d `exact`; cycle of the first and last result `exact` against
/// the passes of tests/oracles/mfma/instructions.csv for our RTL, `time` for a user's.
class MatrixCore : public machine::Core {
 public:
  machine::Channel<Operands> operands{4};
  machine::Channel<Result> result{4};

  virtual bool implements(const isa::Row& row) const = 0;
  /// Clocks from the first operand pass until the unit takes the next instruction (4 per pass).
  virtual unsigned occupancy_cycles(const isa::Row& row) const = 0;
  /// Clocks from issue until D may be read.
  virtual unsigned latency_cycles(const isa::Row& row) const = 0;
};

struct Config {
  isa::Target target = isa::Target::Gfx908;
  uint32_t compute_unit = 0, simd = 0;  ///< which instance of the machine it is, for reports
  uint64_t seed = 1;                    ///< initial state of RTL registers (check builds)
};
using Registry = machine::Registry<MatrixCore, Config>;

}  // namespace cuvette::matrix_core
