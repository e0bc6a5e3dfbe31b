// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "isa/hazard.h"

namespace cuvette::wave {

/// One place of a program that breaks a rule.
struct HazardFinding {
  std::string rule;    ///< id of isa::HazardRule, or of a counter rule (wave/wait_checker.h)
  std::string source;  ///< document and section
  isa::HazardClass severity = isa::HazardClass::Required;
  uint64_t first_pc = 0, second_pc = 0;  ///< byte addresses
  isa::Instruction first, second;
  /// Wait states of 4 clocks each; 0 for counter rules and those about one instruction.
  unsigned missing = 0;
  std::string advice;  ///< counter rules: the S_WAITCNT that is missing
  std::string harm;    ///< rules about one instruction, then first and second are the same

  /// "H016 (Vega, required): 3 wait states missing between 0x10 v_cmp... and 0x18 v_readlane..."
  std::string text() const;
};

/// Checker of the instruction stream of one wavefront, as issued, against isa::hazard_rules(). Only
/// executed instructions count: rules hold across branches too.
class HazardChecker {
 public:
  explicit HazardChecker(isa::Target target);

  /// The wave issues `in` at `pc`. `now` counts wait states from any origin and never falls: golden
  /// adds isa::wait_states_of() per instruction, a timed engine divides clocks by four. `jumped`:
  /// the instruction before was a taken branch. Findings go to the end of `out`.
  void issue(const isa::Instruction& in, uint64_t pc, uint64_t now, bool jumped,
             std::vector<HazardFinding>& out);

 private:
  static constexpr unsigned kMostRules = 256;
  using Rules = std::bitset<kMostRules>;

  struct Issued {
    isa::Instruction instruction;
    uint64_t pc, after;  ///< after: time at which its own wait state is over
    Rules starts;
    bool jumped_since;
  };

  bool is_over(const Issued& oldest, uint64_t now) const;
  bool is_replaced(size_t n, isa::HazardRelation relation) const;

  std::vector<const isa::HazardRule*> rules_;  ///< of the target, those about wait states
  std::vector<const isa::HazardRule*> alone_;  ///< those about one instruction
  Rules counting_;                             ///< those of them that count instructions
  std::deque<Issued> history_;                 ///< newest first, as long as a rule may reach
};

}  // namespace cuvette::wave
