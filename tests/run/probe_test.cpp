// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The probe door on golden, on the compute unit, and on the compute unit with RTL lanes: the same
// final state from the same case.
#include "run/probe.h"

#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/decode.h"
#include "isa/text.h"
#include "probe_program.h"
#include "test_vectors.h"
#ifdef CUVETTE_WITH_RTL
#include "ip/matrix_core/matrix_device.h"
#include "valu/operations.h"
#endif

namespace cuvette::run {
namespace {

using isa::Encoding;
using isa::Format;
using isa::Instruction;

constexpr uint64_t kSeed = 20261120;
/// Number of the corners and of the modifiers of a row in one encoding.
constexpr unsigned kSome = 1;
constexpr uint32_t kWaitcnt0 = 0xbf8c0000, kEndpgm = 0xbf810000;
constexpr Encoding kEncodings[] = {Encoding::Native, Encoding::Literal, Encoding::Vop3,
                                   Encoding::Sdwa, Encoding::Dpp};

struct Result {
  ProbeOutcome outcome;
  std::vector<uint8_t> memory;
};

Result run(const Probe& probe, const ProbeCase& c) {
  std::vector<uint32_t> code = c.code;
  code.push_back(kWaitcnt0);
  code.push_back(kEndpgm);
  Result r;
  auto image = ProbeImage::create(c, code);
  if (!image) {
    ADD_FAILURE() << image.error().what;
    return r;
  }
  r.outcome = probe.run(c, **image);
  r.memory.resize(probe_program::kMemoryBytes);
  EXPECT_TRUE(
      (*image)->memory().read(probe_program::kMemoryAt, r.memory.data(), r.memory.size()).ok());
  return r;
}

enum class End { Good, Unsupported, Error };
End end_of(const ProbeOutcome& o) {
  if (o.failure.empty()) return End::Good;
  return o.unsupported ? End::Unsupported : End::Error;
}

template <class T>
std::string first_difference(const char* what, const T& expected, const T& actual) {
  if (expected.size() != actual.size()) return fmt::format("size of {}", what);
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != actual[i]) {
      return fmt::format("{}[{}]: expected {:#x}, got {:#x}", what, i, expected[i], actual[i]);
    }
  }
  return "";
}

std::string rows_difference(const char* what, const std::vector<wave::LaneRow>& expected,
                            const std::vector<wave::LaneRow>& actual) {
  if (expected.size() != actual.size()) return fmt::format("number of {}", what);
  for (size_t r = 0; r < expected.size(); ++r) {
    const std::string found =
        first_difference(fmt::format("{}{}", what, r).c_str(), expected[r], actual[r]);
    if (!found.empty()) return found;
  }
  return "";
}

/// Empty when both ended alike.
std::string difference(const Result& expected, const Result& actual) {
  const ProbeOutcome &e = expected.outcome, &a = actual.outcome;
  if (end_of(e) != end_of(a)) {
    return fmt::format("end: expected '{}', got '{}'", e.failure, a.failure);
  }
  if (end_of(e) != End::Good) return "";
  std::string found = rows_difference("v", e.vgprs, a.vgprs);
  if (found.empty()) found = rows_difference("a", e.accvgprs, a.accvgprs);
  if (found.empty()) found = first_difference("sgpr", e.scalars.sgpr, a.scalars.sgpr);
  if (found.empty()) found = first_difference("lds", e.lds, a.lds);
  if (found.empty()) found = first_difference("memory", expected.memory, actual.memory);
  const auto word = [&](const char* what, uint64_t x, uint64_t y) {
    if (found.empty() && x != y) found = fmt::format("{}: expected {:#x}, got {:#x}", what, x, y);
  };
  word("scc", e.scalars.scc, a.scalars.scc);
  word("mode", e.scalars.mode.raw, a.scalars.mode.raw);
  word("status", e.scalars.status, a.scalars.status);
  word("trapsts", e.scalars.trapsts, a.scalars.trapsts);
  word("pc", e.scalars.pc, a.scalars.pc);
  word("executed", e.executed.size(), a.executed.size());
  return found;
}

std::string describe(const ProbeCase& c) {
  std::string text = fmt::format("{} mode {:#x} exec {:#x} m0 {:#x}:", isa::name_of(c.target),
                                 c.mode, c.exec, c.m0);
  for (size_t at = 0; at < c.code.size();) {
    const auto d = isa::decode(c.target, &c.code[at], c.code.size() - at);
    text += "\n  " + isa::text(d.instruction);
    at += std::max<unsigned>(1, d.instruction.length);
  }
  return text;
}

std::unique_ptr<Probe> engine(const char* name) {
  auto made = Probe::create(name);
  EXPECT_TRUE(made.ok()) << made.error().str();
  return std::move(made).value();
}

/// Instructions that the RTL may lack: those outside its list of the target's operations, lane
/// moves and AccVGPR copies among them, and matrix instructions of targets without a unit in RTL.
bool rtl_may_lack(const Instruction& i, isa::Target target) {
#ifdef CUVETTE_WITH_RTL
  const isa::Row& row = *i.row;
  if (row.unit == isa::Unit::Matrix) {
    return !row.has(isa::kMatrix) || !ip::has_matrix_rtl(target);
  }
  if (row.unit != isa::Unit::Valu && row.unit != isa::Unit::Trans) return false;
  return valu::operation_of(row, target) == valu::kNoOperation;
#else
  (void)i;
  (void)target;
  return false;
#endif
}

