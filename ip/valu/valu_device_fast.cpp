// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvalu_fast.h"
#include "Vvalu_gfx900_fast.h"
#include "Vvalu_gfx906_fast.h"
#include "Vvalu_gfx90a_fast.h"
#include "Vvalu_gfx942_fast.h"
#include "ip/dut_valu.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/valu/valu_device.h"
#include "valu/valu.h"

namespace cuvette::ip {
namespace {

template <class Model>
std::unique_ptr<PinDevice> made(uint64_t seed) {
  return std::make_unique<VerilatedDevice<Model, dut::ValuPorts<Model>, false>>(
      seed, pin_channels(valu::kChannels));
}

}  // namespace

std::unique_ptr<PinDevice> make_valu_fast(isa::Target target) {
  constexpr uint64_t kSeed = 0;
  switch (target) {
    case isa::Target::Gfx900:
      return made<Vvalu_gfx900_fast>(kSeed);
    case isa::Target::Gfx906:
      return made<Vvalu_gfx906_fast>(kSeed);
    case isa::Target::Gfx90a:
      return made<Vvalu_gfx90a_fast>(kSeed);
    case isa::Target::Gfx942:
      return made<Vvalu_gfx942_fast>(kSeed);
    case isa::Target::Gfx908:
      break;
  }
  return made<Vvalu_fast>(kSeed);
}

}  // namespace cuvette::ip
