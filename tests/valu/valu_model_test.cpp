// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu/valu_model.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "valu_oracle.h"
#include "valu_program.h"

// Our own implementation of the valu contract: its times, and its results against host arithmetic
// and MPFR for every row that the oracle knows.
namespace cuvette {
namespace {

constexpr uint64_t kSeed = 90125;

bool known(const isa::Row& row) {
  if (row.format == isa::Format::Vop3p) return false;  // v_pk_... share no names with these
  try {
    static_cast<void>(valu_oracle::expected(std::string(row.mnemonic), {}, {}));
    return true;
  } catch (const std::out_of_range&) {
    return false;
  }
}

valu_oracle::Settings settings_of(const valu::Request& q) {
  valu_oracle::Settings s;
  s.round = q.mode & 3;
  s.denorm = q.mode >> 4 & 3;
  s.dx10_clamp = (q.mode >> 8 & 1) != 0;
  s.ieee = (q.mode >> 9 & 1) != 0;
  return s;
}

TEST(ValuModel, ResultsEqualTheOracle) {
  std::mt19937_64 random(kSeed);
  valu::ValuModel block{valu::Config()};
  size_t rows = 0;
  machine::Cycle now = 0;
  for (const isa::Row& row : isa::rows()) {
    if (!block.implements(row, isa::Encoding::Native, {}) || !known(row)) continue;
    ++rows;
    const std::string name(row.mnemonic);
    for (int n = 0; n < 200; ++n, now += 2) {
      valu::Request q;
      q.id = static_cast<uint32_t>(n);
      q.row = static_cast<uint16_t>(isa::index_of(row));
      q.mode = static_cast<uint32_t>(random()) & 0x3ff;
      q.exec = n % 4 == 0 ? static_cast<uint16_t>(random()) : uint16_t{0xffff};
      valu_oracle::Sources in[valu::kLanes];
      for (unsigned l = 0; l < valu::kLanes; ++l) {
        in[l] = valu_oracle::corner_sources(name, random);
        in[l].lane = l;
        for (unsigned s = 0; s < 3; ++s) q.src[s][l] = in[l].src[s];
        q.old[l] = in[l].old;
        if (in[l].mask) q.mask_in = static_cast<uint16_t>(q.mask_in | 1u << l);
      }
      block.request.push(q, now);
      block.tick(now);
      ASSERT_NE(block.response.front(now + 1), nullptr);
      const valu::Response r = block.response.pop(now + 1);
      unsigned flags = 0;
      for (unsigned l = 0; l < valu::kLanes; ++l) {
        if ((q.exec >> l & 1) == 0) continue;
        const auto e = valu_oracle::expected(name, settings_of(q), in[l]);
        flags |= e.flags;
        ASSERT_EQ(r.write, e.writes ? q.exec : 0) << name;
        ASSERT_EQ(r.has_mask, e.has_mask) << name;
        if (e.writes) {
          ASSERT_EQ(r.dst[l], e.dst)
              << name << " " << settings_of(q).str() << std::hex << " src " << q.src[0][l] << " "
              << q.src[1][l] << " " << q.src[2][l] << " old " << q.old[l];
        }
        ASSERT_EQ((r.mask >> l & 1) != 0, e.has_mask && e.mask) << name;
      }
      ASSERT_EQ(r.flags, flags) << name << " " << settings_of(q).str();
    }
  }
  EXPECT_GE(rows, 175u);
}

TEST(ValuModel, LatencyAndThroughput) {
  for (uint32_t latency : {1u, 4u, 9u}) {
    valu::Config config;
    config.latency_cycles = latency;
    valu::ValuModel block(config);
    const auto program = valu_program::mixed(block, 50, kSeed);
    const auto run = valu_program::run(block, program, 8, 8, 1);
    ASSERT_TRUE(run.complete);
    EXPECT_EQ(run.cycles, 50 + latency);
  }
}

TEST(ValuModel, BackPressureKeepsOrderAndLosesNothing) {
  valu::ValuModel block{valu::Config()};
  const auto program = valu_program::mixed(block, 2000, kSeed);
  const auto run = valu_program::run(block, program, 8, 2, 1);
  ASSERT_TRUE(run.complete);
  for (size_t i = 0; i < program.size(); ++i) ASSERT_EQ(run.responses[i].id, program[i].id);
}

}  // namespace
}  // namespace cuvette
