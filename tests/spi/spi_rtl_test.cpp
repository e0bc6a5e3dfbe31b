// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spi/spi_model.h"
#include "spi_rtl_fixture.h"
#include "test_vectors.h"

// rtl/spi alone, judged by the rules of the page (docs/reference/spi.md): every launch, order of
// starts, command and end, whatever it chooses.
namespace cuvette {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  std::vector<Traffic::Launched> launches;
  std::vector<spi::DispatchDone> done;
  unsigned cancelled = 0, killed = 0, resumed = 0;
  std::string wrong;  ///< rule of saves
  ip::traffic::Coverage coverage;
  spi::Spi::Counters counters;
  uint64_t compared = 0;
  std::optional<ip::BlockMismatch> mismatch;
  Cycle end = 0;
};

Outcome run(std::unique_ptr<ip::PinDevice> made, const Config& config,
            const Traffic::Options& options) {
  ip::SpiSeat seat(std::move(made), config, {}, {});
  Traffic traffic(seat, config, options);
  Outcome out;
  out.end = ip::traffic::drive(seat, traffic).end;
  out.launches = traffic.launches();
  out.done = traffic.done();
  out.cancelled = traffic.cancelled();
  out.killed = traffic.killed();
  out.resumed = traffic.resumed();
  out.wrong = traffic.wrong();
  out.coverage = traffic.coverage();
  out.counters = seat.counters();
  out.compared = seat.kit().compared();
  out.mismatch = seat.kit().mismatch();
  return out;
}

void expect_legal(const Outcome& r, unsigned dispatches) {
  ASSERT_FALSE(r.mismatch) << r.mismatch->report;
  EXPECT_EQ(r.wrong, "");
  EXPECT_EQ(r.done.size(), dispatches + r.resumed);
  EXPECT_GT(r.launches.size(), dispatches / 4);
  EXPECT_EQ(r.counters.waves, r.launches.size());
  EXPECT_GT(r.compared, 20 * r.launches.size());
}

class SpiRtl : public ::testing::TestWithParam<isa::Target> {};

INSTANTIATE_TEST_SUITE_P(Targets, SpiRtl, ::testing::ValuesIn(isa::kAllTargets),
                         [](const auto& target) {
                           return std::string(isa::name_of(target.param));
                         });

/// Number of dispatches, of some 30 waves each.
unsigned dispatches() {
  return static_cast<unsigned>(test::vectors(1000) / 32);
}

/// Alone, and as in machines of several compute units.
TEST_P(SpiRtl, IsLegalForRandomDispatches) {
  for (const unsigned units : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE(units);
    Traffic::Options o;
    o.seed = units + 10;
    o.dispatches = dispatches();
    const Config config = machine_of(GetParam(), units);
    const Outcome r = run(device(config, units), config, o);
    expect_legal(r, o.dispatches);
    EXPECT_GT(r.cancelled, o.dispatches / 20);
  }
}

/// Work-groups that fill registers or the LDS, in queues of several priorities, many at a time.
TEST_P(SpiRtl, IsLegalWhenComputeUnitsAreFull) {
  unsigned killed = 0;
  for (const uint32_t seed : {5u, 77u}) {
    SCOPED_TRACE(seed);
    Traffic::Options o;
    o.seed = seed;
    o.dispatches = 2 * dispatches();
    o.pause = 60;
    o.lasts = 900;
    o.huge = o.priorities = true;
    const Config config = machine_of(GetParam(), 4);
    const Outcome r = run(device(config, seed), config, o);
    expect_legal(r, o.dispatches);
    killed += r.killed;
  }
  EXPECT_GT(killed, 0u);
}

/// Messages on their way when a dispatch is given up may come late: nothing is given up here.
TEST_P(SpiRtl, IsLegalWhenNobodyIsReady) {
  for (const uint32_t seed : {3u, 79u, 4713u}) {
    SCOPED_TRACE(seed);
    Traffic::Options o;
    o.seed = seed;
    o.dispatches = dispatches();
    o.priorities = true;
    o.cancels = o.failures = false;
    const Config config = machine_of(GetParam(), 1 + seed % 4);
    const Outcome r = run(device(config, seed, seed), config, o);
    expect_legal(r, o.dispatches);
  }
}

