// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Images and samplers on the interpreter. Elements are written as bytes and expected values worked
// out from HSAIL PRM 7.1: exact fractions, or bounds where the PRM gives bounds.
#include <cmath>

#include "hsail_image_bench.h"

namespace cuvette::hsail {
namespace {

using testing::as_float;
using testing::Bench;
using testing::bits_of;
using testing::kGeometryNames;
using testing::Ledger;
using testing::number_of;

/// Coordinates in $s8.. as the geometry wants them.
std::string coordinates(ImageGeometry g) {
  const unsigned count = image_coordinates(g);
  return count == 1 ? "$s8" : count == 2 ? "($s8, $s9)" : "($s8, $s9, $s10)";
}
std::string data_registers(ImageGeometry g) {
  return is_depth_image(g) ? "$s0" : "($s0, $s1, $s2, $s3)";
}
std::string mnemonic(const std::string& op, ImageGeometry g, const std::string& types) {
  return op + (is_depth_image(g) ? "_" : "_v4_") + kGeometryNames[number_of(g)] + "_" + types;
}

/// A float image of the geometry whose element at (x, y, slice) is x + 10 y + 100 slice.
Bench numbered(ImageGeometry g) {
  const bool depth = is_depth_image(g);
  Bench b(g, depth ? ChannelOrder::kDepth : ChannelOrder::kR, ChannelType::kFloat, 5,
          image_dimensions(g) >= 2 ? 4 : 1, image_dimensions(g) == 3 ? 3 : 1,
          is_image_array(g) ? 3 : 1);
  for (uint32_t slice = 0; slice < b.image.depth * b.image.array; ++slice) {
    for (uint32_t y = 0; y < b.image.height; ++y) {
      for (uint32_t x = 0; x < 5; ++x) {
        const float value = static_cast<float>(x + 10 * y + 100 * slice);
        std::memcpy(b.element(x, y, slice), &value, 4);
      }
    }
  }
  return b;
}

/// The coordinates (3, 2, 1) as far as the geometry has them, and the number there.
struct Spot {
  std::vector<uint32_t> at;
  float value;
};
Spot spot(ImageGeometry g) {
  Spot s{{3}, 3};
  if (image_dimensions(g) >= 2) {
    s.at.push_back(2);
    s.value += 20;
  }
  if (image_dimensions(g) == 3 || is_image_array(g)) {
    s.at.push_back(1);
    s.value += 100;
  }
  return s;
}

TEST(Image, LoadsOfEveryGeometry) {
  for (unsigned n = 0; n < 8; ++n) {
    const auto g = static_cast<ImageGeometry>(n);
    SCOPED_TRACE(kGeometryNames[n]);
    const Spot s = spot(g);
    for (const std::string type : {"roimg", "rwimg"}) {
      Bench b = numbered(g);
      const auto r = b.run(mnemonic("ldimage", g, "f32_" + type + "_u32") + " " +
                               data_registers(g) + ", $d1, " + coordinates(g) + ";",
                           s.at, {}, type);
      ASSERT_EQ(r.error, "");
      EXPECT_EQ(r.undefined, 0u);
      EXPECT_EQ(as_float(r.words[0]), s.value);
      if (is_depth_image(g)) continue;
      EXPECT_EQ(as_float(r.words[1]), 0);
      EXPECT_EQ(as_float(r.words[2]), 0);
      EXPECT_EQ(as_float(r.words[3]), 1);
    }
    if (!HasFailure()) Ledger::cover("HI-" + std::to_string(222 + n));
  }
  if (!HasFailure()) Ledger::cover("HL-210 HL-229");
}

TEST(Image, ReadsOfEveryGeometry) {
  unsigned row = 215;
  for (unsigned n = 0; n < 8; ++n) {
    const auto g = static_cast<ImageGeometry>(n);
    if (g == ImageGeometry::k1db) continue;
    SCOPED_TRACE(kGeometryNames[n]);
    const Spot s = spot(g);
    for (const std::string type : {"s32", "f32"}) {
      Bench b = numbered(g);
      std::vector<uint32_t> at = s.at;
      for (uint32_t& c : at) c = type == "f32" ? bits_of(static_cast<float>(c) + 0.25f) : c;
      const auto r = b.run(mnemonic("rdimage", g, "f32_roimg_" + type) + " " + data_registers(g) +
                               ", $d1, $d2, " + coordinates(g) + ";",
                           at);
      ASSERT_EQ(r.error, "");
      EXPECT_EQ(r.undefined, 0u);
      EXPECT_EQ(as_float(r.words[0]), s.value);
    }
    if (!HasFailure()) Ledger::cover("HI-" + std::to_string(row));
    ++row;
  }
}

TEST(Image, StoresOfEveryGeometry) {
  for (unsigned n = 0; n < 8; ++n) {
    const auto g = static_cast<ImageGeometry>(n);
    SCOPED_TRACE(kGeometryNames[n]);
    const Spot s = spot(g);
    for (const std::string type : {"woimg", "rwimg"}) {
      Bench b = numbered(g);
      const std::vector<uint8_t> before = b.data;
      const auto r =
          b.run("mov_b32 $s0, 0f44424000;\n" + mnemonic("stimage", g, "f32_" + type + "_u32") +
                    " " + data_registers(g) + ", $d1, " + coordinates(g) + ";",
                s.at, {}, type);
      ASSERT_EQ(r.error, "");
      EXPECT_EQ(r.undefined, 0u);
      Bench expected = numbered(g);
      const float value = 777;
      std::memcpy(expected.element(s.at[0], image_dimensions(g) >= 2 ? 2 : 0,
                                   image_dimensions(g) == 3 || is_image_array(g) ? 1 : 0),
                  &value, 4);
      EXPECT_EQ(b.data, expected.data);
      EXPECT_NE(b.data, before);
    }
    if (!HasFailure()) Ledger::cover("HI-" + std::to_string(230 + n));
  }
}

// --- Formats (7.1.4) ---

struct Format {
  const char* ids;
  ChannelOrder order;
  ChannelType channel;
  std::vector<uint8_t> element;
  std::array<double, 4> expected;  ///< of r, g, b, a
};

const Format kFormats[] = {
    {"HL-211 HL-220",
     ChannelOrder::kRgba,
     ChannelType::kUnorm8,
     {0, 51, 102, 255},
     {0, 0.2, 0.4, 1}},
    {"", ChannelOrder::kBgra, ChannelType::kUnorm8, {0, 51, 102, 255}, {0.4, 0.2, 0, 1}},
    {"", ChannelOrder::kArgb, ChannelType::kUnorm8, {0, 51, 102, 255}, {0.2, 0.4, 1, 0}},
    {"", ChannelOrder::kAbgr, ChannelType::kUnorm8, {0, 51, 102, 255}, {1, 0.4, 0.2, 0}},
    {"", ChannelOrder::kA, ChannelType::kUnorm8, {51}, {0, 0, 0, 0.2}},
    {"", ChannelOrder::kR, ChannelType::kUnorm16, {0x33, 0x33}, {0.2, 0, 0, 1}},
    {"HL-212", ChannelOrder::kRx, ChannelType::kUnorm8, {255}, {1, 0, 0, 1}},
    {"", ChannelOrder::kRg, ChannelType::kUnorm8, {51, 102}, {0.2, 0.4, 0, 1}},
    {"", ChannelOrder::kRgx, ChannelType::kUnorm8, {51, 102}, {0.2, 0.4, 0, 1}},
    {"", ChannelOrder::kRa, ChannelType::kUnorm8, {51, 102}, {0.2, 0, 0, 0.4}},
    {"HL-221", ChannelOrder::kRgba, ChannelType::kSnorm8, {0x80, 0x81, 0x7f, 0}, {-1, -1, 1, 0}},
    {"", ChannelOrder::kRg, ChannelType::kSnorm16, {0x01, 0x80, 0xff, 0x7f}, {-1, 1, 0, 1}},
    {"HL-223", ChannelOrder::kRgb, ChannelType::kUnorm565, {0x1f, 0xf8}, {1, 0, 1, 1}},
    {"", ChannelOrder::kRgb, ChannelType::kUnorm565, {0xe0, 0x07}, {0, 1, 0, 1}},
    {"", ChannelOrder::kRgbx, ChannelType::kUnorm555, {0xe0, 0x83}, {0, 1, 0, 1}},
    {"", ChannelOrder::kRgb, ChannelType::kUnorm555, {0x00, 0x7c}, {1, 0, 0, 1}},
    {"", ChannelOrder::kRgb, ChannelType::kUnorm101010, {0xff, 0x03, 0xf0, 0xff}, {1, 0, 1, 1}},
    {"HL-222 HL-213", ChannelOrder::kSrgba, ChannelType::kUnorm8, {0, 255, 0, 51}, {0, 1, 0, 0.2}},
    {"", ChannelOrder::kSbgra, ChannelType::kUnorm8, {255, 0, 0, 255}, {0, 0, 1, 1}},
    {"", ChannelOrder::kSrgb, ChannelType::kUnorm8, {255, 0, 255}, {1, 0, 1, 1}},
    {"HL-217", ChannelOrder::kR, ChannelType::kHalf, {0x00, 0xbe}, {-1.5, 0, 0, 1}},
    {"HL-216",
     ChannelOrder::kRg,
     ChannelType::kFloat,
     {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc1},
     {1, -10, 0, 1}},
    {"", ChannelOrder::kIntensity, ChannelType::kUnorm8, {51}, {0.2, 0.2, 0.2, 0.2}},
    {"", ChannelOrder::kLuminance, ChannelType::kUnorm8, {51}, {0.2, 0.2, 0.2, 1}},
};

TEST(Image, FormatsOfFloatAccess) {
  for (const Format& f : kFormats) {
    SCOPED_TRACE(std::string(name(f.order)) + " " + std::string(name(f.channel)));
    Bench b(ImageGeometry::k1d, f.order, f.channel, 3);
    ASSERT_EQ(b.element_bytes(), f.element.size());
    std::copy(f.element.begin(), f.element.end(), b.element(1));
    for (const bool half : {false, true}) {
      const auto r = b.run(std::string("ldimage_v4_1d_") + (half ? "f16" : "f32") +
                               "_roimg_u32 ($s0, $s1, $s2, $s3), $d1, 1;",
                           {});
      ASSERT_EQ(r.error, "");
      EXPECT_EQ(r.undefined, 0u);
      for (size_t i = 0; i < 4; ++i) {
        const double expected = f.expected[i];
        if (half) {
          // 0.2 and 0.4 to 11 bits, by hand.
          const uint32_t bits = expected == 0      ? 0u
                                : expected == 0.2  ? 0x3266u
                                : expected == 0.4  ? 0x3666u
                                : expected == 1    ? 0x3c00u
                                : expected == -1   ? 0xbc00u
                                : expected == -1.5 ? 0xbe00u
                                                   : 0xc900u;
          EXPECT_NEAR(r.words[i] & 0xffff, bits, std::floor(expected) == expected ? 0 : 1) << i;
          continue;
        }
        const float value = as_float(r.words[i]);
        // 1.5 ULP, and exact at the ends (7.1.4.2).
        const double bound = std::floor(expected) == expected ? 0 : 1.5 * std::ldexp(1, -26);
        EXPECT_NEAR(value, expected, bound) << i;
      }
    }
    if (!HasFailure()) Ledger::cover(f.ids);
  }
}

/// Between the values of the neighbouring steps on either side (7.1.4.1.2).
TEST(Image, SrgbIsWithinHalfAStep) {
  const auto linear = [](double s) {
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
  };
  Bench b(ImageGeometry::k1d, ChannelOrder::kSrgba, ChannelType::kUnorm8, 256);
  for (unsigned i = 0; i < 256; ++i) *b.element(i) = static_cast<uint8_t>(i);
  for (unsigned i = 0; i < 256; i += 5) {
    const auto r = b.run("ldimage_v4_1d_f32_roimg_u32 ($s0, $s1, $s2, $s3), $d1, $s8;", {i});
    const float value = as_float(r.words[0]);
    EXPECT_GE(value, std::max(0.0, linear((i - 0.5) / 255))) << i;
    EXPECT_LE(value, std::min(1.0, linear((i + 0.5) / 255))) << i;
  }
  // And written again it is the same step.
  Bench w(ImageGeometry::k1d, ChannelOrder::kSrgba, ChannelType::kUnorm8, 256);
  for (unsigned i = 0; i < 256; i += 51) {
    const auto back = static_cast<float>(linear(i / 255.0));
    const auto r = w.run(
        "mov_b32 $s0, $s9; mov_b32 $s3, 0f3f800000;\n"
        "stimage_v4_1d_f32_woimg_u32 ($s0, $s1, $s2, $s3), $d1, $s8;",
        {i, bits_of(back)}, {}, "woimg");
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(*w.element(i), i);
  }
}

TEST(Image, IntegerAccess) {
  const struct {
    const char* ids;
    ChannelType channel;
    const char* type;
    std::vector<uint8_t> element;
    uint32_t expected;
    uint32_t stored;
    std::vector<uint8_t> written;
  } cases[] = {
      {"HL-219", ChannelType::kSigned8, "s32", {0x80}, 0xffffff80, 300, {0x7f}},
      {"", ChannelType::kSigned8, "s32", {0x7f}, 0x7f, static_cast<uint32_t>(-300), {0x80}},
      {"", ChannelType::kSigned16, "s32", {0x00, 0x80}, 0xffff8000, 40000, {0xff, 0x7f}},
      {"HL-215",
       ChannelType::kSigned32,
       "s32",
       {1, 2, 3, 0x84},
       0x84030201,
       0x80000000,
       {0, 0, 0, 0x80}},
      {"HL-218", ChannelType::kUnsigned8, "u32", {0xff}, 255, 256, {0xff}},
      {"", ChannelType::kUnsigned16, "u32", {0xff, 0xff}, 65535, 70000, {0xff, 0xff}},
      {"",
       ChannelType::kUnsigned32,
       "u32",
       {1, 2, 3, 0x84},
       0x84030201,
       0xffffffff,
       {0xff, 0xff, 0xff, 0xff}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(name(c.channel));
    Bench b(ImageGeometry::k1d, ChannelOrder::kR, c.channel, 2);
    std::copy(c.element.begin(), c.element.end(), b.element(1));
    const std::string type = c.type;
    const auto r = b.run("ldimage_v4_1d_" + type +
                             "_rwimg_u32 ($s0, $s1, $s2, $s3), $d1, 1;\n"
                             "stimage_v4_1d_" +
                             type + "_rwimg_u32 ($s9, $s9, $s9, $s9), $d1, 0;",
                         {0, c.stored}, {}, "rwimg");
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.words, (std::vector<uint32_t>{c.expected, 0, 0, 1}));
    EXPECT_EQ(std::vector<uint8_t>(b.element(0), b.element(1)), c.written);
    if (!HasFailure()) Ledger::cover(c.ids);
  }
}

/// Scaled and rounded to the nearest, ties to even; out of range clamped, NaN 0 (7.1.4.2).
TEST(Image, NormalizedWrites) {
  const struct {
    ChannelType channel;
    float value;
    uint32_t expected;
  } cases[] = {
      {ChannelType::kUnorm8, 0.2f, 51},         {ChannelType::kUnorm8, 1.5f, 255},
      {ChannelType::kUnorm8, -1.0f, 0},         {ChannelType::kUnorm8, NAN, 0},
      {ChannelType::kUnorm8, INFINITY, 255},    {ChannelType::kUnorm16, 0.5f, 32768},
      {ChannelType::kSnorm8, -1.0f, 0x81},      {ChannelType::kSnorm8, -2.0f, 0x80},
      {ChannelType::kSnorm8, 1.0f, 0x7f},       {ChannelType::kSnorm8, 0.5f, 64},
      {ChannelType::kSnorm16, -1.0f, 0x8001},   {ChannelType::kHalf, 65504.0f, 0x7bff},
      {ChannelType::kFloat, -0.0f, 0x80000000},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(name(c.channel)) + " " + std::to_string(c.value));
    Bench b(ImageGeometry::k1d, ChannelOrder::kR, c.channel, 1);
    const auto r =
        b.run("stimage_v4_1d_f32_woimg_u32 ($s9, 0f40000000, 0f40000000, 0f40000000), $d1, 0;",
              {0, bits_of(c.value)}, {}, "woimg");
    ASSERT_EQ(r.error, "");
    uint32_t found = 0;
    std::memcpy(&found, b.element(0), b.element_bytes());
    EXPECT_EQ(found, c.expected);
  }
}

TEST(Image, DepthFormats) {
  const struct {
    ChannelOrder order;
    ChannelType channel;
    std::vector<uint8_t> element;
    float expected;
    float stored;
    std::vector<uint8_t> written;
  } cases[] = {
      {ChannelOrder::kDepth, ChannelType::kUnorm16, {0xff, 0xff}, 1, 0, {0, 0}},
      {ChannelOrder::kDepth, ChannelType::kUnorm24, {0xff, 0xff, 0xff}, 1, 0, {0, 0, 0}},
      {ChannelOrder::kDepth, ChannelType::kFloat, {0, 0, 0, 0x3f}, 0.5f, 2, {0, 0, 0, 0x40}},
      // The stencil stays.
      {ChannelOrder::kDepthStencil,
       ChannelType::kUnorm24,
       {0xff, 0xff, 0xff, 7},
       1,
       0,
       {0, 0, 0, 7}},
      {ChannelOrder::kDepthStencil,
       ChannelType::kFloat,
       {0, 0, 0, 0x3f, 9, 0, 0, 0},
       0.5f,
       2,
       {0, 0, 0, 0x40, 9, 0, 0, 0}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(name(c.order)) + " " + std::string(name(c.channel)));
    Bench b(ImageGeometry::k2dDepth, c.order, c.channel, 2, 2);
    std::copy(c.element.begin(), c.element.end(), b.element(1, 1));
    const auto r = b.run(
        "ldimage_2ddepth_f32_rwimg_u32 $s0, $d1, (1, 1);\n"
        "stimage_2ddepth_f32_rwimg_u32 $s9, $d1, (1, 1);",
        {0, bits_of(c.stored)}, {}, "rwimg");
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(as_float(r.words[0]), c.expected);
    EXPECT_EQ(std::vector<uint8_t>(b.element(1, 1), b.element(1, 1) + b.element_bytes()),
              c.written);
  }
  if (!HasFailure()) Ledger::cover("HL-214");
}

// --- Samplers (7.1.6) ---

hsa::Sampler sampler(SamplerCoord coord, SamplerFilter filter, SamplerAddressing addressing) {
  return {static_cast<uint8_t>(coord), static_cast<uint8_t>(filter),
          static_cast<uint8_t>(addressing)};
}

/// A 1D image of 4 elements 10, 20, 30, 40; -1 stands for the border, which is 0 with alpha 1.
TEST(Image, AddressingModes) {
  const auto edge = SamplerAddressing::kClampToEdge;
  const auto border = SamplerAddressing::kClampToBorder;
  const auto repeat = SamplerAddressing::kRepeat;
  const auto mirror = SamplerAddressing::kMirroredRepeat;
  const struct {
    SamplerAddressing mode;
    bool normalized;
    float coord;
    float expected;
  } cases[] = {
      {edge, false, 2.99f, 30},    {edge, false, -5, 10},       {edge, false, 4, 40},
      {edge, false, 1e9f, 40},     {border, false, 3.999f, 40}, {border, false, 4, -1},
      {border, false, -0.01f, -1}, {edge, true, 0.5f, 30},      {edge, true, 1.0f, 40},
      {edge, true, -0.25f, 10},    {border, true, 1.0f, -1},    {border, true, 0.999f, 40},
      {repeat, true, 1.25f, 20},   {repeat, true, -0.25f, 40},  {repeat, true, 7.5f, 30},
      {mirror, true, 1.25f, 30},   {mirror, true, -0.125f, 10}, {mirror, true, 2.125f, 10},
      {mirror, true, 1.99f, 10},   {mirror, true, -0.75f, 30},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(name(c.mode)) + " " + std::to_string(c.coord));
    Bench b(ImageGeometry::k1d, ChannelOrder::kR, ChannelType::kFloat, 4);
    for (uint32_t i = 0; i < 4; ++i) {
      const float value = 10.0f * static_cast<float>(i + 1);
      std::memcpy(b.element(i), &value, 4);
    }
    const auto r = b.run(
        "rdimage_v4_1d_f32_roimg_f32 ($s0, $s1, $s2, $s3), $d1, $d2, $s8;", {bits_of(c.coord)},
        sampler(c.normalized ? SamplerCoord::kNormalized : SamplerCoord::kUnnormalized,
                SamplerFilter::kNearest, c.mode));
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.undefined, 0u);
    EXPECT_EQ(as_float(r.words[0]), c.expected == -1 ? 0 : c.expected);
    EXPECT_EQ(as_float(r.words[3]), 1);
  }
  // x-forms have a transparent border.
  Bench b(ImageGeometry::k1d, ChannelOrder::kRx, ChannelType::kFloat, 4);
  const auto r = b.run("rdimage_v4_1d_f32_roimg_s32 ($s0, $s1, $s2, $s3), $d1, $d2, -1;", {},
                       sampler(SamplerCoord::kUnnormalized, SamplerFilter::kNearest, border));
  EXPECT_EQ(r.words, (std::vector<uint32_t>{0, 0, 0, 0}));
  if (!HasFailure()) Ledger::cover("HL-225 HL-226 HL-228");
}

