// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "lds/lds_model.h"

// Expectations: 32 banks of 4 bytes (Vega ISA 10.2), counted by hand; values by hand.
namespace cuvette::lds {
namespace {

using machine::Cycle;
using wave::MemoryKind;

constexpr uint64_t kAll = ~uint64_t{0};
constexpr uint32_t kLatency = 10;

struct Bench {
  LdsModel lds{Config{kLatency, 32}};
  Cycle now = 100;

  /// Sends a request and gives the answer; `taken`: cycles from visibility to the answer's.
  Response run(const Request& r, Cycle* taken = nullptr) {
    lds.request.push(r, now);
    const Cycle start = now;
    while (lds.response.front(now) == nullptr) lds.tick(now++);
    if (taken != nullptr) *taken = now - start;
    Response answer = lds.response.pop(now);
    now += 200;  // the unit is free again
    return answer;
  }
  uint32_t word(uint32_t address) const {
    uint32_t value = 0;
    lds.peek(address, reinterpret_cast<uint8_t*>(&value), 4);
    return value;
  }
  void set(uint32_t address, uint32_t value) {
    lds.poke(address, reinterpret_cast<const uint8_t*>(&value), 4);
  }
};

Request make(MemoryKind kind, uint32_t stride, uint8_t bytes = 4) {
  Request r;
  r.id = 7;
  r.kind = kind;
  r.bytes = bytes;
  r.limit = kBytes;
  r.exec = kAll;
  for (unsigned lane = 0; lane < 64; ++lane) {
    r.offset[0][lane] = lane * stride;
    for (unsigned d = 0; d < 4; ++d) r.data[d][lane] = 1000 * (d + 1) + lane;
  }
  return r;
}

TEST(Lds, StoresAndLoadsEveryWidth) {
  for (const uint8_t bytes : {1, 2, 4, 8, 12, 16}) {
    Bench b;
    for (uint32_t a = 0; a < 2048; a += 4) b.set(a, 0xffffffff);
    Request store = make(MemoryKind::Store, bytes, bytes);
    b.run(store);
    const Response r = b.run(make(MemoryKind::Load, bytes, bytes));
    EXPECT_EQ(r.id, 7u);
    for (unsigned lane = 0; lane < 64; ++lane) {
      for (unsigned d = 0; d < (bytes + 3u) / 4; ++d) {
        const uint32_t mask = bytes == 1 ? 0xff : bytes == 2 ? 0xffff : 0xffffffff;
        EXPECT_EQ(r.data[d][lane], (1000 * (d + 1) + lane) & mask) << unsigned{bytes};
      }
    }
    EXPECT_EQ(b.word(64u * bytes), 0xffffffffu) << "nothing behind the last lane";
  }
}

TEST(Lds, ConflictCycles) {
  struct Case {
    const char* name;
    MemoryKind kind;
    uint32_t stride;
    uint8_t bytes;
    uint64_t conflicts;
  };
  // Two groups of 32 lanes. Stride 1 dword: every lane its own bank. Stride 32 dwords: 32 words of
  // one bank, 31 too many, per group. One address: loads share the word, atomics do not.
  // 8 bytes: 64 words on 32 banks need 2 cycles anyway. 16 bytes at stride 16: 4 anyway.
  const Case cases[] = {
      {"unit stride", MemoryKind::Load, 4, 4, 0},
      {"stride of two", MemoryKind::Load, 8, 4, 2},
      {"stride of 32", MemoryKind::Load, 128, 4, 62},
      {"stride of 33", MemoryKind::Store, 132, 4, 0},
      {"one word", MemoryKind::Load, 0, 4, 0},
      {"one word, stores", MemoryKind::Store, 0, 4, 0},
      {"one word, atomics", MemoryKind::Atomic, 0, 4, 62},
      {"8 bytes", MemoryKind::Load, 8, 8, 0},
      {"16 bytes", MemoryKind::Load, 16, 16, 0},
      {"8 bytes, stride 32 dwords", MemoryKind::Load, 128, 8, 60},
  };
  for (const Case& c : cases) {
    Bench b;
    Cycle taken = 0;
    b.run(make(c.kind, c.stride, c.bytes), &taken);
    EXPECT_EQ(b.lds.counters().conflict_cycles, c.conflicts) << c.name;
    EXPECT_EQ(taken, kLatency + c.conflicts) << c.name;
  }
}

TEST(Lds, AtomicsActInLaneOrder) {
  Bench b;
  b.set(256, 5);
  Request r = make(MemoryKind::AtomicReturn, 0);
  r.atomic = base::AtomicOp::Add;
  r.base = 256;
  r.exec = 0xfffffffffffffff0;
  for (auto& v : r.data[0]) v = 3;
  const Response old = b.run(r);
  for (unsigned lane = 4; lane < 64; ++lane) EXPECT_EQ(old.data[0][lane], 5 + 3 * (lane - 4));
  EXPECT_EQ(b.word(256), 5u + 60 * 3);
  EXPECT_EQ(b.lds.counters().atomics, 60u);
}

TEST(Lds, CompareAndSwap64) {
  Bench b;
  b.set(8, 0x11111111);
  b.set(12, 0x22222222);
  Request r = make(MemoryKind::AtomicReturn, 0, 8);
  r.atomic = base::AtomicOp::CmpSwap;
  r.base = 8;
  r.exec = 3;
  r.compare[0] = {};
  r.compare[0][0] = 0x11111111;
  r.compare[1][0] = 0x22222222;
  r.data[0][0] = 0xaaaaaaaa;
  r.data[1][0] = 0xbbbbbbbb;
  const Response old = b.run(r);
  EXPECT_EQ(old.data[0][0], 0x11111111u);
  EXPECT_EQ(old.data[1][0], 0x22222222u);
  EXPECT_EQ(old.data[0][1], 0xaaaaaaaau) << "lane 1 sees what lane 0 wrote, and compares unequal";
  EXPECT_EQ(b.word(8), 0xaaaaaaaau);
  EXPECT_EQ(b.word(12), 0xbbbbbbbbu);
}

TEST(Lds, FloatAddObeysFlushing) {
  for (const bool flush : {false, true}) {
    Bench b;
    b.set(0, 0x00000001);  // the smallest subnormal
    Request r = make(MemoryKind::Atomic, 0);
    r.atomic = base::AtomicOp::FAdd;
    r.exec = 1;
    r.flush_in = r.flush_out = flush;
    r.data[0][0] = 0x00000002;
    b.run(r);
    EXPECT_EQ(b.word(0), flush ? 0u : 3u);
  }
}

TEST(Lds, BoundsAreTheAllocation) {
  Bench b;
  for (uint32_t a = 0; a < 1024; a += 4) b.set(a, 0x77);
  Request store = make(MemoryKind::Store, 4, 8);
  store.base = 512;
  store.limit = 100;  // lane 24 reaches from 96 to 104
  const Response stored = b.run(store);
  EXPECT_EQ(stored.out_of_range, ~uint64_t{0} << 24);
  EXPECT_EQ(b.word(512 + 92), 1023u) << "lane 23";
  EXPECT_EQ(b.word(512 + 96), 2023u) << "second dword of lane 23";
  EXPECT_EQ(b.word(512 + 100), 0x77u);
  Request load = make(MemoryKind::Load, 4, 4);
  load.base = 512;
  load.limit = 100;
  const Response r = b.run(load);
  EXPECT_EQ(r.data[0][24], 2023u);
  EXPECT_EQ(r.data[0][25], 0u);
  EXPECT_EQ(r.out_of_range, ~uint64_t{0} << 25);
}

TEST(Lds, TwoAddresses) {
  Bench b;
  Request store = make(MemoryKind::Store, 4);
  store.accesses = 2;
  for (unsigned lane = 0; lane < 64; ++lane) store.offset[1][lane] = 1024 + 4 * lane;
  b.run(store);
  EXPECT_EQ(b.word(4 * 5), 1005u);
  EXPECT_EQ(b.word(1024 + 4 * 5), 2005u);
  store.kind = MemoryKind::Load;
  const Response r = b.run(store);
  EXPECT_EQ(r.data[0][9], 1009u);
  EXPECT_EQ(r.data[1][9], 2009u);
}

/// DS_WRXCHG2_RTN_B32 and _B64: each address has its own operand and its own old value.
TEST(Lds, TwoAddressExchange) {
  for (const uint8_t bytes : {uint8_t{4}, uint8_t{8}}) {
    Bench b;
    const unsigned dwords = bytes / 4;
    Request r = make(MemoryKind::Store, bytes, bytes);
    r.accesses = 2;
    for (unsigned lane = 0; lane < 64; ++lane) {
      for (unsigned a = 0; a < 2; ++a) r.offset[a][lane] = 1024 * a + bytes * lane;
      for (unsigned d = 0; d < 2 * dwords; ++d) r.data[d][lane] = 1000 * d + lane;
    }
    b.run(r);
    r.kind = MemoryKind::AtomicReturn;
    r.atomic = base::AtomicOp::Swap;
    for (unsigned d = 0; d < 2 * dwords; ++d) {
      for (unsigned lane = 0; lane < 64; ++lane) r.data[d][lane] = 50000 + 1000 * d + lane;
    }
    const Response old = b.run(r);
    for (unsigned d = 0; d < 2 * dwords; ++d) {
      EXPECT_EQ(old.data[d][7], 1000 * d + 7) << "old dword " << d;
      const unsigned at = d / dwords * 1024 + bytes * 7 + d % dwords * 4;
      EXPECT_EQ(b.word(at), 50000 + 1000 * d + 7) << "new dword " << d;
    }
  }
}

TEST(Lds, RequestsActInOrderAndNothingIsLost) {
  LdsModel lds{Config{3, 32}};
  for (uint32_t id = 0; id < 4; ++id) {
    Request r = make(id % 2 == 0 ? MemoryKind::Store : MemoryKind::Load, 4);
    r.id = id;
    r.data[0].fill(id + 40);
    lds.request.push(r, 1);
  }
  std::vector<Response> answers;
  Cycle at = 1;
  while (answers.size() < 4 && at < 1000) {
    lds.tick(at);
    while (at % 16 == 0 && lds.response.front(at) != nullptr)
      answers.push_back(lds.response.pop(at));
    ++at;
  }
  ASSERT_EQ(answers.size(), 4u);
  for (uint32_t id = 0; id < 4; ++id) EXPECT_EQ(answers[id].id, id);
  EXPECT_EQ(answers[1].data[0][3], 40u);
  EXPECT_EQ(answers[3].data[0][3], 42u);
}

}  // namespace
}  // namespace cuvette::lds
