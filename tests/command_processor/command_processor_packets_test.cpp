// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The command processor alone: agent dispatch, vendor packets, PM4, kernels it refuses, queues that
// come and go, time stamps.
#include "command_processor/packet_check.h"
#include "command_processor/pm4.h"
#include "command_processor_fixture.h"

namespace cuvette::command_processor {
namespace {

class PacketTest : public CommandProcessorTest {
 protected:
  hsa::Signal signal(int64_t value) { return *hsa::Signal::create(memory_, value); }
  uint64_t buffer(const std::vector<uint32_t>& words) {
    const uint64_t at = *memory_.allocate(4 * words.size() + 4);
    EXPECT_TRUE(memory_.write(at, words.data(), 4 * words.size()));
    return at;
  }
  hsa::Pm4IbPacket ib(uint64_t address, size_t dwords, bool barrier = false) {
    hsa::Pm4IbPacket p;
    p.header =
        hsa::encode({PacketType::VendorSpecific, barrier, FenceScope::None, FenceScope::None});
    p.jump[0] = pm4::header(pm4::Opcode::IndirectBuffer, 3);
    p.jump[1] = static_cast<uint32_t>(address);
    p.jump[2] = static_cast<uint32_t>(address >> 32);
    p.jump[3] = static_cast<uint32_t>(dwords) | pm4::kIbValid;
    return p;
  }
  hsa::Pm4IbPacket ib(const std::vector<uint32_t>& words) {
    return ib(buffer(words), words.size());
  }
  static std::vector<uint32_t> write_data(uint64_t to, std::vector<uint32_t> data,
                                          uint32_t control = 5 << 8) {
    std::vector<uint32_t> words{
        pm4::header(pm4::Opcode::WriteData, static_cast<unsigned>(3 + data.size())), control,
        static_cast<uint32_t>(to), static_cast<uint32_t>(to >> 32)};
    words.insert(words.end(), data.begin(), data.end());
    return words;
  }
  void fresh_queue() {
    *queue_ = *hsa::Queue::create(memory_, {});
    inactive_ = signal(0).handle();
    ASSERT_TRUE(memory_.write_value(
        queue_->address() + offsetof(hsa::AmdQueue, queue_inactive_signal), inactive_));
  }
  static std::vector<uint32_t> join(std::vector<std::vector<uint32_t>> parts) {
    std::vector<uint32_t> all;
    for (const auto& p : parts) all.insert(all.end(), p.begin(), p.end());
    return all;
  }
};

TEST_F(PacketTest, AnAgentDispatchGoesToWhoeverServesIt) {
  bind();
  hsa::AgentDispatchPacket p;
  p.header = hsa::encode({PacketType::AgentDispatch, false, FenceScope::None, FenceScope::None});
  p.type = 0x8123;
  p.return_address = 0x5000;
  p.arg[0] = 1;
  p.arg[3] = ~uint64_t{0};
  p.completion_signal = signal(1).handle();
  submit(p);
  submit(dispatch());
  ring();
  run();
  ASSERT_EQ(agents_.size(), 1u);
  EXPECT_EQ(agents_[0].type, 0x8123);
  EXPECT_EQ(agents_[0].queue, number_);
  EXPECT_EQ(agents_[0].return_address, 0x5000u);
  EXPECT_EQ(agents_[0].arg, (std::array<uint64_t, 4>{1, 0, 0, ~uint64_t{0}}));
  EXPECT_EQ(dispatches_.size(), 1u) << "no barrier bit: the next packet does not wait";
  EXPECT_EQ(slot(0), PacketType::Invalid);
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 1);
  EXPECT_EQ(*queue_->load_read_index(), 0u);
  processor_.agent_done.push(AgentDone{agents_[0].id, false}, now_ + 1);
  run();
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 0);
  EXPECT_EQ(*queue_->load_read_index(), 1u);
}

