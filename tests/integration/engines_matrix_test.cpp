// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Extension cuvette:mfma: every matrix instruction of every target, on the interpreter and as
// machine code on golden. Small integers, which every format's sums represent exactly, against
// plain loops; the places of the elements come from tests/oracles/mfma/layout. Random bits: both
// engines alike.
#include <map>
#include <random>

#include "engines_testing.h"
#include "hsail/matrix_table.h"
#include "hsail_matrix.h"
#include "test_vectors.h"
#include "wave_matrix_support.h"

namespace cuvette::engines {
namespace {

using hsail_matrix::Form;
using hsail_matrix::Sum;
using isa::Row;
using isa::Target;
using isa::Type;
using wave::LaneRow;
using wave::testing::Place;

constexpr Target kMatrixTargets[] = {Target::Gfx908, Target::Gfx90a, Target::Gfx942};
constexpr int kConstant = 3;  ///< C of Sum::kConstant

std::string format_name(Type type) {
  static const std::map<Type, std::string> kNames = {
      {Type::F32, "f32"},   {Type::F64, "f64"}, {Type::F16, "f16"},
      {Type::Bf16, "bf16"}, {Type::I8, "s8"},   {Type::Xf32, "xf32"},
      {Type::Fp8, "fp8"},   {Type::Bf8, "bf8"}, {Type::I32, "s32"}};
  return kNames.at(type);
}

unsigned bits_of(Type type) {
  switch (type) {
    case Type::I8:
    case Type::Fp8:
    case Type::Bf8:
      return 8;
    case Type::F16:
    case Type::Bf16:
      return 16;
    case Type::F64:
      return 64;
    default:
      return 32;
  }
}

/// A machine instruction as HSAIL writes it, by the rules of docs/reference/hsail_mfma.md.
Form form_of(const Row& row) {
  const isa::MatrixShape& s = row.matrix;
  Form f;
  f.sparse = row.semantic == isa::SemanticId::v_smfmac;
  f.name = std::string("cuvette:") + (f.sparse ? "smfmac_" : "mfma_") + std::to_string(s.m) + "x" +
           std::to_string(s.n) + "x" + std::to_string(s.k) +
           (s.blocks > 1 ? "_" + std::to_string(s.blocks) + "b" : "") + "_" + format_name(s.c) +
           "_" + format_name(s.a);
  if (s.a == Type::Fp8 || s.a == Type::Bf8) f.name += "_" + format_name(s.b);
  f.a_words = row.src[0].dwords;
  f.b_words = row.src[1].dwords;
  f.f64 = s.c == Type::F64;
  f.integer = s.c == Type::I32;
  f.results = row.dst[0].dwords / (f.f64 ? 2 : 1);
  return f;
}

std::vector<const Row*> matrix_rows(Target target, bool sparse) {
  std::vector<const Row*> rows;
  for (const Row& row : isa::rows()) {
    const auto wanted = sparse ? isa::SemanticId::v_smfmac : isa::SemanticId::v_mfma;
    if (row.semantic == wanted && row.on(target)) rows.push_back(&row);
  }
  return rows;
}

/// The modifiers of an instruction, and what the target lets them be.
struct Modifiers {
  unsigned cbsz = 0;
  unsigned abid = 0;
  unsigned blgp = 0;  ///< F64: neg
};

bool has_blgp(const Row& row, Target target) {
  return row.matrix.blgp &&
         (target != Target::Gfx942 || row.matrix.blocks > 1 || row.matrix.a == Type::F32);
}

std::vector<unsigned> literals(const Row& row, const Modifiers& m) {
  std::vector<unsigned> all;
  if (row.matrix.cbsz_abid) all = {m.cbsz, m.abid};
  // HSAIL has blgp where any target has: 32x32x8 and 16x16x16 bf16 are one instruction.
  const bool named = hsail::matrix_inst(*hsail::find_opcode(form_of(row).name))->permutes;
  if (named || row.matrix.a == Type::F64) all.push_back(m.blgp);
  return all;
}

/// One instruction on one target with its register contents.
struct Case {
  Target target;
  const Row& row;
  Form form;
  std::vector<LaneRow> a, b, c;
  LaneRow index{};

