// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vspi_check.h"
#include "ip/dut_spi.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/spi/spi_rtl.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_spi_check(const spi::Config& config, uint64_t seed) {
  using Device = VerilatedDevice<Vspi_check, dut::SpiPorts<Vspi_check, kSpiUnits>, true>;
  auto device = std::make_unique<Device>(seed, pin_channels(spi::kChannels, kSpiUnits),
                                         [config](Vspi_check& pins) { strap_spi(pins, config); });
  return of_first_ports(std::move(device), spi::kChannels, kSpiUnits, config.compute_units);
}

}  // namespace cuvette::ip
