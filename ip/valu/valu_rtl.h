// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "ip/valu/valu_device.h"
#include "valu/valu.h"

namespace cuvette::ip {

/// The contract of valu answered by RTL: moves messages between the channels and the pins, one
/// clock cycle per tick. While nothing is under way the clock stands still; the block is stateless,
/// so nothing is lost.
///
/// Time: a request visible at cycle t is taken in cycle t when the pipeline is not stalled and its
/// response is visible at t + 4 (three stages, one cycle of the channel).
class ValuRtl final : public valu::Valu {
 public:
  explicit ValuRtl(std::unique_ptr<ValuDevice> device, isa::Target target = isa::Target::Gfx908);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  /// The target's instructions of rtl/valu/valu_ops.csv with every modifier they have.
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override;

  ValuDevice& device() { return *device_; }

 private:
  std::unique_ptr<ValuDevice> device_;
  isa::Target target_;
  std::vector<uint16_t> codes_;  ///< operation code by row
  unsigned in_flight_ = 0;
  machine::Cycle last_ = 0;
};

}  // namespace cuvette::ip