  Case(Target t, const Row& r)
      : target(t),
        row(r),
        form(form_of(r)),
        a(r.src[0].dwords),
        b(r.src[1].dwords),
        c(r.dst[0].dwords) {}
  std::string name() const { return std::string(isa::name_of(target)) + " " + form.name; }
  std::vector<Place> layout(char matrix) const {
    return wave::testing::read_layout(target, row.mnemonic_on(target), matrix);
  }

  static Bytes by_lane(const std::vector<LaneRow>& rows) {
    std::vector<uint32_t> words;
    for (unsigned lane = 0; lane < 64; ++lane) {
      for (const LaneRow& row : rows) words.push_back(row[lane]);
    }
    return bytes_of(words);
  }
  Bytes accumulators() const {
    std::vector<uint32_t> words;
    const unsigned per_value = form.f64 ? 2 : 1;
    for (size_t r = 0; r < c.size(); r += per_value) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        for (unsigned w = 0; w < per_value; ++w) words.push_back(c[r + w][lane]);
      }
    }
    return bytes_of(words);
  }
  /// D as rows again.
  std::vector<LaneRow> rows_of(const Bytes& bytes) const {
    const auto words = values_of<uint32_t>(bytes);
    const unsigned per_value = form.f64 ? 2 : 1;
    std::vector<LaneRow> rows(c.size());
    for (size_t i = 0; i < words.size(); ++i) {
      rows[i / (64 * per_value) * per_value + i % per_value][i / per_value % 64] = words[i];
    }
    return rows;
  }
  Launch launch(const std::string& kernel) const {
    Launch l{
        "&" + kernel,
        {64, 1, 1},
        {64, 1, 1},
        {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4)},
        {by_lane(a), by_lane(b), accumulators(), Bytes(c.size() * 256, 0xcd), by_lane({index})}};
    return l;
  }
};

/// The kernels of a case on both engines; D of each, which have to be equal.
std::vector<std::vector<LaneRow>> run(const Case& c, const std::vector<std::string>& kernels,
                                      const std::string& bodies) {
  const std::string text = hsail_matrix::module_of(bodies);
  const hsail::Module module = finalizer_testing::load(text);
  const std::string target(isa::name_of(c.target));
  const auto object = finalizer::finalize(module, finalizer::Options{target, 5});
  EXPECT_TRUE(object.ok()) << c.name() << ": " << (object.ok() ? "" : object.error().str());
  if (!object) return {};
  std::vector<std::vector<LaneRow>> results;
  for (const std::string& kernel : kernels) {
    const Launch launch = c.launch(kernel);
    const Outcome interpreted = run_interpreter(module, launch, target);
    const Outcome golden = run_golden_object(module, *object, launch, target);
    EXPECT_EQ(interpreted.error, "") << c.name();
    EXPECT_EQ(golden.error, "") << c.name();
    EXPECT_FALSE(interpreted.undefined);
    EXPECT_EQ(interpreted.buffers, golden.buffers) << c.name() << " kernel " << kernel;
    results.push_back(c.rows_of(golden.buffers[3]));
  }
  return results;
}

/// Integer matrices of a case. I8 has the whole range of its types, the floats small numbers.
struct Integers {
  unsigned m, k, blocks;
  std::vector<int64_t> a, b, c;
  int64_t& at_a(unsigned block, unsigned i, unsigned kk) { return a[(block * m + i) * k + kk]; }
  int64_t& at_b(unsigned block, unsigned kk, unsigned j) { return b[(block * k + kk) * m + j]; }
  int64_t& at_c(unsigned block, unsigned i, unsigned j) { return c[(block * m + i) * m + j]; }
};

int64_t random_source(std::mt19937& random, const Row& row) {
  return row.matrix.a == Type::I8 ? int64_t{static_cast<int8_t>(random())}
                                  : static_cast<int64_t>(random() % 9) - 4;
}

uint64_t encode(Type type, int64_t value) {
  if (type == Type::I32) return static_cast<uint32_t>(value);
  return wave::testing::encode_as(type, static_cast<int>(value));
}

