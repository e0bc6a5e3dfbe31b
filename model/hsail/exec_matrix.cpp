// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "base/bits.h"
#include "fp/matrix.h"
#include "hsail/exec.h"

// The instructions of extension cuvette:mfma (hsail_mfma.md): which element each work-item
// holds, and the sums by layer fp. Written from the layouts, not from the machine's executor.
namespace cuvette::hsail {

namespace {

constexpr unsigned kMostSources = 1024;  ///< elements of A (expanded) or B
constexpr unsigned kMostDepth = 64;
constexpr unsigned kSparseGroup = 4;  ///< consecutive k, of which A holds two

constexpr unsigned kMatrixLanes = 64;  // build_program lets no other WAVESIZE through

struct Place {
  unsigned block;
  unsigned row;  ///< of A; of B the column
  unsigned k;
};

/// Element `e` of `held` in a work-item's A or B: lanes count rows first, then blocks, then k.
Place source_place(const MatrixInst& x, unsigned held, unsigned lane, unsigned e) {
  return {lane / x.m % x.blocks, lane % x.m, lane / (unsigned{x.m} * x.blocks) * held + e};
}

struct ResultPlace {
  unsigned block;
  unsigned row;
  unsigned column;
};

/// Element `r` of a work-item's C or D: a lane stays in one column. Four elements in a row are four
/// rows of 32 bits; F64 goes on with the next group of lanes after every row.
ResultPlace result_place(const MatrixInst& x, unsigned lane, unsigned r) {
  const unsigned column = lane % x.m;
  const unsigned rest = lane / x.m;
  const bool wide = x.result == Type::kF64;
  switch (x.m) {
    case 4:
      if (wide) return {rest % x.blocks, rest / x.blocks, column};
      return {rest, r, column};
    case 16:
      if (wide) return {0, 4 * r + rest, column};
      return {r / 4, 4 * rest + r % 4, column};
    default:
      return {r / 16, r / 4 % 4 * 8 + rest * 4 + r % 4, column};
  }
}

/// The lane whose B a lane takes.
unsigned permuted(unsigned lane, unsigned blgp) {
  if (blgp == 0) return lane;
  if (blgp <= 2) return lane % 32 + (blgp - 1) * 32;
  if (blgp == 3) return (lane + 16) % 64;
  return lane % 16 + (blgp - 4) * 16;
}

uint64_t source_element(const ExecContext& c, uint32_t slot, unsigned lane, MatrixFormat format,
                        unsigned e) {
  const unsigned bits = element_bits(format);
  const unsigned at = e * bits;
  return c.slot(slot + at / 64)[lane] >> at % 64 & base::low_mask(bits);
}

/// docs/reference/mfma_numerics.md. F64 and I8 have functions of their own.
fp::DotAlgorithm algorithm_of(const MatrixInst& x, MatrixTarget target) {
  const bool old = target == MatrixTarget::kGfx908;
  const bool newest = target == MatrixTarget::kGfx942;
  switch (x.a) {
    case MatrixFormat::kF16:
      return old ? fp::kDotF16Gfx908 : newest ? fp::kDotF16Gfx942 : fp::kDotF16Gfx90a;
    case MatrixFormat::kBf16:
      if (old || newest) return old ? fp::kDotBf16Gfx908 : fp::kDotBf16Gfx942;
      return x.a_elements() == 4 ? fp::kDotBf16K1Gfx90a : fp::kDotBf16Gfx90a;
    case MatrixFormat::kXf32:
      return fp::kDotXf32Gfx942;
    case MatrixFormat::kFp8:
    case MatrixFormat::kBf8:
      return fp::dot_8bit_gfx942(x.a == MatrixFormat::kBf8, x.b == MatrixFormat::kBf8);
    default:
      return fp::kDotF32;
  }
}

class MatrixProduct {
 public:
  MatrixProduct(ExecContext& c, const MatrixPlan& plan) : c_(c), plan_(plan), x_(*plan.inst) {}

  void run() {
    read_a();
    read_b();
    std::array<std::array<uint64_t, kMatrixLanes>, 32> d{};
    for (unsigned r = 0; r < x_.results(); ++r) {
      const uint64_t* from = c_.slot(plan_.c[r]);
      for (unsigned lane = 0; lane < kMatrixLanes; ++lane) {
        d[r][lane] = result(result_place(x_, lane, r), from[lane]);
      }
    }
    for (unsigned r = 0; r < x_.results(); ++r) {
      std::copy(d[r].begin(), d[r].end(), c_.slot(plan_.dest[r]));
    }
  }

 private:
  uint64_t* of(std::array<uint64_t, kMostSources>& all, unsigned block, unsigned row) {
    return &all[(block * x_.m + row) * x_.k];
  }