/// Differences by row, the first of each in full.
class Complaints {
 public:
  void add(const isa::Row& row, const std::string& text) {
    if (seen_.insert(isa::row_id(row)).second && seen_.size() <= 40) ADD_FAILURE() << text;
    ++count_;
  }
  ~Complaints() {
    if (count_ != 0) std::printf("%zu cases of %zu rows differ\n", count_, seen_.size());
  }

 private:
  std::set<std::string> seen_;
  size_t count_ = 0;
};

class EveryRow : public ::testing::TestWithParam<isa::Target> {};

/// One instruction per case: every row with semantics in each of its encodings, plain and with
/// corners of operands and modifiers: one in four, on RTL one in twelve, all nightly.
TEST_P(EveryRow, SameStateOnAllEngines) {
  const isa::Target target = GetParam();
  const auto golden = engine("golden"), tlm = engine("tlm");
  const auto rtl = Probe::built("rtl") ? engine("rtl") : nullptr;
  std::mt19937_64 random(kSeed + isa::index_of(target));
  size_t cases = 0, looked_at = 0, rows = 0, rtl_same = 0, rtl_unsupported = 0, ended_by_error = 0;
  Complaints complaints;
  for (const isa::Row& row : isa::rows()) {
    if (!probe_program::has_answer(row, target)) continue;
    ++rows;
    for (const Encoding encoding : kEncodings) {
      for (const Instruction& i : probe_program::choose(row, target, encoding, kSome, random)) {
        if (probe_program::sees_machine(i)) continue;
        ProbeCase c = probe_program::random_case(target, random);
        probe_program::aim(c, i, random);
        probe_program::append(c, i);
        if (!test::chosen(++cases, 4)) continue;
        ++looked_at;
        const Result expected = run(*golden, c);
        if (end_of(expected.outcome) == End::Error) ++ended_by_error;
        const Result on_tlm = run(*tlm, c);
        // With nothing to sample or no lane there is nothing to refuse.
        if (probe_program::only_in_golden(i) && end_of(on_tlm.outcome) == End::Unsupported) {
          continue;
        }
        if (const auto d = difference(expected, on_tlm); !d.empty()) {
          complaints.add(row, fmt::format("tlm, case {}: {}\n{}", cases, d, describe(c)));
        }
        if (rtl == nullptr || !test::chosen(cases, 12)) continue;
        const Result actual = run(*rtl, c);
        if (end_of(actual.outcome) == End::Unsupported &&
            end_of(expected.outcome) != End::Unsupported) {
          ++rtl_unsupported;
          if (!rtl_may_lack(i, target)) {
            complaints.add(row, fmt::format("rtl: {}\n{}", actual.outcome.failure, describe(c)));
          }
        } else if (const auto d = difference(expected, actual); !d.empty()) {
          complaints.add(row, fmt::format("rtl, case {}: {}\n{}", cases, d, describe(c)));
        } else {
          ++rtl_same;
        }
      }
    }
  }
  std::printf(
      "%s: %zu rows, %zu of %zu cases (%zu end in an error); rtl: %zu same, %zu unsupported\n",
      std::string(isa::name_of(target)).c_str(), rows, looked_at, cases, ended_by_error, rtl_same,
      rtl_unsupported);
  EXPECT_GT(rows, 900u);
  EXPECT_LT(ended_by_error, looked_at / 20);
}
class Programs : public ::testing::TestWithParam<isa::Target> {};

/// Programs of many instructions. Every second one is made of what the RTL has.
TEST_P(Programs, SameStateOnAllEngines) {
  constexpr unsigned kLength = 30;
  const unsigned programs = test::whole() ? 600 : 300;
  const isa::Target target = GetParam();
  const auto golden = engine("golden"), tlm = engine("tlm");
  const auto rtl = Probe::built("rtl") ? engine("rtl") : nullptr;
  unsigned good = 0, refused = 0, rtl_same = 0;
  for (unsigned n = 0; n < programs; ++n) {
    std::mt19937_64 random(kSeed + 1000 * isa::index_of(target) + n);
    const bool for_rtl = n % 2 != 0;
    const ProbeCase c = probe_program::random_program(
        target, kLength, random,
        [&](const Instruction& i) { return !for_rtl || !rtl_may_lack(i, target); });
    const Result expected = run(*golden, c);
    const Result actual = run(*tlm, c);
    const auto what = [&] { return fmt::format("program {}: {}", n, describe(c)); };
    if (end_of(expected.outcome) == End::Good) ++good;
    if (end_of(actual.outcome) == End::Unsupported) {
      ++refused;
      ASSERT_NE(actual.outcome.failure.find("that swizzling puts apart"), std::string::npos)
          << actual.outcome.failure << what();
      continue;
    }
    ASSERT_EQ(difference(expected, actual), "") << what();
    if (rtl == nullptr || !for_rtl) continue;
    ASSERT_EQ(difference(expected, run(*rtl, c)), "") << "rtl " << what();
    ++rtl_same;
  }
  std::printf("%s: %u programs, %u to their end, %u refused, %u the same on rtl\n",
              std::string(isa::name_of(target)).c_str(), programs, good, refused, rtl_same);
  EXPECT_GT(good, programs * 9 / 10);
  EXPECT_LT(refused, programs / 20);
}
INSTANTIATE_TEST_SUITE_P(Targets, Programs, ::testing::ValuesIn(isa::kAllTargets),
                         [](const auto& p) { return std::string(isa::name_of(p.param)); });

INSTANTIATE_TEST_SUITE_P(Targets, EveryRow, ::testing::ValuesIn(isa::kAllTargets),
                         [](const auto& p) { return std::string(isa::name_of(p.param)); });

}  // namespace
}  // namespace cuvette::run
