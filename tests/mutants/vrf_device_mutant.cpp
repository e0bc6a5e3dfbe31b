// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvrf_mutant.h"
#include "ip/vrf/vrf_pins.h"

// The devices of the library for mutant tests: one Verilated build with every mutant in it.
namespace cuvette::ip {

std::unique_ptr<VrfDevice> make_vrf_fast() {
  return make_vrf_check(0);
}

std::unique_ptr<VrfDevice> make_vrf_check(uint64_t seed) {
  return std::make_unique<VrfPins<Vvrf_mutant, false>>(seed);
}

}  // namespace cuvette::ip
