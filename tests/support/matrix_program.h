// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "matrix_core/matrix_core.h"

// Matrix instructions for the tests of the matrix core: operands weighted to corners, and a run of
// them through a block.
namespace cuvette::matrix_program {

/// V_MFMA and V_SMFMAC of a target, in table order.
std::vector<const isa::Row*> rows(isa::Target target = isa::Target::Gfx908);

/// The passes of one instruction.
using Instruction = std::vector<matrix_core::Operands>;
Instruction instruction(const isa::Row& row, uint32_t id, std::mt19937_64& random);
/// Lets row r of C be row r + `shift` of D of an earlier instruction, where that is kept: the one
/// before (`from` 0) or the one before that (1).
void forward(Instruction& instruction, const Instruction& earlier, unsigned from, int shift);
/// In place, as most accumulators are, or moved.
void forward(Instruction& instruction, const Instruction& earlier, unsigned from,
             std::mt19937_64& random);
/// Takes away what comes from before the first instruction.
void detach(std::vector<Instruction>& program);
/// `count` of them, every row in turn, ids from 1; of three in a row one takes rows of the one
/// before, one of the one before that.
std::vector<Instruction> mixed(size_t count, uint64_t seed,
                               isa::Target target = isa::Target::Gfx908);
/// D by layer wave, a register per row. `earlier`: D of the instruction that C has rows of.
std::vector<wave::LaneRow> golden(const Instruction& instruction,
                                  isa::Target target = isa::Target::Gfx908,
                                  const std::vector<wave::LaneRow>& earlier = {});
/// D of every instruction of a program.
std::vector<std::vector<wave::LaneRow>> golden(const std::vector<Instruction>& program,
                                               isa::Target target);

/// Results of a run.
struct Run {
  std::vector<std::vector<matrix_core::Result>> results;  ///< by instruction
  machine::Cycle cycles = 0;
  bool complete = false;
};
/// All passes through a block. In each cycle a pass is offered in `offers` of 8 cycles, a result
/// taken in `takes` of 8. Ends early when `stop` says so.
Run run(matrix_core::MatrixCore& block, const std::vector<Instruction>& program, unsigned offers,
        unsigned takes, uint64_t seed, const std::function<bool()>& stop = {});

}  // namespace cuvette::matrix_program
