// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmatrix_fast.h"
#include "Vmatrix_gfx90a_fast.h"
#include "Vmatrix_gfx942_fast.h"
#include "ip/matrix_core/matrix_pins.h"

namespace cuvette::ip {

std::unique_ptr<MatrixDevice> make_matrix_fast(isa::Target target) {
  if (target == isa::Target::Gfx90a) {
    return std::make_unique<MatrixPins<Vmatrix_gfx90a_fast, false>>(0);
  }
  if (target == isa::Target::Gfx942) {
    return std::make_unique<MatrixPins<Vmatrix_gfx942_fast, false>>(0);
  }
  return std::make_unique<MatrixPins<Vmatrix_fast, false>>(0);
}

}  // namespace cuvette::ip
