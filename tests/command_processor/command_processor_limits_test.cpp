// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The command processor alone: what is just allowed, what happens twice or far from the start, and
// how many cycles each stage of a packet takes.
#include "command_processor/pm4.h"
#include "command_processor_fixture.h"

namespace cuvette::command_processor {
namespace {

class LimitsTest : public CommandProcessorTest {
 protected:
  void set_queue(size_t offset, const auto& value) {
    ASSERT_TRUE(memory_.write_value(queue_->address() + offset, value));
  }
  static constexpr uint64_t kScratch = 0x7700000000;
  void give_scratch(uint32_t of_item, uint64_t bytes) {
    set_queue(offsetof(hsa::AmdQueue, scratch_backing_memory_location), kScratch);
    set_queue(offsetof(hsa::AmdQueue, scratch_backing_memory_byte_size), bytes);
    set_queue(offsetof(hsa::AmdQueue, scratch_workitem_byte_size), of_item);
  }
  void answer_scratch() {
    EXPECT_TRUE(hsa::Signal(memory_, inactive_).store(0).ok());
    run();
  }
  /// Runs until a dispatch more has come; the cycle in which it was there.
  Cycle next_dispatch() {
    const size_t before = dispatches_.size();
    for (unsigned i = 0; i < 1000 && dispatches_.size() == before; ++i) run(1);
    EXPECT_EQ(dispatches_.size(), before + 1);
    return now_ - 1;
  }
};

TEST_F(LimitsTest, LimitsAreInclusive) {
  // COMPUTE_TMPRING_SIZE.WAVESIZE has 13 bits of 1 KiB: 8191 KiB for 64 work-items.
  constexpr uint32_t kMost = 8191 * 1024 / 64;
  give_scratch(kMost, uint64_t{8191} * 1024);
  bind();
  auto largest_group = dispatch();
  largest_group.workgroup_size_x = 1024;
  auto all_lds = dispatch();
  all_lds.group_segment_size = 65536;
  auto most_scratch = dispatch();
  most_scratch.private_segment_size = kMost;
  auto least_scratch = dispatch();
  least_scratch.private_segment_size = 1;
  for (const auto& p : {largest_group, all_lds, most_scratch, least_scratch}) submit(p);
  ring();
  run();
  EXPECT_EQ(inactive(), 0);
  ASSERT_EQ(dispatches_.size(), 4u);
  EXPECT_EQ(dispatches_[2].scratch_bytes_per_wave, 8191u * 1024);
  EXPECT_EQ(dispatches_[2].scratch_waves, 1u);
  EXPECT_EQ(dispatches_[3].scratch_bytes_per_wave, 8191u * 1024) << "places of one size";
}

/// The least is a dword per lane, in steps of 1 KiB; compute_tmpring_size says it in its own way.
TEST_F(LimitsTest, ScratchOfAWave) {
  give_scratch(1, 10 * 1024 + 1023);
  bind();
  auto p = dispatch();
  p.private_segment_size = 1;
  submit(p);
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 1u);
  EXPECT_EQ(dispatches_[0].scratch_base, kScratch);
  EXPECT_EQ(dispatches_[0].scratch_bytes_per_wave, 1024u);
  EXPECT_EQ(dispatches_[0].scratch_waves, 10u);
  finish(0);
  run();
  processor_.unbind(number_);
  run();
  give_scratch(12, 64 * 1024);
  set_queue(offsetof(hsa::AmdQueue, compute_tmpring_size), uint32_t{5 | 3 << 12});
  bind();
  submit(p);
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 2u);
  EXPECT_EQ(dispatches_[1].scratch_bytes_per_wave, 3072u);
  EXPECT_EQ(dispatches_[1].scratch_waves, 5u);
}

