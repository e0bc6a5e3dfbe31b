// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves: ways from the work-group and the work-item to an index, from that to an
// address, and comparisons of 64 bits.
#include <gtest/gtest.h>

#include "golden_plain_dispatch_guard.h"

namespace cuvette::golden::plain {
namespace {

using isa::Target;

constexpr uint32_t kItems = 64 * 40;
constexpr unsigned kOffset = 56;  // an SGPR pair

uint64_t bytes_of(uint64_t items) {
  return 4 * items;
}

/// With several sizes and bounds; there is room for indices beyond the work-items.
void judge_forms(const std::vector<Op>& ops) {
  struct Way {
    uint16_t size;
    uint32_t items, bound;
  };
  constexpr Way kWays[] = {{64, kItems, 700},         {64, kItems - 40, 2 * kItems},
                           {128, kItems, 768},        {256, kItems - 40, 700},
                           {256, kItems, 2 * kItems}, {100, kItems, 700},
                           {192, kItems - 40, 0}};
  for (const Way& way : kWays) {
    SCOPED_TRACE(testing::Message() << way.size << " " << way.bound);
    Case one = guarded_case(ops, 4 * kItems, way.size, way.bound, 600);
    one.dispatches[0].grid[0] = way.items;
    one.dispatches[0].arguments[kStrideWord] = way.size;
    judge(one);
  }
}

/// What makes kIndex of s2 and v0; the size of a work-group is in kStride.
const std::vector<std::pair<const char*, std::vector<Op>>>& index_forms() {
  const Source group = s(2), size = s(kStride), item = v(0);
  const unsigned i = kIndex;
  static const std::vector<std::pair<const char*, std::vector<Op>>> forms = {
      {"shift and add", {op(What::LshlAdd, i, group, number(8), item)}},
      {"shift and add, steps that are too short", {op(What::LshlAdd, i, group, number(5), item)}},
      {"shift and or", {op(What::LshlOr, i, group, number(8), item)}},
      {"shift and or, bits that overlap", {op(What::LshlOr, i, group, number(6), item)}},
      {"shift and or, many bits that overlap", {op(What::LshlOr, i, group, number(3), item)}},
      {"shift and or of the work-item",
       {op(What::Mov, 10, group), op(What::LshlOr, i, item, number(3), v(10))}},
      {"shift of scalars and or",
       {op(What::SLshl, kGroup, group, number(7)), op(What::Or, i, s(kGroup), item)}},
      {"three summands",
       {op(What::SMul, kGroup, group, size), op(What::Mov, 10, number(20)),
        op(What::Add3, i, s(kGroup), item, v(10))}},
      {"product of 24 bits", {op(What::Mov, 10, size), op(What::MadU24, i, group, v(10), item)}},
      {"product of 24 bits that loses some",
       {op(What::SAdd, kGroup, group, literal(0xfffff4)), op(What::Mov, 10, s(kGroup)),
        op(What::MadU24, i, size, v(10), item)}},
      {"product of 24 bits and a sum",
       {op(What::Mov, 10, size), op(What::MulU24, 10, group, v(10)),
        op(What::Add, i, v(10), item)}},
      {"product of 32 bits",
       {op(What::Mov, 10, group), op(What::MulLo, 10, v(10), size), op(What::Add, i, item, v(10))}},
      {"work-item times a number",
       {op(What::MulLo, 10, item, number(3)), op(What::SMul, kGroup, group, size),
        op(What::Add, i, s(kGroup), v(10))}},
      {"and, or",
       {op(What::SMul, kGroup, group, size), op(What::Mov, 10, s(kGroup)),
        op(What::AndOr, i, item, number(63), v(10))}},
      {"some bits of the work-item",
       {op(What::And, 10, number(31), item), op(What::LshlAdd, i, group, number(6), v(10))}},
      {"halves",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        op(What::Lshr, i, number(1), v(10))}},
      {"a part of the bits",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        op(What::Bfe, i, v(10), number(2), number(7))}},
      {"exclusive or",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        op(What::Xor, i, number(63), v(10))}},
      {"at most",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        op(What::MinU, i, s(kBounds[1]), v(10))}},
      {"chosen",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        compare(What::Cmp, Cond::Lt, Type::U32, s(kBounds[1]), v(10)),
        op(What::Cndmask, i, number(0), v(10))}},
      {"upper half of a product",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        op(What::Mov, 11, literal(0x55555556)), op(What::MulHi, i, v(10), v(11))}},
      {"falling",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        op(What::Sub, i, s(kBounds[1]), v(10))}},
      {"from a number on",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        op(What::Subrev, i, number(5), v(10))}},
      {"lanes",
       {op(What::MbcntLo, 10, number(-1), number(0)), op(What::MbcntHi, 10, number(-1), v(10)),
        op(What::LshlAdd, i, group, number(6), v(10))}},
      {"lanes of some",
       {op(What::MbcntLo, 10, s(kBounds[1]), number(0)), op(What::SMul, kGroup, group, size),
        op(What::Add, i, s(kGroup), v(10))}},
      {"lanes of those before",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        compare(What::Cmp, Cond::Gt, Type::U32, s(kBounds[1]), v(10)),
        op(What::MbcntLo, 11, s(kVcc), number(0)), op(What::MbcntHi, 11, s(kVcc + 1), v(11)),
        op(What::Add, i, s(kGroup), v(11))}},
      {"the first lane's",
       {op(What::SMul, kGroup, group, size), op(What::Add, 10, s(kGroup), item),
        op(What::ReadFirst, kScratch, v(10)), op(What::LshlAdd, i, s(kScratch), number(0), item)}},
      {"size of 16 bits",
       {op(What::SOr, kGroup, size, literal(0x70000)),
        op(What::SAnd, kGroup, s(kGroup), literal(0xffff)),
        op(What::SMul, kGroup, group, s(kGroup)), op(What::Add, i, s(kGroup), item)}},
  };
  return forms;
}

