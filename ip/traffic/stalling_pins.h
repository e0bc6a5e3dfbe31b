// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ip/lockstep/pin_device.h"

namespace cuvette::ip::traffic {

/// Device whose channels stall by a seed: messages from it are held back in some cycles, and with
/// `both` those to it come late, too.
class StallingPins final : public ip::PinDevice {
 public:
  StallingPins(std::unique_ptr<ip::PinDevice> device, std::vector<ip::PinChannel> pins,
               uint32_t seed, bool both = false)
      : device_(std::move(device)),
        pins_(std::move(pins)),
        both_(both),
        open_(pins_.size(), true),
        rng_(seed) {}

  void set_reset(bool active) override { device_->set_reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override {
    device_->drive(channel, open_[channel] ? beat : nullptr);
  }
  void accept(unsigned channel, bool ready) override {
    device_->accept(channel, ready && open_[channel]);
  }
  bool ready(unsigned channel) override { return open_[channel] && device_->ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override {
    return device_->sample(channel, beat) && open_[channel];
  }
  void clock() override {
    // A channel to the device is held back only when what was offered has been taken.
    std::vector<bool> next = open_, changes(pins_.size());
    for (unsigned n = 0; n < pins_.size(); ++n) {
      changes[n] = !pins_[n].to_device || (both_ && (!open_[n] || device_->ready(n)));
    }
    device_->clock();
    const bool turn = left_ == 0;
    left_ = turn ? static_cast<unsigned>(rng_() % 200) : left_ - 1;
    for (unsigned n = 0; turn && n < pins_.size(); ++n) {
      if (stalls(n)) next[n] = rng_() % 2 == 0;
    }
    for (unsigned n = 0; left_ % 4 == 0 && n < pins_.size(); ++n) {
      if (stalls(n) && rng_() % 8 == 0) next[n] = !next[n];
    }
    for (unsigned n = 0; n < pins_.size(); ++n) {
      if (changes[n]) open_[n] = next[n];
    }
  }
  std::optional<ip::DeviceFailure> failure() const override { return device_->failure(); }
  base::Status trace(const std::string& path) override { return device_->trace(path); }

 private:
  bool stalls(unsigned channel) const { return both_ || !pins_[channel].to_device; }

  std::unique_ptr<ip::PinDevice> device_;
  std::vector<ip::PinChannel> pins_;
  bool both_;
  std::vector<bool> open_;
  std::mt19937 rng_;
  unsigned left_ = 0;  ///< cycles of this pattern
};

}  // namespace cuvette::ip::traffic
