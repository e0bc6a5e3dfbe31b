// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves with a comparison in front of what they do: kernels as clang has them,
// failures, several dispatches, and what the machine is told.
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "golden_plain_dispatch_guard.h"

namespace cuvette::golden::plain {
namespace {

using isa::Target;

constexpr uint32_t kItems = 64 * 40;

uint64_t bytes_of(uint64_t items) {
  return 4 * items;
}

/// What clang 19 makes of OpenCL for a target, -O2, code object version 5: registers are its own.
class Compiled {
 public:
  explicit Compiled(Target target) : target_(target), new_(target == Target::Gfx942) {}

  /// uint i = group * 256 + item; if (i < n) y[i] += a * x[i];
  std::vector<Op> with_constant_size() {
    const unsigned n = new_ ? 4 : 0, p = new_ ? 0 : 4;
    add(s_load(n, 2, kernarg(), 16));
    add(op(What::LshlOr, 0, s(group()), number(8), v(0)));
    wait();
    guard(compare(What::Cmp, Cond::Gt, Type::U32, s(n), v(0)), 2);
    add(s_load(p, 4, kernarg(), 0));
    add(op(What::Mov, 1, number(0)));
    body(p, n + 1);
    return end();
  }
  /// int i = group * get_local_size(0) + item; if (i < n) ...
  std::vector<Op> with_size() {
    const unsigned n = new_ ? 4 : 0, p = new_ ? 0 : 4, size = new_ ? 3 : 2;
    add(s_load(size, 1, kernarg(), 0x24));
    add(s_load(n, 2, kernarg(), 16));
    wait();
    add(op(What::SAnd, size, s(size), literal(0xffff)));
    add(op(What::SMul, group(), s(group()), s(size)));
    add(op(What::Add, 0, s(group()), v(0)));
    guard(compare(What::Cmp, Cond::Gt, Type::I32, s(n), v(0)), 2);
    add(s_load(p, 4, kernarg(), 0));
    add(op(What::Ashr, 1, number(31), v(0)));
    body(p, n + 1);
    return end();
  }
  /// ulong i = (ulong)group * 256 + item; if (i >= n) return; ...
  std::vector<Op> with_long() {
    const unsigned n = new_ ? 4 : 0, p = new_ ? 4 : 0, g = new_ ? 2 : 6, scale = new_ ? 2 : 6;
    const unsigned to = new_ ? 2 : 2;
    add(s_load(n, 2, kernarg(), 16));
    add(op(What::SMov, g + 1, number(0)));
    add(op(What::SLshl64, to, s(g), number(8)));
    add(op(What::Or, 0, s(to), v(0)));
    add(op(What::Mov, 1, s(to + 1)));
    wait();
    guard(compare(What::Cmp, Cond::Gt, Type::U64, s(n), v(0)), new_ ? 2 : 0);
    add(s_load(p, 4, kernarg(), 0));
    add(s_load(scale, 1, kernarg(), 24));
    body(p, scale);
    return end();
  }
  /// int i = ...; if (i < n && i >= m) y[i - m] = a * x[i] + y[i];
  std::vector<Op> with_range() {
    const unsigned n = new_ ? 4 : 8, p = 0, mask = new_ ? 2 : 0, saved = new_ ? 8 : 2;
    add(s_load(n, 4, kernarg(), 16));
    add(op(What::LshlOr, 0, s(group()), number(8), v(0)));
    wait();
    add(compare(What::Cmp, Cond::Gt, Type::I32, s(n), v(0)));
    add(compare(What::Cmp, Cond::Le, Type::I32, s(n + 1), v(0), mask));
    add(op(What::SAnd64, mask, s(kVcc), s(mask)));
    add(op(What::SAndSave, saved, s(mask)));
    branch();
    add(s_load(p, 4, kernarg(), 0));
    add(op(What::Ashr, 1, number(31), v(0)));
    add(op(What::Shl64, 2, number(2), v(0)));
    add(op(What::Subrev, 0, s(n + 1), v(0)));
    wait();
    sum(4, p + 2, 2);
    sum(2, p, 2);
    add(memory(What::Load, 6, 2));
    add(memory(What::Load, 7, 4));
    add(op(What::Ashr, 1, number(31), v(0)));
    if (new_) {
      add(op(What::LshlAdd64, 0, v(0), number(2), s(p + 2)));
    } else {
      add(op(What::Shl64, 0, number(2), v(0)));
      sum(0, p + 2, 0);
    }
    multiply(7, n + 2, 6);
    add(memory(What::Store, 7, 0));
    return end();
  }
  /// long i = group * 64 + item; if (i == n) { y[i] = a * x[i] + y[i]; } if (item != 3) x[i] = a;
  std::vector<Op> with_one() {
    const unsigned n = 8, scale = 10, p = new_ ? 4 : 0, g = new_ ? 2 : 6, base = new_ ? 0 : 4;
    add(s_load(p, 4, kernarg(), 0));
    add(s_load(n, 2, kernarg(), 16));
    add(s_load(scale, 1, kernarg(), 24));
    add(op(What::SMov, g + 1, number(0)));
    add(op(What::SLshl64, base, s(g), number(6)));
    add(op(What::Mov, 1, number(0)));
    add(op(What::Mov, 3, s(base + 1)));
    add(op(What::AddCo, 2, s(base), v(0)));
    add(op(What::Addc, 3, number(0), v(3)));
    wait();
    guard(compare(What::Cmp, Cond::Eq, Type::U64, s(n), v(2)), 12);
    add(op(What::SLshl64, 14, s(n), number(2)));
    for (const unsigned pair : {0u, 2u}) {
      add(op(What::SAdd, 16 + pair, s(p + pair), s(14)));
      add(op(What::SAddc, 17 + pair, s(p + pair + 1), s(15)));
      add(s_load(n + pair / 2, 1, 16 + pair, 0));
    }
    add(op(What::Mov, 4, number(0)));
    wait();
    add(op(What::Mov, 5, s(n + 1))).add(op(What::Mov, 6, s(n)));
    multiply(5, scale, 6);
    add(memory(What::Store, 5, 4, 18));
    lines_.land(away_);
    add(op(What::SOr64, kExec, s(kExec), s(12)));
    guard(compare(What::Cmp, Cond::Ne, Type::U32, number(3), v(0)), 2);
    add(op(What::Shl64, 0, number(2), v(2)));
    sum(0, p, 0);
    add(op(What::Mov, 2, s(scale)));
    add(memory(What::Store, 2, 0));
    return end();
  }

