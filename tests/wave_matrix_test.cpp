// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>

#include "fp/matrix.h"
#include "wave/matrix.h"
#include "wave/status.h"
#include "wave_fixture.h"
#include "wave_matrix_support.h"

// Dense matrix instructions. Register layouts come from the oracle files tests/oracles/mfma/layout;
// results from plain integer loops on small integers, which every target's arithmetic represents
// exactly.
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

TEST(WaveMatrix, LayoutAndSums) {
  unsigned count = 0;
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      Case c(target, *row);
      Integers values(row->matrix, 17 + count);
      c.load(values);
      c.wave.state.s.set_exec(0);  // EXEC takes no part (mfma_numerics.md)
      const std::vector<LaneRow> v_before = c.wave.v;
      ASSERT_EQ(execute_matrix(c.wave.state, c.build.i).event, Event::None) << c.name;
      c.expect(values, same_block, "layout");
      EXPECT_EQ(c.wave.v, v_before) << c.name;
      // Nothing behind D is written.
      for (unsigned r = 64 + row->dst[0].dwords; r < 256; ++r) {
        EXPECT_EQ(c.wave.a[r], LaneRow{}) << c.name << " register " << r;
      }
      // D over C: the sources are read first.
      c.build.dst(agpr(0));
      execute_matrix(c.wave.state, c.build.i);
      std::copy(c.wave.a.begin(), c.wave.a.begin() + 32, c.wave.a.begin() + 64);
      c.expect(values, same_block, "in place");
      ++count;
    }
  }
  EXPECT_EQ(count, 20u + 27u + 32u);
  std::printf("semantics: %u dense matrix instructions on three targets\n", count);
}

TEST(WaveMatrix, BlockBroadcast) {
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
          execute_matrix(c.wave.state, c.build.i);
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

TEST(WaveMatrix, LaneBroadcast) {
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
        execute_matrix(permuted.wave.state, permuted.build.i);
        execute_matrix(plain.wave.state, plain.build.i);
        EXPECT_TRUE(permuted.wave.a == plain.wave.a) << permuted.name << " blgp " << blgp;
      }
    }
  }
}

TEST(WaveMatrix, F64Negation) {
  for (Target target : {Target::Gfx90a, Target::Gfx942}) {
    for (const isa::Row* row : dense_rows(target)) {
      if (row->matrix.c != Type::F64) continue;
      for (unsigned neg = 0; neg < 8; ++neg) {
        Case c(target, *row);
        Integers values(row->matrix, 7);
        c.load(values);
        c.build.i.mod.blgp = static_cast<uint8_t>(neg);
        execute_matrix(c.wave.state, c.build.i);
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

TEST(WaveMatrix, ConstantC) {
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      Case c(target, *row);
      Integers values(row->matrix, 3);
      std::fill(values.c.begin(), values.c.end(), 2);
      c.load(values);
      for (unsigned r = 0; r < 32; ++r) c.wave.a[r].fill(0xdeadbeef);
      c.build.src(2, constant(encode_as(row->matrix.c, 2)));
      execute_matrix(c.wave.state, c.build.i);
      c.expect(values, same_block, "constant C");
    }
  }
}

TEST(WaveMatrix, IntegersWrap) {
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      if (row->matrix.a != Type::I8) continue;
      Case c(target, *row);
      Integers values(row->matrix, 1);
      std::fill(values.a.begin(), values.a.end(), -128);
      std::fill(values.b.begin(), values.b.end(), -128);
      std::fill(values.c.begin(), values.c.end(), 0x7fffffff);
      c.load(values);
      execute_matrix(c.wave.state, c.build.i);
      const uint32_t expected = 0x7fffffffu + row->matrix.k * 16384u;
      const std::vector<LaneRow> result(c.wave.a.begin() + 64, c.wave.a.end());
      for (const Place& p : c.d) ASSERT_EQ(taken_bits(result, p), expected) << c.name;
    }
  }
}

// -- arithmetic: which algorithm a row takes (mfma_numerics.md); the algorithms themselves are
// tested
// -- against MPFR in layer fp.

fp::DotAlgorithm algorithm_of(const isa::Row& row, Target target) {
  using fp::MatrixFormat;
  using fp::MatrixMethod;
  const std::string name(row.mnemonic);
  const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  if (has("xf32")) return {MatrixFormat::XF32, MatrixFormat::XF32, MatrixMethod::Fused, 4, false};
  if (has("_bf8") || has("_fp8")) {
    const auto format = [](const std::string& text) {
      return text == "bf8" ? MatrixFormat::BF8 : MatrixFormat::FP8;
    };
    return {format(name.substr(name.size() - 7, 3)), format(name.substr(name.size() - 3)),
            MatrixMethod::FusedEvenOdd, 16, false};
  }
  const bool bf16 = has("bf16");
  const MatrixFormat format = bf16 ? MatrixFormat::BF16 : MatrixFormat::F16;
  if (target == Target::Gfx942) return {format, format, MatrixMethod::Fused, 8, false};
  const uint8_t group = bf16 && !has("_1k") ? 2 : 4;
  return {format, format, MatrixMethod::Pairwise, group, target == Target::Gfx90a};
}

