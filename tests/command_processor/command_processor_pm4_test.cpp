// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The command processor alone: rings of PM4 packets, packets that use registers, grids that come
// from them.
#include "pm4_fixture.h"

namespace cuvette::command_processor {
namespace {

TEST_F(Pm4RingTest, PacketsAreTakenUpToTheWritePointer) {
  bind_ring();
  EXPECT_TRUE(statuses_.empty());
  put(write_data(out_, 1));
  const uint64_t first = write_;
  put(write_data(out_ + 4, 2));
  processor_.doorbell.push(Doorbell{7, first}, now_ + 1);
  run(1000);
  EXPECT_EQ(word(out_), 1u);
  EXPECT_EQ(word(out_ + 4), 0u) << "behind the write pointer";
  EXPECT_EQ(word(report_), 5u);
  ASSERT_FALSE(statuses_.empty());
  EXPECT_EQ(statuses_.back().read_index, 5u);
  ring_now();
  EXPECT_EQ(word(out_ + 4), 2u);
  EXPECT_EQ(word(report_), 10u);
  EXPECT_TRUE(interrupts_.empty());
}

TEST_F(Pm4RingTest, TheRingWrapsInTheMiddleOfPackets) {
  bind_ring();
  for (uint32_t i = 1; i <= 40; ++i) {  // 5 dwords each: the end of the ring is in every part
    submit_ring(join({write_data(out_, i), write_data(out_ + 4 * i, i)}), 400);
    ASSERT_EQ(word(out_), i);
    ASSERT_EQ(word(out_ + 4 * i), i);
    ASSERT_EQ(word(report_), i * 10 % kDwords);
  }
  EXPECT_EQ(statuses_.back().read_index, 400u) << "not wrapped";
  EXPECT_TRUE(failures().empty());
}

TEST_F(Pm4RingTest, APacketWaitsForItsBody) {
  bind_ring();
  put(write_data(out_, 5));
  for (uint64_t known = 1; known < 5; ++known) {
    processor_.doorbell.push(Doorbell{7, known}, now_ + 1);
    run(200);
    EXPECT_EQ(word(out_), 0u) << known;
    EXPECT_EQ(word(report_), 0u);
  }
  ring_now();
  EXPECT_EQ(word(out_), 5u);
}

TEST_F(Pm4RingTest, AWritePointerInMemoryIsLookedAtOnce) {
  bind_ring();
  put(write_data(out_, 6));
  ASSERT_TRUE(memory_.write_value(poll_, write_));
  run(500);
  EXPECT_EQ(word(out_), 0u) << "nobody asked";
  processor_.doorbell.push(Doorbell{7, 0, true}, now_ + 1);
  run(500);
  EXPECT_EQ(word(out_), 6u);
  put(write_data(out_, 7));
  ASSERT_TRUE(memory_.write_value(poll_, write_));
  run(500);
  EXPECT_EQ(word(out_), 6u) << "one look";
}

TEST_F(Pm4RingTest, AQueueGoesOnWhereItsPointersSay) {
  QueueBinding b = binding();
  b.read_pointer = 10 * kDwords + 62;
  b.write_pointer = 10 * kDwords + 62;
  write_ = b.write_pointer;
  put(write_data(out_, 9));  // over the end of the ring
  b.write_pointer = write_;
  bind_ring(b);
  run(500);
  EXPECT_EQ(word(out_), 9u) << "without a doorbell";
  EXPECT_EQ(word(report_), 3u);
}

TEST_F(Pm4RingTest, FillersAndConditionsLeaveDwordsOut) {
  bind_ring();
  const uint64_t flag = out_ + 128;
  const auto conditional = [&](uint32_t count) {
    return packet(0x22, {low(flag), high(flag), 0, count});
  };
  submit_ring(join({{0x80000000, 0xffff1000},
                    packet(0x10, {1, 2, 3}),
                    conditional(5),
                    write_data(out_, 1),
                    write_data(out_ + 4, 2)}));
  EXPECT_EQ(word(out_), 0u) << "the flag is zero";
  EXPECT_EQ(word(out_ + 4), 2u);
  ASSERT_TRUE(memory_.write_value(flag, 1u));
  submit_ring(join({conditional(5), write_data(out_, 3)}));
  EXPECT_EQ(word(out_), 3u);
  // In a buffer of its own, and over the write pointer.
  ASSERT_TRUE(memory_.write_value(flag, 0u));
  const Words inside = join({conditional(5), write_data(out_ + 8, 4), write_data(out_ + 12, 5)});
  const uint64_t buffer = *memory_.allocate(4 * inside.size());
  ASSERT_TRUE(memory_.write(buffer, inside.data(), 4 * inside.size()));
  const auto size = static_cast<uint32_t>(inside.size());
  submit_ring(join({packet(0x3f, {low(buffer), high(buffer), size | 1u << 23}), conditional(5)}));
  EXPECT_EQ(word(out_ + 8), 0u);
  EXPECT_EQ(word(out_ + 12), 5u);
  submit_ring(join({write_data(out_ + 16, 6), write_data(out_ + 20, 7)}));
  EXPECT_EQ(word(out_ + 16), 0u) << "left out when it came";
  EXPECT_EQ(word(out_ + 20), 7u);
  EXPECT_TRUE(failures().empty());
}

TEST_F(Pm4RingTest, ARingWhoseReadPointerHasNoPlaceStops) {
  QueueBinding b = binding();
  b.read_report = 0x40;  // nothing is mapped there
  bind_ring(b);
  submit_ring(join({write_data(out_, 1), write_data(out_ + 4, 2)}));
  EXPECT_EQ(word(out_), 1u);
  EXPECT_EQ(word(out_ + 4), 0u);
  EXPECT_EQ(failures(), Words{hsa::kQueueErrorMemoryFault});
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].context, 0x40u);
}

