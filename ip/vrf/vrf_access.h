// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "ip/common/device_failure.h"
#include "vrf/vrf.h"
#include "vrf/vrf_ports.h"

namespace cuvette::ip {

/// Row accesses on the channels of a register file, each finished when it returns. The contract
/// takes no time, so the clock of the device runs for as many cycles as an access needs and stands
/// still otherwise; it is never behind the machine's.
class VrfAccess {
 public:
  /// The contract asks for four cycles a row; this is far above any register file.
  static constexpr unsigned kMostCycles = 256;

  /// `step`: one clock cycle of the device; false ends the access.
  VrfAccess(vrf::VrfPorts& ports, std::function<bool(machine::Cycle)> step)
      : ports_(ports), step_(std::move(step)) {}

  void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address, wave::LaneRow& out) {
    const auto p = static_cast<unsigned>(port);
    begin(now);
    ports_.reads[p].push(vrf::Read{address}, clock_);
    machine::Channel<vrf::ReadData>& answers = ports_.answers[p];
    const bool done = run([&] { return answers.front(clock_) != nullptr; });
    if (done) {
      out = answers.front(clock_)->data;
      answers.drop(clock_);
    } else {
      give_up("read port " + std::to_string(p) + ": no answer");
    }
  }
  void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
             const wave::LaneRow& data) {
    const auto p = static_cast<unsigned>(port);
    begin(now);
    ports_.writes[p].push(vrf::Write{address, lanes, data}, clock_);
    const bool done = run([&] { return ports_.writes[p].empty(); });
    if (!done) give_up("write port " + std::to_string(p) + ": not ready");
  }

  /// An access that the device did not finish.
  const std::optional<DeviceFailure>& failure() const { return failure_; }

 private:
  void begin(machine::Cycle now) { clock_ = std::max(clock_, now); }
  template <class Done>
  bool run(Done&& done) {
    for (unsigned n = 0; n < kMostCycles && !failure_; ++n) {
      if (!step_(clock_++)) return false;
      if (done()) return true;
    }
    return false;
  }
  void give_up(const std::string& what) {
    if (failure_) return;
    failure_ = {"protocol", what + " in " + std::to_string(kMostCycles) + " cycles"};
  }

  vrf::VrfPorts& ports_;
  std::function<bool(machine::Cycle)> step_;
  machine::Cycle clock_ = 0;
  std::optional<DeviceFailure> failure_;
};

}  // namespace cuvette::ip
