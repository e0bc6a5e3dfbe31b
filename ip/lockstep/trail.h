// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ip/lockstep/recorder.h"

namespace cuvette::ip {

/// Event buffer of a block from its first event on, for a recording that is asked for after a
/// difference. A recording that begins later would lack the state of the block, so that a buffer
/// that overflows is given up as a whole.
class Trail {
 public:
  static constexpr size_t kMostBytes = size_t{1} << 20;

  bool is_whole() const { return whole_; }
  void add(PinEvent event) {
    if (!whole_) return;
    bytes_ += sizeof event + event.beats.size() * sizeof event.beats[0];
    events_.push_back(std::move(event));
    if (bytes_ <= kMostBytes) return;
    whole_ = false;
    events_ = {};
  }
  /// All events; the buffer is empty afterwards.
  std::vector<PinEvent> take() {
    bytes_ = 0;
    return std::exchange(events_, {});
  }

 private:
  std::vector<PinEvent> events_;
  size_t bytes_ = 0;
  bool whole_ = true;
};

}  // namespace cuvette::ip
