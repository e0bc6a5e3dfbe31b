// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmatrix_gfx90a_mutant.h"
#include "Vmatrix_gfx942_mutant.h"
#include "Vmatrix_mutant.h"
#include "ip/dut_matrix_core.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/matrix_core/matrix_device.h"
#include "matrix_core/matrix_core.h"

// The devices of the library for the mutant tests: a Verilated build per target with every mutant
// in it.
namespace cuvette::ip {
namespace {

template <class Model>
std::unique_ptr<PinDevice> made(uint64_t seed) {
  return std::make_unique<VerilatedDevice<Model, dut::MatrixCorePorts<Model>, false>>(
      seed, pin_channels(matrix_core::kChannels));
}

}  // namespace

std::unique_ptr<PinDevice> make_matrix_fast(isa::Target target) {
  return make_matrix_check(0, target);
}

std::unique_ptr<PinDevice> make_matrix_check(uint64_t seed, isa::Target target) {
  if (target == isa::Target::Gfx90a) return made<Vmatrix_gfx90a_mutant>(seed);
  if (target == isa::Target::Gfx942) return made<Vmatrix_gfx942_mutant>(seed);
  return made<Vmatrix_mutant>(seed);
}

}  // namespace cuvette::ip
