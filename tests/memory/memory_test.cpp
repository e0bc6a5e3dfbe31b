// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "memory/memory_model.h"

namespace cuvette::memory {
namespace {

using machine::Cycle;

class MemoryTest : public testing::Test {
 protected:
  MemoryTest() {
    EXPECT_TRUE(backing_.reserve(0x10000, 0x1000).ok());
    Config c;
    c.ports = 2;
    c.latency_cycles = 30;
    c.cycles_per_block = 4;
    c.backing = &backing_;
    memory_ = std::make_unique<MemoryModel>(c);
  }
  MemReq request(uint64_t id, MemOp op, uint64_t address, uint64_t mask = ~uint64_t{0}) {
    MemReq r;
    r.id = id;
    r.op = op;
    r.address = address;
    r.byte_mask = mask;
    return r;
  }
  /// The answer and when it came.
  std::pair<MemResp, Cycle> wait(unsigned port) {
    for (; now_ < 10000; ++now_) {
      memory_->tick(now_);
      if (memory_->port(port).response.front(now_) != nullptr) {
        return {memory_->port(port).response.pop(now_), now_};
      }
    }
    ADD_FAILURE() << "no answer";
    return {};
  }

  hsa::SparseMemory backing_;
  std::unique_ptr<MemoryModel> memory_;
  Cycle now_ = 0;
};

TEST_F(MemoryTest, CountsWhatItServes) {
  uint64_t id = 1;
  const auto serve = [&](const MemReq& r) {
    memory_->port(0).request.push(r, now_ + 1);
    wait(0);
  };
  serve(request(id++, MemOp::Read, 0x10000));
  serve(request(id++, MemOp::Read, 0x10040, 0xff));
  serve(request(id++, MemOp::Write, 0x10000, 0xf0));
  serve(request(id++, MemOp::Atomic, 0x10000, 0xf));
  serve(request(id++, MemOp::AtomicReturn, 0x10000, 0xf));
  const Memory::Traffic t = memory_->traffic();
  EXPECT_EQ(t.reads, 2u);
  EXPECT_EQ(t.writes, 1u);
  EXPECT_EQ(t.atomics, 2u);
  EXPECT_EQ(t.read_bytes, 72u);
  EXPECT_EQ(t.written_bytes, 4u);
}

TEST_F(MemoryTest, AWriteStoresTheBytesOfItsMask) {
  MemReq w = request(1, MemOp::Write, 0x10000, 0xf0);
  w.data.fill(0xab);
  memory_->port(0).request.push(w, 1);
  const auto [answer, at] = wait(0);
  EXPECT_EQ(answer.id, 1u);
  EXPECT_EQ(answer.status, MemStatus::Ok);
  EXPECT_EQ(at, 31u);
  uint8_t bytes[12];
  ASSERT_TRUE(backing_.read(0x10000, bytes, sizeof bytes));
  for (unsigned i = 0; i < 12; ++i) EXPECT_EQ(bytes[i], i >= 4 && i < 8 ? 0xab : 0) << i;
}

TEST_F(MemoryTest, OneBlockPerPortEveryFewCyclesPortsApart) {
  for (uint64_t i = 0; i < 3; ++i) {
    memory_->port(0).request.push(request(i, MemOp::Read, 0x10000 + 64 * i), 1);
  }
  memory_->port(1).request.push(request(9, MemOp::Read, 0x10000), 1);
  EXPECT_EQ(wait(0).second, 31u);
  EXPECT_EQ(wait(1).second, 31u);
  EXPECT_EQ(wait(0).second, 35u);
  EXPECT_EQ(wait(0).second, 39u);
  EXPECT_EQ(memory_->next_event(), machine::kNever);
}

TEST_F(MemoryTest, ReadsAndWritesOfABlockActInArrivalOrder) {
  MemReq w = request(2, MemOp::Write, 0x10040, 1);
  w.data[0] = 9;
  memory_->port(0).request.push(request(1, MemOp::Read, 0x10040), 1);
  memory_->port(0).request.push(w, 1);
  memory_->port(0).request.push(request(3, MemOp::Read, 0x10040), 1);
  EXPECT_EQ(wait(0).first.data[0], 0);
  EXPECT_NE(wait(0).first.serial, 0u);
  EXPECT_EQ(wait(0).first.data[0], 9);
}

TEST_F(MemoryTest, AtomicsReturnTheOldValue) {
  const uint64_t before = 100;
  ASSERT_TRUE(backing_.write(0x10008, &before, 8));
  MemReq r = request(1, MemOp::AtomicReturn, 0x10008);
  r.atomic = base::AtomicOp::Sub;
  r.atomic_bytes = 8;
  const uint64_t amount = 1;
  std::memcpy(r.data.data(), &amount, 8);
  memory_->port(0).request.push(r, 1);
  uint64_t old = 0;
  std::memcpy(&old, wait(0).first.data.data(), 8);
  EXPECT_EQ(old, 100u);
  uint64_t after = 0;
  ASSERT_TRUE(backing_.read(0x10008, &after, 8));
  EXPECT_EQ(after, 99u);
}

TEST_F(MemoryTest, AddressesWithoutMemoryFault) {
  memory_->port(0).request.push(request(1, MemOp::Read, 0x40), 1);
  EXPECT_EQ(wait(0).first.status, MemStatus::Fault);
  memory_->port(0).request.push(request(2, MemOp::Write, 0x40), now_ + 1);
  EXPECT_EQ(wait(0).first.status, MemStatus::Fault);
}

TEST_F(MemoryTest, NextEventIsTheFirstArrivalOrTheFreePort) {
  EXPECT_EQ(memory_->next_event(), machine::kNever);
  memory_->port(0).request.push(request(1, MemOp::Read, 0x10000), 7);
  memory_->port(0).request.push(request(2, MemOp::Read, 0x10000), 7);
  EXPECT_EQ(memory_->next_event(), 7u);
  memory_->tick(7);
  EXPECT_EQ(memory_->next_event(), 11u);
}

}  // namespace
}  // namespace cuvette::memory
