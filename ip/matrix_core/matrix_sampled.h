// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ip/common/device_run.h"
#include "ip/matrix_core/matrix_lockstep.h"
#include "matrix_core/matrix_core_model.h"

namespace cuvette::ip {

/// Sampled lockstep of the matrix_core block: the model answers the machine, and of every N
/// instructions that it takes one goes to the device, pass by pass, in lockstep and on a clock of
/// its own. Instructions outside of the sample cost next to nothing.
class MatrixSampled final : public matrix_core::MatrixCore {
 public:
  MatrixSampled(std::unique_ptr<matrix_core::MatrixCoreModel> model,
                std::unique_ptr<MatrixLockstep> lockstep);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  /// True if the device implements the row; the model implements every one.
  bool implements(const isa::Row& row) const override { return lockstep_->implements(row); }
  unsigned occupancy_cycles(const isa::Row& row) const override {
    return model_->occupancy_cycles(row);
  }
  unsigned latency_cycles(const isa::Row& row) const override {
    return model_->latency_cycles(row);
  }

  MatrixLockstep& lockstep() { return *lockstep_; }

 private:
  bool in_sample(uint64_t instruction) const;
  void take(const matrix_core::Operands& pass, const matrix_core::Computation& model);

  std::unique_ptr<matrix_core::MatrixCoreModel> model_;
  std::unique_ptr<MatrixLockstep> lockstep_;
  uint32_t share_;  ///< 1/N of the instructions go to the device
  DeviceRun<MatrixLockstep> run_;
  uint64_t instructions_ = 0;  ///< taken to their last pass
  machine::Cycle now_ = 0;
};

}  // namespace cuvette::ip
