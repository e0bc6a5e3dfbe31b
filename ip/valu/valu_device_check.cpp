// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvalu_check.h"
#include "Vvalu_gfx900_check.h"
#include "Vvalu_gfx906_check.h"
#include "Vvalu_gfx90a_check.h"
#include "Vvalu_gfx942_check.h"
#include "ip/valu/valu_pins.h"

namespace cuvette::ip {

std::unique_ptr<ValuDevice> make_valu_check(uint64_t seed, isa::Target target) {
  switch (target) {
    case isa::Target::Gfx900:
      return std::make_unique<ValuPins<Vvalu_gfx900_check, true>>(seed);
    case isa::Target::Gfx906:
      return std::make_unique<ValuPins<Vvalu_gfx906_check, true>>(seed);
    case isa::Target::Gfx90a:
      return std::make_unique<ValuPins<Vvalu_gfx90a_check, true>>(seed);
    case isa::Target::Gfx942:
      return std::make_unique<ValuPins<Vvalu_gfx942_check, true>>(seed);
    case isa::Target::Gfx908:
      break;
  }
  return std::make_unique<ValuPins<Vvalu_check, true>>(seed);
}

}  // namespace cuvette::ip
