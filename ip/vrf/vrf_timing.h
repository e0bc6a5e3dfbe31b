// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ip/lockstep/schedule.h"
#include "ip/vrf/vrf_cycle.h"

namespace cuvette::ip {

/// The schedule of a register file's ports (vrf.md, Timing), cycle by cycle: a read is taken when
/// its answer has room and no lower port takes the bank, its answer is there in the next cycle and
/// stays until taken, writes are always taken. Checks handshakes and beat numbers, no data.
class VrfTiming final : public Schedule {
 public:
  /// One cycle outside of reset. Empty when it keeps the rule.
  std::string check(const VrfInputs& in, const VrfOutputs& out);
  std::string check(const PinAdapter& pins, machine::Cycle now) override;
  /// The message that is at the pins of a port from now on.
  void offered(unsigned port, const vrf::Read& row);
  void offered(unsigned port, const vrf::Write& row);
  /// The row asked for last on a port.
  vrf::RowAddress asked(unsigned port) const { return in_.reads[port].address; }

  uint64_t compared() const override { return compared_; }  ///< beats read
  uint64_t conflicts() const { return conflicts_; }         ///< reads that waited for their bank

 private:
  struct Answer {
    bool waiting = false;
    uint8_t beat = 0;
  };
  std::array<Answer, vrf::kReadPorts> answers_;
  uint64_t compared_ = 0, conflicts_ = 0;
  // The pins of the cycle, with the messages that were offered.
  VrfInputs in_;
  VrfOutputs out_;
  std::array<uint64_t, vrf::kWritePorts> lanes_{};  ///< of the rows written
};

}  // namespace cuvette::ip
