// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/matrix_core/matrix_report.h"

#include <array>
#include <bit>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bits.h"
#include "matrix_core/computation.h"
#include "matrix_program.h"

// Report of a difference for the element of D in a lane: its factors and C have to give the result
// of layer wave, for every instruction of every target.
namespace cuvette {
namespace {

using isa::Type;
using matrix_program::Instruction;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 811;

/// 0, 1, -1 and 2 in each format of A and B; sums of their products are exact in all of them.
uint64_t small_number(Type type, unsigned which) {
  static const std::map<Type, std::array<uint64_t, 4>> all = {
      {Type::I8, {0, 1, 0xff, 2}},
      {Type::F16, {0, 0x3c00, 0xbc00, 0x4000}},
      {Type::Bf16, {0, 0x3f80, 0xbf80, 0x4000}},
      {Type::Fp8, {0, 0x40, 0xc0, 0x48}},  // E4M3, bias 8
      {Type::Bf8, {0, 0x40, 0xc0, 0x44}},  // E5M2, bias 16
      {Type::Xf32, {0, 0x3f800000, 0xbf800000, 0x40000000}},
      {Type::F32, {0, 0x3f800000, 0xbf800000, 0x40000000}},
      {Type::F64, {0, uint64_t{0x3ff} << 52, uint64_t{0xbff} << 52, uint64_t{0x400} << 52}}};
  return all.at(type)[which];
}
unsigned bits_of(Type type) {
  if (type == Type::I8 || type == Type::Fp8 || type == Type::Bf8) return 8;
  if (type == Type::F16 || type == Type::Bf16) return 16;
  return type == Type::F64 ? 64 : 32;
}

uint32_t random_word(Type type, std::mt19937_64& random) {
  uint32_t word = 0;
  for (unsigned at = 0; at < 32; at += bits_of(type)) {
    word |= static_cast<uint32_t>(small_number(type, random() % 4) << at);
  }
  return word;
}

/// An instruction of small numbers with random selections.
Instruction small_instruction(const isa::Row& row, std::mt19937_64& random) {
  Instruction i = matrix_program::instruction(row, 5, random);
  const Type a = row.matrix.a, b = row.matrix.b, c = row.matrix.c;
  for (matrix_core::Operands& o : i) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      o.a[l] = random_word(a, random);
      for (auto& rows : o.b) rows[l] = random_word(b, random);
      for (auto& rows : o.c) {
        rows[l] = c == Type::I32 ? static_cast<uint32_t>(random() % 9) : random_word(c, random);
      }
    }
  }
  const auto draw_doubles = [&random](wave::LaneRow& low, wave::LaneRow& high) {
    for (unsigned l = 0; l < wave::kLanes; ++l) {
      const uint64_t number = small_number(Type::F64, random() % 4);
      low[l] = base::lo32(number);
      high[l] = base::hi32(number);
    }
  };
  if (c == Type::F64) {
    draw_doubles(i[0].a, i[1].a);
    draw_doubles(i[0].b[0], i[0].b[1]);
    for (matrix_core::Operands& o : i) draw_doubles(o.c[0], o.c[1]);
  }
  return i;
}

double value_of(Type type, uint64_t bits) {
  if (type == Type::F64) return std::bit_cast<double>(bits);
  const auto word = static_cast<uint32_t>(bits);
  return type == Type::I32 ? static_cast<int32_t>(word)
                           : static_cast<double>(std::bit_cast<float>(word));
}

/// The report of a device with bit 0 of one lane wrong.
std::string report_of(const Instruction& i, isa::Target target, unsigned reg, unsigned lane,
                      const std::vector<wave::LaneRow>& d) {
  ip::MatrixTransaction transaction;
  transaction.passes = i;
  transaction.offered.assign(i.size(), 7);
  const isa::Row& row = *(isa::rows().begin() + i.front().row);
  matrix_core::Result expected =
      matrix_core::result_header(row, 5, reg / matrix_core::kRowsPerPass);
  for (unsigned r = 0; r < expected.rows; ++r) expected.d[r] = d[expected.first_row + r];
  matrix_core::Result actual = expected;
  actual.d[reg % matrix_core::kRowsPerPass][lane] ^= 1;
  return ip::difference_text(transaction, target, expected, actual);
}

/// The number in a match: "neg 0x3c00 (1)" is -1, "0" is what a sparse A does not hold.
double number_in(const std::string& text) {
  static const std::regex kElement("(neg )?0x[0-9a-f]+ \\(([^)]*)\\)");
  std::smatch m;
  if (!std::regex_search(text, m, kElement)) return 0;
  const double value = std::stod(m[2]);
  return m[1].matched ? -value : value;
}

/// C and the products of a report.
double sum_in(const std::string& report, unsigned& factors) {
  static const std::regex kFactors("^    k ([0-9]+): a (.*), b (.*)$");
  std::istringstream lines(report);
  double sum = 0;
  factors = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (line.rfind("    c ", 0) == 0) sum += number_in(line);
    if (!std::regex_match(line, m, kFactors)) continue;
    EXPECT_EQ(m[1], std::to_string(factors++));
    sum += number_in(m[2]) * number_in(m[3]);
  }
  return sum;
}

class MatrixReport : public ::testing::TestWithParam<isa::Target> {};
INSTANTIATE_TEST_SUITE_P(Targets, MatrixReport,
                         ::testing::Values(isa::Target::Gfx908, isa::Target::Gfx90a,
                                           isa::Target::Gfx942),
                         [](const auto& i) { return std::string(isa::name_of(i.param)); });

