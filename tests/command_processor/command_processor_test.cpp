// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The command processor alone: queues, dispatches, fences, signals, barriers.
#include "command_processor_fixture.h"

namespace cuvette::command_processor {
namespace {

TEST_F(CommandProcessorTest, AValidPacketBecomesADispatchAndItsSlotIsGivenBack) {
  bind();
  run();
  EXPECT_TRUE(dispatches_.empty());
  EXPECT_EQ(processor_.next_event(), machine::kNever) << "asleep";
  submit(dispatch());
  run();
  EXPECT_TRUE(dispatches_.empty()) << "nobody rang";
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 1u);
  const spi::Dispatch& d = dispatches_[0];
  EXPECT_EQ(d.grid, (std::array<uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(d.workgroup, (std::array<uint16_t, 3>{64, 1, 1}));
  EXPECT_EQ(d.entry, kernel_ + 0x1000);
  EXPECT_EQ(d.kernarg, 0x1234500u);
  EXPECT_EQ(d.rsrc1, 0x123u);
  EXPECT_EQ(d.properties, 8u);
  EXPECT_EQ(d.packet_address, queue_->packet_address(0));
  EXPECT_EQ(d.queue_address, queue_->address());
  EXPECT_EQ(d.dispatch_index, 0u);
  EXPECT_EQ(slot(0), PacketType::Invalid);
  EXPECT_EQ(*queue_->load_read_index(), 0u) << "follows at completion";
  finish(0);
  run();
  EXPECT_EQ(*queue_->load_read_index(), 1u);
}

TEST_F(CommandProcessorTest, APacketThatIsThereBeforeTheQueueIsBoundRuns) {
  submit(dispatch());
  bind();
  run();
  EXPECT_EQ(dispatches_.size(), 1u);
}

TEST_F(CommandProcessorTest, AnotherDoorbellWakesNobody) {
  bind();
  run();
  submit(dispatch());
  ring(6);
  run();
  EXPECT_TRUE(dispatches_.empty());
}

TEST_F(CommandProcessorTest, AnInvalidHeaderEndsTheLookUntilTheNextRing) {
  bind();
  run();
  hsa::KernelDispatchPacket late = dispatch();
  const uint16_t header = late.header;
  late.header = hsa::kInvalidHeader;
  EXPECT_TRUE(memory_.write_value(queue_->packet_address(0), late));
  ring();
  run();
  EXPECT_TRUE(dispatches_.empty());
  EXPECT_TRUE(memory_.write_value(queue_->packet_address(0), header));
  ring();
  run();
  EXPECT_EQ(dispatches_.size(), 1u);
}

TEST_F(CommandProcessorTest, WithoutTheBarrierBitPacketsOverlapWithItTheyDoNot) {
  bind();
  submit(dispatch());
  submit(dispatch());
  submit(dispatch(true));
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 2u);
  finish(1);
  run();
  EXPECT_EQ(dispatches_.size(), 2u);
  EXPECT_EQ(*queue_->load_read_index(), 0u) << "packet 0 is still running";
  finish(0);
  run();
  EXPECT_EQ(dispatches_.size(), 3u);
  EXPECT_EQ(*queue_->load_read_index(), 2u);
}

TEST_F(CommandProcessorTest, FencesComeBeforeTheLaunchAndBeforeTheSignal) {
  bind();
  run();
  auto p = dispatch(false, FenceScope::System, FenceScope::System);
  p.completion_signal = hsa::Signal::create(memory_, 1)->handle();
  submit(p);
  ring();
  events_.clear();
  run();
  EXPECT_EQ(events_, (std::vector<std::string>{"writeback near", "writeback far", "invalidate near",
                                               "invalidate far", "write", "dispatch"}));
  events_.clear();
  finish(0);
  run();
  EXPECT_EQ(events_,
            (std::vector<std::string>{"writeback near", "writeback far", "write", "signal"}));
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 0);
}

TEST_F(CommandProcessorTest, AgentScopeEndsAtTheL2AndNoScopeAsksNobody) {
  bind();
  run();
  submit(dispatch(false, FenceScope::Agent, FenceScope::Agent));
  submit(dispatch());
  ring();
  events_.clear();
  run();
  EXPECT_EQ(events_, (std::vector<std::string>{"writeback near", "invalidate near", "write",
                                               "dispatch", "write", "dispatch"}));
  events_.clear();
  finish(0);
  run();
  EXPECT_EQ(events_, (std::vector<std::string>{"writeback near", "write"}));
}

class RefusedWriteback : public CommandProcessorTest,
                         public testing::WithParamInterface<const char*> {};
TEST_P(RefusedWriteback, OfAReleaseIsAFaultOfTheQueue) {
  bind();
  run();
  auto p = dispatch(false, FenceScope::None, FenceScope::System);
  p.completion_signal = hsa::Signal::create(memory_, 1)->handle();
  submit(p);
  ring();
  run();
  refuses_ = GetParam();
  finish(0);
  run();
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 1) << "not complete";
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].source, hsa::kQueueErrorMemoryFault);
  EXPECT_EQ(interrupts_[0].context, 0xbad40u);
}
INSTANTIATE_TEST_SUITE_P(Caches, RefusedWriteback, testing::Values("near", "far"));