TEST(GoldenPlainDispatchGuardIndex, Forms) {
  for (const auto& [what, form] : index_forms()) {
    for (const bool based : {false, true}) {
      for (const bool guarded : {false, true}) {
        SCOPED_TRACE(testing::Message() << what << " " << based << " " << guarded);
        GuardLines lines;
        lines.all_arguments();
        for (const Op& each : form) lines.add(each);
        if (guarded) lines.open({});
        lines.saxpy(based);
        if (guarded) lines.close();
        judge_forms(lines.end());
      }
    }
  }
}

/// The index is compared, the address is that of the work-item.
TEST(GoldenPlainDispatchGuardIndex, ComparedOnly) {
  for (const auto& [what, form] : index_forms()) {
    for (const Cond cond : {Cond::Gt, Cond::Ne}) {
      SCOPED_TRACE(what);
      GuardLines lines;
      lines.all_arguments();
      for (const Op& each : form) lines.add(each);
      Guard guard;
      guard.cond = cond;
      lines.open(guard).add(op(What::LshlAdd, kIndex, s(2), number(8), v(0)));
      judge_forms(lines.saxpy().close().end());
    }
  }
}

/// (index + start) << 2 in one instruction; an offset of three summands.
TEST(GoldenPlainDispatchGuardIndex, Offsets) {
  for (unsigned kind = 0; kind < 4; ++kind) {
    GuardLines lines;
    lines.all_arguments().index(64);
    lines.open({}).based(0).based(1);
    const unsigned x = kAddresses[0], y = kAddresses[1];
    if (kind == 0) lines.add(op(What::AddLshl, x, s(kBounds[1]), v(kIndex), number(2)));
    if (kind == 1) lines.add(op(What::LshlAdd, x, v(kIndex), number(2), number(64)));
    if (kind == 2) lines.add(op(What::Add3, x, v(x), number(4), v(x)));
    if (kind == 3) lines.add(op(What::LshlOr, y, v(kIndex), number(2), number(32)));
    lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
    judge_forms(lines.close().end());
  }
}

/// A pair of VGPRs with a pointer and what is in another pair.
void add_pointer(std::vector<Op>& ops, Target target, unsigned d, unsigned pointer, unsigned from) {
  if (target == Target::Gfx942) {
    ops.push_back(op(What::LshlAdd64, d, s(pointer), number(0), v(from)));
    return;
  }
  ops.push_back(op(What::Mov, d + 1, s(pointer + 1)));
  ops.push_back(op(What::AddCo, d, s(pointer), v(from)));
  ops.push_back(op(What::Addc, d + 1, v(d + 1), v(from + 1)));
}

