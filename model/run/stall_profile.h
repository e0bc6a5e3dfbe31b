// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compute_unit/compute_unit.h"
#include "hsa/memory.h"
#include "isa/target.h"
#include "run/wait_graph.h"

namespace cuvette::run {

struct EngineReport;

/// Stall profile of chosen waves (`--why-blocked`): cycles of their residency by reason and by the
/// instruction that is to issue next.
class StallProfile {
 public:
  /// `chosen`: the number of a wave (spi::WaveLaunch::id, as in a trace), decimal or with 0x, or
  /// the name of a kernel, with or without the & of HSAIL.
  explicit StallProfile(const std::string& chosen);

  /// Waves are from now on those of this kernel.
  void begin(const std::string& kernel);
  void add(const compute_unit::ResidencyCycles& cycles);
  bool empty() const { return issues_ + stalled_ == 0; }
  /// The chosen waves and what they waited for, by instruction and reason, with cycles.
  WaitGraph graph(const hsa::DeviceMemory& memory, isa::Target target) const;
  /// Lines for the summary, the most cycles first; a failure when no such wave has run.
  /// Instructions are read from `memory`.
  void report(const hsa::DeviceMemory& memory, isa::Target target, EngineReport& report) const;

 private:
  std::string waves_text() const;

  using Place = std::pair<uint64_t, compute_unit::Stall>;  ///< pc

  std::string chosen_;
  std::optional<uint64_t> wave_;   ///< chosen by number
  std::set<std::string> kernels_;  ///< that ran
  std::set<std::string> found_;    ///< kernels of chosen waves
  std::string kernel_;
  bool fits_ = false;  ///< the present kernel is chosen
  std::set<uint64_t> waves_;
  std::map<Place, uint64_t> cycles_;
  uint64_t issues_ = 0, stalled_ = 0;  ///< cycles
};

}  // namespace cuvette::run
