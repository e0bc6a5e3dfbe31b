// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "ip/common/device_monitor.h"
#include "ip/valu/valu_device.h"

namespace cuvette::ip {

/// Judges the handshake of both channels of a valu, and that every response has an id, beat and
/// pass under way. Requests are the environment's.
class ValuMonitor final : public DeviceMonitor<ValuDevice> {
 public:
  explicit ValuMonitor(std::unique_ptr<ValuDevice> device);

  void set_reset(bool active) override;
  void drive(const valu::Request* request, uint16_t op, bool response_ready) override;
  bool request_ready() const override { return device_->request_ready(); }
  bool response_valid() const override { return device_->response_valid(); }
  void response(valu::Response& out) const override { device_->response(out); }
  void clock() override;
  bool implements(const isa::Row& row, isa::Encoding encoding,
                  const isa::Modifiers& modifiers) const override {
    return device_->implements(row, encoding, modifiers);
  }
  /// The device's own failure first.
  std::optional<DeviceFailure> failure() const override;

 private:
  struct Tag {
    uint32_t id;
    uint8_t beat, pass;
  };

  HandshakeMonitor requests_, responses_;
  std::deque<Tag> under_way_;
  bool response_ready_ = false;
  std::optional<valu::Request> request_;  ///< of this cycle
  uint16_t op_ = 0;
  std::string unknown_;  ///< a response nobody asked for
};

}  // namespace cuvette::ip