/// What is above an index of 32 bits.
struct Half {
  const char* what;
  std::vector<Op> ops;
  uint64_t (*value)(uint32_t index);
};

const std::vector<Half>& halves() {
  const unsigned high = kIndex + 1;
  const Op sign = op(What::Ashr, high, number(31), v(kIndex));
  static const std::vector<Half> all = {
      {"nothing", {op(What::Mov, high, number(0))}, [](uint32_t) { return uint64_t{0}; }},
      {"the sign",
       {sign},
       [](uint32_t index) { return index >> 31 != 0 ? ~uint64_t{0} << 32 : 0; }},
      {"two bits of the sign",
       {sign, op(What::And, high, number(3), v(high))},
       [](uint32_t index) { return index >> 31 != 0 ? uint64_t{3} << 32 : 0; }},
      {"the first bit",
       {op(What::Lshr, high, number(31), v(kIndex))},
       [](uint32_t index) { return uint64_t{index >> 31} << 32; }},
      {"the sign of a pair",
       {op(What::Mov, high, v(kIndex)), op(What::Mov, kIndex, number(0)),
        op(What::Ashr64, kIndex, number(32), v(kIndex))},
       [](uint32_t index) { return index >> 31 != 0 ? ~uint64_t{0} << 32 : 0; }},
  };
  return all;
}

/// `at_once`: shift and sum are one instruction.
std::vector<Op> with_half(const Half& half, Target target, bool at_once) {
  GuardLines lines;
  lines.all_arguments().index(64);
  for (const Op& each : half.ops) lines.add(each);
  Guard guard;
  guard.index = v(0);
  lines.open(guard);
  if (!at_once) lines.add(op(What::Shl64, 10, number(2), v(kIndex)));
  for (unsigned n = 0; n < 2; ++n) {
    if (at_once) {
      lines.add(op(What::LshlAdd64, kAddresses[n], v(kIndex), number(2), s(kPointers[n])));
    } else {
      add_pointer(lines.ops, target, kAddresses[n], kPointers[n], 10);
    }
  }
  lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
  return lines.close().end();
}

/// Items lie around `at`, so many before it.
void judge_half(const Half& half, Target target, bool at_once, uint32_t at, uint32_t before) {
  constexpr uint64_t kBase = uint64_t{256} << 32;
  SCOPED_TRACE(testing::Message() << half.what << " " << isa::name_of(target) << " " << at << " "
                                  << before);
  Case one = guarded_case(with_half(half, target, at_once), kItems, 64, 50);
  one.kernel.target = target;
  one.dispatches[0].arguments = arguments(kBase, 2 * kBase, kZ, 0, at - before);
  set_bounds(one.dispatches[0], 50);
  std::vector<Interval> ranges;
  for (const auto& [first, count] :
       {std::pair{at - before, before}, std::pair{at, kItems - before}}) {
    const uint64_t offset = bytes_of(half.value(first) + first);
    for (const uint64_t base : {kBase, 2 * kBase}) {
      ranges.push_back({base + offset, base + offset + bytes_of(count)});
    }
  }
  map_only(one, ranges);
  EXPECT_FALSE(judge(one).wild);
}

TEST(GoldenPlainDispatchGuardIndex, UpperHalves) {
  for (const Half& half : halves()) {
    for (const uint32_t at : {0u, 1u << 31}) {
      for (const uint32_t before : {0u, 32u, 64u, 700u}) {
        for (const Target target : {Target::Gfx900, Target::Gfx908, Target::Gfx90a}) {
          judge_half(half, target, false, at, before);
        }
        for (const bool at_once : {false, true}) {
          judge_half(half, Target::Gfx942, at_once, at, before);
        }
      }
    }
  }
}

