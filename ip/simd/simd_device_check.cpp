// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vsimd_check.h"
#include "ip/simd/simd_pins.h"

namespace cuvette::ip {

std::unique_ptr<SimdDevice> make_simd_check(uint64_t seed) {
  return std::make_unique<SimdPins<Vsimd_check, true>>(seed);
}

}  // namespace cuvette::ip
