// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "handle.h"

namespace cuvette::python {

/// Settings of a dispatch beside its kernel and arguments.
struct LaunchShape {
  uint32_t dimensions = 1;
  std::array<uint32_t, 3> grid{1, 1, 1};       ///< work-items
  std::array<uint32_t, 3> workgroup{1, 1, 1};  ///< work-items
  uint32_t group_bytes = 0;                    ///< dynamic group memory
  uint32_t stack_bytes = 0;                    ///< of a work-item, for kernels with a dynamic stack
  std::array<uint64_t, 3> offset{0, 0, 0};     ///< global offset of OpenCL
};

/// Times of a packet that is over, in cycles.
struct PacketTimes {
  uint64_t begin = 0, end = 0;
};

/// An AQL queue in the first slot of the first micro engine, as a driver makes it: a ring of
/// packets, an amd_queue_t, an inactive signal, and per slot of the ring a completion signal and a
/// kernarg segment. All of it is memory of the host, so that a launch is one doorbell.
class Queue {
 public:
  static constexpr unsigned kPackets = 64;

  /// Throws CallFailed.
  explicit Queue(std::shared_ptr<Handle> handle);

  /// Puts a dispatch into the ring; its number. Waits while the ring is full. Throws CallFailed: an
  /// argument or size that is wrong, and nothing is launched; the queue has stopped.
  uint64_t submit(const cuvette_kernel& kernel, const LaunchShape& shape,
                  const std::vector<std::string>& arguments);

  enum class State { Running, Done, Failed, Lost };
  /// Lost: the queue was reset before the packet was over, or has stopped at one before it.
  State state(uint64_t packet) const;
  /// Until the packet is not Running any more. Throws CallFailed: the limit, cancels and watchdogs.
  State wait(uint64_t packet, uint64_t most_cycles);
  /// Times of a packet that is Done, while the 64 packets behind it are not launched.
  PacketTimes times(uint64_t packet) const;
  /// Error bits of the inactive signal (docs/reference/command_processor.md); 0: none.
  uint64_t error() const;
  /// The packet that has stopped the queue.
  std::optional<uint64_t> failed() const;
  /// Ends what is under way and makes the queue anew. Throws CallFailed.
  void reset();

 private:
  struct Slot {
    uint64_t packet = ~uint64_t{0};
    uint32_t kernarg_bytes = 0;
    Block kernarg;
  };
  bool is_done(unsigned place) const;  // the packet in it
  void activate();
  void write_register(uint32_t offset, uint32_t value);
  void provide_scratch(uint32_t item_bytes);
  uint8_t* signal(unsigned slot) const { return signals_.memory->data() + 64 * slot; }

  std::shared_ptr<Handle> handle_;
  Block ring_, queue_, signals_, mailboxes_;
  std::array<Slot, kPackets> slots_;
  uint64_t next_ = 0;   // packet
  uint64_t first_ = 0;  // of the packets since the last reset
  std::set<uint64_t> lost_;
  uint32_t scratch_item_bytes_ = 0;
};

}  // namespace cuvette::python
