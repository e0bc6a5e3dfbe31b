// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "coverage_file.h"
#include "ip/register_valu.h"
#include "ip/valu_ops.h"
#include "ip/valu_rtl.h"
#include "test_vectors.h"
#include "valu_program.h"
#include "valu_vectors.h"

// Every operation of the RTL against the lane semantics of layer wave, bit for bit: at least 2000
// lane vectors for each of 16 groups of rounding and denormal modes, with modifiers and selects of
// every encoding.
namespace cuvette {
namespace {

constexpr uint64_t kSeed = 5150;
constexpr unsigned kGroups = 16;

/// F32 takes rounding and denormal mode of the group; F16 and F64 have the same ones in another
/// order, so that both meet every value and mixing them up shows.
uint32_t mode_of(unsigned group, std::mt19937_64& random) {
  const uint32_t round = group & 3, denorm = group >> 2;
  const uint32_t others = static_cast<uint32_t>(random()) & (3u << 8 | 1u << 23);
  return round | (3 - round) << 2 | denorm << 4 | ((denorm + 1) & 3) << 6 | others;
}

std::vector<valu::Request> program_of(const isa::Row& row, unsigned group, size_t& lanes) {
  std::mt19937_64 random(kSeed + isa::index_of(row) * kGroups + group);
  std::vector<valu::Request> out;
  for (lanes = 0; lanes < static_cast<size_t>(test::vectors(2000));) {
    valu::Request& q = out.emplace_back();
    q.id = static_cast<uint32_t>(out.size());
    q.mode = mode_of(group, random);
    valu_vectors::draw(row, random, q);
    lanes += static_cast<unsigned>(__builtin_popcount(q.exec));
  }
  return out;
}

class ValuGolden : public ::testing::TestWithParam<unsigned> {};

/// The operations in parts, so that they run side by side.
constexpr unsigned kParts = 8;

TEST_P(ValuGolden, EveryOperationEqualsTheLaneSemantics) {
  const CountsCoverage counting("valu_golden_test");
  const auto& ops = ip::valu_ops();
  size_t failed = 0;
  for (size_t n = GetParam(); n < ops.size(); n += kParts) {
    const isa::Row* row = isa::find_row(ops[n].mnemonic, ops[n].format);
    ASSERT_NE(row, nullptr) << ops[n].mnemonic;
    for (unsigned group = 0; group < kGroups; ++group) {
      size_t lanes = 0;
      const auto program = program_of(*row, group, lanes);
      ip::ValuLockstep lockstep(std::make_unique<ip::ValuRtl>(ip::make_valu_fast()), {});
      const auto run = valu_program::run(lockstep, program, 8, 8, 1,
                                         [&] { return lockstep.mismatch().has_value(); });
      if (lockstep.mismatch()) {
        const std::string& report = lockstep.mismatch()->report;
        ADD_FAILURE() << "group " << group << ": " << report.substr(0, report.find("lanes of"));
        if (++failed == 12) return;
        break;
      }
      ASSERT_TRUE(run.complete) << ops[n].mnemonic;
      ASSERT_EQ(lockstep.counts().sampled, program.size());
      ASSERT_EQ(lockstep.counts().lanes, valu_vectors::writes_vector(*row) ? lanes : 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, ValuGolden, ::testing::Range(0u, kParts));

}  // namespace
}  // namespace cuvette