/// Granules, sizes, engines and policies that no target of ours has together.
TEST(SpiRtlMachines, AreAllLegal) {
  std::mt19937 random(9);
  for (unsigned n = 0; n < 12; ++n) {
    SCOPED_TRACE(n);
    const auto below = [&random](uint32_t most) { return static_cast<uint32_t>(random() % most); };
    Config c = machine_of(isa::kAllTargets[below(5)], 1 + below(4));
    c.shader_engines = 1 + below(c.compute_units);
    c.simds = 1 + below(4);
    c.slots = 1 + below(10);
    if (c.vgpr_granule == 4 && below(2) == 0) c.vgpr_granule = 16;
    c.vgpr_rows = 64 + c.vgpr_granule * below(25);
    if (c.acc_rows != 0) c.acc_rows = c.vgpr_rows + c.vgpr_granule * below(4);
    c.sgprs_per_simd = 112 + 16 * below(44);
    c.lds_granule = 128u << below(4);
    c.lds_bytes = c.lds_granule * (20 + below(109));
    c.launch_cycles = 4 + below(9);
    c.placement = spi::placement_names()[n % 3];
    Traffic::Options o;
    o.seed = n + 100;
    o.dispatches = dispatches() / 2;
    o.priorities = below(2) == 0;
    const Outcome r = run(device(c, n), c, o);
    expect_legal(r, o.dispatches);
  }
}

TEST(SpiRtlByHand, PlacementsTakeTurns) {
  Config c = machine_of(isa::Target::Gfx908, 4);
  c.shader_engines = 2;  // tried in the order 0, 2, 1, 3
  const std::pair<const char*, std::vector<unsigned>> cases[] = {
      {"round_robin", {0, 0, 0, 2, 1, 3, 0, 2}},
      {"first_fit", {0, 0, 0, 0, 0, 0, 0, 0}},
      {"least_loaded", {0, 0, 0, 2, 1, 1, 1, 1}}};
  for (const auto& [name, expected] : cases) {
    SCOPED_TRACE(name);
    c.placement = name;
    Bench bench(c);
    bench.seat().dispatch.push(dispatch(1, 1, 192), bench.now());
    bench.run(200);
    for (uint32_t id = 2; id < 7; ++id) {
      bench.seat().dispatch.push(dispatch(id, 1), bench.now());
      bench.run(200);
      if (id != 2) bench.end(id + 1);  // the one that has just begun
      bench.run(100);
    }
    EXPECT_EQ(bench.units(), expected);
  }
}

/// Two dispatches wait for the only compute unit: the one of higher priority gets what is free.
TEST(SpiRtlByHand, PriorityGoesBeforeAge) {
  for (const bool swapped : {false, true}) {
    Config c = machine_of(isa::Target::Gfx908, 1);
    c.simds = 1, c.slots = 2;
    Bench bench(c);
    bench.seat().dispatch.push(dispatch(1, 2), bench.now());
    bench.run(200);
    ASSERT_EQ(bench.launches.size(), 2u);
    for (uint32_t id = 2; id < 4; ++id) {
      Dispatch d = dispatch(id, 2);
      d.queue_priority = (id == 3) != swapped ? 7 : 6;
      bench.seat().dispatch.push(d, bench.now());
      bench.run(200);
    }
    ASSERT_EQ(bench.launches.size(), 2u) << "it is full";
    for (size_t n = 0; n < 6; ++n) {
      bench.end(n);
      bench.run(100);
    }
    std::vector<uint32_t> order;
    for (const auto& launch : bench.launches) order.push_back(launch.wave.dispatch);
    EXPECT_EQ(order, swapped ? (std::vector<uint32_t>{1, 1, 2, 2, 3, 3})
                             : (std::vector<uint32_t>{1, 1, 3, 3, 2, 2}));
    EXPECT_EQ(bench.done.size(), 3u);
  }
}

/// Four dispatches are under way; a fifth comes when one is over.
TEST(SpiRtlByHand, FourDispatchesAreUnderWay) {
  Bench bench(machine_of(isa::Target::Gfx908, 1));
  for (uint32_t id = 1; id < 6; ++id) {
    bench.seat().dispatch.push(dispatch(id, 1), bench.now());
    bench.run(200);
  }
  ASSERT_EQ(bench.launches.size(), 4u);
  // A cancel is for one that is under way, or behind it.
  bench.seat().cancel.push({5}, bench.now());
  bench.seat().cancel.push({2}, bench.now());
  bench.run(200);
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.commands[0].dispatch, 2u);
  bench.end(1);
  bench.run(300);
  EXPECT_EQ(bench.launches.size(), 4u) << "the fifth was cancelled on its way";
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_EQ(bench.done[0].id, 2u);
  EXPECT_EQ(bench.done[1].id, 5u);
  EXPECT_FALSE(bench.done[1].error);
}

