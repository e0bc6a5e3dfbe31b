// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "coverage_file.h"
#include "ip/simd/register_simd.h"
#include "ip/simd/simd_rtl.h"
#include "simd/simd_model.h"
#include "simd_faults.h"
#include "simd_program.h"
#include "wave/status.h"

// rtl/simd behind the contract, shadowed by whole-wave execution: random streams over every row,
// exact times, seeds of uninitialised state, faults.
namespace cuvette {
namespace {

using simd::Issue;
using simd_program::exact;
using simd_program::make;

const std::vector<Issue>& program() {
  static const auto issues = simd_program::mixed(*make("rtl"), 4000, 20260);
  return issues;
}

TEST(SimdLockstep, ImplementsEveryVectorRowOfTheTarget) {
  const auto rtl = make("rtl");
  unsigned rows = 0;
  for (const isa::Row& row : isa::rows()) {
    if (!row.on(isa::Target::Gfx908)) continue;
    if (row.unit != isa::Unit::Valu && row.unit != isa::Unit::Trans) continue;
    if (row.format == isa::Format::Vintrp) continue;  // interpolation reads the LDS
    if (wave::status_of(row, isa::Target::Gfx908).status == wave::Status::Unsupported) continue;
    EXPECT_TRUE(rtl->implements(row, isa::Encoding::Native, {})) << row.mnemonic;
    ++rows;
  }
  std::printf("%u rows\n", rows);
  EXPECT_GE(rows, 472u);
}

TEST(SimdLockstep, RandomStreamsExactInTimeWithThreeSeeds) {
  std::set<uint16_t> rows;
  std::set<isa::Encoding> encodings;
  for (const Issue& i : program()) {
    rows.insert(static_cast<uint16_t>(isa::index_of(*i.instruction.row)));
    encodings.insert(i.instruction.encoding);
  }
  EXPECT_GE(rows.size(), 470u);
  EXPECT_EQ(encodings.size(), 5u);
  std::set<uint64_t> hashes, cycles;
  for (const uint64_t seed : {1u, 77u, 4711u}) {
    const auto block = make("lockstep-check", seed);
    auto& lockstep = dynamic_cast<ip::SimdLockstep&>(*block);
    simd_program::fill_rows(*block, 5);
    const auto run = simd_program::run(*block, program(), 8, 8, 3,
                                       [&] { return lockstep.mismatch().has_value(); });
    ASSERT_FALSE(lockstep.mismatch().has_value()) << lockstep.mismatch()->report;
    ASSERT_TRUE(run.complete);
    lockstep.audit();
    ASSERT_FALSE(lockstep.mismatch().has_value()) << lockstep.mismatch()->report;
    const auto items = lockstep.kit().items();
    EXPECT_EQ(items.at("simd instructions"), program().size());
    EXPECT_EQ(items.at("simd row_data"), run.rows);
    EXPECT_GT(items.at("simd row_data"), 50u);
    EXPECT_EQ(items.at("simd retires"), run.beats);
    EXPECT_GE(items.at("simd registers"), 512u);  // every row was written at the start
    hashes.insert(run.hash);
    cycles.insert(run.cycles);
    std::printf("seed %u: %llu beats, %llu values in %llu cycles\n", static_cast<unsigned>(seed),
                static_cast<unsigned long long>(run.beats),
                static_cast<unsigned long long>(items.at("simd values")),
                static_cast<unsigned long long>(run.cycles));
  }
  EXPECT_EQ(hashes.size(), 1u);
  EXPECT_EQ(cycles.size(), 1u);
}

/// Each row twice in each of its encodings, with EXEC in every shape for every kind of work.
TEST(SimdLockstep, EveryRowInEveryEncoding) {
  const CountsCoverage counting("simd_lockstep_test");
  const auto block = make("lockstep");
  std::mt19937_64 random(7);
  std::vector<Issue> part = simd_program::every_encoding(*block, 2, 11);
  EXPECT_GT(part.size(), 2000u);
  // Lane moves and copies, which are few, in every shape too.
  const auto moves = [](const Issue& issue) {
    const std::string_view name = issue.instruction.row->mnemonic;
    for (const char* few : {"lane", "swap", "accvgpr", "v_nop", "v_clrexcp", "v_mqsad_u32"}) {
      if (name.find(few) != std::string_view::npos) return true;
    }
    return false;
  };
  for (const Issue& issue : simd_program::mixed(*block, 12000, 12)) {
    if (moves(issue)) part.push_back(issue);
  }
  std::map<std::pair<const isa::Row*, isa::Encoding>, unsigned> shapes;
  for (Issue& issue : part) {
    issue.id = static_cast<uint32_t>(&issue - part.data()) + 1;
    const uint64_t r = random();
    const uint64_t execs[] = {
        0, uint64_t{1} << r % 64, r >> 32 | 3, r << 32 | uint64_t{3} << 60, r | 1, ~uint64_t{0}};
    // In turn for each lane move, and for all other rows of an encoding together.
    const bool own = moves(issue);
    const isa::Encoding encoding = own ? isa::Encoding::Native : issue.instruction.encoding;
    issue.exec = execs[shapes[{own ? issue.instruction.row : nullptr, encoding}]++ % 6];
    if (r % 16 == 1) {  // every vector operand indexed, most of them beyond the allocation
      issue.mode |= 1u << 27;
      issue.m0 = static_cast<uint32_t>(0xf000 | (r >> 16 & 0xff));
    }
  }
  auto& lockstep = dynamic_cast<ip::SimdLockstep&>(*block);
  simd_program::fill_rows(*block, 8);
  const auto run =
      simd_program::run(*block, part, 8, 8, 4, [&] { return lockstep.mismatch().has_value(); });
  ASSERT_FALSE(lockstep.mismatch().has_value()) << lockstep.mismatch()->report;
  EXPECT_TRUE(run.complete);
}

TEST(SimdLockstep, PausesAndBackPressure) {
  for (const auto& [offers, takes] : {std::pair{8u, 2u}, {2u, 8u}, {5u, 5u}}) {
    const auto block = make("lockstep");
    auto& lockstep = dynamic_cast<ip::SimdLockstep&>(*block);
    simd_program::fill_rows(*block, 6);
    const std::vector<Issue> part(program().begin(), program().begin() + 1500);
    const auto run = simd_program::run(*block, part, offers, takes, offers,
                                       [&] { return lockstep.mismatch().has_value(); });
    ASSERT_FALSE(lockstep.mismatch().has_value()) << lockstep.mismatch()->report;
    EXPECT_TRUE(run.complete);
  }
}

/// `tlm` with the times of the ports and the RTL take the same cycles.
TEST(SimdLockstep, ModelOfThePortsKeepsTheTimesOfTheRtl) {
  const std::vector<Issue> part(program().begin(), program().begin() + 2000);
  for (const unsigned takes : {8u, 4u}) {
    std::set<uint64_t> cycles;
    for (const char* name : {"tlm", "rtl"}) {
      const auto block = make(name);
      simd_program::fill_rows(*block, 7);
      const auto run = simd_program::run(*block, part, 8, takes, 9, {}, false);
      ASSERT_TRUE(run.complete) << name;
      cycles.insert(run.cycles);
    }
    EXPECT_EQ(cycles.size(), 1u);
  }
}

TEST(SimdLockstep, FaultsAreReportedInTheirField) {
  for (const simd_faults::Fault& fault : simd_faults::faults()) {
    EXPECT_EQ(simd_faults::reported(fault, program()), fault.field) << fault.name;
  }
}

/// Data of the retire port and contents of the registers are compared separately.
TEST(SimdLockstep, RegistersThatHoldSomethingElseAreReported) {
  const auto reported = [](unsigned lane) {
    return simd_faults::reported_of_register(lane, ip::make_simd_fast());
  };
  EXPECT_EQ(reported(wave::kLanes), "");
  for (const unsigned lane : {0u, 31u, 63u}) EXPECT_EQ(reported(lane), "register") << lane;
}

TEST(SimdLockstep, ReportNamesInstructionAndLanesInHex) {
  const auto& all = simd_faults::faults();
  const auto lane = std::find_if(all.begin(), all.end(),
                                 [](const auto& f) { return f.name == "data of lane 63"; });
  ASSERT_NE(lane, all.end());
  const std::string report = simd_faults::mismatch_of(*lane, program()).report;
  EXPECT_EQ(report.rfind("block simd of compute unit 3 SIMD 2, cycle ", 0), 0u) << report;
  for (const char* part : {"\n  instruction  id ", " pc 0x0000", "\n  exec         0x",
                           "\n  scalars      0x", ": retire: field data", " lane 63: expected 0x",
                           ", sources 0x", "\n  last transactions:\n"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
  }
}

TEST(SimdLockstep, OtherTargetsAndSizesAreRefused) {
  simd::Registry registry;
  ip::register_simd(registry);
  simd::Config config;
  config.target = isa::Target::Gfx90a;
  for (const auto& name : registry.names()) EXPECT_EQ(registry.make(name, config), nullptr);
  config.target = isa::Target::Gfx908;
  config.registers.acc_rows = 0;
  for (const auto& name : registry.names()) EXPECT_EQ(registry.make(name, config), nullptr);
  EXPECT_EQ(registry.names().size(), 4u);
}

}  // namespace
}  // namespace cuvette
