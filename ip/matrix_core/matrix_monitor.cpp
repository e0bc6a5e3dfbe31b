// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_monitor.h"

#include <utility>

namespace cuvette::ip {

MatrixMonitor::MatrixMonitor(std::unique_ptr<MatrixDevice> device)
    : DeviceMonitor(std::move(device)), operands_("operands", kReadyWithin), results_("result") {
  reset();
}

void MatrixMonitor::drive(const MatrixOperandsMessage* operands, bool result_ready) {
  offered_.reset();
  if (operands != nullptr) offered_ = *operands;
  result_ready_ = result_ready;
  device_->drive(operands, result_ready);
}

void MatrixMonitor::clock() {
  operands_.cycle(in_reset_, offered_.has_value(), device_->operands_ready(),
                  offered_.value_or(MatrixOperandsMessage{}));
  MatrixResultMessage answer{};
  const bool valid = device_->result_valid();
  if (valid) device_->result(answer);
  results_.cycle(in_reset_, valid, result_ready_, answer);
  device_->clock();
}

std::optional<DeviceFailure> MatrixMonitor::failure() const {
  return first_failure({&results_, &operands_});
}

}  // namespace cuvette::ip
