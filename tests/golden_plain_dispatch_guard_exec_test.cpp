// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves with a comparison in front of what they do: ways to write EXEC, ways
// around the rest, and where they lead.
#include <iterator>

#include <gtest/gtest.h>

#include "golden_plain_dispatch_guard.h"

namespace cuvette::golden::plain {
namespace {

constexpr uint32_t kItems = 64 * 40;
constexpr uint32_t kSomeBounds[] = {0, 1, 64, 700, 768, kItems - 1, kItems, 0xffffffff};
constexpr unsigned kSome = std::size(kSomeBounds);

uint64_t bytes_of(uint32_t items) {
  return 4 * uint64_t{items};
}

/// In a way that depends on `turn`: in work-groups of one wave and of several, in one go and by
/// slices.
void judge_bound(const std::vector<Op>& ops, uint32_t bound, unsigned turn, uint64_t second = 0) {
  SCOPED_TRACE(bound);
  Case one = guarded_case(ops, 2 * kItems, turn % 3 == 0 ? 192 : 64, bound, second);
  one.dispatches[0].grid[0] = kItems - (turn % 2 == 0 ? 21 : 0);
  one.setup.slice = turn % 4 == 0 ? 5 : 2048;
  one.setup.poison = turn % 5 == 0;
  EXPECT_FALSE(judge(one).wild);
}

/// With all these bounds.
void judge_bounds(const std::vector<Op>& ops, uint64_t second = 0) {
  unsigned turn = 0;
  for (const uint32_t bound : kSomeBounds) judge_bound(ops, bound, ++turn, second);
}

/// What comes before guards of these tests: arguments, index and, if it is `based`, offsets.
GuardLines begun(bool based = false) {
  GuardLines lines;
  lines.all_arguments().index(64);
  if (based) lines.based(0).based(1).based(2);
  return lines;
}

TEST(GoldenPlainDispatchGuardExec, AllWays) {
  unsigned turn = 0;
  for (const Narrow narrow : kNarrows) {
    for (const Leave leave : kLeaves) {
      for (const Close close : kCloses) {
        for (const unsigned mask : {kVcc, kFree[0]}) {
          SCOPED_TRACE(testing::Message()
                       << static_cast<int>(narrow) << " " << static_cast<int>(leave) << " "
                       << static_cast<int>(close) << " " << mask);
          Guard guard;
          guard.narrow = narrow;
          guard.leave = leave;
          guard.close = close;
          guard.mask = mask;
          const auto ops = guarded_saxpy(guard, 64, close != Close::Or);
          for (unsigned n = 0; n < 2; ++n, ++turn) judge_bound(ops, kSomeBounds[turn % kSome], n);
          judge_bound(ops, 700, 1);
        }
      }
    }
  }
}

/// Those for which it does not hold do something else, as clang has it.
TEST(GoldenPlainDispatchGuardExec, Else) {
  for (const bool swapped : {false, true}) {
    for (const bool branches : {false, true}) {
      GuardLines lines = begun(true);
      const auto way = [&](unsigned n) {
        lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, n);
      };
      lines.add(compare(What::Cmp, Cond::Gt, Type::I32, s(kBounds[0]), v(kIndex)));
      lines.add(op(What::SAndSave, kSaved[0], s(kVcc)));
      lines.add(op(What::SXor64, kSaved[0], s(kExec), s(kSaved[0])));
      const size_t first = branches ? lines.branch(What::SBranchExecz) : 0;
      way(swapped ? 2 : 1);
      if (branches) lines.land(first);
      if (swapped) {
        lines.add(op(What::SAndn2Save, kSaved[0], s(kSaved[0])));
      } else {  // the older way
        lines.add(op(What::SOrSave, kSaved[0], s(kSaved[0])));
        lines.add(op(What::SXor64, kExec, s(kExec), s(kSaved[0])));
      }
      const size_t second = branches ? lines.branch(What::SBranchExecz) : 0;
      way(swapped ? 1 : 2);
      if (branches) lines.land(second);
      lines.add(op(What::SOr64, kExec, s(kExec), s(kSaved[0])));
      judge_bounds(lines.load(kData, 2).store(kData, 0).end());
    }
  }
}

/// Waves without lanes skip a part, which begins and ends anywhere.
TEST(GoldenPlainDispatchGuardExec, AroundAPart) {
  unsigned turn = 0;
  for (const Leave leave : kLeaves) {
    for (size_t skip = 0; skip < 5; ++skip) {
      for (const Close close : kCloses) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(leave) << " " << skip);
        Guard guard;
        guard.leave = leave;
        guard.close = close;
        GuardLines lines = begun(true);
        if (leave == Leave::Execnz && close == Close::Nothing) continue;
        lines.open(guard);
        if (skip > 0) lines.load(kData, 0);
        if (skip > 1) lines.load(kData + 1, 1);
        if (skip > 2) lines.fma();
        if (skip > 3) lines.store(kData, 1);
        lines.close();
        if (skip <= 0) lines.load(kData, 0);
        if (skip <= 1) lines.load(kData + 1, 1);
        if (skip <= 2) lines.fma();
        if (skip <= 3) lines.store(kData, 1);
        const auto ops = lines.store(kData, 2).end();
        for (unsigned n = 0; n < 4; ++n, ++turn) judge_bound(ops, kSomeBounds[turn % kSome], n);
      }
    }
  }
}

