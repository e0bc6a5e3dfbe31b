// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vspi_fast.h"
#include "ip/dut_spi.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/spi/spi_rtl.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_spi_fast(const spi::Config& config) {
  using Device = VerilatedDevice<Vspi_fast, dut::SpiPorts<Vspi_fast, kSpiUnits>, false>;
  return std::make_unique<Device>(1, pin_channels(spi::kChannels, kSpiUnits),
                                  [config](Vspi_fast& pins) { strap_spi(pins, config); });
}

}  // namespace cuvette::ip