/// Puts random matrices into the registers of `c`.
Integers fill(Case& c, std::mt19937& random) {
  const isa::MatrixShape& s = c.row.matrix;
  Integers v{s.m, s.k, s.blocks, {}, {}, {}};
  v.a.resize(s.blocks * s.m * s.k);
  v.b.resize(s.blocks * s.m * s.k);
  v.c.resize(s.blocks * s.m * s.m);
  for (const Place& p : c.layout('B')) {
    const int64_t value = v.at_b(p.block, p.row, p.col) = random_source(random, c.row);
    Place q = p;
    q.bit_hi = p.bit_lo + bits_of(s.b) - 1;
    place_bits(c.b, q, encode(s.b, value));
  }
  for (const Place& p : c.layout('D')) {
    v.at_c(p.block, p.row, p.col) = s.c == Type::I32 ? int64_t{static_cast<int32_t>(random())}
                                                     : static_cast<int64_t>(random() % 2001) - 1000;
    place_bits(c.c, p, encode(s.c, v.at_c(p.block, p.row, p.col)));
  }
  if (c.form.sparse) return v;
  for (const Place& p : c.layout('A')) {
    const int64_t value = v.at_a(p.block, p.row, p.col) = random_source(random, c.row);
    place_bits(c.a, p, encode(s.a, value));
  }
  return v;
}

/// A of a sparse instruction, two random ones of every four; the indices in set `set`.
void fill_sparse(Case& c, Integers& v, unsigned set, std::mt19937& random) {
  const isa::MatrixShape& s = c.row.matrix;
  const unsigned bits = bits_of(s.a);
  const unsigned shift = set * (bits == 16 ? 8 : 16);
  for (uint32_t& word : c.index) word = static_cast<uint32_t>(random());
  const auto indices = c.layout('k');
  for (const Place& p : c.layout('A')) {
    if (p.col % 4 != 0) continue;
    const unsigned low = random() % 4;
    const unsigned high = random() % 4;  // equal: the second stays
    const int64_t values[] = {random_source(random, c.row), random_source(random, c.row)};
    v.at_a(0, p.row, p.col + low) = values[0];
    v.at_a(0, p.row, p.col + high) = values[1];
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned lo = p.bit_lo + i * bits;
      c.a[p.vgpr][p.lane] = static_cast<uint32_t>(
          base::insert_bits(c.a[p.vgpr][p.lane], lo + bits - 1, lo, encode(s.a, values[i])));
    }
    for (const Place& q : indices) {
      if (q.row != p.row || q.col != p.col) continue;
      const unsigned lo = q.bit_lo + shift;
      c.index[q.lane] =
          static_cast<uint32_t>(base::insert_bits(c.index[q.lane], lo + 3, lo, low | high << 2));
    }
  }
}

/// The lane whose B a lane takes (isa_notes 4).
unsigned lane_of_b(unsigned lane, unsigned blgp) {
  constexpr unsigned kFirst[] = {0, 0, 32, 16, 0, 16, 32, 48};
  constexpr unsigned kPeriod[] = {64, 32, 32, 64, 16, 16, 16, 16};
  return blgp == 3 ? (lane + kFirst[3]) % 64 : kFirst[blgp] + lane % kPeriod[blgp];
}

/// B as the instruction sees it under blgp.
Integers permuted(const Case& c, const Integers& v, unsigned blgp) {
  Integers seen = v;
  if (blgp == 0 || c.row.matrix.a == Type::F64) return seen;
  std::map<std::tuple<unsigned, unsigned, unsigned>, Place> by_place;
  for (const Place& p : c.layout('B')) by_place[{p.lane, p.vgpr, p.bit_lo}] = p;
  Integers before = v;
  for (const auto& [place, p] : by_place) {
    const auto& [lane, vgpr, bit] = place;
    const Place& from = by_place.at({lane_of_b(lane, blgp), vgpr, bit});
    seen.at_b(p.block, p.row, p.col) = before.at_b(from.block, from.row, from.col);
  }
  return seen;
}

