// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vsimd_mutant.h"
#include "ip/dut_simd.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/simd/simd_device.h"
#include "simd/simd.h"

// The SIMD of the library for the mutant tests.
namespace cuvette::ip {

std::unique_ptr<PinDevice> make_simd_fast() {
  return make_simd_check(0);
}

std::unique_ptr<PinDevice> make_simd_check(uint64_t seed) {
  return std::make_unique<VerilatedDevice<Vsimd_mutant, dut::SimdPorts<Vsimd_mutant>, false>>(
      seed, pin_channels(simd::kChannels));
}

}  // namespace cuvette::ip
