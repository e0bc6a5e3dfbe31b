// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wave/retire_record.h"
#include "wave/state.h"
#include "wave/wait_checker.h"

namespace cuvette::golden {

/// Comparison of the half of a register that a D16 load keeps, for one wave.
///
/// Loads of different memories come back in any order (MI100 ISA 4.4). Where two of them fill the
/// halves of one register, the register ends as in program order, but a record, which has whole
/// registers, shows in the kept half what it held when its own load came back: without the result
/// of an older load that was still under way, or with that of a younger one that was not any more.
/// Both are accepted while S_WAITCNT leaves them open; a younger load has to explain the half
/// before the older one is over.
class KeptHalves {
 public:
  /// Before an instruction executes: the register of which it keeps a half.
  void before(const wave::WaveState& state, const isa::Instruction& next);

  /// Compares the instruction given to before(), which has executed. Values of `device` that are
  /// legal, or may turn out to be, are replaced by golden's in the answer; difference() reports the
  /// rest. `text`: a difference that nothing will explain. `device` null: golden alone.
  wave::RetireRecord check(const wave::RetireRecord& golden, const wave::RetireRecord* device,
                           const std::string& text);
  /// True if check() has anything to do with the instruction given to before().
  bool concerned() const { return kept_ || !loads_.empty(); }

  /// A half that no order of return explains; empty while there is none.
  const std::string& wrong() const { return wrong_; }
  /// Ends the stream: halves that are still unexplained are wrong.
  void end();
  /// True when no half waits for an explanation.
  bool settled() const;

 private:
  using Kind = wave::WaitChecker::Kind;
  /// A D16 load that may be under way.
  struct Load {
    Kind kind = Kind::None;
    isa::OperandKind file = isa::OperandKind::Vgpr;
    uint16_t index = 0;
    uint32_t loaded = 0;     ///< bits of the register that it fills
    uint64_t lanes = 0;      ///< that it fills
    wave::LaneRow before{};  ///< the register before it, in program order
    uint64_t open = 0;       ///< lanes whose kept half a younger load has to explain
    wave::LaneRow found{};   ///< in these
    std::string text;
    unsigned behind = 0;                         ///< younger instructions of its type
    bool over[wave::WaitChecker::kCounts] = {};  ///< by the counters it raises
    bool done() const;
  };

  static bool may_pass(Kind a, Kind b);
  bool ends(Load& load, const isa::Instruction& in) const;
  void follow(const isa::Instruction& in);
  void explain(const Load& younger, const wave::VectorWrite& golden);
  bool explained(const Load& load, unsigned lane, uint32_t found) const;
  void close(const Load& load);

  bool kept_ = false;  ///< before() has filled next_
  Load next_;
  std::vector<Load> loads_;  ///< in program order
  std::string wrong_;
};

}  // namespace cuvette::golden
