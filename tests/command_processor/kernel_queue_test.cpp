// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The command processor alone: the kernel queue maps and unmaps others by their registers.
#include <algorithm>
#include <set>

#include "pm4_fixture.h"

namespace cuvette::command_processor {
namespace {

/// Registers of slots behind the kernel queue: a dequeue request takes some looks.
class KernelQueueTest : public Pm4RingTest {
 protected:
  static constexpr uint32_t kOwnSlot = 0 | 2 << 2;     // micro engine 2, pipe 0, queue 0
  static constexpr uint32_t kOwn = kOwnSlot | 5 << 4;  // and its VMID
  KernelQueueTest() {
    on_access_ = [this](const RegisterAccess& a) {
      if (a.write && a.offset == reg(152)) requests_.emplace_back(a.bank, a.value);
      if (!a.write && a.offset == reg(130) && leaving(a.bank) && ++looks_ > 3) {
        values_[{a.bank, reg(130)}] = 0;
      }
    };
  }
  /// Register of dword `dword` of the descriptor: CP_MQD_BASE_ADDR is at dword 0x3245 of the
  /// aperture.
  static uint32_t reg(unsigned dword) { return (0x3245 + dword - 128) * 4; }
  static uint32_t bank(unsigned me, unsigned pipe, unsigned queue) {
    return pipe | me << 2 | queue << 8;
  }
  bool leaving(uint32_t of) const {
    return std::any_of(requests_.begin(), requests_.end(),
                       [of](const auto& r) { return r.first == of; });
  }
  void bind_kernel_queue(bool fresh = false) {
    QueueBinding b = binding();
    b.kernel_queue = true;
    b.fresh = fresh;
    b.vmid = 5;
    b.bank = kOwn;
    bind_ring(b);
    values_[{kOwnSlot, reg(130)}] = 1;
  }
  /// A descriptor whose dwords have their number, with the offset of a doorbell.
  uint64_t descriptor() {
    const uint64_t at = *memory_.allocate(2048);
    for (uint32_t i = 0; i < 512; ++i) EXPECT_TRUE(memory_.write_value(at + 4 * i, 0x5000 + i));
    return at;
  }
  static Words map(uint32_t control, uint64_t mqd, uint32_t doorbell, uint64_t poll = 0) {
    return packet(0xa2,
                  {1u << 29 | control, doorbell << 2, low(mqd), high(mqd), low(poll), high(poll)});
  }