/// The end is in front of what is done, and the jump goes back to it.
TEST(GoldenPlainDispatchGuardExec, BackToTheEnd) {
  for (const What what : {What::SBranchExecz, What::SBranchVccz, What::SBranchScc0}) {
    GuardLines lines;
    const size_t over = lines.branch(What::SBranch);
    const size_t end = lines.ops.size();
    lines.add(op(What::End, 0)).land(over);
    lines.all_arguments().index(64);
    Guard guard;
    guard.leave = Leave::Never;
    lines.open(guard);
    const size_t back = lines.branch(what);
    lines.ops[back].target = end;
    judge_bounds(lines.saxpy().close().end());
  }
}

/// Branches that lead to the next instruction, or that nobody or everybody takes.
TEST(GoldenPlainDispatchGuardExec, BranchesOfNoUse) {
  const What branches[] = {What::SBranch,      What::SBranchScc0,  What::SBranchScc1,
                           What::SBranchVccz,  What::SBranchVccnz, What::SBranchExecz,
                           What::SBranchExecnz};
  for (const What what : branches) {
    SCOPED_TRACE(static_cast<int>(what));
    GuardLines next = begun();
    next.add(compare(What::Cmp, Cond::Gt, Type::U32, s(kBounds[0]), v(kIndex)));
    next.land(next.branch(what));
    next.add(op(What::SAndSave, kSaved[0], s(kVcc)));
    next.land(next.branch(what));
    judge_bounds(next.saxpy().end());
    // Around the rest, with EXEC as it was.
    GuardLines rest = begun();
    rest.add(compare(What::Cmp, Cond::Gt, Type::U32, s(kBounds[0]), v(kIndex)));
    const size_t away = rest.branch(what);
    rest.saxpy().land(away);
    judge_bounds(rest.end());
    // Without a comparison.
    GuardLines none;
    none.all_arguments();
    const size_t early = none.branch(what);
    none.index(64);
    none.saxpy().land(early);
    judge_bounds(none.end());
  }
}

/// Whole waves go or stay, by a comparison of scalars.
TEST(GoldenPlainDispatchGuardExec, ScalarComparisons) {
  for (const What what :
       {What::SCmpEq, What::SCmpLg, What::SCmpGt, What::SCmpGe, What::SCmpLt, What::SCmpLe}) {
    for (const int group : {0, 1, 7, 39, 40}) {
      for (const What branch : {What::SBranchScc0, What::SBranchScc1}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(what) << " " << group);
        GuardLines lines = begun();
        lines.add(op(what, 0, s(2), number(group)));
        const size_t away = lines.branch(branch);
        lines.saxpy().land(away);
        EXPECT_FALSE(judge(case_of(lines.end(), kItems, 64)).wild);
      }
    }
  }
}