/// A dispatch without a place in scratch memory waits; places are those of the waves' numbers.
TEST(SpiRtlByHand, ScratchPlacesAreShared) {
  Bench bench(machine_of(isa::Target::Gfx908, 2));
  Dispatch d = dispatch(1, 3);
  d.private_bytes = 16;
  d.scratch_base = 0x10000;
  d.scratch_bytes_per_wave = 1024;
  d.scratch_waves = 5;
  bench.seat().dispatch.push(d, bench.now());
  bench.run(200);
  d.id = 2;
  bench.seat().dispatch.push(d, bench.now());
  bench.run(200);
  ASSERT_EQ(bench.launches.size(), 5u);
  std::vector<uint64_t> places;
  for (const auto& launch : bench.launches) {
    places.push_back((launch.wave.scratch_base - d.scratch_base) / 1024);
  }
  EXPECT_EQ(places, (std::vector<uint64_t>{0, 1, 2, 3, 4}));
  bench.end(1);
  bench.run(200);
  ASSERT_EQ(bench.launches.size(), 6u);
  EXPECT_EQ(bench.launches[5].wave.scratch_base, d.scratch_base + 1024);
}

/// A wave has the place of its own number while that is free, though a lower one is.
TEST(SpiRtlByHand, ScratchPlacesAreThoseOfTheNumbers) {
  Config c = machine_of(isa::Target::Gfx908, 1);
  c.simds = 1, c.slots = 2;
  Bench bench(c);
  Dispatch d = dispatch(1, 4);
  d.private_bytes = 16;
  d.scratch_bytes_per_wave = 1024;
  d.scratch_waves = 3;
  bench.seat().dispatch.push(d, bench.now());
  bench.run(200);
  for (size_t n = 0; n < 2; ++n) {
    bench.end(n);
    bench.run(200);
  }
  std::vector<uint64_t> places;
  for (const auto& launch : bench.launches) places.push_back(launch.wave.scratch_base / 1024);
  EXPECT_EQ(places, (std::vector<uint64_t>{0, 1, 2, 0})) << "there is no place 3";
}

/// Waves go to the SIMD with the fewest, there to the lowest slot and the first range that is free.
TEST(SpiRtlByHand, WavesGoToTheEmptiestSimd) {
  Config c = machine_of(isa::Target::Gfx908, 1);
  c.simds = 2;
  Bench bench(c);
  Dispatch d = dispatch(1, 6);
  d.group_bytes = 600;
  bench.seat().dispatch.push(d, bench.now());
  bench.run(200);
  bench.end(2);
  bench.run(100);
  d.id = 2;
  d.grid = {128, 1, 1};
  bench.seat().dispatch.push(d, bench.now());
  bench.run(200);
  std::vector<std::array<uint32_t, 4>> places;
  for (const auto& launch : bench.launches) {
    const spi::WaveLaunch& w = launch.wave;
    places.push_back({w.simd, w.slot, w.vgpr_base, w.lds_base});
  }
  EXPECT_EQ(places, (std::vector<std::array<uint32_t, 4>>{{0, 0, 0, 0},
                                                          {1, 0, 0, 1024},
                                                          {0, 1, 16, 2048},
                                                          {1, 1, 16, 3072},
                                                          {0, 2, 32, 4096},
                                                          {1, 2, 32, 5120},
                                                          {0, 1, 16, 2048},
                                                          {0, 3, 48, 6144}}));
}

