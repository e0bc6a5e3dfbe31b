// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vvalu_gfx942_mutant.h"
#include "Vvalu_mutant.h"
#include "ip/dut_valu.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/valu/valu_device.h"
#include "valu/valu.h"

// The devices of the library for mutant_test: a Verilated build with every mutant of gfx908 in it,
// and one with those of what gfx942 adds.
namespace cuvette::ip {
namespace {

template <class Model>
std::unique_ptr<PinDevice> made(uint64_t seed) {
  return std::make_unique<VerilatedDevice<Model, dut::ValuPorts<Model>, false>>(
      seed, pin_channels(valu::kChannels));
}

}  // namespace

std::unique_ptr<PinDevice> make_valu_fast(isa::Target target) {
  return make_valu_check(0, target);
}

std::unique_ptr<PinDevice> make_valu_check(uint64_t seed, isa::Target target) {
  if (target == isa::Target::Gfx942) return made<Vvalu_gfx942_mutant>(seed);
  return made<Vvalu_mutant>(seed);
}

}  // namespace cuvette::ip
