// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "Vmatrix_fast.h"
#include "ip/matrix_pins.h"

namespace cuvette::ip {

std::unique_ptr<MatrixDevice> make_matrix_fast() {
  return std::make_unique<MatrixPins<Vmatrix_fast, false>>(0);
}

}  // namespace cuvette::ip
