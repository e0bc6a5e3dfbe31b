// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ip/common/device_monitor.h"
#include "ip/vrf/vrf_device.h"

namespace cuvette::ip {

/// Judges the handshake of every port of a register file, the answers of the read ports among them;
/// ready may wait for valid (docs/contracts.md), so how soon it comes is left to who asks.
class VrfMonitor final : public DeviceMonitor<VrfDevice> {
 public:
  explicit VrfMonitor(std::unique_ptr<VrfDevice> device);

  void drive(const VrfInputs& inputs) override;
  void outputs(VrfOutputs& out) const override { device_->outputs(out); }
  void clock() override;
  /// The device's own failure first.
  std::optional<DeviceFailure> failure() const override;

 private:
  std::vector<HandshakeMonitor> reads_, answers_, writes_;  ///< by port
  VrfInputs inputs_;                                        ///< in this cycle
};

}  // namespace cuvette::ip