  /// `a` is the word behind a bound of `words` words.
  static Case case_with(Target target, const std::vector<Op>& ops, uint16_t size,
                        const std::vector<uint32_t>& bound) {
    Case one = case_of(ops, kItems, size);
    one.kernel.target = target;
    one.kernel.buffer = target != Target::Gfx942;
    auto& words = one.dispatches[0].arguments;
    for (size_t n = 0; n < bound.size(); ++n) words[4 + n] = bound[n];
    words[4 + bound.size()] = 0x3f400000;
    words[9] = size | 0x50000u;
    return one;
  }

 private:
  unsigned kernarg() const { return new_ ? 0 : 4; }
  unsigned group() const { return kernarg() + 2; }
  Lines& add(const Op& op) { return lines_.add(op); }
  void wait() { add(op(What::Waitcnt, 0)); }
  void branch() { away_ = lines_.branch(What::SBranchExecz); }
  void guard(const Op& comparison, unsigned saved) {
    add(comparison).add(op(What::SAndSave, saved, s(kVcc)));
    branch();
  }
  void sum(unsigned d, unsigned pointer, unsigned from) {
    if (new_) {
      add(op(What::LshlAdd64, d, s(pointer), number(0), v(from)));
      return;
    }
    add(op(What::Mov, 9, s(pointer + 1)));
    add(op(What::AddCo, d, s(pointer), v(from)));
    add(op(What::Addc, d + 1, v(9), v(from + 1)));
  }
  /// d += a number * b.
  void multiply(unsigned d, unsigned scale, unsigned b) {
    wait();
    if (target_ == Target::Gfx900) {
      add(op(What::FmaF, d, s(scale), v(b), v(d)));
    } else {
      add(op(What::FmacF, d, s(scale), v(b)));
    }
  }
  void body(unsigned pointers, unsigned scale) {
    add(op(What::Shl64, 0, number(2), v(0)));
    wait();
    sum(2, pointers + 2, 0);
    sum(0, pointers, 0);
    add(memory(What::Load, 4, 0)).add(memory(What::Load, 5, 2));
    multiply(5, scale, 4);
    add(memory(What::Store, 5, 2));
  }
  std::vector<Op> end() { return lines_.land(away_).end(); }

