// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_rows.h"

// Memory operations whose bytes are not one piece, carried out on device memory; where the bytes
// have to be is worked out by hand (isa_notes 31, 34; Vega ISA 10.3).
namespace cuvette::golden::testing {
namespace {

/// decisions.md D8: 2^-127 + 2^-128, which gfx908 and gfx90a take for 0 + 0.
TEST(GoldenMemoryPort, FloatAtomicsFlushSubnormalsBeforeGfx942) {
  for (const auto target : {isa::Target::Gfx908, isa::Target::Gfx90a, isa::Target::Gfx942}) {
    Bench m(target);
    m.wave.state.s.set_pair(4, m.base);
    m.wave.state.s.set_exec(1);
    m.wave.v[2].fill(0);
    m.wave.v[3].fill(0x00200000);
    m.set_word(0, 0x00400000);
    Build add("global_atomic_add_f32");
    add.role(Role::Addr, vgpr(2)).role(Role::Data0, vgpr(3)).role(Role::Saddr, sgpr(4));
    add.i.target = target;
    m.run(add);
    EXPECT_EQ(m.word(0), target == isa::Target::Gfx942 ? 0x00600000u : 0u) << isa::name_of(target);
  }
}

TEST(GoldenMemoryPort, ScratchIsInterleaved) {
  Bench m;
  m.wave.state.s.set_pair(isa::kFlatScratchLo, m.base);
  for (unsigned r = 4; r < 8; ++r) {
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) m.wave.v[r][lane] = r << 8 | lane;
  }
  m.wave.v[2].fill(8);
  m.run(Build("scratch_store_dwordx4")
            .role(Role::Addr, vgpr(2))
            .role(Role::Data0, vgpr(4))
            .role(Role::Saddr, off()));
  // Dword d of lane l of the store at offset 8 is dword 2 + d: (2 + d) * 256 + l * 4.
  EXPECT_EQ(m.word(2 * 256), 0x400u);
  EXPECT_EQ(m.word(3 * 256 + 4 * 9), 0x509u);
  EXPECT_EQ(m.word(5 * 256 + 4 * 63), 0x73fu);
  EXPECT_EQ(m.word(6 * 256), 0u);
  m.run(Build("scratch_load_dwordx4")
            .dst(vgpr(20))
            .role(Role::Addr, vgpr(2))
            .role(Role::Saddr, off()));
  for (unsigned d = 0; d < 4; ++d) EXPECT_EQ(m.wave.v[20 + d], m.wave.v[4 + d]);
  // An unaligned dword lies in two elements.
  m.wave.v[2].fill(10);
  m.run(
      Build("scratch_load_dword").dst(vgpr(20)).role(Role::Addr, vgpr(2)).role(Role::Saddr, off()));
  EXPECT_EQ(m.wave.v[20][9], 0x05090000u);
}

TEST(GoldenMemoryPort, PartOfABufferAccess) {
  Bench m;
  m.wave.sgpr(8) = base::lo32(m.base);
  m.wave.sgpr(9) = base::hi32(m.base);
  m.wave.sgpr(10) = 8;  // two dwords
  m.wave.sgpr(11) = 4u << 15;
  m.wave.state.s.set_exec(1);
  for (unsigned r = 4; r < 8; ++r) m.wave.v[r].fill(r);
  Build b("buffer_store_dwordx4");
  b.role(Role::Vdata, vgpr(4)).role(Role::Addr, off()).role(Role::Srsrc, sgpr(8));
  b.role(Role::Soffset, sgpr(20));
  m.run(b);
  EXPECT_EQ(m.word(0), 4u);
  EXPECT_EQ(m.word(4), 5u);
  EXPECT_EQ(m.word(8), 0u);
  EXPECT_EQ(m.word(12), 0u);
  Build load("buffer_load_dwordx4");
  load.role(Role::Vdata, vgpr(30)).role(Role::Addr, off()).role(Role::Srsrc, sgpr(8));
  load.role(Role::Soffset, sgpr(20));
  for (unsigned r = 30; r < 34; ++r) m.wave.v[r].fill(0x77);
  m.run(load);
  EXPECT_EQ(m.wave.v[31][0], 5u);
  EXPECT_EQ(m.wave.v[32][0], 0u);
  EXPECT_EQ(m.wave.v[32][1], 0x77u);
}

TEST(GoldenMemoryPort, TwoExchanges) {
  Bench m;
  m.wave.state.s.set_exec(1);
  m.wave.v[2][0] = 16;
  m.wave.v[4][0] = 0xaaaa;
  m.wave.v[8][0] = 0xbbbb;
  m.lds[20] = 1;
  m.lds[28] = 2;
  Build b("ds_wrxchg2_rtn_b32");
  b.dst(vgpr(10)).role(Role::Addr, vgpr(2)).role(Role::Data0, vgpr(4)).role(Role::Data1, vgpr(8));
  b.i.mem.offset = 1 | 3 << 8;
  m.run(b);
  EXPECT_EQ(m.wave.v[10][0], 1u);
  EXPECT_EQ(m.wave.v[11][0], 2u);
  EXPECT_EQ(m.lds[20], 0xaa);
  EXPECT_EQ(m.lds[28], 0xbb);
}

TEST(GoldenMemoryPort, ScalarDwordsOutOfRange) {
  Bench m;
  // The buffer ends where the memory does: its neighbour is not touched.
  m.wave.sgpr(8) = base::lo32(m.base + Bench::kBytes - 8);
  m.wave.sgpr(9) = base::hi32(m.base);
  m.wave.sgpr(10) = 8;
  ASSERT_TRUE(m.memory.write_value(m.base + Bench::kBytes - 4, uint32_t{0x1234}));
  Build b("s_buffer_load_dwordx4");
  b.dst(sgpr(40)).role(Role::Sbase, sgpr(8)).role(Role::Soffset, off());
  b.i.mem.imm = true;
  m.wave.sgpr(42) = 9;
  m.run(b);
  EXPECT_EQ(m.reply.faulted, 0u);
  EXPECT_EQ(m.wave.sgpr(41), 0x1234u);
  EXPECT_EQ(m.wave.sgpr(42), 0u);
  Build clock("s_memtime");
  clock.dst(sgpr(40));
  m.run(clock);
  EXPECT_EQ(m.reply.faulted, 0u);
  EXPECT_EQ(m.wave.sgpr(41), 0u);
}

TEST(GoldenMemoryPort, ScalarCompareAndSwap) {
  Bench m;
  m.wave.state.s.set_pair(8, m.base);
  m.wave.sgpr(40) = 7;  // new
  m.wave.sgpr(41) = 5;  // compared
  ASSERT_TRUE(m.memory.write_value(m.base, uint32_t{5}));
  Build b("s_atomic_cmpswap");
  b.dst(sgpr(40)).role(Role::Sdata, sgpr(40)).role(Role::Sbase, sgpr(8)).role(Role::Soffset, off());
  b.i.mem.imm = true;
  b.i.mem.glc = true;
  m.run(b);
  EXPECT_EQ(m.word(0), 7u);
  EXPECT_EQ(m.wave.sgpr(40), 5u);
}

TEST(GoldenMemoryPort, EndOfTheAddressSpace) {
  // The last bytes there are: nothing is mapped, and address plus size wraps to a small number.
  Bench m;
  for (const uint64_t at : {~uint64_t{0} - 3, ~uint64_t{0} - 1}) {
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      m.wave.v[2][lane] = base::lo32(at);
      m.wave.v[3][lane] = base::hi32(at);
    }
    m.run(Build("global_load_dword").role(Role::Addr, vgpr(2)).role(Role::Saddr, off()));
    EXPECT_EQ(m.reply.faulted, ~uint64_t{0}) << std::hex << at;
    m.run(Build("global_store_dword")
              .role(Role::Addr, vgpr(2))
              .role(Role::Data0, vgpr(4))
              .role(Role::Saddr, off()));
    EXPECT_EQ(m.reply.faulted, ~uint64_t{0}) << std::hex << at;
  }
}

}  // namespace
}  // namespace cuvette::golden::testing