/// From the cycle in which a dispatch is taken: 50 to work it out, one to choose a compute unit, a
/// cycle for each wave of a work-group, and the time of a launch. A wave that ends makes room one
/// cycle later. The bench sees what the pins give a cycle later.
TEST(SpiRtlTimes, OfADispatchByHand) {
  for (const uint32_t launch_cycles : {4u, 9u}) {
    Config c = machine_of(isa::Target::Gfx908, 4);
    c.launch_cycles = launch_cycles;
    Bench bench(c);
    bench.run(100);
    const Cycle start = bench.now();
    bench.seat().dispatch.push(dispatch(1, 5), start);
    bench.run(200);
    ASSERT_EQ(bench.launches.size(), 5u);
    const Cycle first = start + 51 + launch_cycles + 1;
    for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(bench.launches[n].at, first + n);
    EXPECT_EQ(bench.launches[4].at, first + launch_cycles) << "the first compute unit again";
    const Cycle second = bench.now();
    bench.seat().dispatch.push(dispatch(2, 1, 192), second);
    bench.run(200);
    ASSERT_EQ(bench.launches.size(), 8u);
    for (unsigned n = 0; n < 3; ++n) {
      EXPECT_EQ(bench.launches[5 + n].at, second + 51 + 2 + (n + 1) * launch_cycles + 1);
    }
    for (unsigned n = 0; n < 5; ++n) bench.end(n);
    const Cycle ends = bench.now();
    bench.run(100);
    ASSERT_EQ(bench.done.size(), 1u);
    // One end in a cycle.
    EXPECT_EQ(bench.ended.at(0), ends + 4 + 3);
  }
}