TEST_F(PacketTest, AnAgentDispatchThatNobodyServesStopsItsQueue) {
  bind();
  hsa::AgentDispatchPacket p;
  p.header = hsa::encode({PacketType::AgentDispatch, false, FenceScope::None, FenceScope::None});
  p.completion_signal = signal(1).handle();
  submit(p);
  ring();
  run();
  ASSERT_EQ(agents_.size(), 1u);
  processor_.agent_done.push(AgentDone{agents_[0].id, true}, now_ + 1);
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorPacket});
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 1);
}

TEST_F(PacketTest, ABarrierValueWaitsForItsCondition) {
  struct Case {
    hsa::Condition condition;
    int64_t mask, reference, open, met;
  };
  const Case cases[] = {
      {hsa::Condition::Equal, -1, 7, 6, 7},
      {hsa::Condition::Equal, 0xf0, 0x30, 0x43, 0x3f},
      {hsa::Condition::NotEqual, -1, 5, 5, 4},
      {hsa::Condition::Less, -1, 0, 0, -1},
      {hsa::Condition::GreaterEqual, -1, -2, -3, -2},
  };
  bind();
  size_t done = 0;
  for (const Case& c : cases) {
    hsa::Signal s = signal(c.open);
    hsa::BarrierValuePacket p;
    p.header = hsa::encode({PacketType::VendorSpecific, false, FenceScope::None, FenceScope::None});
    p.signal = s.handle();
    p.condition = static_cast<uint32_t>(c.condition);
    p.mask = c.mask;
    p.value = c.reference;
    p.completion_signal = signal(3).handle();
    submit(p);
    submit(dispatch(true));
    ring();
    run();
    EXPECT_EQ(dispatches_.size(), done) << p.condition;
    ASSERT_TRUE(s.store(c.met).ok());
    run();
    EXPECT_EQ(dispatches_.size(), ++done) << p.condition;
    EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 2) << p.condition;
    finish(done - 1);
    run();
  }
  hsa::BarrierValuePacket none;
  none.header =
      hsa::encode({PacketType::VendorSpecific, false, FenceScope::None, FenceScope::None});
  submit(none);
  submit(dispatch(true));
  ring();
  run();
  EXPECT_EQ(dispatches_.size(), done + 1) << "no signal: satisfied";
}

TEST_F(PacketTest, APm4BufferWritesCopiesAndCompletes) {
  bind();
  run();
  const uint64_t out = *memory_.allocate(64);
  ASSERT_TRUE(memory_.write_value(out + 40, uint64_t{0x1122334455667788}));
  const auto low = static_cast<uint32_t>(out);
  const auto high = static_cast<uint32_t>(out >> 32);
  auto p = ib(join({
      {pm4::kFiller, 0xffff1000},                        // one dword each
      {pm4::header(pm4::Opcode::Nop, 2), 1, 2},          // and its payload
      write_data(out, {0xa, 0xb}),                       // two dwords
      write_data(out + 8, {1, 2, 3}, 5 << 8 | 1 << 16),  // to one address: the last stays
      {pm4::header(pm4::Opcode::CopyData, 5), 2 | 2 << 8 | 1 << 16, low + 40, high, low + 16, high},
      {pm4::header(pm4::Opcode::CopyData, 5), 5 | 5 << 8, 0x77, 0x88, low + 24, high},
  }));
  p.completion_signal = signal(1).handle();
  submit(p);
  ring();
  run(2000);
  EXPECT_EQ(inactive(), 0);
  EXPECT_EQ(word(out), 0xau);
  EXPECT_EQ(word(out + 4), 0xbu);
  EXPECT_EQ(word(out + 8), 3u);
  EXPECT_EQ(word(out + 12), 0u);
  EXPECT_EQ(wide(out + 16), 0x1122334455667788u);
  EXPECT_EQ(word(out + 24), 0x77u);
  EXPECT_EQ(word(out + 28), 0u) << "32 bits";
  EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 0);
  EXPECT_EQ(*queue_->load_read_index(), 1u);
}

