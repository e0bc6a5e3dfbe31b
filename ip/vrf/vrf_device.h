// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "ip/common/device_failure.h"
#include "vrf/vrf.h"

namespace cuvette::ip {

inline constexpr unsigned kVrfBeats = 4;
inline constexpr unsigned kVrfBeatLanes = 16;
/// Rows of each file of the RTL (gfx908).
inline constexpr uint16_t kVrfRows = 256;

/// The inputs of one clock cycle.
struct VrfInputs {
  struct Read {
    bool valid = false;
    vrf::RowAddress address;
    uint8_t beat = 0;
    bool data_ready = false;
  };
  struct Write {
    bool valid = false;
    vrf::RowAddress address;
    uint8_t beat = 0;
    uint16_t lanes = 0;
    std::array<uint32_t, kVrfBeatLanes> data{};
  };
  std::array<Read, vrf::kReadPorts> reads;
  std::array<Write, vrf::kWritePorts> writes;
};

/// The outputs in the same cycle, before its clock edge.
struct VrfOutputs {
  struct Read {
    bool ready = false;
    bool data_valid = false;
    uint8_t beat = 0;  ///< this and the data: while data_valid
    std::array<uint32_t, kVrfBeatLanes> data{};
  };
  std::array<Read, vrf::kReadPorts> reads;
  std::array<bool, vrf::kWritePorts> write_ready{};
};

/// The pins of rtl/vrf/vrf.sv (docs/vrf.md), one clock cycle at a time:
///
///     drive();  outputs();  clock();
///
/// One simulation of its own per object; objects do not share state. Not thread safe.
class VrfDevice {
 public:
  virtual ~VrfDevice() = default;

  /// Two cycles of reset. Rows are not reset.
  void reset() {
    set_reset(true);
    for (int cycle = 0; cycle < 2; ++cycle) {
      drive(VrfInputs{});
      clock();
    }
    set_reset(false);
  }
  /// The reset pin from the next drive() on.
  virtual void set_reset(bool active) = 0;
  virtual void drive(const VrfInputs& inputs) = 0;
  virtual void outputs(VrfOutputs& out) const = 0;
  /// The rising edge that ends the cycle.
  virtual void clock() = 0;

  /// The first thing found wrong (an assertion of the RTL said more on stderr).
  virtual std::optional<DeviceFailure> failure() const = 0;
  /// Waveforms (FST) of all following cycles, in a file that is complete when the device is gone.
  /// Errors: this build has none; the file cannot be written.
  virtual base::Status trace(const std::string& path) = 0;
};

/// The build for speed.
std::unique_ptr<VrfDevice> make_vrf_fast();
/// The build for checking: assertions, waveforms, every bit starting at values drawn from `seed`.
std::unique_ptr<VrfDevice> make_vrf_check(uint64_t seed);

}  // namespace cuvette::ip
