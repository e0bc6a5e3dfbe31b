// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vspi_fast.h"
#include "Vspi_one_fast.h"
#include "ip/dut_spi.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/spi/spi_rtl.h"

namespace cuvette::ip {
namespace {

template <class Model, unsigned kUnits>
std::unique_ptr<PinDevice> make(const spi::Config& config) {
  using Device = VerilatedDevice<Model, dut::SpiPorts<Model, kUnits>, false>;
  auto device = std::make_unique<Device>(1, pin_channels(spi::kChannels, kUnits),
                                         [config](Model& pins) { strap_spi(pins, config); });
  return of_first_ports(std::move(device), spi::kChannels, kUnits, config.compute_units);
}

}  // namespace

std::unique_ptr<PinDevice> make_spi_fast(const spi::Config& config) {
  if (config.compute_units == 1) return make<Vspi_one_fast, 1>(config);
  return make<Vspi_fast, kSpiUnits>(config);
}

}  // namespace cuvette::ip
