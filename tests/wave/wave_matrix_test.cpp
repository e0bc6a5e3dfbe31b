// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <random>

#include "matrix_groups.h"
#include "matrix_restatement.h"
#include "test_vectors.h"
#include "wave/lanes/host_level.h"
#include "wave/matrix.h"
#include "wave/status.h"
#include "wave_fixture.h"
#include "wave_matrix_support.h"

// Dense matrix instructions. Register layouts come from the oracle files tests/oracles/mfma/layout;
// results from plain integer loops on small integers, which every target's arithmetic represents
// exactly, and from the restatement of the arithmetic in whole numbers.
namespace cuvette::wave::testing {
namespace {

using isa::Target;
using isa::Type;

constexpr Target kMatrixTargets[] = {Target::Gfx908, Target::Gfx90a, Target::Gfx942};

/// Small integer matrices of one instruction, by block, row and column.
struct Integers {
  unsigned m, n, k, blocks;
  std::vector<int> a, b, c;
  int& at_a(unsigned blk, unsigned i, unsigned kk) { return a[(blk * m + i) * k + kk]; }
  int& at_b(unsigned blk, unsigned kk, unsigned j) { return b[(blk * k + kk) * n + j]; }
  int& at_c(unsigned blk, unsigned i, unsigned j) { return c[(blk * m + i) * n + j]; }

  Integers(const isa::MatrixShape& s, unsigned seed)
      : m(s.m),
        n(s.n),
        k(s.k),
        blocks(s.blocks),
        a(blocks * m * k),
        b(blocks * k * n),
        c(blocks * m * n) {
    std::mt19937 random(seed);
    for (int& v : a) v = static_cast<int>(random() % 9) - 4;
    for (int& v : b) v = static_cast<int>(random() % 9) - 4;
    for (unsigned index = 0; index < c.size(); ++index) c[index] = static_cast<int>(index) + 1;
  }
};

std::vector<const isa::Row*> dense_rows(Target target) {
  std::vector<const isa::Row*> rows;
  for (const isa::Row& row : isa::rows()) {
    if (row.semantic == isa::SemanticId::v_mfma && row.on(target)) rows.push_back(&row);
  }
  return rows;
}

/// The layouts of one instruction on one target, with its registers: A at 0, B at 16, C and D in
/// AccVGPRs at 0 and 64.
struct Case {
  Target target;
  const isa::Row& row;
  std::string name;
  std::vector<Place> a, b, c, d;
  Wave wave;
  Build build;

