// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvrf_mutant.h"
#include "ip/dut_vrf.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/vrf/vrf_device.h"
#include "vrf/vrf.h"

// The register file of the library for the mutant tests.
namespace cuvette::ip {

std::unique_ptr<PinDevice> make_vrf_fast() {
  return make_vrf_check(0);
}

std::unique_ptr<PinDevice> make_vrf_check(uint64_t seed) {
  return std::make_unique<VerilatedDevice<Vvrf_mutant, dut::VrfPorts<Vvrf_mutant>, false>>(
      seed, pin_channels(vrf::kChannels));
}

}  // namespace cuvette::ip
