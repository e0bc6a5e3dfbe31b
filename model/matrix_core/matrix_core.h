// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/instruction.h"
#include "machine/channel.h"
#include "machine/core.h"
#include "machine/registry.h"
#include "matrix_core/matrix_core_messages.h"
#include "wave/state.h"

/// Contract of the matrix_core block (matrix_core.md): the MFMA unit of one SIMD. Holds no
/// architectural register: operands come in by pass, results go out by pass.
namespace cuvette::matrix_core {

/// EXEC does not mask (mfma_numerics.md); MODE has no effect; no exceptions. Ordering: results in
/// request order. Lockstep classes: d `exact`; cycle of the first and last result `exact` against
/// the passes of tests/oracles/mfma/instructions.csv for our RTL, `time` for a user's.
class MatrixCore : public machine::Core {
 public:
  machine::Channel<Operands> operands{4};  ///< passes of operands
  machine::Channel<Result> result{4};      ///< passes of results

  virtual bool implements(const isa::Row& row) const = 0;
  /// Clocks from the first operand pass until the unit takes the next instruction (4 per pass).
  virtual unsigned occupancy_cycles(const isa::Row& row) const = 0;
  /// True when messages of instructions are not observed: the sender of one may compute it instead.
  virtual bool at_issue() const { return false; }
  /// Clocks from issue until D may be read.
  virtual unsigned latency_cycles(const isa::Row& row) const = 0;
};

/// Configuration from the machine description.
struct Config {
  isa::Target target = isa::Target::Gfx908;
  uint32_t compute_unit = 0, simd = 0;  ///< instance of the machine, for reports
  uint64_t seed = 1;                    ///< initial state of RTL registers (check builds)
};
using Registry = machine::Registry<MatrixCore, Config>;

}  // namespace cuvette::matrix_core
