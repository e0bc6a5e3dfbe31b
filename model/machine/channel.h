// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "machine/core.h"

namespace cuvette::machine {

inline constexpr size_t kUnbounded = ~size_t{0};

/// A point-to-point queue of timestamped messages: the model's form of a valid/ready port.
///
/// push() is "valid and ready": legal only while can_push(). A message is visible from its time on.
/// Times never decrease along the queue. Space freed by pop(now) can be used from the next cycle
/// on, which keeps producer and consumer independent of the order of their ticks.
template <class Message>
class Channel {
 public:
  /// `depth`: how many messages may be under way, at least 1.
  explicit Channel(size_t depth = 2) : depth_(depth) { assert(depth > 0); }

  bool can_push(Cycle now) const { return size_ + (popped_at_ == now ? popped_ : 0) < depth_; }
  template <class M = Message>
  void push(M&& message, Cycle visible_at) {
    push_in_place(visible_at) = std::forward<M>(message);
  }
  /// push() for those who write the message where it will lie. It holds what an earlier message
  /// left: every field has to be written, before anything else is done with the channel.
  Message& push_in_place(Cycle visible_at) { return append(visible_at + way_); }
  /// The same for what may overtake: it comes before those that are visible later.
  Message& overtake_in_place(Cycle visible_at) { return insert(visible_at + way_); }

  /// The channel is the near end of a path that takes `cycles`: messages are visible so much later
  /// than who pushes them says.
  void travel(Cycle cycles) { way_ = cycles; }
  /// Moves everything under way in `from`, visible or not, to what is under way here, each message
  /// before those that are visible later. The depth is no limit.
  void take_all(Channel& from) {
    if (from.size_ == 0) return;
    if (size_ == 0) {
      slots_.swap(from.slots_);
      head_ = std::exchange(from.head_, 0);
      size_ = std::exchange(from.size_, 0);
      front_at_ = std::exchange(from.front_at_, kNever);
      return;
    }
    for (; from.size_ != 0; from.drop(from.front_at_)) {
      Entry& first = from.slots_[from.head_];
      insert(first.time) = std::move(first.message);
    }
  }

  /// The oldest message that is visible at `now`, or null.
  const Message* front(Cycle now) const {
    return front_at_ > now || size_ == 0 ? nullptr : &slots_[head_].message;
  }
  Message pop(Cycle now) {
    Message message = std::move(slots_[head_].message);
    drop(now);
    return message;
  }
  /// pop() for those who have read front() and need no copy.
  void drop(Cycle now) {
    assert(front(now) != nullptr);
    popped_ = popped_at_ == now ? popped_ + 1 : 1;
    popped_at_ = now;
    head_ = head_ + 1 == slots_.size() ? 0 : head_ + 1;
    front_at_ = --size_ == 0 ? kNever : slots_[head_].time;
  }

  /// Messages under way, visible or not; for those who watch a channel (lockstep, monitors).
  size_t size() const { return size_; }
  /// Message `index`, 0 the oldest.
  const Message& peek(size_t index) const { return slot(index).message; }

  /// When the oldest message becomes visible; kNever when empty.
  Cycle next_event() const { return front_at_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Entry {
    Cycle time = 0;
    Message message{};
  };

  Message& append(Cycle time) {
    assert(size_ == 0 || slot(size_ - 1).time <= time);
    return insert(time);
  }
  Message& insert(Cycle time) {
    if (size_ == slots_.size()) grow();
    size_t at = size_++;
    for (; at != 0 && slot(at - 1).time > time; --at) slot(at) = std::move(slot(at - 1));
    if (at == 0) front_at_ = time;
    Entry& entry = slot(at);
    entry.time = time;
    return entry.message;
  }
  Entry& slot(size_t index) {
    const size_t at = head_ + index;
    return slots_[at < slots_.size() ? at : at - slots_.size()];
  }
  const Entry& slot(size_t index) const { return const_cast<Channel*>(this)->slot(index); }
  /// The ring reaches the depth by need: most channels never fill.
  void grow() {
    std::vector<Entry> larger;
    larger.reserve(slots_.size() * 2 + 2);
    for (size_t i = 0; i < size_; ++i) larger.push_back(std::move(slot(i)));
    larger.resize(larger.capacity());
    slots_ = std::move(larger);
    head_ = 0;
  }

  Cycle front_at_ = kNever;   ///< time of the oldest message: asked for far more than changed
  std::vector<Entry> slots_;  ///< a ring: no allocation per message
  size_t head_ = 0, size_ = 0;
  size_t depth_;
  Cycle way_ = 0;
  size_t popped_ = 0;
  Cycle popped_at_ = kNever;
};

}  // namespace cuvette::machine
