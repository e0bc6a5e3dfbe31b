// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "ip/simd/register_simd.h"
#include "ip/vrf/register_vrf.h"
#include "mutant_run.h"
#include "simd_dpp.h"
#include "simd_faults.h"
#include "simd_program.h"
#include "simd_rows.h"
#include "vrf_faults.h"
#include "vrf_stream.h"

// The checks of registers and lanes are proven by errors put in on purpose: every mutant of
// tests/mutants/lockstep.csv whose check begins with "simd-" or "vrf-" has to be found, and by the
// check it names.
namespace cuvette {
namespace {

using simd::Issue;
using simd_program::exact;
using simd_program::make;

/// Drawn once, with no mutant in.
const std::vector<Issue>& program() {
  static const auto issues = simd_program::mixed(*make("rtl"), 1600, 4712);
  return issues;
}

/// Random streams in lockstep, times exact, without and with pauses and back-pressure; a lockstep
/// stops at its first difference, so the stream goes in pieces. Ends early when `wanted` is found.
void lockstep_check(Findings& found, const std::string& wanted) {
  constexpr size_t kPiece = 200;
  for (size_t first = 0; first < program().size(); first += kPiece) {
    const auto begin = program().begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<Issue> piece(begin, begin + kPiece);
    const auto block = make("lockstep-check", first + 1);
    auto& lockstep = dynamic_cast<ip::SimdLockstep&>(*block);
    simd_program::fill_rows(*block, first);
    const size_t kind = first / kPiece % 4;
    const auto run = simd_program::run(*block, piece, kind == 2 ? 2 : 8, kind == 1 ? 2 : 8, first,
                                       [&] { return lockstep.mismatch().has_value(); });
    if (lockstep.mismatch()) {
      found.insert("simd-lockstep." + lockstep.mismatch()->field);
    } else if (!run.complete) {
      found.insert("simd-watchdog");
    }
    if (found.count(wanted) != 0) return;
  }
}

/// Start values of registers must not show: three seeds, compared with each other.
void seeds_check(Findings& found) {
  const std::vector<Issue> piece(program().begin(), program().begin() + 200);
  std::set<std::array<uint64_t, 4>> streams, traffic;
  for (const uint64_t seed : {1u, 77u, 4711u}) {
    const auto rtl = make("rtl-check", seed);
    simd_program::fill_rows(*rtl, 1);
    const auto run = simd_program::run(*rtl, piece, 8, 8, 2);
    streams.insert({run.complete ? 1u : 0u, run.cycles, run.beats, run.hash});
    VrfPins device(ip::make_vrf_check(seed));
    device.reset();
    uint64_t answers = 0;  // nobody asked
    ip::VrfOutputs pins;
    device.drive({});
    device.outputs(pins);
    for (const auto& port : pins.reads) answers = answers << 1 | (port.data_valid ? 1 : 0);
    const auto result = vrf_stream::run(device, 1, 1000);
    traffic.insert({result.finding.empty() ? 1u : 0u, result.beats, answers, result.hash});
  }
  if (streams.size() != 1) found.insert("simd-seeds");
  if (traffic.size() != 1) found.insert("vrf-seeds");
}

/// Compares registers with the model's, and the cycles of both, without lockstep.
void mirror_check(Findings& found) {
  const std::vector<Issue> piece(program().begin(), program().begin() + 400);
  const auto rtl = make("rtl"), model = make("tlm");
  simd_program::Run runs[2];
  for (unsigned n = 0; n < 2; ++n) {
    simd::Simd& block = n == 0 ? *rtl : *model;
    simd_program::fill_rows(block, 1);
    runs[n] = simd_program::run(block, piece, 8, 8, 2, {}, false);
  }
  if (!runs[0].complete) found.insert("simd-watchdog");
  if (runs[0].cycles != runs[1].cycles) found.insert("simd-times");
  for (const bool acc : {false, true}) {
    for (uint16_t row = 0; row < 256; ++row) {
      wave::LaneRow a, b;
      rtl->registers().read(vrf::ReadPort::Backdoor, 0, {acc, row}, a);
      model->registers().read(vrf::ReadPort::Backdoor, 0, {acc, row}, b);
      if (a != b) found.insert("simd-mirror");
    }
  }
}

/// One instruction at a time, its result read back before another one finds it.
void audit_check(Findings& found) {
  for (size_t n = 0; n < 64 && found.empty(); ++n) {
    const std::vector<Issue> one(1, program()[n]);
    const auto block = make("lockstep-check", n + 1);
    auto& lockstep = dynamic_cast<ip::SimdLockstep&>(*block);
    simd_program::fill_rows(*block, n);
    simd_program::run(*block, one, 8, 8, n, {}, false);
    if (lockstep.mismatch()) found.insert("simd-lockstep." + lockstep.mismatch()->field);
    lockstep.audit();
    if (lockstep.mismatch() && lockstep.mismatch()->field == "register") found.insert("simd-audit");
  }
}

/// Rows sent past the channels and through them.
void rows_check(Findings& found) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    const auto rtl = make("rtl");
    const auto sent = simd_rows::send(*rtl, seed);
    if (!sent.complete) found.insert("simd-watchdog");
    if (sent.wrong != 0) found.insert("simd-rows");
  }
}

