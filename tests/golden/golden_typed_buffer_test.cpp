// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Typed buffers (MUBUF FORMAT and MTBUF rows) and transfers between memory and LDS. Memory is
// filled by hand with elements whose values are known; places follow MI100 ISA 9.1.5.
#include "golden_rows.h"

namespace cuvette::golden::testing {
namespace {

/// V#: descriptor words in s8..s11.
struct Descriptor {
  uint64_t base = 0;
  uint32_t stride = 0, records = 0xffffffff;
  unsigned data_format = 10, number_format = 0;
  unsigned select[4] = {4, 5, 6, 7};
  bool swizzle = false, add_tid = false;
  unsigned index_stride = 0;
};
void bind(Bench& m, const Descriptor& d) {
  m.wave.sgpr(8) = static_cast<uint32_t>(d.base);
  m.wave.sgpr(9) = static_cast<uint32_t>(d.base >> 32) | d.stride << 16 | uint32_t{d.swizzle} << 31;
  m.wave.sgpr(10) = d.records;
  m.wave.sgpr(11) = d.select[0] | d.select[1] << 3 | d.select[2] << 6 | d.select[3] << 9 |
                    d.number_format << 12 | d.data_format << 15 | d.index_stride << 21 |
                    uint32_t{d.add_tid} << 23;
}

/// Data in v20.., index in v2 (idxen), offset in v3 or v2, SOFFSET s20.
Build buffer(const std::string& mnemonic, bool idxen, bool offen = false, int32_t offset = 0) {
  Build b(mnemonic);
  for (unsigned n = 0; n < 4; ++n) {
    if (b.i.row->src[n].role == Role::Addr) b.src(n, idxen || offen ? vgpr(2) : off());
    if (b.i.row->src[n].role == Role::Vdata) b.src(n, vgpr(20));
    if (b.i.row->src[n].role == Role::Srsrc) b.src(n, sgpr(8));
    if (b.i.row->src[n].role == Role::Soffset) b.src(n, sgpr(20));
  }
  if (b.i.row->dst[0].role == Role::Vdata) b.dst(vgpr(20));
  b.i.mem.idxen = idxen;
  b.i.mem.offen = offen;
  b.i.mem.offset = offset;
  return b;
}

constexpr const char* kCounts[] = {"x", "xy", "xyz", "xyzw"};

TEST(GoldenTypedBuffer, LoadRows) {
  for (const char* prefix : {"buffer", "tbuffer"}) {
    for (unsigned count = 1; count <= 4; ++count) {
      for (bool d16 : {false, true}) {
        Bench m;
        Descriptor d;
        d.base = m.base;
        d.stride = 4;
        bind(m, d);
        // Element of index i: bytes i, i + 64, i + 128, i + 192.
        for (uint32_t i = 0; i < 64; ++i) {
          m.set_word(4 * i, i | (i + 64) << 8 | (i + 128) << 16 | (i + 192) << 24);
        }
        for (unsigned lane = 0; lane < 64; ++lane) m.wave.v[2][lane] = 63 - lane;
        for (unsigned r = 20; r < 25; ++r) m.wave.v[r].fill(0xeeeeeeee);
        const std::string name =
            std::string(prefix) + "_load_format_" + (d16 ? "d16_" : "") + kCounts[count - 1];
        Build b = buffer(name, true);
        b.i.mem.dfmt = 10;
        b.i.mem.nfmt = 4;  // the instruction's: uint
        m.run(b);
        const bool typed = std::string(prefix) == "tbuffer";
        for (unsigned lane : {0u, 17u, 63u}) {
          for (unsigned c = 0; c < count; ++c) {
            const uint32_t code = 63 - lane + 64 * c;
            uint32_t got = m.wave.v[20 + (d16 ? c / 2 : c)][lane];
            if (d16) got = got >> 16 * (c % 2) & 0xffff;
            if (typed) {
              EXPECT_EQ(got, code) << name;
            } else if (!d16) {
              EXPECT_EQ(as_float(got), static_cast<float>(code) / 255.0f) << name;
            } else {
              // Half of 0 and 255 are exact.
              if (code == 0) {
                EXPECT_EQ(got, 0u) << name;
              }
              if (code == 255) {
                EXPECT_EQ(got, 0x3c00u) << name;
              }
            }
          }
          const unsigned registers = d16 ? (count + 1) / 2 : count;
          EXPECT_EQ(m.wave.v[20 + registers][lane], 0xeeeeeeeeu) << name;
          if (d16 && count % 2 == 1) {  // no ECC: the other half stays
            EXPECT_EQ(m.wave.v[20 + count / 2][lane] >> 16, 0xeeeeu) << name;
          }
        }
      }
    }
  }
}

TEST(GoldenTypedBuffer, StoreRows) {
  for (const char* prefix : {"buffer", "tbuffer"}) {
    for (unsigned count = 1; count <= 4; ++count) {
      for (bool d16 : {false, true}) {
        Bench m;
        Descriptor d;
        d.base = m.base;
        d.stride = 8;
        d.data_format = 12;  // 16_16_16_16
        d.number_format = 4;
        bind(m, d);
        for (uint32_t i = 0; i < 128; ++i) m.set_word(4 * i, 0xffffffff);
        for (unsigned lane = 0; lane < 64; ++lane) {
          m.wave.v[2][lane] = lane;
          for (unsigned c = 0; c < 4; ++c) {
            const uint32_t value = 1000 * (c + 1) + lane;
            if (d16) {
              uint32_t& r = m.wave.v[20 + c / 2][lane];
              r = c % 2 == 0 ? value : r | value << 16;
            } else {
              m.wave.v[20 + c][lane] = value;
            }
          }
        }
        const std::string name =
            std::string(prefix) + "_store_format_" + (d16 ? "d16_" : "") + kCounts[count - 1];
        Build b = buffer(name, true);
        b.i.mem.dfmt = 12;
        b.i.mem.nfmt = 4;
        m.wave.state.s.set_exec(~uint64_t{2});
        m.run(b);
        EXPECT_EQ(m.word(8), 0xffffffffu) << name;  // lane 1 is off
        for (unsigned lane : {0u, 2u, 63u}) {
          for (unsigned c = 0; c < 4; ++c) {
            const uint32_t got = m.word(8 * lane + 4 * (c / 2)) >> 16 * (c % 2) & 0xffff;
            EXPECT_EQ(got, c < count ? 1000 * (c + 1) + lane : 0u) << name << ' ' << c;
          }
        }
      }
    }
  }
}

TEST(GoldenTypedBuffer, HighHalf) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  d.data_format = 2;
  d.number_format = 7;
  bind(m, d);
  m.set_word(0, 0xbc003c00);
  m.wave.state.s.set_exec(1);
  m.wave.v[20][0] = 0x00001234;
  m.run(buffer("buffer_load_format_d16_hi_x", false, false, 2));
  EXPECT_EQ(m.wave.v[20][0], 0xbc001234u);
  m.wave.state.sramecc = true;
  m.run(buffer("buffer_load_format_d16_hi_x", false, false, 0));
  EXPECT_EQ(m.wave.v[20][0], 0x3c000000u);
  m.run(buffer("buffer_store_format_d16_hi_x", false, false, 6));
  EXPECT_EQ(m.word(4), 0x3c000000u);
}

TEST(GoldenTypedBuffer, ComponentsAreSelected) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  d.select[0] = 7;  // A
  d.select[1] = 1;
  d.select[2] = 0;
  d.select[3] = 4;  // R
  bind(m, d);
  m.set_word(0, 0xff000033);
  m.wave.state.s.set_exec(1);
  m.run(buffer("buffer_load_format_xyzw", false));
  EXPECT_EQ(as_float(m.wave.v[20][0]), 1.0f);
  EXPECT_EQ(as_float(m.wave.v[21][0]), 1.0f);
  EXPECT_EQ(m.wave.v[22][0], 0u);
  EXPECT_EQ(as_float(m.wave.v[23][0]), 0x33 / 255.0f);
  // Integers: the constant 1 is an integer. A store goes the other way: R comes from w, A from x,
  // components nobody selects are 0.
  d.number_format = 4;
  bind(m, d);
  m.run(buffer("buffer_load_format_xy", false));
  EXPECT_EQ(m.wave.v[20][0], 0xffu);
  EXPECT_EQ(m.wave.v[21][0], 1u);
  for (unsigned c = 0; c < 4; ++c) m.wave.v[20 + c][0] = 0x10 + c;
  m.run(buffer("buffer_store_format_xyzw", false, false, 4));
  EXPECT_EQ(m.word(4), 0x10000013u);
  // The format of an MTBUF instruction comes without selection.
  Build typed = buffer("tbuffer_load_format_xyzw", false);
  typed.i.mem.dfmt = 3;
  typed.i.mem.nfmt = 4;
  m.set_word(0, 0xffff2211);
  m.run(typed);
  EXPECT_EQ(m.wave.v[20][0], 0x11u);
  EXPECT_EQ(m.wave.v[21][0], 0x22u);
  EXPECT_EQ(m.wave.v[22][0], 0u);
  EXPECT_EQ(m.wave.v[23][0], 0u);
}

