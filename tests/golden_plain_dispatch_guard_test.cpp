// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves with a comparison in front of what they do: which work-items go on.
#include "golden_plain_dispatch_guard.h"

#include <bit>
#include <cmath>

#include <gtest/gtest.h>

namespace cuvette::golden::plain {
namespace {

constexpr uint32_t kItems = 64 * 40;
constexpr Cond kConds[] = {Cond::F,  Cond::Lt, Cond::Eq, Cond::Le,
                           Cond::Gt, Cond::Ne, Cond::Ge, Cond::T};

uint64_t bytes_of(uint32_t items) {
  return 4 * uint64_t{items};
}

float float_at(Memory& memory, uint64_t address) {
  return std::bit_cast<float>(memory.word(address));
}

/// All of y by a formula: only items for which `done` says so have changed.
template <class Done>
void expect_saxpy(Case& one, Memory& after, const Done& done) {
  for (uint32_t item = 0; item < one.dispatches[0].grid[0]; ++item) {
    const uint64_t x = kX + bytes_of(item), y = kY + bytes_of(item);
    const float before = float_at(one.memory, y);
    const float want = done(item) ? std::fma(0.75f, float_at(one.memory, x), before) : before;
    ASSERT_EQ(float_at(after, y), want) << item;
  }
}

/// Against a formula: the evaluation is right, too.
TEST(GoldenPlainDispatchGuard, Saxpy) {
  for (const bool based : {false, true}) {
    for (const uint32_t n : {0u, 1u, 64u, 100u, 2560u, 5000u, 64 * 100 - 1u, 64 * 100u, 9999u}) {
      SCOPED_TRACE(n);
      constexpr uint32_t kMany = 64 * 100;
      Case one = guarded_case(guarded_saxpy({}, 256, based), kMany, 256, n);
      Memory after;
      EXPECT_FALSE(judge(one, &after).wild);
      expect_saxpy(one, after, [n](uint32_t item) { return item < n; });
    }
  }
}

/// Nothing else is there than what the guard lets them have.
TEST(GoldenPlainDispatchGuard, MemoryOfTheBound) {
  for (const uint32_t n : {1u, 63u, 64u, 65u, 1000u, kItems - 64, kItems - 1, kItems}) {
    for (const bool based : {false, true}) {
      for (const uint16_t size : Sizes{64, 256, 100}) {
        SCOPED_TRACE(testing::Message() << n << " " << based << " " << size);
        Case one = guarded_case(guarded_saxpy({}, size, based), kItems, size, n);
        map_only(one, {{kX, kX + bytes_of(n)}, {kY, kY + bytes_of(n)}});
        EXPECT_FALSE(judge(one).wild);
        set_bounds(one.dispatches[0], uint64_t{n} + 1);
        EXPECT_EQ(judge(one).wild, n < kItems);
      }
    }
  }
}

/// Every comparison with every kind of bound, in both orders.
TEST(GoldenPlainDispatchGuard, Comparisons) {
  constexpr uint32_t kBoundaries[] = {
      0,          1,      63,          64,         65,         500,        kItems - 65, kItems - 64,
      kItems - 1, kItems, kItems + 64, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
  unsigned turn = 0;
  for (const Cond cond : kConds) {
    for (const Type type : {Type::U32, Type::I32, Type::U64, Type::I64}) {
      for (const uint32_t bound : kBoundaries) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << bound);
        Guard guard;
        guard.cond = cond;
        guard.type = type;
        guard.turned = ++turn % 2 == 0;
        guard.mask = turn % 3 == 0 ? kFree[0] : kVcc;
        GuardLines lines;
        lines.all_arguments().index(64).add(op(What::Mov, kIndex + 1, number(0)));
        lines.open(guard).saxpy(turn % 5 == 0).close();
        const bool sign = is_64_bit(type) && turn % 4 == 0;
        const auto all = sign ? uint64_t{bound} | ~uint64_t{0} << 32 : uint64_t{bound};
        Case one = guarded_case(lines.end(), kItems, turn % 7 == 0 ? 256 : 64, all);
        one.dispatches[0].workgroup[0] = 64;
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// One lane does something, or one lane does not.
TEST(GoldenPlainDispatchGuard, OneLane) {
  for (const uint32_t lane : {0u, 1u, 63u, 64u, 700u, 767u, 768u, kItems - 64, kItems - 1}) {
    for (const Cond cond : {Cond::Eq, Cond::Ne}) {
      for (const uint16_t size : Sizes{64, 192}) {
        SCOPED_TRACE(testing::Message() << lane << " " << static_cast<int>(cond));
        Guard guard;
        guard.cond = cond;
        Case one = guarded_case(guarded_saxpy(guard, size), kItems, size, lane);
        Memory after;
        EXPECT_FALSE(judge(one, &after).wild);
        expect_saxpy(one, after,
                     [&](uint32_t item) { return (item == lane) == (cond == Cond::Eq); });
      }
    }
  }
}

/// The first waves do nothing, later ones do.
TEST(GoldenPlainDispatchGuard, LaterOnes) {
  for (const uint32_t first : {0u, 1u, 64u, 100u, 767u, 768u, kItems - 1, kItems}) {
    for (const Cond cond : {Cond::Le, Cond::Lt}) {
      for (const bool sign : {false, true}) {
        SCOPED_TRACE(first);
        Guard guard;
        guard.cond = cond;
        guard.type = sign ? Type::I32 : Type::U32;
        Case one = guarded_case(guarded_saxpy(guard, 128), kItems, 128, first);
        const uint32_t begin = std::min(first, kItems - 1);
        map_only(one, {{kX + bytes_of(begin), kX + bytes_of(kItems)},
                       {kY + bytes_of(begin), kY + bytes_of(kItems)}});
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// Work-items that are numbers from a little before 2^31 or 2^32 on: signed and unsigned
/// comparisons change at different ones.
TEST(GoldenPlainDispatchGuard, NumbersWrapAround) {
  for (const uint32_t at : {0u, 1u << 31}) {
    for (const uint32_t before : {1u, 32u, 64u, 700u, 768u}) {
      for (const int32_t more : {-1, 0, 1, 40, 200, -200}) {
        for (const Type type : {Type::U32, Type::I32}) {
          for (const Cond cond : {Cond::Gt, Cond::Le}) {
            SCOPED_TRACE(testing::Message() << at << " " << before << " " << more);
            Guard guard;
            guard.cond = cond;
            guard.type = type;
            guard.index = v(3);
            GuardLines lines;  // the address is that of the work-item
            lines.all_arguments().index(64).add(op(What::Add, 3, s(kBounds[1]), v(kIndex)));
            const auto bound = at + static_cast<uint32_t>(more);
            Case one = guarded_case(lines.open(guard).saxpy(true).close().end(), kItems, 64, bound,
                                    at - before);
            EXPECT_FALSE(judge(one).wild);
          }
        }
      }
    }
  }
}

/// The same with addresses: index << 2 with zeros or with the sign above.
TEST(GoldenPlainDispatchGuard, AddressesWrapAround) {
  constexpr uint64_t kBase = uint64_t{64} << 32;
  for (const bool sign : {false, true}) {
    for (const uint32_t at : {0u, 1u << 31}) {
      for (const uint32_t before : {1u, 32u, 64u, 700u, 1000u}) {
        for (const Type type : {Type::U32, Type::I32, Type::U64, Type::I64}) {
          SCOPED_TRACE(testing::Message() << sign << " " << at << " " << before);
          Guard guard;
          guard.type = type;
          GuardLines lines;
          lines.all_arguments().index(64);
          lines.add(sign ? op(What::Ashr, kIndex + 1, number(31), v(kIndex))
                         : op(What::Mov, kIndex + 1, number(0)));
          lines.open(guard).add(op(What::Shl64, 10, number(2), v(kIndex)));
          lines.add(op(What::Mov, 5, s(kPointers[1] + 1)));
          lines.add(op(What::AddCo, 4, s(kPointers[1]), v(10)));
          lines.add(op(What::Addc, 5, v(5), v(11)));
          lines.add(memory(What::Load, kData, 4)).add(op(What::Waitcnt, 0));
          lines.add(op(What::MulF, kData, s(kScale), v(kData)));
          lines.add(memory(What::Store, kData, 4));
          lines.close();
          const uint32_t start = at - before, bound = start + 1200;
          const uint64_t upper = sign && bound >> 31 != 0 ? ~uint64_t{0} << 32 : 0;
          Case one = guarded_case(lines.end(), kItems, 64, bound | upper);
          one.dispatches[0].arguments = arguments(kX, kBase, kZ, 0, start);
          set_bounds(one.dispatches[0], bound | upper);
          std::vector<Interval> ranges;
          for (const uint32_t first : {start, at}) {
            const uint64_t index = sign
                                       ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(first)})
                                       : uint64_t{first};
            const uint32_t count = first == start ? before : 1200 - before;
            ranges.push_back({kBase + 4 * index, kBase + 4 * index + bytes_of(count)});
          }
          map_only(one, ranges);
          judge(one);
        }
      }
    }
  }
}

/// Not below the first bound and below the second: one in the other, one mask, one after the other.
TEST(GoldenPlainDispatchGuard, TwoBounds) {
  struct Range {
    uint32_t first, end;
  };
  for (const Range& r : {Range{0, kItems}, Range{100, 1000}, Range{64, 128}, Range{65, 66},
                         Range{640, 640}, Range{700, 600}, Range{1, kItems - 1}}) {
    for (const unsigned kind : {0u, 1u, 2u, 3u}) {
      SCOPED_TRACE(testing::Message() << r.first << " " << r.end << " " << kind);
      Guard low, high;
      low.cond = Cond::Le;
      high.bound = s(kBounds[1]);
      high.saved = kSaved[1];
      high.leave = kind == 0 ? Leave::Execz : Leave::Never;
      GuardLines lines;
      lines.all_arguments().index(256);
      if (kind < 2) {
        high.close = kind == 1 ? Close::Or : Close::Nothing;
        lines.open(low).open(high).saxpy().close().close();
      } else if (kind == 2) {  // as clang has it
        lines.add(compare(What::Cmp, Cond::Gt, Type::I32, s(kBounds[1]), v(kIndex)));
        lines.add(compare(What::Cmp, Cond::Le, Type::I32, s(kBounds[0]), v(kIndex), kFree[0]));
        lines.add(op(What::SAnd64, kFree[0], s(kVcc), s(kFree[0])));
        lines.add(op(What::SAndSave, kSaved[0], s(kFree[0])));
        const size_t away = lines.branch(What::SBranchExecz);
        lines.saxpy().land(away);
      } else {  // without a branch, and EXEC comes back in between
        high.close = Close::Or;
        low.close = Close::Move;
        lines.open(high).saxpy(true).close().open(low).saxpy().close();
      }
      Case one = guarded_case(lines.end(), kItems, 256, r.first, r.end);
      Memory after;
      EXPECT_FALSE(judge(one, &after).wild);
      if (kind == 3) continue;
      expect_saxpy(one, after, [&](uint32_t item) { return item >= r.first && item < r.end; });
    }
  }
}

/// What is compared is no address: the number in the work-group, that of the work-group, a number
/// from memory, a lane, or the same for all.
TEST(GoldenPlainDispatchGuard, OtherThings) {
  const std::vector<std::vector<Op>> kinds = {
      {op(What::Mov, 3, v(0))},
      {op(What::Mov, 3, s(2))},
      {memory(What::Load, 3, kAddresses[2], kPointers[2]), op(What::Waitcnt, 0)},
      {op(What::MbcntLo, 3, number(-1), number(0)), op(What::MbcntHi, 3, number(-1), v(3))},
      {op(What::Mov, 3, s(kBounds[1]))},
      {op(What::MulLo, 3, v(kIndex), s(kBounds[1]))},
      {op(What::And, 3, number(31), v(kIndex))},
      {op(What::Xor, 3, number(40), v(kIndex))},
      {op(What::ReadFirst, kScratch, v(kIndex)), op(What::Mov, 3, s(kScratch))},
  };
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const uint16_t size : Sizes{64, 256}) {
      for (const uint32_t bound : {0u, 1u, 10u, 32u, 63u, 64u, 65u, 200u, 0x3f400000u}) {
        for (const Cond cond : {Cond::Gt, Cond::Ne, Cond::Le}) {
          SCOPED_TRACE(testing::Message() << kind << " " << bound << " " << size);
          Guard guard;
          guard.cond = cond;
          guard.index = v(3);
          GuardLines lines;
          lines.all_arguments().index(size).based(2);
          for (const Op& each : kinds[kind]) lines.add(each);
          lines.open(guard).saxpy(bound % 2 == 0).close();
          judge(guarded_case(lines.end(), kItems, size, bound, 7));
        }
      }
    }
  }
}

/// How many are left from this work-group on, against the number in the work-group: for waves
/// behind the end that is negative, or very large.
TEST(GoldenPlainDispatchGuard, WhatIsLeft) {
  for (const Type type : {Type::I32, Type::U32}) {
    for (const uint32_t n : {0u, 1u, 64u, 100u, 640u, 1000u, kItems - 1, kItems, kItems + 5000}) {
      for (const uint16_t size : Sizes{64, 256}) {
        SCOPED_TRACE(testing::Message() << n << " " << size);
        Guard guard;
        guard.type = type;
        guard.bound = s(kScratch);
        guard.index = v(0);
        GuardLines lines;
        lines.all_arguments().index(size);
        lines.add(op(What::SSub, kScratch, s(kBounds[0]), s(kGroup)));
        Case one = guarded_case(lines.open(guard).saxpy().close().end(), kItems, size, n);
        const uint32_t known = std::min(n, kItems);
        map_only(one, {{kX, kX + bytes_of(known)}, {kY, kY + bytes_of(known)}});
        const bool wild = type == Type::U32 && (kItems / size - 1) * size > n;
        EXPECT_EQ(judge(one).wild, wild);
      }
    }
  }
}

/// A bound of its own for each work-group: from a table, chosen, or the work-group times a number.
TEST(GoldenPlainDispatchGuard, BoundsOfWorkgroups) {
  Op table = s_load(kScratch, 1, kPointers[2], 0);
  table.by_register = true;
  table.a = s(kOther);
  const std::vector<std::vector<Op>> kinds = {
      {op(What::SLshl, kOther, s(2), number(2)), table, op(What::Waitcnt, 0)},
      {op(What::SCmpGt, 0, s(2), number(7)),
       op(What::SCselect, kScratch, s(kBounds[0]), s(kBounds[1]))},
      {op(What::SMul, kScratch, s(2), literal(33))},
      {op(What::SMul, kScratch, s(2), literal(130))},
      {op(What::SMul, kScratch, s(2), s(2)), op(What::SMul, kScratch, s(kScratch), number(5))},
      {op(What::SSub, kScratch, literal(900), s(kGroup))},
      {op(What::SAnd, kScratch, s(2), number(3)),
       op(What::SLshl, kScratch, s(kScratch), number(8))},
  };
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const Cond cond : {Cond::Gt, Cond::Le, Cond::Eq}) {
      for (const uint16_t size : Sizes{64, 128}) {
        SCOPED_TRACE(testing::Message() << kind << " " << static_cast<int>(cond) << " " << size);
        Guard guard;
        guard.cond = cond;
        guard.bound = s(kScratch);
        GuardLines lines;
        lines.all_arguments().index(size);
        for (const Op& each : kinds[kind]) lines.add(each);
        Case one = guarded_case(lines.open(guard).saxpy().close().end(), kItems, size, 300, 1000);
        for (uint32_t n = 0; n < 64; ++n) one.memory.put(kZ + 4 * n, n * 977 % kItems);
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// Bounds that are no SGPRs.
TEST(GoldenPlainDispatchGuard, OtherSources) {
  for (const Source& bound : {number(0), number(1), number(64), number(-1), number(-16),
                              literal(1000), literal(0x80000000), v(3), s(kGroup), s(2)}) {
    for (const Type type : {Type::U32, Type::I32}) {
      for (const bool turned : {false, true}) {
        if (turned && bound.code == 255) continue;  // VOP3 has no literals
        SCOPED_TRACE(testing::Message() << bound.code << " " << turned);
        Guard guard;
        guard.type = type;
        guard.bound = bound;
        guard.turned = turned;
        GuardLines lines;
        lines.all_arguments().index(64).add(op(What::Mov, 3, s(kBounds[0])));
        judge(guarded_case(lines.open(guard).saxpy().close().end(), kItems, 64, 555));
      }
    }
  }
}

/// Columns and rows, each with a bound, on all targets; some have both ids in one register.
TEST(GoldenPlainDispatchGuard, TwoDimensions) {
  constexpr uint32_t kWidth = 100, kHeight = 30;
  for (const isa::Target target : isa::kAllTargets) {
    for (const std::pair<uint32_t, uint32_t>& end :
         {std::pair{100u, 30u}, std::pair{77u, 23u}, std::pair{0u, 5u}, std::pair{96u, 24u}}) {
      for (const uint16_t x : Sizes{16, 32, 64, 10}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(target) << " " << x);
        const uint16_t y = x == 10 ? 7 : static_cast<uint16_t>(256 / x);
        GuardLines lines;
        lines.all_arguments();
        if (target >= isa::Target::Gfx90a) {
          lines.add(op(What::Bfe, 1, v(0), number(10), number(10)));
          lines.add(op(What::And, 0, literal(0x3ff), v(0)));
        }
        lines.index(x).add(op(What::SMul, kScratch, s(3), literal(y)));
        lines.add(op(What::Add, 10, s(kScratch), v(1)));
        lines.add(compare(What::Cmp, Cond::Gt, Type::U32, s(kBounds[0]), v(kIndex)));
        lines.add(compare(What::Cmp, Cond::Gt, Type::U32, s(kBounds[1]), v(10), kFree[0]));
        lines.add(op(What::SAnd64, kFree[0], s(kVcc), s(kFree[0])));
        lines.add(op(What::SAndSave, kSaved[0], s(kFree[0])));
        const size_t away = lines.branch(What::SBranchExecz);
        lines.add(op(What::SMov, kScratch, literal(kWidth)));
        lines.add(op(What::MulLo, 10, v(10), s(kScratch)));
        lines.add(op(What::Add, kIndex, v(10), v(kIndex)));
        lines.saxpy(true).land(away);
        Case one = guarded_case(lines.end(), kWidth * kHeight, 64, end.first, end.second);
        one.kernel.target = target;
        if (target == isa::Target::Gfx900) one.kernel.modes.ieee = false;
        one.kernel.id_y = true;
        one.dispatches[0].grid = {kWidth + 28, kHeight + 6, 1};
        one.dispatches[0].workgroup = {x, y, 1};
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// A smaller last work-group, a grid that begins later, work-groups that are no whole waves.
TEST(GoldenPlainDispatchGuard, Shapes) {
  for (const uint16_t size : Sizes{1, 63, 64, 65, 100, 256, 1000}) {
    for (const uint32_t less : {0u, 1u, 37u}) {
      for (const Close close : kCloses) {
        if (less >= size) continue;
        SCOPED_TRACE(testing::Message() << size << " " << less);
        Guard guard;
        guard.close = close;
        const uint32_t items = 20u * size - less;
        Case one = guarded_case(guarded_saxpy(guard, size), items, size, items * 3 / 4);
        EXPECT_FALSE(judge(one).wild);
        one.dispatches[0].start = {3, 0, 0};
        EXPECT_FALSE(judge(one).wild);
        one.dispatches[0].start = {16, 0, 0};
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// The bound for later waves is what an earlier one stores.
TEST(GoldenPlainDispatchGuard, BoundChanges) {
  Guard guard;
  GuardLines lines;  // y[i] = x[i], for which x[i] is a number without a float's arithmetic
  lines.all_arguments().index(64);
  lines.open(guard).wide(0).wide(1, kMasks[0]);
  lines.load(kData, 0).add(op(What::Waitcnt, 0));
  lines.add(op(What::MulF, kData, s(kScale), v(kData))).store(kData, 1);
  lines.close();
  const std::vector<Op> ops = lines.end();
  for (const uint32_t item : {0u, 63u, 64u, 700u, 767u}) {
    for (const uint32_t later : {0u, 1u, 640u, 800u, 832u, 1000u, kItems, 0x7f7fffffu}) {
      for (const uint32_t slice : {2048u, 7u}) {
        SCOPED_TRACE(testing::Message() << item << " " << later << " " << slice);
        Case one = guarded_case(ops, kItems, 64, 900);
        one.setup.slice = slice;
        one.setup.kernarg = kY + bytes_of(item) - 4 * kBoundWord;
        one.dispatches[0].arguments[kScaleWord] = 0x3f800000;
        // The other words of the segment are stored as they are.
        map_only(one, {{kX - 64, kX + bytes_of(kItems)}, {kY - 64, kY + bytes_of(kItems)}});
        const auto words = one.dispatches[0].arguments;
        for (uint32_t n = 0; n < kArgumentWords; ++n) {
          one.memory.put(kX + bytes_of(item) + 4 * n - 4 * kBoundWord, words[n]);
        }
        one.memory.put(kX + bytes_of(item), later);
        Memory after;
        EXPECT_FALSE(judge(one, &after).wild);
        if (slice != 2048 || item < kArgumentWords) continue;
        // By hand, waves that begin behind the one that has stored it.
        for (uint32_t n = item / 64 * 64 + 64; n < kItems; ++n) {
          if (n < item + kArgumentWords) continue;
          const uint64_t from = n < later ? kX : kY;
          ASSERT_EQ(after.word(kY + bytes_of(n)), one.memory.word(from + bytes_of(n))) << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