/// D against sums of products in plain integers.
void expect(const Case& c, const Integers& values, const Modifiers& m, Sum sum,
            const std::vector<LaneRow>& d) {
  Integers v = permuted(c, values, m.blgp);
  const bool wide = c.row.matrix.a == Type::F64;
  const int64_t sign_ab = wide && ((m.blgp ^ m.blgp >> 1) & 1) != 0 ? -1 : 1;
  const int64_t sign_c = wide && (m.blgp >> 2 & 1) != 0 ? -1 : 1;
  unsigned wrong = 0;
  for (const Place& p : c.layout('D')) {
    const unsigned group = c.form.sparse ? 1 : std::min(1u << m.cbsz, v.blocks);
    const unsigned from = p.block / group * group + m.abid % group;
    int64_t result =
        sum == Sum::kConstant && c.form.results > 1 ? kConstant : v.at_c(p.block, p.row, p.col);
    result *= sign_c;
    for (unsigned k = 0; k < v.k; ++k) {
      result += sign_ab * v.at_a(from, p.row, k) * v.at_b(p.block, k, p.col);
    }
    if (taken_bits(d, p) == encode(c.row.matrix.c, result)) continue;
    if (++wrong > 1) continue;
    ADD_FAILURE() << c.name() << " cbsz " << m.cbsz << " abid " << m.abid << " blgp " << m.blgp
                  << ": block " << p.block << " row " << p.row << " column " << p.col << " is 0x"
                  << std::hex << taken_bits(d, p) << std::dec << ", expected " << result;
  }
  EXPECT_EQ(wrong, 0u) << c.name();
}

/// Modifiers worth a kernel of their own.
std::vector<Modifiers> some_modifiers(const Row& row, Target target, std::mt19937& random) {
  std::vector<Modifiers> all(1);
  for (unsigned i = 1; i < 4; ++i) {
    Modifiers m;
    if (row.matrix.cbsz_abid)
      m = {static_cast<unsigned>(random() % 8), static_cast<unsigned>(random() % 16), 0};
    if (has_blgp(row, target)) m.blgp = static_cast<unsigned>(1 + random() % 7);
    if (row.matrix.a == Type::F64 && target == Target::Gfx942) m.blgp = i == 3 ? 7 : i;
    all.push_back(m);
  }
  return all;
}

constexpr Sum kSums[] = {Sum::kRegisters, Sum::kInPlace, Sum::kConstant, Sum::kRegisters};

void check_exact(Target target, const Row& row, unsigned seed) {
  std::mt19937 random(seed);
  Case c(target, row);
  const Integers values = fill(c, random);
  const std::vector<Modifiers> modifiers = some_modifiers(row, target, random);
  std::vector<std::string> kernels;
  std::string bodies;
  for (size_t i = 0; i < modifiers.size(); ++i) {
    kernels.push_back("k" + std::to_string(i));
    bodies += hsail_matrix::kernel(c.form, kernels[i], kSums[i], literals(row, modifiers[i]));
  }
  const auto results = run(c, kernels, bodies);
  for (size_t i = 0; i < results.size(); ++i) expect(c, values, modifiers[i], kSums[i], results[i]);
}

TEST(Matrix, SmallIntegersAgainstPlainLoops) {
  std::map<Target, unsigned> counts;
  unsigned seed = 900;
  for (const Target target : kMatrixTargets) {
    for (const Row* row : matrix_rows(target, false)) {
      ASSERT_TRUE(hsail::find_opcode(form_of(*row).name)) << form_of(*row).name;
      check_exact(target, *row, seed++);
      ++counts[target];
    }
  }
  EXPECT_EQ(counts[Target::Gfx908], 20u);
  EXPECT_EQ(counts[Target::Gfx90a], 27u);
  EXPECT_EQ(counts[Target::Gfx942], 32u);
}