  Case(Target t, const isa::Row& r)
      : target(t),
        row(r),
        name(std::string(isa::name_of(t)) + " " + std::string(r.mnemonic_on(t))),
        a(read_layout(t, r.mnemonic_on(t), 'A')),
        b(read_layout(t, r.mnemonic_on(t), 'B')),
        c(read_layout(t, r.mnemonic_on(t), 'C')),
        d(read_layout(t, r.mnemonic_on(t), 'D')),
        wave(t),
        build(std::string(r.mnemonic), t) {
    build.dst(agpr(64)).src(0, vgpr(0)).src(1, vgpr(16)).src(2, agpr(0));
  }
  void load(Integers& values) {
    std::vector<LaneRow> b_rows(16);
    for (const Place& p : a) {
      place_bits(wave.v, p, encode_as(row.matrix.a, values.at_a(p.block, p.row, p.col)));
    }
    for (const Place& p : b) {
      place_bits(b_rows, p, encode_as(row.matrix.b, values.at_b(p.block, p.row, p.col)));
    }
    for (unsigned r = 0; r < 16; ++r) wave.v[16 + r] = b_rows[r];
    for (const Place& p : c) {
      place_bits(wave.a, p, encode_as(row.matrix.c, values.at_c(p.block, p.row, p.col)));
    }
  }
  /// `a_block` names the block of A that a block uses.
  void expect(Integers& values, const std::function<unsigned(unsigned)>& a_block,
              const std::string& what) {
    const std::vector<LaneRow> result(wave.a.begin() + 64, wave.a.end());
    unsigned wrong = 0;
    for (const Place& p : d) {
      int sum = values.at_c(p.block, p.row, p.col);
      for (unsigned kk = 0; kk < values.k; ++kk) {
        sum += values.at_a(a_block(p.block), p.row, kk) * values.at_b(p.block, kk, p.col);
      }
      if (taken_bits(result, p) == encode_as(row.matrix.c, sum)) continue;
      if (++wrong == 1) {
        ADD_FAILURE() << name << " " << what << ": block " << p.block << " row " << p.row << " col "
                      << p.col << " is " << std::hex << taken_bits(result, p) << ", expected "
                      << encode_as(row.matrix.c, sum);
      }
    }
    EXPECT_EQ(wrong, 0u) << name << " " << what;
  }
};

unsigned same_block(unsigned block) {
  return block;
}

/// By both paths.
class WaveMatrix : public ::testing::TestWithParam<MatrixPath> {};

INSTANTIATE_TEST_SUITE_P(Paths, WaveMatrix,
                         ::testing::Values(MatrixPath::Reference, MatrixPath::Host),
                         [](const auto& i) {
                           return i.param == MatrixPath::Host ? "Host" : "Reference";
                         });

TEST_P(WaveMatrix, LayoutAndSums) {
  unsigned count = 0;
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      Case c(target, *row);
      Integers values(row->matrix, 17 + count);
      c.load(values);
      c.wave.state.s.set_exec(0);  // EXEC takes no part (mfma_numerics.md)
      const std::vector<LaneRow> v_before = c.wave.v;
      ASSERT_EQ(execute_matrix(c.wave.state, c.build.i, GetParam()).event, Event::None) << c.name;
      c.expect(values, same_block, "layout");
      EXPECT_EQ(c.wave.v, v_before) << c.name;
      // Nothing behind D is written.
      for (unsigned r = 64 + row->dst[0].dwords; r < 256; ++r) {
        EXPECT_EQ(c.wave.a[r], LaneRow{}) << c.name << " register " << r;
      }
      // D over C: the sources are read first.
      c.build.dst(agpr(0));
      execute_matrix(c.wave.state, c.build.i, GetParam());
      std::copy(c.wave.a.begin(), c.wave.a.begin() + 32, c.wave.a.begin() + 64);
      c.expect(values, same_block, "in place");
      ++count;
    }
  }
  EXPECT_EQ(count, 20u + 27u + 32u);
  std::printf("semantics: %u dense matrix instructions on three targets\n", count);
}

TEST_P(WaveMatrix, BlockBroadcast) {
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      const unsigned blocks = row->matrix.blocks;
      for (unsigned cbsz = 0; cbsz <= 5; ++cbsz) {
        for (unsigned abid = 0; abid < (1u << std::min(cbsz, 4u)); ++abid) {
          Case c(target, *row);
          Integers values(row->matrix, 91 + cbsz * 16 + abid);
          c.load(values);
          c.build.i.mod.cbsz = static_cast<uint8_t>(cbsz);
          c.build.i.mod.abid = static_cast<uint8_t>(abid);
          execute_matrix(c.wave.state, c.build.i, GetParam());
          // Shapes of one block and F64 have no broadcast; larger cbsz act as log2(blocks).
          const bool takes = blocks > 1 && row->matrix.c != Type::F64;
          const unsigned group = takes ? std::min(1u << cbsz, blocks) : 1;
          if (abid >= group) continue;
          c.expect(
              values, [&](unsigned block) { return takes ? block / group * group + abid : block; },
              "cbsz " + std::to_string(cbsz) + " abid " + std::to_string(abid));
        }
        if (blocks == 1 && cbsz == 1) break;
      }
    }
  }
}

/// blgp on gfx942: no single-block shape but those of F32 has it (instructions.csv).
bool has_blgp(const isa::Row& row, Target target) {
  if (row.matrix.c == Type::F64) return false;
  return target != Target::Gfx942 || row.matrix.blocks > 1 || row.matrix.a == Type::F32;
}