/// Without a branch, waves without lanes go on, and what is scalar happens.
TEST(GoldenPlainDispatchGuardExec, WithoutLanes) {
  Guard guard;
  guard.leave = Leave::Never;
  guard.close = Close::Or;
  GuardLines lines = begun(true);
  lines.open(guard).load(kData, 0).load(kData + 1, 1);
  lines.add(s_load(kOther, 1, kPointers[2], 64)).add(op(What::Waitcnt, 0));
  // v2 of the first lane, or of lane 0: the index either way.
  lines.add(op(What::ReadFirst, kScratch, v(kIndex)));
  lines.add(op(What::SAdd, kScratch, s(kScratch), literal(0x3f000000)));
  lines.fma();
  lines.close();
  lines.add(op(What::FmaF, kData, s(kScratch), v(kData), v(kData + 1)));
  judge_bounds(lines.store(kData, 1).end());
  // Carries and comparisons of no lane are 0.
  GuardLines masks = begun(true);
  masks.open(guard).add(op(What::AddCo, 14, literal(0xfffffc00), v(kIndex)));
  masks.add(op(What::SMov64, kFree[0], s(kVcc)));
  masks.add(compare(What::Cmp, Cond::T, Type::U32, s(2), v(kIndex), kMasks[0]));
  masks.close();
  masks.load(kData, 0).load(kData + 1, 1).fma();
  masks.add(with_mask(op(What::Cndmask, kData, v(kData), v(kData + 1)), kFree[0]));
  masks.add(with_mask(op(What::Cndmask, kData + 1, v(kData), number(1)), kMasks[0]));
  judge_bounds(masks.store(kData, 1).store(kData + 1, 2).end());
}

