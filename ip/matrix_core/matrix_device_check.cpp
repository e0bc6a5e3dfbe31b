// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmatrix_check.h"
#include "Vmatrix_gfx90a_check.h"
#include "Vmatrix_gfx942_check.h"
#include "ip/matrix_core/matrix_pins.h"

namespace cuvette::ip {

std::unique_ptr<MatrixDevice> make_matrix_check(uint64_t seed, isa::Target target) {
  if (target == isa::Target::Gfx90a) {
    return std::make_unique<MatrixPins<Vmatrix_gfx90a_check, true>>(seed);
  }
  if (target == isa::Target::Gfx942) {
    return std::make_unique<MatrixPins<Vmatrix_gfx942_check, true>>(seed);
  }
  return std::make_unique<MatrixPins<Vmatrix_check, true>>(seed);
}

}  // namespace cuvette::ip
