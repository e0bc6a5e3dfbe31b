// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// What makes a wave more than a linear function of the numbers of its work-group and of itself, or
// its code more than one stream: each alone, in a kernel that is nothing else.
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

/// Strides of 0, falling ones, and work-groups that lie in one another.
TEST(GoldenPlainDispatchLinear, Strides) {
  for (const uint32_t stride :
       {0u, 1u, 32u, 63u, 65u, 128u, 1000u, 0xffffffffu, 0xffffffc0u, 0xffffff00u}) {
    for (const uint16_t size : {64, 128, 256}) {
      for (const bool based : {false, true}) {
        SCOPED_TRACE(testing::Message() << stride << " " << size << " " << based);
        const bool falls = stride > 0x80000000;
        const uint32_t groups = kItems / size;
        const uint32_t step = falls ? 0 - stride : stride;
        Case one = case_of(saxpy(stride, based), groups * step + 2 * size, size);
        one.dispatches[0].grid[0] = kItems;
        one.dispatches[0].arguments = arguments(kX, kY, kZ, 0, falls ? groups * step : 0);
        judge(one);
        one.dispatches[0].arguments = arguments(kX, kX + 4, kZ, 0, falls ? groups * step : 0);
        judge(one);
      }
    }
  }
}

}  // namespace
}  // namespace cuvette::golden::plain
