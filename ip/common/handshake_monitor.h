// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuvette::ip {

/// The rules of one valid/ready channel (contracts.md), whichever side drives it, checked from
/// the pins once per clock cycle, just before the rising edge:
///
///   - valid is low in every cycle of a reset but the first;
///   - once valid is high, it and the message stay until ready;
///   - where the block drives ready: it is ready within `ready_within` cycles after a reset.
///
/// Knows nothing about what messages mean. The first violation stays.
class HandshakeMonitor {
 public:
  /// `name` of the channel, for texts; `ready_within` 0: ready is not the block's, it is not
  /// checked.
  explicit HandshakeMonitor(std::string name, unsigned ready_within = 0)
      : name_(std::move(name)), ready_within_(ready_within) {}

  /// One cycle. `message` has `bytes` bytes and is read while valid only.
  void cycle(bool in_reset, bool valid, bool ready, const uint8_t* message, size_t bytes);
  template <class Word, size_t kWords>
  void cycle(bool in_reset, bool valid, bool ready, const std::array<Word, kWords>& message) {
    cycle(in_reset, valid, ready, reinterpret_cast<const uint8_t*>(message.data()), sizeof message);
  }

  /// A message moved in the last cycle.
  bool moved() const { return moved_; }
  /// Empty: none.
  const std::string& violation() const { return violation_; }

 private:
  void violate(const std::string& what) {
    if (violation_.empty()) violation_ = name_ + ": " + what;
  }

  std::string name_;
  unsigned ready_within_;
  std::vector<uint8_t> waiting_;  ///< the message that has to stay
  bool waits_ = false, moved_ = false;
  bool was_in_reset_ = false, was_ready_ = false;
  unsigned after_reset_ = 0;  ///< cycles
  std::string violation_;
};

}  // namespace cuvette::ip