TEST(Image, LayersAreRoundedToEvenAndClamped) {
  const std::pair<float, float> cases[] = {{0.5f, 0}, {1.5f, 200}, {2.5f, 200},
                                           {9, 200},  {-3, 0},     {0.51f, 100}};
  for (const auto& [index, expected] : cases) {
    Bench b = numbered(ImageGeometry::k1da);
    const auto r = b.run("rdimage_v4_1da_f32_roimg_f32 ($s0, $s1, $s2, $s3), $d1, $d2, ($s9, $s8);",
                         {bits_of(index), 0});
    EXPECT_EQ(as_float(r.words[0]), expected) << index;
  }
}

/// Weights of quarters and halves: every value is exact.
TEST(Image, LinearFilter) {
  const auto edge = SamplerAddressing::kClampToEdge;
  const auto unnormalized = sampler(SamplerCoord::kUnnormalized, SamplerFilter::kLinear, edge);
  const auto normalized = sampler(SamplerCoord::kNormalized, SamplerFilter::kLinear, edge);
  const auto read = [](ImageGeometry g, std::vector<float> at, const hsa::Sampler& s) {
    Bench b = numbered(g);
    std::vector<uint32_t> words;
    for (const float c : at) words.push_back(bits_of(c));
    const auto r = b.run(mnemonic("rdimage", g, "f32_roimg_f32") + " " + data_registers(g) +
                             ", $d1, $d2, " + coordinates(g) + ";",
                         words, s);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.undefined, 0u);
    return as_float(r.words[0]);
  };
  EXPECT_EQ(read(ImageGeometry::k1d, {1.75f}, unnormalized), 1.25f);
  EXPECT_EQ(read(ImageGeometry::k1d, {0.25f}, unnormalized), 0);  // both are element 0
  EXPECT_EQ(read(ImageGeometry::k1d, {4.75f}, unnormalized), 4);  // both are element 4
  EXPECT_EQ(read(ImageGeometry::k1d, {0.5f}, normalized), 2);     // 2.5 - 0.5
  EXPECT_EQ(read(ImageGeometry::k2d, {1.75f, 2.0f}, unnormalized), 1.25f + 15);
  EXPECT_EQ(read(ImageGeometry::k2dDepth, {1.75f, 2.0f}, unnormalized), 1.25f + 15);
  EXPECT_EQ(read(ImageGeometry::k3d, {1.75f, 2.0f, 1.25f}, unnormalized), 1.25f + 15 + 75);
  EXPECT_EQ(read(ImageGeometry::k2da, {1.75f, 2.0f, 1.25f}, unnormalized), 1.25f + 15 + 100);
  EXPECT_EQ(read(ImageGeometry::k2daDepth, {1.75f, 2.0f, 1.25f}, unnormalized), 116.25f);
  EXPECT_EQ(read(ImageGeometry::k1da, {1.75f, 1.25f}, unnormalized), 101.25f);
  // Half of the border colour.
  const auto border = sampler(SamplerCoord::kUnnormalized, SamplerFilter::kLinear,
                              SamplerAddressing::kClampToBorder);
  EXPECT_EQ(read(ImageGeometry::k1d, {5.0f}, border), 2);
  if (!HasFailure()) Ledger::cover("HL-227");
}