  std::vector<std::pair<uint32_t, uint32_t>> requests_;
  unsigned looks_ = 0;
};

TEST_F(KernelQueueTest, AMappedQueueHasTheImageOfItsDescriptor) {
  bind_kernel_queue();
  const uint64_t mqd = descriptor();
  submit_ring(map(6 << 8 | 5 << 13 | 3 << 16 | 1 << 18, mqd, 0x123, 0x7000), 4000);
  ASSERT_TRUE(failures().empty());
  const uint32_t slot = bank(2, 3, 5);
  const auto value = [&](uint32_t offset) { return values_.at({slot, offset}); };
  for (unsigned i = 128; i < 184; ++i) {
    if (i == 130 || i == 131 || i == 141 || i == 142 || i == 143 || i == 152) continue;
    ASSERT_EQ(value(reg(i)), 0x5000 + i) << i;
  }
  EXPECT_EQ(value(reg(130)), 1u) << "ACTIVE";
  EXPECT_EQ(value(reg(131)) & 15, 6u) << "VMID of the packet";
  EXPECT_EQ(value(reg(141)), 0x7000u);
  EXPECT_EQ(value(reg(142)), 0u);
  EXPECT_EQ(value(reg(143)) & 0x0ffffffc, 0x123u << 2);
  EXPECT_NE(value(reg(143)) & 1u << 30, 0u) << "DOORBELL_EN";
  EXPECT_EQ(value(reg(152)), 0u) << "no dequeue";
  EXPECT_EQ(value(0x2e04 * 4), 0x5000u + 5) << "COMPUTE_START_X";
  EXPECT_EQ(value(0x2e24 * 4), 0x5000u + 37);
  EXPECT_EQ(value(0x2e25 * 4), 0x5000u + 39) << "behind a dword without a register";
  EXPECT_EQ(value(0x2e4f * 4), 0x5000u + 80) << "COMPUTE_USER_DATA_15";
  EXPECT_EQ(values_.count({slot, kInitiator}), 0u);
  EXPECT_EQ(values_.count({slot, 0x2e0e * 4}), 0u) << "compute_tba is no register";
  EXPECT_TRUE(dispatches_.empty());
  // ACTIVE is the last register of the slot; then one look at the write pointer.
  const auto& last = accesses_[accesses_.size() - 2];
  EXPECT_EQ(last.offset, reg(130));
  EXPECT_EQ(accesses_.back().offset, 0x3084u * 4);
  EXPECT_EQ(accesses_.back().value, 1u << (3 * 8 + 5));
}

TEST_F(KernelQueueTest, SlotsAreChosenAmongTheResources) {
  bind_kernel_queue();
  const uint64_t mqd = descriptor();
  submit_ring(packet(0xa0, {0, 1u << 9, 1u << 20 | 1u << 31, 0, 0, 0, 0}));
  values_[{bank(1, 1, 1), reg(130)}] = 1;
  submit_ring(map(1 << 4, mqd, 1), 4000);
  EXPECT_EQ((values_[{bank(2, 2, 4), reg(130)}]), 1u);
  EXPECT_EQ((values_[{bank(2, 2, 4), reg(131)}]), 0x5000u + 131) << "its own VMID";
  submit_ring(map(1 << 4, mqd, 1), 4000);
  EXPECT_EQ((values_[{bank(2, 3, 7), reg(130)}]), 1u);
  EXPECT_TRUE(failures().empty());
  submit_ring(map(1 << 4, mqd, 1), 4000);
  EXPECT_EQ(failures(), Words{kBad}) << "none is left";
}

TEST_F(KernelQueueTest, QueuesLeaveByWhatThePacketSelects) {
  bind_kernel_queue();
  const uint32_t slots[] = {bank(1, 0, 1), bank(1, 0, 2), bank(2, 3, 3)};
  const uint64_t mqd = descriptor();
  submit_ring(map(2u << 21 | 1 << 13, mqd, 0x100), 4000);  // a static one in slot 0
  submit_ring(map(2 << 13, mqd, 0x102), 4000);
  submit_ring(map(7 << 8 | 3 << 13 | 3 << 16 | 1 << 18, mqd, 0x104), 4000);
  ASSERT_TRUE(failures().empty());
  values_[{kOwn, (0x10a0 + 7) * 4}] = 0x77;  // IH_VMID_7_LUT
  using Requests = std::vector<std::pair<uint32_t, uint32_t>>;
  const auto unmap = [&](const Words& body, const char* what, const Requests& expected) {
    requests_.clear();
    looks_ = 0;
    submit_ring(
        join({packet(0xa3, body), packet(0xa4, {1u << 30, 0, low(out_), high(out_), 1, 2})}), 4000);
    EXPECT_EQ(requests_, expected) << what;
    EXPECT_EQ(wide(out_), uint64_t{2} << 32 | 1) << what;
    if (!expected.empty()) {
      EXPECT_GT(looks_, 3u) << what << ": the fence waits";
    }
    for (const auto& r : expected) values_[{r.first, reg(130)}] = 1;
    ASSERT_TRUE(memory_.write_value(out_, uint64_t{0}));
    ASSERT_TRUE(failures().empty()) << what;
  };
  unmap({2u << 29, 0x102 << 2, 0x104 << 2, 0x100 << 2, 0}, "two doorbells of three",
        {{slots[1], 1}, {slots[2], 1}});
  unmap({1u << 29 | 1, 0x104 << 2, 0, 0, 0}, "reset", {{slots[2], 2}});
  unmap({1 << 4, 0x77, 0, 0, 0}, "a process", {{slots[2], 1}});
  unmap({1 << 4, 0x78, 0, 0, 0}, "another process", {});
  unmap({3 << 4, 0, 0, 0, 0}, "all that are not static", {{slots[1], 1}, {slots[2], 1}});
  values_[{slots[1], reg(132)}] = 1u << 30;  // QSWITCH_MODE
  unmap({2 << 4, 0, 0, 0, 0}, "saved where that is the mode",
        {{slots[0], 1}, {slots[1], 3}, {slots[2], 1}});
  unmap({2 << 4 | 2, 0, 0, 0, 0}, "all", {{slots[0], 1}, {slots[1], 1}, {slots[2], 1}});
}

class RunListTest : public KernelQueueTest {
 protected:
  /// Mapping writes 0 to the request, and the slot is another queue's.
  RunListTest() {
    on_access_ = [this](const RegisterAccess& a) {
      if (a.write && a.offset == reg(152) && a.value != 0) {
        requests_.emplace_back(a.bank, a.value);
        going_.insert(a.bank);
      }
      if (a.write && a.offset == reg(130)) going_.erase(a.bank);
      if (!a.write && a.offset == reg(130) && going_.count(a.bank) != 0 && ++looks_ > 3) {
        values_[{a.bank, reg(130)}] = 0;
      }
    };
  }
  static Words process(uint32_t pasid, uint32_t mark) {
    Words body(15);
    body[0] = pasid | 5u << 25;
    for (uint32_t i = 1; i < 9; ++i) body[i] = mark + i;
    body[12] = 1u << 22;  // one queue
    return packet(0xa1, body);
  }
  uint64_t place(const Words& words) {
    const uint64_t at = *memory_.allocate(4 * words.size() + 4);
    for (size_t i = 0; i < words.size(); ++i) {
      EXPECT_TRUE(memory_.write_value(at + 4 * i, words[i]));
    }
    return at;
  }
  void run_list(const Words& words, unsigned processes) {
    const uint64_t at = place(words);
    submit_ring(packet(0xa5, {low(at), high(at),
                              static_cast<uint32_t>(words.size()) | 1u << 23 | processes << 24}),
                12000);
  }
  static Words resources(uint16_t vmids) {
    return packet(0xa0, {vmids, 1u << 1 | 1u << 2 | 1u << 3, 0, 0, 0, 0, 0});
  }

