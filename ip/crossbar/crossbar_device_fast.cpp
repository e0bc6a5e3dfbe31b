// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vcrossbar_fast.h"
#include "Vcrossbar_one_fast.h"
#include "ip/crossbar/crossbar_rtl.h"
#include "ip/dut_crossbar.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/verilated_device.h"

namespace cuvette::ip {
namespace {

template <class Model, unsigned kSources, unsigned kSlices>
std::unique_ptr<PinDevice> make(const crossbar::Config& config) {
  using Device = VerilatedDevice<Model, dut::CrossbarPorts<Model, kSources, kSlices>, false>;
  const contract::PortCounts ports = {kSources, kSlices};
  const auto straps = [last = config.slices - 1](Model& model) {
    model.last_slice_i = static_cast<uint8_t>(last);
  };
  auto device = std::make_unique<Device>(1, pin_channels(crossbar::kChannels, ports), straps);
  return of_first_ports(std::move(device), crossbar::kChannels, ports,
                        {config.sources, config.slices});
}

}  // namespace

std::unique_ptr<PinDevice> make_crossbar_fast(const crossbar::Config& config) {
  if (config.sources <= kCrossbarOneSources && config.slices == 1) {
    return make<Vcrossbar_one_fast, kCrossbarOneSources, 1>(config);
  }
  return make<Vcrossbar_fast, kCrossbarSources, kCrossbarSlices>(config);
}

}  // namespace cuvette::ip
