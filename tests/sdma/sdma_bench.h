// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hsa/address_space.h"
#include "hsa/backing.h"
#include "sdma/engines.h"
#include "sdma_packets.h"

namespace cuvette::sdma {

/// SDMA engines on memory of their own, and what a test expects of its bytes.
class Bench {
 public:
  static constexpr uint64_t kData = 0x1'0000'0000, kDataBytes = 1 << 20;
  static constexpr uint64_t kRings = 0x2'0000'0000, kRingSpace = 1 << 16;
  static constexpr uint64_t kPointers = 0x3'0000'0000;

  explicit Bench(unsigned engines = 2, const Timing& timing = {}, unsigned rings = 4)
      : port_(memory_),
        engines_(Engines::Config{engines, 0, rings, timing, &space_}),
        expected(kDataBytes) {
    for (const auto& [va, bytes] : {std::pair(kData, kDataBytes), std::pair(kRings, kRingSpace * 8),
                                    std::pair(kPointers, uint64_t{4096})}) {
      EXPECT_TRUE(memory_.reserve(va, bytes).ok());
      EXPECT_TRUE(space_.map(va, bytes, hsa::Access::ReadWrite).ok());
    }
    for (uint64_t i = 0; i < kDataBytes; ++i) {
      expected[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
    }
    EXPECT_TRUE(memory_.write(kData, expected.data(), kDataBytes));
    for (unsigned i = 0; i < engines; ++i) engines_.engine(i).connect(port_);
    engines_.on_interrupt([this](machine::Cycle, const Interrupt& i) { interrupts.push_back(i); });
  }

  struct Queue {
    uint32_t number = 0;
    uint64_t base = 0, bytes = 0, report = 0, write = 0;
  };
  Queue bind(uint64_t bytes = kRingSpace, uint8_t vmid = 0) {
    Queue q{0, kRings + queues_ * kRingSpace, bytes, kPointers + queues_ * 8, 0};
    ++queues_;
    Ring ring;
    ring.base = q.base;
    ring.bytes = bytes;
    ring.vmid = vmid;
    ring.read_report = q.report;
    const auto number = engines_.bind(ring, Engines::Kind::General);
    EXPECT_TRUE(number.ok());
    if (number) q.number = *number;
    return q;
  }
  void put(Queue& q, const std::vector<uint32_t>& words) {
    for (const uint32_t w : words) {
      EXPECT_TRUE(memory_.write(q.base + q.write % q.bytes, &w, sizeof w));
      q.write += sizeof w;
    }
  }
  void put(Queue& q, const sdma_packets::Packet& packet) { put(q, packet.words()); }
  void ring(const Queue& q) { engines_.ring(q.number, q.write); }
  uint64_t read_pointer(const Queue& q) {
    uint64_t value = 0;
    EXPECT_TRUE(memory_.read(q.report, &value, sizeof value));
    return value;
  }
  /// Until nothing is left to happen, or the cycle.
  void run(machine::Cycle end = 100'000'000) {
    for (;;) {
      machine::Cycle next = machine::kNever;
      for (unsigned i = 0; i < engines_.count(); ++i) {
        next = std::min(next, engines_.engine(i).next_event());
      }
      if (next >= end) return;
      now = std::max(now + 1, next);
      for (unsigned i = 0; i < engines_.count(); ++i) {
        if (engines_.engine(i).next_event() <= now) engines_.engine(i).tick(now);
      }
    }
  }
  void execute(Queue& q, const sdma_packets::Packet& packet) {
    put(q, packet);
    ring(q);
    run();
  }

  /// The data as they are, compared with what is expected.
  void check(const char* what) {
    std::vector<uint8_t> found(kDataBytes);
    ASSERT_TRUE(memory_.read(kData, found.data(), kDataBytes));
    for (uint64_t i = 0; i < kDataBytes; ++i) {
      ASSERT_EQ(found[i], expected[i]) << what << ", byte " << i;
    }
  }
  template <class T>
  T get(uint64_t va) {
    T value{};
    EXPECT_TRUE(memory_.read(va, &value, sizeof value));
    return value;
  }
  template <class T>
  void store(uint64_t va, T value) {
    EXPECT_TRUE(memory_.write(va, &value, sizeof value));
    std::memcpy(expected.data() + (va - kData), &value, sizeof value);
  }
  template <class T>
  void expect(uint64_t va, T value) {
    std::memcpy(expected.data() + (va - kData), &value, sizeof value);
  }

  Engines& engines() { return engines_; }
  hsa::SparseMemory& memory() { return memory_; }
  hsa::AddressSpace& space() { return space_; }

 private:
  hsa::SparseMemory memory_;
  hsa::AddressSpace space_;
  BackingPort port_;
  Engines engines_;
  unsigned queues_ = 0;

 public:
  std::vector<uint8_t> expected;
  std::vector<Interrupt> interrupts;
  machine::Cycle now = 0;
};

}  // namespace cuvette::sdma
