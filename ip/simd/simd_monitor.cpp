// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd/simd_monitor.h"

#include <utility>

namespace cuvette::ip {
namespace {

template <class Message>
std::optional<Message> copy(const Message* message) {
  return message != nullptr ? std::optional<Message>(*message) : std::nullopt;
}

}  // namespace

SimdMonitor::SimdMonitor(std::unique_ptr<SimdDevice> device)
    : DeviceMonitor(std::move(device)),
      issue_("issue", kReadyWithin),
      fill_("fill", kReadyWithin),
      read_("read", kReadyWithin),
      retire_("retire"),
      row_data_("row_data") {
  reset();
}

void SimdMonitor::drive(const SimdInputs& inputs) {
  issue_message_ = copy(inputs.issue);
  fill_message_ = copy(inputs.fill);
  read_message_ = copy(inputs.read);
  retire_ready_ = inputs.retire_ready;
  row_data_ready_ = inputs.row_data_ready;
  device_->drive(inputs);
}

void SimdMonitor::clock() {
  SimdOutputs out;
  device_->outputs(out);
  issue_.cycle(in_reset_, issue_message_.has_value(), out.issue_ready,
               issue_message_.value_or(SimdIssueMessage{}));
  fill_.cycle(in_reset_, fill_message_.has_value(), out.fill_ready,
              fill_message_.value_or(SimdFillMessage{}));
  read_.cycle(in_reset_, read_message_.has_value(), out.read_ready,
              read_message_.value_or(SimdReadMessage{}));
  retire_.cycle(in_reset_, out.retire_valid, retire_ready_, out.retire);
  row_data_.cycle(in_reset_, out.row_data_valid, row_data_ready_, out.row_data);
  device_->clock();
}

std::optional<DeviceFailure> SimdMonitor::failure() const {
  return first_failure({&retire_, &row_data_, &issue_, &fill_, &read_});
}

}  // namespace cuvette::ip
