// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_rtl.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "ip/matrix_core/register_matrix.h"
#include "matrix_core/computation.h"
#include "matrix_core/matrix_core_model.h"
#include "matrix_program.h"
#include "test_vectors.h"

// The RTL of the matrix core behind its contract: results against golden, times against the
// contract and against `tlm`.
namespace cuvette {
namespace {

using isa::Target;
using machine::Cycle;
using matrix_program::Instruction;

constexpr uint64_t kSeed = 20261122;

/// Targets whose unit there is in RTL, with their V_MFMA and V_SMFMAC (isa_notes 4).
const std::vector<std::pair<Target, unsigned>> kTargets = {
    {Target::Gfx908, 20}, {Target::Gfx90a, 27}, {Target::Gfx942, 32 + 14}};

class MatrixRtl : public ::testing::TestWithParam<std::pair<Target, unsigned>> {
 protected:
  Target target() const { return GetParam().first; }
  unsigned row_count() const { return GetParam().second; }
  ip::MatrixRtl fast() const { return {ip::make_matrix_fast(target()), target()}; }
  ip::MatrixRtl check(uint64_t seed) const {
    return {ip::make_matrix_check(seed, target()), target()};
  }
  matrix_core::Config config() const {
    matrix_core::Config out;
    out.target = target();
    return out;
  }
  std::vector<Instruction> mixed(size_t count, uint64_t seed) const {
    return matrix_program::mixed(count, seed, target());
  }
  /// D of every instruction.
  std::vector<std::vector<wave::LaneRow>> golden(const std::vector<Instruction>& program) const {
    return matrix_program::golden(program, target());
  }
};

matrix_core::Registry registry() {
  matrix_core::Registry r;
  matrix_core::register_tlm(r);
  ip::register_matrix(r);
  return r;
}

bool same(const matrix_core::Result& a, const matrix_core::Result& b) {
  return a.id == b.id && a.pass == b.pass && a.last == b.last && a.first_row == b.first_row &&
         a.rows == b.rows && a.d == b.d;
}

/// Rows of D of one instruction, from its passes.
std::vector<wave::LaneRow> rows_of(const std::vector<matrix_core::Result>& results) {
  std::vector<wave::LaneRow> rows;
  for (const auto& r : results) rows.insert(rows.end(), r.d.begin(), r.d.begin() + r.rows);
  return rows;
}

/// The first element that differs.
std::string difference(const std::vector<wave::LaneRow>& got,
                       const std::vector<wave::LaneRow>& want) {
  if (got.size() != want.size()) return "number of rows";
  for (size_t r = 0; r < got.size(); ++r) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (got[r][l] == want[r][l]) continue;
      std::ostringstream out;
      out << "row " << r << " lane " << l << std::hex << ": " << got[r][l] << ", golden has "
          << want[r][l];
      return out.str();
    }
  }
  return {};
}

TEST_P(MatrixRtl, EveryRowEqualsGolden) {
  constexpr int kPiece = 200;
  const int vectors = test::vectors(100);
  ip::MatrixRtl rtl = fast();
  std::mt19937_64 random(kSeed);
  size_t rows = 0;
  for (const isa::Row* row : matrix_program::rows(target())) {
    ASSERT_TRUE(rtl.implements(*row)) << isa::row_id(*row);
    for (int done = 0; done < vectors; done += kPiece) {
      ip::MatrixRtl fresh = fast();
      std::vector<Instruction> program;
      for (int n = done; n < std::min(done + kPiece, vectors); ++n) {
        program.push_back(matrix_program::instruction(*row, static_cast<uint32_t>(n), random));
        const unsigned from = n % 8 == 7 ? 1 : 0;
        if (n % 4 == 3) {
          matrix_program::forward(program.back(), *(program.end() - 2 - from), from, random);
        }
      }
      const auto wanted = golden(program);
      const auto run = matrix_program::run(fresh, program, 8, 8, kSeed);
      ASSERT_TRUE(run.complete) << isa::row_id(*row);
      for (size_t n = 0; n < program.size(); ++n) {
        ASSERT_EQ(difference(rows_of(run.results[n]), wanted[n]), "")
            << isa::row_id(*row) << " vector " << done + static_cast<int>(n) << " seed " << kSeed;
      }
    }
    ++rows;
  }
  EXPECT_EQ(rows, row_count());
}

