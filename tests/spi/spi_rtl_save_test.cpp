// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hsa/queue_error.h"
#include "spi/spi_model.h"
#include "spi_rtl_saves.h"

// Dispatches that rtl/spi saves and that go on (docs/reference/spi.md, "Waves that are saved").
namespace cuvette {
namespace {

using spi::Save;
using spi::SavedGroup;
using spi::WaveAction;
using spi::WaveCommand;
using spi::WaveLaunch;

std::vector<uint64_t> rooms(const std::vector<WaveCommand>& commands) {
  std::vector<uint64_t> all;
  for (const WaveCommand& c : commands) all.push_back((c.room - kArea) / 4096);
  std::sort(all.begin(), all.end());
  return all;
}

/// Number of the launch of a wave.
size_t launch_of(const Bench& bench, uint64_t group, unsigned wave, uint32_t dispatch = 3) {
  const auto found =
      std::find_if(bench.launches.begin(), bench.launches.end(), [&](const auto& launch) {
        const WaveLaunch& w = launch.wave;
        return w.dispatch == dispatch && (w.id >> 4 & 0xf'ffff'ffff) == group &&
               w.wave_in_group == wave;
      });
  EXPECT_NE(found, bench.launches.end()) << "wave " << wave << " of work-group " << group;
  return static_cast<size_t>(found - bench.launches.begin());
}

TEST(SpiRtlSaves, WavesAreToldAndTheRestIsKept) {
  Bench bench(two_groups_each(2));
  bench.seat().dispatch.push(two_waves(3, 7), bench.now());
  bench.run(200);
  ASSERT_EQ(bench.launches.size(), 8u);
  bench.end(launch_of(bench, 0, 0));  // one of two waves has come to its end
  bench.run(20);
  bench.seat().save.push(save(3, 100), bench.now());
  bench.run(200);
  ASSERT_EQ(bench.commands.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const WaveCommand& c = bench.commands[i];
    EXPECT_EQ(c.action, WaveAction::Save);
    EXPECT_EQ(c.wave_bytes, kWaveBytes);
    for (size_t k = 0; k < i; ++k) {
      EXPECT_TRUE(c.workgroup != bench.commands[k].workgroup ||
                  bench.told_units[i] != bench.told_units[k]);
    }
  }
  EXPECT_EQ(rooms(bench.commands), (std::vector<uint64_t>{0, kPages, 2 * kPages, 3 * kPages}));
  EXPECT_EQ(bench.launches.size(), 8u) << "nothing starts";
  bench.end(launch_of(bench, 0, 1), true, true);  // what is left of it is its first one
  bench.run(20);
  ASSERT_EQ(bench.saved.size(), 1u);
  EXPECT_EQ(bench.saved[0].group, 0u);
  EXPECT_EQ(bench.saved[0].waves, 2u);
  bench.end(launch_of(bench, 1, 0), true, true);
  bench.run(20);
  EXPECT_EQ(bench.saved.size(), 1u);
  bench.end(launch_of(bench, 1, 1));  // came to its end before it was told
  bench.run(20);
  for (const uint64_t group : {2u, 3u}) {
    bench.end(launch_of(bench, group, 1), true);
    bench.end(launch_of(bench, group, 0), true, true);
    bench.run(20);
  }
  bench.run(100);
  ASSERT_EQ(bench.saved.size(), 4u);
  EXPECT_EQ(bench.saved[1].waves, 1u);
  EXPECT_EQ(bench.saved[2].waves, 3u);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_FALSE(bench.done[0].error);
  EXPECT_TRUE(bench.done[0].saved);
  EXPECT_EQ(bench.done[0].next_group, 4u);
  EXPECT_EQ(bench.done[0].save_end, 4u * kPages * 4096);
}

/// Waves that were saved start in their handlers, with their rooms; the others behind them. Saved
/// again, a work-group keeps its room, and the others get what is free, from the start on.
TEST(SpiRtlSaves, SavedWavesStartInTheirHandlersFirst) {
  for (const unsigned units : {2u, 3u}) {
    SCOPED_TRACE(units);
    Bench bench(two_groups_each(units));
    for (const SavedGroup& g : {SavedGroup{3, 2, 0, 2}, SavedGroup{3, 5, 12, 3}}) {
      bench.seat().restore.push(g, bench.now());
    }
    Dispatch d = two_waves(3, 9);
    d.next_group = 7;
    bench.seat().dispatch.push(d, bench.now());
    bench.run(600);
    ASSERT_EQ(bench.launches.size(), 7u);
    const auto w = [&bench](size_t i) -> const WaveLaunch& { return bench.launches[i].wave; };
    const uint64_t room = kArea + 12 * 4096;
    EXPECT_EQ(w(0).workgroup_id[0], 2u);
    EXPECT_EQ(w(0).wave_in_group, 1u);
    EXPECT_EQ(w(0).exec, kArea | uint64_t{1} << 58) << "the only one that is left is the first";
    EXPECT_EQ(w(0).waves_in_group, 1u);
    EXPECT_EQ(w(1).workgroup_id[0], 5u);
    EXPECT_EQ(w(1).exec, room | uint64_t{1} << 58);
    EXPECT_EQ(w(2).exec, room + 512 + kWaveBytes);
    EXPECT_EQ(w(2).waves_in_group, 2u);
    for (size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(w(i).pc, i < 3 ? kHandler + 4 : 0x9000u) << i;
      EXPECT_EQ((w(i).status >> 5 & 1) != 0, i < 3) << i;
    }
    EXPECT_EQ(w(3).workgroup_id[0], 7u) << "then those that have not started";
    EXPECT_LT(launch_of(bench, 8, 0), 7u);
    bench.seat().save.push(save(3, 100), bench.now());
    bench.run(400);
    EXPECT_EQ(rooms(bench.commands), (std::vector<uint64_t>{0, 5, 12, 17}));
    for (size_t n = 0; n < 7; ++n) {
      bench.end(n, true, w(n).wave_in_group == 0 || w(n).workgroup_id[0] == 2);
    }
    bench.run(100);
    ASSERT_EQ(bench.done.size(), 1u);
    EXPECT_TRUE(bench.done[0].saved);
    EXPECT_EQ(bench.done[0].next_group, 9u);
    EXPECT_EQ(bench.done[0].save_end, 22u * 4096);
    EXPECT_EQ(bench.saved.size(), 4u);
  }
}

/// In a grid of three dimensions with edges, whatever the number: coordinates, work-items at the
/// edges, scratch memory.
TEST(SpiRtlSaves, WorkGroupsAreFoundByTheirNumbers) {
  Bench bench(machine_of(isa::Target::Gfx906, 4));
  Dispatch d = dispatch(3, 1);
  d.grid = {5 * 100 - 7, 3 * 2 - 1, 1000};
  d.workgroup = {100, 2, 1};
  d.start = {1, 0, 2};
  d.tba = kHandler;
  d.save_area = kArea;
  d.private_bytes = 16;
  d.scratch_bytes_per_wave = 1024;
  // 4 times 3 times 998 work-groups run.
  const uint32_t numbers[] = {0, 3, 4, 11, 12, 4 * 3 * 517 + 4 * 2 + 3, 4 * 3 * 998 - 1};
  for (const uint32_t n : numbers) bench.seat().restore.push({3, n, 0, 1}, bench.now());
  d.next_group = 4 * 3 * 998;
  bench.seat().dispatch.push(d, bench.now());
  bench.run(1000);
  ASSERT_EQ(bench.launches.size(), 7u);
  using Id = std::array<uint32_t, 3>;
  const Id ids[] = {{1, 0, 2}, {4, 0, 2},   {1, 1, 2},  {4, 2, 2},
                    {1, 0, 3}, {4, 2, 519}, {4, 2, 999}};
  for (size_t n = 0; n < 7; ++n) {
    EXPECT_EQ(bench.launches[n].wave.workgroup_id, ids[n]) << n;
    EXPECT_EQ(bench.launches[n].wave.scratch_base, uint64_t{numbers[n]} * 4 * 1024) << n;
  }
}

/// Waves that were over take the time of their lanes, and no room.
TEST(SpiRtlSaves, OnlyWavesThatWereNotOverStart) {
  Config c = machine_of(isa::Target::Gfx908, 1);
  c.simds = 1, c.slots = 3;  // one more than there are waves
  Bench bench(c);
  Dispatch d = dispatch(3, 2, 1024);
  d.rsrc2 = 1u << 11;  // y of work-items
  d.workgroup = {32, 32, 1};
  d.grid = {64, 32, 1};
  d.tba = kHandler;
  d.next_group = 2;
  bench.seat().restore.push({3, 1, 0, 1 << 2 | 1 << 15}, bench.now());
  bench.seat().dispatch.push(d, bench.now());
  bench.run(400);
  ASSERT_EQ(bench.launches.size(), 2u);
  for (const auto& [n, wave] : {std::pair(0u, 2u), std::pair(1u, 15u)}) {
    const WaveLaunch& w = bench.launches[n].wave;
    EXPECT_EQ(w.wave_in_group, wave);
    EXPECT_EQ(w.waves_in_group, 2u);
    EXPECT_EQ(w.vgpr[1][0], 2 * wave);
    EXPECT_EQ(w.vgpr[1][63], 2 * wave + 1);
  }
  EXPECT_EQ(bench.launches[1].at - bench.launches[0].at, 4u * 13);
  bench.end(0);
  bench.end(1);
  bench.run(50);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_FALSE(bench.done[0].error);
}

TEST(SpiRtlSaves, WhatHasNotComeBackYetStaysSaved) {
  Config c = two_groups_each(1);
  c.lds_bytes = 512;  // one work-group at a time
  Bench bench(c);
  for (const SavedGroup& g :
       {SavedGroup{3, 0, 0, 3}, SavedGroup{3, 1, 7, 3}, SavedGroup{3, 2, 20, 1}}) {
    bench.seat().restore.push(g, bench.now());
  }
  Dispatch d = two_waves(3, 5);
  d.next_group = 4;
  bench.seat().dispatch.push(d, bench.now());
  bench.run(400);
  ASSERT_EQ(bench.launches.size(), 2u);
  bench.seat().save.push(save(3, 100), bench.now());
  bench.run(200);
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_EQ(bench.commands[0].room, kArea);
  bench.end(0, true, true);
  bench.end(1, true);
  bench.run(100);
  ASSERT_EQ(bench.saved.size(), 3u);
  EXPECT_EQ(bench.saved[1].group, 1u);
  EXPECT_EQ(bench.saved[1].place, 7u);
  EXPECT_EQ(bench.saved[1].waves, 3u);
  EXPECT_EQ(bench.saved[2].group, 2u);
  EXPECT_EQ(bench.saved[2].waves, 1u);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_TRUE(bench.done[0].saved);
  EXPECT_EQ(bench.done[0].next_group, 4u);
  EXPECT_EQ(bench.done[0].save_end, (20u + kPages) * 4096);
}

/// Rooms of work-groups that live, and of those that are to go on, are not given away within an
/// address space: the first gaps that are wide enough are.
TEST(SpiRtlSaves, RoomsLieBetweenThoseOfOthers) {
  Config c = two_groups_each(2);
  Bench bench(c);
  // Four work-groups of another dispatch: the last two wait for room.
  const uint16_t places[] = {3, 8, 19, 30};
  for (uint32_t n = 0; n < 4; ++n) {
    bench.seat().restore.push({1, n, places[n], 3}, bench.now());
  }
  Dispatch other = two_waves(1, 4);
  other.next_group = 4;
  other.cu_mask = {1, 0, 0, 0, 0, 0, 0, 0};
  bench.seat().dispatch.push(other, bench.now());
  bench.run(600);
  ASSERT_EQ(bench.launches.size(), 4u);
  Dispatch d = two_waves(2, 2);
  d.cu_mask = {2, 0, 0, 0, 0, 0, 0, 0};
  bench.seat().dispatch.push(d, bench.now());
  bench.run(200);
  ASSERT_EQ(bench.launches.size(), 8u);
  bench.seat().save.push(save(2, 33), bench.now());  // ends in the middle of the last one
  bench.run(400);
  // 0 to 2 are too few pages, and so are 24 to 29 for a second one.
  EXPECT_EQ(rooms(bench.commands), (std::vector<uint64_t>{13, 24}));
  EXPECT_EQ(bench.launches.size(), 8u);
}

TEST(SpiRtlSaves, OtherAddressSpacesHaveRoomsOfTheirOwn) {
  Bench bench(two_groups_each(2));
  bench.seat().restore.push({1, 0, 0, 3}, bench.now());
  Dispatch other = two_waves(1, 1);
  other.next_group = 1;
  other.vmid = 5;
  bench.seat().dispatch.push(other, bench.now());
  bench.run(300);
  bench.seat().dispatch.push(two_waves(2, 1), bench.now());
  bench.run(200);
  ASSERT_EQ(bench.launches.size(), 4u);
  bench.seat().save.push(save(2, kPages), bench.now());
  bench.run(300);
  EXPECT_EQ(rooms(bench.commands), (std::vector<uint64_t>{0}));
}

TEST(SpiRtlSaves, WithoutRoomOrHandlerEverythingGoesOn) {
  Bench bench(two_groups_each(2));
  bench.seat().dispatch.push(two_waves(3, 6), bench.now());
  bench.run(200);
  ASSERT_EQ(bench.launches.size(), 8u);
  bench.seat().save.push(save(3, 4 * kPages - 1), bench.now());
  bench.run(200);
  bench.seat().save.push(save(3, 100, 3), bench.now());  // work-groups that there may be
  bench.run(200);
  bench.seat().save.push(save(77, 100), bench.now());  // comes with its dispatch
  bench.run(200);
  EXPECT_TRUE(bench.commands.empty());
  bench.end(launch_of(bench, 0, 0));
  bench.end(launch_of(bench, 0, 1));
  bench.run(100);
  EXPECT_EQ(bench.launches.size(), 10u) << "the next work-group started";
  // A dispatch without a handler, which waits behind it.
  Dispatch d = two_waves(4, 2);
  d.tba = 0;
  bench.seat().dispatch.push(d, bench.now());
  bench.run(200);
  bench.seat().save.push(save(4, 100), bench.now());
  bench.run(200);
  const std::pair<size_t, size_t> over(launch_of(bench, 0, 0), launch_of(bench, 0, 1));
  for (size_t n = 0; n < bench.launches.size(); ++n) {
    if (n != over.first && n != over.second) bench.end(n);
    bench.run(50);
  }
  EXPECT_TRUE(bench.commands.empty());
  EXPECT_EQ(bench.launches.size(), 16u);
  ASSERT_EQ(bench.done.size(), 2u);
  EXPECT_FALSE(bench.done[0].saved);
  EXPECT_FALSE(bench.done[1].saved);
  EXPECT_TRUE(bench.saved.empty());
}

/// The limit of work-groups counts those that are to go on.
TEST(SpiRtlSaves, WorkGroupsAreCounted) {
  for (const uint32_t most : {2u, 3u}) {
    Config c = two_groups_each(1);
    c.lds_bytes = 512;  // one work-group at a time
    Bench bench(c);
    for (uint32_t n = 0; n < 3; ++n) {
      bench.seat().restore.push({3, n, static_cast<uint16_t>(5 * n), 3}, bench.now());
    }
    Dispatch d = two_waves(3, 3);
    d.next_group = 3;
    bench.seat().dispatch.push(d, bench.now());
    bench.run(400);
    bench.seat().save.push(save(3, 100, most), bench.now());
    bench.run(200);
    EXPECT_EQ(bench.commands.size(), most == 3 ? 1u : 0u);
  }
}

/// One wave has not the place of its number in scratch memory: it could not go on.
TEST(SpiRtlSaves, WavesThatHaveOtherPlacesAreNotSaved) {
  for (const bool moved : {false, true}) {
    Bench bench(two_groups_each(1));
    Dispatch d = two_waves(1, 1);
    d.private_bytes = 16;
    d.scratch_bytes_per_wave = 1024;
    d.scratch_waves = 4;
    if (moved) {  // places 0 and 1 are those of another dispatch
      bench.seat().dispatch.push(d, bench.now());
      bench.run(200);
    }
    d.id = 2;
    bench.seat().dispatch.push(d, bench.now());
    bench.run(200);
    ASSERT_EQ(bench.launches.size(), moved ? 4u : 2u);
    bench.seat().save.push(save(2, 100), bench.now());
    bench.run(200);
    EXPECT_EQ(bench.commands.size(), moved ? 0u : 1u);
  }
}

/// A wave that was saved waits for its place in scratch memory, though others are free.
TEST(SpiRtlSaves, ScratchMemoryIsWhereItWas) {
  Bench bench(machine_of(isa::Target::Gfx908, 1));
  Dispatch d = two_waves(1, 2);
  d.private_bytes = 16;
  d.scratch_bytes_per_wave = 1024;
  d.scratch_waves = 20;
  bench.seat().dispatch.push(d, bench.now());  // has places 0 to 3
  bench.run(200);
  bench.seat().restore.push({2, 1, 0, 2}, bench.now());
  d.id = 2;
  d.next_group = 2;
  bench.seat().dispatch.push(d, bench.now());
  bench.run(400);
  ASSERT_EQ(bench.launches.size(), 4u);
  for (const size_t n : {0u, 1u, 2u}) bench.end(n);
  bench.run(100);
  ASSERT_EQ(bench.launches.size(), 4u);
  bench.end(3);
  bench.run(100);
  ASSERT_EQ(bench.launches.size(), 5u);
  EXPECT_EQ(bench.launches[4].wave.scratch_base, 3u * 1024);
  bench.end(4);
  // Where there is no such place, it is an error.
  for (const uint32_t places : {3u, 4u}) {
    bench.seat().restore.push({places, 1, 0, 2}, bench.now());
    d.id = places;
    d.scratch_waves = places;
    bench.seat().dispatch.push(d, bench.now());
    bench.run(400);
  }
  ASSERT_EQ(bench.done.size(), 3u);
  EXPECT_EQ(bench.done[2].id, 3u);
  EXPECT_EQ(bench.done[2].error_code, hsa::kQueueErrorScratch);
  EXPECT_EQ(bench.launches.size(), 6u);
}

TEST(SpiRtlSaves, WavesThatEndInTimeLeaveNothing) {
  Bench bench(two_groups_each(2));
  bench.seat().dispatch.push(two_waves(3, 2), bench.now());
  bench.run(200);
  bench.seat().save.push(save(3, 100), bench.now());
  bench.run(200);
  EXPECT_EQ(bench.commands.size(), 2u);
  for (size_t n = 0; n < 4; ++n) bench.end(n);
  bench.run(100);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_FALSE(bench.done[0].saved);
  EXPECT_TRUE(bench.saved.empty());
}

TEST(SpiRtlSaves, AWorkGroupWithoutItsLdsIsLost) {
  Bench bench(two_groups_each(1));
  bench.seat().dispatch.push(two_waves(3, 3), bench.now());
  bench.run(200);
  bench.seat().save.push(save(3, 100), bench.now());
  bench.run(200);
  bench.end(0);  // the first, which its handler ended otherwise
  for (size_t n = 1; n < 4; ++n) bench.end(n, true, n == 2);
  bench.run(100);
  ASSERT_EQ(bench.done.size(), 1u);
  EXPECT_TRUE(bench.done[0].error);
  EXPECT_EQ(bench.done[0].error_code, hsa::kQueueErrorException);
  EXPECT_FALSE(bench.done[0].saved);
  EXPECT_EQ(bench.saved.size(), 2u);
}

TEST(SpiRtlSaves, ACancelEndsASave) {
  for (const unsigned before :
       {10u, 200u}) {  // while rooms are looked for, and behind the commands
    Bench bench(two_groups_each(2));
    bench.seat().dispatch.push(two_waves(3, 7), bench.now());
    bench.run(200);
    bench.seat().save.push(save(3, 100), bench.now());
    bench.run(before);
    bench.seat().cancel.push({3}, bench.now());
    bench.run(200);
    EXPECT_EQ(bench.commands.size(), before == 10 ? 2u : 6u);
    for (size_t n = 0; n < 8; ++n) bench.end(n);
    bench.run(100);
    ASSERT_EQ(bench.done.size(), 1u);
    EXPECT_FALSE(bench.done[0].saved);
    EXPECT_FALSE(bench.done[0].error);
    EXPECT_TRUE(bench.saved.empty());
  }
}

/// Whenever the cancel comes, messages about work-groups that had not started again come first.
TEST(SpiRtlSaves, ACancelledSaveEndsBehindItsMessages) {
  Config c = two_groups_each(1);
  c.lds_bytes = 512;  // one work-group at a time
  size_t told = 0;
  for (uint32_t stalls = 1; stalls <= 60; ++stalls) {
    SCOPED_TRACE(stalls);
    Bench bench(c, stalls);
    for (uint16_t g = 0; g < 4; ++g) bench.seat().restore.push({3, g, g, 1}, bench.now());
    Dispatch d = two_waves(3, 6);
    d.next_group = 4;
    bench.seat().dispatch.push(d, bench.now());
    bench.run(600);
    ASSERT_EQ(bench.launches.size(), 1u);
    bench.seat().save.push(save(3, 100), bench.now());
    bench.run(300);
    bench.end(0);  // came to its end in time
    bench.run(stalls % 6);
    bench.seat().cancel.push({3}, bench.now());
    bench.run(300);
    ASSERT_EQ(bench.done.size(), 1u);
    told += !bench.done[0].saved && !bench.saved.empty() ? 1 : 0;
  }
  EXPECT_GT(told, 9u);
}

/// Others start behind a save, and while waves save themselves.
TEST(SpiRtlSaves, OthersRunMeanwhile) {
  Bench bench(two_groups_each(2));
  bench.seat().dispatch.push(two_waves(1, 9), bench.now());
  bench.run(200);
  bench.seat().dispatch.push(two_waves(2, 2), bench.now());
  bench.run(100);
  bench.seat().save.push(save(1, 100), bench.now());
  bench.run(200);
  EXPECT_EQ(bench.commands.size(), 4u);
  ASSERT_EQ(bench.launches.size(), 8u);
  bench.end(launch_of(bench, 0, 0, 1), true, true);
  bench.end(launch_of(bench, 0, 1, 1), true);
  bench.run(50);
  ASSERT_EQ(bench.launches.size(), 10u) << "the other one starts in its place";
  EXPECT_EQ(bench.launches[8].wave.dispatch, 2u);
  bench.end(8);
  bench.end(9);
  bench.run(50);
  EXPECT_EQ(bench.launches.size(), 12u);
  EXPECT_TRUE(bench.done.empty());
}

/// A work-group that is over when its command comes does not give its key away until then.
TEST(SpiRtlSaves, ACommandIsBehindTheLaunches) {
  Config c = two_groups_each(1);
  c.launch_cycles = 150;
  Bench bench(c);
  bench.seat().dispatch.push(two_waves(3, 4), bench.now());
  bench.run(60);
  bench.seat().save.push(save(3, 100), bench.now());
  bench.run(500);
  ASSERT_EQ(bench.launches.size(), 2u) << "the second work-group had not started";
  ASSERT_EQ(bench.commands.size(), 1u);
  EXPECT_GT(bench.told[0], bench.launches[1].at);
}

TEST(SpiRtlSaves, WhatIsNoWorkGroupOfTheGridIsAnError) {
  struct Case {
    const char* name;
    uint64_t next_group;
    std::vector<SavedGroup> groups;
    size_t waves = 0;
  };
  // The second of three work-groups has two waves, the third one.
  const Case cases[] = {
      {"in order", 2, {{3, 0, 0, 3}, {3, 1, 5, 3}}, 5},
      {"nothing of what has started", 1, {}, 3},
      {"behind the grid", 9, {{3, 3, 0, 3}}},
      {"no wave", 3, {{3, 0, 0, 3}, {3, 1, 0, 0}}},
      {"more waves than a work-group", 3, {{3, 0, 0, 4}}},
      {"more waves than this one", 3, {{3, 1, 0, 1}, {3, 2, 0, 2}}, 1},
      {"one that has not started", 1, {{3, 0, 0, 3}, {3, 1, 5, 3}}},
      {"twice", 3, {{3, 0, 0, 3}, {3, 0, 5, 3}}},
      {"not in order", 3, {{3, 1, 0, 3}, {3, 0, 5, 3}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Bench bench(machine_of(isa::Target::Gfx908, 2));
    for (const SavedGroup& g : c.groups) bench.seat().restore.push(g, bench.now());
    Dispatch d = two_waves(3, 3);
    d.grid[0] -= 64;
    d.next_group = c.next_group;
    bench.seat().dispatch.push(d, bench.now());
    bench.run(500);
    const bool good = c.waves > 1;
    EXPECT_EQ(bench.launches.size(), c.waves);
    for (size_t n = 0; n < bench.launches.size(); ++n) bench.end(n);
    bench.run(50);
    ASSERT_EQ(bench.done.size(), 1u);
    EXPECT_EQ(bench.done[0].error, !good);
    EXPECT_EQ(bench.done[0].error_code, good ? 0u : hsa::kQueueErrorDispatch);
    // The next one is served as ever.
    bench.seat().restore.push({4, 0, 0, 3}, bench.now());
    d.id = 4;
    d.next_group = 1;
    bench.seat().dispatch.push(d, bench.now());
    bench.run(500);
    EXPECT_EQ(bench.launches.size(), c.waves + 5);
  }
}

/// As many work-groups as the machine has waves, and one more.
TEST(SpiRtlSaves, AListIsAsLongAsTheMachine) {
  for (const uint32_t more : {0u, 1u, 20u}) {
    SCOPED_TRACE(more);
    Bench bench(two_groups_each(2));
    for (uint32_t n = 0; n < 8 + more; ++n) {
      bench.seat().restore.push({3, n, static_cast<uint16_t>(5 * n), 1}, bench.now());
    }
    Dispatch d = two_waves(3, 40);
    d.next_group = 40;
    bench.seat().dispatch.push(d, bench.now());
    bench.run(1000);
    EXPECT_EQ(bench.launches.size(), more == 0 ? 8u : 0u);
    EXPECT_EQ(bench.done.size(), more == 0 ? 0u : 1u);
  }
}

/// The list of the next dispatch waits until that of the first is over.
TEST(SpiRtlSaves, OneListAtATime) {
  Config c = two_groups_each(1);
  c.slots = 2;
  Bench bench(c);
  for (uint32_t id = 1; id < 3; ++id) {
    bench.seat().restore.push({id, 0, 0, 3}, bench.now());
    bench.seat().restore.push({id, 1, 5, 3}, bench.now());
    Dispatch d = two_waves(id, 2);
    d.next_group = 2;
    bench.seat().dispatch.push(d, bench.now());
  }
  bench.run(500);
  ASSERT_EQ(bench.launches.size(), 2u);
  std::vector<uint32_t> order;
  for (size_t n = 0; n < 8; n += 2) {
    ASSERT_EQ(bench.launches.size(), n + 2);
    order.push_back(bench.launches[n].wave.dispatch);
    bench.end(n);
    bench.end(n + 1);
    bench.run(500);
  }
  EXPECT_EQ(order, (std::vector<uint32_t>{1, 1, 2, 2}));
  EXPECT_EQ(bench.done.size(), 2u);
}

}  // namespace
}  // namespace cuvette