/// EXEC is a number, or a mask from memory.
TEST(GoldenPlainDispatchGuardExec, Masks) {
  const uint64_t masks[] = {0,
                            1,
                            uint64_t{1} << 63,
                            0xffffffff,
                            uint64_t{0xffffffff} << 32,
                            0x5555555555555555,
                            0xfffffffffffffffe,
                            ~uint64_t{0}};
  for (const uint64_t mask : masks) {
    for (const bool branch : {false, true}) {
      for (const What what : {What::SMov64, What::SAnd64, What::SAndn264, What::SXor64}) {
        SCOPED_TRACE(testing::Message() << std::hex << mask << " " << static_cast<int>(what));
        GuardLines lines = begun();
        if (what == What::SMov64) {
          lines.add(op(what, kExec, s(kBounds[0])));
        } else {
          lines.add(op(what, kExec, s(kExec), s(kBounds[0])));
        }
        const size_t away = branch ? lines.branch(What::SBranchExecz) : 0;
        lines.saxpy();
        if (branch) lines.land(away);
        Case one = guarded_case(lines.end(), kItems, 64, mask);
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
  for (const int value : {0, 1, 5, 64, -1, -16}) {
    GuardLines lines = begun();
    lines.add(op(What::SMov64, kExec, number(value)));
    EXPECT_FALSE(judge(case_of(lines.saxpy().end(), kItems, 64)).wild);
  }
}

/// One half of EXEC alone; shifted; the mask of the work-group.
TEST(GoldenPlainDispatchGuardExec, PartsOfExec) {
  const std::vector<std::vector<Op>> kinds = {
      {op(What::SMov, kExec, number(0))},
      {op(What::SMov, kExec + 1, number(0))},
      {op(What::SAnd, kExec, s(kExec), s(kVcc))},
      {op(What::SLshl64, kExec, s(kExec), number(8)), op(What::SAnd64, kExec, s(kExec), s(kVcc))},
      {op(What::SLshl64, kExec, number(1), s(2))},
      {op(What::SLshl64, kExec, number(-1), s(2))},
      {op(What::SAshr64, kExec, s(kVcc), number(3))},
      {op(What::SLshl, kExec, number(1), s(2))},
      {op(What::SNot64, kExec, s(kVcc))},
      {op(What::SCmpGt, 0, s(2), number(11)), op(What::SCselect, kExec, s(kVcc), number(0))},
      {op(What::SMov, kExec, s(kVcc)), op(What::SMov, kExec + 1, s(kVcc + 1))},
  };
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const bool branch : {false, true}) {
      SCOPED_TRACE(testing::Message() << kind << " " << branch);
      GuardLines lines = begun();
      lines.add(compare(What::Cmp, Cond::Gt, Type::U32, s(kBounds[0]), v(kIndex)));
      for (const Op& each : kinds[kind]) lines.add(each);
      const size_t away = branch ? lines.branch(What::SBranchExecz) : 0;
      lines.saxpy();
      if (branch) lines.land(away);
      const auto ops = lines.end();
      for (const uint32_t bound : kSomeBounds) {
        SCOPED_TRACE(bound);
        EXPECT_FALSE(judge(guarded_case(ops, kItems, 64, bound)).wild);
      }
    }
  }
}

/// VCC is something else by the time of the branch.
TEST(GoldenPlainDispatchGuardExec, OtherVcc) {
  for (const unsigned kind : {0u, 1u, 2u, 3u}) {
    for (const What branch : {What::SBranchVccz, What::SBranchVccnz}) {
      SCOPED_TRACE(kind);
      Guard guard;
      guard.leave = Leave::Never;
      guard.mask = kind == 0 ? kFree[0] : kVcc;  // 0: never written
      GuardLines lines = begun();
      lines.open(guard);
      if (kind == 1) lines.add(op(What::SMov, kVcc, number(0)));
      if (kind == 2) lines.add(op(What::AddCo, 14, literal(0xfffffd00), v(kIndex)));
      if (kind == 3) lines.add(op(What::SAnd64, kVcc, s(kVcc), s(kBounds[1])));
      const size_t away = lines.branch(branch);
      lines.saxpy().land(away);
      judge_bounds(lines.end(), 0x8000000000000000);
    }
  }
}

/// SCC of what wrote EXEC chooses a number for all.
TEST(GoldenPlainDispatchGuardExec, SccChooses) {
  for (const Narrow narrow : kNarrows) {
    for (const Leave leave : {Leave::Execz, Leave::Never}) {
      SCOPED_TRACE(static_cast<int>(narrow));
      Guard guard;
      guard.narrow = narrow;
      guard.leave = leave;
      guard.close = Close::Or;
      GuardLines lines = begun(true);
      lines.open(guard);
      lines.close();
      lines.add(op(What::SCselect, kScale, s(kScale), literal(0x40490fdb)));
      lines.load(kData, 0).load(kData + 1, 1).fma();
      judge_bounds(lines.store(kData, 1).end());
    }
  }
}

/// Loads in front of the guard, the operation in it, the store behind it, and so on.
TEST(GoldenPlainDispatchGuardExec, InAndOut) {
  for (unsigned inside = 0; inside < 16; ++inside) {
    for (const Leave leave : {Leave::Execz, Leave::Never}) {
      SCOPED_TRACE(inside);
      Guard guard;
      guard.leave = leave;
      guard.close = Close::Or;
      GuardLines lines = begun(true);
      unsigned part = 0;
      const auto next = [&](const auto& add) {
        const bool in = (inside >> part++ & 1) != 0;
        if (in) lines.open(guard);
        add();
        if (in) lines.close();
      };
      next([&] { lines.load(kData, 0); });
      next([&] { lines.load(kData + 1, 1); });
      next([&] { lines.fma(); });
      next([&] { lines.store(kData, 1); });
      judge_bounds(lines.end());
    }
  }
}

/// A store of the guarded loads in the same wave that a later load of all lanes sees.
TEST(GoldenPlainDispatchGuardExec, ThenAll) {
  for (const Close close : {Close::Or, Close::Move}) {
    for (const int32_t offset : {0, 4, 256}) {
      Guard guard;
      guard.close = close;
      GuardLines lines = begun();
      lines.open(guard).saxpy().close().wide(1).wide(2).load(kData, 1, offset);
      lines.add(op(What::Waitcnt, 0)).add(op(What::AddF, kData, s(kScale), v(kData)));
      judge_bounds(lines.store(kData, 2).end());
    }
  }
}

/// A guard in a guard that ends elsewhere, and one that leads to the end of all.
TEST(GoldenPlainDispatchGuardExec, Nested) {
  for (const Leave outer : kLeaves) {
    for (const Leave inner : kLeaves) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(outer) << " " << static_cast<int>(inner));
      Guard first, second;
      first.leave = outer;
      second.leave = inner;
      second.close = Close::Or;
      second.cond = Cond::Lt;
      second.bound = s(kBounds[1]);
      second.saved = kSaved[1];
      GuardLines lines = begun(true);
      lines.open(first).load(kData, 0);
      lines.open(second).load(kData + 1, 1).fma();
      lines.close().store(kData, 1);
      judge_bounds(lines.close().end(), 650);
    }
  }
}

