// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vgds_check.h"
#include "ip/dut_gds.h"
#include "ip/gds/gds_rtl.h"
#include "ip/lockstep/first_ports.h"
#include "ip/lockstep/verilated_device.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_gds_check(unsigned units, uint32_t bytes, uint64_t seed) {
  using Device = VerilatedDevice<Vgds_check, dut::GdsPorts<Vgds_check, kGdsUnits>, true>;
  auto device = std::make_unique<Device>(
      seed, pin_channels(gds::kChannels, kGdsUnits),
      [bytes](Vgds_check& pins) { pins.size_i = bytes; }, gds_clearing_cycles(bytes));
  return of_first_ports(std::move(device), gds::kChannels, kGdsUnits, units);
}

}  // namespace cuvette::ip
