// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The command processor alone: queues that leave with dispatches under way and come back
// (docs/reference/command_processor.md, "Saving waves").
#include <algorithm>

#include "command_processor_fixture.h"

namespace cuvette::command_processor {
namespace {

using AreaWords = std::vector<uint32_t>;

constexpr uint64_t kArea = 0x30000000;
constexpr uint32_t kAreaBytes = 0x100000, kStackBytes = 4096;

class SaveTest : public CommandProcessorTest {
 protected:
  SaveTest() {
    hsa::DeviceMemory::Options page;
    page.alignment = 4096;
    mqd_ = *memory_.allocate(4096 + kStackBytes, page);
  }
  void bind_saving(uint32_t offset = kStackBytes, uint32_t bytes = kStackBytes) {
    QueueBinding b;
    b.queue_address = queue_->address();
    b.doorbell = 5;
    b.mqd_address = mqd_;
    b.trap_handler = 0x7000;
    b.save_area = kArea;
    b.save_begin = 0x2000;
    b.save_end = kAreaBytes;
    b.stack_bytes = bytes;
    b.stack_offset = offset;
    number_ = processor_.bind(b, now_ + 1);
  }
  void leave(bool save = true) {
    processor_.dequeue.push(Dequeue{number_, !save, save}, now_ + 1);
    pass();
  }
  void pass(unsigned cycles = 500) {
    for (unsigned i = 0; i < cycles; ++i) {
      run(1);
      while (spi_.save.front(now_) != nullptr) saves_.push_back(spi_.save.pop(now_));
      while (spi_.restore.front(now_) != nullptr) {
        restored_.push_back(spi_.restore.pop(now_));
        EXPECT_TRUE(dispatches_.empty() || dispatches_.back().id < restored_.back().dispatch)
            << "before their dispatch";
      }
    }
  }
  /// The spi has saved dispatch `index`.
  void saved(size_t index, uint64_t next_group, const std::vector<spi::SavedGroup>& groups,
             uint32_t end) {
    for (spi::SavedGroup g : groups) {
      g.dispatch = dispatches_.at(index).id;
      spi_.saved.push(g, now_ + 1);
    }
    spi::DispatchDone d;
    d.id = dispatches_.at(index).id;
    d.saved = true;
    d.next_group = next_group;
    d.save_end = end;
    spi_.dispatch_done.push(d, now_ + 1);
    pass();
  }
  uint64_t with_signal(bool barrier) {
    auto p = dispatch(barrier);
    p.completion_signal = hsa::Signal::create(memory_, 1)->handle();
    submit(p);
    return p.completion_signal;
  }
  int64_t value(uint64_t signal) { return *hsa::Signal(memory_, signal).load(); }
  bool gone() const {
    return std::any_of(statuses_.begin(), statuses_.end(),
                       [](const QueueStatus& s) { return s.state == QueueState::Inactive; });
  }
  AreaWords stack(uint32_t offset) {
    AreaWords words;
    for (uint32_t at = offset; at < kStackBytes; at += 4) {
      words.push_back(word(mqd_ + kControlStack + at));
    }
    return words;
  }
  void put_stack(const AreaWords& words) {
    const uint64_t at = mqd_ + kControlStack + kStackBytes - 4 * words.size();
    for (size_t i = 0; i < words.size(); ++i) {
      EXPECT_TRUE(memory_.write_value(at + 4 * i, words[i]));
    }
  }

