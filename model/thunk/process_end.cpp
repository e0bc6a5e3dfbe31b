// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/process_end.h"

#include <csignal>
#include <ctime>

#include "thunk/driver.h"

namespace cuvette::thunk {
namespace {

constexpr int kFatal[] = {SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
/// Longest time that a dying process waits for its report.
constexpr int kMostTenths = 50;

/// Only what signal handlers may do.
void end_by(int signal) {
  Driver* driver = Driver::instance();
  if (driver != nullptr && !driver->simulation().is_own_thread()) {
    driver->finish_by_signal(signal);
    for (int i = 0; i < kMostTenths && !driver->has_finished(); ++i) {
      const timespec tenth{0, 100'000'000};
      nanosleep(&tenth, nullptr);
    }
  }
  // The handler was for one time: now the signal does what it does.
  raise(signal);
}

__attribute__((destructor)) void end_of_process() {
  if (Driver* driver = Driver::instance(); driver != nullptr) driver->finish();
}

}  // namespace

void report_at_end() {
  for (const int signal : kFatal) {
    struct sigaction present = {};
    if (sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction own = {};
    own.sa_handler = end_by;
    own.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(signal, &own, nullptr);
  }
}

}  // namespace cuvette::thunk
