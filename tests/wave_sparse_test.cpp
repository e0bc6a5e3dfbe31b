// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "wave/matrix.h"
#include "wave_fixture.h"
#include "wave_matrix_support.h"

// Sparse matrix instructions: compressed A and indices placed by the layout oracle (matrices A and
// k), results from plain loops over the expanded A.
namespace cuvette::wave::testing {
namespace {

constexpr Target kTarget = Target::Gfx942;
constexpr unsigned kA = 0, kB = 16, kIndex = 32, kD = 64;  ///< registers of the test

std::vector<const isa::Row*> sparse_rows() {
  std::vector<const isa::Row*> rows;
  for (const isa::Row& row : isa::rows()) {
    if (row.semantic == isa::SemanticId::v_smfmac) rows.push_back(&row);
  }
  return rows;
}

/// One instruction with random small integers. `equal`: now and then both positions of a group are
/// the same.
struct Sparse {
  const isa::Row& row;
  unsigned m, n, k, bits;
  std::vector<int> a, b, c;  ///< A expanded
  Wave wave{kTarget};
  Build build;

  Sparse(const isa::Row& r, unsigned seed, unsigned set, bool equal)
      : row(r),
        m(r.matrix.m),
        n(r.matrix.n),
        k(r.matrix.k),
        bits(r.matrix.a == Type::F16 || r.matrix.a == Type::Bf16 ? 16 : 8),
        a(m * k),
        b(k * n),
        c(m * n),
        build(std::string(r.mnemonic), kTarget) {
    build.dst(vgpr(kD)).src(0, vgpr(kA)).src(1, vgpr(kB)).src(2, vgpr(kIndex));
    std::mt19937 random(seed);
    const auto small = [&random] { return static_cast<int>(random() % 9) - 4; };
    for (LaneRow& garbage : wave.v) garbage.fill(random());
    // One index register holds several sets of 8 (16-bit formats) or 16 bits.
    const unsigned shift = set * (bits == 16 ? 8 : 16);
    const std::vector<Place> places_a = layout('A');
    const std::vector<Place> places_k = layout('k');
    for (const Place& p : places_a) {
      if (p.col % 4 != 0) continue;
      const unsigned low = random() % 4;
      const unsigned high = equal && random() % 3 == 0 ? low : (low + 1 + random() % 3) % 4;
      const int value_low = small(), value_high = small();
      a[p.row * k + p.col + low] = value_low;
      a[p.row * k + p.col + high] = value_high;  // of equal positions the high element wins
      put(kA + p.vgpr, p.lane, p.bit_lo, bits, encode_as(row.matrix.a, value_low));
      put(kA + p.vgpr, p.lane, p.bit_lo + bits, bits, encode_as(row.matrix.a, value_high));
      for (const Place& q : places_k) {
        if (q.row == p.row && q.col == p.col) {
          put(kIndex + q.vgpr, q.lane, q.bit_lo + shift, 4, low | high << 2);
        }
      }
    }
    for (const Place& p : layout('B')) {
      b[p.row * n + p.col] = small();
      put(kB + p.vgpr, p.lane, p.bit_lo, bits, encode_as(row.matrix.b, b[p.row * n + p.col]));
    }
    for (const Place& p : layout('D')) {
      c[p.row * n + p.col] = small() * 100;
      put(kD + p.vgpr, p.lane, 0, 32, encode_as(row.matrix.c, c[p.row * n + p.col]));
    }
  }
  std::vector<Place> layout(char matrix) const {
    return read_layout(kTarget, row.mnemonic, matrix);
  }
  void put(unsigned reg, unsigned lane, unsigned lo, unsigned width, uint64_t value) {
    wave.v[reg][lane] =
        static_cast<uint32_t>(base::insert_bits(wave.v[reg][lane], lo + width - 1, lo, value));
  }
  void check(const std::string& what) {
    ASSERT_EQ(execute_matrix(wave.state, build.i).event, Event::None);
    for (const Place& p : layout('D')) {
      int sum = c[p.row * n + p.col];
      for (unsigned kk = 0; kk < k; ++kk) sum += a[p.row * k + kk] * b[kk * n + p.col];
      ASSERT_EQ(wave.v[kD + p.vgpr][p.lane], encode_as(row.matrix.c, sum))
          << row.mnemonic << " " << what << " row " << p.row << " col " << p.col;
    }
  }
};

TEST(WaveSparse, LayoutAndSums) {
  unsigned count = 0;
  for (const isa::Row* row : sparse_rows()) {
    Sparse test(*row, 40 + count, 0, false);
    test.wave.state.s.set_exec(0);
    test.check("first set");
    ++count;
  }
  EXPECT_EQ(count, 14u);
}

TEST(WaveSparse, IndexSets) {
  for (const isa::Row* row : sparse_rows()) {
    const unsigned sets = row->matrix.a == Type::F16 || row->matrix.a == Type::Bf16 ? 4 : 2;
    for (unsigned set = 0; set < sets; ++set) {
      Sparse test(*row, 100 + set, set, false);
      test.build.i.mod.abid = static_cast<uint8_t>(set);
      test.check("abid " + std::to_string(set));
    }
    // With cbsz the first set counts whatever abid says.
    Sparse test(*row, 200, 0, false);
    test.build.i.mod.cbsz = 1;
    test.build.i.mod.abid = 1;
    test.check("cbsz 1");
  }
}

TEST(WaveSparse, EqualPositions) {
  for (const isa::Row* row : sparse_rows()) Sparse(*row, 300, 0, true).check("equal positions");
}

}  // namespace
}  // namespace cuvette::wave::testing
