// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compute_unit/issue_stage.h"
#include "compute_unit/request_ids.h"
#include "compute_unit/simd_units.h"
#include "compute_unit/vector_retirement.h"
#include "compute_unit/wave_slots.h"
#include "compute_unit/write_back.h"

namespace cuvette::compute_unit {

/// Issue port of vector instructions. An instruction takes effect at once, from its micro-op, where
/// nothing observes the messages of the simd; otherwise it goes into the simd.
class VectorPort {
 public:
  /// `config` outlives it.
  VectorPort(const Config& config, RequestIds& ids, const CodeStore& codes, SimdUnits& simds,
             WriteBack& write_back, VectorRetirement& retirement, IssueStage& stage,
             Statistics& statistics, const ProbePoint& probe)
      : config_(config),
        ids_(ids),
        codes_(codes),
        simds_(simds),
        write_back_(write_back),
        retirement_(retirement),
        stage_(stage),
        statistics_(statistics),
        probe_(probe) {}

  /// False: the wave stalls or has failed.
  bool issue(WaveContext& w, const Code& code, machine::Cycle now);

 private:
  bool takes_effect(const WaveContext& w, const Code& code) const;
  void execute(WaveContext& w, const Code& code, machine::Cycle now);
  bool send(WaveContext& w, const Code& code, machine::Cycle now);
  simd::Issue message_of(const WaveContext& w, const isa::Instruction& i);
  std::string why_lacking(const isa::Instruction& i, unsigned simd) const;

  const Config& config_;
  RequestIds& ids_;
  const CodeStore& codes_;
  SimdUnits& simds_;
  WriteBack& write_back_;
  VectorRetirement& retirement_;
  IssueStage& stage_;
  Statistics& statistics_;
  const ProbePoint& probe_;
};

}  // namespace cuvette::compute_unit