  uint64_t mqd_ = 0;
  std::vector<spi::Save> saves_;
  std::vector<spi::SavedGroup> restored_;
};

TEST_F(SaveTest, DispatchesAreSavedOneByOneAndComeBack) {
  const uint32_t head = word(queue_->ring());  // an empty slot
  EXPECT_EQ(head & 0xff, 1u);
  bind_saving();
  const uint64_t first = with_signal(false);
  const uint64_t second = with_signal(false);
  const uint64_t third = with_signal(false);
  const uint64_t behind = with_signal(true);
  ring();
  pass();
  ASSERT_EQ(dispatches_.size(), 3u);
  leave();
  ASSERT_EQ(saves_.size(), 1u);
  EXPECT_EQ(saves_[0].dispatch, dispatches_[0].id);
  EXPECT_EQ(saves_[0].area, kArea);
  EXPECT_EQ(saves_[0].from, 0x2000u);
  EXPECT_EQ(saves_[0].to, kAreaBytes);
  EXPECT_EQ(saves_[0].groups, (kStackBytes / 4 - 16) / 2);
  finish(1);  // comes to its end meanwhile
  pass();
  EXPECT_EQ(value(second), 0);
  EXPECT_FALSE(gone());
  saved(0, 7, {{0, 4, 2, 3}, {0, 6, 5, 2}}, 0x8000);
  ASSERT_EQ(saves_.size(), 2u);
  EXPECT_EQ(saves_[1].dispatch, dispatches_[2].id);
  EXPECT_EQ(saves_[1].from, 0x8000u) << "behind the first one's";
  EXPECT_EQ(saves_[1].groups, (kStackBytes / 4 - 16 - 8 - 4) / 2);
  saved(2, 1, {}, 0);
  ASSERT_TRUE(gone());
  EXPECT_EQ(value(first), 1);
  EXPECT_EQ(value(third), 1);
  EXPECT_EQ(value(behind), 1);
  EXPECT_EQ(inactive(), 0);
  constexpr uint32_t kOffset = kStackBytes - 4 * (8 + 8 + 4 + 8);
  EXPECT_EQ(statuses_.back().stack_offset, kOffset);
  EXPECT_EQ(statuses_.back().save_begin, 0x8000u);
  EXPECT_EQ(word(mqd_ + 4 * 174), kOffset);
  EXPECT_EQ(word(mqd_ + 4 * 176), 0x8000u);
  EXPECT_EQ(word(mqd_ + 4 * 96), 0u) << "the read index";
  EXPECT_EQ(stack(kOffset),
            (AreaWords{0x31565343, 2,           3,          0,           0x2000, 0, 0, 0,  //
                       0,          0,           0x00010002, 2,           7,      0, 0, 0,  //
                       4,          2 << 16 | 3, 6,          5 << 16 | 2,                   //
                       2,          0,           0x00010002, 0,           1,      0, 0, 0}));
  EXPECT_GE(std::count(events_.begin(), events_.end(), "writeback far"), 1);

  events_.clear();
  statuses_.clear();
  const auto before = dispatches_;
  dispatches_.clear();
  bind_saving(kOffset);
  pass();
  ASSERT_EQ(dispatches_.size(), 2u) << "the one behind waits for them";
  for (size_t i = 0; i < 2; ++i) {
    const spi::Dispatch& d = dispatches_[i];
    const spi::Dispatch& was = before[2 * i];
    EXPECT_EQ(d.next_group, i == 0 ? 7u : 1u);
    EXPECT_EQ(d.save_area, kArea);
    EXPECT_EQ(d.dispatch_index, was.dispatch_index);
    EXPECT_EQ(d.packet_address, was.packet_address);
    EXPECT_EQ(d.kernel_object, was.kernel_object);
    EXPECT_EQ(d.kernarg, was.kernarg);
    EXPECT_EQ(d.grid, was.grid);
    EXPECT_NE(d.id, was.id);
  }
  ASSERT_EQ(restored_.size(), 2u);
  EXPECT_EQ(restored_[0].dispatch, dispatches_[0].id);
  EXPECT_EQ(restored_[0].group, 4u);
  EXPECT_EQ(restored_[0].place, 2u);
  EXPECT_EQ(restored_[0].waves, 3u);
  EXPECT_EQ(restored_[1].group, 6u);
  EXPECT_EQ(restored_[1].place, 5u);
  EXPECT_EQ(restored_[1].waves, 2u);
  const auto at = [this](const char* what) {
    return std::find(events_.begin(), events_.end(), what) - events_.begin();
  };
  EXPECT_LT(at("invalidate near"), at("dispatch"));
  finish(1);
  pass();
  EXPECT_EQ(value(third), 0);
  EXPECT_EQ(statuses_.back().read_index, 0u);
  finish(0);
  pass();
  EXPECT_EQ(value(first), 0);
  EXPECT_EQ(value(second), 0) << "once";
  EXPECT_EQ(statuses_.back().read_index, 3u) << "over the one that was complete before";
  ASSERT_EQ(dispatches_.size(), 3u);
  EXPECT_EQ(dispatches_[2].dispatch_index, 3u);
  EXPECT_EQ(dispatches_[2].next_group, 0u);
  finish(2);
  leave();
  EXPECT_TRUE(gone());
  EXPECT_EQ(value(behind), 0);
  EXPECT_EQ(word(mqd_ + 4 * 174), kStackBytes);
  EXPECT_EQ(word(mqd_ + 4 * 176), 0x2000u) << "the area is empty";
}

TEST_F(SaveTest, WorkGroupsComeBackInTheOrderOfTheGrid) {
  bind_saving();
  with_signal(false);
  ring();
  pass();
  leave();
  // As their waves ended.
  saved(0, 9, {{0, 6, 5, 2}, {0, 8, 3, 1}, {0, 4, 2, 3}}, 0x8000);
  ASSERT_TRUE(gone());
  constexpr uint32_t kOffset = kStackBytes - 4 * (8 + 8 + 6);
  EXPECT_EQ(statuses_.back().stack_offset, kOffset);
  const AreaWords words = stack(kOffset + 4 * 16);
  EXPECT_EQ(words, (AreaWords{4, 2 << 16 | 3, 6, 5 << 16 | 2, 8, 3 << 16 | 1}));
  dispatches_.clear();
  bind_saving(kOffset);
  pass();
  AreaWords order;
  for (const spi::SavedGroup& g : restored_) order.push_back(g.group);
  EXPECT_EQ(order, (AreaWords{4, 6, 8}));
  EXPECT_EQ(dispatches_.size(), 1u);
}

TEST_F(SaveTest, WithoutRoomForAnotherTheQueueDrains) {
  bind_saving(88, 88);  // a header, a dispatch and three work-groups
  for (unsigned i = 0; i < 2; ++i) with_signal(false);
  ring();
  pass();
  leave();
  ASSERT_EQ(saves_.size(), 1u);
  EXPECT_EQ(saves_[0].groups, 3u);
  saved(0, 1, {{0, 0, 2, 1}}, 0x8000);
  EXPECT_EQ(saves_.size(), 1u) << "16 bytes are left";
  EXPECT_FALSE(gone());
  finish(1);
  pass();
  EXPECT_TRUE(gone());
  EXPECT_EQ(statuses_.back().stack_offset, 16u);
}

TEST_F(SaveTest, AnEndInTimeIsAnEnd) {
  bind_saving();
  const uint64_t signal = with_signal(false);
  ring();
  pass();
  leave();
  finish(0);
  pass();
  EXPECT_TRUE(gone());
  EXPECT_EQ(value(signal), 0);
  EXPECT_EQ(word(mqd_ + 4 * 174), kStackBytes);
  EXPECT_EQ(word(mqd_ + 4 * 96), 1u);
}

TEST_F(SaveTest, AResetGivesUpWhatIsSaved) {
  bind_saving();
  for (unsigned i = 0; i < 2; ++i) with_signal(false);
  ring();
  pass();
  leave();
  saved(0, 1, {}, 0);
  EXPECT_EQ(saves_.size(), 2u);
  EXPECT_TRUE(cancels_.empty());
  leave(false);
  EXPECT_EQ(cancels_, AreaWords{dispatches_[1].id});
  finish(1);
  pass();
  EXPECT_TRUE(gone());
  EXPECT_EQ(word(mqd_ + 4 * 174), kStackBytes) << "nothing is there";
}

TEST_F(SaveTest, ADrainBecomesASave) {
  bind_saving();
  with_signal(false);
  ring();
  pass();
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  pass();
  EXPECT_TRUE(saves_.empty());
  leave();
  EXPECT_EQ(saves_.size(), 1u);
  saved(0, 1, {}, 0);
  EXPECT_TRUE(gone());
}

TEST_F(SaveTest, AFaultOfTheHandlerStopsTheQueue) {
  bind_saving();
  const uint64_t signal = with_signal(false);
  ring();
  pass();
  leave();
  finish(0, hsa::kQueueErrorMemoryFault);
  pass();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
  EXPECT_TRUE(gone());
  EXPECT_EQ(value(signal), 1);
}

/// The data of the trap handlers does not reach memory: no stack says that it is there.
TEST_F(SaveTest, SavedWavesThatCannotBeWrittenBackAreLost) {
  for (const char* cache : {"near", "far"}) {
    SCOPED_TRACE(cache);
    statuses_.clear();
    interrupts_.clear();
    dispatches_.clear();
    ASSERT_TRUE(hsa::Signal(memory_, inactive_).store(0).ok());
    queue_ = std::make_unique<hsa::Queue>(*hsa::Queue::create(memory_, {}));
    ASSERT_TRUE(memory_.write_value(
        queue_->address() + offsetof(hsa::AmdQueue, queue_inactive_signal), inactive_));
    put_stack({0, 0, 0, 0});
    bind_saving();
    const uint64_t signal = with_signal(false);
    ring();
    pass();
    leave();
    refuses_ = cache;
    saved(0, 7, {{0, 4, 2, 3}}, 0x8000);
    refuses_ = "";
    EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
    ASSERT_EQ(interrupts_.size(), 1u);
    EXPECT_EQ(interrupts_[0].source, hsa::kQueueErrorMemoryFault);
    EXPECT_EQ(interrupts_[0].context, 0xbad40u);
    ASSERT_TRUE(gone());
    EXPECT_EQ(value(signal), 1) << "not complete";
    EXPECT_EQ(statuses_.back().stack_offset, kStackBytes);
    EXPECT_EQ(statuses_.back().save_begin, 0x2000u);
    EXPECT_EQ(word(mqd_ + 4 * 174), kStackBytes);
    EXPECT_EQ(word(mqd_ + 4 * 176), 0x2000u) << "nothing that anybody could find";
    EXPECT_EQ(stack(kStackBytes - 16), (AreaWords{0, 0, 0, 0})) << "not touched";
    // The slot serves another queue.
    statuses_.clear();
    queue_ = std::make_unique<hsa::Queue>(*hsa::Queue::create(memory_, {}));
    bind_saving();
    const uint64_t next = with_signal(false);
    ring();
    pass();
    ASSERT_EQ(dispatches_.size(), 2u);
    finish(1);
    pass();
    EXPECT_EQ(value(next), 0);
    leave();
    EXPECT_TRUE(gone());
  }
}

/// The stack cannot be written, though the waves are in memory.
TEST_F(SaveTest, AStackThatCannotBeWrittenIsNotThere) {
  bind_saving();
  with_signal(false);
  ring();
  pass();
  leave();
  const uint64_t was = mqd_;
  ASSERT_TRUE(memory_.free(was).ok());
  saved(0, 7, {{0, 4, 2, 3}}, 0x8000);
  constexpr uint32_t kOffset = kStackBytes - 4 * (8 + 8 + 2);
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
  ASSERT_EQ(interrupts_.size(), 1u);
  EXPECT_EQ(interrupts_[0].context, was + kControlStack + kOffset);
  ASSERT_TRUE(gone());
  EXPECT_EQ(statuses_.back().stack_offset, kStackBytes);
  EXPECT_EQ(statuses_.back().save_begin, 0x2000u);
}

/// Before anything is restored; the stack stays, and a queue that is bound again goes on from it.
TEST_F(SaveTest, AFaultBeforeTheRestoreLeavesTheStack) {
  bind_saving();
  const uint64_t signal = with_signal(false);
  ring();
  pass();
  leave();
  saved(0, 7, {{0, 4, 2, 3}}, 0x8000);
  ASSERT_TRUE(gone());
  constexpr uint32_t kOffset = kStackBytes - 4 * (8 + 8 + 2);
  const AreaWords before = stack(kOffset);
  for (const MemOp op : {MemOp::Writeback, MemOp::Invalidate}) {
    dispatches_.clear();
    interrupts_.clear();
    statuses_.clear();
    ASSERT_TRUE(hsa::Signal(memory_, inactive_).store(0).ok());
    refused_op_ = op;
    refuses_ = "near";
    bind_saving(kOffset);
    pass();
    EXPECT_TRUE(dispatches_.empty());
    EXPECT_TRUE(restored_.empty());
    EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
    ASSERT_EQ(interrupts_.size(), 1u);
    EXPECT_EQ(interrupts_[0].context, 0xbad40u);
    leave();
    ASSERT_TRUE(gone());
    EXPECT_EQ(statuses_.back().stack_offset, kOffset);
    EXPECT_EQ(word(mqd_ + 4 * 174), kOffset);
    EXPECT_EQ(word(mqd_ + 4 * 96), 0u) << "the read index";
    EXPECT_EQ(stack(kOffset), before);
  }
  refuses_ = "";
  ASSERT_TRUE(hsa::Signal(memory_, inactive_).store(0).ok());
  bind_saving(kOffset);
  pass();
  ASSERT_EQ(dispatches_.size(), 1u);
  EXPECT_EQ(dispatches_[0].next_group, 7u);
  EXPECT_EQ(restored_.size(), 1u);
  finish(0);
  pass();
  EXPECT_EQ(value(signal), 0);
  EXPECT_EQ(inactive(), 0);
}

TEST_F(SaveTest, AStackThatIsNoneStopsTheQueue) {
  const AreaWords good = {0x31565343, 1,          1, 0, 0x2000, 0, 0, 0, 0,
                          0,          0x00010002, 1, 1, 0,      0, 0, 0, 1};
  const std::pair<size_t, uint32_t> changes[] = {
      {0, 0x31565342},   // another mark
      {1, 2},            // a dispatch that is not there
      {1, 0},            // nothing at all
      {2, 0},            // next packet before the read index and its own
      {2, 0x1000},       // farther than the ring is long
      {8, 1},            // not the packet at the read index
      {11, 2},           // a work-group that is not there
      {12, 0},           // one that has not started
      {16, 1},           // another that has not
      {10, 0x00010003},  // a barrier packet
  };
  for (const auto& [place, bad] : changes) {
    statuses_.clear();
    AreaWords words = good;
    words[place] = bad;
    put_stack(words);
    ASSERT_TRUE(hsa::Signal(memory_, inactive_).store(0).ok());
    bind_saving(kStackBytes - static_cast<uint32_t>(4 * words.size()));
    pass();
    EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorPacket}) << place << " " << bad;
    EXPECT_TRUE(dispatches_.empty()) << place;
    leave();
    EXPECT_TRUE(gone()) << place;
  }
  // Work-groups twice, and not in order; then as they should be.
  const std::pair<AreaWords, bool> groups[] = {
      {{3, 1, 3, 1, 4, 1}, false},
      {{2, 1, 1, 1, 4, 1}, false},
      {{0, 1, 4, 1, 2, 1}, false},
      {{2, 1, 3, 1, 4, 1}, true},
  };
  with_signal(false);
  for (const auto& [list, comes_back] : groups) {
    statuses_.clear();
    AreaWords words = good;
    words[11] = 3;
    words[12] = 5;  // its groups are 0 to 4
    words.resize(16);
    words.insert(words.end(), list.begin(), list.end());
    put_stack(words);
    ASSERT_TRUE(hsa::Signal(memory_, inactive_).store(0).ok());
    bind_saving(kStackBytes - static_cast<uint32_t>(4 * words.size()));
    pass();
    EXPECT_EQ(inactive(), comes_back ? 0 : int64_t{hsa::kQueueErrorPacket}) << words[16];
    EXPECT_EQ(dispatches_.size(), comes_back ? 1u : 0u) << words[16];
    EXPECT_EQ(restored_.size(), comes_back ? 3u : 0u) << words[16];
    leave(!comes_back);  // what came back is cancelled, and its packet is as before
    if (comes_back) finish(0);
    pass();
    EXPECT_TRUE(gone()) << words[16];
  }
  dispatches_.clear();
  // Two of them whose order is not that of the ring.
  AreaWords two = {0x31565343, 2, 3, 0, 0x2000, 0, 0,          0, 0, 0, 0x00010002, 0,
                   0,          0, 0, 0, 5,      0, 0x00010002, 0, 0, 0, 0,          0};
  put_stack(two);
  ASSERT_TRUE(hsa::Signal(memory_, inactive_).store(0).ok());
  bind_saving(kStackBytes - static_cast<uint32_t>(4 * two.size()));
  pass();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorPacket}) << "behind the next packet";
  leave();
  // One that is not there.
  ASSERT_TRUE(hsa::Signal(memory_, inactive_).store(0).ok());
  mqd_ = 0x765432100000;
  bind_saving(kStackBytes - 256);
  pass();
  EXPECT_EQ(inactive(), int64_t{hsa::kQueueErrorMemoryFault});
}

}  // namespace
}  // namespace cuvette::command_processor
