// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Packets that wait, choose and tell; several rings; errors; time.
#include "sdma_bench.h"

namespace cuvette::sdma {
namespace {

using sdma_packets::copy;
using sdma_packets::fence;
using sdma_packets::Packet;
using sdma_packets::poll;
using State = RingReport::State;

constexpr uint64_t kData = Bench::kData;

State state_of(Bench& bench, const Bench::Queue& q) {
  for (const auto& r : bench.engines().reports()) {
    if (r.ring == q.number) return r.state;
  }
  return State::Failed;
}

TEST(SdmaControl, APollWaitsForAValueThatComesLater) {
  // Operators: always, <, <=, ==, !=, >=, > of what the mask leaves of memory.
  struct Case {
    uint32_t function, first, then;
  };
  for (const Case& c : {Case{1, 0x50, 0x4f},
                        {2, 0x51, 0x50},
                        {3, 0x4f, 0x50},
                        {4, 0x50, 0x51},
                        {5, 0x4f, 0x50},
                        {6, 0x50, 0x51}}) {
    Bench bench(1, {4, 20, 64});
    auto q = bench.bind();
    bench.store<uint32_t>(kData, 0xab00 | c.first);
    bench.put(q, poll(kData, c.function, 0x50, 0xff));
    bench.put(q, fence(kData + 8, 7));
    bench.ring(q);
    bench.run(50'000);
    bench.check("before the value");
    EXPECT_EQ(state_of(bench, q), State::Waiting);
    EXPECT_FALSE(bench.engines().works());
    EXPECT_EQ(bench.read_pointer(q), 0u);
    bench.store<uint32_t>(kData, 0xcd00 | c.then);
    bench.expect<uint32_t>(kData + 8, 7);
    bench.run();
    bench.check("after the value");
    EXPECT_EQ(bench.read_pointer(q), q.write);
  }
}

TEST(SdmaControl, APollThatAlwaysHoldsReadsNothing) {
  Bench bench;
  auto q = bench.bind();
  // A register, and memory where there is none.
  bench.put(q, {8, 0, 0x80000000, 0, 0, 0});
  bench.put(q, poll(0x66, 0, 1));
  bench.put(q, fence(kData, 1));
  bench.expect<uint32_t>(kData, 1);
  bench.ring(q);
  bench.run();
  bench.check("fence");
  EXPECT_TRUE(bench.engines().take_errors().empty());
}

TEST(SdmaControl, APollOfARegister) {
  Bench bench;
  uint32_t value = 5;
  bench.engines().on_read_register([&](machine::Cycle, uint64_t offset) {
    return offset == 0x8010 ? std::optional<uint32_t>(value) : std::nullopt;
  });
  auto q = bench.bind();
  Packet p = poll(0x8010, 3, 6);
  p.set("mem_poll", 0);
  bench.put(q, p);
  bench.put(q, fence(kData, 1));
  bench.ring(q);
  bench.run(10'000);
  bench.check("before");
  value = 6;
  bench.expect<uint32_t>(kData, 1);
  bench.run();
  bench.check("after");
  bench.execute(q, p.set64("addr", 0x8014));
  EXPECT_NE(bench.engines().take_errors().at(0).find("no register at byte 0x8014"),
            std::string::npos);
}

TEST(SdmaControl, APollEndsAfterItsRetries) {
  Bench bench(1, {4, 20, 64});
  auto q = bench.bind();
  bench.store<uint32_t>(kData, 1);
  bench.put(q, poll(kData, 3, 2).set("retry_count", 9).set("interval", 100));
  bench.put(q, fence(kData + 8, 7));
  bench.ring(q);
  bench.run();
  bench.check("nothing behind it");
  EXPECT_EQ(bench.engines().counters().polls, 10u);  // one look and nine more
  const auto errors = bench.engines().take_errors();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("POLL_REGMEM"), std::string::npos) << errors[0];
  EXPECT_NE(errors[0].find("after the last look"), std::string::npos) << errors[0];
}

TEST(SdmaControl, AnAtomicLoopsUntilItMatches) {
  Bench bench;
  auto q = bench.bind();
  bench.store<uint64_t>(kData, 3);
  bench.put(q, Packet("ATOMIC")
                   .set("atomic_op", 0x28)
                   .set("loop", 1)
                   .set("loop_interval", 16)
                   .set64("addr", kData)
                   .set64("src_data", 0x1'0000'0009)
                   .set64("cmp_data", 4));
  bench.ring(q);
  bench.run(1000);
  bench.check("no match yet");
  bench.store<uint64_t>(kData, 4);
  bench.expect<uint64_t>(kData, 0x1'0000'0009);
  bench.run();
  bench.check("match");
  EXPECT_EQ(bench.read_pointer(q), q.write);
}

TEST(SdmaControl, TrapsTellTheirContext) {
  Bench bench;
  auto q = bench.bind(1024, 5);
  bench.put(q, fence(kData, 1));
  bench.put(q, Packet("TRAP").set("int_context", 0x8654321));
  bench.put(q, Packet("HDP_FLUSH").set("done_reg", 0x98).set("req_reg", 0x94).set("mask", 4));
  bench.put(q, Packet("TRAP").set("int_context", 2));
  bench.ring(q);
  bench.run();
  ASSERT_EQ(bench.interrupts.size(), 2u);
  EXPECT_EQ(bench.interrupts[0].kind, Interrupt::Kind::Trap);
  EXPECT_EQ(bench.interrupts[0].context, 0x8654321u);
  EXPECT_EQ(bench.interrupts[0].vmid, 5);
  EXPECT_EQ(bench.interrupts[0].ring, q.number);
  EXPECT_EQ(bench.interrupts[1].context, 2u);
}

TEST(SdmaControl, IndirectBuffers) {
  Bench bench;
  auto q = bench.bind();
  std::vector<uint32_t> buffer;
  const auto add = [&](const Packet& p) {
    buffer.insert(buffer.end(), p.words().begin(), p.words().end());
  };
  add(copy(kData + 10, kData + 5000, 77));
  add(Packet("WRITE_UNTILED").set64("dst_addr", kData + 6000).set("count", 1).append({11, 12}));
  add(Packet("NOP").set("count", 2).append({~0u, ~0u}));
  std::memcpy(bench.expected.data() + 5000, bench.expected.data() + 10, 77);
  bench.expect<uint32_t>(kData + 6000, 11);
  bench.expect<uint32_t>(kData + 6004, 12);
  for (size_t i = 0; i < buffer.size(); ++i) bench.store(kData + 0x8000 + 4 * i, buffer[i]);
  const Packet call = Packet("INDIRECT")
                          .set64("ib_base", kData + 0x8000)
                          .set("ib_size", static_cast<uint32_t>(buffer.size()));
  bench.put(q, call);
  bench.put(q, fence(kData + 7000, 3));
  bench.expect<uint32_t>(kData + 7000, 3);
  bench.ring(q);
  bench.run();
  bench.check("an indirect buffer");
  EXPECT_EQ(bench.engines().counters().packets, 5u);
  // One inside another is refused, and one that ends in a packet.
  for (size_t i = 0; i < call.words().size(); ++i) {
    bench.store(kData + 0x8000 + 4 * i, call.words()[i]);
  }
  bench.execute(q, call);
  auto errors = bench.engines().take_errors();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("calls another one"), std::string::npos) << errors[0];
  auto r = bench.bind();
  bench.store<uint32_t>(kData + 0x8000, copy(0, 0, 1).words()[0]);
  bench.execute(r, Packet("INDIRECT").set64("ib_base", kData + 0x8000).set("ib_size", 4));
  errors = bench.engines().take_errors();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("4 are left in the indirect buffer"), std::string::npos) << errors[0];
}

TEST(SdmaControl, ConditionalExecution) {
  for (const bool holds : {true, false}) {
    Bench bench;
    auto q = bench.bind();
    bench.store<uint32_t>(kData, holds ? 9 : 8);
    bench.put(q, Packet("COND_EXE").set64("addr", kData).set("reference", 9).set("exec_count", 8));
    bench.put(q, fence(kData + 100, 1));
    bench.put(q, fence(kData + 104, 2));
    bench.put(q, fence(kData + 108, 3));
    if (holds) {
      bench.expect<uint32_t>(kData + 100, 1);
      bench.expect<uint32_t>(kData + 104, 2);
    }
    bench.expect<uint32_t>(kData + 108, 3);
    bench.ring(q);
    bench.run();
    bench.check("conditional");
    EXPECT_EQ(bench.read_pointer(q), q.write);
  }
}

TEST(SdmaControl, Timestamps) {
  Bench bench(1, {4, 20, 64});
  auto q = bench.bind();
  const auto get = [](const char* name, uint64_t to) {
    return Packet(name)
        .set("write_addr_31_3", static_cast<uint32_t>(to) >> 3)
        .set("write_addr_63_32", static_cast<uint32_t>(to >> 32));
  };
  bench.put(q, Packet("TIMESTAMP_SET").set64("init_data", 0x5'0000'0000));
  bench.put(q, get("TIMESTAMP_GET_GLOBAL", kData));
  bench.put(q, copy(kData + 4096, kData + 8192, 6401));
  bench.put(q, get("TIMESTAMP_GET_GLOBAL", kData + 8));
  bench.put(q, get("TIMESTAMP_GET", kData + 16));
  bench.ring(q);
  bench.run();
  const auto start = bench.get<uint64_t>(kData), end = bench.get<uint64_t>(kData + 8);
  // From rest in cycle 1: 20 to the first packet, 4 to digest it, 4 to digest the second.
  EXPECT_EQ(start, 1u + 20 + 4 + 4);
  // The copy: 4 to digest it, 20 to the first data, 4096 and 2305 bytes at 64 a cycle; 4 for the
  // packet of the second time.
  EXPECT_EQ(end - start, 4u + 20 + 64 + 37 + 4);
  // Set two packets before the first time, read one after the second, 4 cycles each.
  EXPECT_EQ(bench.get<uint64_t>(kData + 16), 0x5'0000'0000 + (end - start) + 8);
}

/// 8192 bytes take as long as the description says, on one engine and on two at once.
TEST(SdmaControl, Time) {
  for (const unsigned engines : {1u, 2u}) {
    Bench bench(engines, {16, 500, 32});
    Bench::Queue q[2];
    for (unsigned i = 0; i < 2; ++i) {
      q[i] = bench.bind();
      bench.put(q[i], copy(kData, kData + 100'000 * (i + 1), 8192));
      bench.ring(q[i]);
    }
    bench.run();
    // From rest: 500 for the packet, 16 to digest it, 500 to the data, 256 at 32 bytes a cycle.
    const uint64_t one = 500 + 16 + 500 + 256;
    EXPECT_EQ(bench.now, 1 + (engines == 2 ? one : 2 * one)) << engines;
  }
}

TEST(SdmaControl, RingsOfOneEngineWaitForEachOther) {
  Bench bench(1, {4, 20, 64});
  auto a = bench.bind(), b = bench.bind();
  bench.store<uint64_t>(kData, 0);
  for (uint32_t i = 0; i < 50; ++i) {
    bench.put(a, poll(kData, 3, 2 * i));
    bench.put(a, fence(kData, 2 * i + 1));
    bench.put(b, poll(kData, 3, 2 * i + 1));
    bench.put(b, fence(kData, 2 * i + 2));
  }
  bench.ring(b);
  bench.ring(a);
  bench.expect<uint32_t>(kData, 100);
  bench.run();
  bench.check("a hundred turns");
  EXPECT_EQ(bench.read_pointer(a), a.write);
  EXPECT_EQ(bench.read_pointer(b), b.write);
}

TEST(SdmaControl, SleepMoveAndGo) {
  Bench bench;
  auto q = bench.bind(1024);
  bench.engines().sleep(q.number, true);
  bench.put(q, fence(kData, 1));
  bench.ring(q);
  bench.run();
  bench.check("asleep");
  EXPECT_EQ(state_of(bench, q), State::Asleep);
  bench.engines().sleep(q.number, false);
  bench.expect<uint32_t>(kData, 1);
  bench.run();
  bench.check("awake");
  const uint64_t elsewhere = Bench::kRings + 7 * Bench::kRingSpace;
  EXPECT_TRUE(bench.engines().move(q.number, elsewhere, 2048));
  EXPECT_FALSE(bench.engines().move(q.number, elsewhere, 100));
  q.base = elsewhere;
  q.bytes = 2048;
  bench.expect<uint32_t>(kData, 2);
  bench.execute(q, fence(kData, 2));
  bench.check("moved");
  bench.put(q, poll(kData, 3, 99));
  bench.ring(q);
  bench.run(bench.now + 100);
  EXPECT_FALSE(bench.engines().move(q.number, elsewhere, 1024));
  bench.engines().unbind(q.number);
  EXPECT_TRUE(bench.engines().idle());
  EXPECT_FALSE(bench.engines().has(q.number));
}

/// What waits has to fit into the ring that takes its place.
TEST(SdmaControl, ARingWithMoreThanTheNextOneHoldsStays) {
  Bench bench;
  auto q = bench.bind(2048);
  bench.engines().sleep(q.number, true);
  for (uint32_t i = 0; i < 80; ++i) bench.put(q, fence(kData + 4 * i, i + 1));  // 1280 bytes
  bench.ring(q);
  bench.run();
  EXPECT_FALSE(bench.engines().move(q.number, Bench::kRings + 7 * Bench::kRingSpace, 1024));
  bench.engines().sleep(q.number, false);
  for (uint32_t i = 0; i < 80; ++i) bench.expect<uint32_t>(kData + 4 * i, i + 1);
  bench.run();
  bench.check("where it was");
}

TEST(SdmaControl, RingsAreSpreadOverTheEngines) {
  Bench bench(2, {}, 2);
  for (int i = 0; i < 4; ++i) bench.bind();
  EXPECT_EQ(bench.engines().engine(0).rings(), 2u);
  EXPECT_EQ(bench.engines().engine(1).rings(), 2u);
  Ring more;
  more.base = Bench::kRings;
  more.bytes = 1024;
  EXPECT_EQ(bench.engines().bind(more, Engines::Kind::General).error().what,
            "2 SDMA engines with 2 rings each have none left");
  EXPECT_EQ(bench.engines().bind(more, Engines::Kind::Link).error().what,
            "0 SDMA engines with 2 rings each have none left");
  more.bytes = 1000;
  EXPECT_NE(bench.engines().bind(more, Engines::Kind::General).error().what.find("power of two"),
            std::string::npos);
}

TEST(SdmaControl, DoorbellsFindTheirRing) {
  Bench bench;
  Ring ring;
  ring.base = Bench::kRings;
  ring.bytes = 1024;
  ring.doorbell = 12;
  ASSERT_TRUE(bench.engines().bind(ring, Engines::Kind::General).ok());
  EXPECT_NE(bench.engines().bind(ring, Engines::Kind::General).error().what.find("doorbell 12"),
            std::string::npos);
  const auto words = fence(kData, 77).words();
  ASSERT_TRUE(bench.memory().write(ring.base, words.data(), words.size() * 4));
  EXPECT_FALSE(bench.engines().doorbell(13, 16));
  EXPECT_TRUE(bench.engines().doorbell(12, 16));
  bench.expect<uint32_t>(kData, 77);
  bench.run();
  bench.check("doorbell");
}

/// Half a packet waits for its rest.
TEST(SdmaControl, PacketsComeInPieces) {
  Bench bench;
  auto q = bench.bind();
  const auto words = fence(kData, 5).words();
  bench.put(q, {words[0], words[1]});
  bench.ring(q);
  bench.run();
  bench.check("half a packet");
  EXPECT_EQ(state_of(bench, q), State::Waiting);
  bench.put(q, {words[2], words[3]});
  bench.ring(q);
  bench.expect<uint32_t>(kData, 5);
  bench.run();
  bench.check("all of it");
}

/// The rest of such a packet can never come.
TEST(SdmaControl, APacketLongerThanItsRingFails) {
  Bench bench;
  auto q = bench.bind(1024);
  bench.put(q, {Packet("NOP").set("count", 256).words().front()});
  bench.ring(q);
  bench.run();
  EXPECT_EQ(state_of(bench, q), State::Failed);
  const auto errors = bench.engines().take_errors();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("the packet has 257 dwords, the ring has 256"), std::string::npos)
      << errors[0];
}

/// Refused packets and their messages; nothing behind them happens while other rings go on.
TEST(SdmaControl, Errors) {
  struct Case {
    const char* what;
    std::vector<uint32_t> words;
    const char* told;
    Interrupt::Kind kind = Interrupt::Kind::Error;
  };
  const auto kFault = Interrupt::Kind::Fault;
  auto unaligned_write = Packet("WRITE_UNTILED").set64("dst_addr", kData + 2).append({0});
  const Case cases[] = {
      {"an unknown op", {200, 0}, "no packet of gfx9 has op 200 with sub-op 0"},
      {"an unknown sub-op", {0x0305, 0, 0, 0}, "no packet of gfx9 has op 5 with sub-op 3"},
      {"reserved bits",
       {1, 0x80000000, 0, 0, 0, 0, 0},
       "COPY_LINEAR (op 1, sub-op 0): expected 0 in reserved bits 0x80000000 of dword 1"},
      {"protected memory", copy(kData, kData, 1).set("tmz", 1).words(), "expected tmz 0, found 1"},
      {"no memory to read", copy(0x666000, kData, 8).words(),
       "memory fault, read at 0x666000: unmapped", kFault},
      {"no memory to write", copy(kData, 0x666000, 8).words(),
       "memory fault, write at 0x666000: unmapped", kFault},
      {"a fence at an odd address", fence(kData + 2, 1).words(),
       "FENCE (op 5, sub-op 0): expected an address at a multiple of 4"},
      {"a write at an odd address", unaligned_write.words(), "expected an address at a multiple"},
      {"an odd fill",
       Packet("CONSTANT_FILL").set("fillsize", 2).set64("dst_addr", kData + 1).words(),
       "expected an address at a multiple of 4"},
      {"a fill of 8 bytes", Packet("CONSTANT_FILL").set("fillsize", 3).words(),
       "expected a fillsize of 0, 1 or 2, found 3"},
      {"a compare without meaning", poll(kData, 7, 0).words(),
       "expected a func of 0 to 6, found 7"},
      {"a float atomic", Packet("ATOMIC").set("atomic_op", 2).set64("addr", kData).words(),
       "atomic_op 0x2 is no integer operation"},
      {"a loop that cannot match", Packet("ATOMIC").set("atomic_op", 0xf).set("loop", 1).words(),
       "expected loop 0 with atomic_op 0xf"},
      {"large elements", Packet("COPY_LINEAR_SUBWIN").set("elementsize", 5).words(),
       "expected an elementsize of at most 4, found 5"},
      {"destinations that overlap",
       Packet("COPY_BROADCAST_LINEAR")
           .set("count", 99)
           .set64("src_addr", kData)
           .set64("dst1_addr", kData + 200)
           .set64("dst2_addr", kData + 250)
           .words(),
       "overlap"},
      {"an odd indirect buffer",
       Packet("INDIRECT").set64("ib_base", kData + 4).set("ib_size", 4).words(),
       "expected an address at a multiple of 32"},
      {"another VMID", Packet("INDIRECT").set("vmid", 4).set64("ib_base", kData).words(),
       "expected the VMID of the ring, 3, or 0, found 4"},
      {"a flush that is none", {8 | 1u << 26, 0, 0, 0, 0, 0}, "expected the header 0x34000008"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    Bench bench(1, {4, 20, 64});
    auto good = bench.bind(), bad = bench.bind(1024, 3);
    bench.put(bad, fence(kData + 400, 1));
    bench.put(bad, c.words);
    bench.put(bad, fence(kData + 404, 2));
    bench.put(good, copy(kData + 1000, kData + 50'000, 9000));
    bench.put(good, fence(kData + 408, 3));
    std::memcpy(bench.expected.data() + 50'000, bench.expected.data() + 1000, 9000);
    bench.expect<uint32_t>(kData + 400, 1);
    bench.expect<uint32_t>(kData + 408, 3);
    bench.ring(bad);
    bench.ring(good);
    bench.run();
    bench.check(c.what);
    const auto errors = bench.engines().take_errors();
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].find(c.told), std::string::npos) << errors[0];
    EXPECT_NE(errors[0].find("sdma engine 0, ring 2, offset 0x10 of the ring: "), std::string::npos)
        << errors[0];
    ASSERT_EQ(bench.interrupts.size(), 1u);
    EXPECT_EQ(bench.interrupts[0].kind, c.kind);
    EXPECT_EQ(bench.interrupts[0].ring, bad.number);
    EXPECT_EQ(state_of(bench, bad), State::Failed);
    EXPECT_EQ(bench.read_pointer(bad), 16u);
    EXPECT_EQ(bench.read_pointer(good), good.write);
    // It stays as it is.
    bench.ring(bad);
    bench.run();
    EXPECT_TRUE(bench.engines().take_errors().empty());
  }
}

TEST(SdmaControl, WritePointersThatCannotBe) {
  for (const uint64_t pointer : {uint64_t{18}, uint64_t{1028}, uint64_t{1} << 40, uint64_t{8}}) {
    Bench bench;
    auto q = bench.bind(1024);
    bench.expect<uint32_t>(kData, 1);
    bench.execute(q, fence(kData, 1));  // 16 bytes
    bench.engines().ring(q.number, pointer == 1028 ? 16 + 1028 : pointer);
    bench.run();
    bench.check("pointer");
    const auto errors = bench.engines().take_errors();
    ASSERT_EQ(errors.size(), 1u) << pointer;
    EXPECT_NE(errors[0].find("write pointer"), std::string::npos) << errors[0];
  }
}

}  // namespace
}  // namespace cuvette::sdma
