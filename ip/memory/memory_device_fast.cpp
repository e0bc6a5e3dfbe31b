// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmemory_fast.h"
#include "ip/dut_memory.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/memory/memory_rtl.h"

namespace cuvette::ip {

std::unique_ptr<PinDevice> make_memory_fast() {
  using Device = VerilatedDevice<Vmemory_fast, dut::MemoryPorts<Vmemory_fast, 1>, false>;
  return std::make_unique<Device>(1, pin_channels(memory::kChannels, 1));
}

}  // namespace cuvette::ip
