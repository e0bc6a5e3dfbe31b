// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "ip/matrix_core/matrix_device.h"
#include "matrix_core/matrix_core.h"

namespace cuvette::ip {

/// The contract of matrix_core answered by RTL: cuts passes into beats, puts results together, one
/// clock cycle per tick. While nothing is under way the clock stands still.
///
/// Time: docs/matrix_core.md. A pass is taken with its last beat; a pass of results is visible in
/// the cycle after its last beat.
class MatrixRtl final : public matrix_core::MatrixCore {
 public:
  MatrixRtl(std::unique_ptr<MatrixDevice> device, isa::Target target);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  /// V_MFMA and V_SMFMAC of the target, as far as the device has it.
  bool implements(const isa::Row& row) const override;
  unsigned occupancy_cycles(const isa::Row& row) const override;
  unsigned latency_cycles(const isa::Row& row) const override;

  /// What the device has found wrong, or beats of a result that do not belong together.
  std::optional<DeviceFailure> failure() const;

 private:
  void take_result(machine::Cycle now);

  std::unique_ptr<MatrixDevice> device_;
  isa::Target target_;
  MatrixOperandsMessage message_{};  ///< the beat at the pins
  unsigned beat_ = 0;                ///< of the oldest pass, the next one to be taken
  matrix_core::Result result_;       ///< beats so far
  unsigned result_beat_ = 0;
  std::string broken_;
  unsigned in_flight_ = 0;  ///< instructions
  machine::Cycle last_ = 0;
};

}  // namespace cuvette::ip
