// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bits.h"
#include "fp/matrix.h"
#include "isa/instruction.h"
#include "wave/state.h"

// What dense and sparse matrix instructions share.
namespace cuvette::wave {

inline constexpr unsigned kMaxMatrixColumns = 32;
inline constexpr unsigned kMaxMatrixDepth = 64;  ///< K, of the expanded A for sparse ones

/// d + sum of a[k] * b[k] by the rule of a row on a target (mfma_numerics.md), for the rows that
/// are no chains of F32 or F64 operations.
class DotProduct {
 public:
  DotProduct(const isa::Row& row, isa::Target target);

  unsigned element_bits() const { return element_bits_; }
  uint32_t operator()(const uint32_t* a, const uint32_t* b, uint32_t d) const {
    return integer_ ? fp::dot_accumulate_i8(a, b, k_, d)
                    : fp::dot_accumulate(algorithm_, a, b, k_, d);
  }

 private:
  unsigned k_, element_bits_;
  bool integer_;
  fp::DotAlgorithm algorithm_;
};

/// Element `element` of a lane's packed registers.
inline uint32_t packed_element(const LaneRow* rows, unsigned lane, unsigned element,
                               unsigned bits) {
  const unsigned first = element * bits;
  return static_cast<uint32_t>(rows[first / 32][lane] >> first % 32 & base::low_mask(bits));
}

}  // namespace cuvette::wave
