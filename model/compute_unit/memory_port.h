// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compute_unit/coalesce.h"
#include "compute_unit/gds_path.h"
#include "compute_unit/issue_stage.h"
#include "compute_unit/lds_path.h"
#include "compute_unit/memory_unit.h"
#include "compute_unit/trap_unit.h"
#include "compute_unit/vector_registers.h"
#include "wave/execute.h"

namespace cuvette::compute_unit {

/// Issue port of memory instructions: address generation, translation and coalescing, and the way
/// to the LDS, the GDS or the caches.
class MemoryPort {
 public:
  /// Where accesses can go.
  struct Paths {
    MemoryUnit& caches;
    LdsPath& lds;
    GdsPath& gds;
  };
  /// `config` outlives it.
  MemoryPort(const Config& config, VectorRegisters& registers, const Paths& paths, TrapUnit& traps,
             WaveTermination& termination, IssueStage& stage, Statistics& statistics,
             const ProbePoint& probe)
      : config_(config),
        registers_(registers),
        paths_(paths),
        traps_(traps),
        termination_(termination),
        stage_(stage),
        statistics_(statistics),
        probe_(probe) {}

  /// False: the wave stalls or has failed.
  bool issue(WaveContext& w, const Code& code, machine::Cycle now);

 private:
  bool is_ready(WaveContext& w, const isa::Instruction& i, machine::Cycle now);
  Operation& begin(const WaveContext& w, const isa::Instruction& i);
  bool translate(WaveContext& w, Operation& operation);
  void send(WaveContext& w, Operation& operation, machine::Cycle now);
  void maintain(WaveContext& w, const Code& code, const wave::Outcome& outcome, machine::Cycle now);

  const Config& config_;
  VectorRegisters& registers_;
  Paths paths_;
  TrapUnit& traps_;
  WaveTermination& termination_;
  IssueStage& stage_;
  Statistics& statistics_;
  const ProbePoint& probe_;
};

}  // namespace cuvette::compute_unit
