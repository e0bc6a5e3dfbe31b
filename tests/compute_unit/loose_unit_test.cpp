// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Time of the loosely timed compute unit (engines.md, "Time of lt"): each figure is worked out
// by hand from the machine below. Its results are held against golden by the tests of engine lt.
#include "compute_unit/loose/loose_unit.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compute_unit/loose/levels.h"
#include "finalizer/assembler.h"
#include "hsa/memory.h"
#include "memory/serve.h"

namespace cuvette::compute_unit::loose {
namespace {

using machine::Cycle;

constexpr uint64_t kCode = 0x10000, kData = 0x20000, kBytes = 0x10000;
constexpr Cycle kFar = 380;  // 2 * 10 + 60 + 300

/// Grants everything.
class Granted final : public DirectMemory {
 public:
  explicit Granted(hsa::Backing& backing) : backing_(backing) {}
  Region region(uint64_t address, bool) override {
    const uint64_t first = address & ~(kBytes - 1);
    return {first, first + kBytes - 1, backing_.host_pointer(first, kBytes), kFar};
  }
  uint64_t generation() const override { return 0; }
  void request(const memory::MemReq& request, memory::MemResp& response) override {
    response = memory::serve(backing_, request);
    response.time = request.time + kFar;
  }
  bool peek(uint64_t address, void* out, unsigned bytes) override {
    return backing_.read(address, out, bytes);
  }

 private:
  hsa::Backing& backing_;
};

Config machine_of_the_test(const hsa::AddressSpace& space) {
  Config c;
  c.simds = 4;
  c.slots = 10;
  c.address_space = &space;
  c.timing.fetch_cycles = 4;
  c.timing.salu_cycles = 4;
  c.timing.valu_cycles = 4;
  c.timing.transcendental_cycles = 16;
  c.timing.double_cycles = 8;
  c.timing.branch_cycles = 16;
  c.timing.barrier_cycles = 4;
  c.timing.coalescer_lanes_per_cycle = 16;
  c.simd.valu.latency_cycles = 4;
  c.lds.latency_cycles = 64;
  c.lds.lanes_per_cycle = 32;
  LevelTiming& l = c.levels;
  l.vector_hit = 100;
  l.scalar_hit = 20;
  l.code_hit = 8;
  l.l2_hit = 60;
  l.crossbar_cycles = 10;
  l.cluster_cycles = 4;
  l.memory_cycles = 300;
  l.cycles_per_block = 3;
  l.vector_misses = 64;
  l.scalar_misses = 16;
  l.l2_misses = 64;
  l.slices = 1;
  return c;
}

/// One compute unit over a memory of its own, or over that of another one.
class Unit {
 public:
  Unit() : shared_(std::make_shared<SharedLevels>(machine_of_the_test(space_).levels)) {
    EXPECT_TRUE(backing_.reserve(kCode, 2 * kBytes).ok());
    EXPECT_TRUE(space_.map(kCode, kBytes, hsa::Access::Execute).ok());
    EXPECT_TRUE(space_.map(kData, kBytes, hsa::Access::ReadWrite).ok());
    make();
  }
  /// A fresh compute unit that shares the L2 with the one before.
  void make() {
    Config c = machine_of_the_test(space_);
    c.shared_levels = shared_;
    unit_ = std::make_unique<LooseUnit>(c);
    unit_->connect(waves_, none_, none_, none_);
    EXPECT_TRUE(unit_->reach(memory_));
  }
  void load(const std::vector<std::string>& lines) {
    const auto words = finalizer::Assembler::create("gfx908")->assemble(lines);
    ASSERT_TRUE(words.ok()) << words.error().str();
    ASSERT_TRUE(backing_.write(kCode, words->data(), 4 * words->size()));
  }
  uint32_t word(uint64_t address) const {
    uint32_t value = 0;
    EXPECT_TRUE(backing_.read(address, &value, sizeof value));
    return value;
  }
  spi::WaveLaunch wave(unsigned simd) const {
    spi::WaveLaunch w;
    w.id = simd;
    w.simd = static_cast<uint8_t>(simd);
    w.pc = kCode;
    w.exec = ~uint64_t{0};
    w.vgpr_count = w.acc_count = 8;
    w.sgpr_count = 16;
    w.sgprs = 2;
    w.sgpr[0] = static_cast<uint32_t>(kData);
    w.vgprs = 1;
    w.lds_bytes = 1024;
    for (unsigned lane = 0; lane < 64; ++lane) w.vgpr[0][lane] = 4 * lane;
    return w;
  }
  /// The waves are launched at `at`; when each is over, by SIMD.
  std::vector<Cycle> run(const std::vector<spi::WaveLaunch>& waves, Cycle at, bool watched,
                         Cycle quantum = 100000) {
    std::vector<Cycle> ends(4, 0);
    if (watched) unit_->watch([](const Activity&) {});
    for (const auto& w : waves) waves_.launch.push(w, at);
    for (size_t ended = 0; ended < waves.size();) {
      const Cycle next = unit_->next_event();
      if (next == machine::kNever) {
        ADD_FAILURE() << "nothing can happen";
        break;
      }
      unit_->run_ahead(next + quantum);
      unit_->tick(next);
      for (; !waves_.done.empty(); ++ended) {
        const Cycle told = waves_.done.next_event();
        const spi::WaveDone done = waves_.done.pop(told);
        EXPECT_FALSE(done.error) << unit_->failure();
        ends[done.simd] = told - 1;
      }
    }
    const auto c = unit_->counters();
    uint64_t in_classes = c.issue_cycles;
    for (const uint64_t n : c.stalled) in_classes += n;
    EXPECT_EQ(in_classes, c.wave_cycles);
    return ends;
  }

