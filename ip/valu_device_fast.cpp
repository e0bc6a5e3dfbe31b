// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvalu_fast.h"
#include "ip/valu_pins.h"

namespace cuvette::ip {

std::unique_ptr<ValuDevice> make_valu_fast() {
  return std::make_unique<ValuPins<Vvalu_fast, false>>(0);
}

}  // namespace cuvette::ip
