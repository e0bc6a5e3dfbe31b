// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "gds/share_schedule.h"

#include <algorithm>

#include "gds/share_data.h"

namespace cuvette::gds {

using machine::Cycle;
using machine::kNever;

namespace {

constexpr unsigned kAnswersUnderWay = 4;
constexpr unsigned kBankBytes = 4;
/// The atomic units serve a lane a cycle and write the last one's result in a further one.
constexpr uint32_t kAtomicCycles = wave::kLanes + 1;

unsigned banks_of(const Config& config) {
  return std::clamp(config.bytes_per_cycle / kBankBytes, 1u, lds::Banks::kMost);
}

}  // namespace

ShareSchedule::ShareSchedule(const Config& config)
    : banks_(banks_of(config), std::min(banks_of(config), wave::kLanes)),
      latency_(std::max(1u, config.latency_cycles)),
      answers_(kAnswersUnderWay) {}

void ShareSchedule::take(const Request& r, uint32_t size, const Answer& answer, Cycle at) {
  const lds::BankCycles cycles = cost(r, size);
  const uint32_t least = is_atomic(r) ? kAtomicCycles : 1;
  free_from_[taken_++ % free_from_.size()] = kNever;
  whole_.push_back({at + 1, std::max(least, cycles.busy), cycles.conflict, answer});
}

Cycle ShareSchedule::next_start() const {
  if (whole_.empty()) return kNever;
  return std::max({whole_.front().from, serves_until_, answers_.room_from()});
}

void ShareSchedule::start(Cycle now) {
  const Whole& w = whole_.front();
  serves_until_ = now + w.busy;
  free_from_[started_++ % free_from_.size()] = serves_until_;
  // A short latency ends with the last cycle in the banks.
  answers_.push(w.answer, std::max(now + latency_ + w.conflict, serves_until_ - 1));
  whole_.pop_front();
}

lds::BankCycles ShareSchedule::cost(const Request& r, uint32_t size) const {
  lds::BankCycles total;
  const unsigned places = r.operand_in_gds ? 2 : r.accesses;
  for (unsigned which = 0; which < places; ++which) {
    const uint64_t lanes = r.exec[r.operand_in_gds ? 0 : which];
    total += banks_.cycles_of(lanes, 0, size, r.offset[which], r.bytes, is_atomic(r));
  }
  return total;
}

}  // namespace cuvette::gds