/// Missing scratch memory is asked of the host by the inactive signal (public runtime, dynamic
/// scratch): nothing is taken until it is 0 again, and then the same packet is looked at with what
/// amd_queue_t says now.
TEST_F(LimitsTest, ScratchIsAskedOfTheHost) {
  bind();
  auto p = dispatch();
  p.private_segment_size = 100;
  p.workgroup_size_x = 256;
  submit(p);
  submit(dispatch());
  ring();
  run();
  const auto waits = [this](size_t times) {
    EXPECT_TRUE(dispatches_.empty());
    EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorScratch});
    ASSERT_EQ(interrupts_.size(), times);
    EXPECT_EQ(interrupts_.back().source, hsa::kQueueErrorScratch);
    EXPECT_EQ(interrupts_.back().context, 100u);
    EXPECT_EQ(slot(0), PacketType::KernelDispatch) << "the packet stays";
    const auto reports = processor_.take_reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_NE(reports[0].find("packet 0 of kernel object"), std::string::npos) << reports[0];
    EXPECT_NE(reports[0].find("wants 100 bytes of scratch memory per work-item, 4 waves of 7168"),
              std::string::npos)
        << reports[0];
    run(2000);
    EXPECT_EQ(interrupts_.size(), times) << "it asks once";
  };
  waits(1);
  // Too little, in every way: asked again.
  give_scratch(99, 4 * 7168);
  answer_scratch();
  waits(2);
  give_scratch(100, 4 * 7168 - 1);
  answer_scratch();
  waits(3);
  give_scratch(100, 4 * 7168);
  set_queue(offsetof(hsa::AmdQueue, compute_tmpring_size), uint32_t{3 | 7 << 12});
  answer_scratch();
  waits(4);
  set_queue(offsetof(hsa::AmdQueue, compute_tmpring_size), uint32_t{4 | 7 << 12});
  answer_scratch();
  ASSERT_EQ(dispatches_.size(), 2u);
  EXPECT_EQ(dispatches_[0].scratch_base, kScratch);
  EXPECT_EQ(dispatches_[0].scratch_bytes_per_wave, 7168u);
  EXPECT_EQ(dispatches_[0].scratch_waves, 4u);
  EXPECT_EQ(dispatches_[1].scratch_bytes_per_wave, 0u) << "it has none";
  EXPECT_EQ(inactive(), 0);
  EXPECT_EQ(interrupts_.size(), 4u);
  EXPECT_TRUE(processor_.take_reports().empty());
}

/// As every change of a signal does, so that a runtime that sleeps hears of it.
TEST_F(LimitsTest, TheInactiveSignalRaisesItsEvent) {
  constexpr uint32_t kEvent = 33;
  const uint64_t mailbox = *memory_.allocate(8);
  ASSERT_TRUE(hsa::Signal(memory_, inactive_).set_event(mailbox, kEvent).ok());
  bind();
  auto p = dispatch();
  p.private_segment_size = 100;
  submit(p);
  ring();
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorScratch});
  EXPECT_EQ(wide(mailbox), kEvent);
  ASSERT_EQ(interrupts_.size(), 2u);
  EXPECT_EQ(interrupts_[0].source, 0u);
  EXPECT_EQ(interrupts_[0].context, kEvent);
  EXPECT_EQ(interrupts_[1].source, hsa::kQueueErrorScratch);
  give_scratch(100, 64 * 1024);
  answer_scratch();
  ASSERT_EQ(dispatches_.size(), 1u);
  ASSERT_TRUE(memory_.write_value(mailbox, uint64_t{0}).ok());
  spi::DispatchDone done;
  done.id = dispatches_[0].id;
  done.error = true;
  done.error_code = hsa::kQueueErrorIllegalInstruction;
  spi_.dispatch_done.push(done, now_ + 1);
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorIllegalInstruction});
  EXPECT_EQ(wide(mailbox), kEvent);
  ASSERT_EQ(interrupts_.size(), 4u);
  EXPECT_EQ(interrupts_[2].source, 0u);
  EXPECT_EQ(interrupts_[3].source, hsa::kQueueErrorIllegalInstruction);
}

