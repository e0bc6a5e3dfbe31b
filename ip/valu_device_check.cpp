// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvalu_check.h"
#include "ip/valu_pins.h"

namespace cuvette::ip {

std::unique_ptr<ValuDevice> make_valu_check(uint64_t seed) {
  return std::make_unique<ValuPins<Vvalu_check, true>>(seed);
}

}  // namespace cuvette::ip