TEST_F(Pm4RingTest, AWritePointerTooFarAheadStopsARingThatIsBusy) {
  for (const uint64_t ahead : {uint64_t{kDwords}, uint64_t{kDwords} + 1}) {
    statuses_.clear();
    bind_ring();
    ASSERT_TRUE(memory_.write_value(out_, 0u));
    // It waits for memory when the doorbell comes.
    submit_ring(packet(0x3c, {3 | 1 << 4, low(out_), high(out_), 1, 1, 4}));
    put(Words(kDwords, 0x80000000));  // fillers, and over the packet that has been read
    const uint64_t taken = 7;
    processor_.doorbell.push(Doorbell{7, taken + ahead}, now_ + 1);
    run();
    EXPECT_TRUE(failures().empty()) << "the packet before is not over";
    ASSERT_TRUE(memory_.write_value(out_, 1u));
    run(2000);
    if (ahead == kDwords) {
      EXPECT_TRUE(failures().empty());
      EXPECT_EQ(statuses_.back().read_index, taken + kDwords);
    } else {
      EXPECT_EQ(failures(), Words{kBad});
      EXPECT_EQ(statuses_.back().read_index, taken) << "nothing behind it was taken";
    }
    processor_.unbind(number_);
    run();
  }
}

TEST_F(Pm4RingTest, BadPacketsStopTheirRingAlone) {
  struct Case {
    const char* name;
    Words words;
    uint32_t error = kBad;
  };
  const uint64_t nowhere = 0x40;
  const std::vector<Case> cases = {
      {"type 0", {0x00000001, 0}},
      {"type 1", {0x40000000, 0}},
      {"unknown opcode", packet(0x86, {0})},
      {"body as long as the ring", {3u << 30 | (kDwords - 1) << 16 | 0x1000}},
      {"short body", packet(0x58, {0, 0})},
      {"not valid", packet(0x3f, {0, 0, 1})},
      {"event with an address", packet(0x46, {0x21e, 0, 0})},
      {"registers outside the window", packet(0x76, {0x3ff, 1, 2})},
      {"GDS", packet(0x37, {3 << 8, 0, 0, 1})},
      {"the kernel queue's", packet(0xa0, {0, 0, 0, 0, 0, 0, 0})},
      {"memory", write_data(nowhere, 1), hsa::kQueueErrorMemoryFault},
      {"buffer", packet(0x3f, {low(nowhere), 0, 1u << 23 | 4}), hsa::kQueueErrorMemoryFault},
      {"indirect size", packet(0x16, {low(nowhere), 0, 1}), hsa::kQueueErrorMemoryFault},
  };
  for (const Case& c : cases) {
    statuses_.clear();
    interrupts_.clear();
    ASSERT_TRUE(memory_.write_value(out_, 0u));
    bind_ring();
    put(write_data(out_ + 4, 1));
    put(c.words);
    if (c.words.size() < 3) put({0, 0, 0});
    submit_ring(write_data(out_, 1));
    EXPECT_EQ(word(out_), 0u) << c.name;
    EXPECT_EQ(failures(), Words{c.error}) << c.name;
    EXPECT_EQ(statuses_.back().read_index, 5u) << c.name << ": the place of the packet";
    ASSERT_EQ(interrupts_.size(), 1u) << c.name;
    EXPECT_EQ(interrupts_[0].source, c.error) << c.name;
    EXPECT_EQ(interrupts_[0].queue, number_) << c.name;
    processor_.unbind(number_);
  }
  // A write pointer that the ring cannot hold.
  statuses_.clear();
  bind_ring();
  processor_.doorbell.push(Doorbell{7, kDwords + 1}, now_ + 1);
  run();
  EXPECT_EQ(failures(), Words{kBad});
  processor_.unbind(number_);
  // Nobody's registers.
  statuses_.clear();
  QueueBinding b = binding();
  b.bank = 0;
  bind_ring(b);
  submit_ring(packet(0x76, {0x240, 1}));
  EXPECT_EQ(failures(), Words{kBad});
}

