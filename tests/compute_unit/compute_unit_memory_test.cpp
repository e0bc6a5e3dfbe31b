// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "base/bits.h"
#include "compute_unit_harness.h"
#include "hsa/queue_error.h"

// Memory: what arrives when, in which requests, and what goes wrong. Expected values by hand.
namespace cuvette::compute_unit::testing {
namespace {

constexpr char kAddress[] = "v_lshlrev_b32 v2, 2, v0";  // v2 = 4 * lane

TEST(ComputeUnitMemory, LoadModifyStore) {
  Machine m;
  const uint64_t in = m.buffer(256), out = m.buffer(256);
  for (uint32_t n = 0; n < 64; ++n) m.set(in + 4 * n, n * n);
  m.run_one({kAddress, "global_load_dword v1, v2, s[0:1]", "s_waitcnt vmcnt(0)",
             "v_add_u32 v1, 1, v1", "global_store_dword v2, v1, s[2:3]", "s_endpgm"},
            {.exec = 0x7fffffffffffffff, .sgpr = pointers({in, out})});
  for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(m.word(out + 4 * n), n == 63 ? 0 : n * n + 1);
  EXPECT_EQ(m.vector.reads, 4u) << "16 lanes fill one block";
  EXPECT_EQ(m.vector.writes, 4u);
  for (const auto& r : m.vector.log) EXPECT_EQ(base::bits(r.address, 5, 0), 0u);
}

/// The litmus test: the register keeps its old value until the cache has answered.
TEST(ComputeUnitMemory, WithoutWaitcntTheOldRegisterIsRead) {
  for (const bool waits : {false, true}) {
    Machine m;
    const uint64_t in = m.buffer(256), out = m.buffer(256);
    for (uint32_t n = 0; n < 64; ++n) m.set(in + 4 * n, 1000 + n);
    m.run_one({kAddress, "v_mov_b32 v1, 42", "global_load_dword v1, v2, s[0:1]",
               waits ? "s_waitcnt vmcnt(0)" : "s_nop 0", "v_mov_b32 v3, v1",
               "global_store_dword v2, v3, s[2:3]", "s_endpgm"},
              {.sgpr = pointers({in, out})});
    for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(m.word(out + 4 * n), waits ? 1000 + n : 42);
  }
}

TEST(ComputeUnitMemory, WithoutWaitcntTheOldScalarIsRead) {
  for (const bool waits : {false, true}) {
    Machine m;
    const uint64_t in = m.buffer(64), out = m.buffer(256);
    m.set(in + 4, 99);
    m.run_one({kAddress, "s_mov_b32 s8, 5", "s_load_dword s8, s[0:1], 0x4",
               waits ? "s_waitcnt lgkmcnt(0)" : "s_nop 0", "v_mov_b32 v1, s8",
               "global_store_dword v2, v1, s[2:3]", "s_endpgm"},
              {.exec = 1, .sgpr = pointers({in, out})});
    EXPECT_EQ(m.word(out), waits ? 99u : 5u);
  }
}

TEST(ComputeUnitMemory, WithoutWaitcntTheOldLdsValueIsRead) {
  for (const bool waits : {false, true}) {
    Machine m;
    const uint64_t out = m.buffer(256);
    m.run_one({kAddress, "v_mov_b32 v1, 3", "ds_write_b32 v2, v2", "ds_read_b32 v1, v2",
               waits ? "s_waitcnt lgkmcnt(0)" : "s_nop 0", "v_mov_b32 v3, v1",
               "global_store_dword v2, v3, s[0:1]", "s_endpgm"},
              {.lds_bytes = 256, .sgpr = pointers({out})});
    for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(m.word(out + 4 * n), waits ? 4 * n : 3);
  }
}

/// VM_CNT counts in order: vmcnt(1) behind two loads waits for the first alone.
TEST(ComputeUnitMemory, VmcntCountsInOrder) {
  Machine m;
  const uint64_t in = m.buffer(64 * 128), out = m.buffer(512);
  for (uint32_t n = 0; n < 64; ++n) m.set(in + 4 * n, 500 + n);
  for (uint32_t n = 0; n < 64; ++n) m.set(in + 4096 + 64 * n, 9);
  // The second load touches 64 blocks and takes long.
  m.run_one(
      {kAddress, "v_lshlrev_b32 v4, 6, v0", "v_add_u32 v4, 0x1000, v4", "v_mov_b32 v5, 1",
       "global_load_dword v1, v2, s[0:1]", "global_load_dword v5, v4, s[0:1]", "s_waitcnt vmcnt(1)",
       "v_mov_b32 v6, v1", "v_mov_b32 v7, v5", "global_store_dword v2, v6, s[2:3]",
       "global_store_dword v2, v7, s[2:3] offset:256", "s_endpgm"},
      {.sgpr = pointers({in, out})});
  for (uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(m.word(out + 4 * n), 500 + n);
    if (n < 63) {
      EXPECT_EQ(m.word(out + 256 + 4 * n), 1u);
    }
  }
}

TEST(ComputeUnitMemory, WidthsAndUnalignedAccesses) {
  Machine m;
  const uint64_t in = m.buffer(4096), out = m.buffer(4096);
  std::vector<uint8_t> bytes(4096);
  for (size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<uint8_t>(n * 7 + n / 256);
  ASSERT_TRUE(m.memory.write(in, bytes.data(), bytes.size()).ok());
  // 16 bytes at 17 * lane + 3 from one buffer to the same place of the other.
  m.run_one(
      {"v_mul_u32_u24 v2, 17, v0", "v_add_u32 v2, 3, v2", "global_load_dwordx4 v[4:7], v2, s[0:1]",
       "s_waitcnt vmcnt(0)", "global_store_dwordx4 v2, v[4:7], s[2:3]", "s_endpgm"},
      {.sgpr = pointers({in, out})});
  ASSERT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  std::vector<uint8_t> got(4096);
  ASSERT_TRUE(m.memory.read(out, got.data(), got.size()).ok());
  for (size_t n = 0; n < 17 * 64 + 3; ++n) {
    const bool copied = n >= 3 && (n - 3) % 17 < 16;
    ASSERT_EQ(got[n], copied ? bytes[n] : 0) << n;
  }
}

TEST(ComputeUnitMemory, BytesShortsAndD16) {
  Machine m;
  const uint64_t in = m.buffer(256), out = m.buffer(1024);
  m.set(in, 0x80fe1281);
  m.run_one({kAddress, "v_mov_b32 v1, 0", "v_mov_b32 v8, 0x77770000", "v_mov_b32 v8, 0x77777777",
             "global_load_sbyte v4, v1, s[0:1]", "global_load_ubyte v5, v1, s[0:1]",
             "global_load_sshort v6, v1, s[0:1] offset:2",
             "global_load_short_d16_hi v8, v1, s[0:1]", "s_waitcnt vmcnt(0)",
             "global_store_dword v2, v4, s[2:3]", "global_store_dword v2, v5, s[2:3] offset:256",
             "global_store_byte v2, v6, s[2:3] offset:512",
             "global_store_dword v2, v8, s[2:3] offset:768", "s_endpgm"},
            {.exec = 2, .sgpr = pointers({in, out})});
  EXPECT_EQ(m.word(out + 4), 0xffffff81u);
  EXPECT_EQ(m.word(out + 256 + 4), 0x81u);
  EXPECT_EQ(m.word(out + 512 + 4), 0xfeu);
  EXPECT_EQ(m.word(out + 768 + 4), 0x12817777u) << "without ECC the other half stays";
}

/// The second half is back first and waits for the first one, as vector memory returns in order.
TEST(ComputeUnitMemory, HalvesOfOneRegisterThatComeBackOutOfOrderAreBothKept) {
  const std::vector<std::vector<std::string>> pairs = {
      {"global_load_short_d16 v8, v1, s[0:1]", "global_load_short_d16_hi v8, v2, s[0:1]"},
      {"global_load_short_d16_hi v8, v1, s[0:1]", "global_load_short_d16 v8, v2, s[0:1]"},
      {"buffer_load_format_d16_x v8, v1, s[8:11], 0 offen",
       "buffer_load_short_d16_hi v8, v2, s[8:11], 0 offen"},
      {"global_load_ushort v8, v1, s[0:1]", "global_load_short_d16_hi v8, v2, s[0:1]"},
      {"global_load_ushort v8, v1, s[0:1]", "global_load_ubyte_d16 v8, v2, s[0:1]"}};
  const uint32_t expected[] = {0x56781234, 0x12345678, 0x56781234, 0x56781234, 0x00000078};
  for (size_t n = 0; n < pairs.size(); ++n) {
    Machine m({.target = isa::Target::Gfx906});
    const uint64_t in = m.buffer(256), out = m.buffer(256);
    m.set(in, 0x1234);
    m.set(in + 64, 0x5678);
    m.vector.late[in] = 200;
    // A raw buffer of 16 bits, uint.
    std::vector<uint32_t> s = pointers({in, out});
    s.resize(8);
    s.insert(s.end(), {base::lo32(in), base::hi32(in), 256, 4u | 4u << 12 | 2u << 15});
    m.run_one({"v_mov_b32 v1, 0", "v_mov_b32 v2, 64", "v_mov_b32 v8, -1", pairs[n][0], pairs[n][1],
               "s_waitcnt vmcnt(0)", "global_store_dword v1, v8, s[2:3]", "s_endpgm"},
              {.exec = 1, .sgpr = s});
    EXPECT_EQ(m.word(out), expected[n]) << pairs[n][0] << ", " << pairs[n][1];
  }
}

TEST(ComputeUnitMemory, AtomicsOneRequestPerLane) {
  Machine m;
  const uint64_t cell = m.buffer(64), out = m.buffer(256);
  m.set(cell, 100);
  m.run_one(
      {kAddress, "v_mov_b32 v1, 0", "v_mov_b32 v3, 2", "global_atomic_add v4, v1, v3, s[0:1] glc",
       "s_waitcnt vmcnt(0)", "global_store_dword v2, v4, s[2:3]",
       "global_atomic_umax v1, v2, s[0:1] offset:4", "s_endpgm"},
      {.sgpr = pointers({cell, out})});
  EXPECT_EQ(m.word(cell), 228u);
  EXPECT_EQ(m.word(cell + 4), 252u);
  for (uint32_t n = 0; n < 64; ++n) EXPECT_EQ(m.word(out + 4 * n), 100 + 2 * n);
  EXPECT_EQ(m.vector.atomics, 128u);
}

/// decisions.md D8: 2^-127 + 2^-128, which gfx908 and gfx90a take for 0 + 0.
TEST(ComputeUnitMemory, FloatAtomicsFlushSubnormalsBeforeGfx942) {
  for (const auto target : {isa::Target::Gfx908, isa::Target::Gfx90a, isa::Target::Gfx942}) {
    Machine m({.target = target});
    const uint64_t cell = m.buffer(64);
    m.set(cell, 0x00400000);
    m.set(cell + 4, 0x00010002);  // two F16
    m.run_one({"v_mov_b32 v1, 0", "v_mov_b32 v3, 0x00200000",
               "global_atomic_add_f32 v1, v3, s[0:1]", "v_mov_b32 v4, 0x00030001",
               "global_atomic_pk_add_f16 v1, v4, s[0:1] offset:4", "s_endpgm"},
              {.exec = 1, .sgpr = pointers({cell})});
    const bool kept = target == isa::Target::Gfx942;
    EXPECT_EQ(m.word(cell), kept ? 0x00600000u : 0u) << isa::name_of(target);
    EXPECT_EQ(m.word(cell + 4), kept ? 0x00040003u : 0u) << isa::name_of(target);
  }
}

TEST(ComputeUnitMemory, CompareAndSwap64) {
  Machine m;
  const uint64_t cell = m.buffer(64), out = m.buffer(256);
  m.set(cell, 1);
  m.set(cell + 4, 2);
  // DATA[0:1] new, DATA[2:3] compare.
  m.run_one({"v_mov_b32 v1, 0", "v_mov_b32 v4, 10", "v_mov_b32 v5, 20", "v_mov_b32 v6, 1",
             "v_mov_b32 v7, 2", "global_atomic_cmpswap_x2 v[8:9], v1, v[4:7], s[0:1] glc",
             "s_waitcnt vmcnt(0)", "global_store_dwordx2 v1, v[8:9], s[2:3]", "s_endpgm"},
            {.exec = 1, .sgpr = pointers({cell, out})});
  EXPECT_EQ(m.word(cell), 10u);
  EXPECT_EQ(m.word(cell + 4), 20u);
  EXPECT_EQ(m.word(out), 1u);
  EXPECT_EQ(m.word(out + 4), 2u);
}

TEST(ComputeUnitMemory, ScalarLoadsAcrossBlocksAndStores) {
  Machine m;
  const uint64_t in = m.buffer(256), out = m.buffer(256);
  for (uint32_t n = 0; n < 64; ++n) m.set(in + 4 * n, n + 1);
  m.run_one({"s_load_dwordx8 s[8:15], s[0:1], 0x30", "s_waitcnt lgkmcnt(0)",
             "s_add_u32 s16, s8, s15", "s_store_dword s16, s[2:3], 0x8", "s_dcache_wb",
             "s_waitcnt lgkmcnt(0)", "s_dcache_inv", "s_endpgm"},
            {.sgpr = pointers({in, out})});
  EXPECT_EQ(m.word(out + 8), 13u + 20u);
  EXPECT_EQ(m.scalar.reads, 2u) << "0x30 to 0x50 lies in two blocks";
  EXPECT_EQ(m.scalar.writebacks, 1u);
  EXPECT_EQ(m.scalar.invalidates, 1u);
}

TEST(ComputeUnitMemory, MaintenanceIsCountedAndOrdered) {
  Machine m;
  const uint64_t in = m.buffer(256);
  m.run_one({kAddress, "global_store_dword v2, v0, s[0:1]", "buffer_wbinvl1_vol",
             "global_load_dword v1, v2, s[0:1]", "s_waitcnt vmcnt(0)", "s_endpgm"},
            {.sgpr = pointers({in})});
  ASSERT_EQ(m.vector.log.size(), 9u);
  EXPECT_EQ(m.vector.log[3].op, memory::MemOp::Write);
  EXPECT_EQ(m.vector.log[4].op, memory::MemOp::Invalidate);
  EXPECT_EQ(m.vector.log[5].op, memory::MemOp::Read);
}

/// sc0 and sc1 of gfx942 name the scope, 1 and 2 (LLVM, memory model of gfx942); what is for the L2
/// goes past the vector L1.
TEST(ComputeUnitMemory, MaintenanceSaysHowFarItReaches) {
  using memory::MemOp;
  using memory::Scope;
  struct Case {
    isa::Target target;
    const char* text;
    MemOp op;
    Scope scope;
    bool past;
  };
  constexpr auto k908 = isa::Target::Gfx908, k90a = isa::Target::Gfx90a, k942 = isa::Target::Gfx942;
  const Case cases[] = {
      {k908, "buffer_wbinvl1", MemOp::Invalidate, Scope::Agent, false},
      {k90a, "buffer_wbinvl1_vol", MemOp::Invalidate, Scope::Agent, false},
      {k90a, "buffer_wbl2", MemOp::Writeback, Scope::System, true},
      {k90a, "buffer_invl2", MemOp::Invalidate, Scope::System, true},
      {k942, "buffer_inv sc0", MemOp::Invalidate, Scope::Workgroup, false},
      {k942, "buffer_inv sc1", MemOp::Invalidate, Scope::Agent, false},
      {k942, "buffer_inv sc0 sc1", MemOp::Invalidate, Scope::System, false},
      {k942, "buffer_wbl2 sc0", MemOp::Writeback, Scope::Workgroup, true},
      {k942, "buffer_wbl2 sc1", MemOp::Writeback, Scope::Agent, true},
      {k942, "buffer_wbl2 sc0 sc1", MemOp::Writeback, Scope::System, true},
  };
  for (const Case& c : cases) {
    Machine m({.target = c.target});
    m.run_one({c.text, "s_waitcnt vmcnt(0)", "s_endpgm"});
    ASSERT_EQ(m.vector.log.size(), 1u) << c.text;
    EXPECT_EQ(m.vector.log[0].op, c.op) << c.text;
    EXPECT_EQ(m.vector.log[0].scope, c.scope) << c.text;
    EXPECT_EQ(m.vector.log[0].glc, c.past) << c.text;
  }
}

/// The scope that an access names by its bits (LLVM, memory models of gfx6-gfx9, gfx90a and
/// gfx942): GLC of a load that of the agent; sc1 and sc0 of gfx942 a number. Atomics are the L2's
/// in any case, sc0 or GLC returns the old value.
TEST(ComputeUnitMemory, AccessesSayHowFarAwayOthersMayBe) {
  using memory::Scope;
  struct Case {
    isa::Target target;
    const char* text;
    Scope scope;
  };
  constexpr auto k900 = isa::Target::Gfx900, k906 = isa::Target::Gfx906;
  constexpr auto k908 = isa::Target::Gfx908, k90a = isa::Target::Gfx90a, k942 = isa::Target::Gfx942;
  const Case cases[] = {
      {k900, "global_load_dword v2, v1, s[0:1]", Scope::Wave},
      {k900, "global_load_dword v2, v1, s[0:1] glc", Scope::Agent},
      {k906, "flat_load_dword v2, v[4:5] glc", Scope::Agent},
      {k908, "global_load_dword v2, v1, s[0:1] glc slc", Scope::Agent},
      {k90a, "global_load_dword v2, v1, s[0:1] glc", Scope::Agent},
      {k90a, "global_load_dword v2, v1, s[0:1] glc scc", Scope::System},
      {k908, "global_atomic_add v2, v1, v3, s[0:1] glc", Scope::Agent},
      {k908, "global_atomic_add v1, v3, s[0:1]", Scope::Agent},
      {k942, "global_load_dword v2, v1, s[0:1]", Scope::Wave},
      {k942, "global_load_dword v2, v1, s[0:1] sc0", Scope::Workgroup},
      {k942, "global_load_dword v2, v1, s[0:1] sc1", Scope::Agent},
      {k942, "global_load_dword v2, v1, s[0:1] sc0 sc1", Scope::System},
      {k942, "global_store_dword v1, v3, s[0:1] sc0 sc1", Scope::System},
      {k942, "global_load_dword v2, v1, s[0:1] nt", Scope::Wave},
      {k942, "global_atomic_add v2, v1, v3, s[0:1] sc0", Scope::Agent},
      {k942, "global_atomic_add v1, v3, s[0:1] sc1", Scope::System},
      {k942, "s_load_dword s4, s[0:1], 0x0 glc", Scope::Agent},
  };
  for (const Case& c : cases) {
    Machine m({.target = c.target});
    const uint64_t data = m.buffer(256);
    m.run_one({"v_mov_b32 v1, 0", "v_mov_b32 v3, 0", "v_mov_b32 v4, s0", "v_mov_b32 v5, s1", c.text,
               "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_endpgm"},
              {.exec = 1, .sgpr = pointers({data})});
    const auto& log = m.vector.log.empty() ? m.scalar.log : m.vector.log;
    ASSERT_EQ(log.size(), 1u) << c.text;
    EXPECT_EQ(log[0].scope, c.scope) << c.text;
  }
}

TEST(ComputeUnitMemory, FlatReachesLdsAndMemory) {
  Machine m;
  const uint64_t out = m.buffer(256);
  // Even lanes: LDS offset 4 * lane; odd lanes: the buffer.
  const uint64_t shared = uint64_t{1} << 48;
  auto sgpr = pointers({out, shared});
  m.run_one({kAddress,
             "v_and_b32 v3, 1, v0",
             "v_cmp_eq_u32 vcc, 1, v3",
             "v_mov_b32 v4, s2",
             "v_mov_b32 v5, s3",
             "v_mov_b32 v6, s0",
             "v_mov_b32 v7, s1",
             "v_cndmask_b32 v4, v4, v6, vcc",
             "v_cndmask_b32 v5, v5, v7, vcc",
             "v_add_co_u32 v4, vcc, v4, v2",
             "v_addc_co_u32 v5, vcc, 0, v5, vcc",
             "v_add_u32 v8, 0x100, v0",
             "flat_store_dword v[4:5], v8",
             "s_waitcnt vmcnt(0) lgkmcnt(0)",
             "flat_load_dword v9, v[4:5]",
             "s_waitcnt vmcnt(0) lgkmcnt(0)",
             "ds_read_b32 v10, v2",
             "s_waitcnt lgkmcnt(0)",
             "v_mov_b32 v1, 0",
             "v_add_u32 v9, v9, v10",
             "s_endpgm"},
            {.lds_bytes = 256, .sgpr = sgpr});
  ASSERT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  for (uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(m.word(out + 4 * n), n % 2 == 1 ? 0x100 + n : 0) << n;
    EXPECT_EQ(m.vgpr(0, 0, 9, n), n % 2 == 1 ? 0x100 + n : 2 * (0x100 + n)) << n;
  }
}

TEST(ComputeUnitMemory, ScratchIsSwizzled) {
  Machine m;
  const uint64_t scratch = m.buffer(64 * 16);
  auto sgpr = pointers({scratch});
  // Dwords 0 and 1 of every lane in one instruction: 256 bytes apart in memory (isa_notes 34).
  m.run_one({"s_mov_b64 flat_scratch, s[0:1]", "v_mov_b32 v3, 0", "v_add_u32 v4, 0x10, v0",
             "v_add_u32 v5, 0x80, v0", "scratch_store_dwordx2 v3, v[4:5], off offset:4",
             "s_waitcnt vmcnt(0)", "s_endpgm"},
            {.sgpr = sgpr});
  ASSERT_TRUE(m.cu->failure().empty()) << m.cu->failure();
  for (uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(m.word(scratch + 256 + 4 * n), 0x10 + n);
    EXPECT_EQ(m.word(scratch + 512 + 4 * n), 0x80 + n);
  }
  EXPECT_EQ(m.word(scratch), 0u);
}

TEST(ComputeUnitMemory, DsLaneMovesAndTwoAddresses) {
  Machine m;
  m.run_one({kAddress, "v_add_u32 v3, 4, v2", "ds_bpermute_b32 v4, v3, v0",
             "ds_write2_b32 v2, v0, v2 offset1:64", "s_waitcnt lgkmcnt(0)",
             "ds_read2_b32 v[6:7], v2 offset0:64 offset1:0", "s_waitcnt lgkmcnt(0)", "s_endpgm"},
            {.lds_bytes = 512});
  for (uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(m.vgpr(0, 0, 4, n), (n + 1) % 64);
    EXPECT_EQ(m.vgpr(0, 0, 6, n), 4 * n);
    EXPECT_EQ(m.vgpr(0, 0, 7, n), n);
  }
}

/// s0..s3 two pointers, from s8 on a descriptor.
std::vector<uint32_t> with_descriptor(uint64_t in, uint64_t out,
                                      const std::vector<uint32_t>& descriptor) {
  std::vector<uint32_t> s = pointers({in, out});
  s.resize(8);
  s.insert(s.end(), descriptor.begin(), descriptor.end());
  return s;
}

TEST(ComputeUnitMemory, TypedBuffersGoTheSameWay) {
  Machine m;
  const uint64_t in = m.buffer(256), out = m.buffer(512);
  for (uint32_t n = 0; n < 64; ++n) m.set(in + 4 * n, 0xff000000 | n);
  // 8_8_8_8 unorm, xyzw, stride 4.
  const std::vector<uint32_t> descriptor = {base::lo32(in), base::hi32(in) | 4u << 16, 60,
                                            4u | 5u << 3 | 6u << 6 | 7u << 9 | 10u << 15};
  m.run_one({kAddress, "buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen",
             "tbuffer_load_format_x v8, v0, s[8:11], 0 "
             "format:[BUF_DATA_FORMAT_8_8,BUF_NUM_FORMAT_UINT] idxen",
             "s_waitcnt vmcnt(0)", "global_store_dword v2, v7, s[2:3]",
             "global_store_dword v2, v8, s[2:3] offset:256", "s_endpgm"},
            {.sgpr = with_descriptor(in, out, descriptor)});
  for (uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(m.word(out + 4 * n), n < 60 ? 0x3f800000u : 0u);  // four indices out of range
    EXPECT_EQ(m.word(out + 256 + 4 * n), n < 60 ? n : 0u);
  }
}

TEST(ComputeUnitMemory, ImagesGoTheSameWay) {
  Machine m;
  const uint64_t texels = m.buffer(16 * 64), out = m.buffer(256);
  // 8 x 8 texels of 16 bits, pitch 32: 64 bytes a row; uint, 2D.
  const std::vector<uint32_t> descriptor = {
      static_cast<uint32_t>(texels >> 8),
      static_cast<uint32_t>(texels >> 40) | 2u << 20 | 4u << 26,
      7u | 7u << 14,
      4u | 5u << 3 | 6u << 6 | 7u << 9 | 9u << 28,
      31u << 13,
      0,
      0,
      0};
  m.run_one({kAddress, "v_and_b32 v4, 7, v0", "v_lshrrev_b32 v5, 3, v0", "v_mov_b32 v6, v0",
             "image_store v6, v[4:5], s[8:15] dmask:0x1 unorm", "s_waitcnt vmcnt(0)",
             "v_xor_b32 v4, 7, v4", "image_load v7, v[4:5], s[8:15] dmask:0x1 unorm",
             "s_waitcnt vmcnt(0)", "global_store_dword v2, v7, s[2:3]", "s_endpgm"},
            {.sgpr = with_descriptor(texels, out, descriptor)});
  for (uint32_t n = 0; n < 64; ++n) {
    EXPECT_EQ(m.word(out + 4 * n), n ^ 7);
    EXPECT_EQ(m.word(texels + 64 * (n / 8) + (n % 8 & ~1u) * 2) >> 16 * (n % 2) & 0xffff, n);
  }
}

TEST(ComputeUnitMemory, AppendAnswersAllLanes) {
  Machine m;
  const uint64_t out = m.buffer(512);
  m.run_one({kAddress, "s_mov_b32 m0, 16", "ds_append v4 offset:4", "ds_append v5 offset:4",
             "v_mov_b32 v6, 0x80000005", "v_mov_b32 v7, 20", "ds_wrap_rtn_b32 v8, v7, v6, v6",
             "s_waitcnt lgkmcnt(0)", "global_store_dword v2, v5, s[2:3]",
             "global_store_dword v2, v8, s[2:3] offset:256", "s_endpgm"},
            {.exec = 0xfff0, .lds_bytes = 256, .sgpr = pointers({out, out})});
  for (uint32_t n = 4; n < 16; ++n) EXPECT_EQ(m.word(out + 4 * n), 12u);
  EXPECT_EQ(m.word(out), 0u);
  // The first lane finds 24 and adds, the second one subtracts again, and so on.
  EXPECT_EQ(m.word(out + 256 + 16), 24u);
  EXPECT_EQ(m.word(out + 256 + 20), 24u + 0x80000005u);
  EXPECT_EQ(m.word(out + 256 + 24), 24u);
}

TEST(ComputeUnitMemory, GdsInstructionsRaiseBothCounters) {
  for (const bool every_cycle : {false, true}) {
    Machine m({.clock = every_cycle ? Clock::EveryCycle : Clock::Skip});
    const uint64_t out = m.buffer(256);
    // EXP_CNT is bits 6:4 of IB_STS, LGKM_CNT 11:8. Data may change as soon as EXP_CNT is 0.
    m.run_one(
        {"s_mov_b32 m0, 0x1000", "v_lshlrev_b32 v2, 2, v0", "v_mov_b32 v3, 7",
         "ds_write_b32 v2, v3 gds", "s_getreg_b32 s4, hwreg(HW_REG_IB_STS)", "s_waitcnt expcnt(0)",
         "s_getreg_b32 s5, hwreg(HW_REG_IB_STS)", "v_mov_b32 v3, 9", "s_waitcnt lgkmcnt(0)",
         "s_getreg_b32 s6, hwreg(HW_REG_IB_STS)", "ds_add_rtn_u32 v4, v2, v0 gds",
         "s_waitcnt lgkmcnt(0)", "v_mov_b32 v5, s4", "v_mov_b32 v6, s5", "v_mov_b32 v7, s6",
         "global_store_dword v2, v4, s[0:1]", "s_endpgm"},
        {.sgpr = pointers({out})});
    EXPECT_EQ(m.vgpr(0, 0, 5, 0) & 0xf70, 0x110u);
    EXPECT_EQ(m.vgpr(0, 0, 6, 0) & 0xf70, 0x100u);
    EXPECT_EQ(m.vgpr(0, 0, 7, 0) & 0xf70, 0x000u);
    for (uint32_t n = 0; n < 64; ++n) {
      EXPECT_EQ(m.word(out + 4 * n), 7u);
      uint32_t word = 0;
      m.gds->peek(4 * n, reinterpret_cast<uint8_t*>(&word), 4);
      EXPECT_EQ(word, 7 + n);
    }
  }
}

/// A store of one lane leaves the registers nearly as fast as the next one issues. Atomic
/// operations are served for 65 cycles each, two are in the gds and seven count.
TEST(ComputeUnitMemory, AFullExpCounterHoldsTheNextGdsInstruction) {
  Machine m;
  const auto full = static_cast<unsigned>(Stall::FullCounter);
  const auto run = [&m](const std::string& instruction, uint32_t workgroup) {
    std::vector<std::string> lines = {"s_mov_b32 m0, 0x1000", "v_lshlrev_b32 v2, 4, v0"};
    for (int n = 0; n < 12; ++n) lines.push_back(instruction);
    lines.emplace_back("s_endpgm");
    m.run_one(lines, {.workgroup = workgroup, .exec = 1});
  };
  run("ds_write_b128 v2, v[2:5] gds", 0);
  EXPECT_EQ(m.cu->counters().stalled[full], 0u);
  run("ds_add_u32 v2, v3 gds", 1);
  EXPECT_GT(m.cu->counters().stalled[full], 0u);
  EXPECT_EQ(m.gds->counters().requests, 24u);
}

class GlobalBarrier : public ::testing::TestWithParam<isa::Target> {};

TEST_P(GlobalBarrier, WavesWaitForEachOther) {
  Machine m({.target = GetParam()});
  const uint64_t out = m.buffer(256);
  const uint64_t code =
      m.load({"s_mov_b32 m0, 0", "v_mov_b32 v2, 1", "s_nop 0", "ds_gws_barrier v2 offset:9 gds",
              "s_waitcnt lgkmcnt(0)", "v_mov_b32 v2, 0", "v_mov_b32 v3, 1",
              "global_atomic_add v2, v3, s[0:1]", "s_endpgm"});
  m.run_one(
      {"s_mov_b32 m0, 0", "v_mov_b32 v2, 1", "s_nop 0", "ds_gws_init v2 offset:9 gds", "s_endpgm"});
  m.launch(code, {.simd = 1, .workgroup = 1, .exec = 1, .sgpr = pointers({out})});
  m.pass(5000);
  EXPECT_EQ(m.word(out), 0u);
  ASSERT_EQ(m.cu->waves().size(), 1u);
  EXPECT_NE(m.cu->waves()[0].waits_for.find("a global wave sync"), std::string::npos);
  m.launch(code, {.simd = 2, .workgroup = 2, .exec = 1, .sgpr = pointers({out})});
  m.run();
  EXPECT_EQ(m.word(out), 2u);
}

// gfx90a and gfx942 have nothing else of the GDS.
INSTANTIATE_TEST_SUITE_P(Targets, GlobalBarrier, ::testing::ValuesIn(isa::kAllTargets),
                         [](const auto& c) { return std::string(isa::name_of(c.param)); });

/// A wave that is ended from outside, or that fails, waits for nobody: with its S_WAITCNT, at its
/// S_ENDPGM, and because its next instruction is wild.
TEST(ComputeUnitMemory, AWaveThatIsEndedLeavesTheGds) {
  const std::vector<std::string> begin = {"s_mov_b32 m0, 0", "s_nop 0",
                                          "ds_gws_sema_p offset:3 gds"};
  const auto with = [&begin](std::vector<std::string> rest) {
    rest.insert(rest.begin(), begin.begin(), begin.end());
    return rest;
  };
  for (const auto& lines : {with({"s_waitcnt lgkmcnt(0)", "s_endpgm"}), with({"s_endpgm"})}) {
    Machine m;
    m.launch(m.load(lines));
    m.pass(1000);
    ASSERT_EQ(m.done.size(), 0u);
    m.command(spi::WaveAction::Kill, 0, 0);
    m.run();
    ASSERT_EQ(m.done.size(), 1u);
    EXPECT_FALSE(m.done[0].error);
  }
  Machine m;
  m.run_one(with({"v_mov_b32 v1, 0", "global_load_dword v2, v1, s[0:1]", "s_endpgm"}),
            {.sgpr = {0x1000, 0}});
  ASSERT_EQ(m.done.size(), 1u);
  EXPECT_EQ(m.done[0].error_code, hsa::kQueueErrorMemoryFault);
  // The next V is nobody's: a P finds it.
  m.run_one({"s_mov_b32 m0, 0", "s_nop 0", "ds_gws_sema_v offset:3 gds", "s_waitcnt lgkmcnt(0)",
             "ds_gws_sema_p offset:3 gds", "s_endpgm"},
            {.workgroup = 5});
  EXPECT_EQ(m.done.size(), 2u);
}

TEST(ComputeUnitMemory, BytesOutsideTheGdsAreAViolation) {
  Machine m;
  const uint64_t pc = m.load({"s_mov_b32 m0, 0x100040", "v_lshlrev_b32 v1, 2, v0",
                              "ds_write_b32 v1, v0 gds", "s_endpgm"});  // 64 bytes from 16 on
  m.launch(pc);
  m.run();
  ASSERT_EQ(m.done.size(), 1u);
  EXPECT_EQ(m.done[0].error_code, hsa::kQueueErrorMemoryFault);
  EXPECT_EQ(m.done[0].error_address, 16u + 64);  // lane 16
  EXPECT_EQ(m.gds->counters().requests, 0u);
}

TEST(ComputeUnitMemory, FaultsEndTheWaveWithAddressAndPc) {
  struct Case {
    std::vector<std::string> lines;
    uint64_t offset;
    unsigned instruction;
    const char* text;
  };
  const Case cases[] = {
      {{kAddress, "global_load_dword v1, v2, s[0:1] offset:2048", "s_endpgm"}, 2048, 1, "unmapped"},
      {{"v_mov_b32 v2, 2", "global_atomic_add v2, v0, s[0:1]", "s_endpgm"}, 2, 1, "misaligned"},
      {{kAddress, "s_load_dword s4, s[0:1], 0x4000", "s_endpgm"}, 0x4000, 1, "unmapped"},
  };
  for (const Case& c : cases) {
    Machine m;
    const uint64_t in = m.buffer(256);
    const uint64_t pc = m.load(c.lines);
    m.launch(pc, {.sgpr = pointers({in})});
    m.run();
    ASSERT_EQ(m.done.size(), 1u);
    EXPECT_TRUE(m.done[0].error);
    EXPECT_EQ(m.done[0].error_code, hsa::kQueueErrorMemoryFault);
    EXPECT_EQ(m.done[0].error_address, in + c.offset) << c.text;
    EXPECT_EQ(m.done[0].error_pc, pc + 4 * c.instruction) << c.text;
    EXPECT_NE(m.cu->failure().find(c.text), std::string::npos) << m.cu->failure();
    EXPECT_EQ(m.vector.log.size(), 0u) << "nothing of a faulting instruction is sent";
  }
}

TEST(ComputeUnitMemory, TheEndWaitsForStoresAndTheSlotIsFreeAgain) {
  Machine m({.vector_latency = 500});
  const uint64_t out = m.buffer(256);
  const uint64_t code = m.load({kAddress, "global_store_dword v2, v0, s[0:1]", "s_endpgm"});
  m.launch(code, {.sgpr = pointers({out})});
  m.run();
  EXPECT_GT(m.finished_at, 500u);
  EXPECT_EQ(m.word(out + 40), 10u);
  m.launch(code, {.sgpr = pointers({out})});
  m.run();
  EXPECT_EQ(m.done.size(), 2u);
  EXPECT_EQ(m.cu->counters().waves, 2u);
}

}  // namespace
}  // namespace cuvette::compute_unit::testing
