// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <deque>
#include <utility>

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

  bool can_push(Cycle now) const {
    return queue_.size() + (popped_at_ == now ? popped_ : 0) < depth_;
  }
  void push(Message message, Cycle visible_at) {
    assert(queue_.empty() || queue_.back().time <= visible_at);
    queue_.push_back({visible_at, std::move(message)});
  }

  /// The oldest message that is visible at `now`, or null.
  const Message* front(Cycle now) const {
    return queue_.empty() || queue_.front().time > now ? nullptr : &queue_.front().message;
  }
  Message pop(Cycle now) {
    assert(front(now) != nullptr);
    popped_ = popped_at_ == now ? popped_ + 1 : 1;
    popped_at_ = now;
    Message message = std::move(queue_.front().message);
    queue_.pop_front();
    return message;
  }

  /// When the oldest message becomes visible; kNever when empty.
  Cycle next_event() const { return queue_.empty() ? kNever : queue_.front().time; }
  bool empty() const { return queue_.empty(); }

 private:
  struct Entry {
    Cycle time;
    Message message;
  };
  std::deque<Entry> queue_;
  size_t depth_;
  size_t popped_ = 0;
  Cycle popped_at_ = kNever;
};

}  // namespace cuvette::machine
