// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "compute_unit/compute_unit.h"
#include "compute_unit/wave_context.h"
#include "wave/executor/program.h"

namespace cuvette::compute_unit::loose {

/// Effect of an instruction on time, apart from accesses of memory (engines.md, "Time of lt").
struct InstructionTime {
  uint32_t issue = 0;          ///< cycles of its wave until the next one
  uint32_t vector = 0;         ///< cycles of the SIMD's vector ALU
  uint32_t scalar = 0;         ///< cycles of the scalar issue of its SIMD
  uint32_t matrix = 0;         ///< cycles of the SIMD's matrix core
  uint32_t result = 0;         ///< cycles until its result is there, vector and matrix instructions
  bool scalar_result = false;  ///< the wave waits for the result
  bool takes_results = false;  ///< waits for vector and matrix results
  bool changes_exec = false;
};

/// Kind of instruction that ends a step.
enum class StepEnd : uint8_t { None, Vector, Scalar, Lds, Wait };

/// Demand of a step on a unit that the waves of a SIMD share.
struct Share {
  uint32_t cycles = 0;  ///< of the unit, all together
  uint32_t first = 0,
           last = 0;         ///< when its first and last instructions are issued, from the start
  uint32_t last_cycles = 0;  ///< of the unit, for the last one

  void add(uint32_t at, uint32_t cost);
};

/// A straight-line part of a basic block that time passes at once: instructions of the ALUs, and at
/// its end an access or a wait.
struct Step {
  uint32_t micro_ops = 0;     ///< of the block up to its end
  uint32_t instructions = 0;  ///< of the block up to its end
  uint32_t cycles = 0;        ///< of the wave, when nobody is in its way
  uint32_t last = 0;          ///< of them, before its last instruction is issued
  Share vector, scalar, matrix;
  uint32_t vector_result = 0, matrix_result = 0;  ///< from its start; 0: no such instruction
  uint32_t lanes = 0;          ///< instructions whose active lanes count as lane operations
  bool takes_results = false;  ///< begins when the results of earlier steps are there
  StepEnd end = StepEnd::None;
  const isa::Instruction* instruction = nullptr;  ///< of `end`

  /// The next instruction of the piece.
  void add(const InstructionTime& time);
};

/// The rules that make times of instructions out of the machine description.
class TimeRules {
 public:
  TimeRules(const Config& config);

  InstructionTime of(const isa::Instruction& instruction) const;
  static StepEnd end_of(const isa::Instruction& instruction);
  /// The steps of a block. `instructions`: of the block, in order.
  std::vector<Step> steps_of(const wave::Program::Block& block,
                             const std::vector<const isa::Instruction*>& instructions) const;
  /// Cycles of the LDS for an access of 64 lanes.
  uint32_t lds_cycles(const isa::Instruction& instruction) const;
  uint32_t lds_latency() const { return lds_latency_; }
  /// Cost of an access, in TokenRate::kUnit, when as many answers as the lds has room for are under
  /// way.
  uint64_t lds_share() const;
  /// Cycles of a wave between two instructions, at least: its SIMD's turn comes once in so many.
  uint32_t turn() const { return turn_; }
  /// The first turn of a SIMD not before `at`.
  machine::Cycle turn_from(unsigned simd, machine::Cycle at) const {
    if ((turn_ & (turn_ - 1)) == 0) return at + ((simd - at) & (turn_ - 1));
    return at + (simd + turn_ - at % turn_) % turn_;
  }
  uint32_t branch() const { return branch_; }

 private:
  isa::Target target_;
  Timing timing_;
  uint32_t turn_, branch_, vector_latency_, lds_latency_, lds_lanes_;
};

}  // namespace cuvette::compute_unit::loose
