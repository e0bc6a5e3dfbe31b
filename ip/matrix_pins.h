// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <fstream>
#include <type_traits>

#include <verilated.h>
#include <verilated_fst_c.h>

#include "ip/matrix_device.h"

namespace cuvette::ip {

/// MatrixDevice on one Verilated build. Private to the sources that include the build's header. The
/// simulation begins with the first use: a machine has a matrix core per SIMD, most programs use
/// none.
template <class Model, bool kTraces>
class MatrixPins final : public MatrixDevice {
 public:
  explicit MatrixPins(uint64_t seed) {
    context_.traceEverOn(kTraces);
    context_.randReset(2);
    // Seed 0 would make the runtime draw one from the clock.
    context_.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    context_.fatalOnError(false);  // a failed assertion is told, the process goes on
  }
  ~MatrixPins() override {
    if (model_ == nullptr) return;
    enter();
    if constexpr (kTraces) {
      if (waves_ != nullptr) waves_->close();
    }
    model_->final();
    model_.reset();
    Verilated::threadContextp(nullptr);
  }

  void set_reset(bool active) override {
    begin();
    model_->rst_ni = !active;
  }

  void drive(const MatrixOperandsMessage* operands, bool result_ready) override {
    begin();
    Model& m = *model_;
    m.clk_i = 0;
    m.result_ready_i = result_ready;
    m.operands_valid_i = operands != nullptr;
    if (operands != nullptr) {
      static_assert(sizeof(m.operands_i) == sizeof(*operands));
      std::memcpy(&m.operands_i, operands->data(), sizeof(*operands));
    }
    m.eval();
    dump();
  }
  bool operands_ready() const override { return model_->operands_ready_o != 0; }
  bool result_valid() const override { return model_->result_valid_o != 0; }
  void result(MatrixResultMessage& out) const override {
    static_assert(sizeof(model_->result_o) == sizeof(out));
    std::memcpy(out.data(), &model_->result_o, sizeof(out));
  }

  void clock() override {
    enter();
    model_->clk_i = 1;
    model_->eval();
    dump();
  }

  std::optional<DeviceFailure> failure() const override {
    if (!context_.gotError()) return std::nullopt;
    return DeviceFailure{"assertion", "an assertion of the RTL failed"};
  }

  base::Status trace(const std::string& path) override {
    if constexpr (kTraces) {
      begin();
      if (!std::ofstream(path)) return base::Error("cannot write waveforms", {path});
      waves_ = std::make_unique<VerilatedFstC>();
      model_->trace(waves_.get(), 99);
      waves_->open(path.c_str());
      return {};
    }
    return base::Error("this build of the RTL has no waveforms", {path});
  }

 private:
  /// The runtime takes the context of errors and of destruction from the thread, not from the
  /// model.
  void enter() { Verilated::threadContextp(&context_); }

  void begin() {
    enter();
    if (model_ != nullptr) return;
    model_ = std::make_unique<Model>(&context_);
    reset();
  }

  void dump() {
    if constexpr (kTraces) {
      if (waves_ != nullptr) waves_->dump(context_.time());
    }
    context_.timeInc(1);  // half cycles
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  struct NoWaves {};  // a build without the writer must not name it
  std::conditional_t<kTraces, std::unique_ptr<VerilatedFstC>, NoWaves> waves_;
};

}  // namespace cuvette::ip
