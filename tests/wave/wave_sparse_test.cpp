// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "matrix_groups.h"
#include "matrix_restatement.h"
#include "test_vectors.h"
#include "wave/lanes/host_level.h"
#include "wave/matrix.h"
#include "wave_fixture.h"
#include "wave_matrix_support.h"

// Sparse matrix instructions: compressed A and indices placed by the layout oracle (matrices A and
// k), results from plain loops over the expanded A and from the restatement of the arithmetic in
// whole numbers.
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
  void check(const std::string& what, MatrixPath path) {
    ASSERT_EQ(execute_matrix(wave.state, build.i, path).event, Event::None);
    for (const Place& p : layout('D')) {
      int sum = c[p.row * n + p.col];
      for (unsigned kk = 0; kk < k; ++kk) sum += a[p.row * k + kk] * b[kk * n + p.col];
      ASSERT_EQ(wave.v[kD + p.vgpr][p.lane], encode_as(row.matrix.c, sum))
          << row.mnemonic << " " << what << " row " << p.row << " col " << p.col;
    }
  }
};

/// By both paths.
class WaveSparse : public ::testing::TestWithParam<MatrixPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, WaveSparse,
                         ::testing::Values(MatrixPath::Reference, MatrixPath::Host),
                         [](const auto& i) {
                           return i.param == MatrixPath::Host ? "Host" : "Reference";
                         });

TEST_P(WaveSparse, LayoutAndSums) {
  unsigned count = 0;
  for (const isa::Row* row : sparse_rows()) {
    Sparse test(*row, 40 + count, 0, false);
    test.wave.state.s.set_exec(0);
    test.check("first set", GetParam());
    ++count;
  }
  EXPECT_EQ(count, 14u);
}

TEST_P(WaveSparse, IndexSets) {
  for (const isa::Row* row : sparse_rows()) {
    const unsigned sets = row->matrix.a == Type::F16 || row->matrix.a == Type::Bf16 ? 4 : 2;
    for (unsigned set = 0; set < sets; ++set) {
      Sparse test(*row, 100 + set, set, false);
      test.build.i.mod.abid = static_cast<uint8_t>(set);
      test.check("abid " + std::to_string(set), GetParam());
    }
    // With cbsz the first set counts whatever abid says.
    Sparse test(*row, 200, 0, false);
    test.build.i.mod.cbsz = 1;
    test.build.i.mod.abid = 1;
    test.check("cbsz 1", GetParam());
  }
}

TEST_P(WaveSparse, EqualPositions) {
  for (const isa::Row* row : sparse_rows()) {
    Sparse(*row, 300, 0, true).check("equal positions", GetParam());
  }
}

// -- the arithmetic of the dense format over the expanded A (mfma_numerics.md)

namespace numbers = restatement;

numbers::Format format_of(Type type) {
  switch (type) {
    case Type::F16:
      return numbers::Format::F16;
    case Type::Bf16:
      return numbers::Format::Bf16;
    case Type::Fp8:
      return numbers::Format::Fp8;
    case Type::Bf8:
      return numbers::Format::Bf8;
    default:
      return numbers::Format::I8;
  }
}

/// Random numbers of one kind in the registers of `test`, A expanded as its indices say: groups of
/// the dense format, of whose four in a row two are in A.
void check_numbers(Sparse& test, numbers::Groups& groups, numbers::Kind kind) {
  const unsigned m = test.m, n = test.n, k = test.k, bits = test.bits;
  std::vector<uint64_t> a(m * k), b(n * k), c(m * n);
  std::vector<std::vector<uint64_t>> dense(m);
  groups.hold(groups.below(4) != 0);
  std::vector<uint64_t> addends;
  for (unsigned i = 0; i < std::max(m, n); ++i) {
    numbers::Group g = groups.draw(kind, k);
    addends.push_back(g.d);
    if (i < n) std::copy(g.b.begin(), g.b.end(), b.begin() + i * k);
    if (i < m) dense[i] = std::move(g.a);
  }
  const std::vector<Place> places_k = test.layout('k');
  for (const Place& p : test.layout('A')) {
    if (p.col % 4 != 0) continue;
    const auto low = static_cast<unsigned>(groups.below(4));
    const unsigned high = (low + 1 + static_cast<unsigned>(groups.below(3))) % 4;
    for (const unsigned place : {low, high}) {
      a[p.row * k + p.col + place] = dense[p.row][p.col + place];
      test.put(kA + p.vgpr, p.lane, p.bit_lo + (place == low ? 0 : bits), bits,
               dense[p.row][p.col + place]);
    }
    for (const Place& q : places_k) {
      if (q.row == p.row && q.col == p.col) {
        test.put(kIndex + q.vgpr, q.lane, q.bit_lo, 4, low | high << 2);
      }
    }
  }
  for (const Place& p : test.layout('B')) {
    test.put(kB + p.vgpr, p.lane, p.bit_lo, bits, b[p.col * k + p.row]);
  }
  for (const Place& p : test.layout('D')) {
    c[p.row * n + p.col] = addends[p.row == p.col ? p.row : groups.below(addends.size())];
    test.put(kD + p.vgpr, p.lane, 0, 32, c[p.row * n + p.col]);
  }
  const auto rule = numbers::rule_of(numbers::Part::Gfx942, format_of(test.row.matrix.a),
                                     format_of(test.row.matrix.b), k);
  ASSERT_EQ(execute_matrix(test.wave.state, test.build.i).event, Event::None);
  for (const Place& p : test.layout('D')) {
    const uint64_t want =
        numbers::element(rule, &a[p.row * k], &b[p.col * k], k, c[p.row * n + p.col]);
    ASSERT_EQ(test.wave.v[kD + p.vgpr][p.lane], want)
        << test.row.mnemonic << " kind " << static_cast<unsigned>(kind) << " row " << p.row
        << " col " << p.col;
  }
}