  void read_a() {
    if (x_.sparse) return expand_a();
    for (unsigned lane = 0; lane < kMatrixLanes; ++lane) {
      for (unsigned e = 0; e < x_.a_elements(); ++e) {
        const Place p = source_place(x_, x_.a_elements(), lane, e);
        of(a_, p.block, p.row)[p.k] = source_element(c_, plan_.a, lane, x_.a, e);
      }
    }
  }

  /// Two of four consecutive k, placed by four bits of the index; where both name one place, the
  /// second stays. An index operand holds several sets: abid chooses one unless cbsz is set.
  void expand_a() {
    a_.fill(0);
    const unsigned groups = x_.a_elements() / 2;  // of one work-item
    const unsigned sets = 32 / (4 * groups);
    const unsigned set = plan_.modifiers.cbsz == 0 ? plan_.modifiers.abid % sets : 0;
    for (unsigned lane = 0; lane < kMatrixLanes; ++lane) {
      const uint64_t index = c_.slot(plan_.index)[lane] >> set * groups * 4;
      for (unsigned g = 0; g < groups; ++g) {
        const Place p = source_place(x_, groups * kSparseGroup, lane, g * kSparseGroup);
        uint64_t* four = of(a_, 0, p.row) + p.k;
        four[index >> 4 * g & 3] = source_element(c_, plan_.a, lane, x_.a, 2 * g);
        four[index >> (4 * g + 2) & 3] = source_element(c_, plan_.a, lane, x_.a, 2 * g + 1);
      }
    }
  }

  void read_b() {
    for (unsigned lane = 0; lane < kMatrixLanes; ++lane) {
      const unsigned from = permuted(lane, plan_.modifiers.blgp);
      for (unsigned e = 0; e < x_.b_elements(); ++e) {
        const Place p = source_place(x_, x_.b_elements(), lane, e);
        of(b_, p.block, p.row)[p.k] = source_element(c_, plan_.b, from, x_.b, e);
      }
    }
  }

  /// The block of A that a block takes: groups of 2^cbsz share their abid-th.
  unsigned a_block(unsigned block) const {
    if (x_.sparse) return block;
    const unsigned group = std::min(1u << plan_.modifiers.cbsz, unsigned{x_.blocks});
    return block - block % group + plan_.modifiers.abid % group;
  }

  uint64_t result(const ResultPlace& p, uint64_t c) {
    const uint64_t* a = of(a_, a_block(p.block), p.row);
    const uint64_t* b = of(b_, p.block, p.column);
    if (x_.a == MatrixFormat::kF64) return result_f64(a, b, c);
    std::array<uint32_t, kMostDepth> narrow_a{};
    std::array<uint32_t, kMostDepth> narrow_b{};
    for (unsigned k = 0; k < x_.k; ++k) {
      narrow_a[k] = static_cast<uint32_t>(a[k]);
      narrow_b[k] = static_cast<uint32_t>(b[k]);
    }
    const auto d = static_cast<uint32_t>(c);
    if (x_.a == MatrixFormat::kI8) {
      return fp::dot_accumulate_i8(narrow_a.data(), narrow_b.data(), x_.k, d);
    }
    return fp::dot_accumulate(algorithm_of(x_, plan_.target), narrow_a.data(), narrow_b.data(),
                              x_.k, d);
  }

  uint64_t result_f64(const uint64_t* a, const uint64_t* b, uint64_t c) const {
    const auto sign = [&](unsigned bit) {
      return uint64_t{base::bit(plan_.modifiers.neg, bit)} << 63;
    };
    std::array<uint64_t, kMostDepth> signed_a{};
    std::array<uint64_t, kMostDepth> signed_b{};
    for (unsigned k = 0; k < x_.k; ++k) {
      signed_a[k] = a[k] ^ sign(0);
      signed_b[k] = b[k] ^ sign(1);
    }
    return fp::dot_accumulate_f64(signed_a.data(), signed_b.data(), x_.k, c ^ sign(2));
  }

  ExecContext& c_;
  const MatrixPlan& plan_;
  const MatrixInst& x_;
  std::array<uint64_t, kMostSources> a_{};
  std::array<uint64_t, kMostSources> b_{};
};

void matrix_product(ExecContext& c, const Op& op) {
  const auto& size = c.group->size;
  const uint32_t items = size[0] * size[1] * size[2] - c.first_item;
  if (items < kMatrixLanes) {
    c.fail(kNoLane, "a matrix instruction takes all 64 work-items of a wavefront: this one has " +
                        std::to_string(items));
    return;
  }
  if (c.mask != c.everyone) {
    c.fail(
        (c.everyone - c.mask).first(),
        "a matrix instruction takes all 64 work-items of a wavefront: this one does not reach it");
    return;
  }
  MatrixProduct(c, c.program->matrices[op.plan]).run();
}

}  // namespace

Handler matrix_handler(const Inst& inst) {
  return is_matrix(inst.opcode) ? matrix_product : nullptr;
}

}  // namespace cuvette::hsail
