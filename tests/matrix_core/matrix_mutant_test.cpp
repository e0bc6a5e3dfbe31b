// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ip/matrix_core/register_matrix.h"
#include "matrix_faults.h"
#include "matrix_program.h"
#include "mutant_run.h"

// The checks of the matrix core are proven by errors put in on purpose: every mutant of
// tests/mutants/lockstep.csv whose check begins with "matrix-" has to be found, and by the check it
// names.
namespace cuvette {
namespace {

using matrix_program::Instruction;

/// Programs are drawn once, with no mutant in.
const std::vector<Instruction>& program() {
  static const auto instructions = matrix_program::mixed(400, 4712);
  return instructions;
}
const std::vector<Instruction>& program_gfx90a() {
  static const auto instructions = matrix_program::mixed(540, 4713, isa::Target::Gfx90a);
  return instructions;
}
const std::vector<Instruction>& program_gfx942() {
  static const auto instructions = matrix_program::mixed(920, 4714, isa::Target::Gfx942);
  return instructions;
}

/// Lockstep with golden, times exact, without and with pauses and back-pressure. A lockstep stops
/// comparing at its first difference, so the program goes in pieces, each with a fresh object. Ends
/// early when `wanted` is found. Findings begin with `name`.
void lockstep_check(const std::vector<Instruction>& program, isa::Target target,
                    const std::string& name, Findings& found, const std::string& wanted) {
  constexpr size_t kPiece = 20;
  ip::LockstepOptions options;
  options.timing.kind = machine::TimingRule::Kind::Exact;
  matrix_core::Registry registry;
  ip::register_matrix(registry, {}, options);
  for (size_t first = 0; first < program.size(); first += kPiece) {
    const auto begin = program.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<Instruction> piece(begin, begin + kPiece);
    matrix_program::detach(piece);
    matrix_core::Config config;
    config.seed = first + 1;
    config.target = target;
    const auto block = registry.make("lockstep-check", config);
    auto& lockstep = dynamic_cast<ip::MatrixLockstep&>(*block);
    const size_t kind = first / kPiece % 4;
    const auto run = matrix_program::run(*block, piece, kind == 2 ? 2 : 8, kind == 1 ? 1 : 8, first,
                                         [&] { return lockstep.mismatch().has_value(); });
    if (lockstep.mismatch()) {
      found.insert(name + "." + lockstep.mismatch()->field);
    } else if (!run.complete) {
      found.insert("matrix-watchdog");
    }
    if (found.count(wanted) != 0) return;
  }
}

void lockstep_check(Findings& found, const std::string& wanted) {
  lockstep_check(program(), isa::Target::Gfx908, "matrix-lockstep", found, wanted);
}
void lockstep_check_gfx90a(Findings& found, const std::string& wanted) {
  lockstep_check(program_gfx90a(), isa::Target::Gfx90a, "matrix-gfx90a", found, wanted);
}
void lockstep_check_gfx942(Findings& found, const std::string& wanted) {
  lockstep_check(program_gfx942(), isa::Target::Gfx942, "matrix-gfx942", found, wanted);
}

/// The latency of docs/reference/matrix_core.md, without lockstep.
void timing_check(Findings& found) {
  ip::MatrixRtl rtl(ip::make_matrix_check(1), isa::Target::Gfx908);
  const std::vector<Instruction> one(program().begin(), program().begin() + 1);
  const isa::Row& row = *(isa::rows().begin() + one[0][0].row);
  const auto run = matrix_program::run(rtl, one, 8, 8, 1);
  if (!run.complete) found.insert("matrix-watchdog");
  if (run.complete && run.cycles != rtl.latency_cycles(row) + 1) found.insert("matrix-timing");
}

/// Start values of registers must not show: some seeds, compared with each other; as many as it
/// takes for a count of five bits to start low.
void seeds_check(Findings& found) {
  const std::vector<Instruction> some(program().begin(), program().begin() + 20);
  std::vector<matrix_program::Run> runs;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    ip::MatrixRtl rtl(ip::make_matrix_check(seed), isa::Target::Gfx908);
    runs.push_back(matrix_program::run(rtl, some, 8, 8, 1));
  }
  for (const matrix_program::Run& run : runs) {
    bool same = run.complete == runs[0].complete && run.cycles == runs[0].cycles &&
                run.results.size() == runs[0].results.size();
    for (size_t n = 0; same && n < run.results.size(); ++n) {
      same = run.results[n].size() == runs[0].results[n].size();
      for (size_t p = 0; same && p < run.results[n].size(); ++p) {
        same = run.results[n][p].id == runs[0].results[n][p].id &&
               run.results[n][p].d == runs[0].results[n][p].d;
      }
    }
    if (!same) found.insert("matrix-seeds");
  }
}

/// The checker on devices with known faults.
void self_test(Findings& found) {
  for (const matrix_faults::Fault& fault : matrix_faults::faults()) {
    if (matrix_faults::reported(fault, program()) != fault.field) {
      found.insert("matrix-self-test." + fault.field);
    }
  }
  if (matrix_faults::seen(matrix_faults::PinFault::None, program())) {
    found.insert("matrix-self-test.protocol");
  }
  for (const auto& fault : matrix_faults::pin_faults()) {
    if (!matrix_faults::named(fault, program())) found.insert("matrix-self-test.protocol");
  }
  const std::vector<Instruction> some(program().begin(), program().begin() + 20);
  machine::TimingRule rule;
  rule.kind = machine::TimingRule::Kind::Exact;
  const auto good = matrix_faults::record(some, 8, 8);
  bool exact =
      matrix_faults::keeps_time(good, rule) && matrix_faults::late(1, rule, some) == "time";
  for (const auto& wrong : matrix_faults::wrong_times(good)) {
    exact = exact && !matrix_faults::keeps_time(wrong.second, rule);
  }
  rule.kind = machine::TimingRule::Kind::Bounded;
  rule.min_cycles = 12;
  rule.max_cycles = 68;
  const bool bounded =
      matrix_faults::late(0, rule, some).empty() && matrix_faults::late(100, rule, some) == "time";
  if (!exact || !bounded) found.insert("matrix-self-test.time");
}

/// Checks that find the selected mutant, `wanted` among them or not.
Findings caught_by(const std::string& wanted) {
  Findings found;
  if (wanted.rfind("matrix-self-test", 0) == 0) {
    self_test(found);
  } else if (wanted == "matrix-seeds") {
    seeds_check(found);
  } else if (wanted.rfind("matrix-gfx90a", 0) == 0) {
    lockstep_check_gfx90a(found, wanted);
  } else if (wanted.rfind("matrix-gfx942", 0) == 0) {
    lockstep_check_gfx942(found, wanted);
  } else {
    lockstep_check(found, wanted);
    timing_check(found);
  }
  return found;
}

TEST(MatrixMutants, UnmutatedControlPasses) {
  ASSERT_FALSE(program().empty());
  ASSERT_FALSE(program_gfx90a().empty() || program_gfx942().empty());
  select_mutant(0);
  Findings found;
  lockstep_check(found, "");
  lockstep_check_gfx90a(found, "");
  lockstep_check_gfx942(found, "");
  timing_check(found);
  seeds_check(found);
  self_test(found);
  EXPECT_EQ(found, Findings{});
}

TEST(MatrixMutants, EveryOneIsCaughtByTheCheckItNames) {
  ASSERT_FALSE(program().empty());
  ASSERT_FALSE(program_gfx90a().empty() || program_gfx942().empty());
  expect_all_caught([](const Mutant& m) { return m.of_matrix_core(); }, caught_by, 56, 44);
}

}  // namespace
}  // namespace cuvette
