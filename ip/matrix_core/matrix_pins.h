// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "ip/common/verilated_pins.h"
#include "ip/matrix_core/matrix_device.h"

namespace cuvette::ip {

/// MatrixDevice on one Verilated build. Private to the sources that include the build's header.
template <class Model, bool kTraces>
class MatrixPins final : public VerilatedPins<MatrixDevice, Model, kTraces> {
  using Base = VerilatedPins<MatrixDevice, Model, kTraces>;
  using Base::begin;
  using Base::model_;

 public:
  explicit MatrixPins(uint64_t seed) : Base(seed) {}

  void drive(const MatrixOperandsMessage* operands, bool result_ready) override {
    begin();
    Model& m = *model_;
    m.result_ready_i = result_ready;
    m.operands_valid_i = operands != nullptr;
    if (operands != nullptr) {
      static_assert(sizeof(m.operands_i) == sizeof(*operands));
      std::memcpy(&m.operands_i, operands->data(), sizeof(*operands));
    }
    model_.settle();
  }
  bool operands_ready() const override { return model_->operands_ready_o != 0; }
  bool result_valid() const override { return model_->result_valid_o != 0; }
  void result(MatrixResultMessage& out) const override {
    static_assert(sizeof(model_->result_o) == sizeof(out));
    std::memcpy(out.data(), &model_->result_o, sizeof(out));
  }
};

}  // namespace cuvette::ip
