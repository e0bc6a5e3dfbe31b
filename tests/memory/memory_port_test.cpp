// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/memory/memory_port.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "Vmemory_copy.h"
#include "Vmemory_ram.h"
#include "hsa/memory.h"
#include "ip/common/verilated_model.h"
#include "ip/memory/memory_pins.h"
#include "memory/memory_model.h"
#include "memory/serve.h"

// The transactors of a memory port against SystemVerilog: the driver on a memory
// (tb/memory/memory_ram.sv), the server under a master (memory_copy.sv), and one on the other.
// Registers and RAM start at random.
namespace cuvette {
namespace {

using machine::Cycle;
using memory::kBlockBytes;
using memory::MemOp;
using memory::MemReq;
using memory::MemResp;
using memory::MemStatus;

constexpr uint64_t kStarts[] = {1, 77, 4711};
constexpr uint64_t kBase = 0x1000;  // memory_ram
constexpr unsigned kBlocks = 8;
constexpr unsigned kRequests = 10'000;
constexpr Cycle kMostCycles = 400'000;

// --- a stream of requests, and what they do to bytes --------------------------------------------

/// Legal requests to memory_ram; the first ones write every block, some go outside of it.
std::vector<MemReq> random_requests(unsigned seed) {
  std::mt19937_64 rng(seed);
  std::vector<MemReq> all;
  for (unsigned n = 0; n < kRequests; ++n) {
    MemReq r;
    r.id = uint64_t{n} << 40 | (rng() & 0xffffffff);
    r.cu = static_cast<uint16_t>(rng());
    r.wave = static_cast<uint16_t>(rng());
    r.sequence = n;
    const bool outside = n >= kBlocks && rng() % 32 == 0;
    const uint64_t block = outside ? kBase - kBlockBytes : kBase + rng() % kBlocks * kBlockBytes;
    r.address = block;
    r.byte_mask = rng();
    for (uint8_t& byte : r.data) byte = static_cast<uint8_t>(rng());
    if (n < kBlocks) {
      r.op = MemOp::Write;
      r.address = kBase + n * kBlockBytes;
      r.byte_mask = ~uint64_t{0};
    } else if (const auto kind = rng() % 16; kind < 6) {
      r.op = MemOp::Read;
    } else if (kind < 11) {
      r.op = MemOp::Write;
    } else if (kind < 15) {
      r.op = kind < 13 ? MemOp::Atomic : MemOp::AtomicReturn;
      r.atomic = rng() % 2 != 0 ? base::AtomicOp::Add : base::AtomicOp::Swap;
      r.atomic_bytes = rng() % 2 != 0 ? 4 : 8;
      const uint64_t offset = rng() % (kBlockBytes / r.atomic_bytes) * r.atomic_bytes;
      r.address += offset;
      r.byte_mask = ((uint64_t{1} << r.atomic_bytes) - 1) << offset;
    } else {
      r.op = rng() % 2 != 0 ? MemOp::Invalidate : MemOp::Writeback;
    }
    all.push_back(r);
  }
  return all;
}

/// kBlocks blocks of bytes, written out by hand.
struct PlainMemory {
  std::array<uint8_t, kBlocks * kBlockBytes> bytes{};
  uint64_t serial = 0;