  Target target_;
  bool new_;
  Lines lines_;
  size_t away_ = 0;
};

TEST(GoldenPlainDispatchGuardRun, Compiled) {
  for (const Target target : isa::kAllTargets) {
    for (const uint32_t n : {0u, 1u, 64u, 100u, 767u, 768u, kItems - 1, kItems}) {
      for (const uint16_t size : {256, 64, 100}) {
        SCOPED_TRACE(testing::Message() << isa::name_of(target) << " " << n << " " << size);
        const auto judge_it = [&](const std::vector<Op>& ops, const std::vector<uint32_t>& bound) {
          Memory after;
          Case one = Compiled::case_with(target, ops, size, bound);
          EXPECT_FALSE(judge(one, &after).wild);
        };
        judge_it(Compiled(target).with_size(), {n});
        judge_it(Compiled(target).with_long(), {n, 0});
        if (size != 256) continue;
        judge_it(Compiled(target).with_constant_size(), {n});
        judge_it(Compiled(target).with_range(), {n, 70});
        judge_it(Compiled(target).with_range(), {n, 0});
      }
      Case one = Compiled::case_with(target, Compiled(target).with_one(), 64, {n, 0});
      EXPECT_EQ(judge(one).wild, false);
    }
  }
}

/// All items by a formula, on a target with sums of 64 bits.
TEST(GoldenPlainDispatchGuardRun, CompiledByHand) {
  for (const Target target : {Target::Gfx908, Target::Gfx942}) {
    for (const uint32_t m : {0u, 1u, 64u, 500u}) {
      constexpr uint32_t kBound = 1000;
      Case one = Compiled::case_with(target, Compiled(target).with_range(), 256, {kBound, m});
      one.dispatches[0].arguments[6] = 0x40000000;
      // Apart from what is loaded: nobody sees what others store.
      one.memory = {};
      map_only(one, {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(kItems)}});
      Memory after;
      EXPECT_FALSE(judge(one, &after).wild);
      const auto at = [](Memory& memory, uint64_t address) {
        return std::bit_cast<float>(memory.word(address));
      };
      for (uint32_t i = m; i < kBound; ++i) {
        const float y = at(one.memory, kY + bytes_of(i)), x = at(one.memory, kX + bytes_of(i));
        // An earlier wave never stores where a later one loads: it stores further in front.
        ASSERT_EQ(at(after, kY + bytes_of(i - m)), std::fma(2.0f, x, y)) << i;
      }
    }
  }
}

/// The bound is beyond the memory: the first lane that is too far, in any wave, or none.
TEST(GoldenPlainDispatchGuardRun, WildStores) {
  for (const uint32_t end : {1u, 63u, 64u, 65u, 700u, 767u, 768u, 1000u, kItems - 1}) {
    for (const uint32_t bound : {end - 1, end, end + 1, end + 2, kItems}) {
      for (const bool based : {false, true}) {
        for (const unsigned which : {0u, 1u}) {
          SCOPED_TRACE(testing::Message() << end << " " << bound << " " << which);
          Case one = guarded_case(guarded_saxpy({}, 192, based), kItems, 192, bound);
          map_only(one, {{kX, kX + bytes_of(which == 0 ? end : kItems)},
                         {kY, kY + bytes_of(which == 1 ? end : kItems)}});
          EXPECT_EQ(judge(one).wild, std::min(bound, kItems) > end);
          one.setup.slice = 9;
          one.setup.resident_waves = 12;
          EXPECT_EQ(judge(one).wild, std::min(bound, kItems) > end);
        }
      }
    }
  }
}

/// Some lanes of a wave are wild, and those that do not pass would be as well.
TEST(GoldenPlainDispatchGuardRun, WildLanes) {
  for (const Cond cond : {Cond::Eq, Cond::Ne, Cond::Lt}) {
    for (const uint32_t place : {0u, 10u, 63u, 64u, 700u}) {
      for (const uint32_t bound : {place, place + 1, place + 5, place + 70}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(cond) << " " << place << " " << bound);
        Guard guard;
        guard.cond = cond;
        Case one = guarded_case(guarded_saxpy(guard, 64), kItems, 64, bound);
        map_only(one, {{kX, kX + bytes_of(kItems)},
                       {kY, kY + bytes_of(place)},
                       {kY + bytes_of(place + 3), kY + bytes_of(kItems)}});
        const bool hits = cond == Cond::Eq   ? bound < place + 3
                          : cond == Cond::Ne ? true
                                             : bound < place + 2;
        EXPECT_EQ(judge(one).wild, hits);
        // Read-only instead of nothing.
        one = guarded_case(guarded_saxpy(guard, 64), kItems, 64, bound);
        for (Piece& piece : one.memory.pieces) {
          if (piece.va == kY) piece.permitted = hsa::Access::Read;
        }
        judge(one);
      }
    }
  }
}