/// Each wave that starts on full compute units needs the end of another one, and the gds is told of
/// one of them a cycle: a wave every two cycles.
TEST(SpiRtlTimes, OfFullComputeUnits) {
  Config c = machine_of(isa::Target::Gfx908, 4);
  c.simds = 1;
  Bench bench(c);
  Dispatch d = dispatch(1, 100'000);
  bench.seat().dispatch.push(d, bench.now());
  size_t ended = 0, before = 0;
  for (unsigned n = 0; n < 1400; ++n) {
    bench.run(1);
    while (ended < bench.launches.size() && bench.launches[ended].at + 12 < bench.now()) {
      bench.end(ended++);
    }
    if (n == 399) before = bench.launches.size();
  }
  EXPECT_NEAR(static_cast<double>(bench.launches.size() - before), 500, 20);
}

/// A command to end waves comes behind a launch that is held up.
TEST(SpiRtlByHand, ACancelComesBehindTheLaunch) {
  Config c = machine_of(isa::Target::Gfx908, 1);
  c.launch_cycles = 30;
  Bench bench(c);
  bench.seat().dispatch.push(dispatch(1, 3, 192), bench.now());
  bench.run(100);
  ASSERT_EQ(bench.launches.size(), 1u);
  bench.seat().cancel.push({1}, bench.now());
  bench.run(30);
  EXPECT_TRUE(bench.commands.empty());
  bench.run(200);
  ASSERT_EQ(bench.launches.size(), 3u) << "the work-group that had been placed, and no other";
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_GT(bench.told.at(0), bench.launches[2].at);
}

/// Times of a wave launcher: of every launch and every end, and who had them.
struct Times {
  std::vector<std::tuple<Cycle, unsigned, uint64_t, unsigned, unsigned>> launches;
  std::vector<std::pair<Cycle, uint32_t>> done;
};

/// Two dispatches at a time, then the ends of waves one by one, so that nothing waits for a
/// channel. All comes at fixed times, which a difference of a cycle does not move.
Times times_of(spi::Spi& block, const Config& config, uint32_t seed, uint32_t dispatches) {
  constexpr Cycle kPeriod = 256;
  std::mt19937 random(seed);
  const auto below = [&random](uint32_t most) { return static_cast<uint32_t>(random() % most); };
  Times times;
  std::deque<std::pair<unsigned, spi::WaveLaunch>> live;
  uint32_t started = 0;
  // The next cycle in which anything happens.
  const auto behind = [&](Cycle now) {
    Cycle next = std::min((now / kPeriod + 1) * kPeriod, block.next_event());
    next = std::min(next, block.dispatch_done.next_event());
    for (unsigned u = 0; u < config.compute_units; ++u) {
      next = std::min(next, block.compute_unit(u).launch.next_event());
    }
    return std::max(now + 1, next);
  };
  Cycle now = 1;
  for (; times.done.size() < dispatches && now < 400'000; now = behind(now)) {
    block.tick(now);
    for (unsigned u = 0; u < config.compute_units; ++u) {
      auto& port = block.compute_unit(u);
      while (port.launch.front(now) != nullptr) {
        const spi::WaveLaunch w = port.launch.pop(now);
        times.launches.emplace_back(now, u, w.id, w.simd, w.slot);
        live.emplace_back(u, w);
      }
    }
    while (block.dispatch_done.front(now) != nullptr) {
      times.done.emplace_back(now, block.dispatch_done.pop(now).id);
    }
    while (block.wave_order.front(now) != nullptr) block.wave_order.drop(now);
    if (now % kPeriod != 0) continue;
    if (started < dispatches && started < times.done.size() + 2) {
      for (unsigned n = 0; n < 2; ++n) {
        Dispatch d = dispatch(++started, 1 + below(20), static_cast<uint16_t>(1 + below(400)));
        d.rsrc1 = below(30) | below(14) << 6;
        d.group_bytes = below(3) == 0 ? below(30'000) : 0;
        d.queue_priority = static_cast<uint8_t>(below(2));
        block.dispatch.push(d, now);
      }
    } else if (!live.empty()) {
      const auto [unit, w] = live.front();
      live.pop_front();
      spi::WaveDone over;
      over.id = w.id, over.simd = w.simd, over.slot = w.slot;
      over.dispatch = w.dispatch, over.workgroup = w.workgroup;
      block.compute_unit(unit).done.push(over, now);
    }
  }
  return times;
}

/// The model states the schedule of the RTL: every wave comes in the same cycle, but for what the
/// pins take, on the same compute unit, SIMD and slot; every dispatch ends in the same cycle.
TEST(SpiRtlTimes, AreThoseOfTheModel) {
  constexpr Cycle kPins = 1, kAnswerPins = 2;
  const uint32_t dispatches = test::whole() ? 8 : 2;
  for (const isa::Target target : {isa::Target::Gfx908, isa::Target::Gfx942}) {
    for (const unsigned units : {1u, 2u, 4u}) {
      if (target != isa::Target::Gfx908 && units != 4) continue;
      for (const std::string& placement : spi::placement_names()) {
        // With a single compute unit there is one place.
        if (units == 1 && placement != spi::placement_names()[0]) continue;
        SCOPED_TRACE(std::string(isa::name_of(target)) + ", " + std::to_string(units) +
                     " compute units, " + placement);
        Config c = machine_of(target, units);
        c.setup_cycles = 51;
        c.allocation_cycles = 1;
        c.launch_cycles = units == 2 ? 7 : 4;
        c.placement = placement;
        spi::SpiModel model(c);
        ip::SpiSeat seat(device(c, 1), c, {}, {});
        const Times expected = times_of(model, c, units, dispatches);
        const Times actual = times_of(seat, c, units, dispatches);
        ASSERT_FALSE(seat.kit().mismatch()) << seat.kit().mismatch()->report;
        ASSERT_GT(expected.launches.size(), 12 * dispatches);
        ASSERT_EQ(actual.launches.size(), expected.launches.size());
        for (size_t n = 0; n < expected.launches.size(); ++n) {
          auto launch = expected.launches[n];
          std::get<0>(launch) += kPins;
          ASSERT_EQ(actual.launches[n], launch) << "launch " << n;
        }
        ASSERT_EQ(actual.done.size(), dispatches);
        for (size_t n = 0; n < dispatches; ++n) {
          EXPECT_EQ(actual.done[n].second, expected.done[n].second);
          EXPECT_EQ(actual.done[n].first, expected.done[n].first + kAnswerPins) << "end " << n;
        }
      }
    }
  }
}

TEST(SpiRtlMachines, OthersAreRefused) {
  const Config good = machine_of(isa::Target::Gfx908, 4);
  EXPECT_EQ(ip::refuse_spi(good), "");
  Config c = good;
  c.compute_units = 5;
  EXPECT_EQ(ip::refuse_spi(c), "our RTL is for 1 to 4 compute units, the machine has 5");
  c = good, c.slots = 11;
  EXPECT_THAT(ip::refuse_spi(c), HasSubstr("1 to 10 waves per SIMD, the machine has 11"));
  c = good, c.launch_cycles = 3;
  EXPECT_THAT(ip::refuse_spi(c), HasSubstr("launch_cycles, the machine has 3"));
  c = good, c.vgpr_granule = 12;
  EXPECT_THAT(ip::refuse_spi(c), HasSubstr("powers of two below 65536, the machine has 12"));
  c = good, c.lds_bytes = 1 << 17;
  EXPECT_THAT(ip::refuse_spi(c), HasSubstr("1 to 128 granules of the LDS, the machine has 256"));
}

}  // namespace
}  // namespace cuvette
