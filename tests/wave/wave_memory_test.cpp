// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <functional>

#include "wave/memory/form.h"
#include "wave/memory_op.h"
#include "wave_fixture.h"

// Addresses, range checks and completion of the memory instructions; expectations worked out by
// hand from Vega ISA 8 to 10 and MI100 ISA 8, 9.
namespace cuvette::wave::testing {
namespace {

using base::AtomicOp;
using isa::Role;
using isa::Target;

MemoryOp make(Wave& wave, const Build& build) {
  MemoryOp op;
  EXPECT_TRUE(make_memory_op(wave.state, build.i, op)) << build.i.row->mnemonic;
  op.instruction = nullptr;  // `build` may be a temporary
  return op;
}
void fill(LaneRow& row, const std::function<uint32_t(unsigned)>& value) {
  for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = value(lane);
}

// -- FLAT, GLOBAL, SCRATCH
// --------------------------------------------------------------------------

Build flat(const char* mnemonic, Target target = Target::Gfx908) {
  Build b(mnemonic, target);
  b.role(Role::Addr, vgpr(2));
  if (b.i.row->dst[0].role == Role::Vdst) b.dst(vgpr(10));
  for (unsigned n = 0; n < 4; ++n) {
    if (b.i.row->src[n].role == Role::Data0) b.src(n, vgpr(4));
    if (b.i.row->src[n].role == Role::Saddr) b.src(n, off());
  }
  return b;
}

TEST(WaveMemory, GlobalAddress) {
  Wave wave;
  fill(wave.v[2], [](unsigned lane) { return 0xfffffff0 + lane * 4; });
  fill(wave.v[3], [](unsigned) { return 0x12; });
  wave.state.s.set_exec(0x8000000000000011);
  Build b = flat("global_load_dwordx2");
  b.i.mem.offset = -8;
  MemoryOp op = make(wave, b);
  EXPECT_EQ(op.space, MemorySpace::Global);
  EXPECT_EQ(op.kind, MemoryKind::Load);
  EXPECT_EQ(op.bytes, 8);
  EXPECT_EQ(op.exec, 0x8000000000000011u);
  EXPECT_EQ(op.address[0][0], 0x12ffffffe8u);
  EXPECT_EQ(op.address[0][4], 0x11fffffff8u);  // low half 0, minus 8
  EXPECT_EQ(op.address[0][63], 0x1200000000u + 0xec - 8);
  EXPECT_TRUE(op.counts_vm);
  EXPECT_FALSE(op.counts_lgkm);
  EXPECT_EQ(op.dst_kind, isa::OperandKind::Vgpr);
  EXPECT_EQ(op.dst, 10);
  EXPECT_EQ(op.dst_dwords, 2);
  EXPECT_EQ(op.byte_address(0, 4, 7), 0x11ffffffffu);

  // SGPR base: the VGPR is a 32-bit unsigned offset.
  wave.state.s.set_pair(6, 0x700000000000);
  b.role(Role::Saddr, sgpr(6));
  op = make(wave, b);
  EXPECT_EQ(op.address[0][0], 0x700000000000u + 0xfffffff0 - 8);
  EXPECT_EQ(op.address[0][4], 0x700000000000u + 0 - 8);
}

TEST(WaveMemory, FlatApertures) {
  Wave wave;
  wave.state.alloc.shared_aperture = 0x1000000000000000;
  wave.state.alloc.private_aperture = 0x2000000000000000;
  wave.state.alloc.lds_bytes = 256;
  wave.state.alloc.scratch_bytes_per_lane = 64;
  wave.state.s.set_pair(isa::kFlatScratchLo, 0x500000);
  const uint64_t address[6] = {0x1000000000000010, 0x2000000000000006, 0x0000004000000000,
                               0x10000000000000fd, 0x200000000000003e, 0x2000000000000000};
  for (unsigned lane = 0; lane < 6; ++lane) {
    wave.v[2][lane] = base::lo32(address[lane]);
    wave.v[3][lane] = base::hi32(address[lane]);
  }
  wave.state.s.set_exec(0x3f);
  Build b = flat("flat_load_dword");
  MemoryOp op = make(wave, b);
  EXPECT_TRUE(op.counts_vm);
  EXPECT_TRUE(op.counts_lgkm);
  EXPECT_EQ(op.lgkm, 1);
  EXPECT_EQ(op.flat_lds, 1u);
  EXPECT_EQ(op.address[0][0], 0x10u);
  // Offset 6 of lane 1: second dword of the lane, byte 2 of it: (1 * 64 + 1) * 4 + 2.
  EXPECT_EQ(op.address[0][1], 0x500000u + 262);
  EXPECT_EQ(op.byte_address(0, 1, 0), 0x500000u + 262);
  EXPECT_EQ(op.byte_address(0, 1, 1), 0x500000u + 263);
  EXPECT_EQ(op.byte_address(0, 1, 2), 0x500000u + 516);
  EXPECT_EQ(op.byte_address(0, 1, 3), 0x500000u + 517);
  EXPECT_EQ(op.address[0][2], 0x4000000000u);
  EXPECT_EQ(op.byte_address(0, 2, 3), 0x4000000003u);
  EXPECT_EQ(op.address[0][5], 0x500000u + 20);
  EXPECT_EQ(op.exec, 0x27u);
  EXPECT_EQ(op.out_of_range, 0x18u);  // LDS end, scratch end
  EXPECT_EQ(op.violation, 0x18u);
  EXPECT_EQ(op.swizzled, 0x22u);

  // Behind the 12-bit offset nothing is looked up again (decision D54).
  b.i.mem.offset = 0xec;
  op = make(wave, b);
  EXPECT_EQ(op.address[0][0], 0xfcu);
  const uint64_t crossing[4] = {0x0ffffffffffffffc, 0x1fffffffffffffff, 0x10000000fffffffc,
                                0x20000000fffffff0};
  for (unsigned lane = 0; lane < 4; ++lane) {
    wave.v[2][lane] = base::lo32(crossing[lane]);
    wave.v[3][lane] = base::hi32(crossing[lane]);
  }
  wave.state.s.set_exec(0xf);
  MemoryOp crossed;
  ASSERT_TRUE(make_memory_op(wave.state, b.i, crossed));
  EXPECT_EQ(crossed.exec, 0u);
  EXPECT_EQ(crossed.violation, 0xfu);
  EXPECT_EQ(crossed.strayed, 0xfu);
  EXPECT_EQ(crossed.flat_lds | crossed.swizzled, 0u);
  EXPECT_EQ(violation_text(crossed),
            "access at 0x10000000000000e8 leaves the segment of its base address "
            "0xffffffffffffffc (lanes 0x000000000000000f)");
  for (unsigned lane = 0; lane < 6; ++lane) {
    wave.v[2][lane] = base::lo32(address[lane]);
    wave.v[3][lane] = base::hi32(address[lane]);
  }
  wave.state.s.set_exec(0x3f);

  // GLOBAL does not know the apertures: LDS is a violation.
  op = make(wave, flat("global_store_dword"));
  EXPECT_EQ(op.exec & 0x9, 0u);
  EXPECT_EQ(op.violation, 0x9u);
}

TEST(WaveMemory, ScratchAddress) {
  Wave wave;
  wave.state.s.set_pair(isa::kFlatScratchLo, 0x10000);
  fill(wave.v[2], [](unsigned lane) { return 4 * lane; });
  fill(wave.v[4], [](unsigned lane) { return 0x1000 + lane; });
  fill(wave.v[5], [](unsigned lane) { return 0x2000 + lane; });
  Build b = flat("scratch_store_dwordx2");
  b.i.mem.offset = 8;
  MemoryOp op = make(wave, b);
  // Lane 3: offset 12 + 8 = 20 = dword 5: (5 * 64 + 3) * 4.
  EXPECT_EQ(op.byte_address(0, 3, 0), 0x10000u + 1292);
  EXPECT_EQ(op.byte_address(0, 3, 4), 0x10000u + 1292 + 256);
  EXPECT_EQ(op.byte_address(0, 3, 7), 0x10000u + 1292 + 256 + 3);
  EXPECT_EQ(op.data[0][3], 0x1003u);
  EXPECT_EQ(op.data[1][3], 0x2003u);
  EXPECT_TRUE(op.counts_vm);
  EXPECT_FALSE(op.counts_lgkm);

  wave.sgpr(6) = 100;
  b.role(Role::Addr, off()).role(Role::Saddr, sgpr(6));
  b.i.mem.offset = -4;
  op = make(wave, b);
  // Offset 96 = dword 24 of every lane.
  EXPECT_EQ(op.address[0][0], 0x10000u + 24 * 256);
  EXPECT_EQ(op.address[0][63], 0x10000u + 24 * 256 + 252);
  b.i.mem.offset = -104;  // below the private segment
  op = make(wave, b);
  EXPECT_EQ(op.exec, 0u);
  EXPECT_EQ(op.violation, ~uint64_t{0});

  // gfx942: the base is not in registers.
  Wave later(Target::Gfx942);
  later.state.alloc.scratch_base = 0x40000;
  Build on942 = flat("scratch_load_dword", Target::Gfx942);
  EXPECT_EQ(make(later, on942).address[0][1], 0x40004u);
}

TEST(WaveMemory, FlatAtomics) {
  Wave wave;
  fill(wave.v[4], [](unsigned lane) { return 0x10 + lane; });
  fill(wave.v[5], [](unsigned lane) { return 0x20 + lane; });
  fill(wave.v[6], [](unsigned lane) { return 0x30 + lane; });
  fill(wave.v[7], [](unsigned lane) { return 0x40 + lane; });
  Build b = flat("global_atomic_cmpswap");
  MemoryOp op = make(wave, b);
  EXPECT_EQ(op.kind, MemoryKind::Atomic);
  EXPECT_EQ(op.dst_dwords, 0);
  EXPECT_EQ(op.atomic, AtomicOp::CmpSwap);
  EXPECT_EQ(op.data[0][1], 0x11u);     // new value first
  EXPECT_EQ(op.compare[0][1], 0x21u);  // compared value behind
  b.i.mem.glc = true;
  op = make(wave, b);
  EXPECT_EQ(op.kind, MemoryKind::AtomicReturn);
  EXPECT_EQ(op.dst, 10);
  EXPECT_EQ(op.dst_dwords, 1);
  op = make(wave, flat("flat_atomic_cmpswap_x2"));
  EXPECT_EQ(op.bytes, 8);
  EXPECT_EQ(op.data[1][1], 0x21u);
  EXPECT_EQ(op.compare[0][1], 0x31u);
  EXPECT_EQ(op.compare[1][1], 0x41u);

  struct Expected {
    const char* name;
    AtomicOp op;
  };
  const Expected expected[] = {
      {"swap", AtomicOp::Swap}, {"add", AtomicOp::Add},   {"sub", AtomicOp::Sub},
      {"smin", AtomicOp::SMin}, {"umin", AtomicOp::UMin}, {"smax", AtomicOp::SMax},
      {"umax", AtomicOp::UMax}, {"and", AtomicOp::And},   {"or", AtomicOp::Or},
      {"xor", AtomicOp::Xor},   {"inc", AtomicOp::Inc},   {"dec", AtomicOp::Dec},
  };
  for (const Expected& e : expected) {
    for (const char* prefix : {"flat_atomic_", "global_atomic_"}) {
      for (unsigned bytes : {4u, 8u}) {
        op = make(wave, flat((prefix + std::string(e.name) + (bytes == 8 ? "_x2" : "")).c_str()));
        EXPECT_EQ(op.atomic, e.op) << prefix << e.name;
        EXPECT_EQ(op.bytes, bytes) << prefix << e.name;
        EXPECT_EQ(op.data[0][2], 0x12u);
        if (bytes == 8) {
          EXPECT_EQ(op.data[1][2], 0x22u);
        }
      }
    }
  }
  EXPECT_EQ(make(wave, flat("global_atomic_add_f32")).atomic, AtomicOp::FAdd);
  EXPECT_EQ(make(wave, flat("global_atomic_pk_add_f16")).atomic, AtomicOp::PkAddF16);
  EXPECT_EQ(make(wave, flat("flat_atomic_min_f64", Target::Gfx90a)).bytes, 8);
}

TEST(WaveMemory, StoreData) {
  Wave wave;
  fill(wave.v[4], [](unsigned) { return 0x12345678; });
  EXPECT_EQ(make(wave, flat("global_store_byte")).data[0][0] & 0xff, 0x78u);
  EXPECT_EQ(make(wave, flat("global_store_byte_d16_hi")).data[0][0] & 0xff, 0x34u);
  EXPECT_EQ(make(wave, flat("global_store_short_d16_hi")).data[0][0] & 0xffff, 0x1234u);
  EXPECT_EQ(make(wave, flat("global_store_byte")).bytes, 1);
  EXPECT_EQ(make(wave, flat("global_store_short")).bytes, 2);
  EXPECT_EQ(make(wave, flat("global_store_dwordx3")).bytes, 12);
  EXPECT_EQ(make(wave, flat("global_store_dwordx4")).bytes, 16);
}

// -- completion
// -------------------------------------------------------------------------------------

/// Bits that a load leaves in a register that held `old`, for loaded bits `loaded`.
uint32_t completed(const char* mnemonic, uint32_t old, uint32_t loaded, bool sramecc) {
  Wave wave;
  wave.state.sramecc = sramecc;
  wave.v[10].fill(old);
  const MemoryOp op = make(wave, flat(mnemonic));
  MemoryReply reply;
  reply.data[0][5] = loaded;
  complete(wave.state, op, reply);
  return wave.v[10][5];
}

TEST(WaveMemory, Extension) {
  struct Expected {
    const char* mnemonic;
    uint32_t off, on;  // without and with SRAM ECC
  };
  const Expected expected[] = {
      {"global_load_ubyte", 0x000000f4, 0x000000f4},
      {"global_load_sbyte", 0xfffffff4, 0xfffffff4},
      {"global_load_ushort", 0x000092f4, 0x000092f4},
      {"global_load_sshort", 0xffff92f4, 0xffff92f4},
      {"global_load_dword", 0x567892f4, 0x567892f4},
      {"global_load_ubyte_d16", 0xabcd00f4, 0x000000f4},
      {"global_load_ubyte_d16_hi", 0x00f4ef01, 0x00f40000},
      {"global_load_sbyte_d16", 0xabcdfff4, 0x0000fff4},
      {"global_load_sbyte_d16_hi", 0xfff4ef01, 0xfff40000},
      {"global_load_short_d16", 0xabcd92f4, 0x000092f4},
      {"global_load_short_d16_hi", 0x92f4ef01, 0x92f40000},
  };
  for (const Expected& e : expected) {
    EXPECT_EQ(completed(e.mnemonic, 0xabcdef01, 0x567892f4, false), e.off) << e.mnemonic;
    EXPECT_EQ(completed(e.mnemonic, 0xabcdef01, 0x567892f4, true), e.on) << e.mnemonic;
  }
}

TEST(WaveMemory, Completion) {
  Wave wave;
  wave.state.s.set_exec(0xf);
  for (unsigned r = 10; r < 14; ++r) wave.v[r].fill(0x77);
  MemoryOp op = make(wave, flat("global_load_dwordx4"));
  op.exec = 0x3;
  op.out_of_range = 0x4;
  op.partial[3] = 0x2;
  MemoryReply reply;
  for (unsigned d = 0; d < 4; ++d) {
    for (unsigned lane = 0; lane < kLanes; ++lane) reply.data[d][lane] = d * 0x100 + lane;
  }
  complete(wave.state, op, reply);
  for (unsigned d = 0; d < 4; ++d) {
    EXPECT_EQ(wave.v[10 + d][0], d * 0x100);
    EXPECT_EQ(wave.v[10 + d][1], d == 3 ? 0 : d * 0x100 + 1);
    EXPECT_EQ(wave.v[10 + d][2], 0u);
    EXPECT_EQ(wave.v[10 + d][3], 0x77u);
  }
  EXPECT_EQ(wave.state.s.trapsts, 0u);
  reply.faulted = 0x4;  // not a lane that accessed memory
  complete(wave.state, op, reply);
  EXPECT_EQ(wave.state.s.trapsts, 0u);
  reply.faulted = 0x2;
  complete(wave.state, op, reply);
  EXPECT_EQ(wave.state.s.trapsts, 0x100u);

  // Loads into AccVGPRs; a returned dword outside the allocation turns the instruction off.
  Wave acc(Target::Gfx90a);
  Build b = flat("global_load_dwordx2", Target::Gfx90a);
  b.dst(agpr(254));
  op = make(acc, b);
  complete(acc.state, op, reply);
  EXPECT_EQ(acc.a[255][7], 0x107u);
  b.dst(agpr(255));
  op = make(acc, b);
  EXPECT_EQ(op.exec, 0u);
  complete(acc.state, op, reply);
  EXPECT_EQ(acc.a[255][7], 0x107u);
}

// -- buffers
// ----------------------------------------------------------------------------------------

constexpr uint32_t kFormat32 = 4u << 15;  ///< a data format that is not "invalid"

void set_resource(Wave& wave, uint64_t base, uint32_t stride, uint32_t records, uint32_t word3,
                  bool swizzle = false) {
  wave.sgpr(8) = base::lo32(base);
  wave.sgpr(9) = base::hi32(base) | stride << 16 | (swizzle ? 0x80000000u : 0);
  wave.sgpr(10) = records;
  wave.sgpr(11) = word3;
}
Build buffer(const char* mnemonic, bool idxen, bool offen, int32_t offset) {
  Build b(mnemonic);
  b.role(Role::Vdata, vgpr(4)).role(Role::Addr, vgpr(2)).role(Role::Srsrc, sgpr(8));
  b.role(Role::Soffset, sgpr(20));
  b.i.mem.idxen = idxen;
  b.i.mem.offen = offen;
  b.i.mem.offset = offset;
  return b;
}

TEST(WaveMemory, RawBuffer) {
  Wave wave;
  set_resource(wave, 0x123400001000, 0, 100, kFormat32);
  wave.sgpr(20) = 0x40;
  fill(wave.v[2], [](unsigned lane) { return lane * 4; });
  MemoryOp op = make(wave, buffer("buffer_load_dword", false, true, 8));
  EXPECT_EQ(op.address[0][0], 0x123400001000u + 0x40 + 8);
  EXPECT_EQ(op.address[0][5], 0x123400001000u + 0x40 + 28);
  // 64 of the scalar offset, 8, 4 per lane and the dword itself are more than 100 from lane 7 on
  // (decision D51).
  EXPECT_EQ(op.exec, (uint64_t{1} << 7) - 1);
  EXPECT_EQ(op.out_of_range, ~op.exec);
  EXPECT_EQ(op.violation, 0u);
  EXPECT_TRUE(op.counts_vm);

  // A wider load is checked dword by dword: lane 5 has 92 and 96 inside, 100 outside.
  op = make(wave, buffer("buffer_load_dwordx3", false, true, 8));
  EXPECT_EQ(op.exec, (uint64_t{1} << 7) - 1);
  EXPECT_EQ(op.partial[0], 0u);
  EXPECT_EQ(op.partial[1], uint64_t{1} << 6);
  EXPECT_EQ(op.partial[2], uint64_t{3} << 5);
  EXPECT_TRUE(op.byte_in_range(0, 5, 7));
  EXPECT_FALSE(op.byte_in_range(0, 5, 8));
  // An atomic is in or out as a whole.
  op = make(wave, buffer("buffer_atomic_add_x2", false, true, 8));
  EXPECT_EQ(op.exec, (uint64_t{1} << 6) - 1);
  EXPECT_EQ(op.partial[1], 0u);

  // The sum of the VGPR and the instruction's offset has 32 bits, that with the SGPR has more.
  const LaneRow offsets = wave.v[2];
  wave.v[2].fill(~uint32_t{0} - 3);
  op = make(wave, buffer("buffer_load_dword", false, true, 8));
  EXPECT_EQ(op.exec, ~uint64_t{0});
  EXPECT_EQ(op.address[0][0], 0x123400001000u + 0x44);
  wave.sgpr(20) = ~uint32_t{0} - 3;
  EXPECT_EQ(make(wave, buffer("buffer_load_dword", false, true, 8)).exec, 0u);
  wave.sgpr(20) = 0x40;
  wave.v[2] = offsets;

  // No offset register: all lanes at one address; dword accesses drop two bits, bytes do not.
  op = make(wave, buffer("buffer_load_dword", false, false, 7));
  EXPECT_EQ(op.address[0][9], 0x123400001000u + 0x44);
  op = make(wave, buffer("buffer_load_ubyte", false, false, 7));
  EXPECT_EQ(op.address[0][9], 0x123400001000u + 0x47);
  op = make(wave, buffer("buffer_load_ushort", false, false, 7));
  EXPECT_EQ(op.address[0][9], 0x123400001000u + 0x47);
}

TEST(WaveMemory, StructuredBuffer) {
  Wave wave;
  set_resource(wave, 0x1000, 20, 3, kFormat32);
  fill(wave.v[2], [](unsigned lane) { return lane; });
  fill(wave.v[3], [](unsigned) { return 1000; });  // offsets are not checked
  MemoryOp op = make(wave, buffer("buffer_load_dword", true, true, 4));
  EXPECT_EQ(op.address[0][2], 0x1000u + 2 * 20 + 1004);
  EXPECT_EQ(op.exec, 0x7u);
  EXPECT_EQ(op.out_of_range, ~uint64_t{7});
  op = make(wave, buffer("buffer_load_dword", true, false, 4));
  EXPECT_EQ(op.address[0][2], 0x1000u + 2 * 20 + 4);
}

TEST(WaveMemory, SwizzledBuffer) {
  Wave wave;
  // stride 64, index stride 16: ((index / 16) * 64 + offset / 4 * 4) * 16 + index % 16 * 4 + offset
  // % 4
  set_resource(wave, 0x100000, 64, 1000, kFormat32 | 1u << 21, true);
  fill(wave.v[2], [](unsigned lane) { return lane; });
  fill(wave.v[3], [](unsigned) { return 9; });
  MemoryOp op = make(wave, buffer("buffer_load_ubyte", true, true, 1));
  EXPECT_EQ(op.address[0][0], 0x100000u + 8 * 16 + 2);
  EXPECT_EQ(op.address[0][18], 0x100000u + (64 + 8) * 16 + 2 * 4 + 2);
  op = make(wave, buffer("buffer_load_dwordx2", true, true, 3));
  EXPECT_EQ(op.byte_address(0, 18, 0), 0x100000u + (64 + 12) * 16 + 8);
  EXPECT_EQ(op.byte_address(0, 18, 4), 0x100000u + (64 + 16) * 16 + 8);

  // Private: the thread id is the index, the format extends the stride, nothing is checked.
  // Stride 0x4008, index stride 64.
  set_resource(wave, 0x100000, 8, 0, 1u << 23 | 3u << 21 | 1u << 15, true);
  wave.v[2].fill(9);
  op = make(wave, buffer("buffer_store_dword", false, true, 3));
  EXPECT_EQ(op.exec, ~uint64_t{0});
  EXPECT_EQ(op.address[0][63], 0x100000u + 12 * 64 + 63 * 4);
  // The offsets' sum has 32 bits (decision D51).
  wave.v[2].fill(~uint32_t{0} - 39);
  op = make(wave, buffer("buffer_store_dword", false, true, 140));
  EXPECT_EQ(op.address[0][63], 0x100000u + 100 * 64 + 63 * 4);
  // The thread id adds to an index register, too: lane 63 has index 126 = 64 + 62.
  fill(wave.v[2], [](unsigned lane) { return lane; });
  set_resource(wave, 0x100000, 8, 1000, 1u << 23 | 3u << 21 | 1u << 15, true);
  op = make(wave, buffer("buffer_store_dword", true, false, 0));
  EXPECT_EQ(op.address[0][63], 0x100000u + 0x4008 * 64 + 62 * 4);
}

TEST(WaveMemory, UnboundBuffer) {
  Wave wave;
  set_resource(wave, 0, 0, 0xffffffff, 0);
  EXPECT_EQ(make(wave, buffer("buffer_load_dword", false, false, 0)).exec, 0u);
}

TEST(WaveMemory, BufferAtomicReturnsToItsData) {
  Wave wave;
  set_resource(wave, 0x1000, 0, 0xffffffff, kFormat32);
  Build b = buffer("buffer_atomic_cmpswap_x2", false, false, 0);
  b.i.mem.glc = true;
  for (unsigned r = 4; r < 8; ++r) wave.v[r].fill(r);
  const MemoryOp op = make(wave, b);
  EXPECT_EQ(op.kind, MemoryKind::AtomicReturn);
  EXPECT_EQ(op.dst, 4);
  EXPECT_EQ(op.dst_dwords, 2);
  EXPECT_EQ(op.data[1][0], 5u);
  EXPECT_EQ(op.compare[1][0], 7u);
}

// -- what is refused
// --------------------------------------------------------------------------

TEST(WaveMemory, Refusals) {
  Wave wave;
  MemoryOp op;
  const auto refused = [&](const Build& b) {
    EXPECT_FALSE(make_memory_op(wave.state, b.i, op)) << b.i.row->mnemonic;
    return std::string(op.refusal);
  };
  Build gds("ds_add_u32", Target::Gfx90a);
  gds.role(Role::Addr, vgpr(2)).role(Role::Data0, vgpr(4));
  gds.i.mem.gds = true;
  wave.state.target = Target::Gfx90a;
  EXPECT_EQ(refused(gds), "this target has no global data share");
  EXPECT_EQ(refused(Build("ds_gws_barrier")), "this instruction needs the GDS bit");
  EXPECT_EQ(refused(Build("image_gather4h_pck")), "no semantics for this memory instruction");
}

bool exists(const isa::Row& row) {
  return std::any_of(isa::kAllTargets.begin(), isa::kAllTargets.end(),
                     [&](Target t) { return row.on(t); });
}
bool has_semantics(const isa::Row& row) {
  return std::all_of(isa::kAllTargets.begin(), isa::kAllTargets.end(), [&](Target t) {
    return !row.on(t) || status_of(row, t).status != Status::Unsupported;
  });
}

TEST(WaveMemory, Rows) {
  unsigned with = 0, rows = 0, nowhere = 0;
  for (const isa::Row& row : isa::rows()) {
    switch (row.format) {
      case isa::Format::Smem:
      case isa::Format::Ds:
      case isa::Format::Mubuf:
      case isa::Format::Mtbuf:
      case isa::Format::Mimg:
      case isa::Format::Flat:
      case isa::Format::Global:
      case isa::Format::Scratch:
        ++rows;
        nowhere += !exists(row);
        for (Target t : isa::kAllTargets) {
          if (!row.on(t)) continue;
          const StatusOf status = status_of(row, t);
          EXPECT_NE(status.status, Status::Unsupported) << row.mnemonic << ": " << status.reason;
        }
        with += exists(row) && has_semantics(row);
        break;
      default:
        break;
    }
    // Widths of the row and of the form agree.
    const memory::Form* form = memory::find_form(row.semantic);
    if (form == nullptr) continue;
    for (const isa::OperandSpec& spec : row.dst) {
      if (spec.role == Role::Vdst || spec.role == Role::Vdata || spec.role == Role::Sdata) {
        EXPECT_EQ(spec.dwords, form->dwords() * form->accesses) << row.mnemonic;
      }
    }
    for (const isa::OperandSpec& spec : row.src) {
      const bool pair =
          form->atomic == AtomicOp::CmpSwap && !form->second && form->kind == MemoryKind::Atomic;
      if (spec.role == Role::Data0 || spec.role == Role::Vdata || spec.role == Role::Sdata) {
        EXPECT_EQ(spec.dwords, form->dwords() * (pair ? 2 : 1)) << row.mnemonic;
      }
    }
    if (form->src2) continue;  // a write of this kind is an exchange
    EXPECT_EQ(row.has(isa::kLoad), form->kind == MemoryKind::Load) << row.mnemonic;
    EXPECT_EQ(row.has(isa::kStore), form->kind == MemoryKind::Store) << row.mnemonic;
  }
  std::printf("semantics: %u of %u memory rows (%u exist on no target)\n", with, rows, nowhere);
  EXPECT_EQ(with + nowhere, rows);
}

}  // namespace
}  // namespace cuvette::wave::testing
