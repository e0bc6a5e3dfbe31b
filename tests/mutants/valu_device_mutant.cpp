// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvalu_gfx942_mutant.h"
#include "Vvalu_mutant.h"
#include "ip/valu/valu_pins.h"

// The devices of the library for mutant_test: a Verilated build with every mutant of gfx908 in it,
// and one with those of what gfx942 adds.
namespace cuvette::ip {

std::unique_ptr<ValuDevice> make_valu_fast(isa::Target target) {
  return make_valu_check(0, target);
}

std::unique_ptr<ValuDevice> make_valu_check(uint64_t seed, isa::Target target) {
  if (target == isa::Target::Gfx942) {
    return std::make_unique<ValuPins<Vvalu_gfx942_mutant, false>>(seed);
  }
  return std::make_unique<ValuPins<Vvalu_mutant, false>>(seed);
}

}  // namespace cuvette::ip
