// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ip/common/verilated_model.h"
#include "ip/lockstep/pin_device.h"

namespace cuvette::ip {

/// A Verilated build of our own RTL as a PinDevice. `Ports` is made from the contract
/// (ip/dut_BLOCK.h). Private to the sources that include the build's header. The simulation
/// begins with the first use: most blocks of a machine stay idle.
template <class Model, class Ports, bool kTraces>
class VerilatedDevice final : public PinDevice {
 public:
  /// `straps` sets inputs that belong to no channel, before the reset; they stay. `prepares`:
  /// cycles behind each reset, with nothing offered, in which the block prepares itself.
  VerilatedDevice(uint64_t seed, std::vector<PinChannel> channels,
                  std::function<void(Model&)> straps = {}, uint64_t prepares = 0)
      : model_(seed),
        channels_(std::move(channels)),
        straps_(std::move(straps)),
        prepares_(prepares) {}

  void set_reset(bool active) override {
    begin();
    model_->rst_ni = !active;
    settled_ = false;
    for (uint64_t n = 0; !active && n < prepares_; ++n) clock();
  }
  void drive(unsigned channel, const uint8_t* beat) override {
    begin();
    Ports::drive(*model_, channel, beat);
    settled_ = false;
  }
  void accept(unsigned channel, bool ready) override {
    begin();
    Ports::accept(*model_, channel, ready);
    settled_ = false;
  }
  bool ready(unsigned channel) override {
    settle();
    return Ports::ready(*model_, channel);
  }
  bool sample(unsigned channel, uint8_t* beat) override {
    settle();
    return Ports::sample(*model_, channel, beat);
  }
  void clock() override {
    settle();
    model_.clock();
    settled_ = false;
  }
  std::optional<DeviceFailure> failure() const override { return model_.failure(); }
  base::Status trace(const std::string& path) override {
    begin();
    return model_.trace(path);
  }

 private:
  void begin() {
    if (!model_.begin()) return;
    if (straps_) straps_(*model_);
    reset(*this, channels_);
  }
  void settle() {
    if (settled_) return;
    settled_ = true;
    model_.settle();
  }

  VerilatedModel<Model, kTraces> model_;
  std::vector<PinChannel> channels_;
  std::function<void(Model&)> straps_;
  uint64_t prepares_;
  bool settled_ = false;
};

}  // namespace cuvette::ip
