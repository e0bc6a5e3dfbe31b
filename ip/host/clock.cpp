// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A clock that runs by itself, and doorbells in memory.
#include "clock.h"

#include <algorithm>
#include <chrono>

#include "handle.h"

namespace cuvette::c_interface {
namespace {

constexpr auto kNap = std::chrono::microseconds(500);

}  // namespace

DoorbellPage::DoorbellPage() {
  std::fill_n(values_, CUVETTE_DOORBELLS, kSilent);
  std::fill_n(heard_, CUVETTE_DOORBELLS, kSilent);
}

bool DoorbellPage::look(cuvette_machine* machine) {
  bool rang = false;
  for (uint32_t i = 0; i < CUVETTE_DOORBELLS; ++i) {
    const uint64_t value = __atomic_load_n(values_ + i, __ATOMIC_ACQUIRE);
    if (value == heard_[i]) continue;
    heard_[i] = value;
    // A refusal (doorbells are off) is as silent as that of hardware.
    if (value != kSilent) rang |= cuvette_doorbell(machine, i, value) == CUVETTE_OK;
  }
  return rang;
}

Clock::Clock(cuvette_machine* machine, DoorbellPage& doorbells, uint64_t slice)
    : machine_(machine), doorbells_(doorbells), slice_(slice), thread_([this] { run(); }) {}

Clock::~Clock() {
  stop();
}

int Clock::stop() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  return status_;
}

void Clock::run() {
  while (!ends_) {
    const bool rang = doorbells_.look(machine_);
    const int status = cuvette_run_until_idle(machine_, slice_);
    if (status == CUVETTE_ERROR_TIMEOUT || status == CUVETTE_ERROR_CANCELLED) continue;
    if (status != CUVETTE_OK) {
      status_ = status;
      return;
    }
    if (rang) continue;
    (void)cuvette_advance(machine_, slice_);
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, kNap, [this] { return ends_.load(); });
  }
}

}  // namespace cuvette::c_interface

using namespace cuvette::c_interface;

extern "C" {

int cuvette_clock(cuvette_machine* machine, int runs) {
  return guarded([&] {
    if (machine == nullptr) return wrong_argument("the machine is null");
    if (machine->port->in_own_thread()) {
      return fail(CUVETTE_ERROR_CALL, "not inside a callback");
    }
    const std::lock_guard lock(machine->clock_mutex);
    if (runs != 0) {
      if (machine->clock == nullptr) {
        machine->clock = std::make_unique<Clock>(machine, machine->doorbells, machine->quantum);
      }
      return int{CUVETTE_OK};
    }
    if (machine->clock == nullptr) return int{CUVETTE_OK};
    const int status = machine->clock->stop();
    machine->clock.reset();
    if (status == CUVETTE_OK) return status;
    return fail(status, status == CUVETTE_ERROR_WATCHDOG
                            ? "a watchdog has stopped the clock; cuvette_hang_report tells who "
                              "waits for what"
                            : "the simulation broke off while the clock ran");
  });
}

int cuvette_doorbells(cuvette_machine* machine, volatile uint64_t** doorbells) {
  if (machine == nullptr) return wrong_argument("the machine is null");
  if (doorbells == nullptr) return wrong_argument("no place for the doorbells");
  *doorbells = machine->doorbells.doorbells();
  return CUVETTE_OK;
}

}  // extern "C"