/// The same mask for two guards, from comparisons that are far away.
TEST(GoldenPlainDispatchGuardExec, MasksAreKept) {
  GuardLines lines = begun(true);
  lines.add(compare(What::Cmp, Cond::Gt, Type::U32, s(kBounds[0]), v(kIndex), kFree[0]));
  lines.add(compare(What::Cmp, Cond::Lt, Type::I32, s(kBounds[1]), v(kIndex), kFree[1]));
  lines.load(kData, 0).load(kData + 1, 1).fma();
  lines.add(op(What::SAndSave, kSaved[0], s(kFree[0]))).store(kData, 1);
  lines.add(op(What::SMov64, kExec, s(kSaved[0])));
  lines.add(op(What::SOr64, kFree[0], s(kFree[0]), s(kFree[1])));
  lines.add(op(What::SAndSave, kSaved[0], s(kFree[0])));
  const size_t away = lines.branch(What::SBranchExecz);
  lines.store(kData, 2).land(away);
  judge_bounds(lines.end(), 1000);
}

/// What the first lane that is left has, which is not the first lane of the wave.
TEST(GoldenPlainDispatchGuardExec, FirstLane) {
  for (const Cond cond : {Cond::Gt, Cond::Le, Cond::Eq, Cond::Ne}) {
    for (const Leave leave : {Leave::Execz, Leave::Never}) {
      for (const bool address : {false, true}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << address);
        Guard guard;
        guard.cond = cond;
        guard.leave = leave;
        GuardLines lines = begun(true);
        lines.open(guard).add(op(What::ReadFirst, kScratch, v(kIndex)));
        if (address) {  // a base for those behind it
          lines.add(op(What::SSub, kScratch, s(kScratch), s(kGroup)));
          lines.add(op(What::LshlAdd, kAddresses[2], s(kScratch), number(2), v(kAddresses[1])));
        } else {
          lines.add(op(What::SAdd, kScale, s(kScratch), literal(0x3f000000)));
        }
        lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 2);
        judge_bounds(lines.close().end());
      }
    }
  }
}

/// Lanes that are left are counted, and store one behind the other.
TEST(GoldenPlainDispatchGuardExec, Ranks) {
  for (const Cond cond : {Cond::Gt, Cond::Le, Cond::Eq, Cond::Ne}) {
    for (const unsigned bits : {kExec, kVcc}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << bits);
      Guard guard;
      guard.cond = cond;
      GuardLines lines = begun(true);
      lines.open(guard).add(op(What::MbcntLo, 10, s(bits), number(0)));
      lines.add(op(What::MbcntHi, 10, s(bits + 1), v(10)));
      lines.add(op(What::Add, 10, s(kGroup), v(10)));
      lines.add(op(What::Shl, kAddresses[2], number(2), v(10)));
      lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 2);
      judge_bounds(lines.close().end());
    }
  }
}

/// Unmapped memory that only waves without lanes or skipped code would reach.
TEST(GoldenPlainDispatchGuardExec, ScalarLoadsBehindIt) {
  for (const Leave leave : {Leave::Execz, Leave::Never, Leave::Execnz}) {
    for (const uint32_t bound : {0u, 64u, 700u, kItems}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(leave) << " " << bound);
      Op table = s_load(kOther, 1, kPointers[2], 0);
      table.by_register = true;
      table.a = s(kScratch);
      Guard guard;
      guard.leave = leave;
      GuardLines lines = begun();
      lines.open(guard).add(op(What::SLshl, kScratch, s(2), number(2))).add(table);
      Case one = guarded_case(lines.saxpy().close().end(), kItems, 64, bound);
      const uint32_t groups = (bound + 63) / 64;
      map_only(
          one,
          {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(kItems)}, {kZ, kZ + bytes_of(groups)}});
      EXPECT_EQ(judge(one).wild, leave == Leave::Never && groups != kItems / 64);
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
