// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/row.h"

namespace cuvette::wave {

/// Layout of the elements of a dense matrix instruction (tests/oracles/mfma/layout; wave of 64).
/// A[i][k] is an M x K matrix, B[k][j] K x N, C and D[i][j] M x N, once per block; M = N.
class MatrixLayout {
 public:
  explicit MatrixLayout(const isa::MatrixShape& shape)
      : m(shape.m),
        n(shape.n),
        k(shape.k),
        blocks(shape.blocks),
        wide_(shape.c == isa::Type::F64),
        elements_(k * m * blocks / 64),
        group_height_(wide_ ? 1 : 4),
        row_groups_(64 / n),
        blocks_per_register_((64 * group_height_ + m * n - 1) / (m * n)) {}

  const unsigned m, n, k, blocks;  ///< of isa::MatrixShape

  /// Consecutive k of A or B one lane holds.
  /// At least 1.
  unsigned elements() const { return elements_; }
  /// Lane of A[i][k] (index = i) or B[k][j] (index = j) of a block.
  unsigned source_lane(unsigned block, unsigned index, unsigned kk) const {
    return (kk / elements_) * m * blocks + block * m + index;
  }
  /// Index of the element in the lane, packed from the low bits of the first register up.
  unsigned source_element(unsigned kk) const { return kk % elements_; }
  /// Register of C or D[i][*], counted in elements (F64: pairs of registers).
  unsigned result_register(unsigned block, unsigned i) const {
    return block * (m * n / 64) + i / (group_height_ * row_groups_) * group_height_ +
           i % group_height_;
  }
  /// Lane of C or D[i][0]; column j is j lanes further.
  unsigned result_lane(unsigned block, unsigned i) const {
    return block % blocks_per_register_ * n +
           i / group_height_ % row_groups_ * blocks_per_register_ * n;
  }
  /// Registers of C and of D, in elements.
  unsigned result_registers() const { return m * n * blocks / 64; }

 private:
  bool wide_;
  unsigned elements_, group_height_, row_groups_, blocks_per_register_;
};

/// Block of A that block `block` reads under cbsz and abid: groups of 2^cbsz blocks share the
/// abid-th of them. cbsz beyond the number of blocks takes them all.
constexpr unsigned broadcast_block(unsigned block, unsigned blocks, unsigned cbsz, unsigned abid) {
  unsigned group = 1u << cbsz;
  if (group > blocks) group = blocks;
  return block / group * group + abid % group;
}

/// Lane of B that lane `lane` reads under blgp: 1 and 2 give one half to both, 3 rotates by 16
/// lanes, 4 to 7 give one row of 16 to all.
constexpr unsigned broadcast_lane(unsigned lane, unsigned blgp) {
  switch (blgp) {
    case 1:
      return lane % 32;
    case 2:
      return 32 + lane % 32;
    case 3:
      return (lane + 16) % 64;
    case 4:
    case 5:
    case 6:
    case 7:
      return (blgp - 4) * 16 + lane % 16;
    default:
      return lane;
  }
}

}  // namespace cuvette::wave
