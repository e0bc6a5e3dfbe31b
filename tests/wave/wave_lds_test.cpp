// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>

#include "wave/memory/share_access.h"
#include "wave/memory_op.h"
#include "wave_fixture.h"

// DS and SMEM: addresses, data and lane moves; expectations worked out by hand from Vega ISA 10,
// 12.15 and MI100 ISA 8.
namespace cuvette::wave::testing {
namespace {

using base::AtomicOp;
using isa::Role;

MemoryOp make(Wave& wave, const Build& build) {
  MemoryOp op;
  EXPECT_TRUE(make_memory_op(wave.state, build.i, op)) << build.i.row->mnemonic;
  op.instruction = nullptr;
  return op;
}
void fill(LaneRow& row, const std::function<uint32_t(unsigned)>& value) {
  for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = value(lane);
}

Build ds(const char* mnemonic, unsigned offset0 = 0, unsigned offset1 = 0) {
  Build b(mnemonic);
  if (b.i.row->dst[0].role == Role::Vdst) b.dst(vgpr(10));
  for (unsigned n = 0; n < 4; ++n) {
    if (b.i.row->src[n].role == Role::Addr) b.src(n, vgpr(2));
    if (b.i.row->src[n].role == Role::Data0) b.src(n, vgpr(4));
    if (b.i.row->src[n].role == Role::Data1) b.src(n, vgpr(8));
  }
  b.i.mem.offset = static_cast<int32_t>(offset0 | offset1 << 8);
  return b;
}

TEST(WaveLds, OneAddress) {
  Wave wave;
  fill(wave.v[2], [](unsigned lane) { return lane * 16; });
  wave.state.s.set_exec(0xf0);
  struct Expected {
    const char* mnemonic;
    unsigned bytes;
    MemoryKind kind;
    unsigned dwords;
  };
  const Expected expected[] = {
      {"ds_read_u8", 1, MemoryKind::Load, 1},     {"ds_read_i16", 2, MemoryKind::Load, 1},
      {"ds_read_b32", 4, MemoryKind::Load, 1},    {"ds_read_b64", 8, MemoryKind::Load, 2},
      {"ds_read_b96", 12, MemoryKind::Load, 3},   {"ds_read_b128", 16, MemoryKind::Load, 4},
      {"ds_write_b8", 1, MemoryKind::Store, 0},   {"ds_write_b16", 2, MemoryKind::Store, 0},
      {"ds_write_b32", 4, MemoryKind::Store, 0},  {"ds_write_b64", 8, MemoryKind::Store, 0},
      {"ds_write_b96", 12, MemoryKind::Store, 0}, {"ds_write_b128", 16, MemoryKind::Store, 0},
  };
  for (const Expected& e : expected) {
    const MemoryOp op = make(wave, ds(e.mnemonic, 0x34, 0x12));
    EXPECT_EQ(op.space, MemorySpace::Lds) << e.mnemonic;
    EXPECT_EQ(op.kind, e.kind) << e.mnemonic;
    EXPECT_EQ(op.bytes, e.bytes) << e.mnemonic;
    EXPECT_EQ(op.dst_dwords, e.dwords) << e.mnemonic;
    EXPECT_EQ(op.exec, 0xf0u) << e.mnemonic;
    EXPECT_EQ(op.address[0][5], 80u + 0x1234) << e.mnemonic;
    EXPECT_TRUE(op.counts_lgkm);
    EXPECT_FALSE(op.counts_vm);
    EXPECT_EQ(op.lgkm, 1);
  }
}

TEST(WaveLds, TwoAddresses) {
  Wave wave;
  wave.v[2].fill(0x100);
  for (unsigned r = 4; r < 10; ++r) wave.v[r].fill(r);
  MemoryOp op = make(wave, ds("ds_read2_b32", 3, 5));
  EXPECT_EQ(op.accesses, 2);
  EXPECT_EQ(op.address[0][0], 0x100u + 12);
  EXPECT_EQ(op.address[1][0], 0x100u + 20);
  EXPECT_EQ(op.dst_dwords, 2);
  op = make(wave, ds("ds_read2_b64", 3, 5));
  EXPECT_EQ(op.address[0][0], 0x100u + 24);
  EXPECT_EQ(op.address[1][0], 0x100u + 40);
  EXPECT_EQ(op.dst_dwords, 4);
  op = make(wave, ds("ds_read2st64_b32", 3, 5));
  EXPECT_EQ(op.address[0][0], 0x100u + 768);
  EXPECT_EQ(op.address[1][0], 0x100u + 1280);
  op = make(wave, ds("ds_read2st64_b64", 3, 5));
  EXPECT_EQ(op.address[0][0], 0x100u + 1536);
  EXPECT_EQ(op.address[1][0], 0x100u + 2560);
  op = make(wave, ds("ds_write2_b32", 1, 0));
  EXPECT_EQ(op.address[0][0], 0x104u);
  EXPECT_EQ(op.address[1][0], 0x100u);
  EXPECT_EQ(op.data[0][0], 4u);
  EXPECT_EQ(op.data[1][0], 8u);
  op = make(wave, ds("ds_write2st64_b64", 1, 0));
  EXPECT_EQ(op.address[0][0], 0x300u);
  EXPECT_EQ(op.data[1][0], 5u);
  EXPECT_EQ(op.data[2][0], 8u);
  EXPECT_EQ(op.data[3][0], 9u);
  // Equal offsets: one store of the first value.
  op = make(wave, ds("ds_write2_b32", 7, 7));
  EXPECT_EQ(op.accesses, 1);
  op = make(wave, ds("ds_wrxchg2_rtn_b32", 1, 2));
  EXPECT_EQ(op.kind, MemoryKind::AtomicReturn);
  EXPECT_EQ(op.atomic, AtomicOp::Swap);
  EXPECT_EQ(op.dst_dwords, 2);
  EXPECT_EQ(op.data[1][0], 8u);
  MemoryReply reply;
  reply.data[0][3] = 0x55;
  reply.data[1][3] = 0x66;
  complete(wave.state, op, reply);
  EXPECT_EQ(wave.v[10][3], 0x55u);
  EXPECT_EQ(wave.v[11][3], 0x66u);
}

TEST(WaveLds, Bounds) {
  Wave wave;
  wave.state.alloc.lds_bytes = 1024;
  wave.sgpr(isa::kM0) = 16;  // no bound on these targets
  fill(wave.v[2], [](unsigned lane) { return 1016 + lane; });
  wave.state.s.set_exec(0xff);
  MemoryOp op = make(wave, ds("ds_read_b32"));
  EXPECT_EQ(op.exec, 0x1fu);
  EXPECT_EQ(op.out_of_range, 0xe0u);
  EXPECT_EQ(op.violation, 0xe0u);
  // Addresses wrap at 32 bits: a negative base with an offset is inside.
  fill(wave.v[2], [](unsigned lane) { return lane == 0 ? 0xfffffffcu : 0xffff0000u; });
  op = make(wave, ds("ds_read_b32", 8));
  EXPECT_EQ(op.address[0][0], 4u);
  EXPECT_EQ(op.exec, 0x1u);
  // Two addresses are checked each on its own.
  wave.v[2].fill(1020);
  op = make(wave, ds("ds_read2_b32", 0, 1));
  EXPECT_EQ(op.exec, 0xffu);
  EXPECT_EQ(op.partial[0], 0u);
  EXPECT_EQ(op.partial[1], 0xffu);
  EXPECT_TRUE(op.byte_in_range(0, 0, 3));
  EXPECT_FALSE(op.byte_in_range(1, 0, 0));
  EXPECT_EQ(op.violation, 0xffu);
}

// Vega ISA 3.11: LDS alignment errors. Loads and stores have none in the unaligned mode.
TEST(WaveLds, MisalignedAtomics) {
  Wave wave;
  wave.state.alloc.lds_bytes = 1024;
  wave.sgpr(isa::kM0) = 1024u;
  fill(wave.v[2], [](unsigned lane) { return 64 + lane; });
  wave.state.s.set_exec(0xff);
  for (const char* mnemonic : {"ds_add_u32", "ds_max_rtn_f32", "ds_cmpst_rtn_b32"}) {
    const MemoryOp op = make(wave, ds(mnemonic, 8));
    EXPECT_EQ(op.exec, 0x11u) << mnemonic;
    EXPECT_EQ(op.violation, 0xeeu) << mnemonic;
    EXPECT_EQ(violation_text(op),
              "access of an atomic at 0x49, which is no multiple of its 4 bytes (lanes "
              "0x00000000000000ee)");
  }
  MemoryOp op = make(wave, ds("ds_add_u64", 8));
  EXPECT_EQ(op.exec, 0x01u);
  EXPECT_EQ(op.violation, 0xfeu);
  op = make(wave, ds("ds_add_u64", 4));
  EXPECT_EQ(op.exec, 0x10u);
  for (const char* mnemonic : {"ds_read_b64", "ds_write_b64", "ds_write2_b32"}) {
    EXPECT_EQ(make(wave, ds(mnemonic, 1, 3)).violation, 0u) << mnemonic;
  }
  // Each of two addresses, and the operand's of a SRC2 form.
  op = make(wave, ds("ds_wrxchg2_rtn_b32", 1, 2));
  EXPECT_EQ(op.exec, 0x11u);
  op = make(wave, ds("ds_add_src2_u32", 4));
  EXPECT_EQ(op.exec, 0x11u);
  EXPECT_EQ(op.violation, 0xeeu);
  // The GDS adds M0's base, and the counts of lanes are atomics, too.
  Build add = ds("ds_add_u32");
  add.i.mem.gds = true;
  wave.sgpr(isa::kM0) = 2u << 16 | 1024;
  EXPECT_EQ(make(wave, add).violation, 0xbbu);
  wave.sgpr(isa::kM0) = 16;
  EXPECT_EQ(make(wave, ds("ds_append", 4)).violation, 0u);
  EXPECT_NE(make(wave, ds("ds_append", 6)).violation, 0u);
}

TEST(WaveLds, Atomics) {
  Wave wave;
  for (unsigned r = 4; r < 10; ++r) wave.v[r].fill(r);
  struct Expected {
    const char* plain;
    const char* returning;
    AtomicOp op;
    unsigned bytes;
  };
  const Expected expected[] = {
      {"ds_add_u32", "ds_add_rtn_u32", AtomicOp::Add, 4},
      {"ds_sub_u32", "ds_sub_rtn_u32", AtomicOp::Sub, 4},
      {"ds_rsub_u32", "ds_rsub_rtn_u32", AtomicOp::RSub, 4},
      {"ds_inc_u32", "ds_inc_rtn_u32", AtomicOp::Inc, 4},
      {"ds_dec_u32", "ds_dec_rtn_u32", AtomicOp::Dec, 4},
      {"ds_min_i32", "ds_min_rtn_i32", AtomicOp::SMin, 4},
      {"ds_max_i32", "ds_max_rtn_i32", AtomicOp::SMax, 4},
      {"ds_min_u32", "ds_min_rtn_u32", AtomicOp::UMin, 4},
      {"ds_max_u32", "ds_max_rtn_u32", AtomicOp::UMax, 4},
      {"ds_and_b32", "ds_and_rtn_b32", AtomicOp::And, 4},
      {"ds_or_b32", "ds_or_rtn_b32", AtomicOp::Or, 4},
      {"ds_xor_b32", "ds_xor_rtn_b32", AtomicOp::Xor, 4},
      {"ds_min_f32", "ds_min_rtn_f32", AtomicOp::FMin, 4},
      {"ds_max_f32", "ds_max_rtn_f32", AtomicOp::FMax, 4},
      {"ds_add_f32", "ds_add_rtn_f32", AtomicOp::FAdd, 4},
      {"ds_add_u64", "ds_add_rtn_u64", AtomicOp::Add, 8},
      {"ds_rsub_u64", "ds_rsub_rtn_u64", AtomicOp::RSub, 8},
      {"ds_min_i64", "ds_min_rtn_i64", AtomicOp::SMin, 8},
      {"ds_xor_b64", "ds_xor_rtn_b64", AtomicOp::Xor, 8},
      {"ds_max_f64", "ds_max_rtn_f64", AtomicOp::FMax, 8},
  };
  for (const Expected& e : expected) {
    MemoryOp op = make(wave, ds(e.plain));
    EXPECT_EQ(op.kind, MemoryKind::Atomic) << e.plain;
    EXPECT_EQ(op.atomic, e.op) << e.plain;
    EXPECT_EQ(op.bytes, e.bytes) << e.plain;
    EXPECT_EQ(op.data[0][0], 4u) << e.plain;
    EXPECT_EQ(op.dst_dwords, 0) << e.plain;
    op = make(wave, ds(e.returning));
    EXPECT_EQ(op.kind, MemoryKind::AtomicReturn) << e.returning;
    EXPECT_EQ(op.atomic, e.op) << e.returning;
    EXPECT_EQ(op.dst_dwords, e.bytes / 4) << e.returning;
  }
  // DATA0 is compared, DATA1 the new value: the opposite of FLAT.
  MemoryOp op = make(wave, ds("ds_cmpst_rtn_b32"));
  EXPECT_EQ(op.compare[0][0], 4u);
  EXPECT_EQ(op.data[0][0], 8u);
  op = make(wave, ds("ds_cmpst_b64"));
  EXPECT_EQ(op.compare[1][0], 5u);
  EXPECT_EQ(op.data[1][0], 9u);
  // (old & ~DATA0) | DATA1
  op = make(wave, ds("ds_mskor_b32"));
  EXPECT_EQ(op.data[0][0], 4u);
  EXPECT_EQ(op.compare[0][0], 8u);
  EXPECT_EQ(base::apply_integer_atomic(op.atomic, 0xff, 0x0f, 0x100, 32), 0x1f0u);
}

TEST(WaveLds, ThreadIdAddress) {
  Wave wave;
  wave.sgpr(isa::kM0) = 0xabc00100;
  wave.v[4].fill(7);
  const MemoryOp op = make(wave, ds("ds_write_addtid_b32", 8));
  EXPECT_EQ(op.address[0][5], 0x100u + 8 + 20);
  EXPECT_EQ(op.data[0][5], 7u);
  EXPECT_EQ(make(wave, ds("ds_read_addtid_b32", 8)).address[0][63], 0x100u + 8 + 252);
}

TEST(WaveLds, HighHalves) {
  Wave wave;
  wave.v[4].fill(0x12345678);
  EXPECT_EQ(make(wave, ds("ds_write_b8_d16_hi")).data[0][0] & 0xff, 0x34u);
  EXPECT_EQ(make(wave, ds("ds_write_b16_d16_hi")).data[0][0] & 0xffff, 0x1234u);
  struct Expected {
    const char* mnemonic;
    uint32_t value;
  };
  const Expected expected[] = {
      {"ds_read_u8_d16", 0xabcd00f4},  {"ds_read_u8_d16_hi", 0x00f4ef01},
      {"ds_read_i8_d16", 0xabcdfff4},  {"ds_read_i8_d16_hi", 0xfff4ef01},
      {"ds_read_u16_d16", 0xabcd92f4}, {"ds_read_u16_d16_hi", 0x92f4ef01},
      {"ds_read_i8", 0xfffffff4},      {"ds_read_u8", 0x000000f4},
      {"ds_read_i16", 0xffff92f4},     {"ds_read_u16", 0x000092f4},
  };
  for (const Expected& e : expected) {
    wave.v[10].fill(0xabcdef01);
    const MemoryOp op = make(wave, ds(e.mnemonic));
    MemoryReply reply;
    reply.data[0][1] = 0x567892f4;
    complete(wave.state, op, reply);
    EXPECT_EQ(wave.v[10][1], e.value) << e.mnemonic;
  }
}

// -- lane moves
// -------------------------------------------------------------------------------------

LaneRow moved(Wave& wave, const Build& b) {
  wave.v[10].fill(0xdead);
  const MemoryOp op = make(wave, b);
  EXPECT_EQ(op.exec, 0u);  // no memory
  EXPECT_TRUE(op.counts_lgkm);
  complete(wave.state, op, MemoryReply{});
  return wave.v[10];
}

TEST(WaveLds, Permute) {
  Wave wave;
  fill(wave.v[4], [](unsigned lane) { return 0x100 + lane; });
  // Lane 0 and 3 send to 5, lane 1 (address beyond 64 * 4) to 2, lane 2 is off.
  fill(wave.v[2], [](unsigned lane) { return lane == 1 ? 264u : lane == 2 ? 28u : 20u; });
  wave.state.s.set_exec(0x2b);  // lanes 0, 1, 3, 5; lane 5 sends to 5 too: the highest wins
  LaneRow d = moved(wave, ds("ds_permute_b32"));
  EXPECT_EQ(d[0], 0u);
  EXPECT_EQ(d[1], 0u);
  EXPECT_EQ(d[2], 0xdeadu);  // written to, but lane 2 is off
  EXPECT_EQ(d[3], 0u);
  EXPECT_EQ(d[5], 0x105u);
  d = moved(wave, ds("ds_permute_b32", 252));  // 20 + 252 = 272: lane 4, 264 + 252: lane 1
  EXPECT_EQ(d[1], 0x101u);
  EXPECT_EQ(d[5], 0u);
}

TEST(WaveLds, Bpermute) {
  Wave wave;
  fill(wave.v[4], [](unsigned lane) { return 0x100 + lane; });
  fill(wave.v[2], [](unsigned lane) { return (63 - lane) * 4 + 2; });
  wave.state.s.set_exec(~uint64_t{0} << 1);  // lane 0 off
  const LaneRow d = moved(wave, ds("ds_bpermute_b32"));
  EXPECT_EQ(d[0], 0xdeadu);
  EXPECT_EQ(d[1], 0x100u + 62);
  EXPECT_EQ(d[62], 0x101u);
  EXPECT_EQ(d[63], 0u);  // from the lane that is off
  EXPECT_EQ(moved(wave, ds("ds_bpermute_b32", 4))[2], 0x100u + 62);
}

TEST(WaveLds, Swizzle) {
  Wave wave;
  fill(wave.v[2], [](unsigned lane) { return 0x100 + lane; });
  // Quad permute 3, 2, 1, 0.
  LaneRow d = moved(wave, ds("ds_swizzle_b32", 0x1b, 0x80));
  EXPECT_EQ(d[0], 0x103u);
  EXPECT_EQ(d[5], 0x106u);
  EXPECT_EQ(d[63], 0x13cu);
  // and 0x1f, or 0, xor 0x10: swaps rows of 16 inside groups of 32.
  d = moved(wave, ds("ds_swizzle_b32", 0x1f, 0x40));
  EXPECT_EQ(d[0], 0x110u);
  EXPECT_EQ(d[47], 0x100u + 63);
  // and 0, or 3: lane 3 of each group of 32 to all.
  d = moved(wave, ds("ds_swizzle_b32", 0x60, 0));
  EXPECT_EQ(d[17], 0x103u);
  EXPECT_EQ(d[40], 0x100u + 35);
  wave.state.s.set_exec(0xfff0);
  d = moved(wave, ds("ds_swizzle_b32", 0x60, 0));
  EXPECT_EQ(d[8], 0u);  // lane 3 is off
  EXPECT_EQ(d[0], 0xdeadu);
}

// -- SMEM
// -------------------------------------------------------------------------------------------

Build smem(const char* mnemonic) {
  Build b(mnemonic);
  for (unsigned n = 0; n < 4; ++n) {
    if (b.i.row->src[n].role == Role::Sbase) b.src(n, sgpr(8));
    if (b.i.row->src[n].role == Role::Sdata) b.src(n, sgpr(40));
    if (b.i.row->src[n].role == Role::Soffset) b.src(n, off());
  }
  if (b.i.row->dst[0].role == Role::Sdata) b.dst(sgpr(40));
  b.i.mem.imm = true;
  return b;
}

TEST(WaveSmem, Address) {
  Wave wave;
  wave.state.s.set_pair(8, 0x123400001003);
  wave.sgpr(20) = 0x107;
  Build b = smem("s_load_dwordx4");
  b.i.mem.offset = -5;  // all components drop their two lowest bits: -8
  MemoryOp op = make(wave, b);
  EXPECT_EQ(op.space, MemorySpace::Scalar);
  EXPECT_EQ(op.address[0][0], 0x123400000ff8u);
  EXPECT_EQ(op.bytes, 16);
  EXPECT_EQ(op.exec, 0xfu);
  EXPECT_EQ(op.dst, 40);
  EXPECT_EQ(op.dst_dwords, 4);
  EXPECT_EQ(op.lgkm, 2);
  EXPECT_TRUE(op.counts_lgkm);
  b.role(Role::Soffset, sgpr(20));
  EXPECT_EQ(make(wave, b).address[0][0], 0x1234000010fcu);
  b.i.mem.imm = false;
  EXPECT_EQ(make(wave, b).address[0][0], 0x123400001104u);
  // The scratch forms scale the register by 64.
  Build s = smem("s_scratch_load_dword");
  s.i.mem.offset = 8;
  s.role(Role::Soffset, sgpr(20));
  EXPECT_EQ(make(wave, s).address[0][0], 0x123400001000u + 8 + 0x107 * 64);
  EXPECT_EQ(make(wave, smem("s_load_dword")).lgkm, 1);
  EXPECT_EQ(make(wave, smem("s_load_dwordx16")).exec, 0xffffu);
}

TEST(WaveSmem, BufferBounds) {
  Wave wave;
  wave.sgpr(8) = 0x2002;
  wave.sgpr(9) = 0x1234;
  wave.sgpr(10) = 20;  // raw: bytes
  Build b = smem("s_buffer_load_dwordx4");
  b.i.mem.offset = 12;
  MemoryOp op = make(wave, b);
  EXPECT_EQ(op.address[0][0], 0x12340000200cu);
  EXPECT_EQ(op.exec, 0x3u);
  EXPECT_EQ(op.out_of_range, 0xcu);
  MemoryReply reply;
  for (unsigned d = 0; d < 4; ++d) {
    reply.scalar_data[d] = 0x50 + d;
    wave.sgpr(40 + d) = 0x99;
  }
  complete(wave.state, op, reply);
  EXPECT_EQ(wave.sgpr(40), 0x50u);
  EXPECT_EQ(wave.sgpr(41), 0x51u);
  EXPECT_EQ(wave.sgpr(42), 0u);
  EXPECT_EQ(wave.sgpr(43), 0u);
  EXPECT_EQ(wave.state.s.trapsts, 0u);
  wave.sgpr(9) = 0x1234 | 4u << 16;  // stride 4: 20 records of 4 bytes
  EXPECT_EQ(make(wave, b).exec, 0xfu);
  b.i.mem.offset = -8;
  EXPECT_EQ(make(wave, b).exec, 0u);
  b = smem("s_buffer_atomic_add_x2");
  b.i.mem.offset = 76;  // the second dword is outside: no atomic at all
  EXPECT_EQ(make(wave, b).exec, 0u);
}

TEST(WaveSmem, StoresAndAtomics) {
  Wave wave;
  for (unsigned n = 40; n < 48; ++n) wave.sgpr(n) = n;
  MemoryOp op = make(wave, smem("s_store_dwordx2"));
  EXPECT_EQ(op.kind, MemoryKind::Store);
  EXPECT_EQ(op.scalar_data[0], 40u);
  EXPECT_EQ(op.scalar_data[1], 41u);
  EXPECT_EQ(op.dst_dwords, 0);
  op = make(wave, smem("s_atomic_cmpswap_x2"));
  EXPECT_EQ(op.kind, MemoryKind::Atomic);
  EXPECT_EQ(op.scalar_data[1], 41u);
  EXPECT_EQ(op.compare[0][0], 42u);
  EXPECT_EQ(op.compare[1][0], 43u);
  Build b = smem("s_atomic_umax");
  b.i.mem.glc = true;
  op = make(wave, b);
  EXPECT_EQ(op.kind, MemoryKind::AtomicReturn);
  EXPECT_EQ(op.atomic, AtomicOp::UMax);
  EXPECT_EQ(op.dst, 40);
  EXPECT_EQ(op.dst_dwords, 1);
}

TEST(WaveSmem, DestinationOutOfRange) {
  Wave wave;
  wave.state.alloc.sgprs = 42;
  MemoryOp op = make(wave, smem("s_load_dwordx4"));
  EXPECT_EQ(op.exec, 0u);
  MemoryReply reply;
  reply.scalar_data[0] = 5;
  complete(wave.state, op, reply);
  EXPECT_EQ(wave.sgpr(40), 0u);
}

TEST(WaveSmem, Clock) {
  Wave wave;
  uint64_t now = 0x123456789abcdef0;
  wave.state.clock = [](void* context) { return *static_cast<uint64_t*>(context); };
  wave.state.clock_context = &now;
  for (const char* mnemonic : {"s_memtime", "s_memrealtime"}) {
    const MemoryOp op = make(wave, smem(mnemonic));
    EXPECT_EQ(op.exec, 0u);
    EXPECT_EQ(op.lgkm, 2);
    wave.state.s.set_pair(40, 0);
    complete(wave.state, op, MemoryReply{});
    EXPECT_EQ(wave.state.s.pair(40), now) << mnemonic;
  }
}

/// Subnormal numbers obey the field of MODE for their format (Vega ISA 4, FP_DENORM; decisions.md
/// D8): bits 5:4 are F32's, 7:6 F16's.
TEST(Lds, FloatAtomicsObeyTheFieldOfTheirFormat) {
  struct Case {
    AtomicOp op;
    uint32_t mode, value, sum;
  };
  for (const Case& c : {Case{AtomicOp::PkAddF16, 0xc0, 0x00010001, 0x00020002},
                        {AtomicOp::PkAddF16, 0x30, 0x00010001, 0},
                        {AtomicOp::FAdd, 0xc0, 1, 0},
                        {AtomicOp::FAdd, 0x30, 1, 2}}) {
    MemoryOp op;
    op.space = MemorySpace::Lds;
    op.kind = MemoryKind::Atomic;
    op.atomic = c.op;
    op.exec = 1;
    op.data[0][0] = c.value;
    std::vector<uint8_t> share(4);
    std::memcpy(share.data(), &c.value, 4);
    MemoryReply reply;
    access_share(op, 1, Mode{c.mode}, share, reply);
    uint32_t sum = 0;
    std::memcpy(&sum, share.data(), 4);
    EXPECT_EQ(sum, c.sum) << "mode " << c.mode;
  }
}

}  // namespace
}  // namespace cuvette::wave::testing
