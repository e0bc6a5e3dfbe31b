// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ip/dut_instance.h"
#include "ip/lockstep/pin_device.h"

namespace cuvette::ip {

/// A user's device, in a shared module (ip/dut.h), as a PinDevice.
class ModuleDevice final : public PinDevice {
 public:
  ModuleDevice(std::shared_ptr<const DutLibrary> library, cuvette_dut_instance* instance)
      : device_(std::move(library), instance) {}

  void set_reset(bool active) override { device_.reset(active); }
  void drive(unsigned channel, const uint8_t* beat) override { device_.drive(channel, beat); }
  void accept(unsigned channel, bool ready) override { device_.accept(channel, ready); }
  bool ready(unsigned channel) override { return device_.ready(channel); }
  bool sample(unsigned channel, uint8_t* beat) override { return device_.sample(channel, beat); }
  void clock() override { device_.clock(); }
  bool implements(const isa::Row& row, uint32_t modifiers) const override {
    return device_.implements(row, modifiers);
  }
  std::optional<DeviceFailure> failure() const override { return device_.failure(); }
  base::Status trace(const std::string& path) override { return device_.trace(path); }

 private:
  DutInstance device_;
};

}  // namespace cuvette::ip
