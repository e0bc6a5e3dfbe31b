// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "cuvette.h"

namespace cuvette::c_interface {

/// Page of doorbells in plain memory, that of one machine. Any thread stores to them; value ~0:
/// nobody has rung it.
class DoorbellPage {
 public:
  DoorbellPage();
  uint64_t* doorbells() { return values_; }
  /// Rings what has been stored to since the last look. True when something had.
  bool look(cuvette_machine* machine);

 private:
  static constexpr uint64_t kSilent = ~uint64_t{0};
  alignas(4096) uint64_t values_[CUVETTE_DOORBELLS];
  uint64_t heard_[CUVETTE_DOORBELLS];
};

/// Thread that lets time of a machine pass from its construction to its destruction: in slices of
/// `slice` cycles, between which it looks at the doorbells; a slice each half millisecond of the
/// host while the machine is idle.
class Clock {
 public:
  Clock(cuvette_machine* machine, DoorbellPage& doorbells, uint64_t slice);
  ~Clock();
  /// Ends it. CUVETTE_OK, or the status of the wait that a watchdog or a defect has ended before.
  int stop();

 private:
  void run();

  cuvette_machine* machine_;
  DoorbellPage& doorbells_;
  uint64_t slice_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> ends_{false};
  int status_ = CUVETTE_OK;  // of the thread, until it has ended
  std::thread thread_;
};

}  // namespace cuvette::c_interface