/// Registers that start at random must not matter.
TEST_P(MatrixRtl, BuildsAndSeedsGiveTheSame) {
  const auto program = mixed(60, kSeed);
  ip::MatrixRtl quick = fast();
  const auto expected = matrix_program::run(quick, program, 6, 5, 3);
  ASSERT_TRUE(expected.complete);
  for (const uint64_t seed : {1, 2, 3}) {
    ip::MatrixRtl other = check(seed);
    const auto run = matrix_program::run(other, program, 6, 5, 3);
    ASSERT_TRUE(run.complete);
    EXPECT_EQ(run.cycles, expected.cycles) << "seed " << seed;
    EXPECT_FALSE(other.failure()) << other.failure()->what;
    for (size_t n = 0; n < program.size(); ++n) {
      ASSERT_EQ(run.results[n].size(), expected.results[n].size());
      for (size_t p = 0; p < run.results[n].size(); ++p) {
        ASSERT_TRUE(same(run.results[n][p], expected.results[n][p])) << "seed " << seed << " " << n;
      }
    }
  }
}

TEST_P(MatrixRtl, ResetDropsWhatIsUnderWay) {
  const auto program = mixed(20, kSeed + 1);
  auto device = ip::make_matrix_check(1, target());
  // Twelve beats of a long instruction, then a short one whose results nobody takes.
  for (const size_t index : {size_t{0}, size_t{2}}) {
    const Instruction& passes = program[index];
    const size_t beats = std::min<size_t>(12, 4 * passes.size());
    for (size_t cycle = 0, taken = 0; cycle < 30; ++cycle) {
      const auto message = contract::pack(passes[std::min(taken / 4, passes.size() - 1)],
                                          static_cast<unsigned>(taken % 4));
      device->drive(0, taken < beats ? reinterpret_cast<const uint8_t*>(message.data()) : nullptr);
      device->accept(1, false);
      taken += taken < beats && device->ready(0) ? 1 : 0;
      device->clock();
    }
    contract::Pins<matrix_core::Result> result{};
    auto* const bytes = reinterpret_cast<uint8_t*>(result.data());
    EXPECT_TRUE(device->sample(1, bytes)) << "results begin before the last operands";
    ip::reset(*device, ip::pin_channels(matrix_core::kChannels));
    device->drive(0, nullptr);
    device->accept(1, true);
    EXPECT_FALSE(device->sample(1, bytes));
    EXPECT_TRUE(device->ready(0));
    EXPECT_FALSE(device->failure());
  }
  ip::MatrixRtl rtl(std::move(device), target());
  const auto run = matrix_program::run(rtl, program, 8, 8, 1);
  ASSERT_TRUE(run.complete);
  const auto wanted = golden(program);
  for (size_t n = 0; n < program.size(); ++n) {
    EXPECT_EQ(difference(rows_of(run.results[n]), wanted[n]), "") << n;
  }
}

/// When each pass of results is visible, with operands sent as the compute unit sends them. `gap`
/// cycles from one instruction to the next.
std::vector<Cycle> times(matrix_core::MatrixCore& core, const std::vector<Instruction>& program,
                         const std::vector<Cycle>& starts) {
  std::vector<Cycle> out;
  size_t instruction = 0, pass = 0;
  size_t wanted = 0;
  for (const Instruction& i : program) {
    wanted += matrix_core::result_passes(*(isa::rows().begin() + i.front().row));
  }
  for (Cycle now = 0; out.size() < wanted && now < 100000; ++now) {
    while (instruction < program.size() && now >= starts[instruction] &&
           core.operands.can_push(now)) {
      core.operands.push(program[instruction][pass], now + 1);
      if (++pass == program[instruction].size()) {
        pass = 0;
        ++instruction;
      }
    }
    core.tick(now);
    while (core.result.front(now) != nullptr) {
      core.result.drop(now);
      out.push_back(now);
    }
  }
  return out;
}

