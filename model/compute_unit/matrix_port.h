// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compute_unit/issue_stage.h"
#include "compute_unit/request_ids.h"
#include "compute_unit/simd_units.h"
#include "compute_unit/vector_registers.h"

namespace cuvette::compute_unit {

/// Issue port of matrix instructions. An instruction takes effect at once, and its rows are only
/// scheduled, where the matrix core allows it; otherwise its operands go into the matrix core.
class MatrixPort {
 public:
  /// `config` outlives it.
  MatrixPort(const Config& config, RequestIds& ids, SimdUnits& simds, VectorRegisters& registers,
             IssueStage& stage, Statistics& statistics, const ProbePoint& probe)
      : config_(config),
        ids_(ids),
        simds_(simds),
        registers_(registers),
        stage_(stage),
        statistics_(statistics),
        probe_(probe) {}

  /// False: the wave stalls or has failed.
  bool issue(WaveContext& w, const Code& code, machine::Cycle now);

 private:
  bool refuse(WaveContext& w, const isa::Instruction& i);
  void send(WaveContext& w, const isa::Instruction& i,
            const MatrixScoreboard::Forwarding& forwarding, machine::Cycle now);

  const Config& config_;
  RequestIds& ids_;
  SimdUnits& simds_;
  VectorRegisters& registers_;
  IssueStage& stage_;
  Statistics& statistics_;
  const ProbePoint& probe_;
};

}  // namespace cuvette::compute_unit
