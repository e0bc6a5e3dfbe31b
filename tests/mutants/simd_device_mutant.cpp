// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vsimd_mutant.h"
#include "ip/simd/simd_pins.h"

// The devices of the library for mutant tests: one Verilated build with every mutant in it.
namespace cuvette::ip {

std::unique_ptr<SimdDevice> make_simd_fast() {
  return make_simd_check(0);
}

std::unique_ptr<SimdDevice> make_simd_check(uint64_t seed) {
  return std::make_unique<SimdPins<Vsimd_mutant, false>>(seed);
}

}  // namespace cuvette::ip
