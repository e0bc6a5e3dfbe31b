// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "csv.h"
#include "isa/decode.h"
#include "isa/registers.h"
#include "wave/lane_op.h"
#include "wave/vector.h"
#include "wave_valu_support.h"

// The register side of the vector ALU: operands, DPP, SDWA, masks, lane moves.
namespace cuvette::wave {
namespace {

using test::Case;
using test::kAllLanes;

bool is_vop(const isa::Row& row) {
  using isa::Format;
  switch (row.format) {
    case Format::Vop1:
    case Format::Vop2:
    case Format::Vopc:
    case Format::Vop3a:
    case Format::Vop3b:
    case Format::Vop3p:
      return true;
    default:
      return false;
  }
}

/// When all tests have run: every row has semantics, and each row of its own (by row id, so the two
/// rows of one mnemonic count apart) was made by a test that checks values.
class Coverage : public ::testing::Environment {
 public:
  void TearDown() override {
    unsigned all = 0, have = 0, tested = 0;
    for (const isa::Row& row : isa::rows()) {
      if (!is_vop(row) || row.has(isa::kGraphicsOnly)) continue;
      if (row.semantic == isa::SemanticId::v_accvgpr_mov_b32) continue;  // the matrix unit's
      ++all;
      const std::string id = isa::row_id(row);
      if (has_vector_semantics(row.semantic)) {
        ++have;
      } else {
        std::printf("  absent: %s\n", id.c_str());
      }
      if (test::rows_used().count(id) != 0) {
        ++tested;
      } else if (::testing::GTEST_FLAG(filter) == "*" &&
                 std::getenv("GTEST_TOTAL_SHARDS") == nullptr) {
        ADD_FAILURE() << id << " has no test of its values";
      }
    }
    std::printf("semantics: %u of %u VALU rows\n", have, all);
    std::printf("semantics tested: %u of %u VALU rows\n", tested, all);
    EXPECT_EQ(have, all);
  }
};
[[maybe_unused]] const auto* const kCoverage = ::testing::AddGlobalTestEnvironment(new Coverage);

TEST(Decoded, LedgerExamplesExecute) {
  std::vector<csv::Row> rows = csv::read("ledger/isa_opcodes.csv");
  ASSERT_FALSE(rows.empty());
  const csv::Row header = rows.front();
  rows.erase(rows.begin());
  const auto column = [&](const char* name) {
    return static_cast<size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  const size_t target_at = column("example_target"),
               bytes_at = column("example_bytes_memory_order");
  unsigned executed = 0;
  for (const csv::Row& fields : rows) {
    if (fields[0].rfind("VOP", 0) != 0 || fields[0] == "VOP3P-MAI") continue;
    const auto target = isa::target_from_name(fields[target_at]);
    if (!target) continue;
    const std::string& bytes = fields[bytes_at];
    std::vector<uint32_t> words;
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      const auto memory = static_cast<uint32_t>(std::stoul(bytes.substr(at, 8), nullptr, 16));
      words.push_back(__builtin_bswap32(memory));
    }
    const isa::Decoded decoded = isa::decode(*target, words.data(), words.size());
    ASSERT_EQ(decoded.status, isa::DecodeStatus::Legal) << fields[2];
    if (!has_vector_semantics(decoded.instruction.semantic())) continue;
    test::Machine m;
    m.wave.s.set_exec(kAllLanes);
    EXPECT_EQ(execute_vector(m.wave, decoded.instruction).event, Event::None) << fields[2];
    ++executed;
  }
  EXPECT_EQ(executed, 491u);
}

/// Decoded words with a result worked out by hand.
TEST(Decoded, ByHand) {
  struct Word {
    const char* text;
    uint32_t words[2];
    unsigned count;
    uint32_t v1, v2, v3, expected;  ///< VGPRs before; v0 after
    uint64_t vcc;
  };
  const Word table[] = {
      // v_madmk_f32 v0, v1, 0x40400000, v2: v1 * 3 + v2
      {"v_madmk_f32", {0x2e000501, 0x40400000}, 2, 0x40000000, 0x3f800000, 0, 0x40e00000, 0},
      // v_madak_f32 v0, v1, v2, 0x40400000: v1 * v2 + 3
      {"v_madak_f32", {0x30000501, 0x40400000}, 2, 0x40000000, 0x40000000, 0, 0x40e00000, 0},
      // v_addc_co_u32_e32 v0, vcc, v1, v2, vcc
      {"v_addc_co_u32", {0x38000501, 0}, 1, 5, 6, 0, 12, kAllLanes},
      // v_cndmask_b32_e64 v0, v1, -v2, vcc
      {"v_cndmask_b32", {0xd1000000, 0x41aa0501}, 2, 1, 2, 0, 0x80000002, kAllLanes},
      // v_add_f32_sdwa v0, |v1|, v2 dst_sel:DWORD src0_sel:DWORD src1_sel:DWORD
      {"v_add_f32", {0x020004f9, 0x06260601}, 2, 0xc0000000, 0x3f800000, 0, 0x40400000, 0},
      // v_mad_u32_u24 v0, v1, v2, v3
      {"v_mad_u32_u24", {0xd1c30000, 0x040e0501}, 2, 0xff000007, 6, 5, 47, 0},
      // v_lshl_add_u32 v0, v1, 3, v3
      {"v_lshl_add_u32", {0xd1fd0000, 0x040d0701}, 2, 5, 0, 2, 42, 0},
  };
  for (const Word& w : table) {
    const isa::Decoded decoded = isa::decode(isa::Target::Gfx908, w.words, w.count);
    ASSERT_EQ(decoded.status, isa::DecodeStatus::Legal) << w.text;
    ASSERT_EQ(decoded.instruction.row->mnemonic, w.text);
    test::Machine m;
    m.wave.s.set_exec(kAllLanes);
    m.wave.s.set_vcc(w.vcc);
    m.arch[1].fill(w.v1);
    m.arch[2].fill(w.v2);
    m.arch[3].fill(w.v3);
    execute_vector(m.wave, decoded.instruction);
    EXPECT_EQ(m.arch[0][33], w.expected) << w.text;
  }
}

TEST(Masks, Cndmask) {
  Case c;
  c.mnemonic = "v_cndmask_b32";
  c.src[0].fill(0x3f800000);
  c.src[1].fill(0xc0000000);
  c.vcc = 0xf0;
  test::Outputs out = test::run(c);
  EXPECT_EQ(out.dst[3], 0x3f800000u);
  EXPECT_EQ(out.dst[4], 0xc0000000u);
  EXPECT_EQ(out.mask, 0xf0u);
  c.mod.neg = 3;  // sign-bit edits of either operand
  c.mod.abs = 2;
  out = test::run(c);
  EXPECT_EQ(out.dst[3], 0xbf800000u);
  EXPECT_EQ(out.dst[4], 0xc0000000u);
}

TEST(Masks, ScalarPairsInsteadOfVcc) {
  // V_CMP to s[4:5]; V_ADDC reading s[6:7] and writing s[8:9]; VCC is left alone.
  test::Machine m;
  m.wave.s.set_exec(0xff);
  m.wave.s.set_vcc(0x1234);
  m.wave.s.set_pair(4, kAllLanes);
  Case c;
  c.mnemonic = "v_cmp_eq_u32";
  isa::Instruction in = test::instruction_of(c);
  in.dst[0].index = 4;
  in.src[1].index = in.src[0].index;
  execute_vector(m.wave, in);
  EXPECT_EQ(m.wave.s.pair(4), 0xffu);
  c.mnemonic = "v_addc_co_u32";
  in = test::instruction_of(c);
  in.dst[1].index = 8;
  in.src[2].index = 6;
  m.wave.s.set_pair(6, 0x0f);
  for (unsigned lane = 0; lane < 64; ++lane)
    m.arch[in.src[0].index][lane] = lane % 2 == 0 ? ~0u : 5;
  execute_vector(m.wave, in);
  EXPECT_EQ(m.wave.s.pair(8), 0x05u);
  EXPECT_EQ(m.arch[test::kDestination][0], 0u);
  EXPECT_EQ(m.arch[test::kDestination][1], 6u);
  EXPECT_EQ(m.arch[test::kDestination][4], ~0u);
  EXPECT_EQ(m.wave.s.vcc(), 0x1234u);
}

TEST(Masks, CmpxShrinksExec) {
  Case c;
  c.mnemonic = "v_cmpx_lt_u32";
  c.exec = 0x0fffffffffffffff;
  for (unsigned lane = 0; lane < 64; ++lane) {
    c.src[0][lane] = lane;
    c.src[1][lane] = 10;
  }
  const test::Outputs out = test::run(c);
  EXPECT_EQ(out.mask, 0x3ffu);
  EXPECT_EQ(out.exec, 0x3ffu);
}

TEST(Operands, Scalars) {
  test::Machine m;
  m.wave.s.set_exec(kAllLanes);
  Case c;
  c.mnemonic = "v_add_u32";
  isa::Instruction in = test::instruction_of(c);
  const auto result_with = [&](isa::OperandKind kind, uint16_t index, uint64_t value) {
    in.src[0].kind = kind;
    in.src[0].index = index;
    in.src[0].value = value;
    execute_vector(m.wave, in);
    return m.arch[test::kDestination][17];
  };
  m.wave.s.sgpr[9] = 77;
  m.wave.s.sgpr[isa::kM0] = 78;
  m.wave.s.scc = true;
  using isa::OperandKind;
  EXPECT_EQ(result_with(OperandKind::Sgpr, 9, 0), 77u);
  EXPECT_EQ(result_with(OperandKind::Sgpr, isa::kM0, 0), 78u);
  EXPECT_EQ(result_with(OperandKind::Sgpr, isa::kExecHi, 0), ~0u);
  EXPECT_EQ(result_with(OperandKind::Inline, 193, 0xffffffff), ~0u);
  EXPECT_EQ(result_with(OperandKind::Literal, 255, 0x12345678), 0x12345678u);
  EXPECT_EQ(result_with(OperandKind::Special, isa::kVccz, 0), 1u);
  EXPECT_EQ(result_with(OperandKind::Special, isa::kExecz, 0), 0u);
  EXPECT_EQ(result_with(OperandKind::Special, isa::kScc, 0), 1u);
  // A scalar pair for a 64-bit operand.
  c.mnemonic = "v_lshlrev_b64";
  in = test::instruction_of(c);
  m.wave.s.set_pair(12, 0x8000000000000001);
  in.src[1].kind = OperandKind::Sgpr;
  in.src[1].index = 12;
  m.arch[in.src[0].index].fill(4);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[test::kDestination][3], 0x10u);
  EXPECT_EQ(m.arch[test::kDestination + 1][3], 0u);
  in.src[1].kind = OperandKind::Special;
  in.src[1].index = isa::kLdsDirect;
  EXPECT_EQ(execute_vector(m.wave, in).event, Event::Unsupported);
}

TEST(Operands, OutOfRange) {
  // MI100 ISA 6.2.3: a source reads VGPR0, a destination is not written; one bad destination of two
  // suppresses both.
  test::Machine m;
  m.wave.alloc.vgprs = 72;
  m.wave.s.set_exec(kAllLanes);
  m.arch[0].fill(42);
  Case c;
  c.mnemonic = "v_mov_b32";
  isa::Instruction in = test::instruction_of(c);
  in.src[0].index = 72;
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[test::kDestination][0], 42u);
  in.dst[0].index = 72;
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[72][0], 0u);
  c.mnemonic = "v_add_co_u32";
  in = test::instruction_of(c);
  m.arch[in.src[0].index].fill(~0u);
  m.arch[in.src[1].index].fill(1);
  in.dst[0].index = 80;
  m.wave.s.set_vcc(3);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.wave.s.vcc(), 3u);
  in = test::instruction_of(c);
  m.wave.alloc.sgprs = 96;
  in.dst[1].index = 96;
  m.arch[test::kDestination].fill(9);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[test::kDestination][0], 9u);
  c.mnemonic = "v_lshlrev_b64";
  in = test::instruction_of(c);
  in.dst[0].index = 71;  // the upper half is outside
  m.arch[71].fill(5);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[71][0], 5u);
}