TEST(Matrix, SparseAgainstPlainLoops) {
  unsigned count = 0;
  for (const Row* row : matrix_rows(Target::Gfx942, true)) {
    ASSERT_TRUE(hsail::find_opcode(form_of(*row).name)) << form_of(*row).name;
    const unsigned sets = bits_of(row->matrix.a) == 16 ? 4 : 2;
    for (unsigned set = 0; set < sets; ++set) {
      std::mt19937 random(50 + count);
      Case c(Target::Gfx942, *row);
      Integers values = fill(c, random);
      fill_sparse(c, values, set, random);
      // abid chooses the set; with cbsz it is the first.
      const Modifiers m{set == 0 ? 2u : 0u, set == 0 ? 3u : set, 0};
      const Sum sum = kSums[set];
      const auto results = run(c, {"k"}, hsail_matrix::kernel(c.form, "k", sum, {m.cbsz, m.abid}));
      if (!results.empty()) expect(c, values, {}, sum, results[0]);
      ++count;
    }
  }
  EXPECT_EQ(count, 4u * 4 + 10 * 2);
}

/// Any bit, or numbers of similar size, where every rounding shows.
uint32_t random_word(std::mt19937& random, Type type, bool similar) {
  auto word = static_cast<uint32_t>(random());
  if (!similar) return word;
  switch (type) {
    case Type::F16:
      return (word & 0x83ff83ff) | (0x3c003c00 ^ (random() & 0x0c000c00));
    case Type::Bf16:
      return (word & 0x807f807f) | (0x3f803f80 ^ (random() & 0x03800380));
    case Type::F32:
    case Type::Xf32:
      return (word & 0x807fffff) | (0x3f800000 ^ (random() & 0x03800000));
    default:
      return word;
  }
}

TEST(Matrix, RandomBitsOnBothEngines) {
  unsigned seed = 7000;
  unsigned runs = 0;
  size_t number = 0;  // of a row
  for (const Target target : kMatrixTargets) {
    for (const bool sparse : {false, true}) {
      for (const Row* row : matrix_rows(target, sparse)) {
        std::mt19937 random(seed++);
        const Type type = row->matrix.a;
        Case c(target, *row);
        std::vector<std::string> kernels;
        std::string bodies;
        for (const Modifiers& m : some_modifiers(*row, target, random)) {
          kernels.push_back("k" + std::to_string(kernels.size()));
          bodies += hsail_matrix::kernel(c.form, kernels.back(), Sum::kInPlace, literals(*row, m));
        }
        ++number;
        for (const bool similar : {false, true}) {
          if (!test::in_turn(number, similar ? 1 : 0, 2, 1)) continue;
          for (auto* rows : {&c.a, &c.b, &c.c}) {
            for (size_t r = 0; r < rows->size(); ++r) {
              for (uint32_t& word : (*rows)[r]) {
                word = random_word(random, rows == &c.c ? row->matrix.c : type, similar);
                // The upper half of an F64 of similar size.
                if (similar && type == Type::F64 && r % 2 == 1) {
                  word = (word & 0x800fffff) | (0x3ff00000 ^ (random() & 0x00700000));
                }
              }
            }
          }
          for (uint32_t& word : c.index) word = static_cast<uint32_t>(random());
          runs += static_cast<unsigned>(run(c, kernels, bodies).size());
        }
      }
    }
  }
  EXPECT_EQ(runs, (20u + 27 + 32 + 14) * 4 * (test::whole() ? 2 : 1));
}