TEST_F(PacketTest, BuffersCallOneLevelDownAndChain) {
  bind();
  const uint64_t out = *memory_.allocate(64);
  const auto jump = [&](const std::vector<uint32_t>& words, uint32_t flags) {
    const uint64_t to = buffer(words);
    return std::vector<uint32_t>{pm4::header(pm4::Opcode::IndirectBuffer, 3),
                                 static_cast<uint32_t>(to), static_cast<uint32_t>(to >> 32),
                                 static_cast<uint32_t>(words.size()) | pm4::kIbValid | flags};
  };
  submit(ib(join({
      write_data(out, {1}), jump(write_data(out + 4, {2}), 0), write_data(out + 8, {3}),
      jump(write_data(out + 12, {4}), pm4::kIbChain),
      write_data(out + 16, {5}),  // never: a chain does not come back
  })));
  ring();
  run(2000);
  EXPECT_EQ(inactive(), 0);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(word(out + 4 * i), i + 1);
  EXPECT_EQ(word(out + 16), 0u);
  submit(ib(jump(jump(write_data(out + 20, {6}), 0), 0)));
  ring();
  run(2000);
  EXPECT_EQ(word(out + 20), 0u) << "a third level";
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorVendorPacket});
}

TEST_F(PacketTest, AcquireMemOrdersTheCachesItNames) {
  struct Case {
    uint32_t actions;
    std::vector<std::string> events;
  };
  const Case cases[] = {
      {0, {}},
      {1 << 22, {"writeback near", "invalidate near"}},
      {1 << 29, {"writeback near", "invalidate near"}},
      {1 << 30, {"writeback near"}},
      {1 << 18, {"writeback far"}},
      {1 << 23, {"writeback far", "invalidate far"}},
      {1 << 27 | 1 << 23, {"writeback near", "writeback far", "invalidate near", "invalidate far"}},
  };
  bind();
  run();
  for (const Case& c : cases) {
    submit(ib({pm4::header(pm4::Opcode::AcquireMem, 6), c.actions, ~0u, 0xff, 0, 0, 10}));
    ring();
    events_.clear();
    run();
    auto expected = c.events;
    expected.insert(expected.begin(), "write");  // the header goes back
    expected.push_back("write");                 // the read index
    EXPECT_EQ(events_, expected) << std::hex << c.actions;
  }
}

TEST_F(PacketTest, ReleaseMemComesAfterWhatTheQueueStartedEarlier) {
  bind();
  run();
  const uint64_t out = *memory_.allocate(64);
  const auto release = [&](uint64_t to, uint32_t selectors, uint32_t actions = 0x14 | 5 << 8) {
    return std::vector<uint32_t>{
        pm4::header(pm4::Opcode::ReleaseMem, 7), actions,    selectors,  static_cast<uint32_t>(to),
        static_cast<uint32_t>(to >> 32),         0x55667788, 0x11223344, 0x99};
  };
  submit(dispatch());
  submit(ib(join({release(out, 1u << 29), release(out + 8, 2u << 29 | 2u << 24),
                  release(out + 16, 3u << 29), release(out + 24, 1u << 24)})));
  ring();
  run(1000);
  EXPECT_EQ(word(out), 0u) << "the dispatch still runs";
  ASSERT_EQ(dispatches_.size(), 1u);
  const Cycle before = now_;
  finish(0);
  run(1000);
  EXPECT_EQ(wide(out), 0x55667788u) << "32 bits";
  EXPECT_EQ(wide(out + 8), 0x1122334455667788u);
  EXPECT_GT(wide(out + 16), before) << "the clock";
  EXPECT_LT(wide(out + 16), now_);
  EXPECT_EQ(wide(out + 24), 0u) << "interrupt only";
  ASSERT_EQ(interrupts_.size(), 2u);
  EXPECT_EQ(interrupts_[0].source, 0u);
  EXPECT_EQ(interrupts_[0].context, 0x99u);
  EXPECT_EQ(*queue_->load_read_index(), 2u);
}