 private:
  hsa::SparseMemory backing_;
  hsa::AddressSpace space_;
  Granted memory_{backing_};
  std::shared_ptr<SharedLevels> shared_;
  spi::Spi::ComputeUnitPort waves_;
  cache::Cache::Port none_;
  std::unique_ptr<LooseUnit> unit_;
};

/// Launched at 8, seen at 9: SIMD 0 has its turn at 12. Its instruction buffer asks the cache:
/// 1 + 2 * 4 + 8 + 4 = 21 cycles, 33, so 36. The line is in memory: the L2 is asked, a channel
/// gives a block every 300 / 64 cycles, that is 5, and 380 + 2 * 4 + 8 later, at 437, the line is
/// there.
constexpr Cycle kStart = 440;

Cycle alone(const std::vector<std::string>& lines, bool watched) {
  Unit u;
  u.load(lines);
  return u.run({u.wave(0)}, 8, watched)[0];
}

/// Execution instruction by instruction, because of an observer, takes as long.
void expect_end(const std::vector<std::string>& lines, Cycle end) {
  EXPECT_EQ(alone(lines, false), end);
  EXPECT_EQ(alone(lines, true), end) << "watched";
}

TEST(LooseTime, TurnsOfASimd) {
  // Four cycles each, the end of the program among them.
  expect_end({"s_endpgm"}, kStart + 4);
  expect_end({"s_mov_b32 s2, 1", "v_mov_b32 v1, 1", "v_mov_b32 v2, v1", "s_endpgm"}, kStart + 16);
  // S_NOP 3 is four vector instructions long.
  expect_end({"s_nop 3", "s_endpgm"}, kStart + 16 + 4);
}

TEST(LooseTime, SlowInstructionsKeepTheVectorAlu) {
  // At 0, 4, 8 and 12; the double waits for the transcendental one, until 28; the rest at 32, 36.
  expect_end({"s_mov_b32 s2, 1", "v_mov_b32 v1, 1", "v_mov_b32 v2, 1", "v_rcp_f32 v3, v1",
              "v_add_f64 v[4:5], v[4:5], v[4:5]", "s_nop 0", "s_endpgm"},
             kStart + 40);
  // The wave goes on beside it, and ends with its result.
  expect_end({"v_rcp_f32 v3, v1", "s_mov_b32 s2, 1", "s_endpgm"}, kStart + 16);
}

TEST(LooseTime, ATakenJumpFillsTheBufferAnew) {
  // 16 cycles of the branch; 21 until there are instructions; the turn after that.
  expect_end({"s_branch far", "s_nop 0", "far:", "s_endpgm"}, kStart + 24 + 4);
  expect_end({"s_cbranch_scc1 far", "s_nop 0", "far:", "s_endpgm"}, kStart + 16 + 4 + 4);
}

TEST(LooseTime, ALoadFromMemoryAndFromTheVectorL1) {
  const std::string load = "global_load_dword v1, v0, s[0:1]", wait = "s_waitcnt vmcnt(0)";
  // Issued at 440, the first of four windows of lanes is looked at in 442, the last block is asked
  // for in 446. 64 misses may be under way for 380 cycles each: four cost 23.75, 470. Memory gives
  // four blocks in 18.75, 489; 380 there and back, 100 in the L1: 969, the turn of 972.
  expect_end({load, wait, "s_endpgm"}, 972 + 4);
  // The L1 has them at 972: asked for by 978, 100 later; the turn of 1080.
  expect_end({load, wait, load, wait, "s_endpgm"}, 1080 + 4);
  // Without a wait it is the end of the wave that waits.
  expect_end({load, "s_endpgm"}, 972);
}

TEST(LooseTime, ALoadFromTheL2) {
  Unit u;
  u.load({"global_load_dword v1, v0, s[0:1]", "s_waitcnt vmcnt(0)", "s_endpgm"});
  EXPECT_EQ(u.run({u.wave(0)}, 8, false)[0], 976u);
  u.make();
  // 2000, 2004, 2028; code from the L2: 1 + 80 + 16, the turn of 2128. Four blocks asked for by
  // 2134, 64 under way for 80 cycles: 5, 2139; the L2 serves one a cycle: 2143; 80 + 100: 2323.
  EXPECT_EQ(u.run({u.wave(0)}, 2000, false)[0], 2324u + 4);
}

TEST(LooseTime, StoresAreBackFromTheL2) {
  // Sent by 446, through the L1 to the L2: 100 + 80, the turn of 628.
  expect_end({"global_store_dword v0, v0, s[0:1]", "s_waitcnt vmcnt(0)", "s_endpgm"}, 628 + 4);
}

TEST(LooseTime, AScalarLoad) {
  // Asked for in 442; one of 16 misses for 380 cycles: 23.75, 466; a block of memory, 471; 380 and
  // 2 * 4 + 20: 879, the turn of 880.
  expect_end({"s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "s_endpgm"}, 880 + 4);
}

TEST(LooseTime, TheLds) {
  // 64 lanes in two cycles, 64 later: 506, the turn of 508.
  expect_end({"ds_read_b32 v1, v0", "s_waitcnt lgkmcnt(0)", "s_endpgm"}, 508 + 4);
  // The second access comes 4 cycles later and finds the LDS free: 444 + 2 + 64.
  expect_end({"ds_read_b32 v1, v0", "ds_read_b32 v2, v0", "s_waitcnt lgkmcnt(0)", "s_endpgm"},
             512 + 4);
}

TEST(LooseTime, ABarrierWaitsForTheLast) {
  for (const bool watched : {false, true}) {
    Unit u;
    std::vector<std::string> lines(10, "s_nop 7");
    lines.insert(lines.end(), {"s_barrier", "s_endpgm"});
    u.load(lines);
    auto early = u.wave(0), late = u.wave(1);
    early.pc = kCode + 40;
    early.waves_in_group = late.waves_in_group = 2;
    late.wave_in_group = 1;
    const auto ends = u.run({early, late}, 8, watched);
    // SIMD 1 begins at 437, when the line has come, is busy for 320 cycles, and is at the barrier
    // in 761. Four cycles later both may go on: SIMD 0 in 768, SIMD 1 in 765.
    EXPECT_EQ(ends[0], 768u + 4);
    EXPECT_EQ(ends[1], 765u + 4);
  }
}

/// One wave clears, behind a load, what every wave reads behind the barrier: no order is asked for,
/// but the load takes longer than the reads of the others.
TEST(LooseOrder, WavesThatABarrierReleasesReadBeforeOneOfThemGoesOn) {
  const std::vector<std::string> program = {"v_mov_b32 v5, 0",
                                            "v_mov_b32 v6, 0x77",
                                            "ds_write_b32 v5, v6 offset:512",
                                            "s_waitcnt lgkmcnt(0)",
                                            "s_cmp_lg_u32 s2, s3",
                                            "s_cbranch_scc1 there",
                                            "s_sleep 100",
                                            "there:",
                                            "s_barrier",
                                            "ds_read_b32 v1, v5 offset:512",
                                            "s_waitcnt lgkmcnt(0)",
                                            "global_load_dword v2, v0, s[0:1]",
                                            "s_waitcnt vmcnt(0)",
                                            "s_cmp_lg_u32 s2, 0",
                                            "s_cbranch_scc1 keep",
                                            "ds_write_b32 v5, v5 offset:512",
                                            "keep:",
                                            "v_mov_b32 v3, s2",
                                            "v_lshlrev_b32 v3, 2, v3",
                                            "global_store_dword v3, v1, s[0:1] offset:1024",
                                            "s_endpgm"};
  for (const bool watched : {false, true}) {
    // With the short quantum the wave that sleeps is the last one to run into the barrier.
    for (const Cycle quantum : {5000, 100000}) {
      for (const unsigned late : {0u, 1u, 3u}) {
        Unit u;
        u.load(program);
        std::vector<spi::WaveLaunch> waves;
        for (unsigned simd = 0; simd < 4; ++simd) {
          waves.push_back(u.wave(simd));
          waves.back().sgprs = 4;
          waves.back().sgpr[1] = 0;
          waves.back().sgpr[2] = simd;
          waves.back().sgpr[3] = late;
          waves.back().wave_in_group = static_cast<uint8_t>(simd);
          waves.back().waves_in_group = 4;
        }
        u.run(waves, 8, watched, quantum);
        for (unsigned simd = 0; simd < 4; ++simd) {
          EXPECT_EQ(u.word(kData + 1024 + 4 * simd), 0x77u)
              << "wave " << simd << ", late " << late << ", quantum " << quantum
              << (watched ? ", watched" : "");
        }
      }
    }
  }
}

TEST(LooseTime, TwoRunsAreTheSame) {
  std::vector<Cycle> ends[2];
  for (auto& e : ends) {
    Unit u;
    u.load({"s_mov_b32 s4, 8", "loop:", "global_load_dword v1, v0, s[0:1]", "v_rcp_f32 v2, v0",
            "ds_read_b32 v3, v0", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_barrier",
            "s_sub_u32 s4, s4, 1", "s_cmp_lg_u32 s4, 0", "s_cbranch_scc1 loop", "s_endpgm"});
    std::vector<spi::WaveLaunch> waves;
    for (unsigned simd = 0; simd < 4; ++simd) {
      waves.push_back(u.wave(simd));
      waves.back().wave_in_group = static_cast<uint8_t>(simd);
      waves.back().waves_in_group = 4;
    }
    e = u.run(waves, 8, false);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(LooseTime, ARateGivesTokensOfItsTimeInAnyOrder) {
  constexpr uint64_t kUnit = TokenRate::kUnit;
  TokenRate rate;
  EXPECT_EQ(rate.take(440, 400 * kUnit), 840u);
  // The rest of the window of 384 is 72 cycles, of which the first left 56; those of 512 and 640
  // are taken, 56 are left of that of 768; 128 each from 896 and 1024 on, and 32 from 1152 on.
  EXPECT_EQ(rate.take(440, 400 * kUnit), 1184u);
  EXPECT_EQ(rate.take(0, 10 * kUnit), 10u);
  EXPECT_EQ(rate.take(3, kUnit / 2), 11u) << "behind the ten of before, half a cycle";
  // Windows long ago are not accounted for.
  EXPECT_EQ(rate.take(1 << 20, kUnit), (1u << 20) + 1);
  EXPECT_EQ(rate.take(0, 10 * kUnit), 10u);
}

/// Whoever asks at one time is served one after the other, however far behind.
TEST(LooseTime, ARateKeepsItsBacklog) {
  constexpr uint64_t kUnit = TokenRate::kUnit, kCost = 1000;
  for (const uint64_t first : {0u, 256u, 1u << 20}) {
    TokenRate rate;
    uint64_t served = first;
    for (unsigned n = 0; n < 1000; ++n) {
      served += kCost;
      EXPECT_EQ(rate.take(first + n % 300, kCost * kUnit), served) << first << " " << n;
    }
  }
}

TEST(LooseTime, TagsForgetWhatCameFirst) {
  Tags tags(256, 64);
  for (uint64_t line = 0; line < 4; ++line) EXPECT_FALSE(tags.find(line)) << line;
  EXPECT_TRUE(tags.find(3));
  EXPECT_FALSE(tags.find(4));
  EXPECT_FALSE(tags.find(0)) << "the first of five";
  tags.clear();
  EXPECT_FALSE(tags.find(4));
}

}  // namespace
}  // namespace cuvette::compute_unit::loose