TEST(Operands, OverlappingPairs) {
  // v[65:66] = v[64:65] << 8: the low half of the source is read before it is overwritten.
  test::Machine m;
  m.wave.s.set_exec(kAllLanes);
  Case c;
  c.mnemonic = "v_lshlrev_b64";
  isa::Instruction in = test::instruction_of(c);
  m.arch[in.src[0].index].fill(8);
  in.src[1].index = 64;
  in.dst[0].index = 65;
  m.arch[64].fill(0x11223344);
  m.arch[65].fill(0x55667788);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[65][9], 0x22334400u);
  EXPECT_EQ(m.arch[66][9], 0x66778811u);
}

TEST(Operands, VgprIndexing) {
  // MI100 ISA 6.6: M0[7:0] is added where M0[15:12] and MODE.GPR_IDX_EN say.
  test::Machine m;
  m.wave.s.set_exec(kAllLanes);
  m.wave.s.mode.raw |= 1u << 27;
  for (unsigned r = 0; r < 128; ++r) m.arch[r].fill(r);
  Case c;
  c.mnemonic = "v_add_u32";
  const isa::Instruction in = test::instruction_of(c);
  const unsigned a = in.src[0].index, b = in.src[1].index;
  for (unsigned enable = 0; enable < 16; ++enable) {
    m.wave.s.sgpr[isa::kM0] = enable << 12 | 3;
    const unsigned dst = test::kDestination + ((enable & 8) != 0 ? 3 : 0);
    m.arch[dst].fill(999);
    execute_vector(m.wave, in);
    EXPECT_EQ(m.arch[dst][1], a + ((enable & 1) != 0 ? 3 : 0) + b + ((enable & 2) != 0 ? 3 : 0))
        << enable;
  }
  // All eight bits of the index count: register 128 and up is not there, which reads register 0.
  m.wave.s.sgpr[isa::kM0] = 1u << 12 | 0x80;
  m.arch[0].fill(777);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[test::kDestination][1], 777 + b);
  // An accumulator is moved by the destination's enable, read and written; that of source 2 is
  // nothing to it (MI100 ISA 6.6.2, Vega ISA "VGPR Indexing").
  c.mnemonic = "v_mac_f32";
  const isa::Instruction mac = test::instruction_of(c);
  m.arch[mac.src[0].index].fill(0x40000000);
  m.arch[mac.src[1].index].fill(0x40400000);
  m.arch[test::kDestination].fill(0x3f800000);
  m.arch[test::kDestination + 3].fill(0x41200000);
  m.wave.s.sgpr[isa::kM0] = 8u << 12 | 3;
  m.wave.s.set_exec(~uint64_t{2});
  execute_vector(m.wave, mac);
  EXPECT_EQ(m.arch[test::kDestination][0], 0x3f800000u);
  EXPECT_EQ(m.arch[test::kDestination + 3][0], 0x41800000u);  // 2 * 3 + 10
  EXPECT_EQ(m.arch[test::kDestination + 3][1], 0x41200000u);
  m.wave.s.sgpr[isa::kM0] = 4u << 12 | 3;
  execute_vector(m.wave, mac);
  EXPECT_EQ(m.arch[test::kDestination][0], 0x40e00000u);  // 2 * 3 + 1
}

