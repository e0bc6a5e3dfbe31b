// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ip/handshake_monitor.h"
#include "ip/vrf_device.h"

namespace cuvette::ip {

/// A register file with its pins watched: passes everything on and judges the handshake of every
/// port, the answers of the read ports among them; ready may wait for valid (docs/contracts.md), so
/// how soon it comes is left to who asks. What the environment drives is judged too: a
/// violation there is an error of whoever drives the device.
class VrfMonitor final : public VrfDevice {
 public:
  explicit VrfMonitor(std::unique_ptr<VrfDevice> device);

  void set_reset(bool active) override;
  void drive(const VrfInputs& inputs) override;
  void outputs(VrfOutputs& out) const override { device_->outputs(out); }
  void clock() override;
  /// The device's own failure first.
  std::optional<DeviceFailure> failure() const override;
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<VrfDevice> device_;
  std::vector<HandshakeMonitor> reads_, answers_, writes_;  ///< by port
  bool in_reset_ = false;
  VrfInputs inputs_;  ///< in this cycle
};

}  // namespace cuvette::ip
