// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "golden_plain_dispatch_cases.h"

// Kernels in which only some work-items go on: a comparison, what EXEC becomes by it, a branch
// around the rest, and what the end makes of EXEC.
namespace cuvette::golden::plain {

/// To go through.
using Sizes = std::initializer_list<uint16_t>;
using Counts = std::initializer_list<uint64_t>;

/// SGPR pairs: bounds, EXEC before a guard, and what one wants.
inline constexpr unsigned kBounds[] = {44, 46}, kSaved[] = {48, 50}, kFree[] = {52, 54};
/// Words of the kernarg segment: two numbers of 64 bits.
inline constexpr unsigned kBoundWord = 10;

/// Ways from a mask to an EXEC that has lanes of the mask only. All of them leave EXEC as it was in
/// `saved`. From XorSave to Else, the mask is of lanes for which the condition does not hold.
enum class Narrow : uint8_t {
  AndSave,
  OrSave,  ///< of no effect, then S_AND_B64
  XorSave,
  Andn1Save,
  Andn2,
  Xor,
  Else,  ///< S_ANDN2_SAVEEXEC_B64 behind the turn of the others
  And,
  Move,
  Cmpx
};
inline constexpr Narrow kNarrows[] = {
    Narrow::AndSave, Narrow::OrSave, Narrow::XorSave, Narrow::Andn1Save, Narrow::Andn2,
    Narrow::Xor,     Narrow::Else,   Narrow::And,     Narrow::Move,      Narrow::Cmpx};

/// Ways around the rest for waves without lanes.
enum class Leave : uint8_t {
  Execz,
  Vccz,  ///< whatever is there
  Scc0,
  Execnz,    ///< around an end of their own
  ExecnzTo,  ///< around a branch
  Never
};
inline constexpr Leave kLeaves[] = {Leave::Execz,  Leave::Vccz,     Leave::Scc0,
                                    Leave::Execnz, Leave::ExecnzTo, Leave::Never};

/// What is done to EXEC where the guard ends.
enum class Close : uint8_t { Nothing, Or, Move };
inline constexpr Close kCloses[] = {Close::Nothing, Close::Or, Close::Move};

/// `bound` cond `index`, or if it is turned, `index` cond `bound`.
struct Guard {
  Cond cond = Cond::Gt;
  Type type = Type::U32;
  Source bound = s(kBounds[0]), index = v(kIndex);
  bool turned = false;
  unsigned mask = kVcc, saved = kSaved[0];
  Narrow narrow = Narrow::AndSave;
  Leave leave = Leave::Execz;
  Close close = Close::Nothing;
};

/// a cond b is not (a opposite(cond) b), and is b mirrored(cond) a.
Cond opposite(Cond cond);
Cond mirrored(Cond cond);

/// The comparison and what becomes of EXEC.
void add_narrow(std::vector<Op>& ops, const Guard& guard);
/// All of the guard but its end; gives the branches to that.
std::vector<size_t> open_guard(std::vector<Op>& ops, const Guard& guard);
void close_guard(std::vector<Op>& ops, const Guard& guard, const std::vector<size_t>& branches);

/// Lines with guards around them.
class GuardLines : public Lines {
 public:
  /// Those of Lines, and both bounds.
  GuardLines& all_arguments();
  GuardLines& open(const Guard& guard) {
    open_.push_back({guard, open_guard(ops, guard)});
    return *this;
  }
  /// The last one that is open.
  GuardLines& close();
  /// The rest of y[i] = a * x[i] + y[i], for which there is an index; `based`: by offsets.
  GuardLines& saxpy(bool based = false);

 private:
  std::vector<std::pair<Guard, std::vector<size_t>>> open_;
};

/// if (guard) y[i] = a * x[i] + y[i].
std::vector<Op> guarded_saxpy(const Guard& guard, uint32_t stride, bool based = false);

void set_bounds(Dispatch& dispatch, uint64_t first, uint64_t second = 0);
/// case_of() with these bounds.
Case guarded_case(const std::vector<Op>& ops, uint32_t items, uint16_t size, uint64_t first,
                  uint64_t second = 0);
/// Memory of `one` anew: these ranges and the arguments.
void map_only(Case& one, std::vector<Interval> ranges);

}  // namespace cuvette::golden::plain
