// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/pin_device.h"

namespace cuvette::ip {

/// A device of which a block with fewer ports uses the first ones; the others stay quiet.
class FirstPorts final : public PinDevice {
 public:
  /// `has`: channels of the device; `used`: of the block, each of them also in `has`.
  FirstPorts(std::unique_ptr<PinDevice> device, const std::vector<PinChannel>& has,
             const std::vector<PinChannel>& used)
      : device_(std::move(device)) {
    for (const PinChannel& pin : used) {
      unsigned at = 0;
      while (has[at].channel != pin.channel || has[at].port != pin.port) ++at;
      at_.push_back(at);
    }
  }

  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override { device_->drive(at_[channel], beat); }
  void accept(unsigned channel, bool ready) override { device_->accept(at_[channel], ready); }
  bool ready(unsigned channel) override { return device_->ready(at_[channel]); }
  bool sample(unsigned channel, uint8_t* beat) override {
    return device_->sample(at_[channel], beat);
  }
  void clock() override { device_->clock(); }
  std::optional<DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  std::unique_ptr<PinDevice> device_;
  std::vector<unsigned> at_;  ///< by channel of the block
};

/// The device, for a block with `used` of the ports it has.
template <size_t kCount>
std::unique_ptr<PinDevice> of_first_ports(std::unique_ptr<PinDevice> device,
                                          const contract::ChannelInfo (&channels)[kCount],
                                          const contract::PortCounts& has,
                                          const contract::PortCounts& used) {
  const auto all = pin_channels(channels, has), some = pin_channels(channels, used);
  if (all.size() == some.size()) return device;
  return std::make_unique<FirstPorts>(std::move(device), all, some);
}

}  // namespace cuvette::ip