  MemResp serve(const MemReq& r) {
    MemResp answer;
    answer.id = r.id;
    answer.address = r.address;
    if (r.op == MemOp::Invalidate || r.op == MemOp::Writeback) return answer;
    if (r.op != MemOp::Read) answer.serial = ++serial;
    if (r.address < kBase || r.address >= kBase + bytes.size()) {
      answer.status = MemStatus::Fault;
      return answer;
    }
    uint8_t* at = bytes.data() + (r.address - kBase);
    if (r.op == MemOp::Read || r.op == MemOp::Write) {
      for (unsigned i = 0; i < kBlockBytes; ++i) {
        if ((r.byte_mask >> i & 1) == 0) continue;
        if (r.op == MemOp::Read) {
          answer.data[i] = at[i];
        } else {
          at[i] = r.data[i];
        }
      }
      return answer;
    }
    uint64_t old = 0;
    uint64_t operand = 0;
    std::memcpy(&old, at, r.atomic_bytes);
    std::memcpy(&operand, r.data.data(), r.atomic_bytes);
    const uint64_t value = r.atomic == base::AtomicOp::Add ? old + operand : operand;
    std::memcpy(at, &value, r.atomic_bytes);
    if (r.op == MemOp::AtomicReturn) std::memcpy(answer.data.data(), &old, r.atomic_bytes);
    return answer;
  }
};

/// Answers in order of arrival, as these memories give them.
void expect_answers(const std::vector<MemReq>& requests, const std::vector<MemResp>& answers) {
  ASSERT_EQ(answers.size(), requests.size());
  PlainMemory plain;
  for (size_t n = 0; n < requests.size(); ++n) {
    const MemResp expected = plain.serve(requests[n]);
    ASSERT_EQ(answers[n].id, expected.id) << n;
    ASSERT_EQ(answers[n].address, expected.address) << n;
    ASSERT_EQ(answers[n].status, expected.status) << n;
    ASSERT_EQ(answers[n].serial, expected.serial) << n;
    ASSERT_EQ(answers[n].data, expected.data) << n;
    if (n != 0) {
      ASSERT_GT(answers[n].time, answers[n - 1].time) << n;
    }
  }
}

ip::MemoryPortStalls stalls(uint64_t seed) {
  return {seed, 80, 90};
}

std::string text(const std::optional<ip::DeviceFailure>& failure) {
  return failure ? failure->field + ": " + failure->what : "";
}

// --- driver on an RTL memory ------------------------------------------------------------------

/// Cycle by cycle until the driver has nothing left; two cycles of reset first.
template <class Driver, class Sv, class EachCycle>
void run(Driver& driver, Sv& sv, EachCycle each_cycle) {
  ip::MemoryPortPins pins;
  for (Cycle now = 0; now < kMostCycles; ++now) {
    const bool in_reset = now < 2;
    each_cycle(now);
    driver.drive(now, in_reset, pins);
    sv->rst_ni = !in_reset;
    ip::to_memory(*sv, pins);
    sv.settle();
    ip::from_memory(*sv, pins);
    // Registers start at random: valid means nothing before the first edge of the reset.
    driver.clock(pins);
    sv.clock();
    if (!in_reset && driver.idle()) break;
  }
  driver.end();
  EXPECT_EQ(text(driver.failure()), "");
  EXPECT_EQ(text(sv.failure()), "");
}

TEST(MemoryPortDriver, RtlMemoryAnswersLikePlainBytes) {
  for (const uint64_t start : kStarts) {
    ip::VerilatedModel<Vmemory_ram, false> sv(start);
    sv.begin();
    ip::MemoryPortDriver driver({stalls(start)});
    const std::vector<MemReq> requests = random_requests(static_cast<unsigned>(start));
    for (const MemReq& request : requests) driver.push(request);
    run(driver, sv, [](Cycle) {});
    std::vector<MemResp> answers;
    while (const auto answer = driver.pop()) answers.push_back(*answer);
    expect_answers(requests, answers);
  }
}

TEST(MemoryPortDriver, StandsBehindThePortOfTheModel) {
  ip::VerilatedModel<Vmemory_ram, false> sv(5);
  sv.begin();
  memory::Memory::Port port;
  ip::MemoryPortDriver driver({}, port.request, port.response);
  const std::vector<MemReq> requests = random_requests(5);
  std::vector<MemResp> answers;
  for (size_t n = 0; n < requests.size(); ++n) port.request.push(requests[n], n);
  const auto take = [&](Cycle now) {
    while (port.response.front(now) != nullptr) answers.push_back(port.response.pop(now));
  };
  run(driver, sv, take);
  take(machine::kNever - 1);
  expect_answers(requests, answers);
}

TEST(MemoryPortDriver, ForgetsInAResetWhatIsUnderWay) {
  ip::VerilatedModel<Vmemory_ram, false> sv(9);
  sv.begin();
  ip::MemoryPortDriver driver({stalls(9)});
  const std::vector<MemReq> requests = random_requests(9);
  for (size_t n = 0; n < 200; ++n) driver.push(requests[n]);
  ip::MemoryPortPins pins;
  for (Cycle now = 0; now < 2000; ++now) {
    const bool in_reset = now % 100 < 2;
    driver.drive(now, in_reset, pins);
    sv->rst_ni = !in_reset;
    ip::to_memory(*sv, pins);
    sv.settle();
    ip::from_memory(*sv, pins);
    driver.clock(pins);
    sv.clock();
  }
  driver.end();
  EXPECT_EQ(text(driver.failure()), "");
  EXPECT_TRUE(driver.idle());
  size_t answers = 0;
  while (driver.pop()) ++answers;
  EXPECT_LT(answers, 200u);  // those of a reset are missing
  EXPECT_GT(answers, 180u);
}

// --- server under an RTL master -----------------------------------------------------------------

constexpr uint16_t kCopied = 100;
constexpr uint64_t kTarget = kCopied * kBlockBytes;  // behind the source

/// Copies kCopied blocks through `server`; `tick` is the memory behind it.
template <class Tick>
Cycle copy(ip::MemoryPortServer& server, uint64_t start, uint64_t base, Tick tick) {
  ip::VerilatedModel<Vmemory_copy, false> sv(start);
  sv.begin();
  sv->source_i = base;
  sv->target_i = base + kTarget;
  sv->blocks_i = kCopied;
  ip::MemoryPortPins pins;
  Cycle now = 0;
  for (; now < kMostCycles; ++now) {
    const bool in_reset = now < 2;
    sv->rst_ni = !in_reset;
    sv->start_i = now == 2;
    server.drive(now, in_reset, pins);
    ip::to_requester(*sv, pins);
    sv.settle();
    ip::from_requester(*sv, pins);
    if (now > 3 && sv->done_o != 0) break;
    server.clock(pins);
    tick(now);
    sv.clock();
  }
  EXPECT_LT(now, kMostCycles);
  EXPECT_EQ(sv->fault_o, 0);
  EXPECT_TRUE(server.idle());
  server.end();
  EXPECT_EQ(text(server.failure()), "");
  EXPECT_EQ(text(sv.failure()), "");
  return now;
}

std::vector<uint8_t> random_bytes(uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<uint8_t> bytes(kTarget);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng());
  return bytes;
}

TEST(MemoryPortServer, RtlMasterCopiesInPlainMemory) {
  for (const uint64_t start : kStarts) {
    const std::vector<uint8_t> source = random_bytes(start);
    std::vector<uint8_t> bytes = source;
    bytes.resize(2 * kTarget);
    uint64_t serial = 0;
    const auto serve = [&](const MemReq& r) {
      MemResp answer;
      answer.id = r.id;
      answer.address = r.address;
      if (r.op == MemOp::Read) {
        std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(r.address), kBlockBytes,
                    answer.data.begin());
      } else {
        std::copy(r.data.begin(), r.data.end(), bytes.begin() + static_cast<ptrdiff_t>(r.address));
        answer.serial = ++serial;
      }
      return answer;
    };
    ip::MemoryPortServer::Config config;
    config.stalls = stalls(start);
    config.latency_cycles = 5;
    ip::MemoryPortServer server(config, serve);
    copy(server, start, 0, [](Cycle) {});
    EXPECT_EQ(serial, kCopied);
    EXPECT_TRUE(std::equal(source.begin(), source.end(), bytes.begin()));
    EXPECT_TRUE(std::equal(source.begin(), source.end(), bytes.begin() + kTarget));
  }
}