TEST(GoldenTypedBuffer, RangeIsAllOrNothing) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  d.data_format = 14;  // 32_32_32_32
  d.number_format = 4;
  d.records = 24;
  d.select[3] = 1;
  bind(m, d);
  for (uint32_t i = 0; i < 16; ++i) m.set_word(4 * i, 100 + i);
  m.wave.state.s.set_exec(7);
  m.wave.v[2][0] = 0;
  m.wave.v[2][1] = 8;
  m.wave.v[2][2] = 12;  // the last dword begins at 24
  m.run(buffer("buffer_load_format_xyzw", false, true));
  EXPECT_EQ(m.wave.v[20][1], 102u);
  EXPECT_EQ(m.wave.v[22][1], 104u);
  for (unsigned c = 0; c < 3; ++c) EXPECT_EQ(m.wave.v[20 + c][2], 0u);
  EXPECT_EQ(m.wave.v[23][2], 1u);  // the selected constant stays (MI100 ISA 9.1.5, note 1)
  for (unsigned c = 0; c < 4; ++c) m.wave.v[20 + c].fill(7);
  m.run(buffer("buffer_store_format_xyzw", false, true));
  EXPECT_EQ(m.word(12), 7u);    // lane 1's second dword, over lane 0's fourth
  EXPECT_EQ(m.word(20), 0u);    // its fourth: no register is selected for A
  EXPECT_EQ(m.word(24), 106u);  // lane 2 writes nothing
}