TEST_F(PacketTest, WaitRegMemComparesUnderItsMask) {
  struct Case {
    uint32_t function, mask, reference, open, met;
  };
  const Case cases[] = {
      {1, ~0u, 5, 5, 4}, {2, ~0u, 5, 6, 5}, {3, 0xff, 7, 8, 0x107},
      {4, ~0u, 5, 5, 6}, {5, ~0u, 5, 4, 5}, {6, ~0u, 5, 5, 6},
  };
  bind();
  const uint64_t flag = *memory_.allocate(8);
  const uint64_t out = *memory_.allocate(8);
  uint32_t step = 0;
  for (const Case& c : cases) {
    ASSERT_TRUE(memory_.write_value(flag, c.open));
    submit(ib(join(
        {{pm4::header(pm4::Opcode::WaitRegMem, 6), c.function | 1 << 4, static_cast<uint32_t>(flag),
          static_cast<uint32_t>(flag >> 32), c.reference, c.mask, 10},
         write_data(out, {++step})})));
    ring();
    run();
    EXPECT_EQ(word(out), step - 1) << c.function;
    ASSERT_TRUE(memory_.write_value(flag, c.met));
    run();
    EXPECT_EQ(word(out), step) << c.function;
  }
  EXPECT_EQ(inactive(), 0);
}

TEST_F(PacketTest, BadVendorPacketsStopTheirQueue) {
  const uint64_t out = *memory_.allocate(64);
  const auto bad_ib = [&](std::vector<uint32_t> words) { return ib(words); };
  std::vector<std::pair<const char*, hsa::Pm4IbPacket>> cases{
      {"register write", bad_ib(write_data(out, {1}, 0))},
      {"register wait", bad_ib({pm4::header(pm4::Opcode::WaitRegMem, 6), 3, 0, 0, 0, 0, 0})},
      {"GDS source", bad_ib({pm4::header(pm4::Opcode::CopyData, 5), 3 | 2 << 8, 0, 0, 0, 0})},
      {"unknown opcode", bad_ib({0xc0008600, 0})},
      {"type 0", bad_ib({0x00000001, 0})},
      {"body beyond the end", bad_ib({pm4::header(pm4::Opcode::Nop, 5), 0})},
      {"short body", bad_ib({pm4::header(pm4::Opcode::AcquireMem, 2), 0, 0})},
      {"GDS data", bad_ib({pm4::header(pm4::Opcode::ReleaseMem, 7), 0, 5u << 29, 0, 0, 0, 0, 0})},
      {"not valid", bad_ib({pm4::kFiller})},
      {"dwords behind", bad_ib({pm4::kFiller})},
      {"reserved", bad_ib({pm4::kFiller})},
      {"format", bad_ib({pm4::kFiller})},
      {"first reserved dword", bad_ib({pm4::kFiller})},
  };
  // Nothing else is wrong with these.
  cases[8].second.jump[3] = 1;
  cases[9].second.remaining_dwords = 9;
  cases[10].second.reserved[7] = 1;
  cases[11].second.format = 3;
  cases[12].second.reserved[0] = 1;
  for (auto& [name, packet] : cases) {
    fresh_queue();
    interrupts_.clear();
    packet.completion_signal = signal(1).handle();
    submit(packet);
    submit(dispatch(true));
    bind();
    run();
    EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorVendorPacket}) << name;
    EXPECT_EQ(interrupts_.size(), 1u) << name;
    EXPECT_EQ(*hsa::Signal(memory_, packet.completion_signal).load(), 1) << name;
    EXPECT_TRUE(dispatches_.empty()) << name;
  }
  fresh_queue();
  hsa::BarrierValuePacket p;
  p.header = hsa::encode({PacketType::VendorSpecific, false, FenceScope::None, FenceScope::None});
  p.condition = 4;
  submit(p);
  bind();
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorVendorPacket}) << "condition";
  fresh_queue();
  submit(ib(write_data(0x40, {1})));
  bind();
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
  EXPECT_EQ(interrupts_.back().context, 0x40u);
}