/// A sum over two steps in a function, called in a loop: registers of both kinds live across it.
TEST(Matrix, InFunctionsAndLoops) {
  const std::string regs = hsail_matrix::list('s', 16, 4);
  std::string function =
      "function &step(arg_f32 %r[4])(arg_f32 %a, arg_f32 %b, arg_f32 %c[4])\n{\n"
      "\trequirenopartialwavefronts;\n\tld_arg_f32 $s0, [%a];\n\tld_arg_f32 $s1, [%b];\n";
  for (int r = 0; r < 4; ++r) {
    function +=
        "\tld_arg_f32 $s" + std::to_string(16 + r) + ", [%c][" + std::to_string(4 * r) + "];\n";
  }
  function += "\tcuvette:mfma_16x16x4_f32_f32 " + regs + ", $s0, $s1, " + regs + ", 0;\n";
  for (int r = 0; r < 4; ++r) {
    function +=
        "\tst_arg_f32 $s" + std::to_string(16 + r) + ", [%r][" + std::to_string(4 * r) + "];\n";
  }
  function += "};\n";
  std::string kernel =
      "prog kernel &k(kernarg_u64 %d)\n{\n\trequirenopartialwavefronts;\n"
      "\tworkitemid_u32 $s0, 0;\n\tmov_b32 $s1, 0;\n\tmov_b32 $s16, 0;\n\tmov_b32 $s17, 0;\n"
      "\tmov_b32 $s18, 0;\n\tmov_b32 $s19, 0;\n@again:\n"
      // A[i][k] = i + step, B[k][j] = j + k: the work-item's row or column and its k.
      "\tand_b32 $s2, $s0, 15;\n\tadd_u32 $s3, $s2, $s1;\n\tcvt_f32_u32 $s3, $s3;\n"
      "\tshr_u32 $s4, $s0, 4;\n\tadd_u32 $s4, $s4, $s2;\n\tcvt_f32_u32 $s4, $s4;\n\t{\n"
      "\t\targ_f32 %r[4];\n\t\targ_f32 %a;\n\t\targ_f32 %b;\n\t\targ_f32 %c[4];\n"
      "\t\tst_arg_f32 $s3, [%a];\n\t\tst_arg_f32 $s4, [%b];\n";
  for (int r = 0; r < 4; ++r) {
    kernel +=
        "\t\tst_arg_f32 $s" + std::to_string(16 + r) + ", [%c][" + std::to_string(4 * r) + "];\n";
  }
  kernel += "\t\tcall &step(%r)(%a, %b, %c);\n";
  for (int r = 0; r < 4; ++r) {
    kernel +=
        "\t\tld_arg_f32 $s" + std::to_string(16 + r) + ", [%r][" + std::to_string(4 * r) + "];\n";
  }
  kernel +=
      "\t}\n\tadd_u32 $s1, $s1, 1;\n\tcmp_lt_b1_u32 $c0, $s1, 3;\n\tcbr_b1 $c0, @again;\n"
      "\tld_kernarg_u64 $d0, [%d];\n\tshl_u32 $s0, $s0, 2;\n\tcvt_u64_u32 $d1, $s0;\n"
      "\tadd_u64 $d0, $d0, $d1;\n";
  for (int r = 0; r < 4; ++r) {
    kernel += "\tst_global_f32 $s" + std::to_string(16 + r) + ", [$d0+" + std::to_string(256 * r) +
              "];\n";
  }
  kernel += "};\n";
  const auto module = finalizer_testing::load(hsail_matrix::module_of(function + kernel));
  const Launch launch{"&k", {128, 1, 1}, {64, 1, 1}, {buffer(0)}, {Bytes(1024)}};
  for (const Target target : kMatrixTargets) {
    const std::string name(isa::name_of(target));
    const Outcome interpreted = run_interpreter(module, launch, name);
    const Outcome golden = run_golden(module, launch, name);
    EXPECT_EQ(interpreted.error, "");
    EXPECT_EQ(golden.error, "") << name;
    EXPECT_EQ(interpreted.buffers, golden.buffers) << name;
    const auto d = values_of<float>(golden.buffers[0]);
    for (unsigned i = 0; i < 16; ++i) {
      for (unsigned j = 0; j < 16; ++j) {
        unsigned sum = 0;
        for (unsigned step = 0; step < 3; ++step) {
          for (unsigned k = 0; k < 4; ++k) sum += (i + step) * (j + k);
        }
        ASSERT_EQ(d[i % 4 * 64 + i / 4 * 16 + j], static_cast<float>(sum)) << name << " " << i;
      }
    }
  }
}