TEST_P(WaveMatrix, LaneBroadcast) {
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      if (row->matrix.c == Type::F64) continue;
      for (unsigned blgp = 0; blgp < 8; ++blgp) {
        // The registers after the permutation must give what the unpermuted instruction gives.
        Case permuted(target, *row), plain(target, *row);
        Integers values(row->matrix, 5 + blgp);
        permuted.load(values);
        plain.load(values);
        for (unsigned r = 16; r < 32 && has_blgp(*row, target); ++r) {
          const LaneRow source = plain.wave.v[r];
          for (unsigned lane = 0; lane < 64; ++lane) {
            const unsigned from[8] = {
                lane,      lane & 31,        32 + (lane & 31), (lane + 16) & 63,
                lane & 15, 16 + (lane & 15), 32 + (lane & 15), 48 + (lane & 15)};
            plain.wave.v[r][lane] = source[from[blgp]];
          }
        }
        permuted.build.i.mod.blgp = static_cast<uint8_t>(blgp);
        execute_matrix(permuted.wave.state, permuted.build.i, GetParam());
        execute_matrix(plain.wave.state, plain.build.i, GetParam());
        EXPECT_TRUE(permuted.wave.a == plain.wave.a) << permuted.name << " blgp " << blgp;
      }
    }
  }
}

TEST_P(WaveMatrix, F64Negation) {
  for (Target target : {Target::Gfx90a, Target::Gfx942}) {
    for (const isa::Row* row : dense_rows(target)) {
      if (row->matrix.c != Type::F64) continue;
      for (unsigned neg = 0; neg < 8; ++neg) {
        Case c(target, *row);
        Integers values(row->matrix, 7);
        c.load(values);
        c.build.i.mod.blgp = static_cast<uint8_t>(neg);
        execute_matrix(c.wave.state, c.build.i, GetParam());
        if (target == Target::Gfx942) {
          for (int& v : values.a) v = neg & 1 ? -v : v;
          for (int& v : values.b) v = neg & 2 ? -v : v;
          for (int& v : values.c) v = neg & 4 ? -v : v;
        }
        c.expect(values, same_block, "neg " + std::to_string(neg));
      }
    }
  }
}

TEST_P(WaveMatrix, ConstantC) {
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      Case c(target, *row);
      Integers values(row->matrix, 3);
      std::fill(values.c.begin(), values.c.end(), 2);
      c.load(values);
      for (unsigned r = 0; r < 32; ++r) c.wave.a[r].fill(0xdeadbeef);
      c.build.src(2, constant(encode_as(row->matrix.c, 2)));
      execute_matrix(c.wave.state, c.build.i, GetParam());
      c.expect(values, same_block, "constant C");
    }
  }
}

TEST_P(WaveMatrix, IntegersWrap) {
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      if (row->matrix.a != Type::I8) continue;
      Case c(target, *row);
      Integers values(row->matrix, 1);
      std::fill(values.a.begin(), values.a.end(), -128);
      std::fill(values.b.begin(), values.b.end(), -128);
      std::fill(values.c.begin(), values.c.end(), 0x7fffffff);
      c.load(values);
      execute_matrix(c.wave.state, c.build.i, GetParam());
      const uint32_t expected = 0x7fffffffu + row->matrix.k * 16384u;
      const std::vector<LaneRow> result(c.wave.a.begin() + 64, c.wave.a.end());
      for (const Place& p : c.d) ASSERT_EQ(taken_bits(result, p), expected) << c.name;
    }
  }
}

// -- arithmetic (mfma_numerics.md) against the restatement in whole numbers

using restatement::Format;
using restatement::Group;
using restatement::Groups;
using restatement::Kind;
using restatement::Part;

/// The formats of A and B of a row, by its name.
std::pair<Format, Format> formats_of(const isa::Row& row) {
  const std::string name(row.mnemonic);
  const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  if (has("f64")) return {Format::F64, Format::F64};
  if (has("i8")) return {Format::I8, Format::I8};
  if (has("xf32")) return {Format::Xf32, Format::Xf32};
  if (has("_bf8") || has("_fp8")) {
    const auto format = [](const std::string& text) {
      return text == "bf8" ? Format::Bf8 : Format::Fp8;
    };
    return {format(name.substr(name.size() - 7, 3)), format(name.substr(name.size() - 3))};
  }
  const Format one = has("_1k")    ? Format::Bf16K1
                     : has("bf16") ? Format::Bf16
                     : has("f16")  ? Format::F16
                                   : Format::F32;
  return {one, one};
}
Part part_of(Target target) {
  return target == Target::Gfx908   ? Part::Gfx908
         : target == Target::Gfx90a ? Part::Gfx90a
                                    : Part::Gfx942;
}

