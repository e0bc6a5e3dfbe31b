// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves without loops: what one wave leaves for the next ones, where memory
// ends, and addresses that do not go on as they began.
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "golden_plain_dispatch_cases.h"

namespace cuvette::golden::plain {
namespace {

constexpr uint32_t kItems = 64 * 40;

uint64_t bytes_of(uint32_t items) {
  return 4 * uint64_t{items};
}

/// Memory of `one` anew: these ranges and the arguments.
void map_again(Case& one, std::vector<Interval> ranges) {
  one.memory = {};
  ranges.push_back({one.setup.kernarg, one.setup.kernarg + 4 * kArgumentWords});
  map_ranges(one.memory, std::move(ranges));
}

/// The piece that begins at `from` ends at `end`; then there is a hole of so many bytes.
void cut(Memory& memory, uint64_t from, uint64_t end, uint64_t hole,
         hsa::Access permitted = hsa::Access::None) {
  for (size_t n = 0; n < memory.pieces.size(); ++n) {
    const Piece whole = memory.pieces[n];
    if (whole.va != from) continue;
    memory.pieces[n].bytes = end - from;
    const auto piece = [&](uint64_t begin, uint64_t past, hsa::Access access) {
      if (begin >= past) return;
      memory.pieces.push_back({begin, past - begin, whole.chunk, begin - from, access});
    };
    const uint64_t past = std::min(end + hole, whole.va + whole.bytes);
    if (permitted != hsa::Access::None) piece(end, past, permitted);
    piece(past, whole.va + whole.bytes, whole.permitted);
    break;
  }
  memory.sort();
}

/// y = x a little further on or back, so that waves read what earlier ones stored, or store what
/// later ones read.
TEST(GoldenPlainDispatchMemory, ShiftedBuffers) {
  for (const bool based : {false, true}) {
    for (const int64_t floats : {0,  1,   -1,  3,    -3,  16,  -16,  63,  -63,   64,  -64,
                                 65, -65, 128, -128, 255, 256, -256, 300, -1024, 1024}) {
      for (const uint16_t size : {64, 256, 100}) {
        SCOPED_TRACE(floats);
        Case one = case_of(saxpy(size, based), kItems, size);
        const uint64_t y = kX + static_cast<uint64_t>(4 * floats);
        one.dispatches[0].arguments = arguments(kX, y, kZ);
        map_again(one, {{kX, kX + bytes_of(kItems)}, {y, y + bytes_of(kItems)}});
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// The waves of several work-groups take turns.
TEST(GoldenPlainDispatchMemory, ShiftedBuffersInTurns) {
  for (const int64_t floats : {1, -1, 64, -64, 65, -256}) {
    for (uint32_t slice = 1; slice <= 30; slice += floats > 0 ? 3 : 4) {
      Case one = case_of(saxpy(64), kItems, 64);
      one.setup.slice = slice;
      one.setup.resident_waves = slice % 3 == 0 ? 4 : slice % 3 == 1 ? 16 : 256;
      const uint64_t y = kX + static_cast<uint64_t>(4 * floats);
      one.dispatches[0].arguments = arguments(kX, y, kZ);
      map_again(one, {{kX, kX + bytes_of(kItems)}, {y, y + bytes_of(kItems)}});
      judge(one);
    }
  }
}

/// Work-groups that share items, leave gaps, or all do the same ones.
TEST(GoldenPlainDispatchMemory, StridesThatAreNotTheSize) {
  for (const uint32_t stride :
       {0u, 1u, 16u, 32u, 63u, 65u, 100u, 128u, 1000u, ~0u, ~63u, ~0u - 31}) {
    for (const uint16_t size : {64, 192}) {
      SCOPED_TRACE(stride);
      Case one = case_of(saxpy(stride), 40u * size, size);
      const uint64_t extent = 40 * uint64_t{stride > 1000 ? 0u - stride : stride} + size;
      const uint64_t before = stride > 1000 ? uint64_t{1} << 32 : 0;
      // A falling index is a large number of 32 bits.
      map_again(one, {{kX, kX + 4 * (extent + 64)},
                      {kY, kY + 4 * (extent + 64)},
                      {kX + 4 * before - 4 * extent, kX + 4 * before},
                      {kY + 4 * before - 4 * extent, kY + 4 * before}});
      one.dispatches[0].arguments = arguments(kX, kY, kZ);
      judge(one);
    }
  }
}

/// All lanes at one address, that of the work-group.
TEST(GoldenPlainDispatchMemory, OneAddressPerWorkgroup) {
  Lines lines;
  lines.arguments().add(op(What::SLshl, kGroup, s(2), number(1)));
  lines.add(op(What::Mov, kIndex, s(kGroup))).wide(0).wide(1);
  const auto ops = lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1).end();
  judge(case_of(ops, 64 * 200, 64));
  judge(case_of(ops, 256 * 30, 256));
}

/// Stores reach the arguments from each of their words on; later waves load them.
TEST(GoldenPlainDispatchMemory, StoresToTheArguments) {
  for (uint32_t word = 0; word < kArgumentWords; ++word) {
    for (const uint32_t items : {64u * 3, 64u * 17, 64u * 17 + 5}) {
      SCOPED_TRACE(word);
      Case one = case_of(saxpy(64), kItems, 64);
      one.setup.kernarg = kY + bytes_of(items) - 4 * word;
      map_again(one, {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(kItems)}});
      judge(one);
      // Those before it, at the end of the dispatch.
      one.dispatches[0].grid[0] = items;
      judge(one);
    }
  }
}

/// One word of the arguments that one wave in the middle stores for those behind it.
TEST(GoldenPlainDispatchMemory, ArgumentChangesInTheMiddle) {
  Lines lines;
  lines.arguments().index(64).wide(0).wide(1, kMasks[0], 6).load(kData, 0).load(kData + 1, 0, 4);
  const auto ops = lines.fma().store(kData, 1).end();
  for (uint32_t word = 0; word < kArgumentWords; ++word) {
    for (const uint32_t item : {0u, 63u, 64u, 777u, kItems - 65, kItems - 1}) {
      SCOPED_TRACE(word);
      Case one = case_of(ops, kItems, 64);
      one.setup.kernarg = kY + 64 * item - 4 * word;
      map_again(one, {{kX, kX + bytes_of(kItems + 1)}, {kY, kY + 64 * kItems}});
      Memory after;
      const bool wild = judge(one, &after).wild;
      if (word != kScaleWord) continue;
      EXPECT_FALSE(wild);
      // By hand: the scale is what the item has stored.
      const uint32_t last = kItems - 1;
      const auto number = [&after](uint64_t at) { return std::bit_cast<float>(after.word(at)); };
      const uint64_t x = kX + bytes_of(last);
      const float scale = last / 64 > item / 64 ? number(kY + 64 * item) : 0.75f;
      EXPECT_EQ(number(kY + 64 * last), std::fma(scale, number(x), number(x + 4)));
    }
  }
}

/// Each work-group loads its scale where one of them stores its result.
TEST(GoldenPlainDispatchMemory, ScaleIsAResult) {
  for (const uint32_t item : {0u, 63u, 64u, 777u, kItems - 65}) {
    Lines lines;
    lines.arguments().index(64).based(0).based(1).load(kData, 0).load(kData + 1, 1);
    lines.add(s_load(kScale, 1, kPointers[1], static_cast<int32_t>(4 * item)));
    Case one = case_of(lines.fma().store(kData, 1).end(), kItems, 64);
    judge(one);
    one.setup.slice = 9;
    judge(one);
  }
}

/// The low half of y's address is replaced by that of z, which is a number as well.
TEST(GoldenPlainDispatchMemory, PointerChangesInTheMiddle) {
  constexpr uint32_t kHigh = 19, kOld = 0x10000000, kNew = 0x10200000;
  const uint64_t y = (uint64_t{kHigh} << 32) + kOld, z = (uint64_t{kHigh} << 32) + kNew;
  for (const uint32_t item : {3u, 64u, 640u, 1000u}) {
    // The product with one: bits stay.
    Lines lines;
    lines.arguments().index(64).wide(0).wide(1).load(kData, 0);
    lines.add(op(What::MulF, kData, s(kScale), v(kData)));
    Case one = case_of(lines.store(kData, 1).end(), kItems, 64);
    one.setup.kernarg = y + bytes_of(item) - 8;  // words 2 and 3
    one.dispatches[0].arguments = arguments(kX, y, kZ);
    one.dispatches[0].arguments[kScaleWord] = 0x3f800000;
    map_again(one,
              {{kX, kX + bytes_of(kItems)}, {y, y + bytes_of(kItems)}, {z, z + bytes_of(kItems)}});
    const auto own = one.dispatches[0].arguments;
    for (uint32_t n = 0; n < 2; ++n) one.memory.put(kX + bytes_of(item - 2 + n), own[n]);
    one.memory.put(kX + bytes_of(item), kNew);
    one.memory.put(kX + bytes_of(item + 1), kHigh);  // subnormal: kept
    for (uint32_t n = 4; n < kArgumentWords; ++n) {
      one.memory.put(kX + bytes_of(item - 2 + n), own[n]);
    }
    Memory after;
    EXPECT_FALSE(judge(one, &after).wild);
    EXPECT_EQ(after.word(z + bytes_of(kItems - 1)), one.memory.word(kX + bytes_of(kItems - 1)));
    EXPECT_NE(after.word(y + bytes_of(kItems - 1)), one.memory.word(kX + bytes_of(kItems - 1)));
  }
}

/// x or y end in the middle of the dispatch; what is before has been done, and nothing else.
TEST(GoldenPlainDispatchMemory, EndsInTheMiddle) {
  for (const uint64_t from : {kX, kY}) {
    for (const uint64_t end : {1u, 4u, 256u, 255u, 2560u, 2564u, 2562u, 5120u - 4, 9000u}) {
      for (const bool based : {false, true}) {
        SCOPED_TRACE(end);
        Case one = case_of(saxpy(256, based), kItems, 256);
        cut(one.memory, from, from + end, ~uint64_t{0} >> 1);
        EXPECT_TRUE(judge(one).wild);
        one = case_of(saxpy(256, based), kItems, 256);
        cut(one.memory, from, from + end, 4);
        EXPECT_TRUE(judge(one).wild);
        one = case_of(saxpy(256, based), kItems, 256);
        cut(one.memory, from, from + end, 512, hsa::Access::Read);
        EXPECT_EQ(judge(one).wild, from == kY);
        if (end % 4 != 0) continue;
        // Two pieces without a hole.
        one = case_of(saxpy(256, based), kItems, 256);
        cut(one.memory, from, from + end, 0);
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// The first wild wave is not the first one in the order of addresses.
TEST(GoldenPlainDispatchMemory, EndsInTurns) {
  for (const uint32_t slice : {1u, 3u, 12u, 13u, 19u, 20u, 21u, 22u}) {
    for (const uint32_t resident : {1u, 4u, 256u}) {
      Case one = case_of(saxpy(64), kItems, 64);
      one.setup.slice = slice;
      one.setup.resident_waves = resident;
      cut(one.memory, kY, kY + 4000, 64);
      EXPECT_TRUE(judge(one).wild);
    }
  }
}

/// A loaded value that nobody reads can still be where no memory is.
TEST(GoldenPlainDispatchMemory, UnusedLoadFails) {
  for (const uint64_t end : {0x400u, 0xffcu, 0x1000u, 0x1044u}) {
    Lines lines;
    lines.arguments().index(64).wide(0).wide(1).based(2);
    lines.load(kData + 5, 2).load(kData, 0).load(kData + 1, 1);
    Case one = case_of(lines.fma().store(kData, 1).end(), kItems, 64);
    cut(one.memory, kZ, kZ + end, 4);
    EXPECT_TRUE(judge(one).wild);
  }
}

/// Pages of 64 KiB and multiples of 2 and 4 GiB in a wave, and carries out of the low half.
TEST(GoldenPlainDispatchMemory, Borders) {
  for (const uint64_t border : {uint64_t{0x10000}, uint64_t{1} << 31, uint64_t{1} << 32}) {
    for (const uint64_t before : {4u, 128u, 252u, 256u, 260u, 5000u, 5120u, 10239u & ~3u}) {
      for (const unsigned mask : {kVcc, kMasks[0]}) {
        SCOPED_TRACE(before);
        const uint64_t x = kX + border - before, y = kY + border - (before ^ 64);
        Lines lines;
        lines.arguments().index(64).wide(0, mask).wide(1).load(kData, 0).load(kData + 1, 1);
        Case one = case_of(lines.fma().store(kData, 1).end(), kItems, 64);
        one.dispatches[0].arguments = arguments(x, y, kZ);
        map_again(one, {{x, x + bytes_of(kItems)}, {y, y + bytes_of(kItems)}});
        EXPECT_FALSE(judge(one).wild);
        one.kernel.ops = saxpy(64, true);
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// Without the carry, addresses fall by 4 GiB at a border.
TEST(GoldenPlainDispatchMemory, LowHalfAlone) {
  for (const uint64_t before : {128u, 256u, 5120u, 5000u}) {
    const uint64_t x = kX + (uint64_t{1} << 32) - before;
    Lines lines;
    lines.arguments().index(64).wide(0).wide(1).load(kData + 1, 1);
    lines.add(op(What::Mov, kAddresses[0] + 1, s(kPointers[0] + 1))).load(kData, 0);
    Case one = case_of(lines.fma().store(kData, 1).end(), kItems, 64);
    one.dispatches[0].arguments = arguments(x, kY + 0x20000, kZ);
    map_again(one, {{x, x + before},
                    {kX, kX + bytes_of(kItems) - before},
                    {kY + 0x20000, kY + 0x20000 + bytes_of(kItems)}});
    EXPECT_FALSE(judge(one).wild);
  }
}

/// The index, or the offset that it is shifted to, passes 2^31 or 2^32.
TEST(GoldenPlainDispatchMemory, NumbersWrapAround) {
  for (const uint32_t at : {0u, 1u << 31, 1u << 30, 1u << 29}) {
    for (const uint32_t before : {1u, 32u, 64u, 1280u, 1300u}) {
      for (const bool based : {false, true}) {
        SCOPED_TRACE(before);
        const uint32_t start = at - before;
        Case one = case_of(saxpy(64, based), kItems, 64);
        const auto offset = [based](uint32_t index) {
          return based ? uint64_t{index << 2} : uint64_t{index} << 2;
        };
        // Two ranges per buffer, which may be one.
        const uint64_t bytes = bytes_of(before), rest = bytes_of(kItems - before);
        one.dispatches[0].arguments = arguments(kX, kY + (uint64_t{64} << 32), kZ, 0, start);
        std::vector<Interval> ranges;
        for (const uint64_t base : {kX, kY + (uint64_t{64} << 32)}) {
          ranges.push_back({base + offset(start), base + offset(start) + bytes});
          ranges.push_back({base + offset(at), base + offset(at) + rest});
        }
        map_again(one, ranges);
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// One memory at two addresses.
TEST(GoldenPlainDispatchMemory, TwoAddresses) {
  for (const int64_t floats : {0, 1, -1, 64, -64, 100}) {
    Case one = case_of(saxpy(64), kItems, 64);
    const auto shift = static_cast<uint64_t>(4 * floats);
    map_again(one, {{kX - 4096, kX + bytes_of(kItems) + 4096}});
    one.memory.pieces.push_back(
        {kY, bytes_of(kItems), one.memory.find(kX)->chunk, 4096 + shift, hsa::Access::ReadWrite});
    one.memory.sort();
    EXPECT_FALSE(judge(one).wild);
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