TEST(MemoryPortServer, RtlMasterCopiesInTheModelOfMemory) {
  Cycle before = 0;
  for (const uint32_t latency : {1u, 40u}) {
    hsa::DeviceMemory device;
    const auto allocated = device.allocate(2 * kTarget);
    ASSERT_TRUE(allocated.ok());
    const uint64_t base = *allocated;
    const std::vector<uint8_t> source = random_bytes(latency);
    ASSERT_TRUE(device.write(base, source.data(), source.size()));
    memory::Config config;
    config.latency_cycles = latency;
    config.cycles_per_block = 2;
    config.backing = &device.backing();
    memory::MemoryModel memory(config);
    ip::MemoryPortServer server({}, memory.port(0).request, memory.port(0).response);
    const Cycle cycles = copy(server, latency, base, [&](Cycle now) { memory.tick(now); });
    EXPECT_GT(cycles, before);  // the model's latency is seen on the pins
    before = cycles;
    std::vector<uint8_t> copied(source.size());
    ASSERT_TRUE(device.read(base + kTarget, copied.data(), copied.size()));
    EXPECT_EQ(copied, source);
    EXPECT_EQ(memory.traffic().reads, kCopied);
    EXPECT_EQ(memory.traffic().writes, kCopied);
  }
}

// --- one on the other ---------------------------------------------------------------------------

TEST(MemoryPortDriver, TalksToAServerThroughWires) {
  for (const uint64_t seed : kStarts) {
    PlainMemory plain;
    ip::MemoryPortDriver driver({stalls(seed)});
    ip::MemoryPortServer server({stalls(seed + 1), 4},
                                [&](const MemReq& request) { return plain.serve(request); });
    const std::vector<MemReq> requests = random_requests(static_cast<unsigned>(seed));
    for (const MemReq& request : requests) driver.push(request);
    ip::MemoryPortPins pins;
    for (Cycle now = 0; now < kMostCycles && (now < 3 || !driver.idle()); ++now) {
      driver.drive(now, now < 2, pins);
      server.drive(now, now < 2, pins);
      driver.clock(pins);
      server.clock(pins);
    }
    driver.end();
    server.end();
    EXPECT_EQ(text(driver.failure()), "");
    EXPECT_EQ(text(server.failure()), "");
    std::vector<MemResp> answers;
    while (const auto answer = driver.pop()) answers.push_back(*answer);
    expect_answers(requests, answers);
  }
}

}  // namespace
}  // namespace cuvette
