// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coverage_file.h"
#include "ip/matrix_core/matrix_rerun.h"
#include "ip/matrix_core/register_matrix.h"
#include "matrix_core/matrix_core_tlm.h"
#include "matrix_faults.h"
#include "matrix_program.h"

// The checker of the matrix core: what it compares, what it says, and what it leaves behind.
namespace cuvette {
namespace {

using machine::TimingRule;
using matrix_program::Instruction;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 78;

ip::MatrixLockstep::Options exact() {
  ip::MatrixLockstep::Options options;
  options.timing.kind = TimingRule::Kind::Exact;
  return options;
}

matrix_core::Registry registry(const ip::MatrixLockstep::Options& options) {
  matrix_core::Registry r;
  matrix_core::register_tlm(r);
  ip::register_matrix(r, {}, options);
  return r;
}

/// Passes of results of a program.
uint64_t passes_of(const std::vector<Instruction>& program) {
  uint64_t passes = 0;
  for (const Instruction& i : program) {
    passes += matrix_core::result_passes(*(isa::rows().begin() + i.front().row));
  }
  return passes;
}

/// The tests of our own RTL, for each target it is built for.
class MatrixLockstepRtl : public ::testing::TestWithParam<isa::Target> {
 protected:
  matrix_core::Config config() const {
    matrix_core::Config out;
    out.target = GetParam();
    return out;
  }
  std::vector<Instruction> mixed(size_t count, uint64_t seed) const {
    return matrix_program::mixed(count, seed, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, MatrixLockstepRtl,
                         ::testing::Values(isa::Target::Gfx908, isa::Target::Gfx90a,
                                           isa::Target::Gfx942),
                         [](const auto& i) { return std::string(isa::name_of(i.param)); });

TEST_P(MatrixLockstepRtl, RtlEqualsGoldenInEveryField) {
  const CountsCoverage counting("matrix_lockstep_test");
  const auto program = mixed(1000, kSeed);
  for (const char* name : {"lockstep", "lockstep-check"}) {
    const auto block = registry(exact()).make(name, config());
    ASSERT_NE(block, nullptr);
    auto& lockstep = dynamic_cast<ip::MatrixLockstep&>(*block);
    const bool slow = std::string(name) == "lockstep-check";
    const std::vector<Instruction> some(program.begin(), program.begin() + (slow ? 200 : 1000));
    const auto run = matrix_program::run(*block, some, 8, 8, 1);
    ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
    EXPECT_TRUE(run.complete);
    const ip::MatrixCounts counts = lockstep.counts();
    EXPECT_EQ(counts.instructions, some.size());
    EXPECT_EQ(counts.sampled, some.size());
    EXPECT_EQ(counts.results, passes_of(some));
    EXPECT_EQ(counts.times, passes_of(some));
    EXPECT_EQ(counts.lanes, 128 * passes_of(some));
  }
}

/// Pauses and back-pressure delay and change nothing, and the schedule says by how much.
TEST_P(MatrixLockstepRtl, TimesAreExactUnderBackPressure) {
  const CountsCoverage counting("matrix_lockstep_test");
  for (const auto& [offers, takes] :
       {std::pair{8u, 8u}, {8u, 2u}, {8u, 1u}, {2u, 8u}, {1u, 8u}, {5u, 4u}, {3u, 2u}, {7u, 6u}}) {
    const auto program = mixed(200, kSeed + takes);
    const auto names = registry(exact());
    const auto rtl = names.make("rtl", config());
    const auto block = names.make("lockstep", config());
    auto& lockstep = dynamic_cast<ip::MatrixLockstep&>(*block);
    const auto a = matrix_program::run(*rtl, program, offers, takes, 3);
    const auto b = matrix_program::run(*block, program, offers, takes, 3);
    ASSERT_FALSE(lockstep.mismatch()) << offers << " " << takes << "\n"
                                      << lockstep.mismatch()->report;
    ASSERT_TRUE(a.complete && b.complete) << offers << " " << takes;
    EXPECT_EQ(a.cycles, b.cycles) << "the lockstep must not change times";
    EXPECT_EQ(lockstep.counts().lanes, 128 * passes_of(program));
  }
}

/// Every pair of rows at four distances, with every cbsz, abid and blgp.
TEST_P(MatrixLockstepRtl, EveryPairOfRowsAtEveryDistance) {
  const CountsCoverage counting("matrix_lockstep_test");
  std::mt19937_64 random(kSeed);
  const auto rows = matrix_program::rows(GetParam());
  std::map<const isa::Row*, unsigned> drawn;
  for (const machine::Cycle pause : {0, 3, 9, 20}) {
    std::vector<Instruction> program;
    std::vector<machine::Cycle> starts;
    machine::Cycle start = 0;
    const auto add = [&](const isa::Row* row) {
      const auto id = static_cast<uint32_t>(program.size() + 1);
      program.push_back(matrix_program::instruction(*row, id, random));
      const unsigned n = drawn[row]++;
      for (matrix_core::Operands& pass : program.back()) {
        pass.cbsz = static_cast<uint8_t>(n / 16 % 8);
        pass.abid = n % 16;
        pass.blgp = static_cast<uint8_t>(n / 3 % 8);
      }
      if (program.size() % 2 == 0) {
        matrix_program::forward(program.back(), *(program.end() - 2), 0, random);
      }
      starts.push_back(start);
      start += 4 * isa::passes_on(*row, GetParam()) + pause;
    };
    for (const isa::Row* a : rows) {
      for (const isa::Row* b : rows) {
        add(a);
        add(b);
      }
    }
    const auto block = registry(exact()).make("lockstep", config());
    auto& lockstep = dynamic_cast<ip::MatrixLockstep&>(*block);
    size_t instruction = 0, pass = 0;
    const machine::Cycle limit = 2 * start + 200;
    for (machine::Cycle now = 0;
         now < limit && !lockstep.mismatch() && lockstep.counts().instructions < program.size();
         ++now) {
      while (instruction < program.size() && now >= starts[instruction] &&
             block->operands.can_push(now)) {
        block->operands.push(program[instruction][pass], now + 1);
        if (++pass == program[instruction].size()) {
          pass = 0;
          ++instruction;
        }
      }
      block->tick(now);
      while (block->result.front(now) != nullptr) block->result.drop(now);
    }
    ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
    EXPECT_EQ(lockstep.counts().instructions, program.size()) << pause;
  }
}

/// A receiver that takes a pass now and then: results wait at the pins, between passes too.
TEST_P(MatrixLockstepRtl, ResultsWaitForTheirReceiver) {
  const CountsCoverage counting("matrix_lockstep_test");
  const auto program = mixed(80, kSeed + 9);
  const auto block = registry(exact()).make("lockstep", config());
  auto& lockstep = dynamic_cast<ip::MatrixLockstep&>(*block);
  size_t instruction = 0, pass = 0;
  machine::Cycle now = 0;
  for (; lockstep.counts().instructions < program.size() && now < 200000; ++now) {
    while (instruction < program.size() && block->operands.can_push(now)) {
      block->operands.push(program[instruction][pass], now + 1);
      if (++pass == program[instruction].size()) {
        pass = 0;
        ++instruction;
      }
    }
    block->tick(now);
    if (now % 23 == 0 && block->result.front(now) != nullptr) block->result.drop(now);
  }
  ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
  EXPECT_EQ(lockstep.counts().instructions, program.size());
}

TEST(MatrixLockstep, ReportsEveryKindOfDifference) {
  const auto program = matrix_program::mixed(60, kSeed);
  for (const matrix_faults::Fault& fault : matrix_faults::faults()) {
    EXPECT_EQ(matrix_faults::reported(fault, program), fault.field) << fault.name;
  }
}

/// The machine runs on for some cycles after a difference; wrong fields must not reach it.
TEST(MatrixLockstep, HandsOnNothingWrong) {
  const auto program = matrix_program::mixed(matrix_faults::kReported, kSeed);
  for (const matrix_faults::Fault& fault : matrix_faults::faults()) {
    const auto lockstep =
        matrix_faults::lockstep_of(std::make_unique<matrix_faults::FaultyCore>(fault), {});
    std::vector<matrix_core::Result> due;  // headers
    for (const Instruction& i : program) {
      const isa::Row& row = *(isa::rows().begin() + i.front().row);
      for (unsigned p = 0; p < matrix_core::result_passes(row); ++p) {
        due.push_back(matrix_core::result_header(row, i.front().id, p));
      }
    }
    size_t instruction = 0, pass = 0, given = 0;
    for (machine::Cycle now = 0; now < 4000; ++now) {
      while (instruction < program.size() && lockstep->operands.can_push(now)) {
        lockstep->operands.push(program[instruction][pass], now + 1);
        if (++pass == program[instruction].size()) {
          pass = 0;
          ++instruction;
        }
      }
      lockstep->tick(now);
      while (const matrix_core::Result* r = lockstep->result.front(now)) {
        ASSERT_LT(given, due.size()) << fault.name;
        const auto wrong = ip::compare_header(due[given++], *r);
        ASSERT_FALSE(wrong) << fault.name << ": " << wrong->field;
        lockstep->result.drop(now);
      }
    }
    EXPECT_TRUE(lockstep->mismatch()) << fault.name;
  }
}

/// Takes one instruction and never answers.
class SilentCore final : public matrix_core::MatrixCore {
 public:
  void tick(machine::Cycle now) override {
    if (operands.front(now) != nullptr) operands.drop(now);
  }
  machine::Cycle next_event() const override { return 0; }
  bool implements(const isa::Row&) const override { return true; }
  unsigned occupancy_cycles(const isa::Row&) const override { return 4; }
  unsigned latency_cycles(const isa::Row&) const override { return 4; }
};

/// A wavefront waits for the result of its instruction: 16 of them are never under way.
TEST(MatrixLockstep, ADeviceThatStopsIsNamed) {
  const auto program = matrix_program::mixed(1, kSeed);
  const auto lockstep = matrix_faults::lockstep_of(std::make_unique<SilentCore>(), {});
  size_t pass = 0;
  for (machine::Cycle now = 0; now < 11000; ++now) {
    if (pass < program[0].size() && lockstep->operands.can_push(now)) {
      lockstep->operands.push(program[0][pass++], now + 1);
    }
    lockstep->tick(now);
  }
  ASSERT_TRUE(lockstep->mismatch());
  EXPECT_EQ(lockstep->mismatch()->field, "order");
  EXPECT_EQ(lockstep->mismatch()->id, 1u);
  EXPECT_THAT(lockstep->mismatch()->report, HasSubstr("no result in 10000 cycles"));
  // The rerun of it ends, with the same difference.
  ip::MatrixRecording recording;
  recording.transactions = lockstep->mismatch()->transactions;
  const auto rerun = ip::rerun_matrix(
      std::make_unique<matrix_faults::FaultyPins>(matrix_faults::PinFault::NeverReady), recording,
      "");
  ASSERT_TRUE(rerun.ok()) << rerun.error().str();
  ASSERT_TRUE(rerun->mismatch);
  EXPECT_EQ(rerun->mismatch->field, "order");
}

TEST(MatrixLockstep, ReportsBrokenPins) {
  const auto program = matrix_program::mixed(20, kSeed);
  const auto none = matrix_faults::seen(matrix_faults::PinFault::None, program);
  EXPECT_FALSE(none) << none->what;
  for (const auto& fault : matrix_faults::pin_faults()) {
    const auto failure = matrix_faults::seen(fault.first, program);
    ASSERT_TRUE(failure) << fault.second;
    EXPECT_EQ(failure->field, "protocol");
    EXPECT_THAT(failure->what, HasSubstr(fault.second));
  }
}

TEST(MatrixLockstep, TimingRules) {
  const auto program = matrix_program::mixed(20, kSeed);
  TimingRule rule;
  EXPECT_EQ(matrix_faults::late(1, rule, program), "") << "ignore";
  rule.kind = TimingRule::Kind::Exact;
  EXPECT_EQ(matrix_faults::late(0, rule, program), "");
  EXPECT_EQ(matrix_faults::late(1, rule, program), "timing");
  for (const auto& [offers, takes] : {std::pair{8u, 8u}, {3u, 8u}, {8u, 2u}}) {
    const auto good = matrix_faults::record(program, offers, takes);
    EXPECT_TRUE(matrix_faults::keeps_time(good, rule));
    for (const auto& [what, cycles] : matrix_faults::wrong_times(good)) {
      EXPECT_FALSE(matrix_faults::keeps_time(cycles, rule)) << what << " " << offers << takes;
    }
  }
  rule.kind = TimingRule::Kind::Bounded;
  // The first operands are taken three cycles after they are visible, the last result is given one
  // before it is: 12 to 68 cycles; result 7 is one in the middle of an instruction.
  rule.min_cycles = 12;
  rule.max_cycles = 68;
  EXPECT_EQ(matrix_faults::late(0, rule, program), "");
  EXPECT_EQ(matrix_faults::late(100, rule, program), "timing");
  rule.min_cycles = 13;
  EXPECT_EQ(matrix_faults::late(0, rule, program), "timing");
  rule.min_cycles = 12;
  rule.max_cycles = 67;
  EXPECT_EQ(matrix_faults::late(0, rule, program), "timing");
}

TEST(MatrixLockstep, SamplingComparesOneInN) {
  ip::MatrixLockstep::Options options = exact();
  options.share = 4;
  const auto program = matrix_program::mixed(200, kSeed);
  // The machine sees the model and its times.
  matrix_core::MatrixCoreTlm alone{matrix_core::Config{}};
  const auto want = matrix_program::run(alone, program, 8, 8, 1);
  for (const char* name : {"lockstep", "lockstep-check"}) {
    const auto block = registry(options).make(name, {});
    const auto run = matrix_program::run(*block, program, 8, 8, 1);
    ASSERT_TRUE(run.complete);
    EXPECT_EQ(run.cycles, want.cycles);
    const ip::MatrixLockstep& lockstep = *ip::lockstep_in(*block);
    ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
    const ip::MatrixCounts counts = lockstep.counts();
    EXPECT_EQ(counts.instructions, program.size());
    EXPECT_EQ(counts.sampled, program.size() / 4);
    EXPECT_GT(counts.results, counts.sampled);
    EXPECT_LT(counts.results, passes_of(program) / 2);
    EXPECT_EQ(counts.times, counts.results);
    EXPECT_EQ(counts.lanes, 128 * counts.results);
    // The same ones in every run.
    const auto again = registry(options).make(name, {});
    matrix_program::run(*again, program, 8, 3, 2);
    EXPECT_EQ(ip::lockstep_in(*again)->counts().lanes, counts.lanes);
  }
}

/// A lockstep that has found `name`.
std::unique_ptr<ip::MatrixLockstep> found(const std::string& name,
                                          const std::vector<Instruction>& program,
                                          unsigned* told = nullptr) {
  for (const matrix_faults::Fault& fault : matrix_faults::faults()) {
    if (fault.name != name) continue;
    auto lockstep = std::make_unique<ip::MatrixLockstep>(
        std::make_unique<matrix_faults::FaultyCore>(fault), matrix_core::Config(),
        [told](const ip::MatrixMismatch&) {
          if (told != nullptr) ++*told;
        },
        ip::MatrixLockstep::Failed(), ip::MatrixLockstep::Options());
    matrix_program::run(*lockstep, program, 8, 8, 1);
    return lockstep;
  }
  return nullptr;
}

TEST(MatrixLockstep, ReportNamesInstructionElementFactorsAndHistory) {
  unsigned told = 0;
  const auto program = matrix_program::mixed(60, kSeed);
  const auto lockstep = found("row 1 lane 31", program, &told);
  ASSERT_NE(lockstep, nullptr);
  ASSERT_TRUE(lockstep->mismatch());
  EXPECT_EQ(told, 1u);
  const ip::MatrixMismatch& m = *lockstep->mismatch();
  const Instruction& i = program[m.id - 1];
  const isa::Row& row = *(isa::rows().begin() + i.front().row);
  EXPECT_EQ(m.lane, 31);
  EXPECT_EQ(m.row % 2, 1);
  EXPECT_EQ(m.actual ^ m.expected, 0x10u);
  EXPECT_EQ(m.instruction, row.mnemonic);
  EXPECT_EQ(m.wave, i.front().wave);
  EXPECT_EQ(m.pc, i.front().pc);
  EXPECT_THAT(m.report, HasSubstr("differs in d at cycle"));
  EXPECT_THAT(m.report, HasSubstr("id " + std::to_string(m.id) + " "));
  EXPECT_THAT(m.report, HasSubstr("row " + std::to_string(m.row) + " lane 31, D["));
  EXPECT_THAT(m.report, HasSubstr("k 0: a 0x"));
  EXPECT_THAT(m.report, HasSubstr("k " + std::to_string(row.matrix.k - 1) + ": a 0x"));
  EXPECT_THAT(m.report, ::testing::Not(HasSubstr("k " + std::to_string(row.matrix.k) + ": a")));
  EXPECT_THAT(m.report, HasSubstr("last instructions"));
  ASSERT_LT(m.failing, m.transactions.size());
  EXPECT_EQ(m.transactions[m.failing].id(), m.id);
  char c[32];
  std::snprintf(c, sizeof c, "c 0x%08x", i[static_cast<size_t>(m.row) / 2].c[1][31]);
  EXPECT_THAT(m.report, HasSubstr(c));
}

/// An element whose factors are known: 4x4, block 2, D[1][3], fp16 ones and twos.
TEST(MatrixLockstep, ReportDecodesFactorsByHand) {
  std::mt19937_64 random(1);
  const isa::Row* row = isa::find_row("v_mfma_f32_4x4x4f16", isa::Format::Vop3pMai);
  ASSERT_NE(row, nullptr);
  Instruction i = matrix_program::instruction(*row, 7, random);
  for (auto& pass : i) {
    pass.cbsz = pass.abid = pass.blgp = 0;
    pass.a.fill(0x3c003c00);
    pass.b[0].fill(0x40004000);
    pass.b[1].fill(0x40004000);
  }
  i[0].a[9] = 0x3c00bc00;  // A[1][0] of block 2 is -1
  i[0].c[1][11] = 0x40a00000;
  std::vector<Instruction> program(8, i);
  // From the tenth pass of results on: instruction 4 in its second pass has rows 2 and 3,
  // instruction 5 begins with rows 0 and 1.
  matrix_faults::Fault fault{"row 1 lane 11", "d",
                             [](const matrix_core::Result& r) { return r.pass == 0; },
                             [](matrix_core::Result& r) { r.d[1][11] ^= 1; }};
  const auto lockstep =
      matrix_faults::lockstep_of(std::make_unique<matrix_faults::FaultyCore>(fault), {});
  matrix_program::run(*lockstep, program, 8, 8, 1);
  ASSERT_TRUE(lockstep->mismatch());
  const std::string& report = lockstep->mismatch()->report;
  EXPECT_THAT(report, HasSubstr("row 1 lane 11, D[1][3] of block 2"));
  EXPECT_THAT(report, HasSubstr("c 0x40a00000 (5)"));
  EXPECT_THAT(report, HasSubstr("k 0: a 0xbc00 (-1) from lane 9, b 0x4000 (2) from lane 11"));
  EXPECT_THAT(report, HasSubstr("k 3: a 0x3c00 (1) from lane 9, b 0x4000 (2) from lane 11"));
  // 5 - 2 + 2 + 2 + 2
  EXPECT_THAT(report, HasSubstr("expected 0x41100000 (9), got 0x41100001"));
}

ip::MatrixRecording recording_of(const ip::MatrixLockstep& lockstep) {
  ip::MatrixRecording r;
  r.timing.kind = TimingRule::Kind::Exact;
  r.field = lockstep.mismatch()->field;
  r.compute_unit = 3;
  r.simd = 2;
  r.seed = 99;
  r.transactions = lockstep.mismatch()->transactions;
  return r;
}

TEST(MatrixLockstep, RecordingsThereAndBack) {
  const auto program = matrix_program::mixed(60, kSeed);
  const auto lockstep = found("row 0 lane 63", program);
  const ip::MatrixRecording r = recording_of(*lockstep);
  const std::string text = ip::to_text(r);
  ASSERT_EQ(*ip::recorded_block(text, "f"), "matrix_core");
  const auto back = ip::parse_matrix_recording(text, "f");
  ASSERT_TRUE(back.ok()) << back.error().str();
  EXPECT_EQ(ip::to_text(*back), text);
  EXPECT_EQ(back->seed, 99u);
  EXPECT_EQ(back->compute_unit, 3u);
  EXPECT_EQ(back->timing.kind, TimingRule::Kind::Exact);
  ASSERT_EQ(back->transactions.size(), r.transactions.size());
  for (size_t n = 0; n < r.transactions.size(); ++n) {
    const auto& a = r.transactions[n];
    const auto& b = back->transactions[n];
    EXPECT_EQ(a.offered, b.offered);
    EXPECT_EQ(a.answered, b.answered);
    ASSERT_EQ(a.passes.size(), b.passes.size());
    for (size_t p = 0; p < a.passes.size(); ++p) {
      EXPECT_EQ(a.passes[p].c, b.passes[p].c);
      EXPECT_EQ(a.passes[p].last, b.passes[p].last);
      EXPECT_EQ(a.passes[p].forward, b.passes[p].forward);
      EXPECT_EQ(a.passes[p].forward_from, b.passes[p].forward_from);
      EXPECT_EQ(a.passes[p].forward_row, b.passes[p].forward_row);
    }
    EXPECT_EQ(a.passes[0].a, b.passes[0].a);
    EXPECT_EQ(a.passes[0].b[0], b.passes[0].b[0]);
    EXPECT_EQ(a.passes[0].blgp, b.passes[0].blgp);
  }
}

TEST(MatrixLockstep, BadRecordingsAreRefusedByLine) {
  const auto program = matrix_program::mixed(60, kSeed);
  const std::string text = ip::to_text(recording_of(*found("row 0 lane 63", program)));
  const auto broken = [&text](const std::string& from, const std::string& to) {
    std::string out = text;
    const size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    out.replace(at, from.size(), to);
    const auto parsed = ip::parse_matrix_recording(out, "file");
    return parsed.ok() ? std::string("accepted") : parsed.error().str();
  };
  EXPECT_THAT(broken("\"block\":\"matrix_core\"", "\"block\":\"valu\""), HasSubstr("file:1"));
  EXPECT_THAT(broken("\"cbsz\":", "\"cbzs\":"), HasSubstr("file:2"));
  EXPECT_THAT(broken("\"abid\":", "\"abid\":99,\"x\":"), HasSubstr("'abid' must be a number"));
  EXPECT_THAT(broken("VOP3P-MAI.v_mfma", "VOP3P-MAI.v_mfmx"), HasSubstr("no matrix instruction"));
  EXPECT_THAT(broken("\"a\":[[\"0x", "\"a\":[[\"1x"), HasSubstr("'a' must be a number"));
  EXPECT_THAT(broken("\"c\":[[", "\"c\":[[1],["), HasSubstr("list of"));
  EXPECT_THAT(broken("\"forward\":[", "\"forward\":[4,"), HasSubstr("'forward' must be a list of"));
  EXPECT_THAT(broken("\"forward_row\":[", "\"forward_row\":[32,"), HasSubstr("'forward_row' must"));
  EXPECT_THAT(broken("\"target\":\"gfx908\"", "\"target\":\"gfx9\""), HasSubstr("unknown target"));
  EXPECT_THAT(broken("{\"cuvette\"", "[\"cuvette\""), HasSubstr("JSON object"));
  EXPECT_FALSE(ip::parse_matrix_recording("", "file").ok());
  EXPECT_FALSE(ip::parse_matrix_recording(text.substr(0, text.find('\n') + 1), "file").ok());
  EXPECT_FALSE(ip::recorded_block("{\"block\":\"lds\"}", "file").ok());
  EXPECT_FALSE(ip::recorded_block("nothing", "file").ok());
}

/// Another module (--library) need not have every instruction of the recording.
TEST(MatrixLockstep, RerunRefusesByNameWhatTheDeviceLacks) {
  const auto program = matrix_program::mixed(60, kSeed);
  auto recording = recording_of(*found("row 0 lane 63", program));
  recording.timing = {};
  auto device = std::make_unique<matrix_faults::FaultyPins>(matrix_faults::PinFault::None);
  const auto& asked = recording.transactions.back().passes.front();
  const std::string lacks((isa::rows().begin() + asked.row)->mnemonic);
  device->lacks = lacks;
  const auto rerun = ip::rerun_matrix(std::move(device), recording, "");
  ASSERT_FALSE(rerun.ok()) << (rerun->mismatch ? rerun->mismatch->report : "no difference");
  EXPECT_EQ(rerun.error().str(), "error: the device has no circuit for " + lacks);
}

TEST(MatrixLockstep, RerunShowsWhatIsInTheBlockAndWritesWaves) {
  const auto program = matrix_program::mixed(60, kSeed);
  ip::MatrixRecording recording;
  {
    // The real times: instructions in lockstep on the RTL, ended by a device that fails.
    unsigned cycles = 0;
    auto rtl = std::make_unique<ip::MatrixRtl>(ip::make_matrix_fast(), isa::Target::Gfx908);
    const auto lockstep = matrix_faults::lockstep_of(
        std::move(rtl), exact(), [&cycles]() -> std::optional<ip::DeviceFailure> {
          if (++cycles < 700) return std::nullopt;
          return ip::DeviceFailure{"protocol", "made up"};
        });
    matrix_program::run(*lockstep, program, 7, 5, 1,
                        [&] { return lockstep->mismatch().has_value(); });
    ASSERT_TRUE(lockstep->mismatch());
    EXPECT_EQ(lockstep->mismatch()->field, "protocol");
    recording = recording_of(*lockstep);
  }
  EXPECT_GE(recording.transactions.size(), 8u);
  EXPECT_FALSE(ip::rerun_matrix(ip::make_matrix_fast(), recording, "x.fst").ok()) << "no waves";
  const std::string path = ::testing::TempDir() + "/matrix_lockstep_test.fst";
  const auto rerun = ip::rerun_matrix(ip::make_matrix_check(1), recording, path);
  ASSERT_TRUE(rerun.ok()) << rerun.error().str();
  EXPECT_FALSE(rerun->mismatch) << rerun->mismatch->report;
  EXPECT_GE(rerun->counts.instructions, 8u);
  EXPECT_GT(std::filesystem::file_size(path), 100u);
}

}  // namespace
}  // namespace cuvette