/// Every number of instructions that a small dispatch can be stopped after, with waves that do all,
/// some lanes, and nothing.
TEST(GoldenPlainDispatchGuardRun, Watchdog) {
  const auto ops = guarded_saxpy({}, 64);
  for (const uint32_t bound : {0u, 150u, 400u}) {
    unsigned stopped = 0;
    for (uint64_t limit = 1; limit <= 6 * ops.size() + 2; ++limit) {
      SCOPED_TRACE(testing::Message() << bound << " " << limit);
      Case one = guarded_case(ops, 64 * 6, 64, bound);
      one.setup.watchdog = limit;
      stopped += judge(one).watchdog ? 1 : 0;
      if (limit % 3 != 0) continue;
      one.setup.resident_waves = 1;
      judge(one);
      one.setup.slice = 7;
      judge(one);
    }
    // Waves of no lane are shorter.
    const uint64_t whole = bound == 0 ? 0 : bound == 150 ? 3 : 6, part = 6 - whole;
    EXPECT_EQ(stopped, whole * ops.size() + part * (ops.size() - 15) - 1);
  }
  for (const uint64_t waves : {10, 255, 256, 257, 490, 510, 700}) {
    for (const uint64_t more : {0, 1, 17}) {
      Case one = guarded_case(ops, 64 * 1000, 64, 64 * 500 + 7);
      one.setup.watchdog = waves * ops.size() + more;
      judge(one);
    }
  }
}

TEST(GoldenPlainDispatchGuardRun, Slices) {
  for (uint32_t slice = 1; slice <= 36; ++slice) {
    for (const uint32_t resident : {1u, 4u, 256u}) {
      Guard guard;
      guard.close = slice % 2 == 0 ? Close::Or : Close::Nothing;
      guard.leave = slice % 3 == 0 ? Leave::Never : Leave::Execz;
      Case one = guarded_case(guarded_saxpy(guard, 100), 100 * 9 - 7, 100, 470);
      one.setup.slice = slice;
      one.setup.resident_waves = resident;
      one.setup.poison = slice % 5 == 0;
      EXPECT_FALSE(judge(one).wild);
    }
  }
}