/// Both engines refuse what a target lacks, at the same place and in the same words.
TEST(Matrix, WhatATargetLacks) {
  const struct {
    const char* name;
    std::vector<unsigned> modifiers;
    const char* target;
    const char* message;  ///< empty: allowed
  } cases[] = {
      {"cuvette:mfma_32x32x4_2b_f32_bf16",
       {0, 0, 0},
       "gfx908",
       "is not an instruction of target gfx908"},
      {"cuvette:mfma_32x32x4_2b_f32_bf16", {0, 0, 0}, "gfx90a", ""},
      {"cuvette:mfma_16x16x4_f64_f64", {0}, "gfx908", "is not an instruction of target gfx908"},
      {"cuvette:mfma_16x16x4_f64_f64", {1}, "gfx90a", "has no neg on target gfx90a, expected 0"},
      {"cuvette:mfma_16x16x4_f64_f64", {1}, "gfx942", ""},
      {"cuvette:mfma_32x32x8_f32_f16", {5}, "gfx908", ""},
      {"cuvette:mfma_32x32x8_f32_f16", {5}, "gfx942", "has no blgp on target gfx942, expected 0"},
      {"cuvette:mfma_32x32x8_s32_s8", {0}, "gfx942", "is not an instruction of target gfx942"},
      {"cuvette:smfmac_32x32x16_f32_f16",
       {0, 0},
       "gfx90a",
       "is not an instruction of target gfx90a"},
  };
  for (const auto& c : cases) {
    Form form;
    for (const Target target : kMatrixTargets) {
      for (const bool sparse : {false, true}) {
        for (const Row* row : matrix_rows(target, sparse)) {
          if (form_of(*row).name == c.name) form = form_of(*row);
        }
      }
    }
    ASSERT_EQ(form.name, c.name);
    const auto module = finalizer_testing::load(
        hsail_matrix::module_of(hsail_matrix::kernel(form, "k", Sum::kInPlace, c.modifiers)));
    const auto object = finalizer::finalize(module, finalizer::Options{c.target, 5});
    const Launch launch{"&k",
                        {64, 1, 1},
                        {64, 1, 1},
                        {buffer(0), buffer(0), buffer(0), buffer(0), buffer(0)},
                        {Bytes(65536)}};
    const std::string interpreter = run_interpreter(module, launch, c.target).error;
    if (*c.message == 0) {
      EXPECT_TRUE(object.ok()) << c.name << ": " << (object.ok() ? "" : object.error().str());
      EXPECT_EQ(interpreter, "");
      continue;
    }
    ASSERT_FALSE(object.ok()) << c.name << " " << c.target;
    EXPECT_EQ(object.error().what, "'" + std::string(c.name) + "' " + c.message);
    EXPECT_EQ(interpreter, object.error().str());
    EXPECT_GT(object.error().where.line, 10u);
  }
  // No matrix core at all: the extension itself is refused, whether an instruction follows or not.
  const auto module = finalizer_testing::load(
      hsail_matrix::module_of("prog kernel &k(kernarg_u64 %d)\n{\n\tret;\n};\n"));
  for (const char* target : {"gfx900", "gfx906"}) {
    const auto object = finalizer::finalize(module, finalizer::Options{target, 5});
    ASSERT_FALSE(object.ok()) << target;
    EXPECT_EQ(object.error().str(),
              std::string("test.hsail:2:1: error: extension \"cuvette:mfma\": target ") + target +
                  " has no matrix instructions, expected gfx908, gfx90a or gfx942");
  }
}

/// The code is the matrix instruction itself.
TEST(Matrix, OneMachineInstruction) {
  const Row* row = isa::find_row("v_mfma_f32_32x32x2f32", isa::Format::Vop3pMai);
  ASSERT_NE(row, nullptr);
  const auto module = finalizer_testing::load(
      hsail_matrix::module_of(hsail_matrix::kernel(form_of(*row), "k", Sum::kInPlace, {5})));
  const auto ir = finalizer::optimised_ir({&module}, finalizer::Options{"gfx908", 5});
  ASSERT_TRUE(ir.ok());
  EXPECT_NE(ir->find("@llvm.amdgcn.mfma.f32.32x32x2f32(float"), std::string::npos);
  EXPECT_NE(ir->find("i32 0, i32 0, i32 5)"), std::string::npos) << *ir;
}

}  // namespace
}  // namespace cuvette::engines