/// The work-group's part is in the pointer, with a sign, with a carry, up and down.
TEST(GoldenPlainDispatchGuardIndex, PointersOfScalars) {
  constexpr uint64_t kBase = (uint64_t{48} << 32) + 0x80000000;
  for (const bool sign : {false, true}) {
    for (const uint32_t before : {0u, 64u, 640u, 1000u}) {
      for (const uint64_t carry : {uint64_t{0}, uint64_t{0x80000000}}) {
        for (const bool wide : {false, true}) {
          SCOPED_TRACE(testing::Message() << sign << " " << before << " " << carry << " " << wide);
          GuardLines lines;
          lines.all_arguments().index(64);
          lines.open({});
          lines.add(op(What::SMov, kOffset, s(kGroup)));
          lines.add(sign ? op(What::SAshr, kOffset + 1, s(kGroup), number(31))
                         : op(What::SMov, kOffset + 1, number(0)));
          lines.add(op(What::SLshl64, kOffset, s(kOffset), number(2)));
          for (unsigned n = 0; n < 2; ++n) {
            const unsigned to = kGroupPointers[n];
            lines.add(op(What::SAdd, to, s(kPointers[n]), s(kOffset)));
            lines.add(op(What::SAddc, to + 1, s(kPointers[n] + 1), s(kOffset + 1)));
          }
          lines.add(op(What::Shl, 10, number(2), v(0)));
          const unsigned x = kGroupPointers[0], y = kGroupPointers[1];
          if (wide) {
            lines.add(op(What::Mov, 11, number(0)));
            add_pointer(lines.ops, Target::Gfx908, 4, x, 10);
            lines.add(memory(What::Load, kData, 4));
          } else {
            lines.add(memory(What::Load, kData, 10, x));
          }
          lines.add(memory(What::Load, kData + 1, 10, y)).fma();
          lines.add(memory(What::Store, kData, 10, y));
          // A bound that lets all of them through, signed or not.
          Case one = guarded_case(lines.close().end(), kItems, 64, 0xffffffff);
          const uint64_t a = kBase + carry - (carry != 0 ? 1024 : 0);
          const uint32_t start = 0 - before;
          one.dispatches[0].arguments = arguments(a, a + kBase, kZ, 0, start);
          set_bounds(one.dispatches[0], 0xffffffff);
          std::vector<Interval> ranges;
          for (const uint64_t base : {a, a + kBase}) {
            const uint64_t first = sign ? base - bytes_of(before) : base + bytes_of(start);
            if (before != 0) ranges.push_back({first, first + bytes_of(before + 64)});
            ranges.push_back({base, base + bytes_of(kItems)});
          }
          map_only(one, ranges);
          EXPECT_FALSE(judge(one).wild);
        }
      }
    }
  }
}

/// Numbers of 64 bits of which the lower half has a carry in the middle, at the beginning of a
/// wave, at the end, or nowhere.
struct Wide {
  uint64_t start;  // of the first work-item
  uint64_t bound;
};

std::vector<Wide> wide_numbers() {
  std::vector<Wide> out;
  for (const uint64_t high :
       {uint64_t{0}, uint64_t{5}, uint64_t{0x7fffffff}, uint64_t{0xffffffff}}) {
    for (const uint32_t before : {0u, 32u, 64u, 700u, 768u, 10000u}) {
      const uint64_t start = ((high + 1) << 32) - before;
      for (const int64_t more : {-5000, 0, 1, 64, 700, 701, 767, 1000, 5000}) {
        out.push_back({start, start + static_cast<uint64_t>(more)});
      }
    }
    out.push_back({high << 32, 0});
    out.push_back({high << 32, uint64_t{1} << 63});
    out.push_back({high << 32, ~uint64_t{0}});
    out.push_back({high << 32, 800});
    out.push_back({high << 32, (high << 32) + 800});
    out.push_back({high << 32, ((high + 1) << 32) + 800});
  }
  return out;
}

