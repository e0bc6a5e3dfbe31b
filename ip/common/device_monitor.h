// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "ip/common/device_failure.h"
#include "ip/common/handshake_monitor.h"

namespace cuvette::ip {

/// A device with its pins watched, whatever its block: what the monitors have in common. They pass
/// everything on and judge it; what the environment drives is judged too, and a violation there is
/// an error of whoever drives the device.
template <class Device>
class DeviceMonitor : public Device {
 public:
  void set_reset(bool active) override {
    in_reset_ = active;
    device_->set_reset(active);
  }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 protected:
  /// Ready of a block, in cycles after a reset. The contracts ask for no number; this is far above
  /// any pipeline.
  static constexpr unsigned kReadyWithin = 16;

  explicit DeviceMonitor(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  /// The device's own failure, then the violations of channels, in this order.
  std::optional<DeviceFailure> first_failure(
      std::initializer_list<const HandshakeMonitor*> channels) const {
    if (auto own = device_->failure()) return own;
    for (const HandshakeMonitor* m : channels) {
      if (!m->violation().empty()) return DeviceFailure{"protocol", m->violation()};
    }
    return std::nullopt;
  }

  std::unique_ptr<Device> device_;
  bool in_reset_ = false;
};

}  // namespace cuvette::ip