/// The checker on devices with known faults.
void simd_self_test(Findings& found) {
  for (const simd_faults::Fault& fault : simd_faults::faults()) {
    if (simd_faults::reported(fault, program()) != fault.field) {
      found.insert("simd-self-test." + fault.field);
    }
    if (fault.move == simd_faults::ChangedPins::Move::Later &&
        simd_faults::mismatch_of(fault, program()).report.find("a beat retires too late") ==
            std::string::npos) {
      found.insert("simd-self-test.beats");
    }
  }
  if (simd_faults::reported_of_register(63, ip::make_simd_fast()) != "register") {
    found.insert("simd-self-test.register");
  }
  if (simd_faults::reported_of_mixing(2, program()) != "order") {
    found.insert("simd-self-test.order");
  }
  if (simd_faults::reported_of_mixing(4, program(), true) != "order") {
    found.insert("simd-self-test.order");
  }
  if (simd_faults::reported_of_fill() != "data") found.insert("simd-self-test.row_data");
}

void vrf_self_test(Findings& found) {
  for (const auto& fault : vrf_faults::faults()) {
    const auto mismatch = vrf_faults::mismatch_of(fault.first);
    const std::string field = mismatch ? mismatch->field : "";
    if (field != fault.second) found.insert("vrf-self-test." + fault.second);
  }
}

/// Row accesses through every port in lockstep.
void vrf_check(Findings& found) {
  vrf::Registry registry;
  ip::register_vrf(registry, {}, {exact(), 1});
  const auto block = registry.make("lockstep-check", vrf::Config());
  auto& lockstep = dynamic_cast<ip::VrfLockstep&>(*block);
  vrf_faults::use(*block, 600);
  if (lockstep.mismatch()) {
    found.insert("vrf-lockstep." + lockstep.mismatch()->field);
  } else if (lockstep.kit().compared() != lockstep.kit().seen() * wave::kLanes) {
    found.insert("vrf-self-test.counts");
  }
  VrfPins device(ip::make_vrf_check(3));
  const auto result = vrf_stream::run(device, 1, 2000);
  if (!result.finding.empty()) found.insert(result.finding);
}

/// Checks that find the selected mutant, `wanted` among them or not.
Findings caught_by(const std::string& wanted) {
  Findings found;
  if (wanted.rfind("vrf-self-test", 0) == 0) vrf_self_test(found);
  if (wanted == "simd-seeds" || wanted == "vrf-seeds") {
    seeds_check(found);
  } else if (wanted.rfind("vrf-", 0) == 0) {
    vrf_check(found);
  } else if (wanted.rfind("simd-self-test", 0) == 0) {
    simd_self_test(found);
  } else if (wanted == "simd-dpp") {
    if (!simd_dpp::check(3) || !simd_dpp::check_carry_out(60)) found.insert("simd-dpp");
  } else if (wanted == "simd-audit") {
    audit_check(found);
  } else if (wanted == "simd-rows") {
    rows_check(found);
  } else if (wanted == "simd-mirror" || wanted == "simd-times") {
    mirror_check(found);
  } else {
    lockstep_check(found, wanted);
  }
  return found;
}

TEST(SimdMutants, UnmutatedControlPasses) {
  ASSERT_FALSE(program().empty());
  select_mutant(0);
  Findings found;
  lockstep_check(found, "");
  mirror_check(found);
  audit_check(found);
  rows_check(found);
  simd_self_test(found);
  vrf_self_test(found);
  vrf_check(found);
  seeds_check(found);
  EXPECT_TRUE(simd_dpp::check(3));
  EXPECT_TRUE(simd_dpp::check_carry_out(60));
  EXPECT_EQ(found, Findings{});
}

TEST(SimdMutants, EveryOneIsCaughtByTheCheckItNames) {
  ASSERT_FALSE(program().empty());
  expect_all_caught([](const Mutant& m) { return m.of_simd(); }, caught_by, 54, 24);
}

}  // namespace
}  // namespace cuvette
