// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vgds_fast.h"
#include "ip/dut_gds.h"
#include "ip/gds/gds_rtl.h"
#include "ip/lockstep/verilated_device.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_gds_fast(unsigned units, uint32_t bytes) {
  using Device = VerilatedDevice<Vgds_fast, dut::GdsPorts<Vgds_fast, kGdsUnits>, false>;
  return of_first_units(
      std::make_unique<Device>(
          1, pin_channels(gds::kChannels, kGdsUnits),
          [bytes](Vgds_fast& pins) { pins.size_i = bytes; }, gds_clearing_cycles(bytes)),
      units);
}

}  // namespace cuvette::ip
