// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <gtest/gtest.h>

#include "base/bits.h"
#include "compute_unit_harness.h"
#include "hsa/queue_error.h"

// Control, vector and scalar work, barriers, errors, time. Expected values by hand.
namespace cuvette::compute_unit::testing {
namespace {

using machine::Cycle;

/// Stores v1 of every lane to the buffer at s[0:1], one dword each, and ends.
const std::vector<std::string> kStoreV1 = {"v_lshlrev_b32 v2, 2, v0",
                                           "global_store_dword v2, v1, s[0:1]", "s_endpgm"};

std::vector<std::string> with_store(std::vector<std::string> lines) {
  lines.insert(lines.end(), kStoreV1.begin(), kStoreV1.end());
  return lines;
}

class BothValus : public ::testing::TestWithParam<const char*> {
 protected:
  Options options() const {
    Options o;
    o.valu = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(ComputeUnit, BothValus, ::testing::Values("tlm", "beats"));

TEST_P(BothValus, DependentArithmetic) {
  Machine m(options());
  const uint64_t out = m.buffer(256);
  m.run_one(with_store({"v_add_u32 v1, 5, v0", "v_mul_u32_u24 v1, v1, v1", "v_add_u32 v1, v1, v0",
                        "v_lshlrev_b32 v1, 1, v1"}),
            {.sgpr = pointers({out})});
  ASSERT_EQ(m.done.size(), 1u);
  EXPECT_FALSE(m.done[0].error) << m.cu->failure();
  for (uint32_t lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(m.word(out + 4 * lane), 2 * ((lane + 5) * (lane + 5) + lane));
  }
}

TEST_P(BothValus, LoopWithScalarCounter) {
  Machine m(options());
  const uint64_t out = m.buffer(256);
  // v1 = sum over i = 10..1 of (i + lane)
  m.run_one(with_store({"v_mov_b32 v1, 0", "s_mov_b32 s4, 10", "again: v_add_u32 v3, s4, v0",
                        "v_add_u32 v1, v1, v3", "s_sub_u32 s4, s4, 1", "s_cmp_lg_u32 s4, 0",
                        "s_cbranch_scc1 again"}),
            {.sgpr = pointers({out})});
  for (uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(m.word(out + 4 * lane), 55 + 10 * lane);
  EXPECT_EQ(m.cu->counters().branch, 10u);
}

TEST_P(BothValus, DivergenceThroughExecAndVcc) {
  Machine m(options());
  const uint64_t out = m.buffer(256);
  // Lanes below 20: 100 + lane; the others: 7. Then lanes whose bit 0 is set get 1 more by carry.
  m.run_one(
      with_store({"v_mov_b32 v1, 7", "v_cmp_gt_u32 vcc, 20, v0", "s_and_saveexec_b64 s[6:7], vcc",
                  "s_cbranch_execz done", "v_add_u32 v1, 0x64, v0", "done: s_mov_b64 exec, s[6:7]",
                  "v_and_b32 v3, 1, v0", "v_cmp_eq_u32 vcc, 1, v3",
                  "v_addc_co_u32 v1, vcc, 0, v1, vcc"}),
      {.sgpr = pointers({out})});
  for (uint32_t lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(m.word(out + 4 * lane), (lane < 20 ? 100 + lane : 7) + lane % 2) << lane;
  }
}

TEST_P(BothValus, CarryOutUnderDppMasks) {
  Machine m(options());
  const uint64_t out = m.buffer(256);
  // -1 + 1 from the lane to the left; lane 0 of a row has none and keeps its bit of VCC, row 0 is
  // not written (docs/reference/decisions.md D55). Then twice the sum and the carry.
  m.run_one(with_store({"v_mov_b32 v3, -1", "v_mov_b32 v4, 1", "v_mov_b32 v1, 7", "s_nop 1",
                        "v_cmp_eq_u32 vcc, 16, v0",
                        "v_add_co_u32_dpp v1, vcc, v3, v4 row_shr:1 row_mask:0xe bank_mask:0xf",
                        "v_addc_co_u32 v1, vcc, v1, v1, vcc"}),
            {.sgpr = pointers({out})});
  EXPECT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  for (uint32_t lane = 0; lane < 64; ++lane) {
    const bool first = lane % 16 == 0;
    const uint32_t sum = lane < 16 || first ? 7 : 0;
    EXPECT_EQ(m.word(out + 4 * lane), 2 * sum + (!first || lane == 16)) << lane;
  }
}

TEST_P(BothValus, CmpxAndReadFirstLane) {
  Machine m(options());
  const uint64_t out = m.buffer(256);
  m.run_one(
      with_store({"v_mov_b32 v1, 0", "v_cmpx_lt_u32 exec, 40, v0", "v_readfirstlane_b32 s4, v0",
                  "v_readlane_b32 s5, v0, 3", "s_add_u32 s4, s4, s5", "s_mov_b64 exec, -1",
                  "v_mov_b32 v1, s4", "v_writelane_b32 v1, s5, 9"}),
      {.sgpr = pointers({out})});
  for (uint32_t lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(m.word(out + 4 * lane), lane == 9 ? 3u : 44u) << lane;
  }
}

TEST_P(BothValus, ExchangeThroughLdsWithBarrier) {
  Machine m(options());
  const uint64_t out = m.buffer(512);
  // Each of two waves writes its numbers and, behind the barrier, reads those of the other.
  // s2: 64 * wave.
  const uint64_t code = m.load({"v_add_u32 v1, s2, v0",     // item
                                "v_lshlrev_b32 v3, 2, v1",  //
                                "v_add_u32 v4, 0x3e8, v1",  // 1000 + item
                                "ds_write_b32 v3, v4",      //
                                "s_waitcnt lgkmcnt(0)",     //
                                "s_barrier",                //
                                "v_xor_b32 v5, 0x100, v3",  // the same lane of the other wave
                                "ds_read_b32 v6, v5",       //
                                "s_waitcnt lgkmcnt(0)",     //
                                "global_store_dword v3, v6, s[0:1]", "s_endpgm"});
  for (unsigned wave = 0; wave < 2; ++wave) {
    auto sgpr = pointers({out});
    sgpr.push_back(64 * wave);
    m.launch(code, {.simd = wave,
                    .workgroup = 5,
                    .wave_in_group = wave,
                    .waves_in_group = 2,
                    .lds_bytes = 512,
                    .sgpr = sgpr});
  }
  m.run();
  for (uint32_t item = 0; item < 128; ++item) {
    EXPECT_EQ(m.word(out + 4 * item), 1000 + (item ^ 64)) << item;
  }
}

TEST(ComputeUnit, EndedWavesAreDiscountedAtBarriers) {
  Machine m;
  const uint64_t ends = m.load({"s_endpgm"});
  const uint64_t waits = m.load({"s_nop 15", "s_barrier", "s_endpgm"});
  for (unsigned wave = 0; wave < 3; ++wave) {
    m.launch(wave == 1 ? ends : waits, {.simd = wave, .wave_in_group = wave, .waves_in_group = 3});
  }
  m.run();
  EXPECT_EQ(m.done.size(), 3u);
}

TEST(ComputeUnit, AWaveAtTheBarrierWaitsForLateOnes) {
  Machine m;
  const uint64_t code = m.load({"s_barrier", "s_endpgm"});
  m.launch(code, {.simd = 0, .waves_in_group = 2});
  for (; m.now < 2000; ++m.now) {
    m.cu->tick(m.now);
    m.instruction.tick(m.now);
  }
  ASSERT_EQ(m.cu->waves().size(), 1u);
  EXPECT_NE(m.cu->waves()[0].waits_for.find("barrier"), std::string::npos);
  m.launch(code, {.simd = 1, .wave_in_group = 1, .waves_in_group = 2});
  m.run();
  EXPECT_EQ(m.done.size(), 2u);
}

TEST(ComputeUnit, ActivityTellsLaunchEveryIssueAndEnd) {
  Machine m;
  struct Seen {
    Activity::Kind kind;
    Cycle time;
    uint64_t pc;
    std::string mnemonic;
  };
  std::vector<Seen> seen;
  ASSERT_TRUE(m.cu->watch([&](const Activity& a) {
    if (a.kind == Activity::Kind::Retire || a.kind == Activity::Kind::Fetch ||
        a.kind == Activity::Kind::Fetched) {
      return;
    }
    seen.push_back({a.kind, a.time, a.pc,
                    a.instruction != nullptr ? std::string(a.instruction->row->mnemonic) : ""});
  }));
  // The skipped v_mov is no issue; S_SETVSKIP goes by bit 0 of its first source.
  const uint64_t pc =
      m.load({"s_nop 15", "v_mov_b32 v1, 1.0", "s_setvskip 1, 0", "v_mov_b32 v1, 2.0",
              "s_setvskip 0, 0", "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_endpgm"});
  m.launch(pc, {});
  m.run();
  const char* mnemonics[] = {"",           "s_nop",     "v_mov_b32", "s_setvskip",
                             "s_setvskip", "s_sendmsg", "s_endpgm",  ""};
  ASSERT_EQ(seen.size(), std::size(mnemonics));
  for (size_t n = 0; n < seen.size(); ++n) {
    EXPECT_EQ(seen[n].mnemonic, mnemonics[n]) << n;
    EXPECT_GE(seen[n].time, n == 0 ? 0 : seen[n - 1].time) << n;
  }
  EXPECT_EQ(seen.front().kind, Activity::Kind::Launch);
  EXPECT_EQ(seen.back().kind, Activity::Kind::End);
  for (size_t n : {1, 2, 3}) EXPECT_EQ(seen[n].pc, pc + 4 * (n - 1));
  EXPECT_EQ(seen[4].pc, pc + 16);
  EXPECT_EQ(seen[2].time - seen[1].time, 16u * 4) << "sixteen wait states of four clocks";
  EXPECT_EQ(m.cu->counters().wave_cycles, seen.back().time - seen.front().time);
  EXPECT_EQ(m.cu->counters().busy_cycles, m.cu->counters().wave_cycles);
  EXPECT_EQ(m.cu->counters().other, 3u) << "s_nop, s_sendmsg and s_endpgm";
  EXPECT_EQ(m.cu->counters().lane_operations, 64u) << "one v_mov_b32";
}

/// An instruction says when it is complete, or its retirement does; requests come between, each
/// with its answer.
TEST(ComputeUnit, ActivityTellsRequestsAnswersAndRetirements) {
  Machine m;
  const uint64_t in = m.buffer(256);
  std::map<uint64_t, Activity> issued, retired;  // by order
  std::map<uint32_t, Activity> requested, answered;
  ASSERT_TRUE(m.cu->watch([&](const Activity& a) {
    switch (a.kind) {
      case Activity::Kind::Issue:
        EXPECT_TRUE(issued.emplace(a.order, a).second);
        break;
      case Activity::Kind::Retire:
        EXPECT_EQ(issued.at(a.order).complete, machine::kNever) << "already known";
        EXPECT_EQ(a.pc, issued.at(a.order).pc);
        EXPECT_TRUE(retired.emplace(a.order, a).second);
        break;
      case Activity::Kind::Request:
        EXPECT_EQ(issued.count(a.order), 1u);
        EXPECT_TRUE(requested.emplace(a.sequence, a).second);
        break;
      case Activity::Kind::Answer:
        EXPECT_EQ(requested.at(a.sequence).order, a.order);
        EXPECT_TRUE(answered.emplace(a.sequence, a).second);
        EXPECT_EQ(retired.count(a.order), 0u);
        break;
      default:
        break;
    }
  }));
  m.launch(m.load({"v_lshlrev_b32 v1, 2, v0", "s_load_dword s4, s[0:1], 0x0",
                   "global_load_dword v2, v1, s[0:1]", "s_waitcnt vmcnt(0) lgkmcnt(0)",
                   "v_add_u32 v3, v2, v2", "s_endpgm"}),
           {.sgpr = pointers({in})});
  m.run();
  ASSERT_EQ(issued.size(), 6u);
  for (const auto& [order, a] : issued) {
    const bool known = a.complete != machine::kNever;
    EXPECT_EQ(retired.count(order), known ? 0u : 1u) << order;
    const Cycle end = known ? a.complete : retired.at(order).time;
    EXPECT_GT(end, a.time) << order;
    uint32_t requests = 0;
    for (const auto& [sequence, r] : requested) {
      if (r.order != order) continue;
      ++requests;
      EXPECT_GE(r.time, a.time);
      EXPECT_GT(answered.at(sequence).time, r.time);
      EXPECT_LE(answered.at(sequence).time, end);
    }
    EXPECT_EQ(requests, a.requests) << order;
  }
  EXPECT_EQ(issued.at(1).requests, 1u) << "one scalar block";
  EXPECT_EQ(issued.at(2).requests, 4u) << "64 lanes of 4 bytes are four blocks";
  EXPECT_EQ(issued.at(2).complete, machine::kNever);
  EXPECT_LE(retired.at(2).time, issued.at(3).time) << "s_waitcnt";
  EXPECT_EQ(requested.size(), 5u);
}

/// A unit whose wave waits is not ticked, and busy all the same.
TEST(ComputeUnit, AWaitingWaveKeepsTheUnitBusy) {
  for (const Clock clock : {Clock::EveryCycle, Clock::Skip}) {
    Machine m({.clock = clock, .vector_latency = 3000});
    const uint64_t in = m.buffer(64);
    m.launch(m.load({"v_mov_b32 v1, 0", "global_load_dword v2, v1, s[0:1]", "s_waitcnt vmcnt(0)",
                     "s_endpgm"}),
             {.exec = 1, .sgpr = pointers({in})});
    m.pass(2000);
    EXPECT_EQ(m.cu->counters(m.now).busy_cycles, m.now - 1) << "launched at 1";
    m.run();
    EXPECT_EQ(m.cu->counters(m.now + 50).busy_cycles, m.cu->counters().wave_cycles);
  }
}

TEST(ComputeUnit, MatrixChainWaitsForItsAccumulator) {
  Machine m;
  const uint64_t out = m.buffer(256);
  // 4x4x1 of ones, three times onto 0: every element is 3. Lane l holds column l % 4 of its block.
  m.run_one(with_store({"v_mov_b32 v3, 1.0", "v_accvgpr_write_b32 a0, 0",
                        "v_accvgpr_write_b32 a1, 0", "v_accvgpr_write_b32 a2, 0",
                        "v_accvgpr_write_b32 a3, 0", "v_mfma_f32_4x4x1f32 a[0:3], v3, v3, a[0:3]",
                        "v_mfma_f32_4x4x1f32 a[0:3], v3, v3, a[0:3]",
                        "v_mfma_f32_4x4x1f32 a[0:3], v3, v3, a[0:3]", "v_accvgpr_read_b32 v1, a3"}),
            {.sgpr = pointers({out})});
  EXPECT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  for (uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(m.word(out + 4 * lane), 0x40400000u);
  EXPECT_EQ(m.cu->counters().matrix, 3u);
}

TEST(ComputeUnit, MatrixWithConstantAndArchitecturalAccumulator) {
  Machine m({.target = isa::Target::Gfx90a});
  const uint64_t out = m.buffer(256);
  m.run_one(with_store({"v_mov_b32 v3, 2.0", "v_mfma_f32_4x4x1f32 v[4:7], v3, v3, 1.0",
                        "v_mov_b32 v1, v6"}),
            {.sgpr = pointers({out})});
  EXPECT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  for (uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(m.word(out + 4 * lane), 0x40a00000u);
}

TEST(ComputeUnit, SparseMatrixAddsToItsDestination) {
  Machine m({.target = isa::Target::Gfx942});
  const uint64_t out = m.buffer(256);
  // 16 of 32 products remain, at positions 0 and 1 of every four: ones onto 1 give 17.
  m.run_one(
      with_store({"v_mov_b32 v8, 0x3c003c00", "v_mov_b32 v9, v8", "v_mov_b32 v10, v8",
                  "v_mov_b32 v11, v8", "v_mov_b32 v12, v8", "v_mov_b32 v13, v8",
                  "v_mov_b32 v4, 1.0", "v_mov_b32 v5, 1.0", "v_mov_b32 v6, 1.0",
                  "v_mov_b32 v7, 1.0", "v_mov_b32 v14, 0x44444444",
                  "v_smfmac_f32_16x16x32_f16 v[4:7], v[8:9], v[10:13], v14", "v_mov_b32 v1, v7"}),
      {.sgpr = pointers({out})});
  EXPECT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  for (uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(m.word(out + 4 * lane), 0x41880000u);
}

TEST(ComputeUnit, FourSimdsWorkAtTheSameTime) {
  std::vector<std::string> lines;
  for (int n = 0; n < 100; ++n) lines.push_back("v_add_u32 v1, v1, v0");
  lines.push_back("s_endpgm");
  Cycle one = 0;
  for (const unsigned count : {1u, 4u}) {
    Machine m;
    const uint64_t code = m.load(lines);
    for (unsigned s = 0; s < count; ++s) m.launch(code, {.simd = s, .workgroup = s});
    m.run();
    for (unsigned s = 0; s < count; ++s) EXPECT_EQ(m.vgpr(s, 0, 1, 7), 700u);
    if (count == 1) {
      one = m.finished_at;
    } else {
      // The instruction cache is shared, the simds are not.
      EXPECT_LT(m.finished_at, one + one / 2);
    }
  }
  // One dependent instruction each 4 cycles, plus the instruction fetches.
  EXPECT_GT(one, 400u);
  EXPECT_LT(one, 700u);
}

TEST(ComputeUnit, TwoWavesOfOneSimdShareTheVectorUnit) {
  std::vector<std::string> lines;
  for (int n = 0; n < 100; ++n) lines.push_back("v_add_u32 v1, v1, v0");
  lines.push_back("s_endpgm");
  Machine m;
  const uint64_t code = m.load(lines);
  m.launch(code, {.slot = 0, .workgroup = 0});
  m.launch(code, {.slot = 1, .workgroup = 1});
  m.run();
  EXPECT_GT(m.finished_at, 800u);
  EXPECT_EQ(m.vgpr(0, 0, 1, 3), 300u);
  EXPECT_EQ(m.vgpr(0, 1, 1, 3), 300u);
}

TEST(ComputeUnit, PriorityGoesFirst) {
  std::vector<std::string> lines;
  for (int n = 0; n < 60; ++n) lines.push_back("v_add_u32 v1, v1, v0");
  lines.push_back("s_endpgm");
  for (const bool raised : {false, true}) {
    Machine m({.instruction_latency = 1});
    const uint64_t code = m.load(lines);
    m.launch(code, {.slot = 0, .workgroup = 0});
    const uint64_t second = m.launch(
        code, {.slot = 1, .workgroup = 1, .priority = static_cast<uint8_t>(raised ? 2 : 0)});
    m.run();
    ASSERT_EQ(m.done.size(), 2u);
    EXPECT_EQ(m.done[0].id == second, raised);
  }
}

TEST(ComputeUnit, ErrorsNameTheInstruction) {
  struct Case {
    std::vector<uint32_t> words;
    uint32_t code;
    const char* text;
  };
  const Case cases[] = {
      {{0xbf800000, 0xffffffff},
       hsa::kQueueErrorIllegalInstruction,
       "illegal instruction 0xffffffff: "},
      {{0xbf800000, 0xbf8d0001, 0xbf810000}, hsa::kQueueErrorException, "halted"},
      // v_mov_b32 v0, lds_direct
      {{0xbf800000, 0x7e0002fe, 0xbf810000}, hsa::kQueueErrorIllegalInstruction, "unsupported"},
      // falls off the end of its memory
      {std::vector<uint32_t>(16, 0xbf800000), hsa::kQueueErrorMemoryFault, "unmapped"},
  };
  for (const Case& c : cases) {
    Machine m;
    const uint64_t pc = m.load_words(c.words);
    m.launch(pc);
    m.run();
    ASSERT_EQ(m.done.size(), 1u);
    EXPECT_TRUE(m.done[0].error);
    EXPECT_EQ(m.done[0].error_code, c.code) << c.text;
    EXPECT_EQ(m.done[0].error_pc, c.words.size() == 16 ? pc + 64 : pc + 4) << c.text;
    EXPECT_NE(m.cu->failure().find(c.text), std::string::npos) << m.cu->failure();
  }
}

/// The block that lacks an instruction is named, and a fallback only where there is one.
TEST(ComputeUnit, AnInstructionASimdLacksNamesTheSimd) {
  const std::vector<uint32_t> move = {0x7e000280, 0xbf810000};  // v_mov_b32 v0, 0
  Options options;
  options.simd = "dut:empty";
  for (const bool one : {false, true}) {
    options.simd_in_simd0_only = one;
    Machine m(options);
    const uint64_t pc = m.load_words(move);
    m.launch(pc, {.simd = 1});
    m.run();
    ASSERT_EQ(m.done.size(), 1u);
    EXPECT_EQ(m.done[0].error, !one) << "SIMD 1 has ours then";
    m.launch(pc, {.simd = 0});
    m.run();
    ASSERT_EQ(m.done.size(), 2u);
    EXPECT_TRUE(m.done[1].error);
    const std::string& why = m.cu->failure();
    EXPECT_NE(why.find("simd implementation 'dut:empty' does not have it"), std::string::npos)
        << why;
    EXPECT_EQ(why.find("fallback"), std::string::npos) << why;
  }
}

TEST(ComputeUnit, MessagesLeave) {
  Machine m;
  m.run_one({"s_mov_b32 m0, 0x55", "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_endpgm"});
  ASSERT_NE(m.cu->messages.front(m.now), nullptr);
  const Message message = m.cu->messages.pop(m.now);
  EXPECT_EQ(message.message, 1u);
  EXPECT_EQ(message.m0, 0x55u);
}

TEST(ComputeUnit, InstructionCacheInvalidateSeesNewCode) {
  Machine m;
  const uint64_t out = m.buffer(256);
  // The program replaces "v_mov_b32 v1, 1" by "v_mov_b32 v1, 2" far ahead of itself, then jumps.
  auto lines = with_store({"s_getpc_b64 s[4:5]", "v_mov_b32 v3, 0x7e020282", "v_mov_b32 v4, 0",
                           "global_store_dword v4, v3, s[4:5] offset:252", "s_waitcnt vmcnt(0)",
                           "s_icache_inv"});
  const auto tail = std::vector<std::string>(lines.end() - 3, lines.end());
  lines.resize(lines.size() - 3);
  // s[4:5] + 252 is 256 bytes after the start: 4 + 252. Words so far: 1 + 2 + 1 + 2 + 1 + 1 = 8.
  for (int n = 8; n < 64; ++n) lines.push_back("s_nop 0");
  lines.push_back("v_mov_b32 v1, 1");
  lines.insert(lines.end(), tail.begin(), tail.end());
  m.run_one(lines, {.exec = 1, .sgpr = pointers({out})});
  EXPECT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  EXPECT_EQ(m.word(out), 2u);
  EXPECT_EQ(m.instruction.invalidates, 1u);
}

/// A program with everything in it, for comparisons of time and records.
std::vector<std::string> mixed_program() {
  return with_store({"s_load_dwordx2 s[8:9], s[0:1], 0x0",
                     "v_lshlrev_b32 v4, 2, v0",
                     "global_load_dword v5, v4, s[2:3]",
                     "s_mov_b32 s10, 3",
                     "more: v_add_u32 v6, s10, v0",
                     "v_lshlrev_b32 v7, 4, v0",
                     "v_and_b32 v7, 0xfc, v7",
                     "ds_add_u32 v7, v6",
                     "s_sub_u32 s10, s10, 1",
                     "s_cmp_lg_u32 s10, 0",
                     "s_cbranch_scc1 more",
                     "v_rcp_f32 v9, v6",
                     "s_barrier",
                     "ds_read_b32 v8, v4",
                     "v_cmp_lt_u32 vcc, 31, v0",
                     "v_cndmask_b32 v10, v9, v6, vcc",
                     "s_waitcnt vmcnt(0) lgkmcnt(0)",
                     "v_add_u32 v1, v5, v8",
                     "v_add_u32 v1, s8, v1",
                     "v_xor_b32 v1, v10, v1"});
}

struct Trace {
  Cycle end = 0;
  std::map<std::pair<uint64_t, uint64_t>, wave::RetireRecord> records;
  std::vector<uint32_t> memory;
  uint64_t busy = 0;
  unsigned ticks = 0;
};

Trace run_mixed(const Options& options) {
  Machine m(options);
  const uint64_t out = m.buffer(4 * 256);
  const uint64_t in = m.buffer(256);
  for (uint32_t n = 0; n < 64; ++n) m.set(in + 4 * n, 3 * n);
  m.set(out, 17);
  Trace t;
  m.cu->observe([&](const wave::RetireRecord& r) { t.records[{r.wave, r.order}] = r; });
  const uint64_t code = m.load(mixed_program());
  for (unsigned wave = 0; wave < 4; ++wave) {
    m.launch(code, {.simd = wave % 2,
                    .slot = wave / 2,
                    .workgroup = wave / 2,
                    .wave_in_group = wave % 2,
                    .waves_in_group = 2,
                    .lds_bytes = 256,
                    .sgpr = pointers({out, in})});
  }
  m.run();
  t.end = m.finished_at;
  for (uint32_t n = 0; n < 64; ++n) t.memory.push_back(m.word(out + 4 * n));
  t.busy = m.cu->counters().busy_cycles;
  t.ticks = m.ticks;
  EXPECT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  return t;
}

TEST(ComputeUnit, SkippingAndTickOrderChangeNothing) {
  for (const char* valu : {"tlm", "beats"}) {
    Options options;
    options.valu = valu;
    options.clock = Clock::EveryCycle;
    const Trace every = run_mixed(options);
    for (const bool caches_first : {false, true}) {
      for (const Clock clock : {Clock::EveryCycle, Clock::Skip}) {
        options.caches_first = caches_first;
        options.clock = clock;
        const Trace other = run_mixed(options);
        EXPECT_EQ(other.end, every.end) << valu;
        EXPECT_EQ(other.busy, every.busy) << valu;
        EXPECT_EQ(other.memory, every.memory) << valu;
        EXPECT_EQ(other.records.size(), every.records.size());
        if (clock == Clock::Skip) {
          EXPECT_LT(other.ticks, every.ticks);
        }
      }
    }
  }
}

TEST(ComputeUnit, BothWaysOfTheSimdRetireTheSame) {
  Options options;
  const Trace whole = run_mixed(options);
  options.valu = "beats";
  const Trace beats = run_mixed(options);
  EXPECT_EQ(whole.memory, beats.memory);
  ASSERT_EQ(whole.records.size(), beats.records.size());
  for (const auto& [key, a] : whole.records) {
    const auto found = beats.records.find(key);
    ASSERT_NE(found, beats.records.end());
    const wave::RetireRecord& b = found->second;
    EXPECT_EQ(a.pc, b.pc);
    EXPECT_EQ(a.exec, b.exec);
    EXPECT_EQ(a.flags, b.flags);
    ASSERT_EQ(a.vector_writes.size(), b.vector_writes.size());
    for (size_t n = 0; n < a.vector_writes.size(); ++n) {
      EXPECT_EQ(a.vector_writes[n].index, b.vector_writes[n].index);
      EXPECT_EQ(a.vector_writes[n].lanes, b.vector_writes[n].lanes);
      EXPECT_EQ(a.vector_writes[n].data, b.vector_writes[n].data);
    }
    ASSERT_EQ(a.scalar_writes.size(), b.scalar_writes.size());
    EXPECT_EQ(a.accesses.size(), b.accesses.size());
  }
}

TEST(ComputeUnit, RecordsSayWhatAnInstructionDid) {
  Machine m;
  const uint64_t out = m.buffer(256);
  m.set(out, 77);
  std::map<uint64_t, wave::RetireRecord> by_order;
  m.cu->observe([&](const wave::RetireRecord& r) { by_order[r.order] = r; });
  m.run_one({"s_mov_b32 s4, 9", "v_cmp_gt_u32 s[6:7], s4, v0", "v_mov_b32 v1, 0",
             "global_load_dword v3, v1, s[0:1]", "s_waitcnt vmcnt(0)",
             "s_load_dword s5, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "s_endpgm"},
            {.exec = 0xff00, .sgpr = pointers({out})});
  ASSERT_EQ(by_order.size(), 8u);
  ASSERT_EQ(by_order[0].scalar_writes.size(), 1u);
  EXPECT_EQ(by_order[0].scalar_writes[0].code, 4);
  EXPECT_EQ(by_order[0].scalar_writes[0].value, 9u);
  ASSERT_EQ(by_order[1].scalar_writes.size(), 1u);  // s7 stays 0
  EXPECT_EQ(by_order[1].scalar_writes[0].code, 6);
  EXPECT_EQ(by_order[1].scalar_writes[0].value, 0x100u) << "only lane 8 of lanes 8 to 15";
  ASSERT_EQ(by_order[2].vector_writes.size(), 1u);
  EXPECT_EQ(by_order[2].vector_writes[0].lanes, 0xff00u);
  ASSERT_EQ(by_order[3].vector_writes.size(), 1u);
  EXPECT_EQ(by_order[3].vector_writes[0].index, 3);
  EXPECT_EQ(by_order[3].vector_writes[0].data[8], 77u);
  EXPECT_EQ(by_order[3].vector_writes[0].data[0], 0u);
  ASSERT_EQ(by_order[3].accesses.size(), 8u);
  EXPECT_EQ(by_order[3].accesses[0].address, out);
  EXPECT_EQ(by_order[3].accesses[0].bytes[0], 77);
  ASSERT_EQ(by_order[5].scalar_writes.size(), 1u);
  EXPECT_EQ(by_order[5].scalar_writes[0].value, 77u);
}

}  // namespace
}  // namespace cuvette::compute_unit::testing
