// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gds/gds.h"
#include "ip/gds/gds_seat.h"
#include "ip/traffic/lds_traffic.h"

namespace cuvette::ip::traffic {

/// Requester of a global data share: waves of several compute units begin and end, send accesses of
/// every operation, and nothing behind a request with `sync` before its answer; some that wait are
/// withdrawn.
class GdsTraffic final : public Requester {
 public:
  struct Counts {
    unsigned accesses = 0, syncs = 0, counts = 0, withdrawals = 0, waited = 0;
  };
  /// `accesses`: whether there are any; `requests`: in all, withdrawals apart.
  GdsTraffic(ip::GdsSeat& seat, uint32_t seed, unsigned requests, bool accesses = true);

  bool step(machine::Cycle now) override;
  uint64_t answers() const override { return answers_.size(); }
  Coverage coverage() const override;
  const Counts& counts() const { return counts_; }
  /// Answers as they came: compute unit, id.
  const std::vector<std::pair<unsigned, uint32_t>>& answered() const { return answers_; }
  /// Between the cycles of taken and answer, the most.
  uint64_t longest() const { return longest_; }

 private:
  struct Wave {
    uint64_t id = 0;
    uint32_t dispatch = 0, sync = 0;  ///< sync: id of the request that it waits for, 0: none
    unsigned unit = 0, under_way = 0, left = 0;
    bool known = false, withdrawn = false;
    machine::Cycle since = 0;
  };
  void begin(machine::Cycle now);
  void end(size_t at, machine::Cycle now);
  void send(Wave& wave, machine::Cycle now);
  gds::Request access();
  gds::Request sync(const Wave& wave);
  void withdraw(Wave& wave, machine::Cycle now);
  void take(machine::Cycle now);
  uint32_t draw(uint32_t below) { return maker_.draw(below); }

  ip::GdsSeat& seat_;
  LdsRequests maker_;
  std::vector<LdsOperation> operations_;
  unsigned left_;
  bool accesses_;
  std::vector<Wave> waves_;
  std::map<uint32_t, std::pair<uint64_t, machine::Cycle>> owner_;  ///< by id: wave, taken at
  std::vector<std::pair<unsigned, uint32_t>> answers_;
  uint64_t next_wave_ = 1, longest_ = 0;
  uint32_t next_id_ = 1;
  Counts counts_;
  Coverage coverage_;
};

}  // namespace cuvette::ip::traffic
