// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "ip/lockstep/pin_link.h"
#include "ip/matrix_core/matrix_device.h"
#include "matrix_core/computation.h"

namespace cuvette::ip {

/// Matrix core whose work a device on pins does, without a comparison. Time: that of the device, a
/// pass of results being visible in the cycle after its last beat (docs/reference/matrix_core.md).
class MatrixRtl final : public matrix_core::MatrixCore {
 public:
  MatrixRtl(std::unique_ptr<PinDevice> device, isa::Target target)
      : target_(target),
        link_(matrix_core::kChannels, *this, std::move(device),
              pin_channels(matrix_core::kChannels)) {}

  void tick(machine::Cycle now) override { link_.tick(now); }
  machine::Cycle next_event() const override { return link_.next_event(); }
  /// V_MFMA and V_SMFMAC of the target, as far as the device has it.
  bool implements(const isa::Row& row) const override {
    return has_matrix_circuit(row, target_) && link_.device().implements(row, 0);
  }
  unsigned occupancy_cycles(const isa::Row& row) const override {
    return matrix_core::occupancy_of(row, target_);
  }
  unsigned latency_cycles(const isa::Row& row) const override {
    return matrix_core::latency_of(row, target_);
  }

  /// Error of the device, or beats of a result that do not belong together.
  std::optional<DeviceFailure> failure() const { return link_.failure(); }

 private:
  isa::Target target_;
  PinLink<matrix_core::MatrixCore> link_;
};

}  // namespace cuvette::ip