/// In turns, and waves store where others load, as far as the bound lets them.
TEST(GoldenPlainDispatchGuardRun, SharedMemoryInTurns) {
  for (const int64_t floats : {0, 1, -1, 64, -64, 200, -256}) {
    for (const uint32_t bound : {65u, 700u, kItems}) {
      for (const uint32_t slice : {2048u, 3u, 20u, 27u}) {
        SCOPED_TRACE(testing::Message() << floats << " " << bound << " " << slice);
        Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, bound);
        const uint64_t y = kX + static_cast<uint64_t>(4 * floats);
        one.dispatches[0].arguments = arguments(kX, y, kZ);
        set_bounds(one.dispatches[0], bound);
        one.setup.slice = slice;
        map_only(one, {{kX, kX + bytes_of(bound)}, {y, y + bytes_of(bound)}});
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// One machine, the same kernel with one bound after the other, other sizes and other code.
TEST(GoldenPlainDispatchGuardRun, SeveralDispatches) {
  for (const unsigned threads : {1u, 2u}) {
    Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, kItems);
    one.setup.threads = threads;
    Dispatch d = one.dispatches[0];
    const auto next = [&](uint32_t bound) {
      set_bounds(d, bound);
      one.dispatches.push_back(d);
    };
    for (const uint32_t bound : {0u, 1u, 700u, 768u, kItems - 1, 0xffffffffu, 5u}) next(bound);
    d.grid[0] = 700;
    next(600);
    d.workgroup[0] = 128;
    next(650);
    d.workgroup[0] = 64;
    d.start[0] = 4;
    next(650);
    d.start[0] = 0;
    d.grid[0] = kItems;
    Guard later;
    later.cond = Cond::Le;
    d.ops = guarded_saxpy(later, 64);
    next(300);
    d.ops.clear();
    next(301);
    d.ops = saxpy(64);
    next(0);
    d.ops = guarded_saxpy({}, 64, true);
    next(900);
    d.ops.clear();
    EXPECT_FALSE(judge(one).wild);
    // More than there is, then again as before.
    d.grid[0] = kItems + 64;
    next(0xffffffff);
    d.grid[0] = kItems;
    next(1000);
    EXPECT_TRUE(judge(one).wild);
    one.dispatches.back().unmapped = kX;
    judge(one);
  }
}

/// Without x, only dispatches in which nobody passes are good.
TEST(GoldenPlainDispatchGuardRun, MemoryIsGone) {
  Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, 700);
  Dispatch d = one.dispatches[0];
  d.unmapped = kX;
  set_bounds(d, 0);
  one.dispatches.push_back(d);
  d.unmapped = 0;
  one.dispatches.push_back(d);
  EXPECT_FALSE(judge(one).wild);
  set_bounds(d, 1);
  one.dispatches.push_back(d);
  EXPECT_TRUE(judge(one).wild);
}

/// With several threads: only what work-items that pass do is a race.
TEST(GoldenPlainDispatchGuardRun, Races) {
  for (const uint32_t bound : {0u, 1u, 64u, 65u, 66u, 500u, kItems}) {
    for (const int64_t floats : {0, 1, 64}) {
      SCOPED_TRACE(testing::Message() << bound << " " << floats);
      Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, bound);
      const uint64_t y = kX + static_cast<uint64_t>(4 * floats);
      one.dispatches[0].arguments = arguments(kX, y, kZ);
      set_bounds(one.dispatches[0], bound);
      one.setup.threads = 2;
      map_only(one, {{kX, kX + bytes_of(kItems)}, {y, y + bytes_of(kItems)}});
      const Verdict verdict = judge(one);
      EXPECT_FALSE(verdict.wild);
      // One float further: the last one of each work-group is the first one of the next.
      const uint64_t full = bound == 0 ? 0 : (bound - 1) / 64;
      const uint64_t races = floats == 0 ? 0 : floats == 1 ? full : bound > 64 ? bound - 64 : 0;
      EXPECT_EQ(verdict.race_bytes, bytes_of(races));
      EXPECT_EQ(verdict.restarted, races != 0);
    }
  }
}

/// A whole machine's worth, on each level of the host, with numbers that are none.
TEST(GoldenPlainDispatchGuardRun, Levels) {
  constexpr uint32_t kMany = 64 * 400;
  for (unsigned level = 0; level < 4; ++level) {
    for (const bool careful : {false, true}) {
      for (const uint32_t bound : {64u * 200, 64u * 200 + 17, kMany + 1, 64u * 5 + 1}) {
        SCOPED_TRACE(testing::Message() << level << " " << bound);
        Case one = guarded_case(guarded_saxpy({}, 256, level % 2 == 0), kMany, 256, bound);
        one.level = static_cast<wave::lanes::HostLevel>(level);
        one.careful = careful;
        one.memory.put(kX + bytes_of(64 * 199), 0x7f812345u);
        one.memory.put(kY + bytes_of(bound - 1) % bytes_of(kMany), 0x00012345u);
        one.memory.put(kX + bytes_of(64 * 4 + 63), 0x7f800000u);
        if (careful) one.kernel.modes.denorm = hsa::FloatDenorm::FlushSrcDst;
        EXPECT_FALSE(judge(one).wild);
      }
    }
  }
}

