// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// SDMA engines inside of the GPUs as SystemC modules: doorbells by the socket, interrupts in the
// ring, registers that packets poll, memory of the GPU and external memory.
#include <cstring>

#include "driver_bench.h"
#include "gpu/sdma_module.h"
#include "sdma_packets.h"

namespace cuvette::gpu {
namespace {

using sdma_packets::copy;
using sdma_packets::fence;
using sdma_packets::Packet;
using sdma_packets::poll;

constexpr uint32_t kRingBytes = 4096;

template <class G>
struct SdmaQueue {
  SdmaQueue(Bench<G>& bench, uint32_t index) : b(bench), doorbell(index) {
    sdma::Ring ring;
    ring.base = base = *b.memory.allocate(kRingBytes);
    ring.bytes = kRingBytes;
    ring.vmid = kVmid;
    ring.read_report = report = *b.memory.allocate(8);
    ring.doorbell = index;
    EXPECT_TRUE(b.gpu->sdma().bind(ring, sdma::Engines::Kind::General).ok());
  }
  void put(const Packet& p) {
    for (const uint32_t w : p.words()) {
      EXPECT_TRUE(b.memory.write_value(base + write % kRingBytes, w));
      write += 4;
    }
  }
  void go() { b.ring(doorbell, write); }
  uint64_t read() {
    uint64_t value = 0;
    EXPECT_TRUE(b.memory.read_value(report, &value));
    return value;
  }
  void done(const char* what) {
    b.until([this] { return read() == write; }, what);
  }
  Bench<G>& b;
  uint32_t doorbell;
  uint64_t base = 0, report = 0, write = 0;
};

template <class G>
void engines(Bench<G>& b) {
  b.start();
  const auto word = [&b](uint64_t at) {
    uint32_t value = 0;
    EXPECT_TRUE(b.memory.read_value(at, &value));
    return value;
  };
  SdmaQueue<G> first(b, 40), second(b, 41);
  const uint64_t data = *b.memory.allocate(1 << 16);
  std::vector<uint8_t> expected(1 << 16);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<uint8_t>(i * 13 + i / 256);
  EXPECT_TRUE(b.memory.write(data, expected.data(), expected.size()).ok());
  std::memcpy(expected.data() + 30'001, expected.data() + 77, 9000);
  std::memcpy(expected.data() + 50'003, expected.data() + 9001, 5000);
  // The second engine waits for the first.
  const uint64_t flag = *b.memory.allocate(64);
  first.put(copy(data + 77, data + 30'001, 9000));
  first.put(fence(flag, 1));
  first.put(Packet("TRAP").set("int_context", 321));
  second.put(poll(flag, 3, 1));
  second.put(copy(data + 9001, data + 50'003, 5000));
  second.put(Packet("ATOMIC").set("atomic_op", 47).set64("addr", flag + 8).set64("src_data", 5));
  second.put(Packet("TRAP").set("int_context", 654));
  second.go();
  sc_core::wait(5, sc_core::SC_US);
  EXPECT_FALSE(b.gpu->idle());
  EXPECT_EQ(second.read(), 0u);
  first.go();
  first.done("the first engine");
  second.done("the second engine");
  std::vector<uint8_t> found(expected.size());
  EXPECT_TRUE(b.memory.read(data, found.data(), found.size()).ok());
  EXPECT_EQ(found, expected);
  EXPECT_EQ(word(flag + 8), 5u);
  b.until([&] { return b.heard.size() == 2; }, "both interrupts");
  auto entries = b.take_entries();
  ASSERT_EQ(entries.size(), 2u);
  const uint32_t clients[] = {8, 9}, contexts[] = {321, 654};
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(entries[i].client(), clients[i]);
    EXPECT_EQ(entries[i].source(), 224u);
    EXPECT_EQ(entries[i].vmid(), kVmid);
    EXPECT_EQ(entries[i].words[3], kPasid);
    EXPECT_EQ(entries[i].words[4], contexts[i]);
  }

  // A register of the aperture that the host writes later.
  b.write(CUVETTE_REG_GRBM_SCRATCH_REG0, 1);
  Packet wait = poll(CUVETTE_REG_GRBM_SCRATCH_REG0, 3, 0x600d);
  wait.set("mem_poll", 0);
  first.put(wait);
  first.put(fence(flag + 16, 3));
  first.go();
  sc_core::wait(5, sc_core::SC_US);
  EXPECT_EQ(word(flag + 16), 0u);
  b.write(CUVETTE_REG_GRBM_SCRATCH_REG0, 0x600d);
  first.done("the register");
  EXPECT_EQ(word(flag + 16), 3u);

  // A kernel, a copy of what it has written, and a copy that its completion has let go on.
  auto q = b.make_queue(1, 0, 0, 16);
  b.activate(q);
  const auto work = b.submit(q, 7, 1);
  const uint64_t copied = *b.memory.allocate(4 * kItems);
  first.put(poll(work.signal + 8, 3, 0));
  first.put(copy(work.out, copied, 4 * kItems));
  first.go();
  b.ring(q.doorbell, work.index);
  b.until([&] { return b.done(work); }, "the kernel");
  first.done("the copy behind the kernel");
  for (uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(word(copied + 4 * i), 7 * i) << i;

  // A fault is an entry of the other hub; another one's packet is refused in words.
  b.until([&] { return b.heard.size() == 3; }, "the kernel's interrupt");
  b.take_entries();
  EXPECT_TRUE(b.gpu->take_errors().empty());
  first.put(fence(kUnmapped, 1));
  first.go();
  b.until([&] { return b.heard.size() == 4; }, "the fault");
  entries = b.take_entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].client(), 18u);
  EXPECT_EQ(entries[0].source(), 0u);
  EXPECT_EQ(entries[0].words[4], static_cast<uint32_t>(kUnmapped >> 12));
  EXPECT_EQ(entries[0].words[5], kUnmapped >> 44);
  second.put(Packet("PRE_EXE"));
  second.go();
  b.until([&] { return b.heard.size() == 5; }, "the error");
  EXPECT_EQ(b.heard.back().source, kSdmaError);
  EXPECT_TRUE(b.take_entries().empty());
  const auto errors = b.gpu->take_errors();
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_NE(errors[0].find("FENCE"), std::string::npos) << errors[0];
  EXPECT_NE(errors[1].find("PRE_EXE"), std::string::npos) << errors[1];
  b.remove(q);
}

TEST(SdmaOfGpu, OwnMemory) {
  Bench<Gpu>::go(engines<Gpu>);
}
TEST(SdmaOfGpu, ExternalMemory) {
  Bench<Gpu>::go(engines<Gpu>, true);
}
TEST(SdmaOfLtGpu, OwnMemory) {
  Bench<LtGpu>::go(engines<LtGpu>);
}
TEST(SdmaOfLtGpu, ExternalMemory) {
  Bench<LtGpu>::go(engines<LtGpu>, true);
}

/// From the doorbell to the read pointer: what the fields of the description say, to the cycle.
template <class G>
void times(Bench<G>& b) {
  SdmaQueue<G> q(b, 7);
  const uint64_t data = *b.memory.allocate(1 << 16);
  q.put(copy(data, data + 20'000, 10'000));
  const machine::Cycle start = b.gpu->cycle();
  q.go();
  while (!b.gpu->idle()) sc_core::wait(b.gpu->time_of(1));
  EXPECT_EQ(q.read(), q.write);
  // Fetched in 300, digested in 20, first data in 300, 4096 and 4096 and 1808 bytes at 32 a cycle.
  EXPECT_NEAR(static_cast<double>(b.gpu->cycle() - start), 300 + 20 + 300 + 128 + 128 + 57, 2);
}
const auto kSlow = [](machine::GpuConfig& d) {
  d.sdma.packet_cycles = 20;
  d.sdma.latency_cycles = 300;
  d.sdma.bytes_per_cycle = 32;
};
TEST(SdmaOfGpu, TakesTheTimeOfTheDescription) {
  Bench<Gpu>::go(times<Gpu>, false, kSlow);
}
TEST(SdmaOfLtGpu, TakesTheTimeOfTheDescription) {
  Bench<LtGpu>::go(times<LtGpu>, false, kSlow);
}

TEST(SdmaOfGpu, NoneWithoutASection) {
  Bench<Gpu>::go(
      [](Bench<Gpu>& b) {
        sdma::Ring ring;
        ring.base = 4096;
        ring.bytes = 4096;
        EXPECT_FALSE(b.gpu->sdma().bind(ring, sdma::Engines::Kind::General).ok());
      },
      true, [](machine::GpuConfig& d) { d.sdma = {}; });
}

}  // namespace
}  // namespace cuvette::gpu
