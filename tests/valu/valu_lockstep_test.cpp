// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ip/valu/register_valu.h"
#include "ip/valu/valu_rtl.h"
#include "valu/operations.h"
#include "valu/valu_model.h"
#include "valu_faults.h"
#include "valu_program.h"
#include "valu_vectors.h"

// The RTL under the contract of the valu block against the lane semantics of layer wave.
namespace cuvette {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSeed = 77;

valu::Registry registry() {
  valu::Registry r;
  valu::register_valu_tlm(r);
  ip::register_valu(r);
  return r;
}

bool same(const valu::Response& a, const valu::Response& b) {
  if (a.id != b.id || a.beat != b.beat || a.pass != b.pass || a.write != b.write ||
      a.has_mask != b.has_mask || a.mask != b.mask || a.flags != b.flags) {
    return false;
  }
  for (unsigned l = 0; l < valu::kLanes; ++l) {
    if ((a.write >> l & 1) != 0 && a.dst[l] != b.dst[l]) return false;
  }
  return true;
}

TEST(ValuLockstep, EveryOperationOfTheRtlIsARowWithALaneHandler) {
  for (const isa::Target target : isa::kAllTargets) {
    const ip::ValuRtl rtl(ip::make_valu_fast(target), target);
    for (const valu::Operation& op : valu::operations()) {
      const isa::Row* row = isa::find_row(op.mnemonic, op.format);
      ASSERT_NE(row, nullptr) << op.mnemonic;
      EXPECT_TRUE(valu::LaneBeat::has(*row)) << op.mnemonic;
      EXPECT_EQ(op.on(target), row->on(target)) << op.mnemonic << isa::name_of(target);
      EXPECT_EQ(rtl.implements(*row, isa::Encoding::Native, {}), row->on(target)) << op.mnemonic;
      EXPECT_EQ(rtl.implements(*row, isa::Encoding::Sdwa, {}),
                (row->sdwa_targets >> isa::index_of(target) & 1) != 0)
          << op.mnemonic << isa::name_of(target);
    }
  }
}

/// Every vector row of a target that layer wave computes.
TEST(ValuLockstep, TheRtlHasEveryLaneRowOfItsTarget) {
  for (const isa::Target target : isa::kAllTargets) {
    size_t count = 0;
    for (const isa::Row& row : isa::rows()) {
      if (!row.on(target) || !valu::LaneBeat::has(row)) continue;
      ++count;
      EXPECT_NE(valu::operation_of(row, target), valu::kNoOperation)
          << row.mnemonic << isa::name_of(target);
    }
    EXPECT_GE(count, 450u) << isa::name_of(target);
  }
}

TEST(ValuLockstep, RtlEqualsLaneSemanticsOnEveryOperation) {
  for (const char* name : {"lockstep", "lockstep-check"}) {
    valu::Config config;
    config.seed = kSeed;
    const auto block = registry().make(name, config);
    ASSERT_NE(block, nullptr);
    auto& lockstep = dynamic_cast<ip::ValuLockstep&>(*block);
    const auto program = valu_program::mixed(*block, 60000, kSeed);
    const auto run = valu_program::run(*block, program, 8, 8, 1);
    ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
    EXPECT_TRUE(run.complete);
    EXPECT_EQ(lockstep.kit().seen(), program.size());
    EXPECT_EQ(lockstep.kit().compared(), valu_vectors::values_of(program));
  }
}

TEST(ValuLockstep, BackPressureDelaysAndChangesNothing) {
  const auto plain = registry().make("tlm", {});
  const auto names = registry();
  for (const auto& [offers, takes] : {std::pair{8u, 8u}, {8u, 2u}, {2u, 8u}, {5u, 4u}}) {
    const auto rtl = names.make("rtl", {});
    const auto lockstep = names.make("lockstep", {});
    const auto program = valu_program::mixed(*rtl, 3000, kSeed + takes);
    const auto a = valu_program::run(*rtl, program, offers, takes, 3);
    const auto b = valu_program::run(*lockstep, program, offers, takes, 3);
    const auto c = valu_program::run(*plain, program, offers, takes, 3);
    ASSERT_TRUE(a.complete && b.complete && c.complete);
    EXPECT_EQ(a.cycles, b.cycles) << "the lockstep must not change times";
    for (size_t i = 0; i < program.size(); ++i) {
      ASSERT_TRUE(same(a.responses[i], b.responses[i])) << i;
      ASSERT_TRUE(same(a.responses[i], c.responses[i])) << i;
    }
  }
}

TEST(ValuLockstep, IdleCyclesMayBeLeftOut) {
  const auto block = registry().make("lockstep", {});
  const auto program = valu_program::mixed(*block, 2, kSeed);
  EXPECT_EQ(block->next_event(), machine::kNever);
  block->request.push(program[0], 100);
  EXPECT_EQ(block->next_event(), 100u);
  machine::Cycle now = 100;
  for (; block->response.empty(); ++now) {
    ASSERT_EQ(block->next_event(), now);
    block->tick(now);
    ASSERT_LT(now, 110u);
  }
  EXPECT_EQ(block->response.next_event(), 104u) << "three stages and the channel";
  // The clock goes on for as many cycles as there are stages: a response too many would show.
  for (int stage = 0; stage < 3; ++stage, ++now) {
    ASSERT_EQ(block->next_event(), now);
    block->tick(now);
  }
  EXPECT_EQ(block->next_event(), machine::kNever);
  block->response.pop(104);
  block->request.push(program[1], 5000);
  EXPECT_EQ(block->next_event(), 5000u);
}

TEST(ValuLockstep, ReportsEveryKindOfDifference) {
  const ip::ValuRtl rtl(ip::make_valu_fast());
  const auto program = valu_program::mixed(rtl, 400, kSeed);
  for (const valu_faults::Fault& fault : valu_faults::faults()) {
    EXPECT_EQ(valu_faults::reported(fault, program), fault.field) << fault.name;
  }
}

/// The machine runs on for some cycles after a difference; wrong fields must not reach it.
TEST(ValuLockstep, HandsOnNothingWrong) {
  const ip::ValuRtl rtl(ip::make_valu_fast());
  const auto program = valu_program::mixed(rtl, 400, kSeed);
  const auto right = valu_program::run(*registry().make("tlm", {}), program, 8, 8, 1);
  for (const valu_faults::Fault& fault : valu_faults::faults()) {
    ip::ValuLockstep lockstep(valu_faults::behind_pins(fault), valu::Config());
    const auto run = valu_program::run(lockstep, program, 8, 8, 1);
    ASSERT_TRUE(lockstep.mismatch()) << fault.name;
    ASSERT_LT(run.responses.size(), program.size()) << fault.name;
    for (size_t n = 0; n < run.responses.size(); ++n) {
      ASSERT_TRUE(same(run.responses[n], right.responses[n])) << fault.name << " " << n;
    }
  }
}

TEST(ValuLockstep, ReportNamesTransactionLaneOperandsAndHistory) {
  const valu_faults::Fault* lane = nullptr;
  for (const auto& fault : valu_faults::faults()) {
    if (fault.name == "lane 15") lane = &fault;
  }
  ASSERT_NE(lane, nullptr);
  unsigned told = 0;
  ip::ValuLockstep lockstep(valu_faults::behind_pins(*lane), valu::Config(), {},
                            [&](const ip::BlockMismatch&) { ++told; });
  const ip::ValuRtl rtl(ip::make_valu_fast());
  const auto program = valu_program::mixed(rtl, 200, kSeed);
  const auto run = valu_program::run(lockstep, program, 8, 8, 1,
                                     [&] { return lockstep.mismatch().has_value(); });
  ASSERT_TRUE(lockstep.mismatch());
  EXPECT_EQ(told, 1u);
  const ip::BlockMismatch& m = *lockstep.mismatch();
  EXPECT_EQ(m.lane, 15);
  EXPECT_EQ(m.actual ^ m.expected, 0x80000000u);
  // The first request behind those whose responses were handed on.
  const valu::Request& q = program[lockstep.kit().seen() - 1];
  ASSERT_LT(run.responses.size(), lockstep.kit().seen());
  char source[32];
  std::snprintf(source, sizeof source, "src0 0x%llx",
                static_cast<unsigned long long>(q.src[0][15]));
  EXPECT_THAT(m.report, HasSubstr(source));
  EXPECT_THAT(m.report, HasSubstr("id " + std::to_string(q.id) + " "));
  EXPECT_THAT(m.report, HasSubstr((isa::rows().begin() + q.row)->mnemonic));
  EXPECT_THAT(m.report, HasSubstr("last transactions"));
  EXPECT_LE(m.transactions.size(), 32u);
  EXPECT_GE(m.transactions.size(), std::min<size_t>(q.id, 16));
}

}  // namespace
}  // namespace cuvette
