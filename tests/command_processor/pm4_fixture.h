// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A command processor alone with a ring of PM4 packets and registers that only keep what is
// written. Packets are written out here by the numbers of tests/ledger/gfx9_packets.csv.
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "command_processor_fixture.h"

namespace cuvette::command_processor {
inline constexpr uint32_t kBad = hsa::kQueueErrorVendorPacket;
inline constexpr uint32_t kBank =
    2 | 1 << 2 | 9 << 4 | 3 << 8;  // pipe 2, micro engine 1, VMID 9, queue 3
inline constexpr unsigned kDwords = 64;
inline constexpr uint32_t kInitiator = 0x2e00 * 4;

using Words = std::vector<uint32_t>;

inline uint32_t low(uint64_t v) {
  return static_cast<uint32_t>(v);
}
inline uint32_t high(uint64_t v) {
  return static_cast<uint32_t>(v >> 32);
}
inline Words packet(uint32_t opcode, const Words& body) {
  Words words{3u << 30 | static_cast<uint32_t>(body.size() - 1) << 16 | opcode << 8};
  words.insert(words.end(), body.begin(), body.end());
  return words;
}
inline Words join(const std::vector<Words>& parts) {
  Words all;
  for (const Words& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}
inline Words write_data(uint64_t to, uint32_t value) {
  return packet(0x37, {5 << 8, low(to), high(to), value});
}
inline Words release(uint64_t to, uint64_t value, uint32_t interrupt = 0, uint32_t context = 0) {
  return packet(0x49, {0x528, 2u << 29 | interrupt << 24, low(to), high(to), low(value),
                       high(value), context});
}
inline Words dispatch_direct(uint32_t x, uint32_t y, uint32_t z) {
  return packet(0x15, {x, y, z, 1});
}

class Pm4RingTest : public CommandProcessorTest {
 protected:
  Pm4RingTest() {
    ring_ = *memory_.allocate(4 * kDwords);
    report_ = *memory_.allocate(8);
    poll_ = *memory_.allocate(8);
    mqd_ = *memory_.allocate(2048);
    out_ = *memory_.allocate(256);
    registers_ = [this](const RegisterAccess& a) { return access(a); };
  }
  QueueBinding binding() const {
    QueueBinding b;
    b.doorbell = 7;
    b.pm4 = true;
    b.ring_address = ring_;
    b.ring_packets = kDwords / 16;
    b.read_report = report_;
    b.mqd_address = mqd_;
    b.write_poll = poll_;
    b.bank = kBank;
    return b;
  }
  void bind_ring(const QueueBinding& b) {
    number_ = processor_.bind(b, now_ + 1);
    write_ = b.write_pointer;
    run(20);
  }
  void bind_ring() { bind_ring(binding()); }
  /// Into the ring, around its end, without telling.
  void put(const Words& words) {
    for (const uint32_t w : words) {
      EXPECT_TRUE(memory_.write_value(ring_ + 4 * (write_++ % kDwords), w));
    }
  }
  void ring_now(unsigned cycles = 2000) {
    processor_.doorbell.push(Doorbell{7, write_}, now_ + 1);
    run(cycles);
  }
  void submit_ring(const Words& words, unsigned cycles = 2000) {
    put(words);
    ring_now(cycles);
  }
  /// Registers that only keep what is written; the initiator starts a grid.
  RegisterDone access(const RegisterAccess& a) {
    accesses_.push_back(a);
    RegisterDone done;
    done.error = refused_ != 0 && a.offset == refused_;
    auto& value = values_[{a.bank, a.offset}];
    if (a.write) value = a.value;
    done.value = value;
    if (a.write && a.offset == kInitiator && (a.value & 1) != 0) {
      RegisterLaunch l;
      l.id = a.id;
      l.queue = a.queue;
      l.invalidate = invalidates_;
      l.dispatch.grid = {values_[{a.bank, 0x2e01 * 4}], 1, 1};
      processor_.register_launch.push(l, now_ + 2);
    }
    if (on_access_) on_access_(a);
    return done;
  }
  void finish_all() {
    for (; finished_ < dispatches_.size(); ++finished_) finish(finished_);
  }
  std::vector<uint32_t> failures() const {
    std::vector<uint32_t> found;
    for (const QueueStatus& s : statuses_) {
      if (s.state == QueueState::Failed) found.push_back(s.error);
    }
    return found;
  }

  uint64_t ring_ = 0, report_ = 0, poll_ = 0, mqd_ = 0, out_ = 0;
  uint64_t write_ = 0;
  uint32_t refused_ = 0;
  bool invalidates_ = false;  // grids invalidate the first-level caches
  size_t finished_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> values_;  // by bank and offset
  std::vector<RegisterAccess> accesses_;
  std::function<void(const RegisterAccess&)> on_access_;
};

}  // namespace cuvette::command_processor
