// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "isa/operands.h"
#include "wave/hazard_checker.h"

namespace cuvette::wave {

/// Misuse of S_WAITCNT: a register is read or written while an instruction that will write it is
/// outstanding (MI100 ISA 4.4). A wait to n > 0 helps only where results come back in order: vector
/// memory alone, or LDS alone, or GDS alone; scalar reads, FLAT and mixtures need a wait to zero.
/// Where results come back in order, an instruction is also known to be back when so many younger
/// ones have issued that the counter cannot hold them and the old one (decisions D56).
///
/// Counter rules: W001 vector memory, W002 LDS, W003 GDS, W004 scalar memory (H163 on gfx908), W005
/// FLAT (H162 on gfx942), W006 GDS data overwritten before it left the registers (EXP_CNT).
class WaitChecker {
 public:
  /// Types of memory instructions; results of one type come back in order, but for scalar reads and
  /// FLAT.
  enum class Kind : uint8_t { Vector, Lds, Gds, Scalar, Message, Flat, None };
  /// The counters: VM_CNT, LGKM_CNT, EXP_CNT.
  enum Count : uint8_t { kVm, kLgkm, kExp, kCounts };
  /// None for instructions that no counter counts.
  static Kind kind_of(const isa::Instruction& in);
  /// True if an instruction of that type raises the counter.
  static bool raises(Kind kind, Count count);
  /// Counts that an S_WAITCNT waits for, by Count; the largest of a field waits for nothing.
  static std::array<unsigned, kCounts> awaited(const isa::Instruction& in);

  explicit WaitChecker(isa::Target target) : target_(target) {}

  /// The wave issues `in` at `pc`; findings go to the end of `out`. An outstanding instruction is
  /// reported once.
  void issue(const isa::Instruction& in, uint64_t pc, std::vector<HazardFinding>& out);

 private:
  static constexpr unsigned kKinds = 6;
  struct Pending {
    Kind kind = Kind::None;
    bool raises[kCounts] = {};  ///< counters it still raises
    bool result = false;        ///< it will write registers, and nobody has been reported for it
    bool data = false;          ///< it still reads registers (GDS), as before
    uint64_t pc = 0;
    isa::Instruction instruction;
  };
  /// One of the counters: instructions that raise it, oldest first, and the number of each kind.
  struct Counter {
    std::deque<uint64_t> raisers;
    std::array<size_t, kKinds> of_kind{};
  };
  /// Instructions that will write a register, by kind, and those that still read it; oldest first.
  /// Some may be over.
  struct Watch {
    std::array<std::deque<uint64_t>, kKinds> results;
    std::deque<uint64_t> data;
  };
  /// An instruction under way that the one being issued meets.
  struct Met {
    uint64_t number;
    bool data;
    bool operator<(const Met& o) const {
      return std::tie(number, data) < std::tie(o.number, o.data);
    }
    bool operator==(const Met& o) const { return number == o.number && data == o.data; }
  };

  void lower(Count count, unsigned most);
  void make_room(Kind kind);
  void add(const isa::Instruction& in, uint64_t pc);
  void watch(const isa::RegisterSet& set, bool data, uint64_t number);
  bool live(const Met& met) const;
  void meet(std::deque<uint64_t>& watchers, bool data, std::vector<Met>& met);
  void forget(bool Pending::* what, Pending& p);
  bool ordered(const Counter& counter) const;
  HazardFinding finding(const Pending& first, const isa::Instruction& in, uint64_t pc,
                        bool data) const;

  // Time for an instruction must not grow with how many are under way: a kernel may store ten
  // thousand times without a wait.
  isa::Target target_;
  uint64_t issued_ = 0;
  std::map<uint64_t, Pending> pending_;  ///< by number of issue
  Counter counters_[kCounts];
  std::unordered_map<uint32_t, Watch> watches_;  ///< by register file and register
  size_t live_ = 0;                              ///< results and data in pending_
};

}  // namespace cuvette::wave
