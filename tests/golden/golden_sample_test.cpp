// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Sampled images: every row of the sample and gather families on an image whose texels say where
// they are, and filtering, clamping, borders and level of detail worked out by hand (MI100 ISA 9.4;
// the codes are those of docs/reference/memory_semantics.md).
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "golden_images.h"

namespace cuvette::golden::testing {
namespace {

constexpr unsigned kSamplePitch = 64;  // 256 bytes

/// 8 x 8 and 4 x 4 texels of float 100 * level + 10 * y + x + 1; level 1 is below level 0, 12 rows
/// together.
Image two_levels(Bench& m) {
  Image i;
  i.base = m.base;
  i.pitch = 12;
  i.last_level = i.max_mip = 1;
  bind(m, i);
  for (unsigned level = 0; level < 2; ++level) {
    const unsigned size = 8 >> level;
    for (unsigned y = 0; y < size; ++y) {
      for (unsigned x = 0; x < size; ++x) {
        const auto value = static_cast<float>(100 * level + 10 * y + x + 1);
        m.set_word(4 * ((level * 8 + y) * kSamplePitch + x), bits_of(value));
      }
    }
  }
  return i;
}
float texel(int level, int x, int y) {
  const int last = (8 >> level) - 1;
  x = std::clamp(x, 0, last);
  y = std::clamp(y, 0, last);
  return static_cast<float>(100 * level + 10 * y + x + 1);
}

bool suffix(const std::string& name, const std::string& part) {
  return (name + '_').find("_" + part + "_") != name.npos;
}

/// Writes the address registers of a row for the whole wave: quads of 2 x 2 neighbouring texels.
struct Address {
  unsigned next = 2;
  void add(Bench& m, const std::function<uint32_t(unsigned)>& value) {
    for (unsigned lane = 0; lane < 64; ++lane) m.wave.v[next][lane] = value(lane);
    ++next;
  }
};
unsigned x_of(unsigned lane) {
  return 2 * (lane / 4 % 4) + (lane & 1);
}
unsigned y_of(unsigned lane) {
  return 2 * (lane / 16) + (lane >> 1 & 1);
}
float centre(unsigned texel_index) {
  return (static_cast<float>(texel_index) + 0.5f) / 8;
}

struct Expectation {
  int level = 0;
  int dx = 0, dy = 0;
};

/// Lod from quads one texel apart is 0, with derivatives of two texels 1; a bias adds 1; a clamp to
/// a quarter brings level 0 back.
Expectation prepare(Bench& m, const std::string& name) {
  Expectation e;
  Address a;
  if (suffix(name, "o")) {
    a.add(m, [](unsigned) { return 1u | 0x3fu << 8; });  // x + 1, y - 1
    e.dx = 1;
    e.dy = -1;
  }
  if (suffix(name, "b")) {
    a.add(m, [](unsigned) { return bits_of(1.0f); });
    e.level = 1;
  }
  if (suffix(name, "c")) {
    a.add(m, [&](unsigned lane) {
      // Odd lanes pass: the reference is less than every texel. Even lanes do not.
      return bits_of(lane % 2 == 1 ? -1.0f : 1000.0f);
    });
  }
  if (suffix(name, "d") || suffix(name, "cd")) {
    for (float slope : {0.25f, 0.0f, 0.0f, 0.25f}) {
      a.add(m, [=](unsigned) { return bits_of(slope); });
    }
    e.level = 1;
  }
  a.add(m, [](unsigned lane) { return bits_of(centre(x_of(lane))); });
  a.add(m, [](unsigned lane) { return bits_of(centre(y_of(lane))); });
  if (suffix(name, "l")) {
    a.add(m, [](unsigned) { return bits_of(0.75f); });  // nearest level: 1
    e.level = 1;
  }
  if (suffix(name, "cl")) {
    a.add(m, [](unsigned) { return bits_of(0.25f); });
    e.level = 0;
  }
  return e;
}

TEST(GoldenSample, EveryRowOfTheFamily) {
  unsigned rows = 0;
  for (const isa::Row& row : isa::rows()) {
    const std::string name(row.mnemonic);
    if (name.rfind("image_sample", 0) != 0 || !row.on(isa::Target::Gfx908)) continue;
    ++rows;
    Bench m;
    two_levels(m);
    bind(m, SamplerFields{});
    const Expectation e = prepare(m, name);
    m.run(image(name));
    for (unsigned lane = 0; lane < 64; ++lane) {
      const int x = static_cast<int>(x_of(lane)) >> e.level,
                y = static_cast<int>(y_of(lane)) >> e.level;
      float want = texel(e.level, x + e.dx, y + e.dy);
      if (suffix(name, "c")) want = lane % 2 == 1 ? 1.0f : 0.0f;
      ASSERT_EQ(as_float(m.wave.v[20][lane]), want) << name << " lane " << lane;
    }
  }
  EXPECT_EQ(rows, 40u);
}

TEST(GoldenSample, EveryRowOfGather) {
  unsigned rows = 0;
  for (const isa::Row& row : isa::rows()) {
    const std::string name(row.mnemonic);
    if (name.rfind("image_gather4", 0) != 0 || !row.on(isa::Target::Gfx908)) continue;
    ++rows;
    Bench m;
    two_levels(m);
    bind(m, SamplerFields{});
    const Expectation e = prepare(m, name);
    const bool line = name == "image_gather4h";
    m.run(image(name));
    for (unsigned lane = 0; lane < 64; ++lane) {
      const int n = 8 >> e.level;
      // The footprint begins at the texel whose centre is at or before the position.
      const int x = static_cast<int>(std::floor(centre(x_of(lane)) * n - 0.5)) + e.dx;
      const int y = static_cast<int>(std::floor(centre(y_of(lane)) * n - 0.5)) + e.dy;
      const int corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
      for (int c = 0; c < 4; ++c) {
        float want =
            line ? texel(e.level, x + c, y) : texel(e.level, x + corner[c][0], y + corner[c][1]);
        if (suffix(name, "c")) want = lane % 2 == 1 ? 1.0f : 0.0f;
        ASSERT_EQ(as_float(m.wave.v[20 + static_cast<unsigned>(c)][lane]), want)
            << name << " lane " << lane << " component " << c;
      }
    }
  }
  EXPECT_EQ(rows, 25u);
}

/// One lane at (u, v) of level 0.
float sample(Bench& m, float u, float v, const char* row = "image_sample_lz") {
  m.wave.state.s.set_exec(1);
  m.wave.v[2][0] = bits_of(u);
  m.wave.v[3][0] = bits_of(v);
  m.run(image(row));
  return as_float(m.wave.v[20][0]);
}

TEST(GoldenSample, PositionsAreRoundedOrTruncatedTo256ths) {
  Bench m;
  two_levels(m);
  SamplerFields s;
  const auto below = [](float x, float parts) { return (x - parts / 256) / 8; };
  for (const bool truncates : {false, true}) {
    s.truncates = truncates;
    s.mag = 0;
    bind(m, s);
    for (unsigned x = 1; x < 8; ++x) {
      const auto border = static_cast<float>(x);
      const float left = texel(0, static_cast<int>(x) - 1, 0),
                  right = texel(0, static_cast<int>(x), 0);
      EXPECT_EQ(sample(m, below(border, 0.25f), 0.5f / 8), truncates ? left : right) << x;
      EXPECT_EQ(sample(m, below(border, 0.75f), 0.5f / 8), left) << x;
      EXPECT_EQ(sample(m, below(border, 0), 0.5f / 8), right) << x;
    }
    s.mag = 1;
    bind(m, s);
    EXPECT_EQ(sample(m, (2.5f + 100.75f / 256) / 8, 0.5f / 8),
              2 + (truncates ? 100.0f : 101.0f) / 256 + 1);
  }
}

TEST(GoldenSample, BilinearWeightsHaveEightBits) {
  Bench m;
  two_levels(m);
  SamplerFields s;
  s.mag = 1;
  bind(m, s);
  // x = 2.75: weights 1/4 and 3/4 of texels 2 and 3; y = 1.5: exactly between 1 and 2.
  EXPECT_EQ(sample(m, 3.25f / 8, 2.0f / 8), 10 * 1.5f + 2.75f + 1);
  // 2 + 100 / 256 and a little less than half of 1/256: rounded away.
  EXPECT_EQ(sample(m, (2.5f + 100.49f / 256) / 8, 0.5f / 8), 2 + 100.0f / 256 + 1);
  EXPECT_EQ(sample(m, (2.5f + 100.51f / 256) / 8, 0.5f / 8), 2 + 101.0f / 256 + 1);
  // Past the edge the last texel counts twice.
  EXPECT_EQ(sample(m, 0.0f, 0.5f / 8), 1.0f);
  EXPECT_EQ(sample(m, 1.0f, 0.5f / 8), 8.0f);
  // Minimum and maximum of the texels that count.
  s.filter_mode = 1;
  bind(m, s);
  EXPECT_EQ(sample(m, 3.25f / 8, 2.0f / 8), texel(0, 2, 1));
  s.filter_mode = 2;
  bind(m, s);
  EXPECT_EQ(sample(m, 3.25f / 8, 2.0f / 8), texel(0, 3, 2));
  EXPECT_EQ(sample(m, 3.5f / 8, 2.5f / 8), texel(0, 3, 2));
}

TEST(GoldenSample, BetweenLevels) {
  Bench m;
  two_levels(m);
  SamplerFields s;
  s.mip = 2;
  bind(m, s);
  m.wave.state.s.set_exec(1);
  m.wave.v[2][0] = bits_of(0.0625f);
  m.wave.v[3][0] = bits_of(0.0625f);
  for (float lod : {0.0f, 0.25f, 0.5f, 1.0f, 7.0f, -3.0f}) {
    m.wave.v[4][0] = bits_of(lod);
    m.run(image("image_sample_l"));
    EXPECT_EQ(as_float(m.wave.v[20][0]), 1 + 100 * std::clamp(lod, 0.0f, 1.0f)) << lod;
  }
  // The sampler's and the image's limits, in levels and 256ths.
  m.wave.v[4][0] = bits_of(0.0f);
  s.min_lod = 128;
  bind(m, s);
  m.run(image("image_sample_l"));
  EXPECT_EQ(as_float(m.wave.v[20][0]), 51.0f);
  s.min_lod = 0;
  s.max_lod = 64;
  bind(m, s);
  m.wave.v[4][0] = bits_of(1.0f);
  m.run(image("image_sample_l"));
  EXPECT_EQ(as_float(m.wave.v[20][0]), 26.0f);
  s.max_lod = 15 << 8;
  s.mip = 0;  // only the first level
  bind(m, s);
  m.run(image("image_sample_l"));
  EXPECT_EQ(as_float(m.wave.v[20][0]), 1.0f);
}

TEST(GoldenSample, LevelOfDetail) {
  Bench m;
  two_levels(m);
  SamplerFields s;
  s.lod_bias = -64;
  bind(m, s);
  // Texels per step, and log2 of it rounded down to 256ths: log2(3) = 1.58496, 405.75 / 256;
  // log2(sqrt(5)) = 1.16096, 297.2 / 256.
  struct Case {
    float dx, dy;
    int lod;
  };
  for (const Case& c : {Case{1, 0, 0}, Case{4, 0, 512}, Case{0.5f, 0, -256}, Case{3, 0, 405},
                        Case{1, 2, 297}, Case{0, 3, 405}}) {
    for (unsigned lane = 0; lane < 4; ++lane) {
      m.wave.v[2][lane] = bits_of(lane == 1 ? c.dx / 8 : 0.0f);
      m.wave.v[3][lane] = bits_of(lane == 1 ? c.dy / 8 : 0.0f);
    }
    m.wave.state.s.set_exec(8);
    m.run(image("image_get_lod", 3));
    EXPECT_EQ(as_float(m.wave.v[21][3]) * 256, static_cast<float>(c.lod - 64)) << c.dx << c.dy;
    EXPECT_EQ(as_float(m.wave.v[20][3]) * 256, static_cast<float>(std::max(0, c.lod - 64)));
  }
}

TEST(GoldenSample, ClampModes) {
  // Texel index -1 by mode, point filter, on eight texels: from positions in texels. -1: border.
  struct Case {
    unsigned mode;
    std::vector<std::pair<float, int>> points;
  };
  const Case cases[] = {
      {0, {{-0.5f, 7}, {8.5f, 0}, {-8.5f, 7}, {19.5f, 3}}},
      {1, {{-0.5f, 0}, {-7.5f, 7}, {-8.5f, 7}, {8.5f, 7}, {15.5f, 0}, {16.5f, 0}}},
      {2, {{-0.5f, 0}, {-100.f, 0}, {8.5f, 7}}},
      {3, {{-0.5f, 0}, {-2.5f, 2}, {-20.f, 7}, {9.f, 7}}},
      {4, {{-0.5f, 0}, {8.5f, 7}, {3.5f, 3}}},
      {5, {{-2.5f, 2}, {-20.f, 7}, {9.f, 7}}},
      {6, {{-0.5f, -1}, {8.5f, -1}, {7.5f, 7}}},
      {7, {{-0.5f, 0}, {-2.5f, 2}, {-8.5f, -1}, {8.5f, -1}}},
  };
  for (const Case& c : cases) {
    Bench m;
    two_levels(m);
    SamplerFields s;
    s.clamp[0] = c.mode;
    s.border = 2;  // white
    bind(m, s);
    for (const auto& [position, index] : c.points) {
      const float want = index < 0 ? 1.0f : static_cast<float>(index + 1 + 10);
      EXPECT_EQ(sample(m, position / 8, 1.5f / 8), want) << c.mode << ' ' << position;
    }
  }
  // Half of the border: at the edge half a texel of it comes in, and no more.
  Bench m;
  two_levels(m);
  SamplerFields s;
  s.clamp[0] = 4;
  s.mag = 1;
  bind(m, s);
  EXPECT_EQ(sample(m, -1.0f, 1.5f / 8), 11.0f / 2);
  EXPECT_EQ(sample(m, 0.25f / 8, 1.5f / 8), 11.0f * 3 / 4);
}

TEST(GoldenSample, BorderColors) {
  const float want[3][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}};
  for (unsigned type = 0; type < 3; ++type) {
    Bench m;
    Image i;
    i.base = m.base;
    i.data_format = 10;
    i.number_format = 0;
    i.select[0] = 6;  // the selection is the image's, not the border's
    bind(m, i);
    SamplerFields s;
    s.clamp[1] = 6;
    s.border = type;
    bind(m, s);
    m.wave.state.s.set_exec(1);
    m.wave.v[3][0] = bits_of(-1.0f);
    m.run(image("image_sample_lz", 15));
    for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(as_float(m.wave.v[20 + c][0]), want[type][c]);
  }
  Bench m;
  two_levels(m);
  SamplerFields s;
  s.border = 3;
  bind(m, s);
  EXPECT_EQ(m.refusal(image("image_sample")),
            "S# border color type (bits 127:126) 3: there is no border color table");
  s.border = 0;
  s.mag = 3;
  s.aniso = 2;
  bind(m, s);
  EXPECT_EQ(m.refusal(image("image_sample")),
            "S# max aniso ratio (bits 11:9) with an anisotropic filter: not modelled");
}

TEST(GoldenSample, CompareFunctions) {
  Bench m;
  two_levels(m);
  const float references[3] = {0.0f, 1.0f, 2.0f};  // against texel value 1
  const char* const passes[8] = {"000", "100", "010", "110", "001", "101", "011", "111"};
  for (unsigned function = 0; function < 8; ++function) {
    SamplerFields s;
    s.compare = function;
    bind(m, s);
    m.wave.state.s.set_exec(1);
    for (unsigned r = 0; r < 3; ++r) {
      m.wave.v[2][0] = bits_of(references[r]);
      m.wave.v[3][0] = m.wave.v[4][0] = bits_of(0.5f / 8);
      m.run(image("image_sample_c_lz"));
      EXPECT_EQ(as_float(m.wave.v[20][0]), passes[function][r] == '1' ? 1.0f : 0.0f)
          << function << ' ' << r;
    }
  }
  // Comparison comes before the filter: half of the texels pass.
  SamplerFields s;
  s.mag = 1;
  bind(m, s);
  m.wave.v[2][0] = bits_of(2.5f);  // less than texels 3, 4, ...
  m.wave.v[3][0] = bits_of(2.25f / 8);
  m.run(image("image_sample_c_lz"));
  EXPECT_EQ(as_float(m.wave.v[20][0]), 0.75f);
}

TEST(GoldenSample, UnnormalizedAndIntegers) {
  Bench m;
  Image i = two_levels(m);
  SamplerFields s;
  s.unnormalized = true;
  s.mag = 1;
  bind(m, s);
  EXPECT_EQ(sample(m, 3.0f, 2.5f), 20 + 2.5f + 1);
  // Integer texels are never blended.
  i.number_format = 4;
  bind(m, i);
  sample(m, 3.0f, 2.5f);
  EXPECT_EQ(m.wave.v[20][0], bits_of(24.0f));
}

TEST(GoldenSample, VolumesArraysCubes) {
  Bench m;
  for (uint32_t w = 0; w < 8 * 8 * 16; ++w) m.set_word(4 * w, bits_of(static_cast<float>(w)));
  Image i;
  i.base = m.base;
  i.depth = 4;
  i.type = 10;
  bind(m, i);
  SamplerFields s;
  s.mag = 1;
  bind(m, s);
  m.wave.state.s.set_exec(1);
  m.wave.v[2][0] = bits_of(2.5f / 8);
  m.wave.v[3][0] = bits_of(1.5f / 8);
  m.wave.v[4][0] = bits_of(1.75f / 4);  // between slices 1 and 2
  m.run(image("image_sample_lz"));
  EXPECT_EQ(as_float(m.wave.v[20][0]), (1.25f * 8 + 1) * 16 + 2);
  s.z = 1;
  bind(m, s);
  m.run(image("image_sample_lz"));
  EXPECT_EQ(as_float(m.wave.v[20][0]), (1.0f * 8 + 1) * 16 + 2);
  // Layers are rounded to nearest even and stop at the last one.
  i.type = 13;
  bind(m, i);
  const std::pair<float, int> layers[] = {{0.5f, 0}, {1.5f, 2}, {0.51f, 1}, {9.f, 3}, {-3.f, 0}};
  for (const auto& [layer, index] : layers) {
    m.wave.v[4][0] = bits_of(layer);
    Build b = image("image_sample_lz");
    b.i.mem.da = true;
    m.run(b);
    EXPECT_EQ(as_float(m.wave.v[20][0]), static_cast<float>((index * 8 + 1) * 16 + 2)) << layer;
  }
  // Cube: coordinates from 1 to 2, face and slice * 8.
  i.type = 11;
  i.depth = 8;
  bind(m, i);
  m.wave.v[2][0] = bits_of(1 + 2.5f / 8);
  m.wave.v[3][0] = bits_of(1 + 1.5f / 8);
  m.wave.v[4][0] = bits_of(8 + 1.0f);
  m.run(image("image_sample_lz"));
  EXPECT_EQ(as_float(m.wave.v[20][0]), static_cast<float>((7 * 8 + 1) * 16 + 2));
}

TEST(GoldenSample, SixteenBits) {
  Bench m;
  two_levels(m);
  bind(m, SamplerFields{});
  m.wave.state.s.set_exec(1);
  // Bias in its own register, then x and y in one: 0.3125 and 0.1875 as halves.
  m.wave.v[2][0] = 0xdead3c00;
  m.wave.v[3][0] = 0x3500u | 0x3200u << 16;
  for (unsigned lane = 1; lane < 4; ++lane) m.wave.v[3][lane] = m.wave.v[3][0];
  Build b = image("image_sample_b");
  b.i.mem.a16 = true;
  b.i.mem.d16 = true;
  m.run(b);
  // No step at all: far below 0 even with the bias.
  EXPECT_EQ(m.wave.v[20][0] & 0xffff, 0x4a80u);  // 13
  Build l = image("image_sample_l");
  l.i.mem.a16 = true;
  m.wave.v[2][0] = 0x3500u | 0x3200u << 16;
  m.wave.v[3][0] = 0x3c00;  // level 1
  m.run(l);
  EXPECT_EQ(as_float(m.wave.v[20][0]), 102.0f);
}

TEST(GoldenSample, WhatIsNotNeededIsNotFetched) {
  // The image ends where the memory does; a weight of 0 must not reach behind it.
  Bench m;
  Image i;
  i.width = i.height = 1;
  i.pitch = 64;
  i.base = m.base + Bench::kBytes - 256;
  bind(m, i);
  SamplerFields s;
  s.mag = 1;
  bind(m, s);
  m.set_word(Bench::kBytes - 256, bits_of(4.0f));
  EXPECT_EQ(sample(m, 0.5f, 0.5f), 4.0f);
  EXPECT_EQ(sample(m, NAN, INFINITY), 4.0f);
  EXPECT_EQ(m.reply.faulted, 0u);
}

}  // namespace
}  // namespace cuvette::golden::testing
