// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmatrix_mutant.h"
#include "ip/matrix_pins.h"
#include "ip/mutant.h"

// The devices of the library for the mutant tests: one Verilated build with every mutant in it.
namespace cuvette::ip {

std::unique_ptr<MatrixDevice> make_matrix_fast() {
  return make_matrix_check(0);
}

std::unique_ptr<MatrixDevice> make_matrix_check(uint64_t seed) {
  return std::make_unique<MatrixPins<Vmatrix_mutant, false>>(seed);
}

}  // namespace cuvette::ip