/// Patterns of one instruction: A by rows, B by columns, C by results.
struct Patterns {
  const isa::MatrixShape& s;
  std::vector<uint64_t> a, b, c;

  explicit Patterns(const isa::MatrixShape& shape)
      : s(shape), a(s.blocks * s.m * s.k), b(s.blocks * s.n * s.k), c(s.blocks * s.m * s.n) {}
  uint64_t* row(unsigned block, unsigned i) { return &a[(block * s.m + i) * s.k]; }
  uint64_t* column(unsigned block, unsigned j) { return &b[(block * s.n + j) * s.k]; }
  uint64_t& addend(unsigned block, unsigned i, unsigned j) {
    return c[(block * s.m + i) * s.n + j];
  }

  /// A row and a column with the same number come from one group.
  void draw(Groups& groups, Kind kind) {
    groups.hold(groups.below(4) != 0);
    for (unsigned block = 0; block < s.blocks; ++block) {
      std::vector<uint64_t> addends;
      for (unsigned i = 0; i < std::max(s.m, s.n); ++i) {
        const Group g = groups.draw(kind, s.k);
        if (i < s.m) std::copy(g.a.begin(), g.a.end(), row(block, i));
        if (i < s.n) std::copy(g.b.begin(), g.b.end(), column(block, i));
        addends.push_back(g.d);
      }
      for (unsigned i = 0; i < s.m; ++i) {
        for (unsigned j = 0; j < s.n; ++j) {
          addend(block, i, j) = addends[i == j ? i : groups.below(addends.size())];
        }
      }
    }
  }
};

/// Formats of one target with their instructions: results of all kinds, whose groups are counted.
/// On each level of the host's vector unit that matrices use, None the reference.
class WaveMatrixArithmetic : public ::testing::TestWithParam<std::tuple<Target, lanes::HostLevel>> {
 protected:
  WaveMatrixArithmetic() { lanes::limit_host_level(std::get<1>(GetParam())); }
  ~WaveMatrixArithmetic() override { lanes::limit_host_level(lanes::HostLevel::Avx512); }
  static Target target() { return std::get<0>(GetParam()); }
  static void load(Case& k, Patterns& values) {
    std::vector<LaneRow> b_rows(16), c_rows(64);
    for (const Place& p : k.a) place_bits(k.wave.v, p, values.row(p.block, p.row)[p.col]);
    for (const Place& p : k.b) place_bits(b_rows, p, values.column(p.block, p.col)[p.row]);
    for (const Place& p : k.c) place_bits(c_rows, p, values.addend(p.block, p.row, p.col));
    for (unsigned r = 0; r < 16; ++r) k.wave.v[16 + r] = b_rows[r];
    std::copy(c_rows.begin(), c_rows.end(), k.wave.a.begin());
  }
  /// Results that differ.
  static unsigned compare(Case& k, Patterns& values, const restatement::Rule& rule,
                          const std::string& what) {
    const std::vector<LaneRow> result(k.wave.a.begin() + 64, k.wave.a.end());
    unsigned wrong = 0;
    for (const Place& p : k.d) {
      const uint64_t want =
          restatement::element(rule, values.row(p.block, p.row), values.column(p.block, p.col),
                               values.s.k, values.addend(p.block, p.row, p.col));
      if (taken_bits(result, p) == want) continue;
      if (++wrong > 1) continue;
      ADD_FAILURE() << k.name << " " << what << ": block " << p.block << " row " << p.row << " col "
                    << p.col << " is " << std::hex << taken_bits(result, p) << ", expected " << want
                    << " with d " << values.addend(p.block, p.row, p.col);
    }
    return wrong;
  }
};

