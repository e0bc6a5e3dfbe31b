// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "ip/valu/valu_device.h"
#include "valu/operations.h"
#include "valu/valu.h"

// The RTL of the vector ALU of every target.
namespace cuvette {

/// The target whose RTL is judged in full by an operation: gfx908 where it has it.
inline isa::Target home_of(const valu::Operation& op) {
  if (op.on(isa::Target::Gfx908)) return isa::Target::Gfx908;
  for (const isa::Target target : isa::kAllTargets) {
    if (op.on(target)) return target;
  }
  return isa::Target::Gfx908;
}

/// A device with its pins as messages, one clock cycle at a time:
///
///     drive();  look at request_ready(), response_valid(), response();  clock();
class ValuPins {
 public:
  explicit ValuPins(std::unique_ptr<ip::PinDevice> device) : device_(std::move(device)) {}

  void reset() { ip::reset(*device_, ip::pin_channels(valu::kChannels)); }
  /// `request` null means not valid; `op` is its operation code, whatever its row.
  void drive(const valu::Request* request, uint16_t op, bool response_ready) {
    if (request != nullptr) {
      valu::Request coded = *request;
      coded.modifiers =
          valu::modifiers_of(*(isa::rows().begin() + request->row),
                             valu::encoding_of(request->modifiers), request->modifiers);
      coded.row = valu::kUnknownRow | op;
      request_ = contract::pack(coded);
    }
    device_->drive(
        0, request != nullptr ? reinterpret_cast<const uint8_t*>(request_.data()) : nullptr);
    device_->accept(1, response_ready);
    valid_ = device_->sample(1, reinterpret_cast<uint8_t*>(response_.data()));
  }
  bool request_ready() { return device_->ready(0); }
  bool response_valid() const { return valid_; }
  void response(valu::Response& out) const { contract::unpack(response_, out); }
  void clock() { device_->clock(); }
  std::optional<ip::DeviceFailure> failure() const { return device_->failure(); }
  base::Status trace(const std::string& path) { return device_->trace(path); }

 private:
  std::unique_ptr<ip::PinDevice> device_;
  contract::Pins<valu::Request> request_{};
  contract::Pins<valu::Response> response_{};
  bool valid_ = false;
};

/// The builds for speed, each made when it is first asked for.
class ValuDevices {
 public:
  ValuPins& of(isa::Target target) {
    auto& device = devices_[isa::index_of(target)];
    if (device == nullptr) device = std::make_unique<ValuPins>(ip::make_valu_fast(target));
    return *device;
  }
  ValuPins& of(const valu::Operation& op) { return of(home_of(op)); }

 private:
  std::array<std::unique_ptr<ValuPins>, isa::kTargets> devices_;
};

}  // namespace cuvette
