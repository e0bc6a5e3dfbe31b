// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "ip/lockstep/pin_link.h"
#include "ip/vrf/vrf_access.h"
#include "ip/vrf/vrf_device.h"

namespace cuvette::ip {

/// Register file whose rows a device on pins holds, without a comparison.
class VrfRtl final : public vrf::Vrf {
 public:
  explicit VrfRtl(std::unique_ptr<PinDevice> device)
      : link_(vrf::kChannels, ports_, std::move(device), pin_channels(vrf::kChannels)),
        access_(ports_, [this](machine::Cycle now) {
          link_.tick(now);
          return true;
        }) {}

  void read(vrf::ReadPort port, machine::Cycle now, vrf::RowAddress address,
            wave::LaneRow& out) override {
    access_.read(port, now, address, out);
  }
  void write(vrf::WritePort port, machine::Cycle now, vrf::RowAddress address, uint64_t lanes,
             const wave::LaneRow& data) override {
    access_.write(port, now, address, lanes, data);
  }
  /// Rows are no host memory.
  wave::VectorFile view(uint16_t, uint16_t, uint16_t, uint16_t) override { return {}; }

  /// The device's own, an access it did not finish, or beats out of their order.
  std::optional<DeviceFailure> failure() const {
    auto own = link_.failure();
    return own ? own : access_.failure();
  }

 private:
  vrf::VrfPorts ports_;
  PinLink<vrf::VrfPorts> link_;
  VrfAccess access_;
};

}  // namespace cuvette::ip
