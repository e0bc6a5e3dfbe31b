// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "ip/handshake_monitor.h"
#include "ip/valu_device.h"

namespace cuvette::ip {

/// A valu with its pins watched: passes everything on and judges the handshake of both channels,
/// and that every response has an id, beat and pass under way. Requests are the environment's: a
/// violation there is an error of whoever drives the device, and is named so.
class ValuMonitor final : public ValuDevice {
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
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  struct Tag {
    uint32_t id;
    uint8_t beat, pass;
  };

  std::unique_ptr<ValuDevice> device_;
  HandshakeMonitor requests_, responses_;
  std::deque<Tag> under_way_;
  bool in_reset_ = false, response_ready_ = false;
  std::optional<valu::Request> request_;  ///< of this cycle
  uint16_t op_ = 0;
  std::string unknown_;  ///< a response nobody asked for
};

}  // namespace cuvette::ip
