// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/matrix_host.h"

#include <algorithm>

#include "wave/lanes/level_table.h"
#include "wave/matrix_parts.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cuvette::wave {
namespace {

using isa::Type;
using lanes::DotForm;
using lanes::DotKernel;
using lanes::LevelTable;
using lanes::MatrixSum;

/// MXCSR rounds to nearest and keeps subnormals.
bool processor_matches() {
#if defined(__x86_64__)
  constexpr unsigned kModes = 0xe040;  // MXCSR: flush to zero, rounding, denormals are zero
  return (_mm_getcsr() & kModes) == 0;
#else
  return false;
#endif
}

/// How the host adds the products of an instruction.
struct Method {
  MatrixSum sum;
  unsigned group;     ///< products added at once
  unsigned bits;      ///< of what is decoded together: an element, of bytes two
  unsigned elements;  ///< of these in K

  explicit Method(const DotProduct& dot)
      : sum(sum_of(dot)),
        group(dot.is_integer() ? 1 : std::min<unsigned>(dot.algorithm().group, dot.k())),
        bits(dot.is_integer() ? 2 * dot.element_bits() : dot.element_bits()),
        elements(dot.k() * dot.element_bits() / bits) {}

 private:
  static MatrixSum sum_of(const DotProduct& dot) {
    if (dot.is_integer()) return MatrixSum::Integer;
    switch (dot.algorithm().method) {
      case fp::MatrixMethod::Chain:
        return MatrixSum::Chain;
      case fp::MatrixMethod::Exact:
        return MatrixSum::Exact;
      case fp::MatrixMethod::Pairwise:
        return MatrixSum::Pairwise;
      case fp::MatrixMethod::Fused:
        return MatrixSum::Fused;
      case fp::MatrixMethod::FusedEvenOdd:
        break;
    }
    return MatrixSum::FusedEvenOdd;
  }
};

/// The exponents of the numbers in two registers of F16: the distance of the largest from the
/// smallest. One that no sum bears with infinities and NaNs; zeros have none.
unsigned exponent_spread(const LaneRow* rows) {
  uint32_t least = 31, most = 0;
  for (unsigned r = 0; r < 2; ++r) {
    for (const uint32_t word : rows[r]) {
      for (const uint32_t half : {word & 0x7fff, word >> 16 & 0x7fff}) {
        const uint32_t exponent = std::max(half >> 10, 1u);
        if (half != 0) least = std::min(least, exponent);
        most = std::max(most, exponent);
      }
    }
  }
  constexpr unsigned kTooFar = 64;
  return most == 31 ? kTooFar : most > least ? most - least : 0;
}

/// True if doubles hold the sum of any four products of these F16 exactly: 22 bits of a product,
/// two for carries, and the distance of the exponents.
bool exact_in_doubles(const LaneRow* a, const LaneRow* b) {
  return 22 + 2 + exponent_spread(a) + exponent_spread(b) <= 53u;
}

/// Lanes of a source as blgp moves them.
void broadcast_lanes(const LaneRow* source, unsigned rows, unsigned blgp, LaneRow* moved) {
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      moved[r][lane] = source[r][broadcast_lane(lane, blgp)];
    }
  }
}

// -- blocks with functions of their own (lanes::MatrixRun)

/// A source: F32 as it is, F16 widened. B may have its lanes moved.
struct WideElements {
  alignas(64) LaneRow wide[4], moved[2];
  const LaneRow* rows;

  WideElements(const LaneRow* source, unsigned blgp, MatrixSum sum, const LevelTable& host)
      : rows(source) {
    if (blgp != 0) {
      broadcast_lanes(source, sum == MatrixSum::Chain ? 1 : 2, blgp, moved);
      rows = moved;
    }
    if (sum == MatrixSum::Chain) return;
    host.widen(rows, sum == MatrixSum::Pairwise, wide);
    rows = wide;
  }
};

