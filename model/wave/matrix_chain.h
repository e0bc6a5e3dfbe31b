// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/matrix_parts.h"

namespace cuvette::wave {

// One row of results of a chain matrix instruction (mfma_numerics.md: F32, F64): for every column
// d[j] = fma(a[k], b[k][j], d[j]), one k after the other, to nearest even, subnormals kept. NaNs
// stay what the processor makes them until canonical_* at the end. `columns` is a multiple of 4.
void chain_row_f32(const uint32_t* a, const uint32_t (*b)[kMaxMatrixColumns], unsigned terms,
                   uint32_t* d, unsigned columns);
void chain_row_f64(const uint64_t* a, const uint64_t (*b)[kMaxMatrixColumns], unsigned terms,
                   uint64_t* d, unsigned columns);

/// True if the processor fuses, and MXCSR now rounds to nearest with subnormals kept: its results
/// are those of fp's fma.
bool processor_matches();

/// The NaN every NaN result of a matrix instruction becomes.
constexpr uint32_t canonical_f32(uint32_t d) {
  return (d & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : d;
}
constexpr uint64_t canonical_f64(uint64_t d) {
  return (d & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 0x7ff8000000000000 : d;
}

}  // namespace cuvette::wave