  std::set<uint32_t> going_;
};

TEST_F(RunListTest, ProcessesGetVmidsAndTheirQueuesSlots) {
  bind_kernel_queue();
  const uint64_t mqd = descriptor();
  submit_ring(resources(0x0f00));
  run_list(join({process(0x77, 0x100), map(1 << 4, mqd, 1), map(1 << 4, mqd, 2), Words{0x80000000},
                 process(0x88, 0x200), map(1 << 4, mqd, 3)}),
           2);
  ASSERT_TRUE(failures().empty());
  for (unsigned i = 0; i < 2; ++i) {
    const uint32_t vmid = 8 + i;
    const uint32_t mark = 0x100 * (i + 1);
    const auto value = [&](uint32_t dword) { return values_.at({vmid << 4, dword * 4}); };
    EXPECT_EQ(value(0x10a0 + vmid), i == 0 ? 0x77u : 0x88u) << "PASID";
    EXPECT_EQ(value(0x28eb + 2 * vmid), mark + 1) << "page tables, low";
    EXPECT_EQ(value(0x28eb + 2 * vmid + 1), mark + 2);
    EXPECT_EQ(value(0x230a), mark + 3) << "SH_MEM_BASES";
    EXPECT_EQ(value(0x230d), mark + 4) << "SH_MEM_CONFIG";
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(value(0x231c + k), mark + 5 + k) << "traps " << k;
  }
  const uint32_t vmids[] = {8, 8, 9};
  for (unsigned i = 0; i < 3; ++i) {
    const uint32_t slot = bank(1, 0, 1 + i);
    EXPECT_EQ((values_[{slot, reg(130)}]), 1u) << i;
    EXPECT_EQ((values_[{slot, reg(131)}]) & 15, vmids[i]) << i;
    EXPECT_EQ((values_[{slot, reg(143)}]) & 0x0ffffffc, (i + 1) << 2) << i;
  }
}

TEST_F(RunListTest, AListTakesThePlaceOfTheOneBefore) {
  bind_kernel_queue();
  const uint64_t mqd = descriptor();
  submit_ring(resources(0x0300));
  submit_ring(map(7 << 13, mqd, 9), 4000);  // not of a list
  run_list(join({process(1, 0), map(1 << 4, mqd, 1), map(1 << 4, mqd, 2)}), 1);
  ASSERT_TRUE(failures().empty());
  EXPECT_TRUE(requests_.empty());
  run_list(join({process(2, 0), map(1 << 4, mqd, 3)}), 1);
  using Requests = std::vector<std::pair<uint32_t, uint32_t>>;
  EXPECT_EQ(requests_, (Requests{{bank(1, 0, 1), 1}, {bank(1, 0, 2), 1}})) << "they drain";
  EXPECT_GT(looks_, 3u) << "until they are gone";
  ASSERT_TRUE(failures().empty());
  EXPECT_EQ((values_[{bank(1, 0, 1), reg(143)}]) & 0x0ffffffc, 3u << 2);
  EXPECT_EQ((values_[{bank(1, 0, 1), reg(131)}]) & 15, 8u) << "the first VMID again";
  // An empty one: nothing is left of the last.
  requests_.clear();
  run_list({}, 0);
  EXPECT_EQ(requests_, (Requests{{bank(1, 0, 1), 1}}));
  EXPECT_TRUE(failures().empty());
  EXPECT_EQ((values_[{bank(1, 0, 7), reg(130)}]), 1u);
}

TEST_F(RunListTest, ASlotIsTheListsAsLongAsItsQueueIs) {
  using Requests = std::vector<std::pair<uint32_t, uint32_t>>;
  bind_kernel_queue();
  const uint64_t mqd = descriptor();
  submit_ring(resources(0x0300));
  run_list(join({process(1, 0), map(1 << 4, mqd, 1), map(1 << 4, mqd, 2)}), 1);
  // The host takes the first one away, and another queue has its slot, not by the list.
  values_[{bank(1, 0, 1), reg(130)}] = 0;
  submit_ring(map(1 << 13, mqd, 9), 4000);
  ASSERT_TRUE(failures().empty());
  EXPECT_EQ((values_[{bank(1, 0, 1), reg(143)}]) & 0x0ffffffc, 9u << 2);
  run_list({}, 0);
  EXPECT_EQ(requests_, (Requests{{bank(1, 0, 2), 1}}));
  EXPECT_TRUE(failures().empty());
  EXPECT_EQ((values_[{bank(1, 0, 1), reg(130)}]), 1u);
}

TEST_F(RunListTest, AFreshKernelQueueKnowsOfNone) {
  using Requests = std::vector<std::pair<uint32_t, uint32_t>>;
  const uint64_t mqd = descriptor();
  // One that comes back takes the list away that it had mapped, and leaves static queues.
  for (const bool fresh : {false, true}) {
    statuses_.clear();
    requests_.clear();
    for (uint32_t slot = 1; slot < 8; ++slot) values_[{bank(1, 0, slot), reg(130)}] = 0;
    bind_kernel_queue();
    submit_ring(resources(0x0300));
    submit_ring(map(2u << 21 | 7 << 13, mqd, 9), 4000);
    run_list(join({process(1, 0), map(1 << 4, mqd, 1)}), 1);
    ASSERT_TRUE(failures().empty());
    processor_.unbind(number_);
    run(100);
    bind_kernel_queue(fresh);
    run_list({}, 0);
    EXPECT_EQ(requests_, fresh ? Requests{} : (Requests{{bank(1, 0, 1), 1}}));
    requests_.clear();
    submit_ring(packet(0xa3, {3 << 4, 0, 0, 0, 0}), 4000);  // all that are not static
    EXPECT_EQ(requests_, fresh ? (Requests{{bank(1, 0, 1), 1}, {bank(1, 0, 7), 1}}) : Requests{});
    EXPECT_TRUE(failures().empty());
    submit_ring(map(1 << 4, mqd, 1), 4000);
    EXPECT_EQ(failures(), fresh ? Words{kBad} : Words{}) << "queues are chosen among resources";
    processor_.unbind(number_);
    run(100);
  }
}

/// A list that ends with itself, so that it may hold more than there is room for.
Words chained(uint64_t at, const Words& words, unsigned processes) {
  return join({words, packet(0xa5, {low(at), high(at),
                                    static_cast<uint32_t>(words.size() + 4) | 1u << 23 | 1u << 20 |
                                        processes << 24})});
}

TEST_F(RunListTest, ProcessesTakeTurnsByTheirQuantum) {
  constexpr unsigned kQuantum = 16384;
  bind_kernel_queue();
  const uint64_t mqd = descriptor();
  submit_ring(resources(0x0300));
  // Three processes for two VMIDs; the second has the longest slice, of three units.
  const auto words = [&](uint64_t at) {
    Words all;
    for (uint32_t p = 1; p <= 3; ++p) {
      Words body = process(p, 0x100 * p);
      body[1] = p | (p == 2 ? 3u : 1u) << 25;
      all = join({all, body, map(1 << 4, mqd, p)});
    }
    return chained(at, all, 3);
  };
  const uint64_t at = place(words(0));
  const Words list = words(at);
  for (size_t i = 0; i < list.size(); ++i) {
    ASSERT_TRUE(memory_.write_value(at + 4 * i, list[i]));
  }
  submit_ring(packet(0xa5, {low(at), high(at), static_cast<uint32_t>(list.size()) | 1u << 23}),
              8000);
  ASSERT_TRUE(failures().empty());
  const auto mapped = [&] {
    Words found;
    for (unsigned slot = 1; slot <= 3; ++slot) {
      const uint32_t of = bank(1, 0, slot);
      if (values_[{of, reg(130)}] != 1) continue;
      const uint32_t vmid = values_[{of, reg(131)}] & 15;
      found.push_back((values_[{of, reg(143)}] & 0x0ffffffc) >> 2 << 16 |
                      values_[{vmid << 4, (0x10a0 + vmid) * 4}]);
    }
    return found;
  };
  const auto both = [](uint32_t a, uint32_t b) { return Words{a << 16 | a, b << 16 | b}; };
  EXPECT_EQ(mapped(), both(1, 2));
  run(3 * kQuantum - 10000);
  EXPECT_EQ(mapped(), both(1, 2)) << "the longest quantum counts";
  requests_.clear();
  looks_ = 0;
  run(12000);
  EXPECT_EQ(requests_.size(), 2u);
  EXPECT_EQ(mapped(), both(3, 1)) << "the one that waited, and the first again";
  requests_.clear();
  looks_ = 0;
  run(kQuantum + 4000);
  EXPECT_EQ(mapped(), both(2, 3));
  // UNMAP_QUEUES of all ends the turns, and what waits stays out.
  requests_.clear();
  looks_ = 0;
  submit_ring(packet(0xa3, {2 << 4, 0, 0, 0, 0}), 6000);
  EXPECT_TRUE(mapped().empty());
  run(4 * kQuantum);
  EXPECT_TRUE(mapped().empty());
  EXPECT_TRUE(failures().empty());
}

TEST_F(RunListTest, QueuesTakeTurnsWhenSlotsAreFew) {
  bind_kernel_queue();
  const uint64_t mqd = descriptor();
  submit_ring(resources(0x0f00));  // three slots
  const auto two = [&](uint32_t p) {
    return join({process(p, 0), map(1 << 4, mqd, 2 * p), map(1 << 4, mqd, 2 * p + 1)});
  };
  const Words body = join({two(1), two(2)});
  const uint64_t at = place(chained(0, body, 2));
  const Words list = chained(at, body, 2);
  for (size_t i = 0; i < list.size(); ++i) {
    ASSERT_TRUE(memory_.write_value(at + 4 * i, list[i]));
  }
  submit_ring(packet(0xa5, {low(at), high(at), static_cast<uint32_t>(list.size()) | 1u << 23}),
              8000);
  const auto doorbell = [&](unsigned slot) {
    const uint32_t of = bank(1, 0, slot);
    return values_[{of, reg(130)}] == 1 ? (values_[{of, reg(143)}] & 0x0ffffffc) >> 2 : 0;
  };
  EXPECT_TRUE(failures().empty());
  EXPECT_EQ(doorbell(1), 2u);
  EXPECT_EQ(doorbell(2), 3u);
  EXPECT_EQ(doorbell(3), 0u) << "a process has all of its queues, or none";
  run(5 * 16384 + 4000);  // the quantum of process() is 5
  EXPECT_EQ(doorbell(1), 4u);
  EXPECT_EQ(doorbell(2), 5u);
  EXPECT_TRUE(failures().empty());
  processor_.dequeue.push(Dequeue{number_}, now_ + 1);
  run(4000);
  EXPECT_EQ(statuses_.back().state, QueueState::Inactive) << "the turns end with their queue";
}

TEST_F(RunListTest, WhatAListMayNotHoldStopsTheKernelQueue) {
  const uint64_t mqd = descriptor();
  const std::pair<const char*, Words> cases[] = {
      {"a queue without a process", map(1 << 4, mqd, 1)},
      {"more processes than VMIDs", join({process(1, 0), process(2, 0), process(3, 0)})},
      {"a process of another size", packet(0xa1, Words(14))},
      {"a packet of another kind", join({process(1, 0), write_data(out_, 1)})},
      {"no packet", {0x12345678}},
      {"half a packet", {process(1, 0)[0], 0, 0}},
      {"another list", chained(0x5000, process(1, 0), 1)},
      {"a process with more queues than there are slots",
       join({process(1, 0), map(1 << 4, mqd, 1), map(1 << 4, mqd, 2), map(1 << 4, mqd, 3),
             map(1 << 4, mqd, 4)})},
  };
  for (const auto& [name, words] : cases) {
    statuses_.clear();
    bind_kernel_queue();
    submit_ring(resources(0x0300));
    run_list(words, 1);
    EXPECT_EQ(failures(), Words{kBad}) << name;
    processor_.unbind(number_);
  }
  statuses_.clear();
  bind_kernel_queue();
  submit_ring(packet(0xa5, {0x40, 0, 16 | 1u << 23}), 4000);
  EXPECT_EQ(failures(), Words{hsa::kQueueErrorMemoryFault}) << "no list there";
}

TEST_F(KernelQueueTest, StatusQueriesWriteOrInterrupt) {
  bind_kernel_queue();
  for (uint32_t command = 0; command < 4; ++command) {
    ASSERT_TRUE(memory_.write_value(out_, uint64_t{0}));
    interrupts_.clear();
    submit_ring(packet(0xa4, {command << 30 | 0x123456, 0, low(out_), high(out_), 5, 0}));
    EXPECT_EQ(wide(out_), command == 0 ? 0u : 5u) << command;
    ASSERT_EQ(interrupts_.size(), command == 0 || command == 3 ? 1u : 0u) << command;
    if (!interrupts_.empty()) {
      EXPECT_EQ(interrupts_[0].source, kQueryStatus);
      EXPECT_EQ(interrupts_[0].context, 0x123456u);
    }
  }
  submit_ring(packet(0x98, {0}));  // INVALIDATE_TLBS
  EXPECT_TRUE(failures().empty());
}

TEST_F(KernelQueueTest, WhatItCannotMapStopsIt) {
  const uint64_t mqd = descriptor();
  Words two = map(0, mqd, 1);
  two[1] = 2u << 29;
  const std::pair<const char*, Words> cases[] = {
      {"an SDMA queue", map(2 << 26, mqd, 1)},
      {"two queues, one described", two},
      {"micro engine 3", map(2 << 18, mqd, 1)},
      {"its own slot", map(1 << 18, mqd, 1)},
      {"preempting without unmapping", packet(0xa3, {1u << 29 | 3, 4, 0, 0, 0})},
      {"five doorbells", packet(0xa3, {5u << 29, 4, 0, 0, 0})},
      {"a run list that is not valid", packet(0xa5, {0, 0, 0})},
      {"a run list that goes round", packet(0xa5, {0, 0, 1u << 23 | 1u << 20})},
      {"a process outside of a run list", packet(0xa1, Words(15))},
  };
  for (const auto& [name, words] : cases) {
    statuses_.clear();
    bind_kernel_queue();
    submit_ring(words, 4000);
    EXPECT_EQ(failures(), Words{kBad}) << name;
    processor_.unbind(number_);
  }
  statuses_.clear();
  bind_kernel_queue();
  submit_ring(map(1 << 13, 0x40, 1), 4000);
  EXPECT_EQ(failures(), Words{hsa::kQueueErrorMemoryFault}) << "no descriptor there";
}

}  // namespace
}  // namespace cuvette::command_processor
