// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "ip/common/verilated_pins.h"
#include "ip/simd/simd_device.h"

namespace cuvette::ip {

/// SimdDevice on one Verilated build. Private to the sources that include the build's header.
template <class Model, bool kTraces>
class SimdPins final : public VerilatedPins<SimdDevice, Model, kTraces> {
  using Base = VerilatedPins<SimdDevice, Model, kTraces>;
  using Base::begin;
  using Base::model_;

 public:
  explicit SimdPins(uint64_t seed) : Base(seed) {}

  void drive(const SimdInputs& inputs) override {
    begin();
    Model& m = *model_;
    m.retire_ready_i = inputs.retire_ready;
    m.row_data_ready_i = inputs.row_data_ready;
    m.issue_valid_i = put(m.issue_i, inputs.issue);
    m.fill_valid_i = put(m.fill_i, inputs.fill);
    m.read_valid_i = put(m.read_i, inputs.read);
    model_.settle();
  }

  void outputs(SimdOutputs& out) const override {
    const Model& m = *model_;
    out.issue_ready = m.issue_ready_o != 0;
    out.fill_ready = m.fill_ready_o != 0;
    out.read_ready = m.read_ready_o != 0;
    out.retire_valid = m.retire_valid_o != 0;
    out.row_data_valid = m.row_data_valid_o != 0;
    if (out.retire_valid) take(out.retire, m.retire_o);
    if (out.row_data_valid) take(out.row_data, m.row_data_o);
  }

 private:
  template <class Port, class Message>
  static bool put(Port& port, const Message* message) {
    static_assert(sizeof(port) == sizeof(*message));
    if (message != nullptr) std::memcpy(&port, message->data(), sizeof(port));
    return message != nullptr;
  }
  template <class Message, class Port>
  static void take(Message& message, const Port& port) {
    static_assert(sizeof(port) == sizeof(message));
    std::memcpy(message.data(), &port, sizeof(port));
  }
};

}  // namespace cuvette::ip
