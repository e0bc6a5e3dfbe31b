// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmatrix_gfx90a_mutant.h"
#include "Vmatrix_gfx942_mutant.h"
#include "Vmatrix_mutant.h"
#include "ip/matrix_core/matrix_pins.h"

// The devices of the library for the mutant tests: a Verilated build per target with every mutant
// in it.
namespace cuvette::ip {

std::unique_ptr<MatrixDevice> make_matrix_fast(isa::Target target) {
  return make_matrix_check(0, target);
}

std::unique_ptr<MatrixDevice> make_matrix_check(uint64_t seed, isa::Target target) {
  if (target == isa::Target::Gfx90a) {
    return std::make_unique<MatrixPins<Vmatrix_gfx90a_mutant, false>>(seed);
  }
  if (target == isa::Target::Gfx942) {
    return std::make_unique<MatrixPins<Vmatrix_gfx942_mutant, false>>(seed);
  }
  return std::make_unique<MatrixPins<Vmatrix_mutant, false>>(seed);
}

}  // namespace cuvette::ip