TEST_P(MatrixRtl, TimesAreThoseOfTheContract) {
  std::mt19937_64 random(kSeed);
  for (const isa::Row* row : matrix_program::rows(target())) {
    ip::MatrixRtl rtl = fast();
    const auto one = matrix_program::instruction(*row, 1, random);
    // Operands are visible at 1 and from the occupancy on.
    const unsigned occupancy = rtl.occupancy_cycles(*row), latency = rtl.latency_cycles(*row);
    EXPECT_EQ(occupancy, 4u * isa::passes_on(*row, target())) << isa::row_id(*row);
    EXPECT_EQ(latency, 4u * (isa::passes_on(*row, target()) + 2u)) << isa::row_id(*row);
    const auto at = times(rtl, {one, one, one}, {0, 0, occupancy + 100});
    const size_t passes = matrix_core::result_passes(*row);
    ASSERT_EQ(at.size(), 3 * passes) << isa::row_id(*row);
    for (size_t p = 0; p < passes; ++p) {
      const Cycle due = 1 + latency - 4 * (passes - 1 - p);
      EXPECT_EQ(at[p], due) << isa::row_id(*row) << " pass " << p;
      EXPECT_EQ(at[passes + p], due + occupancy) << isa::row_id(*row) << " pass " << p;
      EXPECT_EQ(at[2 * passes + p], due + occupancy + 100) << isa::row_id(*row) << " pass " << p;
    }
  }
}

/// Every pair of rows back to back, and with pauses; C comes from the instruction before.
TEST_P(MatrixRtl, TimesAreThoseOfTheModel) {
  std::mt19937_64 random(kSeed);
  const auto rows = matrix_program::rows(target());
  for (const Cycle pause : {0, 1, 5, 13}) {
    std::vector<Instruction> program;
    std::vector<Cycle> starts;
    Cycle start = 0;
    for (const isa::Row* a : rows) {
      for (const isa::Row* b : rows) {
        for (const isa::Row* row : {a, b}) {
          program.push_back(
              matrix_program::instruction(*row, static_cast<uint32_t>(program.size()), random));
          if (program.size() % 2 == 0) {
            matrix_program::forward(program.back(), *(program.end() - 2), 0, 0);
          }
          starts.push_back(start);
          start += 4 * isa::passes_on(*row, target()) + pause;
        }
      }
    }
    const auto names = registry();
    EXPECT_EQ(times(*names.make("rtl", config()), program, starts),
              times(*names.make("tlm", config()), program, starts))
        << pause;
  }
}

TEST_P(MatrixRtl, ClockStandsStillWhileIdle) {
  const auto block = registry().make("rtl", config());
  const auto program = mixed(2, kSeed);
  EXPECT_EQ(block->next_event(), machine::kNever);
  block->operands.push(program[0][0], 100);
  EXPECT_EQ(block->next_event(), 100u);
  const auto finish = [&](Cycle now, size_t instruction, size_t next) {
    const Instruction& passes = program[instruction];
    for (;; ++now) {
      while (next < passes.size() && block->operands.can_push(now)) {
        block->operands.push(passes[next++], now + 1);
      }
      EXPECT_LE(std::min(block->next_event(), block->result.next_event()), now);
      block->tick(now);
      if (const auto* r = block->result.front(now)) {
        const bool last = r->last;
        block->result.drop(now);
        if (last) return now;
      }
      if (now > 100000) return now;
    }
  };
  const isa::Row& row = *(isa::rows().begin() + program[0][0].row);
  EXPECT_EQ(finish(100, 0, 1), 100 + block->latency_cycles(row));
  EXPECT_EQ(block->next_event(), machine::kNever);
  block->operands.push(program[1][0], 5000);
  EXPECT_EQ(block->next_event(), 5000u);
  const isa::Row& second = *(isa::rows().begin() + program[1][0].row);
  EXPECT_EQ(finish(5000, 1, 1), 5000 + block->latency_cycles(second));
}

INSTANTIATE_TEST_SUITE_P(Targets, MatrixRtl, ::testing::ValuesIn(kTargets),
                         [](const auto& i) { return std::string(isa::name_of(i.param.first)); });

TEST(MatrixRtlTargets, RefuseWhatTheyDoNotHave) {
  const auto names = registry();
  for (const Target target : isa::kAllTargets) {
    matrix_core::Config config;
    config.target = target;
    const auto known = std::find_if(kTargets.begin(), kTargets.end(),
                                    [target](const auto& t) { return t.first == target; });
    const unsigned expected = known != kTargets.end() ? known->second : 0;
    for (const char* name : {"rtl", "rtl-check", "lockstep", "lockstep-check"}) {
      const auto block = names.make(name, config);
      unsigned implemented = 0;
      for (const isa::Row& row : isa::rows()) implemented += block->implements(row) ? 1 : 0;
      EXPECT_EQ(implemented, expected) << isa::name_of(target) << " " << name;
    }
  }
}

}  // namespace
}  // namespace cuvette
