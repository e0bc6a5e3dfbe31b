// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "ip/lockstep/pin_link.h"
#include "ip/simd/simd_device.h"
#include "ip/simd/simd_on_pins.h"

namespace cuvette::ip {

/// SIMD whose work a device on pins does, without a comparison.
class SimdRtl final : public SimdOnPins {
 public:
  SimdRtl(std::unique_ptr<PinDevice> device, const simd::Config& config)
      : SimdOnPins(config),
        link_(simd::kChannels, *this, std::move(device), pin_channels(simd::kChannels)) {
    bind(link_);
  }

  void tick(machine::Cycle now) override { link_.tick(now); }
  machine::Cycle next_event() const override { return link_.next_event(); }
  /// Error of the device, or beats of a row that do not belong together.
  std::optional<DeviceFailure> failure() const { return link_.failure(); }

 private:
  PinEnd& end(unsigned pin) override { return link_.end(pin); }
  const PinDevice& pin_device() const override { return link_.device(); }
  void send(const simd::Fill& row) override { link_.inject(SimdPin::kFill, row); }

  PinLink<simd::Simd> link_;
};

}  // namespace cuvette::ip
