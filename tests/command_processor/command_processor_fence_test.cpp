// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The command processor alone: PM4 packets and grids whose fences meet a cache that cannot write
// back. Messages name the packet of the ring, the address and the work not done any more; the
// others and a queue in the same slot go on (docs/reference/command_processor.md, "Errors").
#include <algorithm>
#include <utility>

#include "pm4_fixture.h"

namespace cuvette::command_processor {
namespace {

constexpr uint64_t kRefused = 0xbad40;  // of the fixture

class FenceTest : public Pm4RingTest {
 protected:
  /// A ring takes a good packet, then `words` with a cache that refuses, then another good one.
  /// `taken`: dwords taken when it stops.
  void expect_fault(const char* name, const Words& words, uint64_t taken) {
    SCOPED_TRACE(name);
    statuses_.clear();
    interrupts_.clear();
    ASSERT_TRUE(memory_.write(out_, Words(8).data(), 32));
    const std::string refuses = std::exchange(refuses_, "");
    bind_ring();
    submit_ring(write_data(out_, 1));
    EXPECT_EQ(failures(), Words{});
    refuses_ = refuses;
    submit_ring(words);
    submit_ring(write_data(out_ + 4, 1));
    EXPECT_EQ(failures(), Words{hsa::kQueueErrorMemoryFault});
    ASSERT_EQ(interrupts_.size(), 1u);
    EXPECT_EQ(interrupts_[0].source, hsa::kQueueErrorMemoryFault);
    EXPECT_EQ(interrupts_[0].queue, number_);
    EXPECT_EQ(interrupts_[0].context, kRefused);
    const auto failed = std::find_if(statuses_.begin(), statuses_.end(), [](const QueueStatus& s) {
      return s.state == QueueState::Failed;
    });
    ASSERT_NE(failed, statuses_.end());
    EXPECT_EQ(failed->error_address, kRefused);
    EXPECT_EQ(failed->read_index, taken);
    EXPECT_EQ(word(out_), 1u);
    EXPECT_EQ(word(out_ + 4), 0u) << "behind it";
    EXPECT_EQ(word(out_ + 8), 0u) << "nothing is released";
    processor_.dequeue.push(Dequeue{number_}, now_ + 1);
    run();
    EXPECT_EQ(statuses_.back().state, QueueState::Inactive);
    // The same slot again, and the same packet without a fault.
    statuses_.clear();
    refuses_ = "";
    bind_ring();
    submit_ring(join({words, write_data(out_ + 4, 2)}));
    EXPECT_EQ(failures(), Words{});
    EXPECT_EQ(word(out_ + 4), 2u);
    EXPECT_TRUE(std::all_of(interrupts_.begin() + 1, interrupts_.end(), [](const Interrupt& i) {
      return i.source == 0;
    })) << "no other error";
    processor_.unbind(number_);
    run();
    refuses_ = refuses;
  }
  Words acquire(uint32_t actions) { return packet(0x58, {actions, 0, 0, 0, 0, 10}); }
};

/// ACQUIRE_MEM (TC_ACTION_ENA 23, TC_WB_ACTION_ENA 18, TCL1_ACTION_ENA 22, SH_KCACHE_WB 30) and
/// EVENT_WRITE: the ring stands before the packet, whose place the host reads.
TEST_F(FenceTest, WhatAnAcquireOrAFlushCannotWriteBackStopsTheRingAtThePacket) {
  refuses_ = "far";
  expect_fault("acquire, L2 invalidate", acquire(1u << 23), 5);
  expect_fault("acquire, L2 write-back", acquire(1u << 18), 5);
  expect_fault("flush", packet(0x46, {0x06}), 5);
  expect_fault("flush and invalidate", packet(0x46, {0x16}), 5);
  refuses_ = "near";
  expect_fault("acquire, L1", acquire(1u << 22), 5);
  expect_fault("acquire, scalar write-back", acquire(1u << 30), 5);
  expect_fault("flush", packet(0x46, {0x06}), 5);
  expect_fault("flush and invalidate", packet(0x46, {0x16}), 5);
}

/// Our caches write nothing for an Invalidate; one of another hand may.
TEST_F(FenceTest, AFaultOfTheInvalidateCountsToo) {
  refused_op_ = MemOp::Invalidate;
  refuses_ = "far";
  expect_fault("acquire", acquire(1u << 23), 5);
  expect_fault("flush and invalidate", packet(0x46, {0x16}), 5);
  refuses_ = "near";
  expect_fault("acquire", acquire(1u << 22), 5);
  expect_fault("flush and invalidate", packet(0x46, {0x16}), 5);
}

/// RELEASE_MEM is not waited for: the ring may be further when it fails, the 8 dwords of the packet
/// here. Nothing is written, no interrupt but that of the error.
TEST_F(FenceTest, WhatAReleaseCannotWriteBackReleasesNothing) {
  Words released = release(out_ + 8, 1, 2, 7);
  refuses_ = "near";
  expect_fault("near", released, 13);
  released[1] |= 1u << 15;  // TC_WB_ACTION
  refuses_ = "far";
  expect_fault("far", released, 13);
  released[1] = 0x528 | 1u << 17;  // TC_ACTION
  expect_fault("far, invalidate", released, 13);
}

TEST_F(FenceTest, AnotherRingGoesOn) {
  bind_ring();
  const uint32_t other = number_;
  const uint64_t other_ring = ring_, other_write = write_;
  QueueBinding b = binding();
  b.doorbell = 8;
  b.ring_address = ring_ = *memory_.allocate(4 * kDwords);
  b.read_report = *memory_.allocate(8);
  bind_ring(b);
  refuses_ = "far";
  put(acquire(1u << 23));
  processor_.doorbell.push(Doorbell{8, write_}, now_ + 1);
  run(2000);
  ASSERT_EQ(failures(), Words{hsa::kQueueErrorMemoryFault});
  EXPECT_EQ(statuses_.back().queue, number_);
  refuses_ = "";
  ring_ = other_ring;
  write_ = other_write;
  submit_ring(join({acquire(1u << 23), write_data(out_, 3)}));
  EXPECT_EQ(word(out_), 3u);
  EXPECT_EQ(failures().size(), 1u);
  EXPECT_EQ(statuses_.back().queue, other);
}

/// The buffer of a vendor packet: the packet is not complete, its queue has the error.
TEST_F(FenceTest, InABufferItIsAFaultOfTheVendorPacket) {
  Words released = release(out_ + 8, 1);
  released[1] |= 1u << 15;
  for (const Words& words : {acquire(1u << 23), released, packet(0x46, {0x16})}) {
    SCOPED_TRACE(words[0]);
    interrupts_.clear();
    queue_ = std::make_unique<hsa::Queue>(*hsa::Queue::create(memory_, {}));
    inactive_ = hsa::Signal::create(memory_, 0)->handle();
    ASSERT_TRUE(memory_.write_value(
        queue_->address() + offsetof(hsa::AmdQueue, queue_inactive_signal), inactive_));
    bind();
    const Words all = join({write_data(out_, 1), words, write_data(out_ + 4, 1)});
    ASSERT_TRUE(memory_.write(out_, Words(8).data(), 32));
    const uint64_t buffer = *memory_.allocate(4 * all.size());
    ASSERT_TRUE(memory_.write(buffer, all.data(), 4 * all.size()));
    hsa::Pm4IbPacket p;
    p.header = hsa::encode({PacketType::VendorSpecific, true, FenceScope::None, FenceScope::None});
    p.jump[0] = 0xc0023f00;
    p.jump[1] = low(buffer);
    p.jump[2] = high(buffer);
    p.jump[3] = static_cast<uint32_t>(all.size()) | 1u << 23;
    p.completion_signal = hsa::Signal::create(memory_, 1)->handle();
    refuses_ = "far";
    submit(p);
    submit(dispatch());
    ring();
    run(2000);
    EXPECT_EQ(word(out_), 1u);
    EXPECT_EQ(word(out_ + 4), 0u);
    EXPECT_EQ(word(out_ + 8), 0u);
    EXPECT_EQ(*hsa::Signal(memory_, p.completion_signal).load(), 1) << "not complete";
    EXPECT_EQ(*queue_->load_read_index(), 0u);
    EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
    ASSERT_EQ(interrupts_.size(), 1u);
    EXPECT_EQ(interrupts_[0].context, kRefused);
    processor_.unbind(number_);
    run();
  }
}

/// COMPUTE_DISPATCH_INITIATOR with the caches to be invalidated first: the grid does not start.
TEST_F(FenceTest, AGridDoesNotStartBehindAFault) {
  RegisterLaunch l;
  l.queue = 0xffff0503;  // a slot without a queue
  l.invalidate = true;
  for (const MemOp op : {MemOp::Writeback, MemOp::Invalidate}) {
    interrupts_.clear();
    dispatches_.clear();
    refused_op_ = op;
    for (unsigned i = 1; i <= 2; ++i) {  // each tells its own error
      refuses_ = "near";
      processor_.register_launch.push(l, now_ + 1);
      run();
      EXPECT_TRUE(dispatches_.empty());
      ASSERT_EQ(interrupts_.size(), i);
      EXPECT_EQ(interrupts_.back().source, hsa::kQueueErrorMemoryFault);
      EXPECT_EQ(interrupts_.back().queue, l.queue);
      EXPECT_EQ(interrupts_.back().context, kRefused);
    }
    refuses_ = "";
    processor_.register_launch.push(l, now_ + 1);
    run();
    EXPECT_EQ(dispatches_.size(), 1u) << "the next one does";
    finish(0);
    run();
    EXPECT_EQ(interrupts_.size(), 2u);
  }
  EXPECT_EQ(processor_.next_event(), machine::kNever);
}

TEST_F(FenceTest, AGridOfARingDoesNotStartBehindAFault) {
  bind_ring();
  invalidates_ = true;
  refuses_ = "near";
  submit_ring(join({dispatch_direct(1, 1, 1), release(out_, 1), packet(0x46, {0x407}),
                    write_data(out_ + 8, 1)}));
  EXPECT_TRUE(dispatches_.empty());
  EXPECT_EQ(failures(), Words{hsa::kQueueErrorMemoryFault});
  EXPECT_EQ(wide(out_), 0u) << "no fence for what did not run";
  EXPECT_EQ(word(out_ + 8), 0u);
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].context, kRefused);
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run();
  EXPECT_EQ(statuses_.back().state, QueueState::Inactive);
}

}  // namespace
}  // namespace cuvette::command_processor