TEST_P(MatrixReport, FactorsGiveTheElementOfEveryInstruction) {
  std::mt19937_64 random(kSeed);
  for (const isa::Row* row : matrix_program::rows(GetParam())) {
    const bool wide = row->matrix.c == Type::F64;
    unsigned wrong = 0;
    std::string example;
    for (unsigned n = 0; n < 24; ++n) {
      const Instruction i = small_instruction(*row, random);
      const auto d = matrix_program::golden(i, GetParam());
      const auto reg = static_cast<unsigned>(random() % d.size());
      const auto lane = static_cast<unsigned>(random() % wave::kLanes);
      const std::string report = report_of(i, GetParam(), reg, lane, d);
      const uint64_t bits =
          wide ? base::join32(d[reg & ~1u][lane], d[reg | 1u][lane]) : d[reg][lane];
      unsigned factors = 0;
      const bool good =
          sum_in(report, factors) == value_of(row->matrix.c, bits) && factors == row->matrix.k;
      if (!good && wrong++ == 0) example = report;
    }
    EXPECT_EQ(wrong, 0u) << row->mnemonic << "\n" << example;
  }
}

/// One instruction of a row with every lane of A, B and C the same.
Instruction constant(const char* mnemonic, uint64_t a, uint64_t b, uint64_t c) {
  std::mt19937_64 random(1);
  const isa::Row* row = isa::find_row(mnemonic, isa::Format::Vop3pMai);
  EXPECT_NE(row, nullptr) << mnemonic;
  Instruction i = matrix_program::instruction(*row, 5, random);
  for (size_t p = 0; p < i.size(); ++p) {
    i[p].cbsz = i[p].abid = i[p].blgp = 0;
    i[p].a.fill(p % 2 == 0 ? base::lo32(a) : base::hi32(a));
    i[p].b[0].fill(base::lo32(b));
    i[p].b[1].fill(base::hi32(b));
    i[p].c[0].fill(base::lo32(c));
    i[p].c[1].fill(base::hi32(c));
  }
  return i;
}

TEST(MatrixReportByHand, Doubles) {
  const uint64_t three = 0x4008000000000000, half = 0x3fe0000000000000;
  Instruction i = constant("v_mfma_f64_16x16x4f64", three, half, uint64_t{0x3ff} << 52);
  i[0].blgp = 4;  // C negated on gfx942
  const auto d = matrix_program::golden(i, isa::Target::Gfx942);
  const std::string report = report_of(i, isa::Target::Gfx942, 3, 17, d);
  // Registers 2 and 3 are the second element of the lane: rows 4 to 7 of D, 16 lanes each.
  EXPECT_THAT(report, HasSubstr("first lane   rows 2 and 3 lane 17, D[5][1] of block 0"));
  EXPECT_THAT(report, HasSubstr("c neg 0x3ff0000000000000 (1)"));
  EXPECT_THAT(report, HasSubstr("k 3: a 0x4008000000000000 (3) from lane 53, "
                                "b 0x3fe0000000000000 (0.5) from lane 49"));
  EXPECT_THAT(report, HasSubstr("rows 2 and 3 lane 17, D[5][1] of block 0: expected "
                                "0x4014000000000000 (5), got 0x4014000100000000 ("));
}

TEST(MatrixReportByHand, BytesOfTwoFormats) {
  // BF8 1.75 is 0x43; FP8 1.5 is 0x44, 0x80 no number.
  Instruction i =
      constant("v_mfma_f32_16x16x32_bf8_fp8", 0x4343434343434343, 0x4444444444444444, 0);
  i[0].b[1][16] = 0x80444444;
  const auto d = matrix_program::golden(i, isa::Target::Gfx942);
  const std::string report = report_of(i, isa::Target::Gfx942, 0, 0, d);
  EXPECT_THAT(report, HasSubstr("k 0: a 0x43 (1.75) from lane 0, b 0x44 (1.5) from lane 0\n"));
  EXPECT_THAT(report, HasSubstr("k 15: a 0x43 (1.75) from lane 16, b 0x80 (nan) from lane 16\n"));
  EXPECT_THAT(report, HasSubstr("k 31: a 0x43 (1.75) from lane 48, b 0x44 (1.5) from lane 48\n"));
}

TEST(MatrixReportByHand, SparseAIsWhereItsIndexSays) {
  Instruction i = constant("v_smfmac_f32_16x16x32_f16", 0x40003c0040003c00, 0x3c003c003c003c00, 0);
  i[0].index.fill(0xd8d8d8d8);  // groups in turn: positions 0 and 2, 1 and 3
  const auto d = matrix_program::golden(i, isa::Target::Gfx942);
  const std::string report = report_of(i, isa::Target::Gfx942, 0, 0, d);
  EXPECT_THAT(report, HasSubstr("k 0: a 0x3c00 (1) from lane 0, b 0x3c00 (1) from lane 0\n"));
  EXPECT_THAT(report, HasSubstr("k 1: a 0, b 0x3c00 (1) from lane 0\n"));
  EXPECT_THAT(report, HasSubstr("k 2: a 0x4000 (2) from lane 0, b 0x3c00 (1) from lane 0\n"));
  EXPECT_THAT(report, HasSubstr("k 3: a 0, b"));
  EXPECT_THAT(report, HasSubstr("k 5: a 0x3c00 (1) from lane 0"));
  EXPECT_THAT(report, HasSubstr("k 7: a 0x4000 (2) from lane 0"));
  EXPECT_THAT(report, HasSubstr("k 31: a 0x4000 (2) from lane 48, b 0x3c00 (1) from lane 48\n"));
}

}  // namespace
}  // namespace cuvette