TEST(Image, Queries) {
  Bench b(ImageGeometry::k2da, ChannelOrder::kRgba, ChannelType::kUnsigned16, 7, 5, 1, 3);
  const auto query = [&](const std::string& what) {
    const auto r = b.run(what, {},
                         sampler(SamplerCoord::kNormalized, SamplerFilter::kLinear,
                                 SamplerAddressing::kMirroredRepeat));
    EXPECT_EQ(r.error, "");
    return r.words.at(0);
  };
  EXPECT_EQ(query("queryimage_2da_width_u32_roimg $s0, $d1;"), 7u);
  EXPECT_EQ(query("queryimage_2da_height_u32_roimg $s0, $d1;"), 5u);
  EXPECT_EQ(query("queryimage_2da_array_u32_roimg $s0, $d1;"), 3u);
  // 18.3.33: RGBA is 8; 18.3.34: UNSIGNED_INT16 is 12.
  EXPECT_EQ(query("queryimage_2da_channelorder_u32_roimg $s0, $d1;"), 8u);
  EXPECT_EQ(query("queryimage_2da_channeltype_u32_roimg $s0, $d1;"), 12u);
  // 18.3.37 to 18.3.39.
  EXPECT_EQ(query("querysampler_addressing_u32 $s0, $d2;"), 4u);
  EXPECT_EQ(query("querysampler_coord_u32 $s0, $d2;"), 1u);
  EXPECT_EQ(query("querysampler_filter_u32 $s0, $d2;"), 1u);
  Bench cube(ImageGeometry::k3d, ChannelOrder::kR, ChannelType::kFloat, 2, 3, 4);
  EXPECT_EQ(cube.run("queryimage_3d_depth_u32_roimg $s0, $d1;", {}).words.at(0), 4u);
  if (!HasFailure())
    Ledger::cover("HI-238 HI-239 HI-240 HI-241 HI-242 HI-243 HI-244 HI-245 HI-246");
}