TEST(LaneMoves, ReadAndWrite) {
  test::Machine m;
  Case c;
  c.mnemonic = "v_readlane_b32";
  isa::Instruction in = test::instruction_of(c);
  in.dst[0].kind = isa::OperandKind::Sgpr;
  in.dst[0].index = 5;
  in.src[1].kind = isa::OperandKind::Sgpr;
  in.src[1].index = 6;
  for (unsigned lane = 0; lane < 64; ++lane) m.arch[in.src[0].index][lane] = 100 + lane;
  m.wave.s.set_exec(0);  // EXEC takes no part
  m.wave.s.sgpr[6] = 64 + 33;
  execute_vector(m.wave, in);
  EXPECT_EQ(m.wave.s.sgpr[5], 133u) << "v_readlane_b32";

  c.mnemonic = "v_readfirstlane_b32";
  in = test::instruction_of(c);
  in.dst[0].kind = isa::OperandKind::Sgpr;
  in.dst[0].index = 5;
  execute_vector(m.wave, in);
  EXPECT_EQ(m.wave.s.sgpr[5], 100u) << "v_readfirstlane_b32";
  m.wave.s.set_exec(0xff0000000000);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.wave.s.sgpr[5], 140u) << "v_readfirstlane_b32";

  c.mnemonic = "v_writelane_b32";
  in = test::instruction_of(c);
  in.src[0].kind = in.src[1].kind = isa::OperandKind::Sgpr;
  in.src[0].index = 7;
  in.src[1].index = isa::kM0;
  m.wave.s.sgpr[7] = 4711;
  m.wave.s.sgpr[isa::kM0] = 63;
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[test::kDestination][63], 4711u) << "v_writelane_b32";
  EXPECT_EQ(m.arch[test::kDestination][62], 0u) << "v_writelane_b32";
}

