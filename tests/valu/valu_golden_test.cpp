// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "coverage_file.h"
#include "ip/valu/register_valu.h"
#include "test_vectors.h"
#include "valu_devices.h"
#include "valu_program.h"
#include "valu_vectors.h"

// Every operation of the RTL against the lane semantics of layer wave, bit for bit, for each of 16
// groups of rounding and denormal modes, with modifiers and selects of every encoding: at least
// 2000 lane vectors per group on gfx908, of the other targets for what gfx908 has not; a sample for
// the rest, whose circuits are the same.
namespace cuvette {
namespace {

constexpr uint64_t kSeed = 5150;
constexpr unsigned kGroups = 16;
/// Lane vectors of an operation in one group of modes.
constexpr int kAll = 2000, kSample = 16;

/// F32 takes rounding and denormal mode of the group; F16 and F64 have the same ones in another
/// order, so that both meet every value and mixing them up shows.
uint32_t mode_of(unsigned group, std::mt19937_64& random) {
  const uint32_t round = group & 3, denorm = group >> 2;
  const uint32_t others = static_cast<uint32_t>(random()) & (3u << 8 | 1u << 23);
  return round | (3 - round) << 2 | denorm << 4 | ((denorm + 1) & 3) << 6 | others;
}

/// SDWA goes where the target has it.
bool on_target(const isa::Row& row, isa::Target target, const valu::Request& q) {
  return valu::encoding_of(q.modifiers) != isa::Encoding::Sdwa ||
         (row.sdwa_targets >> isa::index_of(target) & 1) != 0;
}

std::vector<valu::Request> program_of(const isa::Row& row, isa::Target target, unsigned group,
                                      size_t vectors, size_t& lanes) {
  std::mt19937_64 random(kSeed + isa::index_of(row) * kGroups + group);
  std::vector<valu::Request> out;
  for (lanes = 0; lanes < vectors;) {
    valu::Request& q = out.emplace_back();
    q.id = static_cast<uint32_t>(out.size());
    q.mode = mode_of(group, random);
    do {
      valu_vectors::draw(row, random, q);
    } while (!on_target(row, target, q));
    lanes += static_cast<unsigned>(__builtin_popcount(q.exec));
  }
  return out;
}

/// The operations of a target in parts, so that they run side by side.
struct Part {
  isa::Target target;
  unsigned part, parts;
};

class ValuGolden : public ::testing::TestWithParam<Part> {};

TEST_P(ValuGolden, EveryOperationEqualsTheLaneSemantics) {
  const CountsCoverage counting("valu_golden_test");
  const auto& ops = valu::operations();
  const auto [target, part, parts] = GetParam();
  valu::Config config;
  config.target = target;
  size_t failed = 0, all = 0, sampled = 0;
  for (size_t n = part; n < ops.size(); n += parts) {
    if (!ops[n].on(target)) continue;
    const isa::Row* row = isa::find_row(ops[n].mnemonic, ops[n].format);
    ASSERT_NE(row, nullptr) << ops[n].mnemonic;
    const bool full = target == isa::Target::Gfx908 || !ops[n].on(isa::Target::Gfx908);
    ++(full ? all : sampled);
    for (unsigned group = 0; group < kGroups; ++group) {
      size_t lanes = 0;
      const auto program = program_of(
          *row, target, group, static_cast<size_t>(full ? test::vectors(kAll) : kSample), lanes);
      ip::ValuLockstep lockstep(ip::make_valu_fast(target), config);
      const auto run = valu_program::run(lockstep, program, 8, 8, 1,
                                         [&] { return lockstep.mismatch().has_value(); });
      if (lockstep.mismatch()) {
        const std::string& report = lockstep.mismatch()->report;
        ADD_FAILURE() << isa::name_of(target) << " group " << group << ": "
                      << report.substr(0, report.find("lanes of"));
        if (++failed == 12) return;
        break;
      }
      ASSERT_TRUE(run.complete) << ops[n].mnemonic;
      ASSERT_EQ(lockstep.kit().compared(), valu_vectors::values_of(program));
    }
  }
  std::printf("%s: %zu operations in full, %zu sampled\n",
              std::string(isa::name_of(target)).c_str(), all, sampled);
  EXPECT_GT(all + sampled, 400u / parts);
}

constexpr Part kParts[] = {
    {isa::Target::Gfx908, 0, 8}, {isa::Target::Gfx908, 1, 8}, {isa::Target::Gfx908, 2, 8},
    {isa::Target::Gfx908, 3, 8}, {isa::Target::Gfx908, 4, 8}, {isa::Target::Gfx908, 5, 8},
    {isa::Target::Gfx908, 6, 8}, {isa::Target::Gfx908, 7, 8}, {isa::Target::Gfx900, 0, 1},
    {isa::Target::Gfx906, 0, 1}, {isa::Target::Gfx90a, 0, 1}, {isa::Target::Gfx942, 0, 1}};

INSTANTIATE_TEST_SUITE_P(Parts, ValuGolden, ::testing::ValuesIn(kParts), [](const auto& p) {
  return std::string(isa::name_of(p.param.target)) + "_" + std::to_string(p.param.part);
});

}  // namespace
}  // namespace cuvette
