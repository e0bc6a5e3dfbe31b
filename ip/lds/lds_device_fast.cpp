// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vlds_fast.h"
#include "ip/dut_lds.h"
#include "ip/lds/lds_lockstep.h"
#include "ip/lockstep/verilated_device.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_lds_fast() {
  return std::make_unique<VerilatedDevice<Vlds_fast, dut::LdsPorts<Vlds_fast>, false>>(
      1, pin_channels(lds::kChannels));
}

}  // namespace cuvette::ip
