// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "ip/common/device_failure.h"
#include "isa/target.h"
#include "matrix_core/matrix_core.h"

namespace cuvette::ip {

/// Beats of the messages on pins.
using MatrixOperandsMessage = contract::Pins<matrix_core::Operands>;
using MatrixResultMessage = contract::Pins<matrix_core::Result>;
inline constexpr unsigned kMatrixBeats = contract::Message<matrix_core::Operands>::kBeats;

/// The pins of rtl/matrix_core/matrix_core.sv (docs/matrix_core.md), one clock cycle at a time:
///
///     drive();  look at operands_ready(), result_valid(), result();  clock();
///
/// One simulation of its own per object; objects do not share state. Not thread safe.
class MatrixDevice {
 public:
  virtual ~MatrixDevice() = default;

  /// Two cycles of reset; everything under way is dropped.
  void reset() {
    set_reset(true);
    for (int cycle = 0; cycle < 2; ++cycle) {
      drive(nullptr, false);
      clock();
    }
    set_reset(false);
  }
  /// The reset pin from the next drive() on.
  virtual void set_reset(bool active) = 0;

  /// The inputs of this cycle, before its clock edge: a beat of operands, null when not valid.
  virtual void drive(const MatrixOperandsMessage* operands, bool result_ready) = 0;
  virtual bool operands_ready() const = 0;
  virtual bool result_valid() const = 0;
  /// Meaningful while result_valid().
  virtual void result(MatrixResultMessage& out) const = 0;

  /// The rising edge that ends the cycle.
  virtual void clock() = 0;

  /// Whether the device has a circuit for the row. The RTL of this project has every one of its
  /// target; users' devices may have fewer.
  virtual bool implements(const isa::Row&) const { return true; }

  /// The first thing found wrong (an assertion of the RTL said more on stderr).
  virtual std::optional<DeviceFailure> failure() const = 0;

  /// Waveforms (FST) of all following cycles, in a file that is complete when the device is gone.
  /// Errors: this build has none; the file cannot be written.
  virtual base::Status trace(const std::string& path) = 0;
};

/// Whether the RTL of this project has a unit for the matrix instructions of a target: parameter
/// Arch of rtl/matrix_core/matrix_core.sv.
constexpr bool has_matrix_rtl(isa::Target target) {
  return target == isa::Target::Gfx908 || target == isa::Target::Gfx90a ||
         target == isa::Target::Gfx942;
}

/// The build for speed, of the target's unit; for a target without one that of gfx908.
std::unique_ptr<MatrixDevice> make_matrix_fast(isa::Target target = isa::Target::Gfx908);
/// The build for checking: assertions, waveforms, registers starting at values drawn from `seed`.
std::unique_ptr<MatrixDevice> make_matrix_check(uint64_t seed,
                                                isa::Target target = isa::Target::Gfx908);

}  // namespace cuvette::ip
