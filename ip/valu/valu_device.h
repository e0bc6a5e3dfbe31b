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
#include "valu/valu.h"

namespace cuvette::ip {

/// The pins of rtl/valu/valu.sv (docs/valu.md), one clock cycle at a time:
///
///     drive();  look at request_ready(), response_valid(), response();  clock();
///
/// One simulation of its own per object; objects do not share state. Not thread safe.
class ValuDevice {
 public:
  virtual ~ValuDevice() = default;

  /// Two cycles of reset; everything in the pipeline is dropped.
  void reset() {
    set_reset(true);
    for (int cycle = 0; cycle < 2; ++cycle) {
      drive(nullptr, 0, false);
      clock();
    }
    set_reset(false);
  }
  /// The reset pin from the next drive() on.
  virtual void set_reset(bool active) = 0;

  /// The inputs of this cycle, before its clock edge. `request` null means not valid; `op` is the
  /// operation code of the request (valu_ops.h).
  virtual void drive(const valu::Request* request, uint16_t op, bool response_ready) = 0;
  virtual bool request_ready() const = 0;
  virtual bool response_valid() const = 0;
  /// Meaningful while response_valid(). Writes every field.
  virtual void response(valu::Response& out) const = 0;

  /// The rising edge that ends the cycle.
  virtual void clock() = 0;

  /// What the device leaves out of the target's operations of rtl/valu/valu_ops.csv. Ours has all
  /// of them.
  virtual bool implements(const isa::Row&, isa::Encoding, const isa::Modifiers&) const {
    return true;
  }

  /// The first thing found wrong (an assertion of the RTL said more on stderr).
  virtual std::optional<DeviceFailure> failure() const = 0;

  /// Waveforms (FST) of all following cycles, in a file that is complete when the device is gone.
  /// Errors: this build has none; the file cannot be written.
  virtual base::Status trace(const std::string& path) = 0;
};

/// The build for speed, with the target's operations: parameter Arch of rtl/valu/valu.sv.
std::unique_ptr<ValuDevice> make_valu_fast(isa::Target target = isa::Target::Gfx908);
/// The build for checking: assertions, waveforms, registers starting at values drawn from `seed`.
std::unique_ptr<ValuDevice> make_valu_check(uint64_t seed,
                                            isa::Target target = isa::Target::Gfx908);

}  // namespace cuvette::ip
