// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ip/handshake_monitor.h"
#include "ip/matrix_device.h"

namespace cuvette::ip {

/// A matrix core with its pins watched: passes everything on and judges the handshake of both
/// channels. Operands are the environment's: a violation there is an error of whoever drives the
/// device, and is named so.
class MatrixMonitor final : public MatrixDevice {
 public:
  explicit MatrixMonitor(std::unique_ptr<MatrixDevice> device);

  void set_reset(bool active) override;
  void drive(const MatrixOperandsMessage* operands, bool result_ready) override;
  bool operands_ready() const override { return device_->operands_ready(); }
  bool result_valid() const override { return device_->result_valid(); }
  void result(MatrixResultMessage& out) const override { device_->result(out); }
  void clock() override;
  bool implements(const isa::Row& row) const override { return device_->implements(row); }
  /// The device's own failure first.
  std::optional<DeviceFailure> failure() const override;
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<MatrixDevice> device_;
  HandshakeMonitor operands_, results_;
  bool in_reset_ = false, result_ready_ = false;
  std::optional<MatrixOperandsMessage> offered_;  ///< in this cycle
};

}  // namespace cuvette::ip
