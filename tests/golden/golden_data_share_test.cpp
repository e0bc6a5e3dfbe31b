// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// DS instructions beyond plain loads, stores and atomics, in LDS and GDS; every expectation is a
// line of scalar code written from Vega ISA 10.3 and 12.15.
#include <cmath>
#include <functional>

#include "golden_rows.h"
#include "wave/memory/global_sync.h"

namespace cuvette::golden::testing {
namespace {

using Change = std::function<uint64_t(uint64_t, uint64_t)>;
struct Src2Row {
  const char* mnemonic;
  unsigned bytes;
  Change change;  // MEM[A], MEM[B]
};

uint64_t f32(float v) {
  return std::bit_cast<uint32_t>(v);
}
uint64_t f64(double v) {
  return std::bit_cast<uint64_t>(v);
}
float float_of(uint64_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}
int32_t s32(uint64_t v) {
  return static_cast<int32_t>(v);
}
int64_t s64(uint64_t v) {
  return static_cast<int64_t>(v);
}

const std::vector<Src2Row>& src2_rows() {
  static const std::vector<Src2Row> rows = {
      {"ds_add_src2_u32", 4, [](auto a, auto b) { return a + b; }},
      {"ds_sub_src2_u32", 4, [](auto a, auto b) { return a - b; }},
      {"ds_rsub_src2_u32", 4, [](auto a, auto b) { return b - a; }},
      {"ds_inc_src2_u32", 4, [](auto a, auto b) { return a >= b ? 0 : a + 1; }},
      {"ds_dec_src2_u32", 4, [](auto a, auto b) { return a == 0 || a > b ? b : a - 1; }},
      {"ds_min_src2_i32", 4, [](auto a, auto b) { return s32(b) < s32(a) ? b : a; }},
      {"ds_max_src2_i32", 4, [](auto a, auto b) { return s32(b) > s32(a) ? b : a; }},
      {"ds_min_src2_u32", 4, [](auto a, auto b) { return b < a ? b : a; }},
      {"ds_max_src2_u32", 4, [](auto a, auto b) { return b > a ? b : a; }},
      {"ds_and_src2_b32", 4, [](auto a, auto b) { return a & b; }},
      {"ds_or_src2_b32", 4, [](auto a, auto b) { return a | b; }},
      {"ds_xor_src2_b32", 4, [](auto a, auto b) { return a ^ b; }},
      {"ds_write_src2_b32", 4, [](auto, auto b) { return b; }},
      {"ds_min_src2_f32", 4, [](auto a, auto b) { return float_of(b) < float_of(a) ? b : a; }},
      {"ds_max_src2_f32", 4, [](auto a, auto b) { return float_of(b) > float_of(a) ? b : a; }},
      {"ds_add_src2_f32", 4, [](auto a, auto b) { return f32(float_of(a) + float_of(b)); }},
      {"ds_add_src2_u64", 8, [](auto a, auto b) { return a + b; }},
      {"ds_sub_src2_u64", 8, [](auto a, auto b) { return a - b; }},
      {"ds_rsub_src2_u64", 8, [](auto a, auto b) { return b - a; }},
      {"ds_inc_src2_u64", 8, [](auto a, auto b) { return a >= b ? 0 : a + 1; }},
      {"ds_dec_src2_u64", 8, [](auto a, auto b) { return a == 0 || a > b ? b : a - 1; }},
      {"ds_min_src2_i64", 8, [](auto a, auto b) { return s64(b) < s64(a) ? b : a; }},
      {"ds_max_src2_i64", 8, [](auto a, auto b) { return s64(b) > s64(a) ? b : a; }},
      {"ds_min_src2_u64", 8, [](auto a, auto b) { return b < a ? b : a; }},
      {"ds_max_src2_u64", 8, [](auto a, auto b) { return b > a ? b : a; }},
      {"ds_and_src2_b64", 8, [](auto a, auto b) { return a & b; }},
      {"ds_or_src2_b64", 8, [](auto a, auto b) { return a | b; }},
      {"ds_xor_src2_b64", 8, [](auto a, auto b) { return a ^ b; }},
      {"ds_write_src2_b64", 8, [](auto, auto b) { return b; }},
      {"ds_min_src2_f64", 8,
       [](auto a, auto b) { return std::bit_cast<double>(b) < std::bit_cast<double>(a) ? b : a; }},
      {"ds_max_src2_f64", 8,
       [](auto a, auto b) { return std::bit_cast<double>(b) > std::bit_cast<double>(a) ? b : a; }},
  };
  return rows;
}

bool is_float_row(const std::string& name) {
  return name.ends_with("_f32") || name.ends_with("_f64");
}

TEST(GoldenDataShare, Src2Rows) {
  for (const Src2Row& row : src2_rows()) {
    const bool wide = row.bytes == 8;
    const uint64_t mask = wide ? ~uint64_t{0} : 0xffffffffu;
    std::vector<std::pair<uint64_t, uint64_t>> values;
    if (is_float_row(row.mnemonic)) {
      const double some[] = {1.5, -2.25, 1e10, 0.0, 3.0};
      for (double a : some) {
        for (double b : some) {
          values.emplace_back(wide ? f64(a) : f32(static_cast<float>(a)),
                              wide ? f64(b) : f32(static_cast<float>(b)));
        }
      }
    } else {
      const uint64_t some[] = {0, 1, 5, 0x7fffffff, 0x80000000, 0xfffffffffffffff0, 0x123456789a};
      for (uint64_t a : some) {
        for (uint64_t b : some) values.emplace_back(a & mask, b & mask);
      }
    }
    for (const auto& [a, b] : values) {
      Bench m;
      m.wave.state.s.set_exec(2);
      // Lane 1: destination 256, operand 6 dwords before it, by the instruction's offset.
      m.wave.v[2][1] = 256;
      m.set_lds(256, a, row.bytes);
      m.set_lds(232, b, row.bytes);
      Build build(row.mnemonic);
      build.role(Role::Addr, vgpr(2));
      build.i.mem.offset = static_cast<int32_t>(0x7fff & -6);
      m.run(build);
      const uint64_t got = wide ? m.lds_pair(256) : m.lds_word(256);
      EXPECT_EQ(got, row.change(a, b) & mask) << row.mnemonic << std::hex << ' ' << a << ' ' << b;
      EXPECT_EQ(wide ? m.lds_pair(232) : m.lds_word(232), b) << row.mnemonic;
    }
  }
}

TEST(GoldenDataShare, Src2DistancePerLane) {
  Bench m;
  m.wave.state.s.set_exec(3);
  // Bit 15 of the offset: the distance, in dwords, is bits 31:17 of the address.
  m.wave.v[2][0] = 3u << 17 | 64;
  m.wave.v[2][1] = (0x7fffu & static_cast<uint32_t>(-2)) << 17 | 128;
  m.set_lds(64, 10, 4);
  m.set_lds(64 + 12, 1, 4);
  m.set_lds(128, 20, 4);
  m.set_lds(128 - 8, 2, 4);
  Build build("ds_add_src2_u32");
  build.role(Role::Addr, vgpr(2));
  build.i.mem.offset = 0x8000;
  m.run(build);
  EXPECT_EQ(m.lds_word(64), 11u);
  EXPECT_EQ(m.lds_word(128), 22u);
  // An operand outside the allocation: nothing is written, and it is a violation.
  m.wave.v[2][0] = 0x3fffu << 17 | 64;
  const MemoryOp op = m.run(build);
  EXPECT_EQ(op.violation, 1u);
  EXPECT_EQ(m.lds_word(64), 11u);
  EXPECT_NE(m.wave.state.s.trapsts & wave::kMemViol, 0u);
}

TEST(GoldenDataShare, Wrap) {
  struct Case {
    uint32_t old, data, data2, value;
  };
  for (const Case& c : {Case{10, 4, 7, 6}, Case{3, 4, 7, 10}, Case{4, 4, 7, 0},
                        Case{0, 1, 0xffffffff, 0xffffffff}, Case{0xfffffffe, 0xffffffff, 3, 1}}) {
    Bench m;
    m.wave.state.s.set_exec(1);
    m.wave.v[2][0] = 16;
    m.wave.v[4][0] = c.data;
    m.wave.v[8][0] = c.data2;
    m.set_lds(20, c.old, 4);
    Build b("ds_wrap_rtn_b32");
    b.dst(vgpr(10)).role(Role::Addr, vgpr(2)).role(Role::Data0, vgpr(4)).role(Role::Data1, vgpr(8));
    b.i.mem.offset = 4;
    m.run(b);
    EXPECT_EQ(m.wave.v[10][0], c.old);
    EXPECT_EQ(m.lds_word(20), c.value);
  }
}

TEST(GoldenDataShare, ConditionalExchange) {
  for (unsigned mask = 0; mask < 4; ++mask) {
    Bench m;
    m.wave.state.s.set_exec(1);
    m.wave.v[2][0] = 8;
    m.wave.v[4][0] = 0x11111111u | (mask & 1) << 31;
    m.wave.v[5][0] = 0x22222222u | mask >> 1 << 31;
    m.set_lds(8, 0xbbbbbbbbaaaaaaaa, 8);
    Build b("ds_condxchg32_rtn_b64");
    b.dst(vgpr(10)).role(Role::Addr, vgpr(2)).role(Role::Data0, vgpr(4));
    m.run(b);
    EXPECT_EQ(m.wave.v[10][0], 0xaaaaaaaau);
    EXPECT_EQ(m.wave.v[11][0], 0xbbbbbbbbu);
    EXPECT_EQ(m.lds_word(8), (mask & 1) != 0 ? 0x11111111u : 0xaaaaaaaau);
    EXPECT_EQ(m.lds_word(12), (mask & 2) != 0 ? 0x22222222u : 0xbbbbbbbbu);
  }
}

TEST(GoldenDataShare, AppendAndConsume) {
  for (bool gds : {false, true}) {
    Bench m;
    m.wave.state.s.set_exec(0x8000000000000f10);  // six lanes
    m.m0() = 32;
    Build append("ds_append");
    append.dst(vgpr(10));
    append.i.mem.offset = 8;
    append.i.mem.gds = gds;
    m.wave.v[10].fill(99);
    m.run(append);
    m.run(append);
    EXPECT_EQ(m.wave.v[10][4], 6u);
    EXPECT_EQ(m.wave.v[10][63], 6u);
    EXPECT_EQ(m.wave.v[10][0], 99u);
    if (!gds) {
      EXPECT_EQ(m.lds_word(40), 12u);
    }
    Build consume("ds_consume");
    consume.dst(vgpr(11));
    consume.i.mem.offset = 8;
    consume.i.mem.gds = gds;
    m.wave.state.s.set_exec(1);
    m.run(consume);
    EXPECT_EQ(m.wave.v[11][0], 12u);
    m.run(consume);
    EXPECT_EQ(m.wave.v[11][0], 11u);
    // Nobody enabled: nothing happens.
    m.wave.state.s.set_exec(0);
    m.run(consume);
    m.wave.state.s.set_exec(1);
    m.run(consume);
    EXPECT_EQ(m.wave.v[11][0], 10u);
  }
}

TEST(GoldenDataShare, ExchangeOfTwo) {
  struct Row {
    const char* mnemonic;
    unsigned bytes, unit;
  };
  for (const Row& row : {Row{"ds_wrxchg2_rtn_b32", 4, 4}, Row{"ds_wrxchg2st64_rtn_b32", 4, 256},
                         Row{"ds_wrxchg2_rtn_b64", 8, 8}, Row{"ds_wrxchg2st64_rtn_b64", 8, 512}}) {
    Bench m;
    m.wave.state.s.set_exec(0x21);
    const unsigned n = row.bytes / 4;
    for (unsigned lane : {0u, 5u}) {
      m.wave.v[2][lane] = lane * 16;
      for (unsigned d = 0; d < n; ++d) {
        m.wave.v[4 + d][lane] = 0x1000 + 16 * lane + d;
        m.wave.v[8 + d][lane] = 0x2000 + 16 * lane + d;
        m.set_lds(lane * 16 + 1 * row.unit + 4 * d, 0x3000 + 16 * lane + d, 4);
        m.set_lds(lane * 16 + 3 * row.unit + 4 * d, 0x4000 + 16 * lane + d, 4);
      }
    }
    Build b(row.mnemonic);
    b.dst(vgpr(10)).role(Role::Addr, vgpr(2)).role(Role::Data0, vgpr(4)).role(Role::Data1, vgpr(8));
    b.i.mem.offset = 1 | 3 << 8;
    m.run(b);
    for (unsigned lane : {0u, 5u}) {
      for (unsigned d = 0; d < n; ++d) {
        const unsigned tag = 16 * lane + d;
        EXPECT_EQ(m.wave.v[10 + d][lane], 0x3000 + tag) << row.mnemonic;
        EXPECT_EQ(m.wave.v[10 + n + d][lane], 0x4000 + tag) << row.mnemonic;
        EXPECT_EQ(m.lds_word(lane * 16 + row.unit + 4 * d), 0x1000 + tag) << row.mnemonic;
        EXPECT_EQ(m.lds_word(lane * 16 + 3 * row.unit + 4 * d), 0x2000 + tag) << row.mnemonic;
      }
    }
  }
}

TEST(GoldenDataShare, GlobalDataShare) {
  Bench m;
  m.wave.state.s.set_exec(3);
  m.m0() = 256u << 16 | 16;  // base 256, 16 bytes
  m.wave.v[2][0] = 4;
  m.wave.v[2][1] = 16;  // past the size
  m.wave.v[4].fill(7);
  Build write("ds_write_b32");
  write.role(Role::Addr, vgpr(2)).role(Role::Data0, vgpr(4));
  write.i.mem.gds = true;
  const MemoryOp op = m.run(write);
  EXPECT_EQ(op.space, wave::MemorySpace::Gds);
  EXPECT_EQ(op.violation, 2u);
  EXPECT_EQ(m.lds_word(4), 0u);
  // The same byte from another base.
  m.m0() = 0xffff;
  m.wave.v[2][0] = 260;
  m.wave.state.s.set_exec(1);
  Build add("ds_add_rtn_u32");
  add.dst(vgpr(10)).role(Role::Addr, vgpr(2)).role(Role::Data0, vgpr(4));
  add.i.mem.gds = true;
  m.run(add);
  m.run(add);
  EXPECT_EQ(m.wave.v[10][0], 14u);
  // 4 KiB on gfx908.
  m.wave.v[2][0] = 4096;
  EXPECT_EQ(m.run(add).violation, 1u);
  Bench vega(isa::Target::Gfx900);
  vega.wave.state.s.set_exec(1);
  vega.m0() = 0xffff;
  vega.wave.v[2][0] = 4096;
  EXPECT_EQ(vega.run(add).violation, 0u);
}

// -- global wave sync: against the machines the manual writes down, by hand

Build gws(const char* mnemonic, unsigned offset = 0) {
  Build b(mnemonic);
  if (b.i.row->src[0].role == Role::Addr) b.role(Role::Addr, vgpr(2));
  b.i.mem.gds = true;
  b.i.mem.offset = static_cast<int32_t>(offset);
  return b;
}

struct SyncBench {
  Wave wave;
  GlobalSync sync;
  uint64_t run(const Build& b, uint32_t value = 0) {
    wave.v[2].fill(value);
    MemoryOp op;
    EXPECT_TRUE(make_memory_op(wave.state, b.i, op)) << op.refusal;
    covered().insert(isa::row_id(*b.i.row));
    return sync.perform(op);
  }
};

TEST(GoldenGlobalSync, ResourceAndValue) {
  Wave wave;
  wave.sgpr(isa::kM0) = 62u << 16;
  wave.state.s.set_exec(0x30);
  wave.v[2][4] = 77;
  MemoryOp op;
  const Build b = gws("ds_gws_init", 5);
  ASSERT_TRUE(make_memory_op(wave.state, b.i, op));
  EXPECT_EQ(op.sync, wave::SyncOp::Init);
  EXPECT_EQ(op.sync_resource, 3);  // (62 + 5) mod 64
  EXPECT_EQ(op.data[0][0], 77u);
  EXPECT_EQ(op.lgkm, 1);
}

TEST(GoldenGlobalSync, Barrier) {
  SyncBench s;
  EXPECT_EQ(s.run(gws("ds_gws_init", 1), 2), 0u);  // three waves
  for (int round = 0; round < 2; ++round) {
    const uint64_t first = s.run(gws("ds_gws_barrier", 1), 2);
    const uint64_t second = s.run(gws("ds_gws_barrier", 1), 2);
    ASSERT_NE(first, 0u);
    ASSERT_NE(second, 0u);
    EXPECT_FALSE(s.sync.released(first));
    EXPECT_EQ(s.run(gws("ds_gws_barrier", 1), 2), 0u);
    EXPECT_TRUE(s.sync.released(first));
    EXPECT_TRUE(s.sync.released(second));
    EXPECT_FALSE(s.sync.released(second));
  }
}

TEST(GoldenGlobalSync, Semaphore) {
  SyncBench s;
  s.run(gws("ds_gws_init"), 1);
  EXPECT_EQ(s.run(gws("ds_gws_sema_p")), 0u);
  uint64_t waiting[5];
  for (uint64_t& w : waiting) {
    w = s.run(gws("ds_gws_sema_p"));
    ASSERT_NE(w, 0u);
  }
  s.run(gws("ds_gws_sema_v"));
  EXPECT_TRUE(s.sync.released(waiting[0]));
  EXPECT_FALSE(s.sync.released(waiting[1]));
  s.run(gws("ds_gws_sema_br"), 2);
  EXPECT_TRUE(s.sync.released(waiting[1]));
  EXPECT_TRUE(s.sync.released(waiting[2]));
  EXPECT_FALSE(s.sync.released(waiting[3]));
  s.run(gws("ds_gws_sema_release_all"));
  EXPECT_TRUE(s.sync.released(waiting[3]));
  EXPECT_TRUE(s.sync.released(waiting[4]));
  // Nothing is left over; a V ahead of time is kept.
  EXPECT_NE(s.run(gws("ds_gws_sema_p")), 0u);
  s.sync.drop_waiting();
  s.run(gws("ds_gws_sema_v"));
  EXPECT_EQ(s.run(gws("ds_gws_sema_p")), 0u);
}

TEST(GoldenGlobalSync, OrderedCountFields) {
  Wave wave;
  wave.state.s.set_exec(0xff00);
  MemoryOp op;
  Build b = gws("ds_ordered_count", 2 << 2 | 1 << 8);
  b.dst(vgpr(10));
  ASSERT_TRUE(make_memory_op(wave.state, b.i, op));
  EXPECT_EQ(op.sync, wave::SyncOp::OrderedCount);
  EXPECT_EQ(op.sync_resource, 2);
  EXPECT_TRUE(op.ordered_release);
  EXPECT_EQ(op.data[0][0], 8u);
  GlobalSync sync;
  EXPECT_EQ(sync.ordered_add(2, 8), 0u);
  EXPECT_EQ(sync.ordered_add(2, 1), 8u);
  EXPECT_EQ(sync.ordered_add(1, 1), 0u);
  MemoryReply reply;
  reply.data[0][0] = 41;
  wave.v[10].fill(0);
  complete(wave.state, op, reply);
  EXPECT_EQ(wave.v[10][8], 41u);
  EXPECT_EQ(wave.v[10][15], 41u);
  EXPECT_EQ(wave.v[10][0], 0u);
  covered().insert(isa::row_id(*b.i.row));
}

}  // namespace
}  // namespace cuvette::golden::testing
