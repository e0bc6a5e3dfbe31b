// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "ip/lockstep/pin_link.h"
#include "ip/valu/valu_device.h"
#include "valu/valu.h"

namespace cuvette::ip {

/// Vector ALU whose work a device on pins does, without a comparison. The block is stateless, so
/// that the clock of the device stands still while nothing is under way.
///
/// Time: a request visible at cycle t is taken in cycle t when the pipeline is not stalled, and its
/// response is visible at t + 4 (three stages, one cycle of the channel).
class ValuRtl final : public valu::Valu {
 public:
  explicit ValuRtl(std::unique_ptr<PinDevice> device, isa::Target target = isa::Target::Gfx908)
      : target_(target),
        link_(valu::kChannels, *this, std::move(device), pin_channels(valu::kChannels)) {}

  void tick(machine::Cycle now) override { link_.tick(now); }
  machine::Cycle next_event() const override { return link_.next_event(); }
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override {
    return has_valu_circuit(link_.device(), target_, row, encoding, modifiers);
  }

  /// Error of the device.
  std::optional<DeviceFailure> failure() const { return link_.failure(); }

 private:
  isa::Target target_;
  PinLink<valu::Valu> link_;
};

}  // namespace cuvette::ip
