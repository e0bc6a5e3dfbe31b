// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "ip/common/device_failure.h"
#include "simd/simd.h"

namespace cuvette::ip {

/// Beats of the messages on pins.
using SimdIssueMessage = contract::Pins<simd::Issue>;
using SimdRetireMessage = contract::Pins<simd::Retire>;
using SimdFillMessage = contract::Pins<simd::Fill>;
using SimdReadMessage = contract::Pins<simd::ReadRow>;
using SimdRowDataMessage = contract::Pins<simd::RowData>;
inline constexpr unsigned kSimdBeats = contract::Message<simd::RowData>::kBeats;

/// Rows of each register file of the RTL (gfx908).
inline constexpr uint16_t kSimdRows = 256;

/// The inputs of one clock cycle; null: not valid.
struct SimdInputs {
  const SimdIssueMessage* issue = nullptr;
  const SimdFillMessage* fill = nullptr;
  const SimdReadMessage* read = nullptr;
  bool retire_ready = false, row_data_ready = false;
};

/// The outputs in the same cycle, before its clock edge; messages while valid.
struct SimdOutputs {
  bool issue_ready = false, fill_ready = false, read_ready = false;
  bool retire_valid = false, row_data_valid = false;
  SimdRetireMessage retire{};
  SimdRowDataMessage row_data{};
};

/// The pins of rtl/simd/simd.sv (docs/simd.md), one clock cycle at a time:
///
///     drive();  outputs();  clock();
///
/// One simulation of its own per object; objects do not share state. Not thread safe.
class SimdDevice {
 public:
  virtual ~SimdDevice() = default;

  /// Two cycles of reset; everything under way is dropped, rows keep what they hold.
  void reset() {
    set_reset(true);
    for (int cycle = 0; cycle < 2; ++cycle) {
      drive(SimdInputs{});
      clock();
    }
    set_reset(false);
  }
  /// The reset pin from the next drive() on.
  virtual void set_reset(bool active) = 0;
  /// Messages are read during the call only.
  virtual void drive(const SimdInputs& inputs) = 0;
  virtual void outputs(SimdOutputs& out) const = 0;
  /// The rising edge that ends the cycle.
  virtual void clock() = 0;

  /// Whether the device has a circuit for the row. The RTL of this project has every row that
  /// SimdRtl knows; users' devices may have fewer.
  virtual bool implements(const isa::Row&) const { return true; }

  /// The first thing found wrong (an assertion of the RTL said more on stderr).
  virtual std::optional<DeviceFailure> failure() const = 0;
  /// Waveforms (FST) of all following cycles, in a file that is complete when the device is gone.
  /// Errors: this build has none; the file cannot be written.
  virtual base::Status trace(const std::string& path) = 0;
};

/// The build for speed.
std::unique_ptr<SimdDevice> make_simd_fast();
/// The build for checking: assertions, waveforms, every bit starting at values drawn from `seed`.
std::unique_ptr<SimdDevice> make_simd_check(uint64_t seed);

}  // namespace cuvette::ip
