// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_monitor.h"

#include <utility>

namespace cuvette::ip {
namespace {

/// The contract asks for no number; this is far above any pipeline.
constexpr unsigned kReadyWithin = 16;

template <class Message>
const uint8_t* bytes_of(const Message& message) {
  return reinterpret_cast<const uint8_t*>(message.data());
}

}  // namespace

MatrixMonitor::MatrixMonitor(std::unique_ptr<MatrixDevice> device)
    : device_(std::move(device)), operands_("operands", kReadyWithin), results_("result") {
  reset();
}

void MatrixMonitor::set_reset(bool active) {
  in_reset_ = active;
  device_->set_reset(active);
}

void MatrixMonitor::drive(const MatrixOperandsMessage* operands, bool result_ready) {
  offered_.reset();
  if (operands != nullptr) offered_ = *operands;
  result_ready_ = result_ready;
  device_->drive(operands, result_ready);
}

void MatrixMonitor::clock() {
  const MatrixOperandsMessage offered = offered_.value_or(MatrixOperandsMessage{});
  operands_.cycle(in_reset_, offered_.has_value(), device_->operands_ready(), bytes_of(offered),
                  sizeof offered);
  MatrixResultMessage answer{};
  const bool valid = device_->result_valid();
  if (valid) device_->result(answer);
  results_.cycle(in_reset_, valid, result_ready_, bytes_of(answer), sizeof answer);
  device_->clock();
}

std::optional<DeviceFailure> MatrixMonitor::failure() const {
  if (auto own = device_->failure()) return own;
  for (const std::string* text : {&results_.violation(), &operands_.violation()}) {
    if (!text->empty()) return DeviceFailure{"protocol", *text};
  }
  return std::nullopt;
}

}  // namespace cuvette::ip