TEST_F(Pm4RingTest, PacketsReadAndWriteRegistersOfTheirBank) {
  bind_ring();
  submit_ring(join({
      packet(0x76, {0x240, 11, 12}),                      // SET_SH_REG: COMPUTE_USER_DATA
      packet(0x79, {0x40, 13}),                           // SET_UCONFIG_REG
      packet(0x37, {0 << 8, 0x2040, 0, 14, 15}),          // WRITE_DATA, two registers
      packet(0x37, {1 << 16, 0x2044, 0, 16, 17}),         // to one
      packet(0x40, {5 << 0 | 0 << 8, 18, 0, 0x2046, 0}),  // COPY_DATA: immediate
      packet(0x40, {0 | 2 << 8 | 1 << 16, 0x2040, 0, low(out_), high(out_)}),  // two to memory
  }));
  EXPECT_TRUE(failures().empty());
  const auto value = [&](uint32_t dword) { return values_[{kBank, dword * 4}]; };
  EXPECT_EQ(value(0x2e40), 11u);
  EXPECT_EQ(value(0x2e41), 12u);
  EXPECT_EQ(value(0xc040), 13u);
  EXPECT_EQ(value(0x2040), 14u);
  EXPECT_EQ(value(0x2041), 15u);
  EXPECT_EQ(value(0x2044), 17u);
  EXPECT_EQ(value(0x2046), 18u);
  EXPECT_EQ(wide(out_), uint64_t{15} << 32 | 14);
  for (const RegisterAccess& a : accesses_) {
    EXPECT_EQ(a.bank, kBank);
    EXPECT_EQ(a.queue, number_);
  }
  // A register that refuses stops the ring.
  refused_ = 0x2048 * 4;
  submit_ring(join({packet(0x37, {0, 0x2048, 0, 1}), write_data(out_ + 8, 1)}));
  EXPECT_EQ(failures(), Words{kBad});
  EXPECT_EQ(word(out_ + 8), 0u);
}

