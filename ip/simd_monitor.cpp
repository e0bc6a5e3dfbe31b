// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/simd_monitor.h"

#include <utility>

namespace cuvette::ip {
namespace {

/// The contract asks for no number; this is far above any pipeline.
constexpr unsigned kReadyWithin = 16;

template <class Message>
void judge(HandshakeMonitor& monitor, bool in_reset, bool valid, bool ready,
           const Message& message) {
  monitor.cycle(in_reset, valid, ready, reinterpret_cast<const uint8_t*>(message.data()),
                sizeof message);
}

template <class Message>
std::optional<Message> copy(const Message* message) {
  return message != nullptr ? std::optional<Message>(*message) : std::nullopt;
}

}  // namespace

SimdMonitor::SimdMonitor(std::unique_ptr<SimdDevice> device)
    : device_(std::move(device)),
      issue_("issue", kReadyWithin),
      fill_("fill", kReadyWithin),
      read_("read", kReadyWithin),
      retire_("retire"),
      row_data_("row_data") {
  reset();
}

void SimdMonitor::set_reset(bool active) {
  in_reset_ = active;
  device_->set_reset(active);
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
  judge(issue_, in_reset_, issue_message_.has_value(), out.issue_ready,
        issue_message_.value_or(SimdIssueMessage{}));
  judge(fill_, in_reset_, fill_message_.has_value(), out.fill_ready,
        fill_message_.value_or(SimdFillMessage{}));
  judge(read_, in_reset_, read_message_.has_value(), out.read_ready,
        read_message_.value_or(SimdReadMessage{}));
  judge(retire_, in_reset_, out.retire_valid, retire_ready_, out.retire);
  judge(row_data_, in_reset_, out.row_data_valid, row_data_ready_, out.row_data);
  device_->clock();
}

std::optional<DeviceFailure> SimdMonitor::failure() const {
  if (auto own = device_->failure()) return own;
  for (const HandshakeMonitor* m : {&retire_, &row_data_, &issue_, &fill_, &read_}) {
    if (!m->violation().empty()) return DeviceFailure{"protocol", m->violation()};
  }
  return std::nullopt;
}

}  // namespace cuvette::ip