TEST(LaneMoves, Swap) {
  test::Machine m;
  Case c;
  c.mnemonic = "v_swap_b32";
  const isa::Instruction in = test::instruction_of(c);
  m.arch[in.dst[0].index].fill(1);
  m.arch[in.src[0].index].fill(2);
  m.wave.s.set_exec(0xf0);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.arch[in.dst[0].index][4], 2u);
  EXPECT_EQ(m.arch[in.src[0].index][4], 1u);
  EXPECT_EQ(m.arch[in.dst[0].index][3], 1u);
  EXPECT_EQ(m.arch[in.src[0].index][3], 2u);
}

TEST(LaneMoves, CountsOfLanesBelow) {
  Case c;
  for (unsigned lane = 0; lane < 64; ++lane) {
    c.src[0][lane] = 0xf0f1a5c3;
    c.src[1][lane] = 1000;
  }
  for (const std::string name : {"v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32"}) {
    c.mnemonic = name;
    c.exec = 0xfffffffffffffff0;  // lane ids count, not enabled lanes
    const test::Outputs out = test::run(c);
    const unsigned first = name == "v_mbcnt_hi_u32_b32" ? 32 : 0;
    for (unsigned lane = 4; lane < 64; ++lane) {
      uint32_t expected = 1000;
      for (unsigned bit = 0; bit < 32; ++bit) {
        if (first + bit < lane) expected += (0xf0f1a5c3u >> bit) & 1;
      }
      ASSERT_EQ(out.dst[lane], expected) << name << " lane " << lane;
    }
  }
  // A beat of the valu block names its first lane.
  const isa::Instruction in = test::instruction_of(c);
  LaneRow ones, zeros, out;
  ones.fill(~0u);
  zeros.fill(0);
  LaneOp op;
  op.instruction = &in;
  op.lanes = 16;
  op.first_lane = 48;
  op.exec = 0xffff;
  op.src[0][0] = ones.data();
  op.src[1][0] = zeros.data();
  LaneResult result;
  result.dst[0] = out.data();
  lane_handler(isa::SemanticId::v_mbcnt_hi_u32_b32)(op, result);
  EXPECT_EQ(out[3], 19u);
}