TEST_F(Pm4RingTest, WaitRegMemWaitsForRegisters) {
  bind_ring();
  const uint32_t at = 0x2050;
  submit_ring(join({packet(0x3c, {3, at, 0, 0x50, 0xf0, 4}), write_data(out_, 1)}));
  EXPECT_EQ(word(out_), 0u);
  values_[{kBank, at * 4}] = 0x151;
  run();
  EXPECT_EQ(word(out_), 1u) << "equal under the mask";
  // Operation 1: a request to one register, its answer in another.
  submit_ring(
      join({packet(0x3c, {3 | 1 << 6, 0x2060, 0x2061, 0x8, 0x8, 4}), write_data(out_ + 4, 1)}));
  EXPECT_EQ((values_[{kBank, 0x2060 * 4}]), 8u);
  EXPECT_EQ(word(out_ + 4), 0u);
  values_[{kBank, 0x2061 * 4}] = 0xff;
  run();
  EXPECT_EQ(word(out_ + 4), 1u);
  EXPECT_TRUE(failures().empty());
}

TEST_F(Pm4RingTest, GridsRunBesideThePacketsAndReleasesBehindThem) {
  bind_ring();
  submit_ring(join(
      {dispatch_direct(5, 6, 7), release(out_, 0x1234567890, 2, 99), write_data(out_ + 8, 1)}));
  ASSERT_EQ(dispatches_.size(), 1u);
  EXPECT_EQ(dispatches_[0].grid[0], 5u);
  EXPECT_EQ((values_[{kBank, 0x2e02 * 4}]), 6u);
  EXPECT_EQ((values_[{kBank, 0x2e03 * 4}]), 7u);
  EXPECT_EQ(accesses_.back().offset, kInitiator) << "the last register";
  EXPECT_EQ(word(out_ + 8), 1u) << "the ring goes on";
  EXPECT_EQ(wide(out_), 0u) << "end of pipe";
  EXPECT_TRUE(interrupts_.empty());
  // A second grid beside the first; its release waits for both, in order.
  submit_ring(join({dispatch_direct(8, 1, 1), release(out_ + 16, 5)}));
  ASSERT_EQ(dispatches_.size(), 2u);
  finish(1);
  run();
  EXPECT_EQ(wide(out_ + 16), 0u);
  finish(0);
  run();
  EXPECT_EQ(wide(out_), 0x1234567890u);
  EXPECT_EQ(wide(out_ + 16), 5u);
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].source, 0u);
  EXPECT_EQ(interrupts_[0].context, 99u);
}

TEST_F(Pm4RingTest, APartialFlushWaitsForGrids) {
  bind_ring();
  const uint64_t sizes = out_ + 64;
  for (uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(memory_.write_value(sizes + 4 * i, 21 + i));
  submit_ring(join(
      {packet(0x16, {low(sizes), high(sizes), 1}), packet(0x46, {0x407}), write_data(out_, 1)}));
  ASSERT_EQ(dispatches_.size(), 1u);
  EXPECT_EQ((values_[{kBank, 0x2e01 * 4}]), 21u);
  EXPECT_EQ((values_[{kBank, 0x2e03 * 4}]), 23u);
  EXPECT_EQ(word(out_), 0u);
  finish(0);
  run();
  EXPECT_EQ(word(out_), 1u);
  events_.clear();
  submit_ring(packet(0x46, {0x16}));  // CACHE_FLUSH_AND_INV_EVENT
  EXPECT_EQ(events_.size(), 5u) << "four fences and the read pointer";
  // No shader: registers are set, nothing runs.
  submit_ring(packet(0x15, {1, 1, 1, 0}));
  EXPECT_EQ(dispatches_.size(), 1u);
}

TEST_F(Pm4RingTest, AGridThatFailsStopsTheRingAndWhatWaitsForIt) {
  bind_ring();
  submit_ring(join({dispatch_direct(1, 1, 1), release(out_, 1), packet(0x46, {0x407}),
                    write_data(out_ + 8, 1)}));
  finish(0, hsa::kQueueErrorMemoryFault);
  run();
  EXPECT_EQ(failures(), Words{hsa::kQueueErrorMemoryFault});
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].context, 0xbadu);
  EXPECT_EQ(wide(out_), 0u) << "no fence for what did not complete";
  EXPECT_EQ(word(out_ + 8), 0u);
  EXPECT_EQ(statuses_.back().error_address, 0xbadu);
}

