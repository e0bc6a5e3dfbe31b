// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ip/common/handshake_monitor.h"
#include "ip/lockstep/pin_device.h"

namespace cuvette::ip {

/// Cycles after a reset in which every channel to the device is ready once. One port of several may
/// wait for another's request: it is not checked (0).
inline unsigned ready_within(const std::vector<PinChannel>& pins) {
  const bool several =
      std::any_of(pins.begin(), pins.end(), [](const PinChannel& pin) { return pin.port != 0; });
  return several ? 0 : 16;
}

/// Protocol checker of a device: every channel is watched by a HandshakeMonitor, whichever side
/// drives it. Passes everything on.
class PinMonitor final : public PinDevice {
 public:
  /// Resets the device. `ready_within`: cycles after a reset in which a channel to the device must
  /// be ready once.
  PinMonitor(std::unique_ptr<PinDevice> device, std::vector<PinChannel> channels,
             unsigned ready_within = 16);

  void set_reset(bool active) override;
  void drive(unsigned channel, const uint8_t* beat) override;
  void accept(unsigned channel, bool ready) override;
  bool ready(unsigned channel) override;
  bool sample(unsigned channel, uint8_t* beat) override;
  void clock() override;
  /// The device's own failure, then violations of channels from it, then of those to it.
  std::optional<DeviceFailure> failure() const override;
  bool implements(const isa::Row& row, uint32_t modifiers) const override {
    return device_->implements(row, modifiers);
  }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  struct Watched {
    HandshakeMonitor monitor;
    std::vector<uint8_t> beat;
    bool valid = false, ready = false;
  };

  std::unique_ptr<PinDevice> device_;
  std::vector<PinChannel> channels_;
  std::vector<Watched> watched_;
  bool in_reset_ = false;
};

}  // namespace cuvette::ip