TEST_P(WaveMatrixArithmetic, IsThatOfTheTarget) {
  const Target target = this->target();
  std::map<std::pair<Format, Format>, std::vector<const isa::Row*>> formats;
  for (const isa::Row* row : dense_rows(target)) formats[formats_of(*row)].push_back(row);
  EXPECT_EQ(formats.size(), target == Target::Gfx908 ? 4u : target == Target::Gfx90a ? 6u : 10u);
  const int wanted = test::vectors(20'000);
  for (const auto& [format, rows] : formats) {
    if (format.first == Format::I8) continue;  // IntegersWrap
    Groups groups(2024, format.first, format.second);
    int done = 0;
    // Each row with each kind at least.
    for (unsigned n = 0; done < wanted || n < rows.size() * restatement::kKinds; ++n) {
      const isa::Row& row = *rows[n % rows.size()];
      const auto rule =
          restatement::rule_of(part_of(target), format.first, format.second, row.matrix.k);
      Case k(target, row);
      Patterns values(row.matrix);
      const unsigned kind = n / static_cast<unsigned>(rows.size()) % restatement::kKinds;
      values.draw(groups, static_cast<Kind>(kind));
      load(k, values);
      execute_matrix(k.wave.state, k.build.i);
      if (compare(k, values, rule, "kind " + std::to_string(kind)) != 0) return;
      const unsigned of_a_result = (row.matrix.k + rule.group - 1) / rule.group;
      done += static_cast<int>(values.c.size() * of_a_result);
    }
  }
}

/// The inputs at the end of the page and those worked out by hand, in every instruction of the
/// format that has room for them.
TEST_P(WaveMatrixArithmetic, IsThatOfListedInputs) {
  unsigned count = 0;
  std::vector<restatement::Listed> all = restatement::listed();
  all.insert(all.end(), restatement::worked_out().begin(), restatement::worked_out().end());
  for (const restatement::Listed& listed : all) {
    if (listed.part != part_of(target())) continue;
    for (const isa::Row* row : dense_rows(target())) {
      const auto format = formats_of(*row);
      if (format != std::pair(listed.format, listed.format)) continue;
      const isa::MatrixShape& s = row->matrix;
      const auto rule = restatement::rule_of(listed.part, format.first, format.second, s.k);
      if (listed.a.size() > rule.group) continue;
      // In the last group: zeros before it leave d as it is, but for its sign.
      Group g{std::vector<uint64_t>(s.k), std::vector<uint64_t>(s.k), listed.d};
      std::copy(listed.a.begin(), listed.a.end(), g.a.end() - rule.group);
      std::copy(listed.b.begin(), listed.b.end(), g.b.end() - rule.group);
      Case k(target(), *row);
      Patterns values(s);
      for (unsigned block = 0; block < s.blocks; ++block) {
        for (unsigned i = 0; i < s.m; ++i) {
          std::copy(g.a.begin(), g.a.end(), values.row(block, i));
          for (unsigned j = 0; j < s.n; ++j) {
            std::copy(g.b.begin(), g.b.end(), values.column(block, j));
            values.addend(block, i, j) = g.d;
          }
        }
      }
      load(k, values);
      execute_matrix(k.wave.state, k.build.i);
      const std::vector<LaneRow> result(k.wave.a.begin() + 64, k.wave.a.end());
      for (const Place& p : k.d) {
        ASSERT_EQ(taken_bits(result, p), listed.want) << listed.name << " " << k.name;
      }
      ++count;
    }
  }
  EXPECT_GT(count, 0u);
}

INSTANTIATE_TEST_SUITE_P(Targets, WaveMatrixArithmetic,
                         ::testing::Combine(::testing::ValuesIn(kMatrixTargets),
                                            ::testing::ValuesIn(kMatrixLevels)),
                         [](const auto& i) {
                           return std::string(isa::name_of(std::get<0>(i.param))) + "_" +
                                  std::to_string(static_cast<unsigned>(std::get<1>(i.param)));
                         });

/// For sums of nothing but zeros and subnormals of one sign, the sign of the sum shows what
/// became of each of them: an exact sum of zero is +0 (gfx908), an operand that is a zero or
/// subnormal is +0 (gfx90a, where products of a zero keep their sign); mfma_numerics.md.
TEST_P(WaveMatrix, SignsOfZeroSums) {
  for (const Target target : {Target::Gfx908, Target::Gfx90a}) {
    for (const char* name : {"v_mfma_f32_32x32x4f16", "v_mfma_f32_16x16x16f16",
                             "v_mfma_f32_4x4x4f16", "v_mfma_f32_16x16x2bf16"}) {
      for (const uint32_t c : {0x80000000u, 0u, 0x80000001u, 1u}) {
        Case k(target, row_of(name));
        for (unsigned lane = 0; lane < 64; ++lane) {
          for (unsigned r = 0; r < 2; ++r) k.wave.v[r][lane] = 0x80008000;       // A: -0
          for (unsigned r = 0; r < 2; ++r) k.wave.v[16 + r][lane] = 0x3f803f80;  // B: positive
          for (unsigned r = 0; r < 32; ++r) k.wave.a[r][lane] = c;
        }
        execute_matrix(k.wave.state, k.build.i, GetParam());
        const bool kept = target == Target::Gfx908 && (c & 0x7fffffff) != 0;
        EXPECT_EQ(k.wave.a[64][5], kept ? c : 0u) << name << " " << std::hex << c;
      }
    }
  }
}

// -- the rest
// ---------------------------------------------------------------------------------------

TEST(WaveMatrixOthers, AccvgprMoves) {
  Wave wave(Target::Gfx90a);
  for (unsigned lane = 0; lane < 64; ++lane) {
    wave.v[3][lane] = 0x100 + lane;
    wave.a[5][lane] = 0x200 + lane;
  }
  wave.state.s.set_exec(0xffffffff00000000);
  execute_matrix(wave.state, Build("v_accvgpr_write_b32").dst(agpr(7)).src(0, vgpr(3)).i);
  execute_matrix(wave.state, Build("v_accvgpr_read_b32").dst(vgpr(9)).src(0, agpr(5)).i);
  execute_matrix(wave.state, Build("v_accvgpr_mov_b32").dst(agpr(8)).src(0, agpr(5)).i);
  execute_matrix(wave.state, Build("v_accvgpr_write_b32").dst(agpr(10)).src(0, constant(64)).i);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const bool on = lane >= 32;
    EXPECT_EQ(wave.a[7][lane], on ? 0x100u + lane : 0u);
    EXPECT_EQ(wave.v[9][lane], on ? 0x200u + lane : 0u);
    EXPECT_EQ(wave.a[8][lane], on ? 0x200u + lane : 0u);
    EXPECT_EQ(wave.a[10][lane], on ? 64u : 0u);
  }
}

