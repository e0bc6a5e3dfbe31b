// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvrf_fast.h"
#include "ip/vrf/vrf_pins.h"

namespace cuvette::ip {

std::unique_ptr<VrfDevice> make_vrf_fast() {
  return std::make_unique<VrfPins<Vvrf_fast, false>>(0);
}

}  // namespace cuvette::ip
