// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "ip/traffic/requester.h"
#include "isa/target.h"
#include "lds/lds.h"

namespace cuvette::ip::traffic {

/// Operation of a data share: kind, width and number of addresses of a request.
struct LdsOperation {
  wave::MemoryKind kind = wave::MemoryKind::Load;
  base::AtomicOp atomic = base::AtomicOp::Swap;
  uint8_t bytes = 4, accesses = 1;  ///< per access; accesses of a lane, 1 or 2
  bool operand_in_lds = false;      ///< the second address says where the operand is

  bool is_atomic() const { return kind >= wave::MemoryKind::Atomic; }
  bool returns() const {
    return kind == wave::MemoryKind::Load || kind == wave::MemoryKind::AtomicReturn;
  }
  bool operator==(const LdsOperation& o) const { return key() == o.key(); }
  bool operator<(const LdsOperation& o) const { return key() < o.key(); }

  std::tuple<wave::MemoryKind, base::AtomicOp, uint8_t, uint8_t, bool> key() const {
    return {kind, atomic, bytes, accesses, operand_in_lds};
  }
};
std::string text(const LdsOperation& o);

/// Operations that DS and FLAT instructions of a target make.
std::vector<LdsOperation> operations_of(isa::Target target);

/// Constrained-random requests of any operation: lanes far apart, near each other, in strides and
/// in one place, aligned and not, inside their allocation and not; corner-weighted data of every
/// format.
class LdsRequests {
 public:
  explicit LdsRequests(uint32_t seed) : rng_(seed) {}
  lds::Request make(const LdsOperation& o);
  /// A store of corner-weighted data where the last request had its allocation.
  lds::Request fill();
  uint32_t draw(uint32_t below) { return static_cast<uint32_t>(rng_() % below); }

 private:
  uint32_t dword();
  uint64_t lanes();
  void place(lds::Request& r);

  std::mt19937_64 rng_;
  uint32_t id_ = 0, base_ = 0, limit_ = 0;
};

/// Requester of a local data share: every operation of a target in turn. In half of the time
/// answers are not taken, so that they fill the channel and the block has to wait.
class LdsTraffic final : public Requester {
 public:
  struct Options {
    unsigned requests = 1000;  ///< in all
    uint32_t seed = 1;
  };
  /// The bytes of the block start as zeros.
  LdsTraffic(lds::Lds& lds, isa::Target target, const Options& options);

  bool step(machine::Cycle now) override;
  void follow(machine::Cycle now) override;
  uint64_t answers() const override { return answers_.size(); }
  Coverage coverage() const override { return coverage_; }

  const std::vector<lds::Request>& requests() const { return requests_; }
  const std::vector<lds::Response>& responses() const { return answers_; }

 private:
  lds::Lds& lds_;
  Options options_;
  LdsRequests maker_;
  std::vector<LdsOperation> operations_;
  std::vector<lds::Request> requests_;
  std::vector<lds::Response> answers_;
  Coverage coverage_;
};

}  // namespace cuvette::ip::traffic