/// Runtimes hear of memory faults by an event of the driver's own.
TEST_F(LimitsTest, AMemoryFaultRaisesNoEventOfTheInactiveSignal) {
  const uint64_t mailbox = *memory_.allocate(8);
  ASSERT_TRUE(hsa::Signal(memory_, inactive_).set_event(mailbox, 33).ok());
  bind();
  submit(dispatch());
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 1u);
  spi::DispatchDone done;
  done.id = dispatches_[0].id;
  done.error = true;
  done.error_code = hsa::kQueueErrorMemoryFault;
  done.error_address = 0x1000;
  spi_.dispatch_done.push(done, now_ + 1);
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
  EXPECT_EQ(wide(mailbox), 0u);
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].source, hsa::kQueueErrorMemoryFault);
  EXPECT_EQ(interrupts_[0].context, 0x1000u);
}

/// Memory that came after the queue was bound, without being asked for.
TEST_F(LimitsTest, ScratchMayComeLater) {
  bind();
  run();
  give_scratch(64, 64 * 1024);
  auto p = dispatch();
  p.private_segment_size = 64;
  submit(p);
  ring();
  run();
  EXPECT_EQ(dispatches_.size(), 1u);
  EXPECT_TRUE(interrupts_.empty());
}

/// Nobody answers: a queue that waits can be taken away, and its packet stays. One without an
/// inactive signal stops.
TEST_F(LimitsTest, NobodyAnswersForScratch) {
  bind();
  auto p = dispatch();
  p.private_segment_size = 4;
  submit(p);
  ring();
  run();
  EXPECT_EQ(inactive(), 1);
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run();
  ASSERT_FALSE(statuses_.empty());
  EXPECT_EQ(statuses_.back().state, QueueState::Inactive);
  EXPECT_EQ(slot(0), PacketType::KernelDispatch);

  set_queue(offsetof(hsa::AmdQueue, queue_inactive_signal), uint64_t{0});
  bind();
  ring();
  run();
  EXPECT_EQ(statuses_.back().state, QueueState::Failed);
  EXPECT_EQ(statuses_.back().error, hsa::kQueueErrorScratch);
  EXPECT_TRUE(dispatches_.empty());
}

/// kernarg_preload of a descriptor: bits 6:0 dwords, 15:7 the first one (LLVM AMDGPUUsage,
/// "Preloaded Kernel Arguments").
class PreloadTest : public CommandProcessorTest {
 protected:
  PreloadTest() : CommandProcessorTest(isa::Target::Gfx90a) {
    arguments_ = *memory_.allocate(4096);
    for (uint32_t i = 0; i < 40; ++i) {
      EXPECT_TRUE(memory_.write_value(arguments_ + 4 * i, 0x1000 + i));
    }
  }
  /// One dispatch of a kernel with such a word.
  void dispatch_with(uint16_t word, uint64_t arguments) {
    EXPECT_TRUE(
        memory_.write_value(kernel_ + offsetof(hsa::KernelDescriptor, kernarg_preload), word));
    auto p = dispatch();
    p.kernarg_address = arguments;
    submit(p);
    ring();
    run();
  }

  uint64_t arguments_ = 0;
};

TEST_F(PreloadTest, KernelArgumentsAreReadBeforeTheWavesStart) {
  bind();
  dispatch_with(0, arguments_);
  dispatch_with(3, arguments_);
  dispatch_with(14 | 17 << 7, arguments_);
  ASSERT_EQ(dispatches_.size(), 3u);
  const uint64_t entry = kernel_ + 0x1000;
  EXPECT_EQ(dispatches_[0].entry, entry);
  EXPECT_EQ(dispatches_[0].properties, 8u);
  EXPECT_EQ(dispatches_[1].entry, entry + 256);
  EXPECT_EQ(dispatches_[1].properties, 8u | 3u << 16);
  EXPECT_EQ(dispatches_[1].user_data, (std::array<uint32_t, 16>{0x1000, 0x1001, 0x1002}));
  EXPECT_EQ(dispatches_[2].entry, entry + 256);
  EXPECT_EQ(dispatches_[2].properties, 8u | (14u | 17u << 7) << 16);
  for (uint32_t i = 0; i < 14; ++i) EXPECT_EQ(dispatches_[2].user_data[i], 0x1011 + i);
  EXPECT_EQ(inactive(), 0);
  // An address without memory.
  constexpr uint64_t kNowhere = 0x1234500;
  dispatch_with(1 | 2 << 7, kNowhere);
  EXPECT_EQ(dispatches_.size(), 3u);
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].context, kNowhere + 8);
}