/// The first bytes of an amd_kernel_code_t: version 1.1, machine kind 1, ISA 9.0.x.
void v2(hsa::KernelDescriptor& k, uint32_t stepping) {
  k.group_segment_fixed_size = 1;
  k.private_segment_fixed_size = 1;
  k.kernarg_size = 9u << 16 | 1;
  k.reserved0 = stepping << 16;
}

TEST(PacketCheck, KernelCodeOfV2IsForItsProcessorAlone) {
  for (const uint32_t stepping : {0u, 1u, 6u, 7u, 8u, 77u}) {
    hsa::KernelDescriptor k;
    k.kernel_code_entry_byte_offset = 256;
    v2(k, stepping);
    const bool of900 = stepping < 2;
    const bool of906 = stepping == 6 || stepping == 7;
    EXPECT_EQ(check_kernel(k, 0x1000, isa::Target::Gfx900) == 0, of900) << stepping;
    EXPECT_EQ(check_kernel(k, 0x1000, isa::Target::Gfx906) == 0, of906) << stepping;
    EXPECT_NE(check_kernel(k, 0x1000, isa::Target::Gfx908), 0u) << stepping;
  }
}

TEST_F(PacketTest, KernelsThatAreNoneOfThisMachineAreRefused) {
  struct Case {
    const char* name;
    bool good;
    void (*spoil)(hsa::KernelDescriptor&);
  };
  const std::vector<Case> cases{
      {"descriptor", true, [](auto&) {}},
      {"reserved word", false, [](auto& k) { k.reserved0 = 1; }},
      {"reserved bytes", false, [](auto& k) { k.reserved1[19] = 1; }},
      {"reserved end", false, [](auto& k) { k.reserved3 = 1; }},
      {"wave32", false, [](auto& k) { k.kernel_code_properties |= 1 << 10; }},
      {"entry", false, [](auto& k) { k.kernel_code_entry_byte_offset = 0x1040; }},
      {"v2 of another processor", false, [](auto& k) { v2(k, 6); }},
  };
  size_t good = 0;
  for (const Case& c : cases) {
    fresh_queue();
    hsa::KernelDescriptor k;
    k.kernel_code_entry_byte_offset = 0x1000;
    c.spoil(k);
    ASSERT_TRUE(memory_.write_value(kernel_, k));
    submit(dispatch());
    bind();
    run();
    EXPECT_EQ(inactive(), c.good ? 0 : int64_t{hsa::kQueueErrorCode}) << c.name;
    good += c.good;
    EXPECT_EQ(dispatches_.size(), good) << c.name;
  }
}

TEST_F(PacketTest, OtherQueuesGoOnWhenOneStops) {
  bind();
  hsa::Queue other = *hsa::Queue::create(memory_, {});
  QueueBinding b;
  b.queue_address = other.address();
  b.doorbell = 6;
  b.vmid = 3;
  processor_.bind(b, now_ + 1);
  auto bad = dispatch();
  bad.setup = 0;
  submit(bad);
  submit(dispatch());
  auto good = dispatch();
  good.completion_signal = signal(2).handle();
  EXPECT_TRUE(other.submit(&good).ok());
  EXPECT_TRUE(other.submit(&good).ok());
  ring();
  ring(6);
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorDispatch});
  ASSERT_EQ(dispatches_.size(), 2u);
  EXPECT_EQ(dispatches_[0].vmid, 3);
  finish(1);
  finish(0);
  run();
  EXPECT_EQ(*hsa::Signal(memory_, good.completion_signal).load(), 0);
  EXPECT_EQ(*other.load_read_index(), 2u);
  EXPECT_EQ(*queue_->load_read_index(), 0u);
}