TEST_F(CommandProcessorTest, WhatAnAcquireCannotWriteBackIsAFaultBeforeTheLaunch) {
  bind();
  run();
  refuses_ = "far";
  submit(dispatch(false, FenceScope::System));
  ring();
  run();
  EXPECT_TRUE(dispatches_.empty());
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
  ASSERT_FALSE(interrupts_.empty());
  EXPECT_EQ(interrupts_.back().context, 0xbad40u);
}

TEST_F(CommandProcessorTest, ASignalWithAMailboxRaisesAnInterrupt) {
  bind();
  auto p = dispatch();
  hsa::Signal signal = *hsa::Signal::create(memory_, 4);
  const uint64_t mailbox = *memory_.allocate(8);
  ASSERT_TRUE(signal.set_event(mailbox, 77).ok());
  p.completion_signal = signal.handle();
  submit(p);
  ring();
  run();
  EXPECT_TRUE(interrupts_.empty());
  finish(0);
  run();
  EXPECT_EQ(*signal.load(), 3);
  uint64_t event = 0;
  ASSERT_TRUE(memory_.read_value(mailbox, &event));
  EXPECT_EQ(event, 77u);
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].source, 0u);
  EXPECT_EQ(interrupts_[0].context, 77u);
}

TEST_F(CommandProcessorTest, InterruptsWaitForRoomAndNoneIsLost) {
  constexpr unsigned kMany = 100;  // the channel holds 64
  hears_ = false;
  bind();
  const uint64_t mailbox = *memory_.allocate(8);
  for (unsigned i = 0; i < kMany; ++i) {
    auto p = dispatch();
    hsa::Signal signal = *hsa::Signal::create(memory_, 1);
    ASSERT_TRUE(signal.set_event(mailbox, 1000 + i).ok());
    p.completion_signal = signal.handle();
    submit(p);
    ring();
    run();
    finish(i);
    run();
    ASSERT_EQ(*signal.load(), 0) << "packets complete whether or not anybody hears of it";
  }
  EXPECT_EQ(processor_.interrupt.size(), 64u);
  EXPECT_LE(processor_.next_event(), now_) << "it has something to send";
  hears_ = true;
  run();
  ASSERT_EQ(interrupts_.size(), kMany);
  for (unsigned i = 0; i < kMany; ++i) EXPECT_EQ(interrupts_[i].context, 1000 + i);
  EXPECT_EQ(processor_.next_event(), machine::kNever);
}

TEST_F(CommandProcessorTest, BarrierAndWaitsForAllItsSignals) {
  bind();
  hsa::Signal a = *hsa::Signal::create(memory_, 1);
  hsa::Signal b = *hsa::Signal::create(memory_, 1);
  hsa::BarrierPacket barrier;
  barrier.header = hsa::encode({PacketType::BarrierAnd, false, FenceScope::None, FenceScope::None});
  barrier.dep_signal[0] = a.handle();
  barrier.dep_signal[3] = b.handle();
  submit(barrier);
  submit(dispatch(true));
  ring();
  run();
  ASSERT_TRUE(a.store(0).ok());
  run();
  EXPECT_TRUE(dispatches_.empty());
  ASSERT_TRUE(b.store(0).ok());
  run();
  EXPECT_EQ(dispatches_.size(), 1u);
  EXPECT_EQ(*queue_->load_read_index(), 1u);
}

TEST_F(CommandProcessorTest, BarrierOrWaitsForOneOfThem) {
  bind();
  hsa::Signal a = *hsa::Signal::create(memory_, 1);
  hsa::Signal b = *hsa::Signal::create(memory_, 1);
  hsa::BarrierPacket barrier;
  barrier.header = hsa::encode({PacketType::BarrierOr, false, FenceScope::None, FenceScope::None});
  barrier.dep_signal[1] = a.handle();
  barrier.dep_signal[2] = b.handle();
  submit(barrier);
  submit(dispatch(true));
  ring();
  run();
  EXPECT_TRUE(dispatches_.empty());
  ASSERT_TRUE(b.store(0).ok());
  run();
  EXPECT_EQ(dispatches_.size(), 1u);
}

