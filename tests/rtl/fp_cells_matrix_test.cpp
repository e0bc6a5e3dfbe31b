// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The cells of rtl/common that add a group of products to an accumulator (tb/common/fp_cells_tb.sv)
// against the restatement of docs/reference/mfma_numerics.md in whole numbers.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fp_cells.h"
#include "matrix_groups.h"
#include "matrix_restatement.h"
#include "test_vectors.h"

namespace {

using cuvette::fp_cells::Cells;
using namespace cuvette::restatement;

/// fused_dot_pkg::factor_e
enum Factor : uint8_t { kFactor16, kFactorB16, kFactor32, kFactor8 };

struct Cell {
  const char* name;
  Rule rule;
  uint32_t (*result)(const Vfp_cells&);
  Factor factor = kFactor16;  ///< of fused_dot
};

/// The cells, with the group that each computes.
const Cell kCells[] = {
    {"fma",
     {Algorithm::Chain, 1, Format::F32, Format::F32},
     [](const Vfp_cells& p) { return uint32_t{p.fma_o}; }},
    {"exact_f16",
     {Algorithm::Exact, 4, Format::F16, Format::F16},
     [](const Vfp_cells& p) { return uint32_t{p.exact_f16_o}; }},
    {"exact_bf16",
     {Algorithm::Exact, 2, Format::Bf16, Format::Bf16},
     [](const Vfp_cells& p) { return uint32_t{p.exact_bf16_o}; }},
    {"dot_f16_2",
     {Algorithm::Pairwise, 2, Format::F16, Format::F16},
     [](const Vfp_cells& p) { return uint32_t{p.dot_f16_2_o}; }},
    {"dot_f16_4",
     {Algorithm::Pairwise, 4, Format::F16, Format::F16},
     [](const Vfp_cells& p) { return uint32_t{p.dot_f16_4_o}; }},
    {"dot_bf16_2",
     {Algorithm::Pairwise, 2, Format::Bf16, Format::Bf16},
     [](const Vfp_cells& p) { return uint32_t{p.dot_bf16_2_o}; }},
    {"dot_bf16_4",
     {Algorithm::Pairwise, 4, Format::Bf16, Format::Bf16},
     [](const Vfp_cells& p) { return uint32_t{p.dot_bf16_4_o}; }},
    {"fused_f16",
     {Algorithm::Fused, 8, Format::F16, Format::F16},
     [](const Vfp_cells& p) { return uint32_t{p.fused_o}; },
     kFactor16},
    {"fused_bf16",
     {Algorithm::Fused, 8, Format::Bf16, Format::Bf16},
     [](const Vfp_cells& p) { return uint32_t{p.fused_o}; },
     kFactorB16},
    {"fused_xf32",
     {Algorithm::Fused, 4, Format::Xf32, Format::Xf32},
     [](const Vfp_cells& p) { return uint32_t{p.fused_o}; },
     kFactor32},
    {"fused_fp8_fp8",
     {Algorithm::FusedSplit, 16, Format::Fp8, Format::Fp8},
     [](const Vfp_cells& p) { return uint32_t{p.fused_o}; },
     kFactor8},
    {"fused_fp8_bf8",
     {Algorithm::FusedSplit, 16, Format::Fp8, Format::Bf8},
     [](const Vfp_cells& p) { return uint32_t{p.fused_o}; },
     kFactor8},
    {"fused_bf8_fp8",
     {Algorithm::FusedSplit, 16, Format::Bf8, Format::Fp8},
     [](const Vfp_cells& p) { return uint32_t{p.fused_o}; },
     kFactor8},
    {"fused_bf8_bf8",
     {Algorithm::FusedSplit, 16, Format::Bf8, Format::Bf8},
     [](const Vfp_cells& p) { return uint32_t{p.fused_o}; },
     kFactor8},
};

/// A group in a cell, and the page's result.
class GroupInCell {
 public:
  uint32_t got(const Cell& cell, const Group& g) {
    Vfp_cells& p = cells_.pins();
    p.fused_format_i = cell.factor;
    p.a_bf8_i = cell.rule.a == Format::Bf8;
    p.b_bf8_i = cell.rule.b == Format::Bf8;
    const unsigned bits = bits_of(cell.rule.a);
    uint32_t a[4] = {}, b[4] = {};
    for (unsigned k = 0; k < g.a.size(); ++k) {
      a[k * bits / 32] |= static_cast<uint32_t>(g.a[k]) << k * bits % 32;
      b[k * bits / 32] |= static_cast<uint32_t>(g.b[k]) << k * bits % 32;
    }
    cells_.compute(a, b, static_cast<uint32_t>(g.d));
    return cell.result(p);
  }
  static uint32_t want(const Cell& cell, const Group& g) {
    return static_cast<uint32_t>(
        element(cell.rule, g.a.data(), g.b.data(), static_cast<unsigned>(g.a.size()), g.d));
  }
  /// True if they are the same; prints the difference when not.
  bool check(const Cell& cell, const Group& g, const std::string& what) {
    const uint32_t is = got(cell, g), should = want(cell, g);
    if (is == should) return true;
    auto failure = ::testing::Message() << cell.name << " " << what << std::hex;
    for (size_t k = 0; k < g.a.size(); ++k) failure << " " << g.a[k] << "*" << g.b[k];
    ADD_FAILURE() << failure << " d " << g.d << ": " << is << ", expected " << should;
    return false;
  }

