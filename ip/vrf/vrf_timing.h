// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ip/vrf/vrf_device.h"

namespace cuvette::ip {

/// When a register file's ports move (docs/vrf.md, Timing), cycle by cycle: a read is taken when
/// its answer has room and no lower port takes the bank, its answer is there in the next cycle and
/// stays until taken, writes are always taken. Judges handshakes and beat numbers, no data.
class VrfTiming {
 public:
  /// One cycle outside of reset. Empty when it keeps the rule.
  std::string check(const VrfInputs& in, const VrfOutputs& out);

  uint64_t compared() const { return compared_; }    ///< beats read whose time was compared
  uint64_t conflicts() const { return conflicts_; }  ///< reads that waited for their bank

 private:
  struct Answer {
    bool waiting = false;
    uint8_t beat = 0;
  };
  std::array<Answer, vrf::kReadPorts> answers_;
  uint64_t compared_ = 0, conflicts_ = 0;
};

}  // namespace cuvette::ip
