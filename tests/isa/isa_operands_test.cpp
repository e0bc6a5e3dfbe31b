// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Registers read and written, worked out by hand from the manuals.
#include <algorithm>

#include <gtest/gtest.h>

#include "isa/decode.h"
#include "isa/operands.h"

namespace cuvette::isa {
namespace {

constexpr RegisterRange v(uint16_t first, uint8_t count = 1) {
  return {RegisterFile::Vgpr, count, first};
}
constexpr RegisterRange a(uint16_t first, uint8_t count = 1) {
  return {RegisterFile::Agpr, count, first};
}
constexpr RegisterRange s(uint16_t first, uint8_t count = 1) {
  return {RegisterFile::Scalar, count, first};
}
constexpr RegisterRange kScc1{RegisterFile::Scc, 1, 0};
constexpr RegisterRange kVcc2 = s(106, 2), kExec2 = s(126, 2), kM01 = s(124);

struct Case {
  const char* text;
  Target target;
  std::vector<uint32_t> words;
  std::vector<RegisterRange> reads, writes;
};

std::vector<RegisterRange> sorted(std::vector<RegisterRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const RegisterRange& x, const RegisterRange& y) {
    return std::tuple(x.file, x.first, x.count) < std::tuple(y.file, y.first, y.count);
  });
  return ranges;
}

std::vector<RegisterRange> list(const RegisterSet& set) {
  return sorted({set.begin(), set.end()});
}

const Case kCases[] = {
    {"s_add_u32 s4, s8, s12", Target::Gfx900, {0x80040c08}, {s(8), s(12)}, {s(4), kScc1}},
    {"s_addc_u32 s4, s8, s12", Target::Gfx900, {0x82040c08}, {s(8), s(12), kScc1}, {s(4), kScc1}},
    {"s_and_saveexec_b64 s[4:5], s[8:9]",
     Target::Gfx900,
     {0xbe842008},
     {s(8, 2), kExec2},
     {s(4, 2), kExec2, kScc1}},
    {"s_quadmask_b32 s4, s8", Target::Gfx900, {0xbe842808}, {s(8)}, {s(4), kScc1}},
    {"s_cbranch_g_fork s[8:9], s[12:13]",
     Target::Gfx900,
     {0x94800c08},
     {s(8, 2), s(12, 2), kExec2},
     {kExec2}},
    {"s_cbranch_vccz 0", Target::Gfx900, {0xbf860000}, {kVcc2}, {}},
    {"s_addk_i32 s4, 0x1", Target::Gfx900, {0xb7040001}, {s(4)}, {s(4), kScc1}},
    {"s_load_dwordx4 s[4:7], s[8:9], 0x10",
     Target::Gfx900,
     {0xc00a0104, 0x10},
     {s(8, 2)},
     {s(4, 4)}},
    {"v_mac_f32_e32 v4, v8, v12",
     Target::Gfx900,
     {0x2c081908},
     {v(8), v(12), v(4), kExec2},
     {v(4)}},
    {"v_addc_co_u32_e32 v4, vcc, v8, v12, vcc",
     Target::Gfx900,
     {0x38081908},
     {v(8), v(12), kVcc2, kExec2},
     {v(4), kVcc2}},
    {"v_cmpx_lt_f32_e32 vcc, v8, v12",
     Target::Gfx900,
     {0x7ca21908},
     {v(8), v(12), kExec2},
     {kVcc2, kExec2}},
    {"v_cmp_eq_i32_e64 s[0:1], v8, v12",
     Target::Gfx900,
     {0xd0c20000, 0x00021908},
     {v(8), v(12), kExec2},
     {s(0, 2)}},
    {"v_swap_b32 v4, v8", Target::Gfx900, {0x7e08a308}, {v(4), v(8), kExec2}, {v(4), v(8)}},
    {"v_div_fmas_f32 v4, v8, v12, v16",
     Target::Gfx900,
     {0xd1e20004, 0x04421908},
     {v(8), v(12), v(16), kVcc2, kExec2},
     {v(4)}},
    {"v_mov_b32_e32 v4, src_execz", Target::Gfx900, {0x7e0802fc}, {kExec2, kExec2}, {v(4)}},
    {"flat_atomic_add_x2 v[8:9], v[12:13]",
     Target::Gfx908,
     {0xdd880000, 0x00000c08},
     {v(8, 2), v(12, 2), kExec2, s(102, 2)},
     {}},
    {"flat_atomic_add_x2 v[4:5], v[8:9], v[12:13] glc",
     Target::Gfx908,
     {0xdd890000, 0x04000c08},
     {v(8, 2), v(12, 2), kExec2, s(102, 2)},
     {v(4, 2)}},
    {"global_load_dword v4, v8, s[8:9]",
     Target::Gfx908,
     {0xdc508000, 0x04080008},
     {v(8), s(8, 2), kExec2},
     {v(4)}},
    {"buffer_load_dwordx2 v[4:6], off, s[8:11], 0 offset:16 tfe",
     Target::Gfx908,
     {0xe0540010, 0x80820400},
     {s(8, 4), kExec2},
     {v(4, 3)}},
    {"global_load_short_d16_hi v4, v[8:9], off",
     Target::Gfx908,
     {0xdc948000, 0x047f0008},
     {v(8, 2), v(4), kExec2},
     {v(4)}},
    {"v_mfma_f32_32x32x1f32 a[64:95], v8, v12, a[16:47]",
     Target::Gfx908,
     {0xd3c00040, 0x04421908},
     {v(8), v(12), a(16, 32), kExec2},
     {a(64, 32)}},
    {"v_smfmac_f32_16x16x32_f16 v[64:67], v[8:9], v[12:15], v16",
     Target::Gfx942,
     {0xd3e20040, 0x04421908},
     {v(8, 2), v(12, 4), v(16), v(64, 4), kExec2},
     {v(64, 4)}},
    {"ds_append v0", Target::Gfx908, {0xd97c0000, 0x00000000}, {kM01, kExec2}, {v(0)}},
    {"ds_write_b64 v0, v[2:3]",
     Target::Gfx908,
     {0xd89a0000, 0x00000200},
     {v(0), v(2, 2), kExec2},
     {}},
};

TEST(Operands, RegistersByHand) {
  for (const Case& c : kCases) {
    const Decoded out = decode(c.target, c.words.data(), c.words.size());
    ASSERT_EQ(out.status, DecodeStatus::Legal) << c.text << ": " << out.reason << out.field;
    EXPECT_EQ(list(registers_read(out.instruction)), sorted(c.reads)) << c.text;
    EXPECT_EQ(list(registers_written(out.instruction)), sorted(c.writes)) << c.text;
  }
}

TEST(Operands, SdwaPreserveReadsItsDestination) {
  // v_add_f32_sdwa v4, v8, v12 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD
  // src1_sel:DWORD
  const uint32_t words[] = {0x020818f9, 0x06061508};
  const Decoded out = decode(Target::Gfx908, words, 2);
  ASSERT_EQ(out.status, DecodeStatus::Legal);
  EXPECT_TRUE(registers_read(out.instruction).overlaps(v(4)));
}

TEST(Operands, Overlap) {
  RegisterSet set;
  set.add(v(4, 2));
  set.add(v(9, 0));
  EXPECT_EQ(set.count, 1);
  EXPECT_TRUE(set.overlaps(v(5)));
  EXPECT_FALSE(set.overlaps(v(6)));
  EXPECT_FALSE(set.overlaps(a(5)));
}

}  // namespace
}  // namespace cuvette::isa