class WaveSparseArithmetic : public ::testing::TestWithParam<lanes::HostLevel> {
 protected:
  WaveSparseArithmetic() { lanes::limit_host_level(GetParam()); }
  ~WaveSparseArithmetic() override { lanes::limit_host_level(lanes::HostLevel::Avx512); }
};

TEST_P(WaveSparseArithmetic, IsThatOfExpandedGroups) {
  const int wanted = test::vectors(10'000);
  unsigned count = 0;
  for (const isa::Row* row : sparse_rows()) {
    if (row->matrix.a == Type::I8) continue;
    numbers::Groups groups(3000 + count, format_of(row->matrix.a), format_of(row->matrix.b));
    unsigned n = 0;
    for (int done = 0; done < wanted || n < numbers::kKinds; ++n) {
      Sparse test(*row, n, 0, false);
      check_numbers(test, groups, static_cast<numbers::Kind>(n % numbers::kKinds));
      if (HasFatalFailure()) return;
      done += static_cast<int>(test.m * test.n * test.k / (test.bits == 16 ? 8 : 16));
    }
    ++count;
  }
  EXPECT_EQ(count, 12u);
}

INSTANTIATE_TEST_SUITE_P(Levels, WaveSparseArithmetic, ::testing::ValuesIn(kMatrixLevels),
                         [](const auto& i) {
                           return std::to_string(static_cast<unsigned>(i.param));
                         });

/// An element left out of A is a zero factor: it moves nothing, but an infinity or a NaN of B there
/// gives a NaN.
TEST_P(WaveSparse, UnselectedFactorsAreZeros) {
  const auto run = [](uint32_t unselected_b, uint32_t d) {
    Wave wave(kTarget);
    Build build("v_smfmac_f32_16x16x32_bf16", kTarget);
    build.dst(vgpr(kD)).src(0, vgpr(kA)).src(1, vgpr(kB)).src(2, vgpr(kIndex));
    for (unsigned lane = 0; lane < 64; ++lane) {
      for (unsigned r = 0; r < 2; ++r) wave.v[kA + r][lane] = 0x3f803f80;
      // Positions 0 and 1 of each four: B is 2^-31 there, and beside it what A has not.
      for (unsigned r = 0; r < 4; ++r) {
        wave.v[kB + r][lane] = r % 2 == 0 ? 0x30003000 : unselected_b * 0x10001;
      }
      wave.v[kIndex][lane] = 0x44444444;  // low 0, high 1
      for (unsigned r = 0; r < 4; ++r) wave.v[kD + r][lane] = d;
    }
    execute_matrix(wave.state, build.i, GetParam());
    return wave.v[kD][7];
  };
  // Sixteen products of 2^-31 each.
  EXPECT_EQ(run(0, 0), 0x32000000u);
  EXPECT_EQ(run(0x7f00, 0), 0x32000000u);
  EXPECT_EQ(run(0xff7f, 0), 0x32000000u);
  EXPECT_EQ(run(0x7f80, 0), 0x7fc00000u);
  EXPECT_EQ(run(0xff80, 0xff800000), 0x7fc00000u);
  EXPECT_EQ(run(0x7fc1, 0), 0x7fc00000u);
}

}  // namespace
}  // namespace cuvette::wave::testing