/// The field is reserved on other targets.
TEST_F(LimitsTest, NothingIsPreloadedOnGfx908) {
  bind();
  EXPECT_TRUE(
      memory_.write_value(kernel_ + offsetof(hsa::KernelDescriptor, kernarg_preload), uint16_t{3}));
  submit(dispatch());
  ring();
  run();
  EXPECT_TRUE(dispatches_.empty());
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorCode});
}

TEST_F(LimitsTest, TheRingWrapsAroundFarFromTheStart) {
  constexpr uint64_t kFirst = (uint64_t{1} << 32) - 2;
  ASSERT_TRUE(queue_->store_read_index(kFirst).ok());
  ASSERT_TRUE(queue_->store_write_index(kFirst).ok());
  bind();
  for (uint64_t i = 0; i < 4; ++i) submit(dispatch());
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 4u);
  for (uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(dispatches_[i].dispatch_index, kFirst + i);
    EXPECT_EQ(dispatches_[i].packet_address,
              queue_->ring() + (kFirst + i) % queue_->size() * hsa::kPacketBytes);
    finish(i);
  }
  run();
  EXPECT_EQ(*queue_->load_read_index(), kFirst + 4);
}

TEST_F(LimitsTest, TwoFailuresStopTheQueueOnce) {
  bind();
  submit(dispatch());
  submit(dispatch());
  ring();
  run();
  ASSERT_EQ(dispatches_.size(), 2u);
  finish(1, hsa::kQueueErrorIllegalInstruction);
  run();
  finish(0, hsa::kQueueErrorMemoryFault);
  run();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorIllegalInstruction}) << "the first one counts";
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].source, hsa::kQueueErrorIllegalInstruction);
  EXPECT_EQ(processor_.counters().errors, 1u);
}

/// Independent of queue and code object (LLVM AMDGPUUsage, compute_pgm_rsrc2: objects leave the bit
/// 0).
TEST_F(LimitsTest, EveryDispatchHasTheTrapHandler) {
  for (const bool wanted : {false, true}) {
    *queue_ = *hsa::Queue::create(memory_, {});
    const uint32_t properties = hsa::kQueueIsPtr64 | (wanted ? 1 : 0);  // bit 0 (Compute ABI)
    set_queue(offsetof(hsa::AmdQueue, queue_properties), properties);
    bind();
    submit(dispatch());
    ring();
    run();
    ASSERT_FALSE(dispatches_.empty());
    EXPECT_EQ(dispatches_.back().rsrc2 >> 6 & 1, 1u) << "TRAP_PRESENT";
  }
}

TEST_F(LimitsTest, UnbackedMemoryFaultsLikeUnmappedMemory) {
  // Mapped, so that the access goes out; nothing is behind it, so that it fails there.
  constexpr uint64_t kNothing = 0x7000000000;
  ASSERT_TRUE(memory_.space().map(kNothing, 4096, hsa::Access::All).ok());
  bind();
  auto p = dispatch();
  p.kernel_object = kNothing;
  submit(p);
  ring();
  run();
  EXPECT_TRUE(dispatches_.empty());
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorCode});
}