TEST_F(PacketTest, ADequeuedQueueDrainsWritesItsDescriptorAndSaysSo) {
  const uint64_t mqd = *memory_.allocate(2048);
  ASSERT_TRUE(memory_.write_value(mqd + 4 * 130, 1u));
  QueueBinding b;
  b.queue_address = queue_->address();
  b.doorbell = 5;
  b.mqd_address = mqd;
  number_ = processor_.bind(b, now_ + 1);
  submit(dispatch());
  submit(dispatch());
  hsa::Signal open = signal(1);
  hsa::BarrierPacket barrier;
  barrier.header = hsa::encode({PacketType::BarrierAnd, false, FenceScope::None, FenceScope::None});
  barrier.dep_signal[0] = open.handle();
  submit(barrier);
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 2u);
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run();
  EXPECT_TRUE(statuses_.empty()) << "two dispatches run";
  finish(1);
  run();
  EXPECT_TRUE(statuses_.empty() || statuses_.back().state != QueueState::Inactive);
  finish(0);
  run();
  ASSERT_FALSE(statuses_.empty());
  EXPECT_EQ(statuses_.back().state, QueueState::Inactive);
  EXPECT_EQ(statuses_.back().read_index, 2u);
  EXPECT_EQ(slot(2), PacketType::BarrierAnd) << "the barrier that waits stays in the ring";
  EXPECT_EQ(wide(mqd + 4 * 96), 2u);
  EXPECT_EQ(word(mqd + 4 * 138), 2u * 16);
  EXPECT_EQ(word(mqd + 4 * 130), 0u);
  ASSERT_TRUE(open.store(0).ok());
  submit(dispatch());
  ring();
  run();
  EXPECT_EQ(dispatches_.size(), 2u) << "it is gone";
  // Bound again it goes on where it was.
  number_ = processor_.bind(b, now_ + 1);
  run();
  EXPECT_EQ(dispatches_.size(), 3u);
  EXPECT_EQ(dispatches_[2].dispatch_index, 3u);
}

TEST_F(PacketTest, AQueueThatSleepsOrHasFailedLeavesAtOnce) {
  bind();
  run();
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run(100);
  ASSERT_EQ(statuses_.size(), 1u);
  EXPECT_EQ(statuses_[0].state, QueueState::Inactive);
  statuses_.clear();
  auto bad = dispatch();
  bad.setup = 0;
  submit(bad);
  bind();
  run();
  ASSERT_EQ(statuses_.size(), 1u);
  EXPECT_EQ(statuses_[0].state, QueueState::Failed);
  EXPECT_EQ(statuses_[0].error, hsa::kQueueErrorDispatch);
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run(100);
  ASSERT_EQ(statuses_.size(), 2u) << "once";
  EXPECT_EQ(statuses_[1].state, QueueState::Inactive);
  EXPECT_EQ(processor_.next_event(), machine::kNever);
}

TEST_F(PacketTest, AQueueKnownByItsRingAndReadReportFindsItsObject) {
  hsa::Queue elsewhere = *hsa::Queue::create(memory_, {});  // its ring serves another object
  QueueBinding b;
  b.doorbell = 5;
  b.ring_address = elsewhere.ring();
  b.ring_packets = elsewhere.size();
  b.read_report = queue_->address() + offsetof(hsa::AmdQueue, read_dispatch_id);
  processor_.bind(b, now_ + 1);
  auto p = dispatch();
  EXPECT_TRUE(elsewhere.submit(&p).ok());
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 1u);
  EXPECT_EQ(dispatches_[0].queue_address, queue_->address());
  EXPECT_EQ(dispatches_[0].packet_address, elsewhere.ring());
  finish(0);
  run();
  EXPECT_EQ(*queue_->load_read_index(), 1u);
  EXPECT_EQ(*elsewhere.load_read_index(), 0u);
}