TEST_F(Pm4RingTest, AVendorPacketWaitsForItsGrids) {
  QueueBinding b;
  b.queue_address = queue_->address();
  b.doorbell = 5;
  b.bank = kBank;
  number_ = processor_.bind(b, now_ + 1);
  const Words words = join({dispatch_direct(3, 1, 1), release(out_, 7), write_data(out_ + 8, 1)});
  const uint64_t buffer = *memory_.allocate(4 * words.size());
  ASSERT_TRUE(memory_.write(buffer, words.data(), 4 * words.size()));
  hsa::Pm4IbPacket p;
  p.header = hsa::encode({PacketType::VendorSpecific, true, FenceScope::None, FenceScope::None});
  p.jump[0] = 0xc0023f00;
  p.jump[1] = low(buffer);
  p.jump[2] = high(buffer);
  p.jump[3] = static_cast<uint32_t>(words.size()) | 1u << 23;
  p.completion_signal = hsa::Signal::create(memory_, 1)->handle();
  submit(p);
  submit(dispatch(true));
  ring();
  run(2000);
  ASSERT_EQ(dispatches_.size(), 1u) << "the barrier bit waits for the grid";
  EXPECT_EQ(wide(out_), 0u);
  EXPECT_EQ(word(out_ + 8), 0u) << "a buffer of a vendor packet waits at its release";
  finish(0);
  run(2000);
  EXPECT_EQ(wide(out_), 7u);
  EXPECT_EQ(word(out_ + 8), 1u);
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 0);
  EXPECT_EQ(dispatches_.size(), 2u);
}

TEST_F(Pm4RingTest, AGridOfASlotWithoutAQueueRunsAndTellsItsErrors) {
  RegisterLaunch l;
  l.invalidate = true;
  l.dispatch.vmid = 3;
  processor_.register_launch.push(l, now_ + 1);
  run();
  ASSERT_EQ(dispatches_.size(), 1u);
  EXPECT_EQ(events_, (std::vector<std::string>{"writeback near", "invalidate near", "dispatch"}));
  finish(0, hsa::kQueueErrorIllegalInstruction);
  run();
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].source, hsa::kQueueErrorIllegalInstruction);
  EXPECT_EQ(interrupts_[0].queue, kNoQueue);
  processor_.register_launch.push(l, now_ + 1);
  run();
  ASSERT_EQ(dispatches_.size(), 2u) << "and again";
  finish(1);
  run();
  EXPECT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(processor_.next_event(), machine::kNever);
}

TEST_F(Pm4RingTest, EveryGridWithoutAQueueTellsItsOwnError) {
  RegisterLaunch l;
  for (int i = 0; i < 3; ++i) processor_.register_launch.push(l, now_ + 1);
  run();
  ASSERT_EQ(dispatches_.size(), 3u);
  finish(0, hsa::kQueueErrorIllegalInstruction);
  finish(1, hsa::kQueueErrorMemoryFault);
  run();
  finish(2, hsa::kQueueErrorException);
  run();
  std::vector<uint32_t> sources;
  for (const Interrupt& i : interrupts_) sources.push_back(i.source);
  EXPECT_EQ(sources, (Words{hsa::kQueueErrorIllegalInstruction, hsa::kQueueErrorMemoryFault,
                            hsa::kQueueErrorException}));
  EXPECT_EQ(processor_.counters().errors, 3u);
}

TEST_F(Pm4RingTest, ErrorsOfGridsWithoutAQueueHaveTheNumberOfTheGrid) {
  RegisterLaunch l;
  const std::vector<uint32_t> numbers = {0xffff0503, 0xffff0714, 0xffff0603};
  for (const uint32_t number : numbers) {
    l.queue = number;
    processor_.register_launch.push(l, now_ + 1);
  }
  run();
  ASSERT_EQ(dispatches_.size(), 3u);
  for (const size_t grid : {2u, 0u, 1u}) {
    finish(grid, hsa::kQueueErrorMemoryFault);
    run();
    EXPECT_EQ(interrupts_.back().queue, numbers[grid]);
  }
  EXPECT_EQ(interrupts_.size(), 3u);
}

