// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmatrix_check.h"
#include "Vmatrix_gfx90a_check.h"
#include "Vmatrix_gfx942_check.h"
#include "ip/dut_matrix_core.h"
#include "ip/lockstep/verilated_device.h"
#include "ip/matrix_core/matrix_device.h"
#include "matrix_core/matrix_core.h"

namespace cuvette::ip {
namespace {

template <class Model>
std::unique_ptr<PinDevice> made(uint64_t seed) {
  return std::make_unique<VerilatedDevice<Model, dut::MatrixCorePorts<Model>, true>>(
      seed, pin_channels(matrix_core::kChannels));
}

}  // namespace

std::unique_ptr<PinDevice> make_matrix_check(uint64_t seed, isa::Target target) {
  if (target == isa::Target::Gfx90a) return made<Vmatrix_gfx90a_check>(seed);
  if (target == isa::Target::Gfx942) return made<Vmatrix_gfx942_check>(seed);
  return made<Vmatrix_check>(seed);
}

}  // namespace cuvette::ip