TEST_F(CommandProcessorTest, BadPacketsStopTheQueueWithTheirError) {
  struct Bad {
    const char* name;
    uint32_t error;
    void (*spoil)(hsa::KernelDispatchPacket&);
  };
  const std::vector<Bad> cases{
      {"dimensions", hsa::kQueueErrorDispatch, [](auto& p) { p.setup = 0; }},
      {"empty grid", hsa::kQueueErrorDispatch, [](auto& p) { p.grid_size_y = 0; }},
      {"empty group", hsa::kQueueErrorDispatch, [](auto& p) { p.workgroup_size_z = 0; }},
      {"large group", hsa::kQueueErrorWorkgroupSize, [](auto& p) { p.workgroup_size_x = 1025; }},
      {"lds", hsa::kQueueErrorGroupMemory, [](auto& p) { p.group_segment_size = 65537; }},
      {"no kernel", hsa::kQueueErrorCode, [](auto& p) { p.kernel_object = 0; }},
      {"misaligned kernel", hsa::kQueueErrorCode, [](auto& p) { p.kernel_object += 8; }},
      {"unmapped kernel", hsa::kQueueErrorCode, [](auto& p) { p.kernel_object = 0x40; }},
      {"reserved setup", hsa::kQueueErrorDispatch, [](auto& p) { p.setup = 0x11; }},
      {"a size in y of one dimension", hsa::kQueueErrorDispatch,
       [](auto& p) { p.grid_size_y = 2; }},
      {"a group in z of two", hsa::kQueueErrorDispatch,
       [](auto& p) {
         p.setup = 2;
         p.workgroup_size_z = 2;
       }},
      {"private", hsa::kQueueErrorScratch, [](auto& p) { p.private_segment_size = 131057; }},
      {"packet type", hsa::kQueueErrorPacket, [](auto& p) { p.header = 9; }},
      {"reserved header", hsa::kQueueErrorPacket, [](auto& p) { p.header |= 0x2000; }},
      {"acquire scope", hsa::kQueueErrorPacket, [](auto& p) { p.header |= 3u << 9; }},
      {"release scope", hsa::kQueueErrorPacket, [](auto& p) { p.header |= 3u << 11; }},
      {"misaligned signal", hsa::kQueueErrorPacket, [](auto& p) { p.completion_signal = 0x1020; }},
  };
  for (const Bad& bad : cases) {
    *queue_ = *hsa::Queue::create(memory_, {});
    inactive_ = hsa::Signal::create(memory_, 0)->handle();
    ASSERT_TRUE(memory_.write_value(
        queue_->address() + offsetof(hsa::AmdQueue, queue_inactive_signal), inactive_));
    interrupts_.clear();
    auto p = dispatch();
    bad.spoil(p);
    submit(p);
    submit(dispatch());
    bind();
    run();
    EXPECT_EQ(inactive(), int64_t{bad.error}) << bad.name;
    EXPECT_TRUE(dispatches_.empty()) << bad.name;
    ASSERT_EQ(interrupts_.size(), 1u) << bad.name;
    EXPECT_EQ(interrupts_[0].source, bad.error) << bad.name;
    EXPECT_EQ(*queue_->load_read_index(), 0u) << bad.name;
    ring();
    run();
    EXPECT_TRUE(dispatches_.empty()) << bad.name << ": the queue has stopped";
  }
  EXPECT_EQ(processor_.counters().errors, cases.size());
}

TEST_F(CommandProcessorTest, AFaultingWaveStopsTheQueueAndLeavesTheSignal) {
  bind();
  auto p = dispatch();
  p.completion_signal = hsa::Signal::create(memory_, 1)->handle();
  submit(p);
  ring();
  run();
  finish(0, hsa::kQueueErrorMemoryFault);
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 1);
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].context, 0xbadu);
}

TEST_F(CommandProcessorTest, AnUnboundQueueCompletesWhatRunsAndTakesNothingMore) {
  bind();
  submit(dispatch());
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 1u);
  processor_.unbind(number_);
  submit(dispatch());
  ring();
  run();
  EXPECT_EQ(dispatches_.size(), 1u);
  finish(0);
  run();
  EXPECT_EQ(*queue_->load_read_index(), 1u);
  ring();
  run();
  EXPECT_EQ(dispatches_.size(), 1u);
}

TEST_F(CommandProcessorTest, TheRingWrapsAround) {
  bind();
  for (uint64_t i = 0; i < 130; ++i) {
    submit(dispatch());
    ring();
    run(200);
    ASSERT_EQ(dispatches_.size(), i + 1);
    EXPECT_EQ(dispatches_[i].packet_address, queue_->packet_address(i));
    EXPECT_EQ(dispatches_[i].dispatch_index, i);
    finish(i);
    run(100);
  }
  EXPECT_EQ(*queue_->load_read_index(), 130u);
}

TEST_F(CommandProcessorTest, AQueueWithoutPacketsStops) {
  QueueBinding b;
  b.queue_address = *memory_.allocate(sizeof(hsa::AmdQueue));  // zeros
  ASSERT_TRUE(memory_.write_value(b.queue_address + offsetof(hsa::AmdQueue, queue_inactive_signal),
                                  inactive_));
  b.doorbell = 5;
  number_ = processor_.bind(b, now_ + 1);
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorPacket});
  ASSERT_EQ(statuses_.size(), 1u);
  EXPECT_EQ(statuses_[0].state, QueueState::Failed);
  EXPECT_EQ(statuses_[0].error, hsa::kQueueErrorPacket);
}

}  // namespace
}  // namespace cuvette::command_processor
