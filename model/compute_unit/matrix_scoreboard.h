// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/instruction.h"
#include "machine/core.h"
#include "matrix_core/matrix_core.h"

namespace cuvette::compute_unit {

/// Scoreboard of the matrix results of one wavefront: which rows of D are in the register file, and
/// from which cycle on an instruction that touches them may be issued. The distances between issues
/// are the wait states of MI100 ISA 7.2 and CDNA3 table 37 (isa::result_wait_states), held here by
/// interlock; a program that keeps them itself loses nothing by it.
class MatrixScoreboard {
 public:
  /// The last two instructions that the matrix core took: ids, the last one first.
  using Recent = std::array<uint32_t, 2>;
  /// Source of C.
  struct Forwarding {
    std::array<int8_t, 32> row;    ///< by row of C: the row of D, or -1: it is read as usual
    std::array<uint8_t, 16> from;  ///< by pass of C: which of the recent instructions
    bool forwards(unsigned r) const { return row[r] >= 0; }
  };

  /// `instruction` stays where it is.
  void issue(uint32_t id, const isa::Instruction& instruction, machine::Cycle now);
  /// The next row of D of instruction `id` can be read by what is issued in later cycles.
  void row_written(uint32_t id);
  /// A row of a result is not in the register file yet: what is written there now, it replaces.
  bool will_write(isa::OperandKind kind, unsigned index) const;
  /// Every row of every result is in the register file.
  bool idle() const { return under_way_ == 0; }
  unsigned under_way() const { return under_way_; }

  /// From when on a vector or memory instruction may be issued; kNever: not before a row is
  /// written. `indexed`: any VGPR may be meant (MODE.gpr_idx_en).
  machine::Cycle ready(const isa::Instruction& instruction, bool indexed, machine::Cycle now);
  /// The same of a matrix instruction, C of which the matrix core can take from the results of the
  /// `recent` ones.
  machine::Cycle matrix_ready(const isa::Instruction& instruction, const Recent& recent,
                              machine::Cycle now, Forwarding& forwarding);

 private:
  struct Result {
    const isa::Instruction* instruction = nullptr;
    uint32_t id = 0;
    machine::Cycle issued = 0;
    unsigned written = 0;  ///< rows
    const isa::Operand& d() const { return instruction->dst[0]; }
    bool complete() const { return written == d().dwords; }
  };

  void forget(machine::Cycle now);
  bool forward(const isa::Operand& c, const Recent& recent, Forwarding& forwarding) const;

  std::vector<Result> results_;  ///< oldest first; until no distance reaches beyond them
  unsigned under_way_ = 0;       ///< not complete
};

}  // namespace cuvette::compute_unit
