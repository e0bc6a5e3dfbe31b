// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves without loops: shapes, operations, scalars that differ between
// work-groups, and what the machine is told.
#include "golden_plain_dispatch_cases.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

namespace cuvette::golden::plain {
namespace {

constexpr uint32_t kItems = 64 * 40;

/// The loads of saxpy(), with what comes between them and the store from `middle`.
std::vector<Op> with_middle(const std::vector<Op>& middle) {
  Lines lines;
  lines.arguments().index(64).wide(0).wide(1).load(kData, 0).load(kData + 1, 1);
  for (const Op& op : middle) lines.add(op);
  return lines.store(kData, 1).end();
}

/// Against a formula: the evaluation is right, too.
TEST(GoldenPlainDispatchCases, Saxpy) {
  constexpr uint32_t kMany = 3000 * 64;
  for (const bool based : {false, true}) {
    Case one = case_of(saxpy(256, based), kMany, 256);
    one.level = based ? wave::lanes::HostLevel::Avx2 : wave::lanes::HostLevel::Avx512;
    Memory after;
    const Verdict verdict = judge(one, &after);
    EXPECT_EQ(verdict.waves, 3000u);
    const auto number = [](Memory& memory, uint64_t address) {
      return std::bit_cast<float>(memory.word(address));
    };
    for (uint64_t at = 0; at < 4 * kMany; at += 4) {
      const float x = number(one.memory, kX + at), y = number(one.memory, kY + at);
      ASSERT_EQ(number(after, kY + at), std::fma(0.75f, x, y)) << at;
    }
  }
}

/// As clang has it: the size from the packet, the index and addresses in v[0:1], and a load that
/// takes the register of its address.
TEST(GoldenPlainDispatchCases, Compiled) {
  for (const uint16_t size : {64, 256, 100}) {
    const std::vector<Op> ops = {s_load(0, 1, 4, 4),
                                 s_load(20, 4, 6, 0),
                                 s_load(kScale, 1, 6, 4 * kScaleWord),
                                 op(What::Waitcnt, 0),
                                 op(What::SAnd, 0, s(0), literal(0xffff)),
                                 op(What::SMul, 8, s(8), s(0)),
                                 op(What::Add, 0, s(8), v(0)),
                                 op(What::Mov, 1, number(0)),
                                 op(What::Shl64, 0, number(2), v(0)),
                                 op(What::Mov, 3, s(21)),
                                 op(What::AddCo, 2, s(20), v(0)),
                                 op(What::Addc, 3, v(3), v(1)),
                                 memory(What::Load, 2, 2),
                                 op(What::Mov, 3, s(23)),
                                 op(What::AddCo, 0, s(22), v(0)),
                                 op(What::Addc, 1, v(3), v(1)),
                                 memory(What::Load, 3, 0),
                                 op(What::Waitcnt, 0),
                                 op(What::FmacF, 3, s(kScale), v(2)),
                                 memory(What::Store, 3, 0),
                                 op(What::End, 0)};
    Case one = case_of(ops, kItems, size);
    one.kernel.buffer = one.kernel.packet = true;
    one.setup.packet = kPacket;
    one.memory.add(kPacket, 64);
    one.memory.sort();
    one.memory.put(kPacket + 4, uint32_t{size} | 0x10000);
    for (const int64_t floats :
         {int64_t{kItems}, int64_t{1}, int64_t{-1}, int64_t{64}, int64_t{0}}) {
      const auto shift = static_cast<uint64_t>(4 * floats);
      one.dispatches[0].arguments =
          floats == kItems ? arguments(kX, kY, kZ) : arguments(kX + 4096, kX + 4096 + shift, kZ);
      one.dispatches[0].grid[0] = floats == kItems ? kItems : kItems - 1500;
      EXPECT_FALSE(judge(one).wild);
    }
  }
}

/// Sizes that fill their last wave and sizes that do not, with and without a smaller last group.
TEST(GoldenPlainDispatchCases, Shapes) {
  for (const uint16_t size : {1, 2, 63, 64, 65, 100, 128, 130, 192, 256, 500, 1000, 1024}) {
    for (const uint32_t less : {0u, 1u, 37u, 63u, 64u}) {
      for (const uint32_t groups : {1u, 2u, 3u, 30u}) {
        if (less >= size) continue;
        SCOPED_TRACE(size);
        EXPECT_FALSE(judge(case_of(saxpy(size, less % 2 == 0), groups * size - less, size)).wild);
      }
    }
  }
}

TEST(GoldenPlainDispatchCases, FirstWorkgroups) {
  for (const uint32_t start : {1u, 2u, 7u, 39u}) {
    Case one = case_of(saxpy(64), kItems - 5, 64);
    one.dispatches[0].start = {start, 0, 0};
    EXPECT_EQ(judge(one).waves, 40 - start);
  }
}

/// Rows of work-groups: the work-item's row times the pitch, and its column.
TEST(GoldenPlainDispatchCases, TwoDimensions) {
  struct Size {
    uint16_t x, y;
    uint32_t grid_x, grid_y;
  };
  for (const Size& size : {Size{8, 8, 80, 80}, Size{64, 1, 640, 7}, Size{64, 4, 320, 30},
                           Size{16, 16, 100, 100}, Size{10, 7, 99, 50}, Size{1, 64, 5, 640}}) {
    for (const uint32_t pitch : {size.grid_x, size.grid_x + 3, size.grid_x - 1}) {
      Lines lines;
      lines.arguments().index(size.x);
      lines.add(op(What::SMul, kScratch, s(3), literal(size.y)))
          .add(op(What::Add, 10, s(kScratch), v(1)))
          .add(op(What::SMov, kScratch, literal(pitch)))
          .add(op(What::MulLo, 10, v(10), s(kScratch)))
          .add(op(What::Add, kIndex, v(10), v(kIndex)));
      lines.wide(0).based(1).load(kData, 0).load(kData + 1, 1);
      const auto ops = lines.fma().store(kData, 1).end();
      Case one = case_of(ops, size.grid_y * (pitch + 100), 64);
      one.kernel.id_y = true;
      one.dispatches[0].grid = {size.grid_x, size.grid_y, 1};
      one.dispatches[0].workgroup = {size.x, size.y, 1};
      EXPECT_FALSE(judge(one).wild);
      one.dispatches[0].start = {1, 2, 0};
      EXPECT_FALSE(judge(one).wild);
    }
  }
}

/// A scale that changes at one work-group: each comparison, first, in the middle and last.
TEST(GoldenPlainDispatchCases, ScaleOfTheWorkgroup) {
  for (const What what :
       {What::SCmpEq, What::SCmpLg, What::SCmpGt, What::SCmpGe, What::SCmpLt, What::SCmpLe}) {
    for (const int middle : {0, 1, 17, 38, 39, 40}) {
      const auto ops = with_middle({op(what, 0, s(2), number(middle)),
                                    op(What::SCselect, kScale, s(kScale), literal(0x40490fdb)),
                                    op(What::FmaF, kData, s(kScale), v(kData), v(kData + 1))});
      EXPECT_FALSE(judge(case_of(ops, kItems, 64)).wild);
      EXPECT_FALSE(judge(case_of(ops, kItems, 128)).wild);
    }
  }
}

/// Carry and borrow of sums that grow with the work-group.
TEST(GoldenPlainDispatchCases, CarryChooses) {
  for (const uint32_t step : {0x04000000u, 0x80000000u, 0xffffffffu, 1u}) {
    for (const uint32_t first : {0u, 0xfffffff0u, 0x7fffffffu, 0xf0000000u}) {
      for (const What what : {What::SAdd, What::SSub}) {
        const auto ops = with_middle({op(What::SMul, kScratch, s(2), literal(step)),
                                      op(what, kScratch, s(kScratch), literal(first)),
                                      op(What::SCselect, kScale, s(kScale), number(0)),
                                      op(What::FmaF, kData, s(kScale), v(kData), v(kData + 1))});
        judge(case_of(ops, kItems, 64));
      }
    }
  }
}

/// The work-group as a number, a word of a table, the first lane's value, lanes of a carry.
TEST(GoldenPlainDispatchCases, ScalarsThatVary) {
  const Op sum = op(What::FmaF, kData, s(kOther), v(kData), v(kData + 1));
  judge(case_of(with_middle({op(What::ToFloat, kData + 3, s(2)),
                             op(What::FmacF, kData, v(kData + 3), v(kData + 1))}),
                kItems, 64));
  judge(case_of(with_middle({op(What::AddF, kData, s(2), v(kData + 1))}), kItems, 64));
  Op table = s_load(kOther, 1, kPointers[1], 0);
  table.by_register = true;
  table.a = s(kScratch);
  judge(case_of(with_middle({op(What::SLshl, kScratch, s(2), number(2)), table, sum}), kItems, 64));
  judge(case_of(with_middle({op(What::SLshl, kScratch, s(2), number(8)), table, sum}), kItems, 64));
  judge(case_of(with_middle({op(What::ReadFirst, kOther, v(kData)), sum}), kItems, 64));
  judge(case_of(with_middle({op(What::SAnd, kOther, s(kVcc), literal(0x3fffffff)), sum}), kItems,
                65));
}

/// One special number, first as x, then as y, of one lane of one wave.
TEST(GoldenPlainDispatchCases, OneSpecialNumber) {
  constexpr uint32_t kSpecials[] = {0x7fc00001, 0xffd23456, 0x7f800001, 0xff923456, 0x7f800000,
                                    0xff800000, 0x00000001, 0x807fffff, 0x80000000, 0x7f7fffff};
  constexpr What kWhats[] = {What::AddF, What::SubF,  What::MulF, What::MaxF,
                             What::MacF, What::FmacF, What::FmaF};
  unsigned place = 7;
  for (const What what : kWhats) {
    for (const uint32_t special : kSpecials) {
      for (const uint64_t buffer : {kX, kY}) {
        const bool three = what == What::FmaF;
        const Op own = three ? op(what, kData, s(kScale), v(kData), v(kData + 1))
                             : op(what, kData, v(kData), v(kData + 1));
        Case one = case_of(with_middle({own}), kItems, 64);
        place = (place * 5 + 1) % kItems;
        one.memory.put(buffer + 4 * place, special);
        judge(one);
        one.level = static_cast<wave::lanes::HostLevel>(place % 4);
        one.careful = true;
        one.kernel.modes.ieee = false;
        one.kernel.modes.denorm = hsa::FloatDenorm::FlushSrcDst;
        judge(one);
      }
    }
  }
}

/// Every mode of rounding and flushing, on numbers of all magnitudes.
TEST(GoldenPlainDispatchCases, Modes) {
  Random random(1);
  for (unsigned mode = 0; mode < 16; ++mode) {
    for (const What what : {What::AddF, What::MulF, What::MaxF, What::MacF, What::FmacF}) {
      Case one = case_of(with_middle({op(what, kData, v(kData + 1), v(kData))}), kItems, 256);
      for (const uint64_t buffer : {kX, kY}) {
        const uint32_t some = random.pick({0u, 0x1f000000u, 0x3f000000u});
        for (uint32_t n = 0; n < kItems; ++n) {
          one.memory.put(buffer + 4 * n, some + random.word() % 0x01800000 + (random.word() << 31));
        }
      }
      one.kernel.modes.round = static_cast<hsa::FloatRound>(mode % 4);
      one.kernel.modes.denorm = static_cast<hsa::FloatDenorm>(mode / 4);
      judge(one);
    }
  }
}

/// Signs, magnitudes and clamps of VOP3.
TEST(GoldenPlainDispatchCases, Modifiers) {
  for (const What what :
       {What::AddF, What::SubF, What::MulF, What::MaxF, What::MacF, What::FmacF, What::FmaF}) {
    for (unsigned bits = 0; bits < 32; ++bits) {
      Op own = op(what, kData, s(kScale), v(kData), v(kData + 1));
      own.wide = true;
      own.neg = bits & 3;
      own.abs = bits >> 2 & 3;
      if (what == What::FmaF) own.neg |= bits >> 2 & 4;
      own.clamp = bits % 5 == 0;
      judge(case_of(with_middle({own}), 64 * 20, 64));
    }
  }
}

/// More than one load, operation and store per item.
TEST(GoldenPlainDispatchCases, Kernels) {
  const Op more = op(What::FmaF, kData + 2, v(kData), v(kData + 1), v(kData));
  std::vector<std::vector<Op>> kernels;
  // Twice, the second time with what has just been stored.
  Lines twice;
  twice.arguments().index(64).wide(0).wide(1).load(kData, 0).load(kData + 1, 1).fma();
  twice.store(kData, 1).load(kData + 1, 1).load(kData, 0).fma();
  kernels.push_back(twice.store(kData, 1).end());
  // The second time from the neighbour.
  Lines next;
  next.arguments().index(64).wide(0).wide(1).load(kData, 0).load(kData + 1, 1).fma();
  next.store(kData, 1).load(kData + 1, 1, 4).load(kData, 0).fma();
  kernels.push_back(next.store(kData, 0).end());
  // A second operation on a loaded value.
  Lines again;
  again.arguments().index(64).wide(0).wide(1).load(kData, 0).load(kData + 1, 1);
  again.add(more).store(kData + 2, 1).fma();
  kernels.push_back(again.store(kData, 0).end());
  // The same value twice, also over what others store.
  Lines same;
  same.arguments().index(64).wide(0).wide(1).load(kData, 0).load(kData + 1, 1).fma();
  kernels.push_back(same.store(kData, 1).store(kData, 1, 16).store(kData, 0).end());
  // Results that are overwritten before anybody stores them.
  Lines lost;
  lost.arguments().index(64).wide(0).wide(1).load(kData, 0).load(kData + 1, 1).add(more).fma();
  kernels.push_back(lost.load(kData + 2, 0).store(kData + 2, 1).end());
  // Pairs of words.
  Lines pairs;
  pairs.arguments().index(64).wide(0).wide(1, kVcc, 3).load(kData, 0).load(kData + 1, 1).fma();
  kernels.push_back(pairs.store(kData, 1).end());
  // Steps of 8 bytes for one or both.
  Lines both;
  both.arguments().index(64).based(0, 3).based(1, 3).load(kData, 0).load(kData + 1, 1).fma();
  kernels.push_back(both.store(kData, 1, 4).end());
  // Words that share bytes with their neighbours.
  Lines bytes;
  bytes.arguments().index(64).based(0, 1).based(1, 0).load(kData, 0).load(kData + 1, 1).fma();
  kernels.push_back(bytes.store(kData, 1, 1).end());
  for (const auto& ops : kernels) {
    Case one = case_of(ops, kItems * 2 + 8, 64);
    one.dispatches[0].grid[0] = kItems;
    EXPECT_FALSE(judge(one).wild);
    one.dispatches[0].workgroup[0] = 256;
    judge(one);
    one.dispatches[0].arguments = arguments(kX, kX, kZ);
    judge(one);
    one.dispatches[0].arguments = arguments(kX, kX + 4, kZ);
    judge(one);
    one.setup.slice = 17;
    judge(one);
  }
}

/// Loads and stores of several words.
TEST(GoldenPlainDispatchCases, WideAccesses) {
  for (unsigned dwords = 2; dwords <= 4; ++dwords) {
    Lines lines;
    lines.arguments().index(64).wide(0, kVcc, 4).based(1, 4);
    lines.load(kData, 0);
    lines.ops.back().dwords = dwords;
    lines.add(op(What::AddF, kData, s(kScale), v(kData))).store(kData, 1);
    lines.ops.back().dwords = dwords;
    Case one = case_of(lines.end(), kItems * 4, 64);
    one.dispatches[0].grid[0] = kItems;
    EXPECT_FALSE(judge(one).wild);
    one.dispatches[0].arguments = arguments(kX, kX + 8, kZ);
    judge(one);
    one.dispatches[0].grid[0] = kItems + 1;
    EXPECT_TRUE(judge(one).wild);
  }
}

/// Every number of instructions that a small dispatch can be stopped after.
TEST(GoldenPlainDispatchCases, Watchdog) {
  const auto ops = saxpy(64);
  for (uint64_t limit = 1; limit <= 5 * ops.size() + 2; ++limit) {
    Case one = case_of(ops, 64 * 5, 64);
    one.setup.watchdog = limit;
    EXPECT_EQ(judge(one).watchdog, limit < 5 * ops.size());
    if (limit % 3 != 0) continue;
    one.setup.resident_waves = 1;
    judge(one);
    one.setup.slice = 7;
    judge(one);
    one.setup.resident_waves = 4;
    judge(one);
  }
  for (const uint64_t waves : {10, 255, 256, 257, 999}) {
    for (const uint64_t more : {0, 1, 20}) {
      Case one = case_of(ops, 64 * 1000, 64);
      one.setup.watchdog = waves * ops.size() + more;
      EXPECT_TRUE(judge(one).watchdog);
    }
  }
}

TEST(GoldenPlainDispatchCases, Slices) {
  for (uint32_t slice = 1; slice <= 40; ++slice) {
    for (const uint32_t resident : {1u, 4u, 256u}) {
      Case one = case_of(saxpy(100, slice % 2 == 0), 100 * 9 - 7, 100);
      one.setup.slice = slice;
      one.setup.resident_waves = resident;
      one.setup.poison = slice % 3 == 0;
      judge(one);
    }
  }
}

/// One machine, the same kernel again and again with other arguments and sizes.
TEST(GoldenPlainDispatchCases, SeveralDispatches) {
  Case one = case_of(saxpy(64), kItems, 64);
  Dispatch d = one.dispatches[0];
  one.dispatches.push_back(d);
  d.arguments[kScaleWord] = 0xbf000000;
  one.dispatches.push_back(d);
  d.arguments = arguments(kY, kX, kZ);
  one.dispatches.push_back(d);
  d.arguments = arguments(kX, kX, kZ);
  one.dispatches.push_back(d);
  d.arguments = arguments(kX, kY, kZ, 0, 64);
  d.grid[0] = 640;
  one.dispatches.push_back(d);
  d.start[0] = 3;
  one.dispatches.push_back(d);
  d.start[0] = 0;
  d.workgroup[0] = 128;
  one.dispatches.push_back(d);
  // Outside, then inside again.
  d.workgroup[0] = 64;
  d.grid[0] = kItems;
  one.dispatches.push_back(d);
  d.arguments = arguments(kX, kY, kZ);
  one.dispatches.push_back(d);
  EXPECT_TRUE(judge(one).wild);
}

/// Other code at the same address, and memory that is there no longer.
TEST(GoldenPlainDispatchCases, ChangesBetweenDispatches) {
  Case one = case_of(saxpy(64), kItems, 64);
  Dispatch d = one.dispatches[0];
  d.ops = with_middle({op(What::MaxF, kData, v(kData), v(kData + 1))});
  one.dispatches.push_back(d);
  d.ops = saxpy(64, true);
  one.dispatches.push_back(d);
  d.ops = saxpy(32);
  one.dispatches.push_back(d);
  d.ops.clear();
  one.dispatches.push_back(d);
  EXPECT_FALSE(judge(one).wild);
  d.unmapped = kX;
  one.dispatches.push_back(d);
  EXPECT_TRUE(judge(one).wild);
}

/// A store to an instruction that has been fetched already: the next dispatch sees it.
TEST(GoldenPlainDispatchCases, StoresToTheCode) {
  constexpr uint32_t kItem = 64 * 7 + 9, kStep = 256;
  const auto kernel = [](What what) {
    Lines lines;
    lines.arguments().index(64).wide(0).wide(1, kVcc, 8).load(kData, 0).load(kData + 1, 1);
    lines.add(op(what, kData, v(kData + 2), v(kData)));
    lines.add(op(What::MaxF, kData, s(kScale), v(kData)));
    return lines.store(kData, 1).end();
  };
  // The word of V_SUB_F32, which is a number, over that of V_ADD_F32.
  const auto words = words_of(kernel(What::AddF)), other = words_of(kernel(What::SubF));
  const auto at = static_cast<size_t>(
      std::mismatch(words.begin(), words.end(), other.begin()).first - words.begin());
  Case one = case_of(kernel(What::AddF), kItems, 64);
  Dispatch& d = one.dispatches[0];
  const uint64_t y = kEntry + 4 * at - kStep * kItem;
  d.arguments = arguments(kX, y, kZ);
  d.arguments[kScaleWord] = 0;
  one.memory.add(y, kEntry - y);
  one.memory.add(kEntry + 4096, kStep * kItems);
  one.memory.sort();
  one.memory.put(kX + 4 * kItem, other[at]);
  Dispatch next = d;
  next.ops = kernel(What::SubF);
  one.dispatches.push_back(next);
  Memory after;
  EXPECT_FALSE(judge(one, &after).wild);
  // By the second dispatch: the larger of 0 and 0 - number.
  EXPECT_EQ(after.word(kEntry + 4 * at), 0u);
}

}  // namespace
}  // namespace cuvette::golden::plain
