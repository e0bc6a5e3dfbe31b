// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "isa/operands.h"
#include "wave/hazard_checker.h"

namespace cuvette::wave {

/// Misuse of S_WAITCNT: a register is read or written while an instruction that will write it is
/// outstanding (MI100 ISA 4.4). A wait to n > 0 helps only where results come back in order: vector
/// memory alone, or LDS alone, or GDS alone; scalar reads, FLAT and mixtures need a wait to zero.
///
/// Counter rules: W001 vector memory, W002 LDS, W003 GDS, W004 scalar memory (H163 on gfx908), W005
/// FLAT (H162 on gfx942), W006 GDS data overwritten before it left the registers (EXP_CNT).
class WaitChecker {
 public:
  explicit WaitChecker(isa::Target target) : target_(target) {}

  /// The wave issues `in` at `pc`; findings go to the end of `out`. An outstanding instruction is
  /// reported once.
  void issue(const isa::Instruction& in, uint64_t pc, std::vector<HazardFinding>& out);

 private:
  enum class Kind : uint8_t { Vector, Lds, Gds, Scalar, Message, Flat };
  struct Pending {
    Kind kind;
    bool vm, lgkm, exp;    ///< counters it still raises
    unsigned lgkm_weight;  ///< 2 for scalar reads of more than one dword
    uint64_t pc;
    isa::Instruction instruction;
    isa::RegisterSet result;  ///< registers it will write
    isa::RegisterSet data;    ///< registers it still reads (GDS)
  };

  void wait(unsigned vm, unsigned lgkm, unsigned exp);
  void add(const isa::Instruction& in, uint64_t pc);
  bool ordered(bool Pending::* counter) const;
  HazardFinding finding(const Pending& first, const isa::Instruction& in, uint64_t pc,
                        bool data) const;

  isa::Target target_;
  std::deque<Pending> pending_;  ///< oldest first
};

}  // namespace cuvette::wave
