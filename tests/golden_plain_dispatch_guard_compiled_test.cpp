// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Dispatches of many waves with a comparison in front of what they do: kernels as clang has them.
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

/// What clang 19 makes of OpenCL for a target, -O2, code object version 5, with its scalar
/// registers and mostly its vector registers. "new": from gfx942 on, without the scratch memory's
/// V#.
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
    const unsigned to = 2;
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
    if (new_) {
      add(op(What::LshlAdd64, 2, s(base), number(0), v(0)));
    } else {
      add(op(What::Mov, 3, s(base + 1)));
      add(op(What::AddCo, 2, s(base), v(0)));
      add(op(What::Addc, 3, number(0), v(3)));
    }
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

TEST(GoldenPlainDispatchGuardCompiled, AllTargets) {
  for (const Target target : isa::kAllTargets) {
    for (const uint32_t n : {0u, 1u, 64u, 100u, 767u, 768u, kItems - 1, kItems}) {
      for (const uint16_t size : Sizes{256, 64, 100}) {
        SCOPED_TRACE(testing::Message() << isa::name_of(target) << " " << n << " " << size);
        const auto judge_it = [&](const std::vector<Op>& ops, const std::vector<uint32_t>& bound) {
          EXPECT_FALSE(judge(Compiled::case_with(target, ops, size, bound)).wild);
        };
        judge_it(Compiled(target).with_size(), {n});
        judge_it(Compiled(target).with_long(), {n, 0});
        if (size != 256) continue;
        judge_it(Compiled(target).with_constant_size(), {n});
        judge_it(Compiled(target).with_range(), {n, 70});
        judge_it(Compiled(target).with_range(), {n, 0});
      }
      // For n behind the end nobody loads.
      const auto one = Compiled(target).with_one();
      EXPECT_FALSE(judge(Compiled::case_with(target, one, 64, {n, 0})).wild);
      EXPECT_FALSE(judge(Compiled::case_with(target, one, 64, {n, 1})).wild);
    }
  }
}

/// Those of a range by a formula, on targets with and without sums of 64 bits.
TEST(GoldenPlainDispatchGuardCompiled, Formula) {
  for (const Target target : {Target::Gfx908, Target::Gfx942}) {
    for (const uint32_t m : {0u, 1u, 64u, 500u}) {
      constexpr uint32_t kBound = 1000;
      Case one = Compiled::case_with(target, Compiled(target).with_range(), 256, {kBound, m});
      one.dispatches[0].arguments[6] = 0x40000000;
      Memory after;
      EXPECT_FALSE(judge(one, &after).wild);
      const auto at = [](Memory& memory, uint64_t address) {
        return std::bit_cast<float>(memory.word(address));
      };
      for (uint32_t i = m; i < kBound; ++i) {
        const float y = at(one.memory, kY + bytes_of(i)), x = at(one.memory, kX + bytes_of(i));
        // Nobody loads what an earlier wave has stored: that is further in front.
        ASSERT_EQ(at(after, kY + bytes_of(i - m)), std::fma(2.0f, x, y)) << i;
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
