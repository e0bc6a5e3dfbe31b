// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "ip/common/device_monitor.h"
#include "ip/matrix_core/matrix_device.h"

namespace cuvette::ip {

/// Judges the handshake of both channels of a matrix core. Operands are the environment's.
class MatrixMonitor final : public DeviceMonitor<MatrixDevice> {
 public:
  explicit MatrixMonitor(std::unique_ptr<MatrixDevice> device);

  void drive(const MatrixOperandsMessage* operands, bool result_ready) override;
  bool operands_ready() const override { return device_->operands_ready(); }
  bool result_valid() const override { return device_->result_valid(); }
  void result(MatrixResultMessage& out) const override { device_->result(out); }
  void clock() override;
  bool implements(const isa::Row& row) const override { return device_->implements(row); }
  /// The device's own failure first.
  std::optional<DeviceFailure> failure() const override;

 private:
  HandshakeMonitor operands_, results_;
  bool result_ready_ = false;
  std::optional<MatrixOperandsMessage> offered_;  ///< in this cycle
};

}  // namespace cuvette::ip