TEST(LaneMoves, PackHalves) {
  Case c;
  c.mnemonic = "v_pack_b32_f16";
  c.src[0].fill(0x11112222);
  c.src[1].fill(0x33334444);
  EXPECT_EQ(test::run(c).dst[0], 0x44442222u);
  c.mod.op_sel = 3;
  c.mod.neg = 1;
  EXPECT_EQ(test::run(c).dst[0], 0x33339111u);
}

TEST(LaneMoves, ScreenPartition) {
  // Rows of 16 of the table in Vega ISA 12.7, row 55.
  const char* const table =
      "137f5fff7ffffffff26efafffbffffffdf4cff5fffdfffff9bf8fffafffeffff"
      "ffff4cdf6fffeffffffff89bf99ffdffffff7f13ff9fffbfffff6ef26ff6fff7"
      "bfffffff23bfaffff7fffffff19df5ffffefffffef8cffaffffdffff67f4fff5"
      "9fffdfffffff8ceff66ffefffffff467ff6fff7fffffbf239ff9fffbffff9df1";
  for (unsigned base = 0; base < 256; base += 64) {
    Case c;
    c.mnemonic = "v_screen_partition_4se_b32";
    for (unsigned lane = 0; lane < 64; ++lane) c.src[0][lane] = base + lane;
    const test::Outputs out = test::run(c);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const char digit = table[base + lane];
      const auto expected = static_cast<uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
      ASSERT_EQ(out.dst[lane], expected) << "v_screen_partition_4se_b32 " << base + lane;
    }
  }
}

TEST(LaneMoves, NothingHappens) {
  for (const char* name : {"v_nop", "v_clrexcp"}) {
    test::Machine m;
    m.wave.s.set_exec(kAllLanes);
    m.wave.s.trapsts = 5;
    Case c;
    c.mnemonic = name;
    EXPECT_EQ(execute_vector(m.wave, test::instruction_of(c)).event, Event::None) << name;
    EXPECT_EQ(m.wave.s.trapsts, 5u) << name;
  }
}

TEST(Flags, AccumulateInTrapsts) {
  test::Machine m;
  m.wave.s.set_exec(1);
  m.wave.s.trapsts = kSaveCtx;
  Case c;
  c.mnemonic = "v_mul_f32";
  const isa::Instruction in = test::instruction_of(c);
  m.arch[in.src[0].index].fill(0x7f7fffff);
  m.arch[in.src[1].index].fill(0x7f7fffff);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.wave.s.trapsts, kSaveCtx | 0x28u);  // overflow, inexact
  m.arch[in.src[0].index].fill(0x7fa00000);
  execute_vector(m.wave, in);
  EXPECT_EQ(m.wave.s.trapsts, kSaveCtx | 0x29u);  // and invalid
}

}  // namespace
}  // namespace cuvette::wave
