// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vlds_check.h"
#include "ip/dut_lds.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/lockstep/verilated_device.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_lds_check(uint64_t seed) {
  return std::make_unique<VerilatedDevice<Vlds_check, dut::LdsPorts<Vlds_check>, true>>(
      seed, pin_channels(lds::kChannels));
}

}  // namespace cuvette::ip
