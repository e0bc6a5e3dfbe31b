// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// What makes a wave more than a linear function of the numbers of its work-group and of itself, or
// its code more than one stream: each alone, in a kernel that is nothing else.
#include <ios>

#include <gtest/gtest.h>

#include "golden_plain_dispatch_cases.h"

namespace cuvette::golden::plain {
namespace {

constexpr uint32_t kItems = 64 * 40;
const Op kSum = op(What::FmaF, kData, s(kOther), v(kData), v(kData + 1));

/// With one wave in a work-group, and with four.
void judge_both(const std::vector<Op>& ops, const char* what) {
  for (const uint16_t size : {64, 256}) {
    SCOPED_TRACE(testing::Message() << what << ", work-groups of " << size);
    Case one = case_of(ops, 2 * kItems, size);
    one.dispatches[0].grid[0] = kItems;
    judge(one);
  }
}

/// Loads x and y, does `middle`, stores to y.
std::vector<Op> with_middle(const std::vector<Op>& middle) {
  Lines lines;
  lines.arguments().index(64).wide(0).wide(1).load(kData, 0).load(kData + 1, 1);
  for (const Op& op : middle) lines.add(op);
  return lines.store(kData, 1).end();
}
/// y[i] = a * x[j] + y[i], where j is i and what `change` makes of kScratch.
std::vector<Op> loading_from(const std::vector<Op>& change) {
  Lines lines;
  lines.arguments().index(64).wide(1);
  for (const Op& op : change) lines.add(op);
  lines.add(op(What::Add, kIndex, s(kScratch), v(0))).wide(0);
  return lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1).end();
}
/// x[i] goes there.
std::vector<Op> storing_to(const std::vector<Op>& change) {
  Lines lines;
  lines.arguments().index(64).wide(0).load(kData, 0);
  for (const Op& op : change) lines.add(op);
  lines.add(op(What::Add, kIndex, s(kScratch), v(0))).wide(2);
  return lines.add(op(What::MulF, kData, s(kScale), v(kData))).store(kData, 2).end();
}

/// kIndex: the argument kStart - work-group * stride + work-item.
void add_falling_index(Lines& lines, uint32_t stride) {
  lines.add(op(What::SMul, kGroup, s(2), literal(stride)))
      .add(op(What::SSub, kGroup, s(kStart), s(kGroup)))
      .add(op(What::Add, kIndex, s(kGroup), v(0)));
}

TEST(GoldenPlainDispatchLinear, Addresses) {
  const std::vector<std::pair<const char*, std::vector<Op>>> changes = {
      {"some bits of the work-group",
       {op(What::SAnd, kScratch, s(2), number(5)),
        op(What::SLshl, kScratch, s(kScratch), number(6))}},
      {"the square of the work-group", {op(What::SMul, kScratch, s(2), s(2))}},
      {"a square that begins like a line",
       {op(What::SSub, kOther, s(2), number(1)), op(What::SMul, kScratch, s(2), s(kOther))}},
      {"a power of two",
       {op(What::SAnd, kScratch, s(2), number(7)),
        op(What::SLshl, kScratch, number(1), s(kScratch))}},
      {"a power of two of the work-group, soon beyond a register",
       {op(What::SLshl, kScratch, number(1), s(2)),
        op(What::SAnd, kScratch, s(kScratch), literal(1023))}},
      {"a power of two, until memory ends", {op(What::SLshl, kScratch, number(1), s(2))}},
      {"what a comparison of the work-group chooses",
       {op(What::SCmpGt, 0, s(2), number(17)),
        op(What::SCselect, kScratch, number(64), number(0))}},
      {"whether a shifted work-group is 0",
       {op(What::SLshl, kScratch, s(2), number(8)),
        op(What::SCselect, kScratch, number(64), number(0))}},
      {"a comparison with nothing but its result used twice",
       {op(What::SCmpLt, 0, s(2), number(3)), op(What::SCselect, kScratch, number(32), number(16)),
        op(What::SMul, kScratch, s(kScratch), number(4))}},
      {"a carry as a number",
       {op(What::SMul, kScratch, s(2), literal(0x10000000)),
        op(What::SAdd, kOther, s(kScratch), s(kScratch)),
        op(What::SAddc, kScratch, number(0), number(0)),
        op(What::SLshl, kScratch, s(kScratch), number(6))}},
  };
  for (const auto& [what, change] : changes) {
    judge_both(loading_from(change), what);
    judge_both(storing_to(change), what);
  }
}

/// The scalar source of the operation.
TEST(GoldenPlainDispatchLinear, Scalars) {
  judge_both(with_middle({op(What::SLshl, kOther, s(2), number(16)),
                          op(What::SAdd, kOther, s(kOther), literal(0x3f800000)), kSum}),
             "grows");
  judge_both(with_middle({op(What::SAnd, kOther, s(2), number(3)),
                          op(What::SLshl, kOther, s(kOther), number(20)),
                          op(What::SAdd, kOther, s(kOther), literal(0x3f800000)), kSum}),
             "some bits of the work-group");
  Op table = s_load(kOther, 1, kPointers[2], 0);
  table.by_register = true;
  table.a = s(kScratch);
  judge_both(
      with_middle({op(What::SLshl, kScratch, s(2), number(2)), table, op(What::Waitcnt, 0), kSum}),
      "a word of a table");
  judge_both(
      with_middle({op(What::SAnd, kScratch, s(2), number(12)), table, op(What::Waitcnt, 0), kSum}),
      "one of four words of a table");
  // The pointer of the table walks.
  judge_both(with_middle({op(What::SLshl, kScratch, s(2), number(2)),
                          op(What::SAdd, kPointers[2], s(kPointers[2]), s(kScratch)),
                          op(What::SAddc, kPointers[2] + 1, s(kPointers[2] + 1), number(0)),
                          s_load(kOther, 1, kPointers[2], 0), op(What::Waitcnt, 0), kSum}),
             "what a pointer reaches");
  judge_both(with_middle({op(What::SSub, kScratch, number(20), s(2)),
                          op(What::SLshl, kScratch, s(kScratch), number(8)),
                          op(What::SCselect, kOther, s(kScale), literal(0x40490fdb)), kSum}),
             "whether what falls with the work-group is 0");
  judge_both(with_middle({op(What::FmaF, kData, s(kScale), v(kData), v(kData + 1)),
                          op(What::SMov, kScale, literal(0x40490fdb))}),
             "changes behind the operation");
  judge_both(with_middle({op(What::FmaF, kData, s(kScale), v(kData), v(kData + 1)),
                          s_load(kScale, 1, kPointers[2], 0)}),
             "is loaded behind the operation");
}

/// Sources of the operation that no load has written.
TEST(GoldenPlainDispatchLinear, Registers) {
  for (const What what : {What::MulF, What::AddF}) {
    // Work-items as subnormal numbers, beside numbers of their size.
    Case one = case_of(with_middle({op(what, kData, v(0), v(kData))}), kItems, 256);
    one.kernel.modes.denorm = hsa::FloatDenorm::FlushNone;
    for (uint32_t n = 0; n < kItems; ++n) {
      one.memory.put(kX + 4 * n, what == What::AddF ? n % 1000 : 0x40000000 + n);
    }
    judge(one);
    one.dispatches[0].workgroup[0] = 64;
    judge(one);
  }
  Case poisoned =
      case_of(with_middle({op(What::FmaF, kData, s(kScale), v(20), v(kData))}), kItems, 256);
  for (const bool poison : {false, true}) {
    poisoned.setup.poison = poison;
    judge(poisoned);
  }
}

TEST(GoldenPlainDispatchLinear, MoreThanOneStream) {
  const auto lines = [] {
    Lines out;
    out.arguments().index(64).wide(0).wide(1).wide(2).load(kData, 0).load(kData + 1, 1);
    return out;
  };
  judge_both(lines().fma().load(kData + 2, 2).store(kData, 1).end(), "a load behind the operation");
  judge_both(lines().fma().load(kData, 2).store(kData, 1).end(), "a load over the result");
  judge_both(lines()
                 .add(op(What::FmaF, kData + 2, s(kScale), v(kData), v(kData + 1)))
                 .load(kData + 2, 2)
                 .store(kData + 2, 1)
                 .end(),
             "a load over a result of its own");
  judge_both(lines().load(kData + 2, 2).fma().store(kData + 1, 1).end(), "stores what was loaded");
  judge_both(lines().load(kData + 2, 2).fma().store(kData, 1).store(kData, 2).end(), "two stores");
  judge_both(lines().store(kData + 1, 2).fma().store(kData, 1).end(),
             "a store before the operation");
  judge_both(lines().load(kData + 1, 2).fma().store(kData, 1).end(), "a register loaded twice");
  judge_both(lines().fma().fma().store(kData, 1).end(), "two operations");
  judge_both(lines().end(), "no store");
  judge_both(lines().fma().end(), "an operation for nothing");
  Lines store;
  judge_both(store.arguments().index(64).wide(1).store(kIndex, 1).end(), "the index itself");
}

/// Carries, borrows and overflows that come and go as sums grow or fall, in the work-group, too.
TEST(GoldenPlainDispatchLinear, Carries) {
  for (const What what : {What::SAdd, What::SSub, What::SAddI, What::SSubI}) {
    for (const uint32_t step : {1u, 0x1000u, 0x02000000u, 0xffffffffu, 0xfffff000u, 0xfe000000u}) {
      for (const uint32_t border : {0u, 0x80000000u}) {
        for (const uint32_t groups : {0u, 1u, 2u, 17u, 39u}) {
          SCOPED_TRACE(testing::Message() << std::hex << step << " " << border << " " << groups);
          // The border is passed in or behind that work-group.
          const uint32_t first = border - groups * step - 1;
          const bool minus = what == What::SSub || what == What::SSubI;
          const Op sum = minus ? op(what, kScratch, literal(first), s(kScratch))
                               : op(what, kScratch, s(kScratch), literal(first));
          const uint32_t own = minus ? 0 - step : step;
          judge_both(
              with_middle({op(What::SMul, kScratch, s(2), literal(own)), sum,
                           op(What::SCselect, kOther, s(kScale), literal(0x40490fdb)), kSum}),
              "chooses");
        }
      }
    }
  }
}

/// Offsets of 32 bits that wrap around between lanes, waves and work-groups, with memory at either
/// end and no border of a page there.
TEST(GoldenPlainDispatchLinear, OffsetsWrapAround) {
  constexpr uint64_t kPage = 65536, kInPage = 0x8000, kLast = uint64_t{1} << 32;
  for (const uint16_t size : {64, 128, 256}) {
    for (const unsigned shift : {0u, 2u}) {
      for (const uint32_t before :
           {0u, 1u, 32u, 64u, 96u, 100u, 160u, 192u, 200u, 250u, 256u, 300u, 1000u, 2000u}) {
        SCOPED_TRACE(testing::Message() << size << " " << shift << " " << before);
        Lines lines;
        lines.arguments();
        // The index times 4, and an offset, or shifted from what fills the register.
        if (shift == 0) {
          lines.add(op(What::SMul, kGroup, s(2), literal(4u * size)))
              .add(op(What::SAdd, kGroup, s(kGroup), s(kStart)))
              .add(op(What::Shl, kIndex, number(2), v(0)))
              .add(op(What::Add, kIndex, s(kGroup), v(kIndex)));
        } else {
          lines.index(size);
        }
        lines.based(0, shift).based(1, shift);
        Case one = case_of(lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1).end(),
                           2048, size);
        one.memory = {};
        map_ranges(one.memory, {{kX, kX + kPage},
                                {kX + kLast, kX + kLast + kPage},
                                {kY, kY + kPage},
                                {kY + kLast, kY + kLast + kPage},
                                {kKernarg, kKernarg + 4 * kArgumentWords}});
        const uint32_t start = shift == 0 ? 0 - 4 * before : 0x40000000 - before;
        one.dispatches[0].arguments = arguments(kX + kInPage, kY + kInPage, kZ, 0, start);
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// A word that all waves read as a scalar, in the middle of what they store: at either end of a
/// page, of a wave, and with waves that go up and down.
TEST(GoldenPlainDispatchLinear, ScalarsAreStoredTo) {
  constexpr uint32_t kMany = 64 * 600;
  for (const uint32_t place :
       {0u, 1u, 63u, 64u, 6400u, 16319u, 16320u, 16321u, 16383u, 16384u, 16385u, 16447u, 30000u}) {
    for (const bool falls : {false, true}) {
      for (const uint16_t size : {64, 256}) {
        SCOPED_TRACE(testing::Message() << place << " " << falls << " " << size);
        Lines lines;
        lines.arguments();
        if (falls) {
          add_falling_index(lines, size);
        } else {
          lines.index(size);
        }
        lines.wide(0).wide(1);
        lines.load(kData, 0).load(kData + 1, 1).add(s_load(kOther, 1, kPointers[2], 0));
        lines.add(op(What::Waitcnt, 0)).add(kSum).store(kData, 1);
        Case one = case_of(lines.end(), kMany, size);
        one.dispatches[0].arguments =
            arguments(kX, kY, kY + 4 * place, 0, falls ? kMany - size : 0);
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// With several threads: what one work-group stores and another one loads or stores is told as
/// ever, to the byte, and only that.
TEST(GoldenPlainDispatchLinear, Races) {
  struct Place {
    const char* what;
    int64_t y, z;  ///< in bytes behind x
    uint32_t stride;
    bool falls;
    uint64_t races;  ///< bytes
  };
  // 40 work-groups of 64, the last one of 59. A byte counts once for every work-group that comes
  // later than another one it races with.
  constexpr int64_t kFar = int64_t{1} << 32;
  constexpr uint32_t kGroups = 40, kSome = kItems - 5;
  const Place places[] = {
      {"in place", 0, kFar, 64, false, 0},
      {"in place, coming down", 0, kFar, 64, true, 0},
      {"apart", kFar, 2 * kFar, 64, false, 0},
      {"with gaps", 0, kFar, 100, false, 0},
      {"one float further", 4, kFar, 64, false, 39 * 4},
      {"one float before", -4, kFar, 64, false, 39 * 4},
      {"one work-group further", 256, kFar, 64, false, 38 * 256 + 59 * 4},
      {"where only the last one loads", 4 * (kSome - 1), kFar, 64, false, 4},
      {"where only the last one stores", -4 * int64_t{kSome - 1}, kFar, 64, false, 4},
      {"a scalar in the first work-group", 0, 0, 64, false, 39 * 4},
      {"a scalar in the last work-group", 0, 4 * (kSome - 1), 64, false, 4},
      {"a scalar behind it", 0, 4 * kSome, 64, false, 0},
      {"work-groups that share a float", 0, kFar, 63, false, 39 * 4},
      {"one place for all", 0, kFar, 0, false, 38 * 256 + 59 * 4},
  };
  for (const Place& p : places) {
    SCOPED_TRACE(p.what);
    Lines lines;
    lines.arguments();
    if (p.falls) {
      add_falling_index(lines, p.stride);
    } else {
      lines.index(p.stride);
    }
    lines.wide(0).wide(1).load(kData, 0).load(kData + 1, 1).add(s_load(kOther, 1, kPointers[2], 0));
    lines.add(op(What::Waitcnt, 0)).add(kSum).store(kData, 1);
    Case one = case_of(lines.end(), kItems, 64);
    one.memory = {};
    constexpr uint64_t kRoom = 65536;
    map_ranges(one.memory, {{kX - kRoom, kX + kRoom},
                            {kX + kFar, kX + kFar + kRoom},
                            {kX + 2 * kFar, kX + 2 * kFar + kRoom},
                            {kKernarg, kKernarg + 4 * kArgumentWords}});
    one.dispatches[0].grid[0] = kSome;
    one.setup.threads = 2;
    const auto at = [](int64_t offset) { return kX + static_cast<uint64_t>(offset); };
    one.dispatches[0].arguments =
        arguments(kX, at(p.y), at(p.z), 0, p.falls ? (kGroups - 1) * p.stride : 0);
    const Verdict verdict = judge(one);
    EXPECT_FALSE(verdict.wild);
    EXPECT_EQ(verdict.race_bytes, p.races);
    EXPECT_EQ(verdict.restarted, p.races != 0);
  }
}

/// The last work-group has an offset that wraps around, to where the first one loads.
TEST(GoldenPlainDispatchLinear, RaceBehindTheEndOfANumber) {
  constexpr uint64_t kPage = 65536, kLast = uint64_t{1} << 32, kBehind = 39 * 256;
  Lines lines;
  lines.arguments().index(64).based(0).based(1).load(kData, 0).load(kData + 1, 1);
  Case one = case_of(lines.fma().store(kData, 1).end(), 64, 64);
  one.memory = {};
  map_ranges(one.memory, {{kY - kLast, kY - kLast + kPage},
                          {kY, kY + kPage},
                          {kY + kLast - kPage, kY + kLast + kPage},
                          {kKernarg, kKernarg + 4 * kArgumentWords}});
  one.dispatches[0].grid[0] = kItems - 5;
  // x + offset begins at y.
  one.dispatches[0].arguments =
      arguments(kY - (kLast - kBehind), kY, kZ, 0, 0x40000000 - kBehind / 4);
  one.setup.threads = 2;
  const Verdict verdict = judge(one);
  EXPECT_EQ(verdict.race_bytes, 59u * 4);
  EXPECT_TRUE(verdict.restarted);
}

/// Rows of work-groups that do the same.
TEST(GoldenPlainDispatchLinear, RacesOfRows) {
  Case one = case_of(saxpy(64), kItems, 64);
  one.dispatches[0].grid = {kItems, 3, 1};
  for (const unsigned threads : {1u, 2u}) {
    one.setup.threads = threads;
    const Verdict verdict = judge(one);
    EXPECT_EQ(verdict.race_bytes, threads == 2 ? uint64_t{2} * kItems * 4 : 0);
  }
}

/// A grid that begins later, with memory behind its end.
TEST(GoldenPlainDispatchLinear, Starts) {
  for (const uint32_t start : {1u, 5u, 16u}) {
    for (const uint16_t size : {64, 256}) {
      Case one = case_of(saxpy(size), 2 * kItems, size);
      one.dispatches[0].grid[0] = 2 * kItems - 37;
      map_ranges(one.memory, {{kY + 8 * kItems, kY + 16 * kItems}});
      one.dispatches[0].start = {start, 0, 0};
      EXPECT_FALSE(judge(one).wild);
    }
  }
}

/// Stopped by a NaN in the middle of a work-group, going on, stopped by the watchdog.
TEST(GoldenPlainDispatchLinear, Interruptions) {
  const auto ops = saxpy(256);
  for (const uint32_t wave : {1u, 13u, 14u, 19u}) {
    Case one = case_of(ops, 64 * 100, 256);
    one.setup.resident_waves = 8;
    one.memory.put(kX + 256 * wave, 0x7fc00000);
    EXPECT_FALSE(judge(one).wild);
    for (uint64_t limit = 1; limit < 100; limit += 3) {
      one.setup.watchdog = limit * ops.size() + limit % 5 - 2;
      EXPECT_TRUE(judge(one).watchdog);
    }
  }
  // Many work-groups of which a part was done, and others behind them.
  Case many = case_of(ops, 64 * 3000, 256);
  for (const uint32_t wave : {1u, 6u, 1023u, 2002u}) {
    many.memory.put(kX + 256 * wave, 0x7fc00000);
    EXPECT_FALSE(judge(many).wild);
  }
}

/// Work-groups on top of each other, in one another, apart, and coming down; stores where the next
/// or the last wave loads.
TEST(GoldenPlainDispatchLinear, Strides) {
  for (const uint32_t stride : {0u, 1u, 32u, 63u, 64u, 65u, 128u, 256u, 1000u}) {
    for (const uint16_t size : {64, 128, 256}) {
      for (const bool falls : {false, true}) {
        SCOPED_TRACE(testing::Message() << stride << " " << size << " " << falls);
        const uint32_t groups = kItems / size;
        Lines lines;
        lines.arguments();
        if (falls) {
          add_falling_index(lines, stride);
        } else {
          lines.index(stride);
        }
        lines.wide(0).based(1).load(kData, 0).load(kData + 1, 1);
        Case one = case_of(lines.fma().store(kData, 1).end(), groups * stride + 2 * size, size);
        one.dispatches[0].grid[0] = kItems;
        const uint32_t start = falls ? (groups - 1) * stride : 0;
        for (const int64_t shift : {int64_t{1} << 32, int64_t{4}, int64_t{0}, int64_t{256}}) {
          one.dispatches[0].arguments =
              arguments(kX, kX + static_cast<uint64_t>(shift), kZ, 0, start);
          EXPECT_FALSE(judge(one).wild);
          one.dispatches[0].arguments =
              arguments(kX + static_cast<uint64_t>(shift), kX, kZ, 0, start);
          EXPECT_FALSE(judge(one).wild);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