TEST_F(PacketTest, ProfilingStampsTheSignalBeforeItChanges) {
  for (const bool profiled : {false, true}) {
    fresh_queue();
    uint32_t properties = hsa::kQueueIsPtr64 | (profiled ? hsa::kQueueEnableProfiling : 0);
    ASSERT_TRUE(memory_.write_value(queue_->address() + offsetof(hsa::AmdQueue, queue_properties),
                                    properties));
    bind();
    run();
    auto p = dispatch();
    p.completion_signal = signal(1).handle();
    submit(p);
    ring();
    const Cycle start = now_;
    run();
    const Cycle middle = now_;
    finish(dispatches_.size() - 1);
    events_.clear();
    run();
    const hsa::AmdSignal s = *hsa::Signal(memory_, p.completion_signal).contents();
    EXPECT_EQ(s.value, 0);
    if (profiled) {
      EXPECT_GT(s.start_ts, start);
      EXPECT_LT(s.start_ts, middle);
      EXPECT_GE(s.end_ts, middle);
      EXPECT_LT(s.end_ts, now_);
      EXPECT_EQ(events_, (std::vector<std::string>{"write", "write", "signal"}));
    } else {
      EXPECT_EQ(s.start_ts, 0u);
      EXPECT_EQ(s.end_ts, 0u);
      EXPECT_EQ(events_, (std::vector<std::string>{"write", "signal"}));
    }
  }
}

/// A runtime may switch profiling on and off at any time.
TEST_F(PacketTest, ProfilingIsLookedAtWhenAPacketIsTaken) {
  bind();
  run();
  const uint64_t at = queue_->address() + offsetof(hsa::AmdQueue, queue_properties);
  for (const bool profiled : {true, false}) {
    const uint32_t properties = hsa::kQueueIsPtr64 | (profiled ? hsa::kQueueEnableProfiling : 0);
    ASSERT_TRUE(memory_.write_value(at, properties));
    auto p = dispatch();
    p.completion_signal = signal(1).handle();
    submit(p);
    ring();
    run();
    finish(dispatches_.size() - 1);
    run();
    const hsa::AmdSignal s = *hsa::Signal(memory_, p.completion_signal).contents();
    EXPECT_EQ(s.value, 0);
    EXPECT_EQ(s.end_ts != 0, profiled);
  }
}

/// Two vendor packets without the barrier bit: the first one's buffer waits for memory, the second
/// one's for the first (docs/reference/command_processor.md, RELEASE_MEM and CS_PARTIAL_FLUSH).
TEST_F(PacketTest, AReleaseWaitsForEarlierVendorPackets) {
  for (const bool flush : {false, true}) {
    fresh_queue();
    bind();
    const uint64_t out = *memory_.allocate(64);
    const auto low = static_cast<uint32_t>(out);
    const auto high = static_cast<uint32_t>(out >> 32);
    for (uint32_t at = 0; at < 64; at += 4) ASSERT_TRUE(memory_.write_value(out + at, 0u));
    std::vector<uint32_t> first{0xc0053c00, 3 | 1 << 4, low, high, 1, 1, 4};  // WAIT_REG_MEM
    for (const uint32_t w : write_data(out + 4, {1})) first.push_back(w);
    std::vector<uint32_t> second{0xc0064900, 0x528, 1u << 29, low + 8, high, 2, 0, 0};
    if (flush) {
      second = {0xc0004600, 0x407};
      for (const uint32_t w : write_data(out + 8, {2})) second.push_back(w);
    }
    submit(ib(first));
    submit(ib(second));
    ring();
    run(2000);
    EXPECT_EQ(slot(1), PacketType::Invalid) << "taken";
    EXPECT_EQ(word(out + 8), 0u) << "the first packet is not complete";
    ASSERT_TRUE(memory_.write_value(out, 1u));
    run(2000);
    EXPECT_EQ(word(out + 4), 1u);
    EXPECT_EQ(word(out + 8), 2u);
    EXPECT_EQ(*queue_->load_read_index(), 2u);
    processor_.unbind(number_);
    run();
  }
  EXPECT_EQ(inactive(), 0);
}

}  // namespace
}  // namespace cuvette::command_processor
