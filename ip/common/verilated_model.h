// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <verilated.h>
#include <verilated_fst_c.h>

#include "base/file.h"
#include "base/result.h"
#include "ip/common/device_failure.h"
#include "ip/common/simulation_pool.h"

namespace cuvette::ip {

/// One simulation of a Verilated module with the ports clk_i and rst_ni: context, seed of
/// uninitialised state, half cycles, waveforms, failed assertions. Private to the sources that
/// include a build's header.
template <class Model, bool kTraces>
class VerilatedModel {
 public:
  /// `seed`: of every bit that has no reset. Nothing is simulated before begin().
  explicit VerilatedModel(uint64_t seed) {
    if constexpr (kPoolsSimulations) {
      if (SimulationPool<Model>::take(context_, model_)) return;
    }
    context_ = std::make_unique<VerilatedContext>();
    context_->traceEverOn(kTraces);
    context_->randReset(2);
    // Seed 0 would make the runtime draw one from the clock.
    context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    context_->fatalOnError(false);  // a failed assertion is told, the process goes on
  }
  ~VerilatedModel() {
    if (model_ == nullptr) return;
    enter();
    if constexpr (kTraces) {
      if (waves_ != nullptr) waves_->close();
    }
    if constexpr (kPoolsSimulations) {
      Verilated::threadContextp(nullptr);
      SimulationPool<Model>::give(std::move(context_), std::move(model_));
      return;
    }
    model_->final();
    model_.reset();
    Verilated::threadContextp(nullptr);
  }
  VerilatedModel(const VerilatedModel&) = delete;
  VerilatedModel& operator=(const VerilatedModel&) = delete;

  /// Builds the model. False when it stands already; after true the caller resets it.
  bool begin() {
    enter();
    if (begun_) return false;
    begun_ = true;
    if (model_ == nullptr) model_ = std::make_unique<Model>(context_.get());
    return true;
  }

  /// The pins; begin() comes first.
  Model* operator->() { return model_.get(); }
  const Model* operator->() const { return model_.get(); }
  Model& operator*() { return *model_; }
  const Model& operator*() const { return *model_; }

  /// The half cycle before the rising edge: settles outputs on the inputs just set.
  void settle() { half_cycle(0); }
  /// The rising edge.
  void clock() { half_cycle(1); }

  std::optional<DeviceFailure> failure() const {
    if (!context_->gotError()) return std::nullopt;
    return DeviceFailure{"assertion", "an assertion of the RTL failed"};
  }

  /// Begins an FST file; errors: not writable, a build without waveforms.
  base::Status trace(const std::string& path) {
    if constexpr (kTraces) {
      enter();
      if (auto s = base::check_replaceable(path); !s.ok()) return s;
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
  void enter() { Verilated::threadContextp(context_.get()); }

  void half_cycle(bool high) {
    enter();
    model_->clk_i = high;
    model_->eval();
    if constexpr (kTraces) {
      if (waves_ != nullptr) waves_->dump(context_->time());
    }
    context_->timeInc(1);  // half cycles
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  bool begun_ = false;
  struct NoWaves {};  // a build without the writer must not name it
  std::conditional_t<kTraces, std::unique_ptr<VerilatedFstC>, NoWaves> waves_;
};

}  // namespace cuvette::ip