/// Their function for F32, and for F16 of gfx908 and gfx90a; null: none.
lanes::MatrixRun matrix_run(const isa::MatrixShape& shape, MatrixSum sum, const LevelTable& host) {
  if (shape.n < 16 || (shape.a != Type::F32 && shape.a != Type::F16)) return nullptr;
  if (sum == MatrixSum::Fused) return nullptr;
  // One F32 or a group of four F16 is what one lane holds.
  if (shape.k * shape.n * shape.blocks != (shape.a == Type::F32 ? 1 : 4) * kLanes) return nullptr;
  return host.matrix(sum, shape.k, shape.n);
}

void run_blocks(const MatrixOp& op, lanes::MatrixRun run, MatrixSum sum, const LevelTable& host) {
  const isa::MatrixShape& shape = op.instruction->row->matrix;
  const Selection select(*op.instruction);
  const WideElements a(op.a, 0, sum, host), b(op.b, select.blgp, sum, host);
  const unsigned registers = shape.m * shape.n / kLanes;  // of results, each block
  for (unsigned block = 0; block < shape.blocks; ++block) {
    const unsigned block_a = broadcast_block(block, shape.blocks, select.cbsz, select.abid);
    run(a.rows->data() + block_a * shape.m, b.rows->data() + block * shape.n,
        op.d[block * registers].data());
  }
}

// -- all others (lanes::DotRun)

/// Decoded elements of A or B.
class DotElements {
 public:
  static constexpr unsigned kMaxRows = 16;

  DotElements(const DotKernel& kernel, const Method& method) : kernel_(kernel), method_(method) {}

  /// Registers with `lane_elements` elements in a lane, consecutive ones of k; the next k is
  /// `lanes` further.
  void take_registers(const LaneRow* source, unsigned lane_elements, unsigned lanes) {
    for (unsigned e = 0; e < lane_elements; ++e) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        raw_[e][lane] = packed_element(source, lane, e, method_.bits);
      }
    }
    raw_rows_ = lane_elements;
    for (unsigned k = 0; k < method_.elements; ++k) {
      set_place(k, k % lane_elements, k / lane_elements * lanes);
    }
  }
  /// A of 16 blocks of 4 rows, each row in the lanes of its block.
  void take_small_blocks(const LaneRow* source, const Selection& select) {
    constexpr unsigned kHeight = 4, kBlocks = kLanes / kHeight;
    raw_rows_ = method_.elements * kHeight;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned from =
          broadcast_block(lane / kHeight, kBlocks, select.cbsz, select.abid) * kHeight;
      for (unsigned r = 0; r < raw_rows_; ++r) {
        raw_[r][lane] = packed_element(source, from + r % kHeight, r / kHeight, method_.bits);
      }
    }
    for (unsigned k = 0; k < method_.elements; ++k) set_place(k, k * kHeight, 0);
  }
  /// The expanded A of a sparse instruction.
  void take_sparse(const SparseMatrixOp& op, unsigned element_bits) {
    const isa::MatrixShape& shape = op.instruction->row->matrix;
    const unsigned together = method_.bits / element_bits;
    raw_rows_ = method_.elements * shape.m / kLanes;
    uint32_t a[kMaxMatrixDepth];
    for (unsigned i = 0; i < shape.m; ++i) {
      expand_row(op, i, element_bits, a);
      for (unsigned k = 0; k < method_.elements; ++k) {
        const unsigned at = k * shape.m + i;
        uint32_t& word = raw_[at / kLanes][at % kLanes];
        word = a[k * together];
        if (together == 2) word |= a[k * together + 1] << element_bits;
      }
    }
    for (unsigned k = 0; k < method_.elements; ++k) {
      set_place(k, k * shape.m / kLanes, k * shape.m % kLanes);
    }
  }

  void decode(fp::MatrixFormat format, const LevelTable& host) {
    host.dot_decode(kernel_.form, format)(kernel_.form, raw_, raw_rows_, rows_);
  }
  /// From a lane on.
  lanes::DotOperand from(unsigned lane) const { return {rows_[0].data() + lane, place_}; }

 private:
  void set_place(unsigned k, unsigned raw_row, unsigned lane) {
    place_[k] = static_cast<uint16_t>(raw_row * lanes::rows_of(kernel_.form) * kLanes + lane);
  }

  const DotKernel& kernel_;
  const Method& method_;
  unsigned raw_rows_ = 0;
  uint16_t place_[kMaxMatrixDepth];
  alignas(64) LaneRow raw_[kMaxRows];
  alignas(64) LaneRow rows_[kMaxRows * lanes::rows_of(DotForm::Split)];
};

