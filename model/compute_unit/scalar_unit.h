// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compute_unit/issue_stage.h"
#include "compute_unit/wave_slots.h"
#include "compute_unit/workgroups.h"
#include "wave/execute.h"

namespace cuvette::compute_unit {

/// Scalar unit: executes scalar instructions, branches and the instructions of the sequencer itself
/// at issue, and carries out what they ask of the machine around the wave.
class ScalarUnit {
 public:
  ScalarUnit(const Timing& timing, machine::Channel<Message>& messages, WaveSlots& slots,
             Fetch& fetch, StallAccounting& stalls, Workgroups& groups,
             WaveTermination& termination, IssueStage& stage, const ProbePoint& probe)
      : timing_(timing),
        messages_(messages),
        slots_(slots),
        fetch_(fetch),
        stalls_(stalls),
        groups_(groups),
        termination_(termination),
        stage_(stage),
        probe_(probe) {}

  /// False: the wave stalls or has failed.
  bool issue(WaveContext& w, const Code& code, machine::Cycle now);

 private:
  bool is_ready(WaveContext& w, const isa::Instruction& i, machine::Cycle now);
  void control(WaveContext& w, const isa::Instruction& i, const wave::Outcome& outcome,
               machine::Cycle now);
  void send_message(WaveContext& w, uint32_t simm16, machine::Cycle now);
  void wake_group(const WaveContext& w, machine::Cycle now);

  const Timing& timing_;
  machine::Channel<Message>& messages_;
  WaveSlots& slots_;
  Fetch& fetch_;
  StallAccounting& stalls_;
  Workgroups& groups_;
  WaveTermination& termination_;
  IssueStage& stage_;
  const ProbePoint& probe_;
};

}  // namespace cuvette::compute_unit
