// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vsimd_fast.h"
#include "ip/simd/simd_pins.h"

namespace cuvette::ip {

std::unique_ptr<SimdDevice> make_simd_fast() {
  return std::make_unique<SimdPins<Vsimd_fast, false>>(0);
}

}  // namespace cuvette::ip
