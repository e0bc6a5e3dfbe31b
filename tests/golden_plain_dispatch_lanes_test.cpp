// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Numbers that follow from that of lane 0 in most waves, and waves whose lanes differ from that: in
// kernels that are one stream, and in those that store twice and run wave by wave.
#include <gtest/gtest.h>

#include "golden_plain_dispatch_guard.h"

namespace cuvette::golden::plain {
namespace {

constexpr uint32_t kItems = 64 * 40, kSpare = 256;
constexpr uint32_t kMiddle = uint32_t{1} << 31;
constexpr unsigned kFirst = 10, kSecond = 16;  // VGPRs

/// Loads, fused multiply-add, and one or two stores.
std::vector<Op> saxpy_behind(GuardLines lines, bool twice) {
  lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
  if (twice) lines.store(kData, 1);
  return lines.end();
}

/// From the first address in x and in y on, and others that far away from it.
void map_around(Case& one, uint64_t first, uint64_t bytes, const std::vector<uint64_t>& away) {
  std::vector<Interval> ranges;
  for (const uint64_t base : {kX, kY}) {
    for (const uint64_t offset : away) {
      ranges.push_back({base + first + offset, base + first + offset + bytes});
    }
  }
  map_only(one, ranges);
}

void judge_ways(const GuardLines& lines, uint32_t start, uint64_t first, uint64_t bytes,
                const std::vector<uint64_t>& away) {
  for (const bool twice : {false, true}) {
    for (const uint16_t size : {64, 256}) {
      SCOPED_TRACE(testing::Message() << "stores twice " << twice << ", work-groups of " << size);
      Case one = case_of(saxpy_behind(lines, twice), kItems, size);
      one.dispatches[0].arguments = arguments(kX, kY, kZ, 0, start);
      map_around(one, first, bytes, away);
      EXPECT_FALSE(judge(one).wild);
    }
  }
}
/// The index begins at `start`, and there is memory around that.
void judge_from(const GuardLines& lines, uint32_t start) {
  judge_ways(lines, start, 4 * uint64_t{start}, 4 * (4 * kItems + kSpare), {0});
}

GuardLines begin() {
  GuardLines lines;
  lines.all_arguments();
  return lines;
}

/// To x[i] and y[i], where i has 64 bits.
void add_pointers(GuardLines& lines) {
  for (const unsigned n : {0u, 1u}) {
    const unsigned low = kAddresses[n];
    lines.add(op(What::Shl64, kFirst, number(2), v(kIndex)));
    lines.add(op(What::Mov, low + 1, s(kPointers[n] + 1)));
    lines.add(op(What::AddCo, low, s(kPointers[n]), v(kFirst)));
    lines.add(op(What::Addc, low + 1, v(low + 1), v(kFirst + 1)));
  }
}

TEST(GoldenPlainDispatchLanes, CarriesOfSomeLanes) {
  for (const uint32_t low : {0u, 1u, 0xffff0000u, ~0u}) {
    for (const uint32_t high : {0u, 0x7fffffffu, ~0u}) {
      SCOPED_TRACE(testing::Message() << std::hex << high << " " << low);
      GuardLines lines = begin();
      lines.index(64);
      lines.add(op(What::SMov, kVcc, literal(low))).add(op(What::SMov, kVcc + 1, literal(high)));
      lines.add(op(What::Addc, kIndex, number(0), v(kIndex)));
      lines.wide(0).wide(1);
      judge_from(lines, 0);
    }
  }
}

/// An offset in bytes with a sign that changes within a wave.
TEST(GoldenPlainDispatchLanes, SignsOfSomeLanes) {
  for (const uint32_t before : {4 * (64 * 20 + 32), 4 * (64 * 20 + 1), 4 * (64 * 20 + 63), 256}) {
    SCOPED_TRACE(before);
    GuardLines lines = begin();
    lines.add(op(What::SMul, kGroup, s(2), literal(256)));
    lines.add(op(What::SAdd, kGroup, s(kGroup), s(kStart)));
    lines.add(op(What::LshlAdd, kIndex, v(0), number(2), s(kGroup)));
    lines.add(op(What::Ashr, kIndex + 1, number(31), v(kIndex)));
    for (const unsigned n : {0u, 1u}) {
      const unsigned low = kAddresses[n];
      lines.add(op(What::Mov, low + 1, s(kPointers[n] + 1)));
      lines.add(op(What::AddCo, low, s(kPointers[n]), v(kIndex)));
      lines.add(op(What::Addc, low + 1, v(low + 1), v(kIndex + 1)));
    }
    // In work-groups of 256 the waves of a row lie in one another's place.
    judge_ways(lines, kMiddle - before, kMiddle - before, 4 * (4 * kItems + kSpare),
               {0, 0 - (uint64_t{1} << 32)});
  }
}

/// kIndex + 1 is 0, and 1, or with a sign -1, from the 32nd lane of the 20th wave on.
void add_step(GuardLines& lines, What shift = What::Lshr) {
  // Not of the index: nothing else looks at that.
  lines.add(op(What::SAdd, kScratch, s(kGroup), literal(kMiddle - 64 * 20 - 32)));
  lines.add(op(What::Add, kSecond, s(kScratch), v(0)));
  lines.add(op(shift, kIndex + 1, number(31), v(kSecond)));
}

/// Offsets in bytes that are compared with a sign until they have one.
TEST(GoldenPlainDispatchLanes, SignsInComparisons) {
  for (const Cond cond : {Cond::Le, Cond::Lt, Cond::Gt, Cond::Ge, Cond::Ne}) {
    for (const Type type : {Type::I32, Type::U32}) {
      for (const uint32_t bound : {0u, kMiddle - 1, kMiddle, 5u, ~0u}) {
        SCOPED_TRACE(testing::Message()
                     << static_cast<int>(cond) << " " << static_cast<int>(type) << " " << bound);
        constexpr uint32_t kStartAt = kMiddle - 4 * (64 * 20 + 32);
        GuardLines lines = begin();
        lines.add(op(What::SMul, kGroup, s(2), literal(256)));
        lines.add(op(What::SAdd, kGroup, s(kGroup), s(kStart)));
        lines.add(op(What::LshlAdd, kIndex, v(0), number(2), s(kGroup)));
        Guard guard;
        guard.cond = cond;
        guard.type = type;
        lines.open(guard);
        for (const unsigned n : {0u, 1u}) {
          const unsigned low = kAddresses[n];
          lines.add(op(What::Mov, low + 1, s(kPointers[n] + 1)));
          lines.add(op(What::AddCo, low, s(kPointers[n]), v(kIndex)));
          lines.add(op(What::Addc, low + 1, number(0), v(low + 1)));
        }
        lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
        lines.close();
        Case one = case_of(lines.end(), kItems, 64);
        one.dispatches[0].arguments = arguments(kX, kY, kZ, 0, kStartAt);
        set_bounds(one.dispatches[0], bound);
        map_around(one, kStartAt, 4 * (kItems + kSpare), {0});
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// The upper half of a shifted pair is not the same in all lanes.
TEST(GoldenPlainDispatchLanes, HalvesOfSomeLanes) {
  for (const What shift : {What::Lshr, What::Ashr}) {
    GuardLines lines = begin();
    lines.index(64);
    add_step(lines, shift);
    add_pointers(lines);
    const uint64_t step = uint64_t{1} << 34;
    judge_ways(lines, 0, 0, 4 * (4 * kItems + kSpare), {0, shift == What::Lshr ? step : 0 - step});
  }
}

/// Upper halves in a comparison.
TEST(GoldenPlainDispatchLanes, ComparedHalves) {
  for (const Cond cond : {Cond::Lt, Cond::Eq, Cond::Gt, Cond::Ne}) {
    for (const uint64_t bound : {uint64_t{5000}, uint64_t{1} << 32, (uint64_t{1} << 32) + 1320}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << bound);
      GuardLines lines = begin();
      lines.index(64).wide(0).wide(1);
      add_step(lines);
      lines.add(compare(What::Cmp, cond, Type::U64, s(kBounds[0]), v(kIndex)));
      lines.load(kData, 0).load(kData + 1, 1);
      lines.add(op(What::Cndmask, kData, v(kData), v(kData + 1)));
      lines.store(kData, 1).store(kData, 1);
      judge(guarded_case(lines.end(), kItems, 64, bound));
    }
  }
}

/// Upper halves that are no sign, and V_AND that takes bits away.
TEST(GoldenPlainDispatchLanes, UpperHalves) {
  const auto with_high = [](const std::vector<Op>& high) {
    GuardLines lines = begin();
    lines.index(64);
    for (const Op& one : high) lines.add(one);
    add_pointers(lines);
    return lines;
  };
  const unsigned high = kIndex + 1;
  const uint64_t bytes = 4 * (4 * kItems + kSpare);
  constexpr uint32_t kStartAt = (1u << 30) - 64 * 20 - 32;  // bit 30 comes within a wave
  judge_ways(with_high({op(What::Ashr, high, number(30), v(kIndex))}), kStartAt,
             4 * uint64_t{kStartAt}, bytes, {0, uint64_t{1} << 34});
  judge_ways(with_high({op(What::Mov, high, number(2)), op(What::And, high, number(5), v(high))}),
             0, 0, bytes, {0});
  judge_ways(with_high({op(What::Mov, high, number(6)), op(What::And, high, number(3), v(high))}),
             0, 0, bytes, {uint64_t{2} << 34});
  judge_ways(with_high({op(What::Mov, high, number(6)), op(What::And, high, number(7), v(high))}),
             0, 0, bytes, {uint64_t{6} << 34});
}

/// Bits of an index that are taken away from some wave on, or within one.
TEST(GoldenPlainDispatchLanes, MaskedIndices) {
  for (const uint32_t bits : {1023u, 2047u, 511u, 63u, 1022u, 0x7fffffffu}) {
    for (const uint32_t start : {0u, 32u, 1u}) {
      SCOPED_TRACE(testing::Message() << bits << " " << start);
      GuardLines lines = begin();
      lines.index(64);
      lines.add(op(What::And, kIndex, literal(bits), v(kIndex))).wide(0).wide(1);
      judge_ways(lines, start, 0, 4 * (4 * kItems + kSpare), {0});
      // Work-groups that store to the same place are told.
      Case one = case_of(saxpy_behind(lines, false), kItems, 64);
      one.setup.threads = 2;
      EXPECT_EQ(judge(one).restarted, bits < kItems);
    }
  }
}

/// Bits that an index has got from some wave on.
TEST(GoldenPlainDispatchLanes, JoinedIndices) {
  for (const uint32_t bits : {1024u, 64u, 4096u, 1u}) {
    SCOPED_TRACE(bits);
    GuardLines lines = begin();
    lines.index(64);
    lines.add(op(What::Or, kIndex, literal(bits), v(kIndex))).wide(0).wide(1);
    judge_ways(lines, 0, 0, 4 * (8 * kItems + kSpare), {0});
  }
}

/// Waves without lanes go on to the store, with an address that is not that of the others.
TEST(GoldenPlainDispatchLanes, BranchesBeforeTheStore) {
  for (const uint32_t bound : {700u, 2 * kItems}) {
    SCOPED_TRACE(bound);
    GuardLines lines = begin();
    lines.index(64).wide(0).load(kData, 0);
    lines.add(op(What::Mov, kSecond, v(kIndex))).add(op(What::Mov, kIndex, v(0)));
    lines.wide(2).load(kData + 1, 2).fma();
    Guard guard;
    guard.index = v(kSecond);
    guard.close = Close::Or;
    lines.open(guard).add(op(What::Mov, kIndex, v(kSecond))).wide(2);
    lines.close().store(kData, 2, 2048);  // beyond what is loaded
    Case one = guarded_case(lines.end(), kItems + 512, 64, bound);
    one.dispatches[0].grid[0] = kItems;
    one.setup.threads = 2;
    EXPECT_EQ(judge(one).restarted, bound < kItems);
  }
}

/// A sum that ends where its range does.
TEST(GoldenPlainDispatchLanes, SumsThatStop) {
  for (const uint32_t most : {64u * 5, 64u * 5 + 10, 64u * 30 - 1}) {
    SCOPED_TRACE(most);
    GuardLines lines = begin();
    lines.index(64);
    Op sum = op(What::Add, kIndex, s(kOther), v(kIndex));
    sum.clamp = sum.wide = true;
    lines.add(op(What::SMov, kOther, literal(~most))).add(sum);
    lines.add(op(What::Subrev, kIndex, s(kOther), v(kIndex))).wide(0).wide(1);
    judge_from(lines, 0);
  }
}

/// Chooses between x and y by a comparison, which no EXEC follows.
std::vector<Op> choosing(const std::vector<Op>& before, bool twice) {
  const Op& comparison = before.back();
  GuardLines lines = begin();
  lines.index(64);
  for (const Op& one : before) lines.add(one);
  lines.wide(0).wide(1).load(kData, 0).load(kData + 1, 1);
  const Op choice = with_mask(op(What::Cndmask, kData, v(kData), v(kData + 1)), comparison.mask);
  lines.add(choice).store(kData, 1);
  if (twice) lines.store(kData, 1);
  return lines.end();
}

TEST(GoldenPlainDispatchLanes, Comparisons) {
  const auto judge_bound = [](Cond cond, Type type, uint32_t start, uint64_t bound, bool turned) {
    SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << static_cast<int>(type)
                                    << " " << start << " " << bound << " " << turned);
    const Source a = s(kBounds[0]), b = v(kIndex);
    const Op comparison = compare(What::Cmp, cond, type, turned ? b : a, turned ? a : b, kMasks[0]);
    const Op high = op(What::Mov, kIndex + 1, number(0));
    Case one = case_of(choosing({high, comparison}, true), kItems, 64);
    one.dispatches[0].arguments = arguments(kX, kY, kZ, 0, start);
    set_bounds(one.dispatches[0], bound);
    // Also around 0, where an index goes on that wraps around.
    map_around(one, 4 * uint64_t{start}, 4 * (kItems + kSpare), {0, 0 - 4 * uint64_t{start}});
    EXPECT_FALSE(judge(one).wild);
  };
  for (const Type type : {Type::I32, Type::U32, Type::I64, Type::U64}) {
    for (const Cond cond : {Cond::Lt, Cond::Eq, Cond::Le, Cond::Gt, Cond::Ne, Cond::Ge}) {
      for (const uint32_t start : {0u, kMiddle - 64 * 20 - 32, 0u - 64 * 39}) {
        for (const uint32_t at :
             {0u, 64u * 20 + 15, 64u * 20 + 31, 64u * 20 + 40, 64u * 20 + 63, 64u * 21}) {
          const uint64_t bound = start + uint64_t{at};
          judge_bound(cond, type, start, bound, at % 2 == 0);
          judge_bound(cond, type, start, bound + (uint64_t{1} << 32), at % 2 != 0);
        }
      }
    }
  }
}

/// Bounds that are not the same in all lanes.
TEST(GoldenPlainDispatchLanes, BoundsOfLanes) {
  for (const Cond cond : {Cond::Lt, Cond::Eq, Cond::Le, Cond::Gt, Cond::Ne, Cond::Ge}) {
    for (const bool twice : {false, true}) {
      for (const bool turned : {false, true}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << twice << " " << turned);
        GuardLines lines = begin();
        lines.index(64);
        // 64 * work-group + 63 - work-item
        lines.add(op(What::Sub, kSecond, number(63), v(0)));
        lines.add(op(What::Add, kSecond, s(kGroup), v(kSecond)));
        Guard guard;
        guard.cond = cond;
        guard.bound = v(kSecond);
        guard.turned = turned;
        lines.open(guard).wide(0).wide(1);
        lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
        if (twice) lines.store(kData, 1);
        judge(case_of(lines.close().end(), kItems, 64));
        const Source a = turned ? v(kIndex) : v(kSecond), b = turned ? v(kSecond) : v(kIndex);
        judge(case_of(choosing({op(What::Sub, kSecond, number(63), v(0)),
                                op(What::Add, kSecond, s(kGroup), v(kSecond)),
                                compare(What::Cmp, cond, Type::U32, a, b, kMasks[0])},
                               twice),
                      kItems, 64));
      }
    }
  }
}

/// Indices of 64 bits whose upper half is the work-group.
TEST(GoldenPlainDispatchLanes, HalvesOfGroups) {
  constexpr uint64_t kFar = uint64_t{1} << 34;
  for (const Cond cond : {Cond::Lt, Cond::Le, Cond::Gt, Cond::Ge, Cond::Ne}) {
    for (const Type type : {Type::U64, Type::I64}) {
      for (const uint64_t bound : {uint64_t{20} << 32, (uint64_t{20} << 32) + 5,
                                   uint64_t{100} << 32, uint64_t{0}, ~uint64_t{0}}) {
        SCOPED_TRACE(testing::Message()
                     << static_cast<int>(cond) << " " << static_cast<int>(type) << " " << bound);
        GuardLines lines = begin();
        lines.add(op(What::Mov, kIndex, v(0))).add(op(What::Mov, kIndex + 1, s(2)));
        Guard guard;
        guard.cond = cond;
        guard.type = type;
        lines.open(guard);
        add_pointers(lines);
        lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
        lines.close();
        Case one = guarded_case(lines.end(), kItems, 64, bound);
        one.dispatches[0].arguments = arguments(kX, kX + (uint64_t{1} << 41), kZ);
        set_bounds(one.dispatches[0], bound);
        std::vector<Interval> ranges;
        for (uint64_t group = 0; group < kItems / 64; ++group) {
          for (const uint64_t base : {kX, kX + (uint64_t{1} << 41)}) {
            ranges.push_back({base + group * kFar, base + group * kFar + 256});
          }
        }
        map_only(one, ranges);
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// Indices that fall from work-group to work-group.
TEST(GoldenPlainDispatchLanes, FallingIndices) {
  constexpr uint32_t kLast = kItems - 64;
  for (const Cond cond : {Cond::Lt, Cond::Eq, Cond::Le, Cond::Gt, Cond::Ne, Cond::Ge}) {
    for (const uint32_t bound : {0u, 64u * 20, 64u * 20 + 5, 64u * 20 + 63, kItems - 1, kItems}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << bound);
      GuardLines lines = begin();
      lines.add(op(What::SMul, kGroup, s(2), literal(64)));
      lines.add(op(What::SSub, kGroup, s(kStart), s(kGroup)));
      lines.add(op(What::Add, kIndex, s(kGroup), v(0)));
      Guard guard;
      guard.cond = cond;
      lines.open(guard).wide(0).wide(1);
      lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
      lines.close();
      Case one = guarded_case(lines.end(), kItems, 64, bound);
      one.dispatches[0].arguments[kStartWord] = kLast;
      EXPECT_FALSE(judge(one).wild);
    }
  }
}

/// A mask that scalar instructions make, and that leaves out one work-group.
TEST(GoldenPlainDispatchLanes, MasksOfScalars) {
  for (const bool twice : {false, true}) {
    GuardLines lines = begin();
    lines.index(64);
    lines.add(op(What::SSub, kScratch, number(20), s(2)));
    lines.add(op(What::SLshl, kScratch, s(kScratch), number(8)));
    lines.add(op(What::SCselect, kMasks[0], number(-1), number(0)));
    lines.add(op(What::SCselect, kMasks[0] + 1, number(-1), number(0)));
    lines.add(op(What::SAndSave, kSaved[0], s(kMasks[0]))).wide(0).wide(1);
    judge(case_of(saxpy_behind(lines, twice), kItems, 64));
  }
}

/// EXEC as it was, and SCC, behind a bound that lets all lanes through.
TEST(GoldenPlainDispatchLanes, WhatGuardsLeave) {
  const std::vector<std::pair<const char*, std::vector<Op>>> uses = {
      {"saved EXEC", {op(What::SAnd, kScratch, s(kSaved[0]), number(32))}},
      {"its upper half", {op(What::SAnd, kScratch, s(kSaved[0] + 1), number(16))}},
      {"SCC", {op(What::SCselect, kScratch, number(48), number(0))}},
      {"EXEC", {op(What::SAnd, kScratch, s(kExec), number(8))}},
      {"VCC", {op(What::SAnd, kScratch, s(kVcc), number(8))}}};
  for (const auto& [what, use] : uses) {
    for (const uint64_t bound : {uint64_t{2 * kItems}, uint64_t{700}}) {
      for (const bool behind : {false, true}) {
        SCOPED_TRACE(testing::Message() << what << " " << bound << " " << behind);
        GuardLines lines = begin();
        lines.index(64);
        Guard guard;
        guard.close = Close::Or;
        lines.open(guard);
        // SCC is not left alone by what closes it.
        if (behind) {
          lines.add(op(What::SCmpEq, 0, s(kScale), number(-1)));
          lines.close();
        }
        for (const Op& one : use) lines.add(one);
        lines.add(op(What::Add, kIndex, s(kScratch), v(kIndex))).wide(0).wide(1);
        lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
        if (!behind) lines.close();
        Case one = guarded_case(lines.end(), kItems + kSpare, 64, bound);
        one.dispatches[0].grid[0] = kItems;
        judge(one);
      }
    }
  }
}

/// What writes EXEC without looking at it.
TEST(GoldenPlainDispatchLanes, ExecOfMasks) {
  for (const uint32_t mask : {~0u, 0xffffu, 0u}) {
    for (const bool twice : {false, true}) {
      SCOPED_TRACE(testing::Message() << std::hex << mask << " " << twice);
      GuardLines lines = begin();
      lines.index(64);
      for (const unsigned pair : kMasks) {
        lines.add(op(What::SMov, pair, literal(mask))).add(op(What::SMov, pair + 1, literal(mask)));
      }
      lines.add(op(What::SOr64, kExec, s(kMasks[0]), s(kMasks[1]))).wide(0).wide(1);
      judge(case_of(saxpy_behind(lines, twice), kItems, 64));
    }
  }
}

/// Addresses that go on where memory does not: halves in the other order, by 64 KiB and by pages.
TEST(GoldenPlainDispatchLanes, MemoryInPieces) {
  constexpr uint32_t kMany = 1 << 15;
  for (const uint64_t half : {uint64_t{1} << 16, uint64_t{1} << 12}) {
    for (const uint64_t moved : {kX, kY}) {
      for (const uint32_t start : {0u, 7u}) {
        SCOPED_TRACE(testing::Message() << half << " " << moved << " " << start);
        Case one = case_of(saxpy(64), kMany, 64);
        one.dispatches[0].grid[0] = kMany - 64;
        one.dispatches[0].arguments = arguments(kX, kY, kZ, 0, start);
        Piece whole = *one.memory.find(moved);
        std::erase_if(one.memory.pieces, [&](const Piece& p) { return p.va == moved; });
        const uint64_t last = whole.bytes / half - 1;
        for (uint64_t n = 0; n <= last; ++n) {
          Piece part = whole;
          part.va += n * half;
          part.bytes = half;
          part.offset = (n ^ 1) * half;
          one.memory.pieces.push_back(part);
        }
        one.memory.sort();
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// Four dwords for a lane, 16 bytes apart.
TEST(GoldenPlainDispatchLanes, FourDwords) {
  for (const bool guarded : {false, true}) {
    GuardLines lines = begin();
    lines.index(64);
    if (guarded) lines.open({});
    lines.add(op(What::Mov, kIndex + 1, number(0)));
    for (const unsigned n : {0u, 1u}) {
      const unsigned low = kAddresses[n];
      lines.add(op(What::Mov, low, s(kPointers[n])))
          .add(op(What::Mov, low + 1, s(kPointers[n] + 1)));
      lines.add(op(What::LshlAdd64, low, v(kIndex), number(4), v(low)));
    }
    Op load = memory(What::Load, kData, kAddresses[0]);
    Op store = memory(What::Store, kData, kAddresses[1]);
    load.dwords = store.dwords = 4;
    lines.add(load).add(store);
    if (guarded) lines.close();
    Case one = guarded_case(lines.end(), 4 * kItems, 64, 700);
    one.dispatches[0].grid[0] = kItems;
    one.kernel.target = isa::Target::Gfx942;
    EXPECT_FALSE(judge(one).wild);
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