void run_dots(const MatrixOp& op, const DotProduct& dot, const Method& method,
              const DotKernel& kernel, const LevelTable& host) {
  const isa::MatrixShape& shape = op.instruction->row->matrix;
  const Selection select(*op.instruction);
  const unsigned lanes = shape.n * shape.blocks;
  const unsigned lane_elements = method.elements * lanes / kLanes;
  LaneRow moved[2];
  const LaneRow* from_b = op.b;
  if (select.blgp != 0) {
    broadcast_lanes(op.b, op.instruction->row->src[1].dwords, select.blgp, moved);
    from_b = moved;
  }
  DotElements a(kernel, method), b(kernel, method);
  b.take_registers(from_b, lane_elements, lanes);
  b.decode(dot.algorithm().b, host);
  const bool small = shape.n == 4;
  if (small) {
    a.take_small_blocks(op.a, select);
  } else {
    a.take_registers(op.a, lane_elements, lanes);
  }
  a.decode(dot.algorithm().a, host);
  const lanes::DotRun run = kernel.run[shape.n / 16];
  if (small) return run(a.from(0), b.from(0), method.elements, op.d[0].data());
  const unsigned registers = shape.m * shape.n / kLanes;  // of results, each block
  for (unsigned block = 0; block < shape.blocks; ++block) {
    const unsigned block_a = broadcast_block(block, shape.blocks, select.cbsz, select.abid);
    run(a.from(block_a * shape.m), b.from(block * shape.n), method.elements,
        op.d[block * registers].data());
  }
}

bool run_f64(const MatrixOp& op, const LevelTable& host) {
  const lanes::ChainF64 run = host.chain_f64(op.instruction->row->matrix.n);
  if (run == nullptr) return false;
  const SignsF64 signs(*op.instruction);
  uint64_t a[kLanes], b[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    a[lane] = signs.a ^ base::join32(op.a[0][lane], op.a[1][lane]);
    b[lane] = signs.b ^ base::join32(op.b[0][lane], op.b[1][lane]);
  }
  run(a, b, signs.c, op.d);
  return true;
}

/// The host's vector unit, null when there is none for matrices now.
const LevelTable* usable_host() {
  return processor_matches() ? lanes::level_table() : nullptr;
}

}  // namespace

bool host_matrix(const MatrixOp& op) {
  const LevelTable* const host = usable_host();
  if (host == nullptr) return false;
  const isa::MatrixShape& shape = op.instruction->row->matrix;
  if (shape.a == Type::F64) return run_f64(op, *host);
  const DotProduct dot(*op.instruction->row, op.instruction->target);
  const Method method(dot);
  if (method.sum == MatrixSum::Exact && shape.a == Type::F16 && !exact_in_doubles(op.a, op.b)) {
    return false;
  }
  if (const auto run = matrix_run(shape, method.sum, *host); run != nullptr) {
    run_blocks(op, run, method.sum, *host);
    return true;
  }
  const DotKernel* const kernel = host->dot(method.sum, method.group);
  if (kernel == nullptr) return false;
  run_dots(op, dot, method, *kernel, *host);
  return true;
}

bool host_sparse_matrix(const SparseMatrixOp& op) {
  const LevelTable* const host = usable_host();
  if (host == nullptr) return false;
  const isa::MatrixShape& shape = op.instruction->row->matrix;
  const DotProduct dot(*op.instruction->row, op.instruction->target);
  const Method method(dot);
  const DotKernel* const kernel = host->dot(method.sum, method.group);
  if (kernel == nullptr) return false;
  DotElements a(*kernel, method), b(*kernel, method);
  a.take_sparse(op, dot.element_bits());
  a.decode(dot.algorithm().a, *host);
  b.take_registers(op.b, method.elements * shape.n / kLanes, shape.n);
  b.decode(dot.algorithm().b, *host);
  kernel->run[shape.n / 16](a.from(0), b.from(0), method.elements, op.d[0].data());
  return true;
}

}  // namespace cuvette::wave
