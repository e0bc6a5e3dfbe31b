// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "ip/common/verilated_model.h"

namespace cuvette::ip {

/// What the pins of every device do alike. Private to the sources that include a build's header.
/// The simulation begins with the first use: most blocks of a machine stay idle.
template <class Device, class Model, bool kTraces>
class VerilatedPins : public Device {
 public:
  void set_reset(bool active) final {
    begin();
    model_->rst_ni = !active;
  }
  void clock() final { model_.clock(); }
  std::optional<DeviceFailure> failure() const final { return model_.failure(); }
  base::Status trace(const std::string& path) final {
    begin();
    return model_.trace(path);
  }

 protected:
  explicit VerilatedPins(uint64_t seed) : model_(seed) {}

  void begin() {
    if (model_.begin()) this->reset();
  }

  VerilatedModel<Model, kTraces> model_;
};

}  // namespace cuvette::ip
