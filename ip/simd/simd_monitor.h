// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "ip/common/device_monitor.h"
#include "ip/simd/simd_device.h"

namespace cuvette::ip {

/// Judges the handshake of all five channels of a simd.
class SimdMonitor final : public DeviceMonitor<SimdDevice> {
 public:
  explicit SimdMonitor(std::unique_ptr<SimdDevice> device);

  void drive(const SimdInputs& inputs) override;
  void outputs(SimdOutputs& out) const override { device_->outputs(out); }
  void clock() override;
  bool implements(const isa::Row& row) const override { return device_->implements(row); }
  /// The device's own failure first.
  std::optional<DeviceFailure> failure() const override;

 private:
  HandshakeMonitor issue_, fill_, read_, retire_, row_data_;
  // In this cycle.
  std::optional<SimdIssueMessage> issue_message_;
  std::optional<SimdFillMessage> fill_message_;
  std::optional<SimdReadMessage> read_message_;
  bool retire_ready_ = false, row_data_ready_ = false;
};

}  // namespace cuvette::ip