/// A sum of 64 bits in kIndex and the next one: kBounds[1] and the work-item of all.
void add_wide_index(Lines& lines, Target target, unsigned kind) {
  const unsigned low = kIndex, high = kIndex + 1;
  if (kind == 0) {  // by scalars first
    lines.add(op(What::SAdd, kOffset, s(kBounds[1]), s(kGroup)));
    lines.add(op(What::SAddc, kOffset + 1, s(kBounds[1] + 1), number(0)));
    lines.add(op(What::Mov, high, s(kOffset + 1)));
    lines.add(op(What::AddCo, low, s(kOffset), v(0)));
    lines.add(op(What::Addc, high, number(0), v(high)));
  } else if (kind == 1 || target != Target::Gfx942) {
    lines.add(op(What::Mov, high, s(kBounds[1] + 1)));
    lines.add(with_mask(op(What::AddCo, low, s(kBounds[1]), v(low)), kMasks[0]));
    lines.add(with_mask(op(What::Addc, high, v(high), number(0)), kMasks[0]));
    lines.ops.back().wide = true;
  } else {
    lines.add(op(What::Mov, high, number(0)));
    lines.add(op(What::LshlAdd64, low, v(low), number(0), s(kBounds[1])));
  }
}

TEST(GoldenPlainDispatchGuardIndex, WideComparisons) {
  unsigned turn = 0;
  for (const Wide& wide : wide_numbers()) {
    for (const Type type : {Type::U64, Type::I64}) {
      for (const Cond cond : {Cond::Gt, Cond::Eq}) {
        SCOPED_TRACE(testing::Message() << std::hex << wide.start << " " << wide.bound << " "
                                        << static_cast<int>(type) << static_cast<int>(cond));
        ++turn;
        const Target target = turn % 4 == 0 ? Target::Gfx942 : Target::Gfx908;
        Guard guard;
        guard.type = type;
        guard.cond = turn % 3 == 0 ? opposite(cond) : cond;
        guard.turned = turn % 7 < 2;
        guard.narrow = turn % 11 == 0 ? Narrow::Cmpx : Narrow::AndSave;
        GuardLines lines;
        lines.all_arguments().index(64).based(0).based(1);
        add_wide_index(lines, target, turn % 5 % 3);
        lines.open(guard).load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
        Case one = guarded_case(lines.close().end(), kItems, 64, wide.bound, wide.start);
        one.kernel.target = target;
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// The same numbers as addresses: pointers are so far in front of memory.
TEST(GoldenPlainDispatchGuardIndex, WideAddresses) {
  unsigned turn = 0;
  for (const Wide& wide : wide_numbers()) {
    SCOPED_TRACE(testing::Message() << std::hex << wide.start << " " << wide.bound);
    const Target target = ++turn % 2 == 0 ? Target::Gfx942 : Target::Gfx908;
    Guard guard;
    guard.type = turn % 3 == 0 ? Type::I64 : Type::U64;
    GuardLines lines;
    lines.all_arguments().index(64);
    add_wide_index(lines, target, turn % 4);
    lines.open(guard).add(op(What::Shl64, 10, number(2), v(kIndex)));
    for (unsigned n = 0; n < 2; ++n) {
      add_pointer(lines.ops, target, kAddresses[n], kPointers[n], 10);
    }
    lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
    Case one = guarded_case(lines.close().end(), kItems, 64, wide.bound, wide.start);
    one.kernel.target = target;
    const uint64_t shift = bytes_of(wide.start);
    one.dispatches[0].arguments = arguments(kX - shift, kY - shift, kZ);
    set_bounds(one.dispatches[0], wide.bound, wide.start);
    EXPECT_FALSE(judge(one).wild);
  }
}

/// Numbers beside pairs of VGPRs.
TEST(GoldenPlainDispatchGuardIndex, WideSources) {
  for (const Source& bound : {number(0), number(1), number(64), number(-1), number(-16), v(14)}) {
    for (const Type type : {Type::U64, Type::I64}) {
      for (const bool turned : {false, true}) {
        for (const uint64_t start : {uint64_t{0}, ~uint64_t{0} - 99, uint64_t{1} << 32}) {
          SCOPED_TRACE(testing::Message() << bound.code << " " << turned << " " << start);
          Guard guard;
          guard.type = type;
          guard.turned = turned;
          guard.bound = bound;
          GuardLines lines;
          lines.all_arguments().index(64).based(0).based(1);
          add_wide_index(lines, Target::Gfx908, 0);
          lines.add(op(What::Mov, 14, s(kBounds[0]))).add(op(What::Mov, 15, s(kBounds[0] + 1)));
          lines.open(guard).load(kData, 0).load(kData + 1, 1).fma().store(kData, 1);
          judge(guarded_case(lines.close().end(), kItems, 64, start + 500, start));
        }
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
