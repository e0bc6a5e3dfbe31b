// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "spi/spi_model.h"
#include "spi_rtl_saves.h"

// Times of dispatches that are saved and go on.
namespace cuvette {
namespace {

using spi::Save;
using spi::SavedGroup;
using spi::WaveAction;
using spi::WaveCommand;
using spi::WaveLaunch;

/// Everything that crosses the pins of a wave launcher, with its cycle.
struct Trace {
  std::vector<std::tuple<Cycle, unsigned, uint64_t, unsigned, unsigned, uint64_t>> launches;
  std::vector<std::tuple<Cycle, unsigned, WaveAction, uint64_t>> commands;
  std::vector<std::tuple<Cycle, uint32_t, uint32_t, uint16_t>> saved;
  std::vector<std::tuple<Cycle, uint32_t, bool, uint64_t, bool>> done;
};

/// Two dispatches share the machine; the first is saved and goes on, again and again, at times that
/// are drawn, until it is over. Ends of waves come one by one, when nothing is launched and no room
/// is looked for.
Trace trace_of(spi::Spi& block, const Config& config, uint32_t seed, unsigned saves) {
  constexpr Cycle kPeriod = 256;
  std::mt19937 random(seed);
  const auto below = [&random](uint32_t most) { return static_cast<uint32_t>(random() % most); };
  Trace trace;
  std::deque<std::pair<unsigned, WaveLaunch>> live;
  std::vector<SavedGroup> groups;
  Dispatch d = two_waves(1, 7 + below(9));
  d.grid[0] -= below(128);
  uint32_t next_id = 2;
  Cycle ask = kPeriod * (2 + below(3)) + 5 + below(20), resume = 0, launched = 0;
  bool asked = false, over = false;
  size_t before = 0;  // commands that came before the request
  for (Cycle now = 1; now < 120'000 && (trace.done.size() < 2 || !over); ++now) {
    if (now == 2) {
      block.dispatch.push(d, now);
      Dispatch other = two_waves(100, 3);
      other.tba = 0;
      block.dispatch.push(other, now);
    }
    if (now == ask && saves != 0) {
      --saves;
      asked = true;
      before = trace.commands.size();
      block.save.push({d.id, kArea, 0, below(8) == 0 ? 1u << 14 : 1u << 20, 100}, now);
    }
    if (resume != 0 && now == resume) {
      for (const SavedGroup& g : groups) block.restore.push(g, now);
    }
    if (resume != 0 && now == resume + 100) {
      block.dispatch.push(d, now);
      ask = (now / kPeriod + 1 + below(6)) * kPeriod + 5 + below(20);
      resume = 0;
      groups.clear();
    }
    block.tick(now);
    for (unsigned u = 0; u < config.compute_units; ++u) {
      auto& port = block.compute_unit(u);
      while (port.launch.front(now) != nullptr) {
        const WaveLaunch w = port.launch.pop(now);
        trace.launches.emplace_back(now, u, w.id, w.simd, w.slot, w.exec);
        live.emplace_back(u, w);
        launched = now;
      }
      while (port.command.front(now) != nullptr) {
        const WaveCommand c = port.command.pop(now);
        trace.commands.emplace_back(now, u, c.action, c.room);
      }
    }
    while (block.saved.front(now) != nullptr) {
      const SavedGroup g = block.saved.pop(now);
      trace.saved.emplace_back(now, g.dispatch, g.group, g.waves);
      groups.push_back(g);
    }
    while (block.dispatch_done.front(now) != nullptr) {
      const spi::DispatchDone done = block.dispatch_done.pop(now);
      trace.done.emplace_back(now, done.id, done.saved, done.next_group, done.error);
      if (done.id == 100) continue;
      asked = false;
      over = !done.saved;
      if (over) continue;
      d.id = next_id++;
      d.next_group = done.next_group;
      std::sort(groups.begin(), groups.end(),
                [](const SavedGroup& a, const SavedGroup& b) { return a.group < b.group; });
      for (SavedGroup& g : groups) g.dispatch = d.id;
      resume = (now / kPeriod + 2) * kPeriod + 3;
    }
    while (block.wave_order.front(now) != nullptr) block.wave_order.drop(now);
    if (now % kPeriod != 0 || live.empty() || now < launched + 120) continue;
    const auto [unit, w] = live.front();
    live.pop_front();
    spi::WaveDone end;
    end.id = w.id, end.simd = w.simd, end.slot = w.slot;
    end.dispatch = w.dispatch, end.workgroup = w.workgroup;
    const auto since = trace.commands.begin() + static_cast<ptrdiff_t>(before);
    const bool told = std::any_of(since, trace.commands.end(),
                                  [&, u = unit](const auto& c) { return std::get<1>(c) == u; });
    end.saved = asked && told && w.dispatch == d.id;
    end.first = end.saved;
    block.compute_unit(unit).done.push(end, now);
  }
  return trace;
}

/// The model states the schedule of the RTL, of saves and what goes on as well.
TEST(SpiRtlTimes, OfSavesAreThoseOfTheModel) {
  constexpr Cycle kPins = 1, kAnswerPins = 2;
  size_t commands = 0, saved = 0, resumed = 0;
  for (uint32_t seed = 1; seed < 13; ++seed) {
    SCOPED_TRACE(seed);
    Config c = two_groups_each(1 + seed % 4);
    c.setup_cycles = 51;
    c.allocation_cycles = 1;
    c.restore_cycles = 75;
    c.save_cycles = 42;
    c.launch_cycles = seed % 3 == 0 ? 9 : 4;
    c.placement = spi::placement_names()[seed % 3];
    spi::SpiModel model(c);
    ip::SpiSeat seat(device(c, 1), c, {}, {});
    const Trace expected = trace_of(model, c, seed, 3);
    const Trace actual = trace_of(seat, c, seed, 3);
    ASSERT_FALSE(seat.kit().mismatch()) << seat.kit().mismatch()->report;
    commands += expected.commands.size();
    saved += expected.saved.size();
    resumed += expected.done.size() - 2;
    const auto expect = [](const char* what, const auto& ours, const auto& theirs, Cycle pins) {
      for (size_t n = 0; n < ours.size() && n < theirs.size(); ++n) {
        auto want = ours[n];
        std::get<0>(want) += pins;
        ASSERT_EQ(theirs[n], want) << what << " " << n;
      }
      ASSERT_EQ(theirs.size(), ours.size()) << what;
    };
    expect("launch", expected.launches, actual.launches, kPins);
    expect("command", expected.commands, actual.commands, kPins);
    expect("saved", expected.saved, actual.saved, kPins);
    expect("end", expected.done, actual.done, kAnswerPins);
  }
  EXPECT_GT(commands, 40u);
  EXPECT_GT(saved, 40u);
  EXPECT_GT(resumed, 12u);
}

}  // namespace
}  // namespace cuvette