TEST(GoldenTypedBuffer, StructuredAndUnbound) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  d.stride = 16;
  d.records = 3;
  d.data_format = 4;
  d.number_format = 4;
  bind(m, d);
  for (uint32_t i = 0; i < 64; ++i) m.set_word(4 * i, 500 + i);
  m.wave.state.s.set_exec(0xf);
  m.wave.sgpr(20) = 4;  // SOFFSET is not part of the check
  for (unsigned lane = 0; lane < 4; ++lane) {
    m.wave.v[2][lane] = lane;
    m.wave.v[3][lane] = 4;
  }
  m.run(buffer("tbuffer_load_format_x", true, true, 4));  // dfmt 0: nothing
  EXPECT_EQ(m.wave.v[20][0], 0u);
  m.run(buffer("buffer_load_format_x", true, true, 4));
  EXPECT_EQ(m.wave.v[20][0], 503u);
  EXPECT_EQ(m.wave.v[20][2], 511u);
  EXPECT_EQ(m.wave.v[20][3], 0u);
  // Swizzled: index stride 8, elements of 4 bytes. Index 2, offset 8:
  // (0 * 16 + 8) * 8 + 2 * 4 = 72, plus SOFFSET 4.
  d.swizzle = true;
  bind(m, d);
  m.run(buffer("buffer_load_format_x", true, true, 4));
  EXPECT_EQ(m.wave.v[20][2], 500u + 76 / 4);
  // All zeros is no buffer: zeros, whatever is asked for.
  for (unsigned s = 8; s < 12; ++s) m.wave.sgpr(s) = 0;
  m.wave.v[20].fill(9);
  m.run(buffer("buffer_load_format_x", false));
  EXPECT_EQ(m.wave.v[20][0], 0u);
  Build typed = buffer("tbuffer_load_format_x", false);
  typed.i.mem.dfmt = 4;
  typed.i.mem.nfmt = 4;
  m.wave.v[20].fill(9);
  m.run(typed);
  EXPECT_EQ(m.wave.v[20][0], 0u);
  m.run(buffer("buffer_store_format_x", false));
  EXPECT_EQ(m.word(0), 500u);
  EXPECT_EQ(m.reply.faulted, 0u);
}