/// The memory that the processor writes for a queue may be read-only to it, or none at all.
TEST_F(LimitsTest, AQueueStopsAtTheFirstWriteThatFaults) {
  constexpr uint64_t kAlias = 0x7100000000;
  constexpr uint64_t kNowhere = 0x40;
  const auto alias = [&](uint64_t va, uint64_t pa, uint64_t bytes, hsa::Access permitted) {
    hsa::AddressSpace::Range range;
    range.va = va;
    range.bytes = bytes;
    range.pa = pa;
    range.permitted = permitted;
    ASSERT_TRUE(memory_.space().map(range).ok());
  };
  const auto stopped_at = [&](uint64_t address) {
    EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
    ASSERT_EQ(interrupts_.size(), 1u);
    EXPECT_EQ(interrupts_[0].source, hsa::kQueueErrorMemoryFault);
    EXPECT_EQ(interrupts_[0].context, address);
    EXPECT_EQ(statuses_.back().state, QueueState::Failed);
    EXPECT_EQ(statuses_.back().error_address, address);
  };
  const auto restart = [&](QueueBinding b = {}) {
    *queue_ = *hsa::Queue::create(memory_, {});
    inactive_ = hsa::Signal::create(memory_, 0)->handle();
    set_queue(offsetof(hsa::AmdQueue, queue_inactive_signal), inactive_);
    const uint32_t properties = hsa::kQueueIsPtr64 | hsa::kQueueEnableProfiling;
    set_queue(offsetof(hsa::AmdQueue, queue_properties), properties);
    interrupts_.clear();
    dispatches_.clear();
    b.queue_address = queue_->address();
    b.doorbell = 5;
    processor_.unbind(number_);
    run();
    return b;
  };
  const auto run_one = [&](const QueueBinding& b, uint64_t signal) {
    number_ = processor_.bind(b, now_ + 1);
    auto p = dispatch();
    p.completion_signal = signal;
    submit(p);
    ring();
    run();
    if (!dispatches_.empty()) finish(0);
    run();
  };

  // The header: the packet was not taken.
  QueueBinding b = restart();
  hsa::Signal done = *hsa::Signal::create(memory_, 1);
  alias(kAlias, queue_->ring(), queue_->size() * hsa::kPacketBytes, hsa::Access::Read);
  b.ring_address = kAlias;
  b.ring_packets = static_cast<uint32_t>(queue_->size());
  run_one(b, done.handle());
  stopped_at(kAlias);
  EXPECT_TRUE(dispatches_.empty());
  EXPECT_EQ(slot(0), PacketType::KernelDispatch);

  // The read index, before the signal.
  b = restart();
  alias(kAlias + 0x100000, queue_->address(), sizeof(hsa::AmdQueue), hsa::Access::Read);
  b.read_report = kAlias + 0x100000 + offsetof(hsa::AmdQueue, read_dispatch_id);
  run_one(b, done.handle());
  EXPECT_EQ(dispatches_.size(), 1u);
  stopped_at(b.read_report);
  EXPECT_EQ(*done.load(), 1);

  // Time stamps, before the value.
  b = restart();
  constexpr uint64_t kStamps = offsetof(hsa::AmdSignal, start_ts);
  alias(kAlias + 0x200000, done.handle(), kStamps, hsa::Access::ReadWrite);
  alias(kAlias + 0x200000 + kStamps, done.handle() + kStamps, sizeof(hsa::AmdSignal) - kStamps,
        hsa::Access::Read);
  run_one(b, kAlias + 0x200000);
  stopped_at(kAlias + 0x200000 + kStamps);
  EXPECT_EQ(*done.load(), 1);

  // The event's mailbox, after it.
  b = restart();
  ASSERT_TRUE(done.set_event(kNowhere, 9).ok());
  run_one(b, done.handle());
  stopped_at(kNowhere);
  EXPECT_EQ(*done.load(), 0);
}

TEST_F(LimitsTest, AnUnboundQueueIsForgottenWithoutAWord) {
  bind();
  run();
  processor_.unbind(number_);
  run();
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run();
  EXPECT_TRUE(statuses_.empty()) << "there is nobody to leave";
}

