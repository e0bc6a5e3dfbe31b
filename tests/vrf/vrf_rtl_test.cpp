// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/vrf/vrf_rtl.h"

#include <cstdio>
#include <random>

#include <gtest/gtest.h>

#include "coverage_file.h"
#include "ip/vrf/register_vrf.h"
#include "ip/vrf/vrf_timing.h"
#include "vrf_faults.h"
#include "vrf_stream.h"

// rtl/vrf at its pins against the scalar model of vrf_stream.h, at hand-made conflicts, and behind
// the contract in lockstep, with faults.
namespace cuvette {
namespace {

using ip::VrfInputs;
using ip::VrfOutputs;
using vrf_faults::watched;

constexpr unsigned kCycles = 20000;

TEST(VrfRtl, RandomTrafficOnEveryPortAndThreeSeeds) {
  const CountsCoverage counting("vrf_rtl_test");
  uint64_t hash = 0;
  for (const uint64_t start : {1u, 77u, 4711u}) {
    VrfPins device(ip::make_vrf_check(start));
    const auto result = vrf_stream::run(device, 1, kCycles);
    ASSERT_EQ(result.finding, "") << "start values " << start;
    EXPECT_GT(result.beats, kCycles);
    EXPECT_GT(result.conflicts, kCycles / 2);
    if (hash == 0) hash = result.hash;
    EXPECT_EQ(result.hash, hash) << "start values " << start;
  }
  VrfPins device(ip::make_vrf_fast());
  for (uint64_t seed = 2; seed < 6; ++seed) {
    const auto result = vrf_stream::run(device, seed, kCycles);
    ASSERT_EQ(result.finding, "") << "traffic " << seed;
    std::printf("traffic %u: %llu beats read, %llu waits for a bank\n", static_cast<unsigned>(seed),
                static_cast<unsigned long long>(result.beats),
                static_cast<unsigned long long>(result.conflicts));
  }
}

/// Ports that are taken in the first cycles when each asks for one row at once.
struct Conflict {
  const char* what;
  std::array<int, vrf::kReadPorts> rows;  ///< -1: no read; 1000 and more: accumulation rows
  std::vector<unsigned> taken;            ///< ports by cycle, bit per port
};

TEST(VrfRtl, PortsWaitForTheirBank) {
  const std::vector<Conflict> cases = {
      {"one port alone", {-1, 7, -1, -1, -1, -1, -1, -1}, {0b10}},
      {"four banks at once", {0, 1, 2, 3, -1, -1, -1, -1}, {0b1111}},
      {"two of one bank", {4, 8, 1, -1, -1, -1, -1, -1}, {0b101, 0b010}},
      {"three sources of one bank", {1, 5, 9, -1, -1, -1, -1, -1}, {0b001, 0b010, 0b100}},
      {"the same row twice", {6, 6, -1, -1, -1, -1, -1, -1}, {0b01, 0b10}},
      {"the highest port last", {3, -1, -1, -1, -1, -1, 7, 11}, {1, 0b1000000, 0b10000000}},
      {"both files share the banks", {0, 1000, 1001, -1, -1, -1, -1, -1}, {0b101, 0b010}},
      {"beyond the end", {256, 1, 258, -1, -1, -1, -1, 0}, {0b111, 0b10000000}},
      {"all of one bank", {0, 4, 8, 12, 16, 20, 24, 28}, {1, 2, 4, 8, 16, 32, 64, 128}},
  };
  VrfPins device(ip::make_vrf_check(5));
  for (const Conflict& c : cases) {
    device.reset();
    VrfInputs in;
    for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
      auto& r = in.reads[p];
      r.data_ready = true;
      r.valid = c.rows[p] >= 0;
      r.address = {c.rows[p] >= 1000, static_cast<uint16_t>(c.rows[p] % 1000)};
    }
    for (const unsigned expected : c.taken) {
      VrfOutputs out;
      device.drive(in);
      device.outputs(out);
      unsigned taken = 0;
      for (unsigned p = 0; p < vrf::kReadPorts; ++p) {
        if (!in.reads[p].valid || !out.reads[p].ready) continue;
        taken |= 1u << p;
        in.reads[p].valid = false;
      }
      EXPECT_EQ(taken, expected) << c.what;
      device.clock();
    }
  }
  EXPECT_FALSE(device.failure().has_value());
}

machine::TimingRule exact() {
  machine::TimingRule rule;
  rule.kind = machine::TimingRule::Kind::Exact;
  return rule;
}

TEST(VrfLockstep, RowsThroughEveryPortWithoutADifference) {
  for (const char* name : {"lockstep", "lockstep-check"}) {
    vrf::Registry registry;
    ip::register_vrf(registry, {}, {exact(), 1});
    const auto block = registry.make(name, vrf::Config());
    ASSERT_NE(block, nullptr);
    auto& lockstep = dynamic_cast<ip::VrfLockstep&>(*block);
    vrf_faults::use(*block, 4000);
    EXPECT_FALSE(lockstep.mismatch().has_value()) << lockstep.mismatch()->report;
    ip::ComparedItems items = lockstep.kit().items();
    const uint64_t reads = items["vrf read_data"];
    EXPECT_EQ(items["vrf values"], reads * 64);
    EXPECT_EQ(items["vrf times"], reads * 4);
    EXPECT_GT(reads, 1900u);
  }
}

TEST(VrfLockstep, SamplesRowsAndWritesAll) {
  vrf::Registry registry;
  ip::register_vrf(registry, {}, {exact(), 10});
  const auto block = registry.make("lockstep", vrf::Config());
  vrf_faults::use(*block, 4000);
  ip::ComparedItems items = dynamic_cast<ip::VrfLockstep&>(*block).kit().items();
  // Every port compares one row of ten.
  EXPECT_NEAR(static_cast<double>(items["vrf values"]) / 64,
              static_cast<double>(items["vrf read_data"]) / 10, 1.0 * vrf::kReadPorts);
  EXPECT_EQ(items["vrf values"] % 64, 0u);
}

TEST(VrfLockstep, LanesNeverWrittenAreNotJudged) {
  vrf::Registry registry;
  ip::register_vrf(registry, {}, {exact(), 1});
  const auto block = registry.make("lockstep-check", vrf::Config());
  wave::LaneRow row{};
  block->read(vrf::ReadPort::Source0, 0, {false, 3}, row);
  block->write(vrf::WritePort::Valu, 1, {false, 3}, 0xff, row);
  block->read(vrf::ReadPort::Source0, 2, {false, 3}, row);
  auto& lockstep = dynamic_cast<ip::VrfLockstep&>(*block);
  EXPECT_FALSE(lockstep.mismatch().has_value());
  EXPECT_EQ(lockstep.kit().compared(), 8u);
}

TEST(VrfLockstep, FaultsAreReportedInTheirField) {
  for (const auto& [fault, field] : vrf_faults::faults()) {
    const auto mismatch = vrf_faults::mismatch_of(fault);
    ASSERT_EQ(mismatch.has_value(), !field.empty()) << field;
    if (mismatch) {
      EXPECT_EQ(mismatch->field, field) << mismatch->report;
    }
  }
}

/// Without a check of times: lanes that no beat brought have what was there before, which may be
/// what is expected.
TEST(VrfLockstep, BeatsOutOfOrderAreReportedWhateverTheirTime) {
  for (const auto fault : {vrf_faults::Fault::WrongBeat, vrf_faults::Fault::BeatTwice}) {
    const auto mismatch = vrf_faults::mismatch_of(fault, machine::TimingRule::Kind::Ignore);
    ASSERT_TRUE(mismatch);
    EXPECT_EQ(mismatch->field, "protocol");
    EXPECT_NE(mismatch->report.find("read_data[0]: beat "), std::string::npos) << mismatch->report;
  }
}

/// Neither does an access that a device does not finish hang the machine.
TEST(VrfLockstep, AccessesEnd) {
  const auto late =
      vrf_faults::mismatch_of(vrf_faults::Fault::Late, machine::TimingRule::Kind::Ignore);
  ASSERT_TRUE(late);
  EXPECT_NE(late->report.find("read port 0: no answer in 256 cycles"), std::string::npos)
      << late->report;
  const auto busy =
      vrf_faults::mismatch_of(vrf_faults::Fault::NotReady, machine::TimingRule::Kind::Ignore);
  ASSERT_TRUE(busy);
  EXPECT_NE(busy->report.find("write port 0: not ready in 256 cycles"), std::string::npos)
      << busy->report;
}

TEST(VrfLockstep, ReportNamesRowPortAndLanesInHex) {
  ip::VrfLockstep lockstep(std::make_unique<vrf_faults::FaultyVrf>(vrf_faults::Fault::Lane),
                           vrf::Config());
  wave::LaneRow row;
  row.fill(0x12345678);
  lockstep.write(vrf::WritePort::Matrix, 4, {true, 9}, ~0ull, row);
  lockstep.read(vrf::ReadPort::Source0, 5, {true, 9}, row);
  ASSERT_TRUE(lockstep.mismatch().has_value());
  const std::string& report = lockstep.mismatch()->report;
  EXPECT_EQ(report.rfind("block vrf of compute unit 0 SIMD 0, cycle ", 0), 0u) << report;
  EXPECT_NE(report.find("read_data[0]: field data, lane 15: expected 0x12345678, the device gives "
                        "0x92345678 (and 3 more values)\n"
                        "  acc row 9\n"
                        "    lane 15: expected 0x12345678, got 0x92345678\n"
                        "    lane 31: expected 0x12345678, got 0x92345678\n"
                        "    lane 47: expected 0x12345678, got 0x92345678\n"
                        "    lane 63: expected 0x12345678, got 0x92345678\n"
                        "  last transactions:"),
            std::string::npos)
      << report;
}

TEST(VrfMonitor, OurRtlUnderTrafficOnEveryPortKeepsTheRules) {
  VrfPins pins(watched(ip::make_vrf_check(9)));
  const auto result = vrf_stream::run(pins, 6, kCycles);
  EXPECT_EQ(result.finding, "");
  EXPECT_FALSE(pins.failure().has_value()) << pins.failure()->what;
}

TEST(VrfMonitor, EveryBrokenRuleIsNamed) {
  for (const auto& [rule, text] : vrf_faults::broken_rules()) {
    VrfPins pins(watched(std::make_unique<vrf_faults::BrokenPins>(rule)));
    vrf_stream::Traffic traffic(6);
    VrfInputs in;
    VrfOutputs out;
    for (unsigned n = 0; n < 400; ++n) {
      traffic.next(in, out);
      pins.drive(in);
      pins.outputs(out);
      pins.clock();
    }
    ASSERT_TRUE(pins.failure().has_value()) << text;
    EXPECT_EQ(pins.failure()->field, "protocol");
    EXPECT_EQ(pins.failure()->what, text);
  }
}

TEST(VrfMonitor, TheRequestersMistakesAreNamedToo) {
  VrfPins pins(watched(ip::make_vrf_check(9)));
  VrfInputs in;
  VrfOutputs out;
  in.reads[1] = in.reads[0] = {true, {false, 4}, 0, true};  // one bank: port 1 waits
  for (int cycle = 0; cycle < 2; ++cycle) {
    pins.drive(in);
    pins.outputs(out);
    pins.clock();
    in.reads[1].address.row = 8;
    in.reads[0].valid = false;
  }
  ASSERT_TRUE(pins.failure().has_value());
  EXPECT_EQ(pins.failure()->what, "read[1]: the message changed before ready");
}

TEST(VrfMonitor, LockstepReportsWhatItSaw) {
  ip::VrfLockstep lockstep(
      watched(std::make_unique<vrf_faults::BrokenPins>(vrf_faults::Rule::AnswerInReset)),
      vrf::Config());
  vrf_faults::use(lockstep, 100);
  ASSERT_TRUE(lockstep.mismatch().has_value());
  EXPECT_EQ(lockstep.mismatch()->field, "protocol");
}

/// A register file without a comparison holds what was written.
TEST(VrfRtl, RowsBehindTheContract) {
  ip::VrfRtl rtl(ip::make_vrf_check(3));
  std::mt19937_64 random(5);
  const wave::LaneRow row = vrf_faults::random_row(random);
  rtl.write(vrf::WritePort::LaunchInit, 7, {true, 200}, ~uint64_t{0}, row);
  wave::LaneRow back{};
  rtl.read(vrf::ReadPort::Backdoor, 7, {true, 200}, back);
  EXPECT_EQ(back, row);
  EXPECT_FALSE(rtl.failure().has_value());
}

TEST(VrfRtl, OtherSizesAreRefused) {
  vrf::Registry registry;
  ip::register_vrf(registry);
  vrf::Config unified;
  unified.rows = 512;
  unified.acc_rows = 0;
  for (const std::string& name : registry.names()) EXPECT_EQ(registry.make(name, unified), nullptr);
  EXPECT_EQ(registry.names().size(), 4u);
}

}  // namespace
}  // namespace cuvette