TEST_F(Pm4RingTest, ADequeuedRingStaysBeforeAPacketThatWaits) {
  bind_ring();
  submit_ring(
      join({write_data(out_, 1), packet(0x3c, {3 | 1 << 4, low(out_ + 4), high(out_ + 4), 1, 1, 4}),
            write_data(out_ + 8, 1)}));
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run();
  ASSERT_EQ(statuses_.back().state, QueueState::Inactive);
  EXPECT_EQ(statuses_.back().read_index, 5u);
  EXPECT_EQ(word(mqd_ + 4 * 138), 5u);
  EXPECT_EQ(wide(mqd_ + 4 * 182), write_);
  EXPECT_EQ(word(out_ + 8), 0u);
  // Back again, from there.
  ASSERT_TRUE(memory_.write_value(out_ + 4, 1u));
  QueueBinding b = binding();
  b.read_pointer = 5;
  b.write_pointer = write_;
  bind_ring(b);
  run();
  EXPECT_EQ(word(out_ + 8), 1u);
}

TEST_F(Pm4RingTest, AResetCancelsGridsAndNobodyIsTold) {
  bind_ring();
  submit_ring(join({dispatch_direct(1, 1, 1), release(out_, 1, 2), packet(0x46, {0x407}),
                    write_data(out_ + 8, 1)}));
  ASSERT_EQ(dispatches_.size(), 1u);
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run();
  EXPECT_TRUE(cancels_.empty()) << "a drain waits";
  EXPECT_EQ(statuses_.back().state, QueueState::Active);
  processor_.dequeue.push(Dequeue{number_, true}, now_ + 1);
  run();
  EXPECT_EQ(cancels_, Words{dispatches_[0].id}) << "once";
  EXPECT_EQ(statuses_.back().state, QueueState::Active) << "its waves are there";
  finish(0);
  run();
  EXPECT_EQ(statuses_.back().state, QueueState::Inactive);
  EXPECT_EQ(wide(out_), 0u);
  EXPECT_EQ(word(out_ + 8), 0u);
  EXPECT_TRUE(interrupts_.empty());
  EXPECT_TRUE(failures().empty());
  EXPECT_EQ(processor_.next_event(), machine::kNever);
}

TEST_F(Pm4RingTest, AResetLeavesABufferThatGoesRoundInCircles) {
  const uint64_t buffer = *memory_.allocate(64);
  const Words chain = packet(0x3f, {low(buffer), high(buffer), 4 | 1u << 20 | 1u << 23});
  ASSERT_TRUE(memory_.write(buffer, chain.data(), 4 * chain.size()));
  bind_ring();
  submit_ring(join({packet(0x3f, {low(buffer), high(buffer), 4 | 1u << 23}), write_data(out_, 1)}));
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run();
  EXPECT_NE(processor_.next_event(), machine::kNever) << "a drain waits for its end";
  processor_.dequeue.push(Dequeue{number_, true}, now_ + 1);
  run();
  EXPECT_EQ(statuses_.back().state, QueueState::Inactive);
  EXPECT_EQ(word(out_), 0u);
  EXPECT_EQ(processor_.next_event(), machine::kNever);
}

TEST_F(Pm4RingTest, AResetOfAnAqlQueueLeavesItsSignals) {
  bind();
  auto p = dispatch();
  p.completion_signal = hsa::Signal::create(memory_, 1)->handle();
  submit(p);
  submit(p);
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 2u);
  processor_.dequeue.push(Dequeue{number_, true}, now_ + 1);
  run();
  EXPECT_EQ(cancels_, (Words{dispatches_[0].id, dispatches_[1].id}));
  finish(0);
  finish(1, hsa::kQueueErrorException);
  run();
  EXPECT_EQ(statuses_.back().state, QueueState::Inactive);
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 1);
  EXPECT_EQ(inactive(), 0);
  EXPECT_EQ(*queue_->load_read_index(), 0u);
  EXPECT_TRUE(interrupts_.empty());
}

}  // namespace
}  // namespace cuvette::command_processor
