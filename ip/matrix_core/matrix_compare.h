// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "matrix_core/matrix_core.h"

namespace cuvette::ip {

/// Compared items by class (docs/matrix_core.md).
struct MatrixCounts {
  uint64_t results = 0;       ///< passes given
  uint64_t instructions = 0;  ///< complete; of these so many were compared in every lane:
  uint64_t sampled = 0;
  uint64_t lanes = 0;  ///< of D
  uint64_t times = 0;  ///< passes of results whose time was compared
};

struct MatrixDifference {
  const char* field = "";
  int row = -1, lane = -1;  ///< for "d": register of D and lane
  uint64_t expected = 0, actual = 0;
};

/// Everything but the lanes, in the order of docs/lockstep.md.
std::optional<MatrixDifference> compare_header(const matrix_core::Result& want,
                                               const matrix_core::Result& actual);
/// The lanes of the valid rows; counts them.
std::optional<MatrixDifference> compare_lanes(const matrix_core::Result& want,
                                              const matrix_core::Result& actual,
                                              MatrixCounts& counts);

}  // namespace cuvette::ip