TEST(GoldenTypedBuffer, ThreadIdIsAddedToTheIndex) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  d.stride = 4;
  d.data_format = 4;  // FORMAT rows: 14-bit stride, the field stays the format
  d.number_format = 4;
  d.add_tid = true;
  bind(m, d);
  for (uint32_t i = 0; i < 64; ++i) m.set_word(4 * i, i * i);
  m.run(buffer("buffer_load_format_x", false));
  for (unsigned lane = 0; lane < 64; ++lane) EXPECT_EQ(m.wave.v[20][lane], lane * lane);
}

TEST(GoldenTypedBuffer, FailStatus) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  bind(m, d);
  m.set_word(0, 0xffffffff);
  m.wave.state.s.set_exec(1);
  for (unsigned r = 20; r < 26; ++r) m.wave.v[r].fill(5);
  Build b = buffer("buffer_load_format_xyzw", false);
  b.i.mem.tfe = true;
  m.run(b);
  EXPECT_EQ(as_float(m.wave.v[23][0]), 1.0f);
  EXPECT_EQ(m.wave.v[24][0], 0u);
  EXPECT_EQ(m.wave.v[24][1], 5u);
  Build plain = buffer("buffer_load_dword", false);
  plain.i.mem.tfe = true;
  m.run(plain);
  EXPECT_EQ(m.wave.v[20][0], 0xffffffffu);
  EXPECT_EQ(m.wave.v[21][0], 0u);
}

TEST(GoldenTypedBuffer, Refusals) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  d.data_format = 15;
  bind(m, d);
  EXPECT_EQ(m.refusal(buffer("buffer_load_format_x", false)),
            "reserved data format in the descriptor or instruction");
  d.data_format = 10;
  d.number_format = 6;
  bind(m, d);
  EXPECT_EQ(m.refusal(buffer("buffer_load_format_x", false)),
            "reserved number format in the descriptor or instruction");
}

// -- memory to LDS and back

TEST(GoldenLdsTransfer, BufferLoads) {
  struct Row {
    const char* mnemonic;
    uint32_t want;
  };
  for (const Row& row :
       {Row{"buffer_load_dword", 0x80ff81fe}, Row{"buffer_load_ubyte", 0xfe},
        Row{"buffer_load_sbyte", 0xfffffffe}, Row{"buffer_load_ushort", 0x81fe},
        Row{"buffer_load_sshort", 0xffff81fe}, Row{"buffer_load_format_x", 0x3f7efeff}}) {
    Bench m;
    Descriptor d;
    d.base = m.base;
    d.stride = 4;
    d.records = 62;
    bind(m, d);
    m.m0() = 0xabcd0040;  // bits 15:0 count
    for (uint32_t i = 0; i < 64; ++i) m.set_word(8 + 4 * i, 0x80ff81fe);
    for (unsigned lane = 0; lane < 64; ++lane) m.wave.v[2][lane] = lane;
    for (unsigned at = 0; at < 1024; at += 4) m.set_lds(at, 0x5555, 4);
    m.wave.state.s.set_exec(~uint64_t{4});
    Build b = buffer(row.mnemonic, true, false, 8);
    b.i.mem.lds = true;
    b.i.dst[0] = {};
    const MemoryOp op = m.run(b);
    EXPECT_EQ(op.transfer, wave::LdsTransfer::ToLds);
    // M0 + offset + 4 * lane.
    EXPECT_EQ(m.lds_word(72), row.want) << row.mnemonic;
    EXPECT_EQ(m.lds_word(72 + 4), row.want) << row.mnemonic;
    EXPECT_EQ(m.lds_word(72 + 8), 0x5555u) << row.mnemonic;  // disabled
    EXPECT_EQ(m.lds_word(72 + 4 * 62), 0u) << row.mnemonic;  // out of range in memory
    EXPECT_EQ(m.lds_word(68), 0x5555u) << row.mnemonic;
  }
}

