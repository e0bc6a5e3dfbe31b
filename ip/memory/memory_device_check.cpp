// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmemory_check.h"
#include "ip/dut_memory.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/memory/memory_rtl.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_memory_check(uint64_t seed) {
  using Device = VerilatedDevice<Vmemory_check, dut::MemoryPorts<Vmemory_check, 1>, true>;
  return std::make_unique<Device>(seed, pin_channels(memory::kChannels, 1));
}

}  // namespace cuvette::ip
