// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ip/handshake_monitor.h"
#include "ip/simd_device.h"

namespace cuvette::ip {

/// A simd with its pins watched: passes everything on and judges the handshake of all five
/// channels. What the environment drives is judged too: a violation there is an error of whoever
/// drives the device.
class SimdMonitor final : public SimdDevice {
 public:
  explicit SimdMonitor(std::unique_ptr<SimdDevice> device);

  void set_reset(bool active) override;
  void drive(const SimdInputs& inputs) override;
  void outputs(SimdOutputs& out) const override { device_->outputs(out); }
  void clock() override;
  bool implements(const isa::Row& row) const override { return device_->implements(row); }
  /// The device's own failure first.
  std::optional<DeviceFailure> failure() const override;
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<SimdDevice> device_;
  HandshakeMonitor issue_, fill_, read_, retire_, row_data_;
  bool in_reset_ = false;
  // In this cycle.
  std::optional<SimdIssueMessage> issue_message_;
  std::optional<SimdFillMessage> fill_message_;
  std::optional<SimdReadMessage> read_message_;
  bool retire_ready_ = false, row_data_ready_ = false;
};

}  // namespace cuvette::ip
