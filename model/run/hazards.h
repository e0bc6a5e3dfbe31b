// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "run/engine.h"
#include "wave/hazard_checker.h"
#include "wave/relative.h"
#include "wave/retire_record.h"
#include "wave/wait_checker.h"

namespace cuvette::run {

/// Follows the instruction stream of every wavefront of a run and collects what breaks hazard and
/// S_WAITCNT rules, each place of the program once with the number of times it happened.
class HazardWatch {
 public:
  explicit HazardWatch(isa::Target target) : target_(target) {}

  // Instructions of one wave come in order; waves may be mixed.

  /// Golden: an instruction takes as many wait states as it gives.
  void retire(const wave::RetireRecord& record);
  /// Engines with time: issued at clock `cycle`; four clocks are a wait state. `relative`: before
  /// it.
  void issue(uint64_t wave, uint64_t pc, const isa::Instruction& instruction,
             wave::Relative relative, uint64_t cycle);

  /// Adds the findings to the report; with `strict` a broken required rule is a failure.
  void report(bool strict, EngineReport& report) const;

 private:
  struct Wave {
    explicit Wave(isa::Target target) : hazards(target), waits(target) {}
    wave::HazardChecker hazards;
    wave::WaitChecker waits;
    uint64_t now = 0;         ///< golden: wait states issued
    uint64_t next_pc = 0;     ///< behind the last instruction
    wave::Relative relative;  ///< golden: behind the last instruction
    bool begun = false;
  };
  Wave& wave(uint64_t id) { return waves_.try_emplace(id, target_).first->second; }
  void look(Wave& w, isa::Instruction in, wave::Relative relative, uint64_t pc, uint64_t now);

  struct Place {
    wave::HazardFinding finding;
    uint64_t count = 0;
  };

  isa::Target target_;
  std::map<uint64_t, Wave> waves_;
  std::map<uint64_t, isa::Instruction> as_written_;  ///< by pc, as the program has them
  std::map<std::tuple<uint64_t, uint64_t, std::string>, Place> places_;  ///< by pcs and rule
};

}  // namespace cuvette::run
