// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <functional>
#include <map>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "coverage_file.h"
#include "ip/lockstep/rerun.h"
#include "ip/matrix_core/register_matrix.h"
#include "matrix_core/matrix_core_model.h"
#include "matrix_faults.h"
#include "matrix_program.h"

// The checker of the matrix core: what it compares, what it says, and what it leaves behind.
namespace cuvette {
namespace {

using machine::TimingRule;
using matrix_program::Instruction;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 78;

ip::LockstepOptions exact() {
  ip::LockstepOptions options;
  options.timing.kind = TimingRule::Kind::Exact;
  return options;
}

matrix_core::Registry registry(const ip::LockstepOptions& options) {
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

/// Lanes of D and header fields of a pass.
constexpr uint64_t kValuesOfPass = 128 + 5;

uint64_t count_of(const ip::MatrixLockstep& lockstep, const char* what) {
  return lockstep.kit().items().at(std::string("matrix_core ") + what);
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
    EXPECT_EQ(count_of(lockstep, "results"), passes_of(some));
    EXPECT_EQ(count_of(lockstep, "times"), passes_of(some));
    EXPECT_EQ(count_of(lockstep, "values"), kValuesOfPass * passes_of(some));
    EXPECT_TRUE(lockstep.idle());
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
    EXPECT_EQ(count_of(lockstep, "values"), kValuesOfPass * passes_of(program));
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
    const uint64_t wanted = passes_of(program);
    const machine::Cycle limit = 2 * start + 200;
    for (machine::Cycle now = 0;
         now < limit && !lockstep.mismatch() && count_of(lockstep, "results") < wanted; ++now) {
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
    EXPECT_EQ(count_of(lockstep, "results"), wanted) << pause;
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
  for (; count_of(lockstep, "results") < passes_of(program) && now < 200000; ++now) {
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
  EXPECT_EQ(count_of(lockstep, "results"), passes_of(program));
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
    const auto lockstep = matrix_faults::lockstep_of(fault);
    std::vector<matrix_core::Result> due;  // headers
    for (const Instruction& i : program) {
      const isa::Row& row = *(isa::rows().begin() + i.front().row);
      for (unsigned p = 0; p < matrix_core::result_passes(row); ++p) {
        due.push_back(matrix_core::result_header(row, i.front().id, p));
      }
    }
    size_t instruction = 0, pass = 0, given = 0;
    for (machine::Cycle now = 0; now < 8000; ++now) {
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
        matrix_core::Result want = due[given++];
        want.d = r->d;
        contract::Comparison header;
        contract::Message<matrix_core::Result>::compare(want, *r, header);
        ASSERT_TRUE(header.differences().empty()) << fault.name;
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
  const auto lockstep = matrix_faults::lockstep_of(
      matrix_faults::behind_pins([] { return std::make_unique<SilentCore>(); }));
  size_t pass = 0;
  for (machine::Cycle now = 0; now < 11000; ++now) {
    if (pass < program[0].size() && lockstep->operands.can_push(now)) {
      lockstep->operands.push(program[0][pass++], now + 1);
    }
    lockstep->tick(now);
  }
  ASSERT_TRUE(lockstep->mismatch());
  EXPECT_EQ(lockstep->mismatch()->field, "missing");
  EXPECT_THAT(lockstep->mismatch()->report,
              HasSubstr("no message in 10000 cycles, the reference has given a result"));
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
  EXPECT_EQ(matrix_faults::late(1, rule, program), "time");
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
  EXPECT_EQ(matrix_faults::late(100, rule, program), "time");
  rule.min_cycles = 13;
  EXPECT_EQ(matrix_faults::late(0, rule, program), "time");
  rule.min_cycles = 12;
  rule.max_cycles = 67;
  EXPECT_EQ(matrix_faults::late(0, rule, program), "time");
}

TEST(MatrixLockstep, SamplingComparesOneInN) {
  ip::LockstepOptions options = exact();
  options.share = 4;
  const auto program = matrix_program::mixed(200, kSeed);
  // The machine sees the model and its times.
  matrix_core::MatrixCoreModel alone{matrix_core::Config{}};
  const auto want = matrix_program::run(alone, program, 8, 8, 1);
  for (const char* name : {"lockstep", "lockstep-check"}) {
    const auto block = registry(options).make(name, {});
    const auto run = matrix_program::run(*block, program, 8, 8, 1);
    ASSERT_TRUE(run.complete);
    EXPECT_EQ(run.cycles, want.cycles);
    const ip::MatrixLockstep& lockstep = *ip::lockstep_in(*block);
    ASSERT_FALSE(lockstep.mismatch()) << lockstep.mismatch()->report;
    const uint64_t results = count_of(lockstep, "results");
    EXPECT_GT(results, program.size() / 4);
    EXPECT_LT(results, passes_of(program) / 2);
    EXPECT_EQ(lockstep.kit().seen(), results + program.size() * 3 / 4);
    EXPECT_EQ(count_of(lockstep, "times"), results);
    EXPECT_EQ(count_of(lockstep, "values"), kValuesOfPass * results);
    // The same ones in every run.
    const auto again = registry(options).make(name, {});
    matrix_program::run(*again, program, 8, 3, 2);
    EXPECT_EQ(count_of(*ip::lockstep_in(*again), "results"), results);
  }
}

/// A lockstep that has found `name`.
std::unique_ptr<ip::MatrixLockstep> found(const std::string& name,
                                          const std::vector<Instruction>& program,
                                          unsigned* told = nullptr) {
  for (const matrix_faults::Fault& fault : matrix_faults::faults()) {
    if (fault.name != name) continue;
    auto lockstep = std::make_unique<ip::MatrixLockstep>(
        matrix_faults::behind_pins(
            [&fault] { return std::make_unique<matrix_faults::FaultyCore>(fault); }),
        matrix_core::Config(), ip::LockstepOptions(), [told](const ip::BlockMismatch&) {
          if (told != nullptr) ++*told;
        });
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
  const ip::BlockMismatch& m = *lockstep->mismatch();
  EXPECT_EQ(m.field, "d");
  EXPECT_EQ(m.lane, 31);
  EXPECT_EQ(m.row, 1);
  EXPECT_EQ(m.actual ^ m.expected, 0x10u);
  EXPECT_THAT(m.report, HasSubstr("block matrix_core of compute unit 0 SIMD 0, cycle "));
  EXPECT_THAT(m.report, HasSubstr("result: field d, row 1, lane 31: expected 0x"));
  std::smatch told_of;
  ASSERT_TRUE(std::regex_search(m.report, told_of,
                                std::regex("transaction  id ([0-9]+) cycle [0-9]+ "
                                           "wave (0x[0-9a-f]+) pc "
                                           "(0x[0-9a-f]+): ([a-z0-9_]+)")));
  const Instruction& i = program[std::stoul(told_of[1]) - 1];
  const isa::Row& row = *(isa::rows().begin() + i.front().row);
  EXPECT_EQ(std::stoull(told_of[2], nullptr, 16), i.front().wave);
  EXPECT_EQ(std::stoull(told_of[3], nullptr, 16), i.front().pc);
  EXPECT_EQ(told_of[4].str(), row.mnemonic);
  EXPECT_THAT(m.report, HasSubstr(" lane 31, D["));
  EXPECT_THAT(m.report, HasSubstr("k 0: a 0x"));
  EXPECT_THAT(m.report, HasSubstr("k " + std::to_string(row.matrix.k - 1) + ": a 0x"));
  EXPECT_THAT(m.report, ::testing::Not(HasSubstr("k " + std::to_string(row.matrix.k) + ": a")));
  EXPECT_THAT(m.report, HasSubstr("last transactions"));
  EXPECT_LE(m.transactions.size(), ip::kRememberedTransactions);
  std::smatch pass;
  ASSERT_TRUE(std::regex_search(m.report, pass, std::regex("result       pass ([0-9]+)")));
  char c[32];
  std::snprintf(c, sizeof c, "c 0x%08x", i[std::stoul(pass[1])].c[1][31]);
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
  const auto lockstep = matrix_faults::lockstep_of(fault);
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

// ---- Recordings; what the kit does with them stands in lds_recording_test.cpp.

/// Writes the recording of a run of a program.
std::string recorded(const std::vector<Instruction>& program) {
  const std::string path = ::testing::TempDir() + "matrix_recording.jsonl";
  const auto recorder = ip::Recorder::open(path);
  EXPECT_TRUE(recorder.ok());
  const auto lockstep = matrix_faults::lockstep_of(ip::make_matrix_check(1), exact());
  ip::RecordingHead of_run;
  of_run.timing = exact().timing;
  ip::recording::Json head = ip::recording::head_json(of_run, "matrix_core");
  head["config"] = ip::recording::Json::object();
  EXPECT_TRUE(lockstep->kit().record(**recorder, head));
  EXPECT_TRUE(matrix_program::run(*lockstep, program, 7, 5, 1).complete);
  EXPECT_FALSE(lockstep->mismatch()) << lockstep->mismatch()->report;
  EXPECT_TRUE((*recorder)->finish().ok());
  return path;
}

ip::MakeLone maker(std::function<std::unique_ptr<ip::PinDevice>()> device) {
  return [device = std::move(device)](const std::string& block, const ip::RecordingHead& head,
                                      ip::recording::Line&) -> base::Result<ip::LoneBlock> {
    EXPECT_EQ(block, "matrix_core");
    ip::LockstepOptions options;
    options.timing = head.timing;
    std::shared_ptr<ip::MatrixLockstep> made = matrix_faults::lockstep_of(device(), options);
    auto* view = &made->kit();
    return ip::LoneBlock{std::move(made), view};
  };
}

TEST(MatrixLockstep, ARecordingRunsAgainInTheSameTimes) {
  const auto program = matrix_program::mixed(60, kSeed);
  const std::string path = recorded(program);
  const auto again = ip::rerun_blocks(path, maker([] { return ip::make_matrix_check(7); }),
                                      {::testing::TempDir() + "matrix_lockstep_test.fst", 0, 400});
  ASSERT_TRUE(again.ok()) << again.error().str();
  EXPECT_FALSE(again->blocks.at(0).mismatch) << again->blocks[0].mismatch->report;
  EXPECT_GT(std::filesystem::file_size(again->blocks[0].wave), 100u);
  const auto whole = ip::rerun_blocks(path, maker([] { return ip::make_matrix_fast(); }));
  ASSERT_TRUE(whole.ok()) << whole.error().str();
  EXPECT_FALSE(whole->blocks.at(0).mismatch) << whole->blocks[0].mismatch->report;
  EXPECT_EQ(whole->blocks[0].items.at("matrix_core results"), passes_of(program));
  EXPECT_EQ(whole->blocks[0].items.at("matrix_core times"), passes_of(program));
  const auto waves =
      ip::rerun_blocks(path, maker([] { return ip::make_matrix_fast(); }), {"x.fst"});
  ASSERT_FALSE(waves.ok());
  EXPECT_THAT(waves.error().str(), HasSubstr("this build of the RTL has no waveforms"));
}

TEST(MatrixLockstep, WrongRecordingsAreRefusedByLine) {
  const std::string text = *base::read_text(recorded(matrix_program::mixed(3, kSeed)));
  const std::string bad = ::testing::TempDir() + "matrix_bad.jsonl";
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    const size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    out.replace(at, from.size(), to);
    EXPECT_TRUE(base::write_text(bad, out).ok());
    const auto rerun = ip::rerun_blocks(bad, maker([] { return ip::make_matrix_fast(); }));
    return rerun.ok() ? std::string("accepted") : rerun.error().str();
  };
  EXPECT_THAT(broken("\"cbsz\":", "\"cbzs\":"), HasSubstr(":2: error: key 'cbsz' is missing"));
  EXPECT_THAT(broken("\"row\":", "\"row\":9"), HasSubstr("is no instruction of the device"));
  EXPECT_THAT(broken("\"pass\":0", "\"pass\":1"), HasSubstr("expected pass 0 of"));
  EXPECT_THAT(broken("\"last\":0", "\"last\":1"), HasSubstr("expected pass 0 of"));
  EXPECT_THAT(broken("\"c_rows\":2", "\"c_rows\":3"), HasSubstr("'c_rows' must be"));
  EXPECT_THAT(broken("\"a\":[", "\"a\":[1,"), HasSubstr("'a' must be a list of 64"));
  const std::string path = ::testing::TempDir() + "no_recording.jsonl";
  for (const char* content : {"", "nothing", "{\"block\":1}", "{}"}) {
    ASSERT_TRUE(base::write_text(path, content).ok());
    EXPECT_FALSE(ip::rerun_blocks(path, maker([] { return ip::make_matrix_fast(); })).ok())
        << content;
  }
}

/// Another module (--library) need not have every instruction of the recording.
TEST(MatrixLockstep, ARerunRefusesWhatTheDeviceLacks) {
  const auto program = matrix_program::mixed(10, kSeed);
  const std::string path = recorded(program);
  const auto rerun = ip::rerun_blocks(
      path, maker([&program] {
        auto device = std::make_unique<matrix_faults::FaultyPins>(matrix_faults::PinFault::None);
        device->lacks = (isa::rows().begin() + program[4].front().row)->mnemonic;
        return device;
      }));
  ASSERT_FALSE(rerun.ok());
  EXPECT_THAT(rerun.error().str(), HasSubstr("is no instruction of the device"));
}

}  // namespace
}  // namespace cuvette
