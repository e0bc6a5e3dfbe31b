// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vcrossbar_check.h"
#include "ip/crossbar/crossbar_rtl.h"
#include "ip/dut_crossbar.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/verilated_device.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_crossbar_check(const crossbar::Config& config) {
  using Ports = dut::CrossbarPorts<Vcrossbar_check, kCrossbarSources, kCrossbarSlices>;
  using Device = VerilatedDevice<Vcrossbar_check, Ports, true>;
  const contract::PortCounts ports = {kCrossbarSources, kCrossbarSlices};
  const auto straps = [last = config.slices - 1](Vcrossbar_check& model) {
    model.last_slice_i = static_cast<uint8_t>(last);
  };
  auto device =
      std::make_unique<Device>(config.seed, pin_channels(crossbar::kChannels, ports), straps);
  return of_first_ports(std::move(device), crossbar::kChannels, ports,
                        {config.sources, config.slices});
}

}  // namespace cuvette::ip