TEST(GoldenLdsTransfer, OutsideTheAllocation) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  d.stride = 4;
  bind(m, d);
  m.m0() = 4096 - 8;  // room for lanes 0 and 1
  for (unsigned lane = 0; lane < 64; ++lane) m.wave.v[2][lane] = lane;
  // Data that is not put into LDS is not read: the lanes behind would be wild.
  m.wave.v[2][2] = 0x40000000;
  m.set_word(0, 11);
  m.set_word(4, 12);
  Build b = buffer("buffer_load_dword", true);
  b.i.mem.lds = true;
  const MemoryOp op = m.run(b);
  EXPECT_EQ(m.reply.faulted, 0u);
  EXPECT_EQ(op.violation, 0u);
  EXPECT_EQ(m.lds_word(4088), 11u);
  EXPECT_EQ(m.lds_word(4092), 12u);
}

TEST(GoldenLdsTransfer, GlobalAndScratchRows) {
  struct Row {
    const char* suffix;
    uint32_t want;
  };
  for (const Row& row : {Row{"dword", 0x80ff81fe}, Row{"ubyte", 0xfe}, Row{"sbyte", 0xfffffffe},
                         Row{"ushort", 0x81fe}, Row{"sshort", 0xffff81fe}}) {
    for (const char* space : {"global", "scratch"}) {
      Bench m(isa::Target::Gfx942);
      const bool global = std::string(space) == "global";
      m.m0() = 16;
      for (uint32_t i = 0; i < 256; ++i) m.set_word(4 * i, 0x80ff81fe);
      m.wave.state.alloc.scratch_base = m.base;
      for (unsigned lane = 0; lane < 64; ++lane) {
        const uint64_t address = global ? m.base + 4 * lane : 0;
        m.wave.v[2][lane] = static_cast<uint32_t>(address);
        m.wave.v[3][lane] = static_cast<uint32_t>(address >> 32);
      }
      Build b(std::string(space) + "_load_lds_" + row.suffix, isa::Target::Gfx942);
      b.role(Role::Addr, vgpr(2)).role(Role::Saddr, off());
      b.i.mem.offset = 8;
      m.run(b);
      EXPECT_EQ(m.lds_word(24), row.want) << b.i.row->mnemonic;
      EXPECT_EQ(m.lds_word(24 + 4 * 63), row.want) << b.i.row->mnemonic;
      EXPECT_EQ(m.lds_word(20), 0u);
    }
  }
}

TEST(GoldenLdsTransfer, StoreFromLds) {
  Bench m;
  Descriptor d;
  d.base = m.base;
  d.stride = 4;
  d.add_tid = true;
  d.data_format = 0;  // stride bits 17:14
  bind(m, d);
  m.m0() = 32;
  for (unsigned lane = 0; lane < 64; ++lane) m.set_lds(32 + 4 * lane, 900 + lane, 4);
  m.wave.state.s.set_exec(0xfffffffffffffffe);
  m.run(buffer("buffer_store_lds_dword", false));
  EXPECT_EQ(m.word(0), 0u);
  for (unsigned lane = 1; lane < 64; ++lane) EXPECT_EQ(m.word(4 * lane), 900 + lane);
}

}  // namespace
}  // namespace cuvette::golden::testing
