// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cuvette.h"

namespace cuvette::c_interface {

/// AQL queue of the library for one dispatch at a time: ring, amd_queue_t, completion signal,
/// inactive signal, kernarg segment and scratch memory, made at the first dispatch, in the last
/// slot of micro engine 1 with the last doorbell. Functions return a cuvette_status, and
/// cuvette_error_text() says more.
class LaunchQueue {
 public:
  explicit LaunchQueue(cuvette_machine* machine) : machine_(machine) {}
  /// A dispatch from the packet to its end. CUVETTE_ERROR_KERNEL: it has failed; the queue is made
  /// anew at the next one.
  int run(const cuvette_kernel& kernel, const cuvette_launch& launch,
          const cuvette_argument* arguments, size_t count, uint64_t most_cycles);
  /// A reset of the device has emptied the slots: the next dispatch makes the queue anew. From any
  /// thread.
  void lose_slot() { lost_ = true; }
  /// Reports from before the last dispatch that nobody has taken.
  std::string take_earlier_reports();

 private:
  int prepare();
  int activate();
  int take_away();
  int provide_scratch(uint32_t item_bytes);
  int provide_kernarg(uint32_t bytes);
  int new_reports(std::string& text);
  int await(const cuvette_kernel& kernel, uint64_t most_cycles);
  int select(bool own);
  int allocate(uint64_t bytes, uint32_t flags, uint64_t& address);
  int write(uint64_t address, const void* data, size_t bytes);
  template <class T>
  int put(uint64_t address, T value) {
    return write(address, &value, sizeof value);
  }

  cuvette_machine* machine_;
  uint64_t ring_ = 0, queue_ = 0, signals_ = 0, mailboxes_ = 0;  // of two signals; 0: not made
  bool active_ = false;
  std::atomic<bool> lost_ = false;
  std::mutex reports_mutex_;
  std::string earlier_reports_;
  uint64_t next_ = 0;  // packet
  uint64_t kernarg_ = 0, kernarg_bytes_ = 0;
  uint64_t scratch_ = 0;
  uint32_t scratch_item_bytes_ = 0;
};

}  // namespace cuvette::c_interface
