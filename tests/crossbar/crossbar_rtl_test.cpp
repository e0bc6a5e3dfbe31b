// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/crossbar/crossbar_rtl.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "Vcrossbar_rtl.h"
#include "crossbar_traffic.h"
#include "ip/dut_crossbar.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/traffic/stalling_pins.h"
#include "test_vectors.h"

// rtl/crossbar, with so little that everything fills, against our model, whose schedules
// crossbar_test computes by hand: data, order, and the time of every message.
namespace cuvette {
namespace {

using crossbar::Config;
using crossbar::testing::Outcome;
using crossbar::testing::run;

/// The parameters of the cell (ip/cells.cmake).
constexpr unsigned kSources = 5, kSlices = 4;

Config cell_config(unsigned slices = kSlices, unsigned sources = kSources) {
  return {sources, slices, 64, 3, 4};
}

std::vector<ip::PinChannel> pins_of(const Config& c) {
  return ip::pin_channels(crossbar::kChannels, {c.sources, c.slices});
}

std::unique_ptr<ip::PinDevice> watched(std::unique_ptr<ip::PinDevice> device, const Config& c,
                                       unsigned limit) {
  return std::make_unique<ip::PinMonitor>(std::move(device), pins_of(c), limit);
}

/// The first ports of the cell, with assertions and random start values, its handshakes watched.
std::unique_ptr<ip::PinDevice> cell(uint64_t seed, const Config& c = cell_config()) {
  using Ports = ip::dut::CrossbarPorts<Vcrossbar_rtl, kSources, kSlices>;
  using Device = ip::VerilatedDevice<Vcrossbar_rtl, Ports, false>;
  const auto all = pins_of(cell_config());
  auto device = std::make_unique<Device>(seed, all, [&c](Vcrossbar_rtl& model) {
    model.last_slice_i = static_cast<uint8_t>(c.slices - 1);
  });
  device->set_reset(true);  // straps, while `c` is there
  ip::reset(*device, all);
  return watched(std::make_unique<ip::FirstPorts>(std::move(device), all, pins_of(c)), c, 0);
}

unsigned requests(int usual) {
  return static_cast<unsigned>(test::vectors(usual));
}

void expect_agreement(const Outcome& r, unsigned requests) {
  ASSERT_FALSE(r.mismatch) << r.mismatch->report;
  EXPECT_EQ(r.wrong, "");
  EXPECT_EQ(r.answers, requests);
  EXPECT_GE(r.compared, 2 * requests);
}

TEST(CrossbarRtl, AgreesWithTheModelCycleByCycle) {
  for (const uint32_t seed : {1u, 77u, 4711u}) {
    SCOPED_TRACE(seed);
    const unsigned count = requests(20'000);
    const Outcome r = run(cell(seed), cell_config(), {count, seed});
    expect_agreement(r, count);
    EXPECT_GE(r.times, 2 * count) << "each message to a slice and to a source";
    EXPECT_GT(r.faults, count / 20);
    EXPECT_GT(r.broadcasts, count / 50);
    EXPECT_GT(r.stores, count / 100);
    for (const uint64_t given : r.by_slice) EXPECT_GT(given, count / 8);
  }
}

TEST(CrossbarRtl, AgreesWhenNobodyIsReady) {
  for (const uint32_t seed : {2u, 78u, 4712u, 4713u}) {
    SCOPED_TRACE(seed);
    const unsigned count = requests(10'000);
    auto stalls =
        std::make_unique<ip::traffic::StallingPins>(cell(seed), pins_of(cell_config()), seed, true);
    const Outcome r = run(std::move(stalls), cell_config(), {count, seed, false});
    expect_agreement(r, count);
    EXPECT_GT(r.broadcasts, count / 50);
  }
}

/// Requests one by one: the times of an unloaded crossbar.
TEST(CrossbarRtl, AgreesOneByOne) {
  const unsigned count = requests(3000);
  expect_agreement(run(cell(5), cell_config(), {count, 5, true, 1}), count);
}

TEST(CrossbarRtl, AgreesWithFewerSlicesAndSources) {
  for (const unsigned slices : {1u, 2u}) {
    const Config c = cell_config(slices, 3);
    const unsigned count = requests(6000);
    const Outcome r = run(cell(slices, c), c, {count, slices});
    expect_agreement(r, count);
    for (const uint64_t given : r.by_slice) EXPECT_GT(given, count / 8);
  }
}

TEST(CrossbarRtl, TheBuildsOfTheMachineAreTheSame) {
  for (const auto& [sources, slices] : {std::pair{4u, 1u}, {7u, 2u}, {13u, 4u}}) {
    SCOPED_TRACE(sources);
    Config c = ip::crossbar_build();
    c.sources = sources, c.slices = slices;
    ASSERT_EQ(ip::refuse_crossbar(c), "");
    const unsigned count = requests(4000);
    const Outcome fast = run(ip::make_crossbar_fast(c), c, {count, 9, true, 64});
    expect_agreement(fast, count);
    for (const uint64_t seed : {13u, 14u}) {
      c.seed = seed;
      auto device = watched(ip::make_crossbar_check(c), c, ip::ready_within(pins_of(c)));
      const Outcome check = run(std::move(device), c, {count, 9, true, 64});
      expect_agreement(check, count);
      EXPECT_EQ(check.end, fast.end);
    }
  }
}

TEST(CrossbarRtl, OtherMachinesAreRefused) {
  const auto refused = [](auto change) {
    Config c = ip::crossbar_build();
    change(c);
    return ip::refuse_crossbar(c);
  };
  EXPECT_EQ(refused([](Config& c) { c.sources = 14; }),
            "our RTL is built with sources up to 13, the machine has 14");
  EXPECT_EQ(refused([](Config& c) { c.slices = 8; }),
            "our RTL is built for 1, 2 or 4 slices, the machine has 8");
  EXPECT_EQ(refused([](Config& c) { c.interleave_bytes = 512; }),
            "our RTL is built with interleave_bytes 256, the machine has 512");
  EXPECT_EQ(refused([](Config& c) { c.latency_cycles = 17; }),
            "our RTL is built with crossbar_cycles 16, the machine has 17");
  EXPECT_EQ(refused([](Config& c) { c.depth = 128; }),
            "our RTL is built with places for misses 64, the machine has 128");
  EXPECT_EQ(refused([](Config& c) { c.slices = 1, c.interleave_bytes = 512; }), "");
}

}  // namespace
}  // namespace cuvette
