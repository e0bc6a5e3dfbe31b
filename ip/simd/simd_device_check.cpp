// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vsimd_check.h"
#include "ip/dut_simd.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/simd/simd_device.h"
#include "simd/simd.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_simd_check(uint64_t seed) {
  return std::make_unique<VerilatedDevice<Vsimd_check, dut::SimdPorts<Vsimd_check>, true>>(
      seed, pin_channels(simd::kChannels));
}

}  // namespace cuvette::ip
