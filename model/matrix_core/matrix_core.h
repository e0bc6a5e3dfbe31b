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

/// Rows of D, the last ones, that the block keeps of the last two instructions (Operands::forward).
inline constexpr unsigned kKeptRows = 16;

/// One pass of one instruction. Pass p brings row p of A and rows kRowsPerPass*p.. of B and of C,
/// as long as they have any; pass 0 of a sparse instruction brings its index register, and C is the
/// accumulator. Rows of C that one of the last two instructions makes and that are not in the
/// register file yet are not brought: the block has them. Instructions do not interleave.
struct Operands {
  uint32_t id = 0;
  uint16_t row = 0;  ///< isa::index_of(row)
  uint8_t pass = 0;
  bool last = false;
  uint8_t cbsz = 0, abid = 0, blgp = 0;
  uint8_t c_rows = 0;   ///< valid rows of `c` in this pass, forwarded ones among them
  uint8_t forward = 0;  ///< bit per row of `c`: it is a row of D of an earlier instruction
  /// Which one: 0 the instruction before, 1 the one before that, which has at most kKeptRows; there
  /// a row of C does not come from one above it.
  uint8_t forward_from = 0;
  uint8_t forward_row = 0;  ///< which row, for row 0 of `c`; the next for row 1 (modulo 32)
  wave::LaneRow a{};
  std::array<wave::LaneRow, kRowsPerPass> b{}, c{};
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
  /// Nobody looks at the messages of instructions: who issues one may compute it himself.
  virtual bool at_issue() const { return false; }
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
