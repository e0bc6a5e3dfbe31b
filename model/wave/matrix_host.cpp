// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/matrix_host.h"

#include <algorithm>
#include <optional>

#include "wave/lanes/level_table.h"
#include "wave/matrix_chain.h"
#include "wave/matrix_parts.h"

namespace cuvette::wave {
namespace {

using isa::Target;
using isa::Type;
using lanes::MatrixSum;

std::optional<MatrixSum> sum_of(const isa::Instruction& i) {
  if (i.row->matrix.a == Type::F32) return MatrixSum::Chain;
  if (i.row->matrix.a != Type::F16) return std::nullopt;
  if (i.target == Target::Gfx908) return MatrixSum::Exact;
  if (i.target == Target::Gfx90a) return MatrixSum::FoursFlushed;
  return std::nullopt;
}

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

/// True if doubles hold the sum of any four products of these exactly: 22 bits of a product, two
/// for carries, and the distance of the exponents.
bool exact_in_doubles(const LaneRow* a, const LaneRow* b) {
  return 22 + 2 + exponent_spread(a) + exponent_spread(b) <= 53u;
}

/// A source as the host's kernels want it (lanes::MatrixRun): F32 as it is, F16 widened. B may have
/// its lanes moved.
struct Elements {
  alignas(64) LaneRow wide[4], moved[2];
  const LaneRow* rows;

  Elements(const LaneRow* source, unsigned blgp, MatrixSum sum, const lanes::LevelTable& host)
      : rows(source) {
    if (blgp != 0) {
      for (unsigned r = 0; r < (sum == MatrixSum::Chain ? 1 : 2); ++r) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          moved[r][lane] = source[r][broadcast_lane(lane, blgp)];
        }
      }
      rows = moved;
    }
    if (sum == MatrixSum::Chain) return;
    host.widen(rows, sum == MatrixSum::FoursFlushed, wide);
    rows = wide;
  }
};

}  // namespace

bool host_matrix(const MatrixOp& op) {
  const isa::MatrixShape& shape = op.instruction->row->matrix;
  const lanes::LevelTable* const host = lanes::level_table();
  const auto sum = sum_of(*op.instruction);
  if (host == nullptr || !sum || shape.n < 16) return false;
  // One F32 or a group of four F16 is what one lane holds.
  if (shape.k * shape.n * shape.blocks != (*sum == MatrixSum::Chain ? 1 : 4) * kLanes) return false;
  const lanes::MatrixRun run = host->matrix(*sum, shape.k, shape.n);
  if (run == nullptr || !processor_matches()) return false;

  if (*sum == MatrixSum::Exact && !exact_in_doubles(op.a, op.b)) return false;

  const Selection select(*op.instruction);
  const Elements a(op.a, 0, *sum, *host), b(op.b, select.blgp, *sum, *host);
  const unsigned registers = shape.m * shape.n / kLanes;  // of results, each block
  for (unsigned block = 0; block < shape.blocks; ++block) {
    const unsigned block_a = broadcast_block(block, shape.blocks, select.cbsz, select.abid);
    run(a.rows->data() + block_a * shape.m, b.rows->data() + block * shape.n,
        op.d[block * registers].data());
  }
  return true;
}

}  // namespace cuvette::wave
