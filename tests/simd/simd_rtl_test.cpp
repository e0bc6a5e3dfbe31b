// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <optional>

#include <gtest/gtest.h>

#include "coverage_file.h"
#include "simd_dpp.h"
#include "simd_wave.h"
#include "test_vectors.h"

// rtl/simd at its contract against a scalar model of a wavefront written from the ISA manuals
// (simd_wave.h), instruction by instruction: operands, DPP, SDWA, lane moves, masks, indexing,
// ranges; and the cycles in which the ports move, worked out by hand.
namespace cuvette {
namespace {

using simd_wave::kExecs;
using simd_wave::Result;
using simd_wave::Tester;
using simd_wave::Wave;

TEST(SimdRtl, EveryDppControl) {
  const CountsCoverage counting("simd_rtl_test");
  ASSERT_EQ(simd_dpp::controls().size(), 309u);
  EXPECT_TRUE(simd_dpp::check(6));
}

/// No machine code of gfx908 has row_newbcast; simd_dpp has it for the targets to come.
TEST(SimdRtl, RowNewbcastOfGfx90a) {
  Tester t(15, 1, isa::Target::Gfx90a);
  Wave w = t.random();
  for (unsigned ctrl = 0x150; ctrl < 0x160; ++ctrl) {
    for (const bool bound : {false, true}) {
      t.redraw(w, {5, 9});
      Wave want = w;
      for (unsigned lane = 0; lane < 64; ++lane) {
        const unsigned source = *simd_dpp::source_lane(ctrl, lane);
        const bool valid = (w.exec >> source & 1) != 0;
        if ((w.exec >> lane & 1) == 0 || (!valid && !bound)) continue;
        want.v[5][lane] = valid ? w.v[9][source] : 0;
      }
      t.run(w, {simd_dpp::kMov | 5u << 17, simd_dpp::word(9, ctrl, bound, 15, 15)});
      ASSERT_TRUE(w == want) << "ctrl " << ctrl << " bound_ctrl " << bound;
    }
  }
}

TEST(SimdRtl, DppOfOneSourceOfTwo) {
  Tester t(2);
  for (unsigned n = 0; n < 200; ++n) {
    const auto controls = simd_dpp::controls();
    const unsigned ctrl = controls[t.rng() % controls.size()];
    Wave w = t.random();
    Wave want = w;
    for (unsigned lane = 0; lane < 64; ++lane) {
      const auto source = simd_dpp::source_lane(ctrl, lane);
      if ((w.exec >> lane & 1) == 0 || !source || (w.exec >> *source & 1) == 0) continue;
      want.v[3][lane] = w.v[3][*source] - w.v[8][lane];
    }
    // V_SUB_U32 v3, v3 dpp, v8
    t.run(w, {53u << 25 | 3u << 17 | 8u << 9 | 250u, simd_dpp::word(3, ctrl, false, 15, 15)});
    ASSERT_TRUE(w == want) << "ctrl " << ctrl;
  }
}

TEST(SimdRtl, CarryOutUnderDppMasks) {
  EXPECT_TRUE(simd_dpp::check_carry_out(400));
}

TEST(SimdRtl, ReadLaneAndFirstLane) {
  Tester t(3);
  for (unsigned lane = 0; lane < 128; ++lane) {
    Wave w = t.random();
    w.sgpr[4] = lane | 0xabc00000u;
    const Wave before = w;
    const Result r = t.run(w, {0xd2890007, 0x100u | 6u | 4u << 9});  // V_READLANE_B32 s7, v6, s4
    EXPECT_TRUE(w == before);
    ASSERT_TRUE(r.has_scalar);
    ASSERT_EQ(r.beats, 1u);
    ASSERT_EQ(r.scalar, w.v[6][lane % 64]) << lane;
  }
  for (unsigned lane = 0; lane < 64; ++lane) {
    Wave w = t.random();
    w.exec = (t.rng() | 1) << lane;
    const Result r = t.run(w, {0x7e000500u | 7u << 17 | 6u});  // V_READFIRSTLANE_B32 s7, v6
    ASSERT_EQ(r.scalar, w.v[6][lane]) << lane;
  }
  Wave w = t.random();
  w.exec = 0;  // lane 0 (MI100 ISA 12, V_READFIRSTLANE_B32)
  EXPECT_EQ(t.run(w, {0x7e000500u | 7u << 17 | 0x106u}).scalar, w.v[6][0]);
}

TEST(SimdRtl, WriteLaneIgnoresExec) {
  Tester t(4);
  for (unsigned lane = 0; lane < 128; ++lane) {
    Wave w = t.random();
    w.exec = lane % 2 == 0 ? 0 : t.rng();
    w.sgpr[4] = lane;
    w.sgpr[9] = static_cast<uint32_t>(t.rng());
    Wave want = w;
    want.v[6][lane % 64] = w.sgpr[9];
    t.run(w, {0xd28a0006, 9u | 4u << 9});  // V_WRITELANE_B32 v6, s9, s4
    ASSERT_TRUE(w == want) << lane;
  }
}

TEST(SimdRtl, SwapAndNop) {
  Tester t(5);
  for (const uint64_t exec : kExecs) {
    for (const auto& [a, b] : {std::pair{4u, 8u}, {5u, 6u}, {7u, 7u}, {4u, 200u}, {200u, 4u}}) {
      Wave w = t.random();
      w.exec = exec;
      Wave want = w;
      for (unsigned lane = 0; lane < 64 && a < w.count && b < w.count; ++lane) {
        if ((exec >> lane & 1) != 0) std::swap(want.v[a][lane], want.v[b][lane]);
      }
      const Result r = t.run(w, {0x7e00a300u | a << 17 | b});  // V_SWAP_B32
      ASSERT_TRUE(w == want) << a << " " << b;
      EXPECT_EQ(r.beats, 8u);
    }
    Wave w = t.random();
    const Wave before = w;
    EXPECT_EQ(t.run(w, {0x7e000000}).beats, 4u);  // V_NOP
    EXPECT_TRUE(w == before);
  }
}

TEST(SimdRtl, AccumulationRegisters) {
  Tester t(6);
  for (const uint64_t exec : kExecs) {
    Wave w = t.random();
    w.exec = exec;
    w.mode |= 1u << 27;  // indexing leaves these copies alone
    w.m0 = 0xf001;
    Wave want = w;
    for (unsigned lane = 0; lane < 64; ++lane) {
      if ((exec >> lane & 1) != 0) want.v[3][lane] = w.a[17][lane];
    }
    t.run(w, {0xd3d84003, 0x18000100u | 17u});  // V_ACCVGPR_READ_B32 v3, a17
    ASSERT_TRUE(w == want);
    for (unsigned lane = 0; lane < 64; ++lane) {
      if ((exec >> lane & 1) != 0) want.a[11][lane] = w.v[22][lane];
    }
    t.run(w, {0xd3d9400b, 0x18000100u | 22u});  // V_ACCVGPR_WRITE_B32 a11, v22
    ASSERT_TRUE(w == want);
    for (unsigned lane = 0; lane < 64; ++lane) {
      if ((exec >> lane & 1) != 0) want.a[12][lane] = 7;
    }
    t.run(w, {0xd3d9400c, 0x18000000u | 135u});  // V_ACCVGPR_WRITE_B32 a12, 7
    ASSERT_TRUE(w == want);
  }
}

/// A source operand of each kind.
struct Kind {
  const char* name;
  uint32_t code;  ///< 9 bits
  std::function<uint32_t(const Wave&, unsigned)> value;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = {
      {"VGPR", 0x100u + 31, [](const Wave& w, unsigned l) { return w.v[31][l]; }},
      {"VGPR of the same bank", 0x100u + 3, [](const Wave& w, unsigned l) { return w.v[3][l]; }},
      {"SGPR", 13, [](const Wave& w, unsigned) { return w.sgpr[13]; }},
      {"M0", 124, [](const Wave& w, unsigned) { return w.m0; }},
      {"inline 0", 128, [](const Wave&, unsigned) { return 0u; }},
      {"inline 64", 192, [](const Wave&, unsigned) { return 64u; }},
      {"inline -16", 208, [](const Wave&, unsigned) { return 0xfffffff0u; }},
      {"inline 0.5", 240, [](const Wave&, unsigned) { return 0x3f000000u; }},
      {"inline -4.0", 247, [](const Wave&, unsigned) { return 0xc0800000u; }},
      {"literal", 255, [](const Wave&, unsigned) { return 0x89abcdefu; }},
  };
  return list;
}

TEST(SimdRtl, OperandsOfEveryKindCarryAndMasks) {
  Tester t(7);
  for (const Kind& k : kinds()) {
    for (const uint64_t exec : kExecs) {
      const auto words = [&](uint32_t word) {
        std::vector<uint32_t> out = {word | k.code};
        if (k.code == 255) out.push_back(0x89abcdef);
        return out;
      };
      Wave w = t.random();
      w.exec = exec;
      Wave want = w;
      uint64_t carry = 0, less = 0;
      for (unsigned lane = 0; lane < 64; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        const uint64_t a = k.value(w, lane), b = w.v[7][lane], in = w.vcc >> lane & 1;
        want.v[2][lane] = static_cast<uint32_t>(a + b + in);
        carry |= (a + b + in) >> 32 << lane;
        less |= uint64_t{a < b} << lane;
      }
      Result r = t.run(w, words(28u << 25 | 2u << 17 | 7u << 9));  // V_ADDC_CO_U32 v2, vcc, k, v7
      ASSERT_TRUE(w == want) << k.name;
      ASSERT_TRUE(r.has_mask);
      ASSERT_EQ(r.mask, carry) << k.name;
      w = want = t.random();
      w.exec = want.exec = exec;
      less = 0;
      for (unsigned lane = 0; lane < 64; ++lane) {
        if ((exec >> lane & 1) != 0) less |= uint64_t{k.value(w, lane) < w.v[7][lane]} << lane;
      }
      r = t.run(w, words(0x7c000000u | 0xc9u << 17 | 7u << 9));  // V_CMP_LT_U32 vcc, k, v7
      ASSERT_TRUE(w == want) << k.name;
      ASSERT_EQ(r.mask, less) << k.name;
      r = t.run(w, words(0x7c000000u | 0xd9u << 17 | 7u << 9));  // V_CMPX_LT_U32
      ASSERT_EQ(r.mask, less) << k.name;
      for (unsigned lane = 0; lane < 64; ++lane) {
        if ((exec >> lane & 1) == 0) continue;
        want.v[2][lane] = (w.vcc >> lane & 1) != 0 ? w.v[7][lane] : k.value(w, lane);
      }
      t.run(w, words(2u << 17 | 7u << 9));  // V_CNDMASK_B32 v2, k, v7, vcc
      ASSERT_TRUE(w == want) << k.name;
    }
  }
}

TEST(SimdRtl, WideOperandsAndResults) {
  Tester t(8);
  for (unsigned n = 0; n < 40; ++n) {
    Wave w = t.random();
    Wave want = w;
    const auto pair = [&](unsigned r, unsigned l) {
      return uint64_t{w.v[r + 1][l]} << 32 | w.v[r][l];
    };
    for (unsigned l = 0; l < 64; ++l) {
      if ((w.exec >> l & 1) == 0) continue;
      const uint64_t shifted = pair(20, l) << (w.v[9][l] & 63);
      want.v[30][l] = static_cast<uint32_t>(shifted);
      want.v[31][l] = static_cast<uint32_t>(shifted >> 32);
    }
    t.run(w, {0xd28f001e, 0x109u | 0x114u << 9});  // V_LSHLREV_B64 v[30:31], v9, v[20:21]
    ASSERT_TRUE(w == want);
    uint64_t carry = 0;
    for (unsigned l = 0; l < 64; ++l) {
      if ((w.exec >> l & 1) == 0) continue;
      const uint64_t product = uint64_t{w.v[4][l]} * w.v[8][l], sum = product + pair(12, l);
      want.v[30][l] = static_cast<uint32_t>(sum);
      want.v[31][l] = static_cast<uint32_t>(sum >> 32);
      carry |= uint64_t{sum < product} << l;
    }
    // V_MAD_U64_U32 v[30:31], s[10:11], v4, v8, v[12:13]
    const Result r = t.run(w, {0xd1e80a1e, 0x104u | 0x108u << 9 | 0x10cu << 18});
    ASSERT_TRUE(w == want);
    ASSERT_EQ(r.mask, carry);
    for (unsigned l = 0; l < 64; ++l) {
      if ((w.exec >> l & 1) == 0) continue;
      const uint64_t reference = pair(40, l);
      uint32_t sums[4];
      for (unsigned d = 0; d < 4; ++d) {
        uint64_t sum = w.v[44 + d][l];
        for (unsigned b = 0; b < 4; ++b) {
          const unsigned mask = w.v[36][l] >> 8 * b & 255;
          const auto byte = static_cast<unsigned>(reference >> 8 * (b + d) & 255);
          if (mask != 0) sum += byte > mask ? byte - mask : mask - byte;
        }
        sums[d] = static_cast<uint32_t>(sum);
      }
      for (unsigned d = 0; d < 4; ++d) want.v[52 + d][l] = sums[d];
    }
    // V_MQSAD_U32_U8 v[52:55], v[40:41], v36, v[44:47]
    t.run(w, {0xd1e70034, 0x128u | 0x124u << 9 | 0x12cu << 18});
    ASSERT_TRUE(w == want);
  }
}

TEST(SimdRtl, SdwaSelectsOfSourcesAndDestination) {
  Tester t(9);
  const auto part = [](uint32_t word, unsigned sel, bool sext) -> uint32_t {
    if (sel == 6) return word;
    const unsigned bits = sel < 4 ? 8 : 16, at = sel < 4 ? 8 * sel : 16 * (sel - 4);
    const uint32_t value = word >> at & ((1u << bits) - 1);
    return sext && (value >> (bits - 1)) != 0 ? value | ~0u << bits : value;
  };
  const auto put = [](uint32_t result, uint32_t old, unsigned sel, unsigned unused) -> uint32_t {
    if (sel == 6) return result;
    const unsigned bits = sel < 4 ? 8 : 16, at = sel < 4 ? 8 * sel : 16 * (sel - 4);
    const uint32_t field = ((1u << bits) - 1) << at;
    const uint32_t value = result << at & field;
    if (unused == 2) return value | (old & ~field);
    const bool negative = (result >> (bits - 1) & 1) != 0;
    const uint32_t above = at + bits == 32 ? 0 : ~0u << (at + bits);
    return unused == 1 && negative ? value | above : value;
  };
  for (unsigned n = 0; n < 7 * 3 * 7 * 4; ++n) {
    const unsigned dst = n % 7, unused = n / 7 % 3, sel0 = n / 21 % 7;
    const auto sel1 = static_cast<unsigned>(t.rng() % 7);
    const bool sext0 = t.rng() % 2 != 0, sext1 = t.rng() % 2 != 0;
    Wave w = t.random();
    Wave want = w;
    for (unsigned l = 0; l < 64; ++l) {
      if ((w.exec >> l & 1) == 0) continue;
      const uint32_t sum = part(w.v[8][l], sel0, sext0) + part(w.v[12][l], sel1, sext1);
      want.v[4][l] = put(sum, w.v[4][l], dst, unused);
    }
    const uint32_t sdwa = 8u | dst << 8 | unused << 11 | sel0 << 16 | unsigned{sext0} << 19 |
                          sel1 << 24 | unsigned{sext1} << 27;
    t.run(w, {52u << 25 | 4u << 17 | 12u << 9 | 249u, sdwa});  // V_ADD_U32 v4, v8, v12
    ASSERT_TRUE(w == want) << "dst " << dst << " unused " << unused << " src " << sel0 << sel1;
  }
}

TEST(SimdRtl, AccumulatorsAndHalvesThatStay) {
  Tester t(10);
  for (unsigned n = 0; n < 20; ++n) {
    Wave w = t.random();
    for (unsigned l = 0; l < 64; ++l) {
      for (const unsigned r : {4u, 8u, 12u}) {
        const float value = static_cast<float>(w.v[r][l] % 1000);
        std::memcpy(&w.v[r][l], &value, 4);
      }
    }
    Wave want = w;
    const auto number = [](uint32_t bits) {
      float value;
      std::memcpy(&value, &bits, 4);
      return value;
    };
    for (unsigned l = 0; l < 64; ++l) {
      if ((w.exec >> l & 1) == 0) continue;
      const float sum = number(w.v[8][l]) * number(w.v[12][l]) + number(w.v[4][l]);
      std::memcpy(&want.v[4][l], &sum, 4);
    }
    t.run(w, {59u << 25 | 4u << 17 | 12u << 9 | 0x108u});  // V_FMAC_F32 v4, v8, v12
    ASSERT_TRUE(w == want);
    for (const bool high : {false, true}) {
      for (unsigned l = 0; l < 64; ++l) {
        if ((w.exec >> l & 1) == 0) continue;
        const uint32_t product = (w.v[21][l] & 0xffff) * (w.v[22][l] & 0xffff) + w.v[23][l];
        const uint32_t half = product & 0xffff;
        want.v[20][l] =
            high ? half << 16 | (want.v[20][l] & 0xffff) : half | (want.v[20][l] & 0xffff0000);
      }
      // V_MAD_U16 v20, v21, v22, v23, the other half stays (MI100 ISA 12)
      t.run(w, {0xd2040014u | (high ? 1u << 14 : 0), 0x115u | 0x116u << 9 | 0x117u << 18});
      ASSERT_TRUE(w == want) << high;
    }
  }
}

TEST(SimdRtl, IndexingAndRanges) {
  Tester t(11);
  for (unsigned n = 0; n < (test::whole() ? 400u : 150u); ++n) {
    Wave w = t.random();
    w.count = n % 3 == 0 ? 40 : 64;
    w.mode |= 1u << 27;
    w.m0 = static_cast<uint32_t>(t.rng()) & 0xf03f;
    const auto reg = [&](unsigned number, unsigned bit) {
      return number + ((w.m0 >> bit & 1) != 0 ? w.m0 & 0xff : 0);
    };
    const auto source = [&](unsigned number) { return number < w.count ? number : 0; };
    const unsigned a = source(reg(8, 12)), b = source(reg(21, 13)), d = reg(30, 15);
    Wave want = w;
    for (unsigned l = 0; l < 64 && d < w.count; ++l) {
      if ((w.exec >> l & 1) != 0) want.v[d][l] = w.v[a][l] ^ w.v[b][l];
    }
    t.run(w, {21u << 25 | 30u << 17 | 21u << 9 | 0x108u});  // V_XOR_B32 v30, v8, v21
    ASSERT_TRUE(w == want) << a << " " << b << " " << d;
    // An accumulator is moved as a destination (MI100 ISA 6.6.2).
    const unsigned old = source(reg(3, 15)), out = reg(3, 15), x = source(reg(8, 12));
    for (unsigned l = 0; l < 64 && out < w.count; ++l) {
      if ((w.exec >> l & 1) == 0) continue;
      int32_t sum = static_cast<int32_t>(w.v[old][l]);
      for (unsigned byte = 0; byte < 4; ++byte) {
        sum +=
            static_cast<int8_t>(w.v[x][l] >> 8 * byte) * static_cast<int8_t>(w.v[b][l] >> 8 * byte);
      }
      want.v[out][l] = static_cast<uint32_t>(sum);
    }
    t.run(w, {57u << 25 | 3u << 17 | 21u << 9 | 0x108u});  // V_DOT4C_I32_I8 v3, v8, v21
    ASSERT_TRUE(w == want) << old << " " << out;
  }
}

/// Nothing out of range is written, its masks neither; the sources are register 0.
TEST(SimdRtl, MasksOfSuppressedInstructions) {
  Tester t(12);
  Wave w = t.random();
  const Wave before = w;
  const Result r = t.run(w, {25u << 25 | 70u << 17 | 7u << 9 | 0x108u});  // V_ADD_CO_U32 v70
  EXPECT_TRUE(w == before);
  EXPECT_FALSE(r.has_mask);
  EXPECT_EQ(r.beats, 4u);
}

/// Cycles from the tick that first sees the instruction to that at which its beats are visible.
struct Times {
  const char* what;
  std::vector<uint32_t> words;
  std::vector<unsigned> beats;
};

TEST(SimdRtl, BeatsComeWhenThePageSays) {
  const std::vector<Times> cases = {
      {"no registers", {0x7e000280u | 5u << 17}, {7, 8, 9, 10}},
      {"two banks", {52u << 25 | 4u << 17 | 9u << 9 | 0x108u}, {7, 8, 9, 10}},
      {"one bank twice", {52u << 25 | 4u << 17 | 12u << 9 | 0x108u}, {8, 10, 12, 14}},
      {"one bank three times: V_ADD3_U32 v1, v4, v8, v12",
       {0xd1ff0001, 0x104u | 0x108u << 9 | 0x10cu << 18},
       {9, 12, 15, 18}},
      {"DPP",
       {simd_dpp::kMov | 5u << 17, simd_dpp::word(9, 0x130, true, 15, 15)},
       {11, 12, 13, 14}},
      {"lane to SGPR", {0xd2890007, 0x106u | 129u << 9}, {11}},
      {"first lane", {0x7e000500u | 7u << 17 | 6u}, {11}},
      {"swap", {0x7e00a300u | 4u << 17 | 8u}, {11, 12, 13, 14, 15, 16, 17, 18}},
      {"64 bits: V_LSHLREV_B64 v[30:31], v9, v[20:21]",
       {0xd28f001e, 0x109u | 0x114u << 9},
       {9, 11, 13, 15}},
      {"128 bits: V_MQSAD_U32_U8 v[52:55], v[41:42], v36, v[44:47]",
       {0xd1e70034, 0x129u | 0x124u << 9 | 0x12cu << 18},
       {14, 20, 26, 32}},
  };
  for (const Times& c : cases) {
    Tester t(13);
    Wave w = t.random();
    w.mode &= ~(1u << 27);
    EXPECT_EQ(t.run(w, c.words).times, c.beats) << c.what;
  }
}

TEST(SimdRtl, ThreeSeedsOfUninitialisedState) {
  std::vector<Result> results;
  for (const uint64_t seed : {1u, 77u, 4711u}) {
    Tester t(14, seed);
    Wave w = t.random();
    results.push_back(t.run(w, {25u << 25 | 3u << 17 | 7u << 9 | 0x108u}));
    results.back().scalar = w.v[3][17];
  }
  EXPECT_TRUE(results[0] == results[1] && results[1] == results[2]);
}

}  // namespace
}  // namespace cuvette
