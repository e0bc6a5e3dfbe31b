// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bits.h"
#include "fp/matrix.h"
#include "isa/instruction.h"
#include "wave/matrix.h"
#include "wave/matrix_layout.h"
#include "wave/state.h"

// Parts shared by dense and sparse matrix instructions.
namespace cuvette::wave {

inline constexpr unsigned kMaxMatrixColumns = 32;  ///< N
inline constexpr unsigned kMaxMatrixDepth = 64;    ///< K, of the expanded A for sparse ones

/// blgp of this row on this target: gfx942 dropped it from the single-block shapes other than F32
/// (isa_notes 4). F64 never has it.
inline bool permutes_b(const isa::Row& row, isa::Target target) {
  const isa::MatrixShape& shape = row.matrix;
  return shape.blgp &&
         (target != isa::Target::Gfx942 || shape.blocks > 1 || shape.a == isa::Type::F32);
}

/// Block of A and lanes of B that an instruction reads.
struct Selection {
  unsigned cbsz = 0, abid = 0, blgp = 0;  ///< 0 where the row ignores the field
  Selection(const isa::Instruction& i) {  // NOLINT: a view of the modifiers
    if (i.row->matrix.cbsz_abid) {
      cbsz = i.mod.cbsz;
      abid = i.mod.abid;
    }
    if (permutes_b(*i.row, i.target)) blgp = i.mod.blgp;
  }
  /// Lane of A[i][k], of B[k][j], for block `block`.
  unsigned a_lane(const MatrixLayout& layout, unsigned block, unsigned i, unsigned k) const {
    return layout.source_lane(broadcast_block(block, layout.blocks, cbsz, abid), i, k);
  }
  unsigned b_lane(const MatrixLayout& layout, unsigned block, unsigned j, unsigned k) const {
    return broadcast_lane(layout.source_lane(block, j, k), blgp);
  }
};

/// Signs that F64 instructions of gfx942 change by blgp, as masks.
struct SignsF64 {
  uint64_t a = 0, b = 0, c = 0;
  explicit SignsF64(const isa::Instruction& i) {
    if (i.target != isa::Target::Gfx942) return;
    const auto sign = [&i](unsigned bit) { return uint64_t{base::bit(i.mod.blgp, bit)} << 63; };
    a = sign(0);
    b = sign(1);
    c = sign(2);
  }
};

/// d + sum of a[k] * b[k] by the rule of a row on a target (mfma_numerics.md), for all rows but
/// those of F64.
class DotProduct {
 public:
  DotProduct(const isa::Row& row, isa::Target target);

  unsigned k() const { return k_; }
  unsigned element_bits() const { return element_bits_; }
  bool is_integer() const { return integer_; }
  /// Meaningless for integers.
  const fp::DotAlgorithm& algorithm() const { return algorithm_; }
  uint32_t operator()(const uint32_t* a, const uint32_t* b, uint32_t d) const {
    return integer_ ? fp::dot_accumulate_i8(a, b, k_, d)
                    : fp::dot_accumulate(algorithm_, a, b, k_, d);
  }

 private:
  unsigned k_, element_bits_;
  bool integer_;
  fp::DotAlgorithm algorithm_;
};

// Sparse instructions: A holds two of every four consecutive k; a register says which.
inline constexpr unsigned kSparseGroup = 4;      ///< consecutive k of a row that share two elements
inline constexpr unsigned kSparseIndexBits = 4;  ///< two positions of two bits per group

/// Groups of one row of A that one lane holds.
constexpr unsigned sparse_groups_per_lane(unsigned m, unsigned k) {
  return k * m / (64 * kSparseGroup);
}
/// A register holds several sets of indices; abid names one unless cbsz is set.
inline unsigned sparse_index_set(const isa::Instruction& i, unsigned m, unsigned k) {
  const unsigned sets = 32 / (sparse_groups_per_lane(m, k) * kSparseIndexBits);
  return i.mod.cbsz == 0 ? i.mod.abid % sets : 0;
}

/// Row i of the expanded A, K elements of `bits` bits.
void expand_row(const SparseMatrixOp& op, unsigned i, unsigned bits, uint32_t* a);

/// Bits of one element of A or B.
unsigned element_bits(isa::Type type);

/// Element `element` of a lane's packed registers.
inline uint32_t packed_element(const LaneRow* rows, unsigned lane, unsigned element,
                               unsigned bits) {
  const unsigned first = element * bits;
  return static_cast<uint32_t>(rows[first / 32][lane] >> first % 32 & base::low_mask(bits));
}

}  // namespace cuvette::wave
