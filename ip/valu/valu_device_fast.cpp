// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvalu_fast.h"
#include "Vvalu_gfx900_fast.h"
#include "Vvalu_gfx906_fast.h"
#include "Vvalu_gfx90a_fast.h"
#include "Vvalu_gfx942_fast.h"
#include "ip/valu/valu_pins.h"

namespace cuvette::ip {

std::unique_ptr<ValuDevice> make_valu_fast(isa::Target target) {
  switch (target) {
    case isa::Target::Gfx900:
      return std::make_unique<ValuPins<Vvalu_gfx900_fast, false>>(0);
    case isa::Target::Gfx906:
      return std::make_unique<ValuPins<Vvalu_gfx906_fast, false>>(0);
    case isa::Target::Gfx90a:
      return std::make_unique<ValuPins<Vvalu_gfx90a_fast, false>>(0);
    case isa::Target::Gfx942:
      return std::make_unique<ValuPins<Vvalu_gfx942_fast, false>>(0);
    case isa::Target::Gfx908:
      break;
  }
  return std::make_unique<ValuPins<Vvalu_fast, false>>(0);
}

}  // namespace cuvette::ip