unsigned bits_of(Type type) {
  return type == Type::F64                                            ? 64
         : type == Type::F16 || type == Type::Bf16                    ? 16
         : type == Type::I8 || type == Type::Fp8 || type == Type::Bf8 ? 8
                                                                      : 32;
}

/// Random bit patterns with exponents near each other, now and then a subnormal or a special.
uint64_t random_pattern(std::mt19937_64& random, unsigned width) {
  const uint64_t bits = random() & base::low_mask(width);
  if (random() % 16 == 0) return bits;
  switch (width) {
    case 64:
      return (bits & 0x800fffffffffffff) | (1020 + random() % 8) << 52;
    case 32:
      return random() % 8 == 0 ? bits & 0x807fffff
                               : (bits & 0x807fffff) | (120 + random() % 16) << 23;
    case 16:
      return random() % 8 == 0 ? bits & 0x83ff : (bits & 0x83ff) | (12 + random() % 6) << 10;
    default:
      return bits;
  }
}

TEST(WaveMatrix, ArithmeticOfEachTarget) {
  constexpr uint64_t kSeed = 2024;
  std::mt19937_64 random(kSeed);
  for (Target target : kMatrixTargets) {
    for (const isa::Row* row : dense_rows(target)) {
      if (row->matrix.a == Type::I8) continue;
      const isa::MatrixShape& s = row->matrix;
      for (unsigned round = 0; round < 8; ++round) {
        Case c(target, *row);
        std::vector<uint64_t> a(s.blocks * s.m * s.k), b(s.blocks * s.k * s.n);
        std::vector<LaneRow> b_rows(16), c_rows(64);
        for (const Place& p : c.a) {
          uint64_t& v = a[(p.block * s.m + p.row) * s.k + p.col];
          v = random_pattern(random, bits_of(s.a));
          place_bits(c.wave.v, p, v);
        }
        for (const Place& p : c.b) {
          uint64_t& v = b[(p.block * s.n + p.col) * s.k + p.row];
          v = random_pattern(random, bits_of(s.b));
          place_bits(b_rows, p, v);
        }
        for (unsigned r = 0; r < 16; ++r) c.wave.v[16 + r] = b_rows[r];
        for (const Place& p : c.c) place_bits(c_rows, p, random_pattern(random, bits_of(s.c)));
        std::copy(c_rows.begin(), c_rows.end(), c.wave.a.begin());
        execute_matrix(c.wave.state, c.build.i);
        const std::vector<LaneRow> result(c.wave.a.begin() + 64, c.wave.a.end());
        for (const Place& p : c.d) {
          const uint64_t* av = &a[(p.block * s.m + p.row) * s.k];
          const uint64_t* bv = &b[(p.block * s.n + p.col) * s.k];
          uint64_t expected = 0;
          if (s.c == Type::F64) {
            expected = fp::dot_accumulate_f64(av, bv, s.k, taken_bits(c_rows, p));
          } else {
            const std::vector<uint32_t> a32(av, av + s.k), b32(bv, bv + s.k);
            expected = fp::dot_accumulate(
                s.a == Type::F32 ? fp::kDotF32 : algorithm_of(*row, target), a32.data(), b32.data(),
                s.k, static_cast<uint32_t>(taken_bits(c_rows, p)));
          }
          ASSERT_EQ(taken_bits(result, p), expected)
              << c.name << " seed " << kSeed << " round " << round << " block " << p.block
              << " row " << p.row << " col " << p.col;
        }
      }
    }
  }
}

/// Where nothing but zeros and subnormals of one sign is added the sign of the sum shows what
/// became of each of them: -0 stays, a subnormal operand of gfx90a is +0 (mfma_numerics.md).
TEST(WaveMatrix, SignsOfZeroSums) {
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
        execute_matrix(k.wave.state, k.build.i);
        const bool flushes = target == Target::Gfx90a && (c & 0x7fffffff) != 0;
        EXPECT_EQ(k.wave.a[64][5], flushes ? 0u : c) << name << " " << std::hex << c;
      }
    }
  }
}

// -- the rest
// ---------------------------------------------------------------------------------------

TEST(WaveMatrix, AccvgprMoves) {
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

TEST(WaveMatrix, OutOfRange) {
  Case c(Target::Gfx908, row_of("v_mfma_f32_32x32x1f32"));
  Integers values(c.row.matrix, 1);
  c.load(values);
  c.wave.state.alloc.accvgprs = 64 + 31;  // one register short for D
  const std::vector<LaneRow> before = c.wave.a;
  EXPECT_EQ(execute_matrix(c.wave.state, c.build.i).event, Event::None);
  EXPECT_TRUE(c.wave.a == before);
}

TEST(WaveMatrix, Status) {
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
  EXPECT_EQ(status("v_mfma_f32_32x32x4f16", Target::Gfx908), Status::Defined);
  EXPECT_EQ(status("v_mfma_f32_32x32x1f32", Target::Gfx908), Status::Defined);
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
