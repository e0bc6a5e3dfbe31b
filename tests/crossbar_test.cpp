// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/crossbar.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace cuvette::gpu {
namespace {

using machine::Cycle;

class CrossbarTest : public testing::Test {
 protected:
  CrossbarTest() : crossbar_({3, 2, 256, 10}) {
    for (unsigned i = 0; i < 3; ++i) crossbar_.connect_source(i, responses_[i]);
    for (unsigned i = 0; i < 2; ++i) crossbar_.connect_slice(i, slices_[i]);
  }
  Cycle send(unsigned source, uint64_t id, uint64_t address, Cycle sent) {
    memory::MemReq r;
    r.id = id;
    r.address = address;
    return crossbar_.send(source, r, sent);
  }
  /// Addresses in the order in which a slice takes them.
  std::vector<uint64_t> taken(unsigned slice, Cycle now) {
    std::vector<uint64_t> out;
    while (slices_[slice].request.front(now) != nullptr) {
      const auto r = slices_[slice].request.pop(now);
      out.push_back(r.address);
      memory::MemResp a;
      a.id = r.id;
      a.address = r.address;
      slices_[slice].response.push(a, now + 1);
    }
    return out;
  }

  Crossbar crossbar_;
  machine::Channel<memory::MemResp> responses_[3] = {
      machine::Channel<memory::MemResp>(machine::kUnbounded),
      machine::Channel<memory::MemResp>(machine::kUnbounded),
      machine::Channel<memory::MemResp>(machine::kUnbounded)};
  cache::Cache::Port slices_[2];
};

TEST_F(CrossbarTest, AddressesAreInterleaved) {
  EXPECT_EQ(crossbar_.slice_of(0), 0u);
  EXPECT_EQ(crossbar_.slice_of(255), 0u);
  EXPECT_EQ(crossbar_.slice_of(256), 1u);
  EXPECT_EQ(crossbar_.slice_of(512), 0u);
}

TEST_F(CrossbarTest, OrderIsTimeThenSourceThenAsSentWhateverTheOrderOfCalls) {
  EXPECT_EQ(crossbar_.next_event(), machine::kNever);
  EXPECT_EQ(send(2, 1, 0x1000, 5), 15u);
  send(0, 1, 0x2000, 6);
  send(1, 1, 0x3000, 5);
  send(0, 2, 0x4000, 5);
  send(1, 2, 0x5000, 5);
  EXPECT_EQ(crossbar_.next_event(), 15u);
  crossbar_.tick(15);
  EXPECT_EQ(crossbar_.slices_fed(), (std::vector<unsigned>{0}));
  EXPECT_EQ(taken(0, 16), (std::vector<uint64_t>{0x4000, 0x3000, 0x5000, 0x1000}));
  EXPECT_EQ(crossbar_.next_event(), 16u);
  crossbar_.tick(16);
  EXPECT_EQ(taken(0, 17), (std::vector<uint64_t>{0x2000}));
}

TEST_F(CrossbarTest, AnswersGoBackToTheirSourceUnderItsOwnId) {
  send(0, 7, 0x000, 1);
  send(2, 7, 0x100, 1);
  crossbar_.tick(11);
  taken(0, 12);
  taken(1, 12);
  crossbar_.tick(13);
  ASSERT_EQ(crossbar_.deliveries().size(), 2u);
  EXPECT_EQ(crossbar_.deliveries()[0].time, 23u);
  EXPECT_EQ(responses_[0].front(22), nullptr);
  ASSERT_NE(responses_[0].front(23), nullptr);
  EXPECT_EQ(responses_[0].front(23)->id, 7u);
  EXPECT_EQ(responses_[0].front(23)->address, 0u);
  ASSERT_NE(responses_[2].front(23), nullptr);
  EXPECT_EQ(responses_[2].front(23)->address, 0x100u);
  EXPECT_TRUE(responses_[1].empty());
}

TEST_F(CrossbarTest, MaintenanceGoesToEverySliceAndHasOneAnswer) {
  memory::MemReq r;
  r.id = 9;
  r.address = 0x100;
  for (const auto op : {memory::MemOp::Invalidate, memory::MemOp::Writeback}) {
    r.op = op;
    const bool faults = op == memory::MemOp::Writeback;
    const Cycle now = faults ? 100 : 0;
    send(1, 8, 0x000, now);  // a store before it, of the same source
    crossbar_.send(1, r, now + 1);
    crossbar_.tick(now + 11);
    EXPECT_EQ(crossbar_.slices_fed(), (std::vector<unsigned>{0, 1}));
    ASSERT_NE(slices_[0].request.front(now + 12), nullptr);
    EXPECT_EQ(slices_[0].request.pop(now + 12).op, memory::MemOp::Read) << "in order";
    for (unsigned i = 0; i < 2; ++i) {
      ASSERT_NE(slices_[i].request.front(now + 12), nullptr) << i;
      const memory::MemReq sent = slices_[i].request.pop(now + 12);
      EXPECT_EQ(sent.op, op);
      memory::MemResp a;
      a.id = sent.id;
      if (faults && i == 1) {
        a.status = memory::MemStatus::Fault;
        a.address = 0xbad40;
      }
      slices_[1 - i].response.push(a, now + 20 + 10 * i);  // whichever port it comes from
    }
    crossbar_.tick(now + 20);
    EXPECT_TRUE(crossbar_.deliveries().empty()) << "one is missing";
    crossbar_.tick(now + 30);
    ASSERT_EQ(crossbar_.deliveries().size(), 1u);
    EXPECT_EQ(crossbar_.deliveries()[0].source, 1u);
    ASSERT_NE(responses_[1].front(now + 40), nullptr);
    const memory::MemResp answer = responses_[1].pop(now + 40);
    EXPECT_EQ(answer.id, 9u);
    EXPECT_EQ(answer.status, faults ? memory::MemStatus::Fault : memory::MemStatus::Ok);
    EXPECT_EQ(answer.address, faults ? 0xbad40u : 0u);
    EXPECT_TRUE(responses_[1].empty());
  }
}

}  // namespace
}  // namespace cuvette::gpu
