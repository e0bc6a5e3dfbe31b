// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "lds/lds_tlm.h"

// For tests of rtl/lds: operations, random requests, the schedule of docs/lds.md worked out again.
namespace cuvette::lds::testing {

using machine::Cycle;

/// What distinguishes one operation of the block from another, but for subnormals and addresses.
struct Operation {
  wave::MemoryKind kind = wave::MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  uint8_t bytes = 4, accesses = 1;
  bool operand_in_lds = false;

  bool is_atomic() const { return kind >= wave::MemoryKind::Atomic; }
  bool returns() const {
    return kind == wave::MemoryKind::Load || kind == wave::MemoryKind::AtomicReturn;
  }
  auto operator<=>(const Operation&) const = default;
};
std::string text(const Operation& o);

/// Those that DS and FLAT instructions of a target make.
std::vector<Operation> operations_of(isa::Target target);

/// Random requests of any operation: lanes far apart, near each other, in strides and in one place,
/// aligned and not, inside their allocation and not; corner-weighted data of every format.
class RequestMaker {
 public:
  explicit RequestMaker(uint32_t seed) : rng_(seed) {}
  Request make(const Operation& o);
  /// A store of corner-weighted data where the last request had its allocation.
  Request fill();
  uint32_t draw(uint32_t below) { return static_cast<uint32_t>(rng_() % below); }

 private:
  uint32_t dword();
  uint64_t lanes();
  void place(Request& r);

  std::mt19937_64 rng_;
  uint32_t id_ = 0, base_ = 0, limit_ = 0;
};

/// The cycles of a request in the banks, those that conflicts cost among them.
struct Cost {
  uint32_t busy = 0, conflict = 0;
};
Cost cost_of(const Request& r);

/// The times of rtl/lds as the page has them, in cycles of its clock.
class Schedule {
 public:
  static constexpr uint32_t kLatency = 64, kSlots = 4, kBeats = 4, kAtomicLanes = 64;

  /// What the block does in the next cycle.
  bool request_ready() const { return whole_.size() < 2; }
  bool response_valid() const { return !due_.empty() && due_.front() <= now_; }
  /// The end of the cycle: a beat of `r` was taken, one of an answer was given.
  void clock(const Request* taken, bool given);
  Cycle now() const { return now_; }

 private:
  struct Whole {
    Cost cost;
    bool atomic;
  };
  Cycle now_ = 0, ends_ = 0;
  std::deque<Whole> whole_;
  std::deque<Cycle> due_;
  bool serves_ = false;
  unsigned taken_ = 0, given_ = 0;
};

}  // namespace cuvette::lds::testing
