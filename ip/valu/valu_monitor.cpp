// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu/valu_monitor.h"

#include <algorithm>
#include <utility>

#include "ip/valu/valu_message.h"

namespace cuvette::ip {

ValuMonitor::ValuMonitor(std::unique_ptr<ValuDevice> device)
    : DeviceMonitor(std::move(device)), requests_("request", kReadyWithin), responses_("response") {
  reset();
}

void ValuMonitor::set_reset(bool active) {
  if (active) under_way_.clear();
  DeviceMonitor::set_reset(active);
}

void ValuMonitor::drive(const valu::Request* request, uint16_t op, bool response_ready) {
  request_.reset();
  if (request != nullptr) request_ = *request;
  op_ = op;
  response_ready_ = response_ready;
  device_->drive(request, op, response_ready);
}

void ValuMonitor::clock() {
  ValuRequestMessage asked{};
  if (request_) asked = pack(*request_, op_);
  const bool taken_ready = device_->request_ready();
  requests_.cycle(in_reset_, request_.has_value(), taken_ready, asked);
  const bool valid = device_->response_valid();
  ValuResponseMessage answered{};
  valu::Response r;
  if (valid) {
    device_->response(r);
    answered = pack(r);
  }
  responses_.cycle(in_reset_, valid, response_ready_, answered.data(), answered.size());
  if (valid && !in_reset_ && unknown_.empty()) {
    const auto found = std::find_if(under_way_.begin(), under_way_.end(), [&r](const Tag& t) {
      return t.id == r.id && t.beat == r.beat && t.pass == r.pass;
    });
    if (found == under_way_.end()) {
      unknown_ = "response: id " + std::to_string(r.id) + " beat " + std::to_string(r.beat) +
                 " pass " + std::to_string(r.pass) + " is not under way";
    } else if (responses_.moved() && found != under_way_.end()) {
      under_way_.erase(found);
    }
  }
  if (requests_.moved() && request_) {
    under_way_.push_back({request_->id, request_->beat, request_->pass});
  }
  device_->clock();
}

std::optional<DeviceFailure> ValuMonitor::failure() const {
  if (auto found = first_failure({&responses_})) return found;
  if (!unknown_.empty()) return DeviceFailure{"protocol", unknown_};
  return first_failure({&requests_});
}

}  // namespace cuvette::ip
