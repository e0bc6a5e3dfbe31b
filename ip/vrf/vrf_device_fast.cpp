// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvrf_fast.h"
#include "ip/dut_vrf.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/vrf/vrf_device.h"
#include "vrf/vrf.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_vrf_fast() {
  return std::make_unique<VerilatedDevice<Vvrf_fast, dut::VrfPorts<Vvrf_fast>, false>>(
      1, pin_channels(vrf::kChannels));
}

}  // namespace cuvette::ip