TEST_F(LimitsTest, LowBitsOfAddressesInPm4PacketsAreNotLookedAt) {
  bind();
  const uint64_t out = *memory_.allocate(64);
  const std::vector<uint32_t> words{pm4::header(pm4::Opcode::WriteData, 4), 5 << 8,
                                    static_cast<uint32_t>(out) | 3,
                                    static_cast<uint32_t>(out >> 32), 0x12345678};
  const uint64_t buffer = *memory_.allocate(64);
  ASSERT_TRUE(memory_.write(buffer, words.data(), 4 * words.size()));
  hsa::Pm4IbPacket p;
  p.header = hsa::encode({PacketType::VendorSpecific, false, FenceScope::None, FenceScope::None});
  p.jump[0] = pm4::header(pm4::Opcode::IndirectBuffer, 3);
  p.jump[1] = static_cast<uint32_t>(buffer) | 2;
  p.jump[2] = static_cast<uint32_t>(buffer >> 32);
  p.jump[3] = static_cast<uint32_t>(words.size()) | pm4::kIbValid;
  submit(p);
  ring();
  run();
  EXPECT_EQ(inactive(), 0);
  uint32_t value = 0;
  ASSERT_TRUE(memory_.read_value(out, &value));
  EXPECT_EQ(value, 0x12345678u);
}

/// Memory here answers four cycles after the processor's step (one on the way, three to answer); a
/// packet takes ten to be digested, a signal is looked at again twenty after the last answer.
TEST_F(LimitsTest, StagesTakeTheirCycles) {
  bind();
  run(100);
  submit(dispatch());
  Cycle rung = now_ + 1;
  ring();
  // Packet 4, decode 10, kernel descriptor 4, header given back 4, to the spi 1.
  EXPECT_EQ(next_dispatch(), rung + 4 + 10 + 4 + 4 + 1);

  // Completion: acknowledged caches 4 each, read index 4, signal read 4, decremented 1 later.
  auto p = dispatch(false, FenceScope::System, FenceScope::System);
  hsa::Signal done = *hsa::Signal::create(memory_, 1);
  const uint64_t mailbox = *memory_.allocate(8);
  ASSERT_TRUE(done.set_event(mailbox, 9).ok());
  p.completion_signal = done.handle();
  run(20);  // the look at the slot behind is over
  submit(p);
  rung = now_ + 1;
  ring();
  // The four steps of a system acquire besides.
  EXPECT_EQ(next_dispatch(), rung + 4 + 10 + 4 + 4 * 4 + 4 + 1);
  const Cycle ended = now_ + 1;
  finish(1);
  while (*done.load() != 0 && now_ < ended + 100) run(1);
  EXPECT_EQ(now_ - 1, ended + 2 * 4 + 4 + 4 + 1);
  while (interrupts_.empty() && now_ < ended + 100) run(1);
  // The answer to the decrement, the event into the mailbox, the interrupt on its way.
  EXPECT_EQ(now_ - 1, ended + 2 * 4 + 4 + 4 + 4 + 4 + 1);

  // A barrier that waits looks every 20 + 4 cycles.
  hsa::Signal open = *hsa::Signal::create(memory_, 1);
  hsa::BarrierValuePacket barrier;
  barrier.header =
      hsa::encode({PacketType::VendorSpecific, false, FenceScope::None, FenceScope::None});
  barrier.signal = open.handle();
  barrier.mask = ~int64_t{0};
  run(20);
  submit(barrier);
  submit(dispatch());
  rung = now_ + 1;
  ring();
  const Cycle first_look = rung + 4 + 10;
  while (now_ < first_look + 24 + 12) run(1);
  ASSERT_TRUE(open.store(0).ok());  // between the second look and the third
  const Cycle met = first_look + 2 * 24 + 4;
  // Header given back, then the packet behind it from its first byte.
  EXPECT_EQ(next_dispatch(), met + 4 + 4 + 10 + 4 + 4 + 1);
}

}  // namespace
}  // namespace cuvette::command_processor