/// All but the first waves, all but the last one, or nearly half of them have nothing to do.
TEST(GoldenPlainDispatchGuardRun, ManyWaves) {
  constexpr uint32_t kMany = 64 * 3000;
  struct Bound {
    Cond cond;
    uint32_t value;
  };
  for (const Bound& bound : {Bound{Cond::Gt, 5}, Bound{Cond::Lt, kMany - 3},
                             Bound{Cond::Gt, kMany / 2 + 7}, Bound{Cond::Eq, kMany / 2 + 7}}) {
    SCOPED_TRACE(bound.value);
    Guard guard;
    guard.cond = bound.cond;
    Case one = guarded_case(guarded_saxpy(guard, 256), kMany, 256, bound.value);
    const Verdict verdict = judge(one);
    EXPECT_FALSE(verdict.wild);
    const uint64_t stores = bound.cond == Cond::Eq   ? 1
                            : bound.cond == Cond::Gt ? bound.value
                                                     : kMany - 1 - bound.value;
    EXPECT_EQ(verdict.stores, stores);
  }
}

/// Rows of work-groups that do the same as far as the bound lets them.
TEST(GoldenPlainDispatchGuardRun, Rows) {
  for (const uint32_t bound : {0u, 100u, kItems}) {
    for (const unsigned threads : {1u, 2u}) {
      SCOPED_TRACE(testing::Message() << bound << " " << threads);
      Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, bound);
      one.dispatches[0].grid = {kItems, 3, 1};
      one.setup.threads = threads;
      const Verdict verdict = judge(one);
      EXPECT_EQ(verdict.stores, uint64_t{3} * bound);
      EXPECT_EQ(verdict.race_bytes, threads == 2 ? 2 * bytes_of(bound) : 0);
    }
  }
}

/// With several threads, failures are those of one.
TEST(GoldenPlainDispatchGuardRun, FailuresWithThreads) {
  for (const uint32_t bound : {700u, 701u, 1000u, kItems}) {
    for (const uint64_t watchdog : {0, 200, 600}) {
      SCOPED_TRACE(testing::Message() << bound << " " << watchdog);
      Case one = guarded_case(guarded_saxpy({}, 64), kItems, 64, bound);
      map_only(one, {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(700)}});
      one.setup.threads = 2;
      one.setup.watchdog = watchdog;
      const Verdict verdict = judge(one);
      if (watchdog == 0) EXPECT_EQ(verdict.wild, bound > 700);
      EXPECT_EQ(verdict.watchdog, watchdog != 0 && !verdict.wild);
    }
  }
}

/// A wave in the middle changes the pointers or the scale of those behind it, if it passes.
TEST(GoldenPlainDispatchGuardRun, ArgumentsChange) {
  const auto ops = guarded_saxpy({}, 64);
  for (uint32_t word = 0; word < kArgumentWords; ++word) {
    for (const uint32_t item : {700u, 767u}) {
      for (const uint32_t bound : {item - 3, item, item + 1, kItems}) {
        SCOPED_TRACE(testing::Message() << word << " " << item << " " << bound);
        Case one = guarded_case(ops, kItems, 64, bound);
        one.setup.kernarg = kY + bytes_of(item) - 4 * word;
        map_only(one, {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(kItems)}});
        judge(one);
      }
    }
  }
}

/// A watchdog, a wild store and a bound that is changed, in one dispatch: which comes first.
TEST(GoldenPlainDispatchGuardRun, WatchdogOrWild) {
  const auto ops = guarded_saxpy({}, 64);
  for (const uint64_t waves : {3, 9, 10, 11, 12, 20}) {
    for (const uint64_t more : {0, 5, 15, 29}) {
      Case one = guarded_case(ops, kItems, 64, 704);
      map_only(one, {{kX, kX + bytes_of(kItems)}, {kY, kY + bytes_of(650)}});
      one.setup.watchdog = waves * ops.size() + more;
      one.setup.resident_waves = 8;
      const Verdict verdict = judge(one);
      EXPECT_TRUE(verdict.wild || verdict.watchdog);
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
