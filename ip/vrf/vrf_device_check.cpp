// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvrf_check.h"
#include "ip/vrf/vrf_pins.h"

namespace cuvette::ip {

std::unique_ptr<VrfDevice> make_vrf_check(uint64_t seed) {
  return std::make_unique<VrfPins<Vvrf_check, true>>(seed);
}

}  // namespace cuvette::ip
