// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "csv.h"
#include "isa/decode.h"
#include "wave_fixture.h"

// Decoder, dispatch and semantics together: machine words of the ledger, assembled by LLVM, through
// execute().
namespace cuvette::wave::testing {
namespace {

using isa::Target;

/// "080c0480" in memory order is the word 0x80040c08.
std::vector<uint32_t> words_of(const std::string& bytes) {
  std::vector<uint32_t> words;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint32_t word = 0;
    for (unsigned n = 0; n < 4; ++n) {
      word |= static_cast<uint32_t>(std::stoul(bytes.substr(at + 2 * n, 2), nullptr, 16)) << 8 * n;
    }
    words.push_back(word);
  }
  return words;
}

Outcome run(Wave& wave, Target target, const std::vector<uint32_t>& words, MemoryOp& op,
            isa::Decoded& decoded) {
  decoded = isa::decode(target, words.data(), words.size());
  EXPECT_NE(decoded.status, isa::DecodeStatus::Illegal);
  wave.state.s.pc += 4 * decoded.length;
  return execute(wave.state, decoded.instruction, op);
}

TEST(WaveExecute, LedgerExamples) {
  std::vector<csv::Row> rows = csv::read("ledger/isa_opcodes.csv");
  ASSERT_FALSE(rows.empty());
  const csv::Row names = rows.front();
  rows.erase(rows.begin());
  const auto column = [&names](const char* name) {
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const size_t target_at = column("example_target"),
               bytes_at = column("example_bytes_memory_order");
  const size_t text_at = column("example_text");
  unsigned executed = 0, supported = 0;
  for (const csv::Row& fields : rows) {
    ASSERT_EQ(fields.size(), names.size()) << fields.front();
    if (fields[bytes_at].empty()) continue;
    const auto target = isa::target_from_name(fields[target_at]);
    ASSERT_TRUE(target.has_value()) << fields[target_at];
    Wave wave(*target);
    wave.state.alloc.scratch_bytes_per_lane = 1u << 16;
    MemoryOp op;
    isa::Decoded decoded;
    const Outcome outcome = run(wave, *target, words_of(fields[bytes_at]), op, decoded);
    const StatusOf status = status_of(*decoded.instruction.row, *target);
    // The outcome is as the status promises.
    EXPECT_EQ(outcome.event == Event::Unsupported, status.status == Status::Unsupported)
        << fields[text_at] << ": " << outcome.reason << " / " << status.reason;
    if (outcome.event == Event::Unsupported) {
      EXPECT_STRNE(outcome.reason, "") << fields[text_at];
    }
    if (outcome.event == Event::Memory) complete(wave.state, op, MemoryReply{});
    ++executed;
    supported += outcome.event != Event::Unsupported;
  }
  EXPECT_GT(executed, 1200u);
  std::printf("executed %u ledger examples, %u supported\n", executed, supported);
}

TEST(WaveExecute, MemoryWords) {
  Wave wave;
  MemoryOp op;
  isa::Decoded decoded;
  // global_load_dwordx2 v[4:5], v2, s[6:7] offset:-16
  wave.state.s.set_pair(6, 0x100000);
  wave.v[2].fill(0x40);
  EXPECT_EQ(run(wave, Target::Gfx908, {0xdc559ff0, 0x04060002}, op, decoded).event, Event::Memory);
  EXPECT_EQ(op.address[0][7], 0x100030u);
  EXPECT_EQ(op.dst, 4);
  // s_load_dwordx4 s[8:11], s[6:7], 0x10
  EXPECT_EQ(run(wave, Target::Gfx908, {0xc00a0203, 0x00000010}, op, decoded).event, Event::Memory);
  EXPECT_EQ(op.address[0][0], 0x100010u);
  EXPECT_EQ(op.dst, 8);
  // ds_write_b32 v1, v2 offset:8
  wave.v[1].fill(16);
  EXPECT_EQ(run(wave, Target::Gfx908, {0xd81a0008, 0x00000201}, op, decoded).event, Event::Memory);
  EXPECT_EQ(op.address[0][0], 24u);
  EXPECT_EQ(op.data[0][0], 0x40u);
}

TEST(WaveExecute, CacheEvents) {
  Wave wave;
  MemoryOp op;
  const auto event = [&](const char* mnemonic, Target target = Target::Gfx908) {
    return execute(wave.state, Build(mnemonic, target).i, op).event;
  };
  EXPECT_EQ(event("s_dcache_inv"), Event::ScalarCacheInvalidate);
  EXPECT_EQ(event("s_dcache_inv_vol"), Event::ScalarCacheInvalidate);
  EXPECT_EQ(event("s_dcache_wb"), Event::ScalarCacheWriteback);
  EXPECT_EQ(event("s_dcache_wb_vol"), Event::ScalarCacheWriteback);
  EXPECT_EQ(event("buffer_wbinvl1"), Event::VectorCacheInvalidate);
  EXPECT_EQ(event("buffer_wbinvl1_vol"), Event::VectorCacheInvalidate);
  EXPECT_EQ(event("buffer_wbl2", Target::Gfx90a), Event::L2Writeback);
  EXPECT_EQ(event("buffer_invl2", Target::Gfx90a), Event::L2Invalidate);
  EXPECT_EQ(event("buffer_inv", Target::Gfx942), Event::VectorCacheInvalidate);
  EXPECT_EQ(event("s_dcache_discard"), Event::None);
  EXPECT_EQ(event("ds_nop"), Event::None);
  Build scoped("buffer_inv", Target::Gfx942);
  scoped.i.mem.scc = true;
  EXPECT_EQ(execute(wave.state, scoped.i, op).argument, 2u);
}

TEST(WaveExecute, VectorSkip) {
  Wave wave;
  wave.state.s.mode.raw |= 1u << 28;
  wave.v[1].fill(5);
  MemoryOp op;
  isa::Decoded decoded;
  // v_mov_b32 v0, v1 and ds_write_b32 v1, v2 do nothing; s_mov_b32 s0, 1 and s_load run.
  EXPECT_EQ(run(wave, Target::Gfx908, {0x7e000301}, op, decoded).event, Event::None);
  EXPECT_EQ(wave.v[0][0], 0u);
  EXPECT_EQ(run(wave, Target::Gfx908, {0xd81a0000, 0x00000201}, op, decoded).event, Event::None);
  EXPECT_EQ(run(wave, Target::Gfx908, {0xbe800081}, op, decoded).event, Event::None);
  EXPECT_EQ(wave.sgpr(0), 1u);
  EXPECT_EQ(run(wave, Target::Gfx908, {0xc00a0203, 0x00000010}, op, decoded).event, Event::Memory);
  wave.state.s.mode.raw &= ~(1u << 28);
  EXPECT_EQ(run(wave, Target::Gfx908, {0x7e000301}, op, decoded).event, Event::None);
  EXPECT_EQ(wave.v[0][0], 5u);
}

TEST(WaveExecute, ScalarWords) {
  Wave wave;
  MemoryOp op;
  isa::Decoded decoded;
  // s_mov_b64 s[2:3], 0x80000001: the literal is zero-extended (decisions.md D3d)
  run(wave, Target::Gfx908, {0xbe8201ff, 0x80000001}, op, decoded);
  EXPECT_EQ(wave.state.s.pair(2), 0x80000001u);
  // s_mov_b64 s[2:3], 1.0 and -1
  run(wave, Target::Gfx908, {0xbe8201f2}, op, decoded);
  EXPECT_EQ(wave.state.s.pair(2), 0x3ff0000000000000u);
  run(wave, Target::Gfx908, {0xbe8201c1}, op, decoded);
  EXPECT_EQ(wave.state.s.pair(2), ~uint64_t{0});
  // s_cmpk_eq_i32 s2, 0xffff
  run(wave, Target::Gfx908, {0xb102ffff}, op, decoded);
  EXPECT_TRUE(wave.state.s.scc);
  // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3
  run(wave, Target::Gfx908, {0xba000801, 0x00000003}, op, decoded);
  EXPECT_EQ(wave.state.s.mode.raw & 0xf, 3u);
  // s_set_gpr_idx_on s2, 9
  run(wave, Target::Gfx908, {0xbf110902}, op, decoded);
  EXPECT_EQ(wave.sgpr(isa::kM0), 0x90ffu);
  // s_trap 2 at 0x1000 saves its own address
  wave.state.s.status = 1u << 6;
  wave.state.s.tba = 0x2000;  // a handler is there
  wave.state.s.pc = 0x1000;
  run(wave, Target::Gfx908, {0xbf920002}, op, decoded);
  EXPECT_EQ(wave.sgpr(isa::kTtmp0), 0x1000u);
}

}  // namespace
}  // namespace cuvette::wave::testing