TEST(WaveMatrixOthers, OutOfRange) {
  Case c(Target::Gfx908, row_of("v_mfma_f32_32x32x1f32"));
  Integers values(c.row.matrix, 1);
  c.load(values);
  c.wave.state.alloc.accvgprs = 64 + 31;  // one register short for D
  const std::vector<LaneRow> before = c.wave.a;
  EXPECT_EQ(execute_matrix(c.wave.state, c.build.i).event, Event::None);
  EXPECT_TRUE(c.wave.a == before);
}

TEST(WaveMatrixOthers, Status) {
  unsigned with = 0, rows = 0;
  for (const isa::Row& row : isa::rows()) {
    if (row.format != isa::Format::Vop3pMai) continue;
    ++rows;
    with += has_matrix_semantics(row);
    EXPECT_TRUE(has_matrix_semantics(row)) << row.mnemonic;
  }
  const auto status = [](const char* mnemonic, Target target) {
    return status_of_matrix(row_of(mnemonic), target).status;
  };
  for (const isa::Row* row : dense_rows(Target::Gfx908)) {
    EXPECT_EQ(status_of_matrix(*row, Target::Gfx908).status, Status::Exact) << row->mnemonic;
  }
  EXPECT_EQ(status("v_smfmac_f32_16x16x32_f16", Target::Gfx942), Status::Defined);
  EXPECT_EQ(status("v_mfma_i32_32x32x4i8", Target::Gfx908), Status::Exact);
  EXPECT_EQ(status("v_mfma_f32_32x32x4f16", Target::Gfx90a), Status::Exact);
  EXPECT_EQ(status("v_mfma_f32_32x32x4f16", Target::Gfx942), Status::Exact);
  std::printf("semantics: %u of %u matrix rows\n", with, rows);

  Case c(Target::Gfx908, row_of("v_mfma_f32_32x32x1f32"));
  const auto start = std::chrono::steady_clock::now();
  for (unsigned n = 0; n < 1000; ++n) execute_matrix(c.wave.state, c.build.i);
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  std::printf("v_mfma_f32_32x32x1f32: %.2f us\n", spent.count() / 1000);
}

}  // namespace
}  // namespace cuvette::wave::testing