/// Uses that 7.1.9 leaves undefined are noted; handles that are none stop the dispatch.
TEST(Image, UndefinedUses) {
  const auto uses = [](Bench b, const std::string& body, std::vector<uint32_t> in,
                       const hsa::Sampler& s = {}) {
    const auto r = b.run(body, in, s);
    EXPECT_EQ(r.error, "");
    return r.undefined;
  };
  const std::string load = "ldimage_v4_1d_f32_roimg_u32 ($s0, $s1, $s2, $s3), $d1, $s8;";
  const std::string read = "rdimage_v4_1d_f32_roimg_s32 ($s0, $s1, $s2, $s3), $d1, $d2, $s8;";
  EXPECT_EQ(uses(numbered(ImageGeometry::k1d), load, {4}), 0u);
  EXPECT_EQ(uses(numbered(ImageGeometry::k1d), load, {5}), 1u);
  EXPECT_EQ(uses(numbered(ImageGeometry::k2d), load, {0}), 1u) << "geometry";
  EXPECT_EQ(uses(numbered(ImageGeometry::k1d),
                 "ldimage_v4_1d_u32_roimg_u32 ($s0, $s1, $s2, $s3), $d1, $s8;", {0}),
            1u)
      << "access type";
  EXPECT_EQ(uses(numbered(ImageGeometry::k1d), read, {0},
                 sampler(SamplerCoord::kNormalized, SamplerFilter::kNearest,
                         SamplerAddressing::kClampToEdge)),
            1u)
      << "sampler";
  EXPECT_EQ(uses(numbered(ImageGeometry::k1d), read, {static_cast<uint32_t>(-1)}), 1u);
  EXPECT_EQ(
      uses(numbered(ImageGeometry::k1d),
           "rdimage_v4_1d_f32_roimg_f32 ($s0, $s1, $s2, $s3), $d1, $d2, $s8;", {bits_of(NAN)}),
      1u);
  Bench b = numbered(ImageGeometry::k1d);
  EXPECT_NE(b.run("mov_roimg $d1, $d4;\n" + load, {0}).error.find("no image handle"),
            std::string::npos);
  if (!HasFailure()) Ledger::cover("HL-232 HL-233");
}

}  // namespace
}  // namespace cuvette::hsail
