// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ip/vrf/vrf_device.h"

namespace cuvette::ip {

/// The contract of vrf answered by RTL: a row is four beats on the pins of its port. The contract
/// takes no time, so the clock of the device runs for as many cycles as an access needs and stands
/// still otherwise.
class VrfRtl final : public vrf::Vrf {
 public:
  /// Called with the pins of every cycle, before its clock edge.
  using Watch = std::function<void(const VrfInputs&, const VrfOutputs&)>;

  explicit VrfRtl(std::unique_ptr<VrfDevice> device) : device_(std::move(device)) {}

  void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
            wave::LaneRow& out) override;
  void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
             const wave::LaneRow& data) override;
  /// Rows are no host memory.
  wave::VectorFile view(uint16_t, uint16_t, uint16_t, uint16_t) override { return {}; }

  void watch(Watch watch) { watch_ = std::move(watch); }
  /// What the device has found wrong, or an access it did not finish, or beats out of their order.
  std::optional<DeviceFailure> failure() const;

 private:
  void cycle(const VrfInputs& in, VrfOutputs& out);

  std::unique_ptr<VrfDevice> device_;
  Watch watch_;
  std::string broken_;
};

}  // namespace cuvette::ip
