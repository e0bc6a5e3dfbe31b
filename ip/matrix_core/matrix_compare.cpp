// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_compare.h"

namespace cuvette::ip {

std::optional<MatrixDifference> compare_header(const matrix_core::Result& want,
                                               const matrix_core::Result& actual) {
  if (actual.id != want.id) {
    return MatrixDifference{"id", -1, -1, want.id, actual.id};
  }
  if (actual.pass != want.pass) {
    return MatrixDifference{"pass", -1, -1, want.pass, actual.pass};
  }
  if (actual.last != want.last) {
    return MatrixDifference{"last", -1, -1, want.last, actual.last};
  }
  if (actual.first_row != want.first_row) {
    return MatrixDifference{"first_row", -1, -1, want.first_row, actual.first_row};
  }
  if (actual.rows != want.rows) {
    return MatrixDifference{"rows", -1, -1, want.rows, actual.rows};
  }
  return std::nullopt;
}

std::optional<MatrixDifference> compare_lanes(const matrix_core::Result& want,
                                              const matrix_core::Result& actual,
                                              MatrixCounts& counts) {
  for (unsigned r = 0; r < want.rows; ++r) {
    counts.lanes += wave::kLanes;
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      if (actual.d[r][l] != want.d[r][l]) {
        return MatrixDifference{"d", static_cast<int>(want.first_row + r), static_cast<int>(l),
                                want.d[r][l], actual.d[r][l]};
      }
    }
  }
  return std::nullopt;
}

}  // namespace cuvette::ip