 private:
  Cells cells_;
};

class MatrixCells : public ::testing::TestWithParam<Cell> {
 protected:
  GroupInCell cell_;
};

TEST_P(MatrixCells, RandomGroups) {
  const Cell& cell = GetParam();
  Groups groups(908, cell.rule.a, cell.rule.b);
  const int vectors = cuvette::test::vectors(30'000);
  int finite = 0;
  for (int n = 0; n < vectors; ++n) {
    const auto kind = static_cast<Kind>(n % static_cast<int>(kKinds));
    const Group g = groups.draw(kind, cell.rule.group);
    ASSERT_TRUE(cell_.check(cell, g, "vector " + std::to_string(n)));
    finite += (GroupInCell::want(cell, g) & 0x7f800000) != 0x7f800000 ? 1 : 0;
  }
  EXPECT_GT(finite, vectors / 2);
}

/// The inputs at the end of the page and those worked out by hand, as far as they are one group.
TEST_P(MatrixCells, ListedGroups) {
  const Cell& cell = GetParam();
  for (const auto* const rows : {&listed(), &worked_out()}) {
    for (const Listed& row : *rows) {
      const Rule of_page = rule_of(row.part, row.format, row.format, 8);
      if (cell.rule.algorithm != of_page.algorithm || cell.rule.a != row.format ||
          cell.rule.b != row.format || cell.rule.group != of_page.group ||
          row.a.size() > of_page.group) {
        continue;
      }
      EXPECT_EQ(cell_.got(cell, group_of(row, cell.rule.group)), row.want) << row.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, MatrixCells, ::testing::ValuesIn(kCells),
                         [](const auto& i) { return std::string(i.param.name); });

// -- the widths of exact_dot (docs/reference/matrix_core.md)

constexpr uint64_t kShapes32[] = {0, 1, 0x400000, 0x7fffff};

const Cell& cell_of(const std::string& name) {
  for (const Cell& cell : kCells) {
    if (cell.name == name) return cell;
  }
  ADD_FAILURE() << name;
  return kCells[0];
}

/// Every distance of a binary16 sum from an accumulator: products of each exponent with the
/// smallest and the largest significand there, alone, four alike, and with what cancels all but
/// their smallest bit; accumulators of each exponent, with the smallest, the largest and a half.
TEST(ExactWidths, HalfProductsAgainstEveryAccumulator) {
  GroupInCell cell;
  const Cell& exact = cell_of("exact_f16");
  unsigned long long count = 0;
  for (unsigned sum = 2; sum <= 60; ++sum) {  // of the exponent fields, a subnormal has 1
    const uint64_t x = sum / 2, y = sum - x;
    for (const uint64_t fraction : {uint64_t{0}, uint64_t{0x3ff}}) {
      const uint64_t a = x << 10 | fraction, b = y << 10 | fraction;
      const Group sums[] = {
          {{a, 0, 0, 0}, {b, 0, 0, 0}},
          {{a, a, a, a}, {b, b, b, b}},
          // The smallest of all products beside it.
          {{a, 1, 0, 0}, {b, 0x8001, 0, 0}},
          {{a, a, 1, 0}, {b, b ^ 0x8000, 1, 0}},
      };
      for (const Group& products : sums) {
        for (uint64_t field = 0; field < 255; ++field) {
          for (const uint64_t shape : kShapes32) {
            Group g = products;
            // A minus sign on one side: the other is its mirror image.
            g.d = uint64_t{1} << 31 | field << 23 | shape;
            if (!cell.check(exact, g, "sum of exponents " + std::to_string(sum))) return;
            g.d ^= uint64_t{1} << 31;
            if (!cell.check(exact, g, "sum of exponents " + std::to_string(sum))) return;
            count += 2;
          }
        }
      }
    }
  }
  EXPECT_EQ(count, 59ull * 2 * 4 * 255 * 4 * 2);
}

/// Three terms of a bfloat16 group at every distance at which their bits meet in a frame or are cut
/// off: the largest at the ends of the range and in its middle, in each of the three places; signs
/// both ways, and fractions that carry, cancel and tie.
TEST(ExactWidths, BfloatTermsAtEveryDistance) {
  GroupInCell cell;
  const Cell& exact = cell_of("exact_bf16");
  // 2^exponent with a fraction in the upper bits as a product of two factors; nothing outside.
  const auto product = [](int exponent, uint64_t shape, bool negative, uint64_t& a, uint64_t& b) {
    const int half = exponent >= 0 ? exponent / 2 : -(-exponent / 2);
    const int rest = exponent - half;
    if (half < -126 || rest < -126 || half > 127 || rest > 127) return false;
    a = static_cast<uint64_t>(half + 127) << 7 | (shape >> 16 & 0x7f);
    b = static_cast<uint64_t>(rest + 127) << 7 | (shape >> 9 & 0x7f) |
        (negative ? uint64_t{0x8000} : 0);
    return true;
  };
  std::vector<int> second, third;
  for (int n = 0; n <= 44; ++n) second.push_back(n);
  second.insert(second.end(), {58, 59, 60, 61, 62, 63, 64, 65, 100, 240});
  third = second;
  std::mt19937_64 random(66);
  unsigned long long count = 0;
  for (const int top : {-148, -126, -100, 0, 100, 127, 200, 253}) {
    for (unsigned place = 0; place < 6; ++place) {
      for (const int down : second) {
        for (const int more : third) {
          const int distances[] = {top, top - down, top - down - more};
          constexpr unsigned kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                              {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
          const auto& order = kOrders[place];
          for (unsigned signs = 0; signs < 4; ++signs) {
            const auto shape = [&random] {
              constexpr uint64_t kShapes[] = {0, 0x7fffff, 0x10000, 0x400000};
              return kShapes[random() % 4];
            };
            Group g{{0, 0}, {0, 0}};
            const int of_d = distances[order[2]];
            const uint64_t s0 = shape(), s1 = shape(), s2 = shape();
            if (!product(distances[order[0]], s0, (signs & 1) != 0, g.a[0], g.b[0])) continue;
            if (!product(distances[order[1]], s1, (signs & 2) != 0, g.a[1], g.b[1])) continue;
            if (of_d > 127 || of_d < -149) continue;
            g.d = of_d >= -126 ? static_cast<uint64_t>(of_d + 127) << 23 | s2
                               : uint64_t{1} << (of_d + 149);
            if (!cell.check(exact, g,
                            "distances " + std::to_string(down) + " " + std::to_string(more))) {
              return;
            }
            ++count;
          }
        }
      }
    }
  }
  EXPECT_GT(count, 250'000u);
}

/// d and one product cancel and leave the other, however far below.
TEST(ExactWidths, BfloatTermsThatAreLeft) {
  GroupInCell cell;
  const Cell& exact = cell_of("exact_bf16");
  for (uint64_t large = 1; large < 255; ++large) {
    for (uint64_t small = 0; small < 255; ++small) {
      // 2^(large - 127) twice; the smallest subnormal, or a number, times one of each exponent.
      Group g{{large << 7, small << 7 | 0x55}, {0x3f80, large % 2 == 0 ? 1u : 0x3fabu}};
      g.d = uint64_t{1} << 31 | large << 23;
      if (!cell.check(exact, g, "first left")) return;
      std::swap(g.a[0], g.a[1]);
      std::swap(g.b[0], g.b[1]);
      if (!cell.check(exact, g, "second left")) return;
      // The products cancel and leave d.
      g = {{large << 7, large << 7}, {small << 7 | 1, small << 7 | 0x8001}, small << 23 | 5};
      if (!cell.check(exact, g, "d left")) return;
    }
  }
}

}  // namespace
