// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "compute_unit/issue_order.h"
#include "compute_unit/issue_stage.h"
#include "compute_unit/matrix_port.h"
#include "compute_unit/memory_port.h"
#include "compute_unit/scalar_unit.h"
#include "compute_unit/trap_unit.h"
#include "compute_unit/vector_port.h"
#include "compute_unit/wakeup_schedule.h"

namespace cuvette::compute_unit {

/// Sequencer: in every cycle one SIMD has its turn (isa_notes 5). Of its waves, by priority and
/// then the issue order of the configuration, at most one instruction per class goes to its port.
class Sequencer {
 public:
  struct Ports {
    ScalarUnit& scalar;
    VectorPort& vector;
    MatrixPort& matrix;
    MemoryPort& memory;
  };
  /// `space` outlives it.
  Sequencer(std::unique_ptr<IssueOrder> order, const hsa::AddressSpace& space, WaveSlots& slots,
            Fetch& fetch, WakeupSchedule& wakeup, TrapUnit& traps, WaveTermination& termination,
            IssueStage& stage, const Ports& ports)
      : order_(std::move(order)),
        space_(space),
        slots_(slots),
        fetch_(fetch),
        wakeup_(wakeup),
        traps_(traps),
        termination_(termination),
        stage_(stage),
        ports_(ports) {}

  /// The turn of cycle `now`.
  void take_turn(machine::Cycle now);

 private:
  /// Instruction classes that have issued at this turn.
  using Taken = bool[kIssueClasses];

  uint64_t precedence_of(const WaveContext& w) const;
  bool loses_again(const WaveContext& w, const Taken& taken, machine::Cycle now);
  void try_issue(WaveContext& w, Taken& taken, machine::Cycle now);
  void wait_for_words(WaveContext& w, machine::Cycle now);
  void refuse_words(WaveContext& w, const Code& code);
  bool enter_code(WaveContext& w);
  bool issue(WaveContext& w, const Code& code, machine::Cycle now);

  std::unique_ptr<IssueOrder> order_;
  const hsa::AddressSpace& space_;
  WaveSlots& slots_;
  Fetch& fetch_;
  WakeupSchedule& wakeup_;
  TrapUnit& traps_;
  WaveTermination& termination_;
  IssueStage& stage_;
  Ports ports_;
  std::vector<std::pair<uint64_t, WaveContext*>> candidates_;  // of one turn, by precedence
};

}  // namespace cuvette::compute_unit
