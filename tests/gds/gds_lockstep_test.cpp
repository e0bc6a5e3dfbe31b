// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Vgds_rtl.h"
#include "ip/dut_gds.h"
#include "ip/gds/gds_rtl.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/pin_monitor.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/traffic/gds_traffic.h"
#include "ip/traffic/stalling_pins.h"
#include "test_vectors.h"
#include "wave/memory/share_access.h"

// rtl/gds on the generic lockstep kit: it agrees with the model, whatever the order between compute
// units that it chooses.
namespace cuvette {
namespace {

using ip::traffic::StallingPins;
using Traffic = ip::traffic::GdsTraffic;
using machine::Cycle;
using ::testing::HasSubstr;
using wave::SyncOp;

/// The RTL with assertions and random start values, its handshakes watched. `cleared`: its memory,
/// before the first message.
std::unique_ptr<ip::PinDevice> device(const gds::Config& config, uint64_t seed,
                                      bool cleared = true) {
  using Device = ip::VerilatedDevice<Vgds_rtl, ip::dut::GdsPorts<Vgds_rtl, ip::kGdsUnits>, false>;
  const uint32_t bytes = wave::gds_bytes(config.target);
  auto whole = std::make_unique<Device>(
      seed, ip::pin_channels(gds::kChannels, ip::kGdsUnits),
      [bytes](Vgds_rtl& pins) { pins.size_i = bytes; },
      cleared ? ip::gds_clearing_cycles(bytes) : 0);
  return std::make_unique<ip::PinMonitor>(
      ip::of_first_ports(std::move(whole), gds::kChannels, ip::kGdsUnits, config.compute_units),
      ip::pin_channels(gds::kChannels, config.compute_units), 0);
}

gds::Config machine_of(isa::Target target, unsigned units) {
  return {target, units, 64, 128};
}

ip::LockstepOptions exact() {
  ip::LockstepOptions options;
  options.timing.kind = machine::TimingRule::Kind::Exact;
  return options;
}

struct Outcome {
  std::vector<std::pair<unsigned, uint32_t>> answers;
  Traffic::Counts counts;
  std::optional<ip::BlockMismatch> mismatch;
  ip::ComparedItems items;
  Cycle end = 0;
  bool done = false;
};

Outcome run(std::unique_ptr<ip::PinDevice> made, const gds::Config& config, unsigned requests,
            uint32_t seed, const ip::LockstepOptions& options = {}) {
  ip::GdsSeat seat(std::move(made), config, options, {});
  Traffic traffic(seat, seed, requests, wave::gds_bytes(config.target) != 0);
  Outcome out;
  const auto driven = ip::traffic::drive(seat, traffic, 20'000);
  out.answers = traffic.answered();
  out.counts = traffic.counts();
  out.mismatch = seat.kit().mismatch();
  out.items = seat.kit().items();
  out.end = driven.end;
  out.done = driven.done;
  return out;
}

void expect_agreement(const Outcome& r, unsigned requests) {
  ASSERT_FALSE(r.mismatch) << r.mismatch->report;
  EXPECT_TRUE(r.done);
  EXPECT_EQ(r.answers.size(), requests);
  EXPECT_EQ(r.items.at("gds responses"), requests);
}

class GdsLockstep : public ::testing::Test {};

TEST_F(GdsLockstep, TheRtlAgrees) {
  const auto config = machine_of(isa::Target::Gfx908, 4);
  for (const uint64_t seed : {1, 77, 4711}) {
    if (seed != 1 && !test::whole()) continue;
    SCOPED_TRACE(seed);
    const Outcome r = run(device(config, seed), config, 1200, static_cast<uint32_t>(seed), exact());
    expect_agreement(r, 1200);
    EXPECT_GT(r.counts.accesses, 300u);
    EXPECT_GT(r.counts.syncs, 120u);
    EXPECT_GT(r.counts.counts, 90u);
    EXPECT_GT(r.counts.waited, 30u);
    EXPECT_GT(r.counts.withdrawals, 9u);
    EXPECT_GT(r.items.at("gds values"), 15'000u);
    EXPECT_EQ(r.items.at("gds times"), 2 * 1200u);
  }
}

TEST_F(GdsLockstep, ItAgreesWhenComputeUnitsAreNotReady) {
  const auto config = machine_of(isa::Target::Gfx900, 4);
  const auto pins = ip::pin_channels(gds::kChannels, config.compute_units);
  for (const uint64_t seed : {2, 78, 4712}) {
    if (seed != 2 && !test::whole()) continue;
    SCOPED_TRACE(seed);
    const auto number = static_cast<uint32_t>(seed);
    auto stalls = std::make_unique<StallingPins>(device(config, seed), pins, number);
    expect_agreement(run(std::move(stalls), config, 1000, number), 1000);
  }
}

/// A machine with one compute unit and every size of the memory; gfx90a has global wave sync alone.
TEST_F(GdsLockstep, ItAgreesForOneComputeUnitOfEachTarget) {
  for (const auto target : {isa::Target::Gfx900, isa::Target::Gfx906, isa::Target::Gfx908,
                            isa::Target::Gfx90a, isa::Target::Gfx942}) {
    const auto config = machine_of(target, 1);
    SCOPED_TRACE(isa::name_of(target));
    expect_agreement(run(device(config, 5), config, 800, 5), 800);
  }
}

TEST_F(GdsLockstep, TheBuildsOfTheMachineAreTheSame) {
  const auto config = machine_of(isa::Target::Gfx908, 3);
  const Outcome cell = run(device(config, 9), config, 600, 9),
                fast = run(ip::make_gds_fast(3, 4096), config, 600, 9),
                checked = run(ip::make_gds_check(3, 4096, 13), config, 600, 9);
  for (const Outcome* r : {&cell, &fast, &checked}) expect_agreement(*r, 600);
  EXPECT_EQ(fast.end, cell.end);
  EXPECT_EQ(checked.end, cell.end);
  EXPECT_EQ(fast.answers, cell.answers);
}

gds::Request load(uint32_t id, uint32_t address) {
  gds::Request r;
  r.id = id;
  r.bytes = 16;
  r.exec[0] = ~uint64_t{0};
  for (unsigned l = 0; l < wave::kLanes; ++l) r.offset[0][l] = address + 16 * l;
  return r;
}

gds::Request sync(uint32_t id, uint64_t wave, SyncOp op, uint32_t value = 0) {
  gds::Request r;
  r.id = id;
  r.wave = wave;
  r.dispatch = 1;
  r.sync = op;
  r.resource = 5;
  r.value = value;
  r.releases = true;
  r.kind = op == SyncOp::OrderedCount ? wave::MemoryKind::AtomicReturn : wave::MemoryKind::Atomic;
  return r;
}

/// Cycles and answers of one machine.
struct Bench {
  explicit Bench(isa::Target target = isa::Target::Gfx908, unsigned units = 4, bool cleared = true)
      : seat(device(machine_of(target, units), 3, cleared), machine_of(target, units), {}, {}) {}
  void send(unsigned unit, const gds::Request& r) {
    seat.compute_unit(unit).request.push(r, now + 1);
  }
  void wave(uint64_t id, bool ended) { seat.waves.push(spi::WaveOrder{id, 1, ended}, now + 1); }
  void run(unsigned cycles) {
    for (const Cycle end = now + cycles; now < end;) {
      seat.tick(++now);
      for (unsigned u = 0; u < seat.compute_units(); ++u) {
        gds::Port& port = seat.compute_unit(u);
        while (port.taken.front(now) != nullptr) taken.emplace_back(port.taken.pop(now).id, now);
        while (port.response.front(now) != nullptr) {
          answers.push_back(port.response.pop(now));
          answered.emplace_back(answers.back().id, now);
        }
      }
    }
    if (seat.kit().mismatch()) ADD_FAILURE() << seat.kit().mismatch()->report;
  }
  std::string order() const {
    std::string text;
    for (const auto& r : answers)
      text += std::to_string(r.id) + ":" + std::to_string(r.data[0][0]) + " ";
    return text;
  }
  ip::GdsSeat seat;
  Cycle now = 0;
  std::vector<gds::Response> answers;
  std::vector<std::pair<uint32_t, Cycle>> taken, answered;
};

/// Accesses wait until it is cleared.
TEST_F(GdsLockstep, TheMemoryIsZeroAfterReset) {
  Bench bench(isa::Target::Gfx900, 4, false);
  for (uint32_t n = 0; n < 64; ++n) bench.send(n % 4, load(n, 1024 * n));
  bench.run(3000);
  ASSERT_EQ(bench.answers.size(), 64u);
  for (const auto& r : bench.answers) {
    for (const auto& row : r.data) EXPECT_THAT(row, ::testing::Each(0u)) << r.id;
  }
}

/// docs/reference/gds.md, Timing.
TEST_F(GdsLockstep, TimesOfOneRequest) {
  Bench bench;
  const Cycle sent = bench.now + 1;  // the first beat is at the pins
  bench.send(2, sync(1, 1, SyncOp::SemaphoreV));
  bench.run(200);
  const Cycle again = bench.now + 1;
  bench.send(1, load(2, 0));
  bench.run(200);
  ASSERT_EQ(bench.taken.size(), 2u);
  ASSERT_EQ(bench.answered.size(), 2u);
  // Four beats, and a cycle in which the last one is held; what moves in a cycle is seen in the
  // next.
  EXPECT_EQ(bench.taken[0], std::pair(1u, sent + 5));
  EXPECT_EQ(bench.taken[1], std::pair(2u, again + 5));
  // 64 cycles to the first beat of the answer, three more to its last one.
  EXPECT_EQ(bench.answered[0], std::pair(1u, sent + 4 + 64 + 3 + 1));
  EXPECT_EQ(bench.answered[1], std::pair(2u, again + 4 + 1 + 64 + 3 + 1));
}

TEST_F(GdsLockstep, OtherTimesAreTold) {
  auto config = machine_of(isa::Target::Gfx908, 2);
  config.latency_cycles = 65;
  const Outcome r = run(device(config, 4), config, 50, 4, exact());
  ASSERT_TRUE(r.mismatch);
  EXPECT_EQ(r.mismatch->field, "time");
  EXPECT_THAT(r.mismatch->report, HasSubstr("response["));
  EXPECT_THAT(r.mismatch->report, HasSubstr(": id "));
  EXPECT_THAT(r.mismatch->report, HasSubstr(", expected nothing"));
}

TEST_F(GdsLockstep, ExactTimesAreThoseOfReadyReceivers) {
  const auto config = machine_of(isa::Target::Gfx908, 1);
  ip::GdsSeat seat(device(config, 4), config, exact(), {});
  constexpr unsigned kResponses = 2;  // among the pins of one compute unit
  ASSERT_EQ(seat.kit().pins()[kResponses].name, "response[0]");
  seat.kit().set_ready(kResponses, false);
  seat.compute_unit(0).request.push(load(1, 0), 1);
  seat.tick(1);
  ASSERT_TRUE(seat.kit().mismatch());
  EXPECT_EQ(seat.kit().mismatch()->field, "time");
  EXPECT_THAT(seat.kit().mismatch()->report, HasSubstr("its receiver is not ready"));
}

/// Values by hand: the answer of a count that waits for an earlier wave, and of waves that a
/// semaphore lets go.
TEST_F(GdsLockstep, WavesGoOnInTheirOrder) {
  Bench bench;
  bench.wave(10, false);
  bench.wave(11, false);
  bench.wave(12, false);
  bench.run(200);
  bench.send(0, sync(3, 12, SyncOp::OrderedCount, 4));  // waits for 10 and 11
  bench.send(1, sync(2, 11, SyncOp::OrderedCount, 3));  // for 10
  bench.send(2, sync(7, 20, SyncOp::SemaphoreP));
  bench.run(200);
  bench.send(3, sync(8, 21, SyncOp::SemaphoreP));
  bench.run(200);
  EXPECT_EQ(bench.order(), "");
  bench.send(0, sync(1, 10, SyncOp::OrderedCount, 2));
  bench.run(300);
  EXPECT_EQ(bench.order(), "1:0 2:2 3:5 ");
  bench.answers.clear();
  bench.send(0, sync(9, 22, SyncOp::SemaphoreV));
  bench.run(200);
  EXPECT_EQ(bench.order(), "9:0 7:0 ");
  bench.answers.clear();
  // A wave that waits for resource 5 does not hold one that asks for resource 6.
  gds::Request other = sync(10, 23, SyncOp::Init, 1);
  other.resource = 6;
  bench.send(1, other);
  bench.run(200);
  other = sync(11, 24, SyncOp::SemaphoreP);
  other.resource = 6;
  bench.send(2, other);
  bench.run(200);
  EXPECT_EQ(bench.order(), "10:0 11:0 ");
  bench.answers.clear();
  gds::Request gone = sync(99, 21, SyncOp::None);
  gone.withdraw = true;
  bench.send(3, gone);
  bench.run(200);
  EXPECT_EQ(bench.order(), "8:0 ");
  EXPECT_EQ(bench.taken.size(), 8u);  // all but the withdrawal
}

/// Waves whose begin nobody has asked for yet, an idle block, then two compute units at once.
TEST_F(GdsLockstep, RequestsBehindAnIdleTime) {
  Bench bench;
  for (uint64_t id = 1; id < 40; ++id) bench.wave(id, false);
  bench.run(6000);
  for (unsigned unit = 0; unit < 4; ++unit) bench.send(unit, load(0, 0));
  bench.run(1000);
  EXPECT_EQ(bench.answers.size(), 4u);
}

TEST(GdsRtl, TimesAreThoseOfItsParameters) {
  auto config = machine_of(isa::Target::Gfx908, 1);
  EXPECT_EQ(ip::refuse_gds_times(config), "");
  config.bytes_per_cycle = 64;
  EXPECT_EQ(ip::refuse_gds_times(config), "our RTL has gds.bytes_per_cycle 128, the machine 64");
  config.latency_cycles = 80;
  EXPECT_EQ(ip::refuse_gds_times(config), "our RTL has gds.latency_cycles 64, the machine 80");
}

TEST(GdsRtl, RefusesMoreComputeUnitsThanItHasPortsFor) {
  EXPECT_EQ(ip::refuse_gds_units(1), "");
  EXPECT_EQ(ip::refuse_gds_units(4), "");
  EXPECT_EQ(ip::refuse_gds_units(120),
            "our RTL has ports for 1 to 4 compute units, the machine has 120");
  gds::Registry registry;
  ip::register_gds(registry, {}, {});
  EXPECT_EQ(registry.make("lockstep", machine_of(isa::Target::Gfx908, 5)), nullptr);
  EXPECT_NE(registry.make("rtl-check", machine_of(isa::Target::Gfx908, 2)), nullptr);
}

}  // namespace
}  // namespace cuvette
