// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Elements of typed buffers and images: every data format with every number format it can have,
// against MPFR, exact integers and tables of all values of the small floats. The place of a
// component follows from the name of the format alone (MI100 ISA 9.1.2): most significant first.
#include <bit>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>

#include "wave/memory/texel.h"

namespace cuvette::wave::memory {
namespace {

struct Named {
  unsigned code;
  const char* name;
};
constexpr Named kFormats[] = {
    {1, "8"},        {2, "16"},           {3, "8_8"},        {4, "32"},           {5, "16_16"},
    {6, "10_11_11"}, {7, "11_11_10"},     {8, "10_10_10_2"}, {9, "2_10_10_10"},   {10, "8_8_8_8"},
    {11, "32_32"},   {12, "16_16_16_16"}, {13, "32_32_32"},  {14, "32_32_32_32"}, {16, "5_6_5"},
    {17, "1_5_5_5"}, {18, "5_5_5_1"},     {19, "4_4_4_4"},   {20, "8_24"},        {21, "24_8"},
    {57, "4_4"},     {58, "6_5_5"},
};

/// Widths, component R first.
std::vector<unsigned> widths_of(const std::string& name) {
  std::vector<unsigned> out;
  std::istringstream in(name);
  for (std::string part; std::getline(in, part, '_');) {
    out.insert(out.begin(), static_cast<unsigned>(std::stoul(part)));
  }
  return out;
}

/// The exact value of a float with five exponent bits and `fraction` fraction bits.
double small_float(uint32_t bits, unsigned fraction) {
  const uint32_t mantissa = bits & ((1u << fraction) - 1);
  const auto exponent = static_cast<int>(bits >> fraction & 31);
  const int f = static_cast<int>(fraction);
  if (exponent == 0) return std::ldexp(mantissa, 1 - 15 - f);
  if (exponent == 31) return mantissa == 0 ? HUGE_VAL : NAN;
  return std::ldexp(mantissa + (1u << fraction), exponent - 15 - f);
}
unsigned fraction_of(unsigned width) {
  return width == 16 ? 10 : width - 5;
}

/// Quotient rounded once to 24 bits.
float quotient(int64_t numerator, uint64_t denominator) {
  mpfr_t q;
  mpfr_init2(q, 24);
  mpfr_set_si(q, numerator, MPFR_RNDN);  // exact: at most 24 bits
  mpfr_div_ui(q, q, denominator, MPFR_RNDN);
  const float out = mpfr_get_flt(q, MPFR_RNDN);
  mpfr_clear(q);
  return out;
}

int64_t as_signed(uint32_t bits, unsigned width) {
  const int64_t top = int64_t{1} << (width - 1);
  return (int64_t{bits} ^ top) - top;
}

bool has_floats(const std::string& name, unsigned width) {
  return width == 16 || width == 32 || name == "10_11_11" || name == "11_11_10";
}

uint32_t expected(uint32_t bits, unsigned width, unsigned number) {
  if (width == 32) return bits;
  const uint64_t all = (uint64_t{1} << width) - 1;
  const int64_t top = width == 1 ? 1 : int64_t{1} << (width - 1);
  const int64_t value = as_signed(bits, width);
  switch (number) {
    case kUnorm:
      return std::bit_cast<uint32_t>(quotient(bits, all));
    case kSnorm: {
      const int64_t largest = width == 1 ? 1 : top - 1;
      return std::bit_cast<uint32_t>(
          quotient(std::max(value, -largest), static_cast<uint64_t>(largest)));
    }
    case kUscaled:
      return std::bit_cast<uint32_t>(static_cast<float>(bits));
    case kSscaled:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case kUint:
      return bits;
    case kSint:
      return static_cast<uint32_t>(value);
    default: {
      const double magnitude = small_float(width == 16 ? bits & 0x7fff : bits, fraction_of(width));
      const bool negative = width == 16 && (bits & 0x8000) != 0;
      return std::bit_cast<uint32_t>(static_cast<float>(negative ? -magnitude : magnitude));
    }
  }
}

std::vector<uint32_t> samples(unsigned width, std::mt19937& random) {
  std::vector<uint32_t> out;
  if (width <= 16) {
    for (uint32_t v = 0; v < 1u << width; ++v) out.push_back(v);
    return out;
  }
  const auto mask = static_cast<uint32_t>((uint64_t{1} << width) - 1);
  for (uint32_t v : {0u, 1u, mask, mask - 1, mask / 2, mask / 2 + 1}) out.push_back(v);
  for (int i = 0; i < 2000; ++i) out.push_back(static_cast<uint32_t>(random()) & mask);
  return out;
}

void put(uint32_t raw[4], unsigned shift, unsigned width, uint32_t value) {
  for (unsigned b = 0; b < width; ++b) {
    const unsigned at = shift + b;
    raw[at / 32] = (raw[at / 32] & ~(1u << at % 32)) | (value >> b & 1) << at % 32;
  }
}

constexpr unsigned kSeed = 20240611;

TEST(WaveTexel, EveryFormatDecodes) {
  std::mt19937 random(kSeed);
  unsigned formats = 0;
  uint64_t checked = 0;
  for (const Named& f : kFormats) {
    const std::vector<unsigned> widths = widths_of(f.name);
    const TexelLayout* layout = texel_layout(f.code);
    ASSERT_NE(layout, nullptr) << f.name;
    ASSERT_EQ(layout->components, widths.size()) << f.name;
    unsigned total = 0;
    for (unsigned w : widths) total += w;
    EXPECT_EQ(layout->bytes * 8u, total) << f.name;
    for (unsigned number : {0u, 1u, 2u, 3u, 4u, 5u, 7u}) {
      const bool legal = number != 7 || has_floats(f.name, widths[0]);
      EXPECT_EQ(*texel_reason(f.code, number, false) == '\0', legal) << f.name << ' ' << number;
      if (!legal) continue;
      ++formats;
      for (unsigned c = 0, shift = 0; c < widths.size(); shift += widths[c++]) {
        for (uint32_t bits : samples(widths[c], random)) {
          uint32_t raw[4];
          for (uint32_t& r : raw) r = static_cast<uint32_t>(random());
          put(raw, shift, widths[c], bits);
          uint32_t out[4] = {};
          decode_texel(f.code, number, raw, out);
          const uint32_t want = expected(bits, widths[c], number);
          ++checked;
          if (number == 7 && std::isnan(std::bit_cast<float>(want)) && widths[c] != 32) {
            EXPECT_TRUE(std::isnan(std::bit_cast<float>(out[c]))) << f.name << ' ' << bits;
          } else {
            ASSERT_EQ(out[c], want) << f.name << " number format " << number << " component " << c
                                    << " bits " << bits << " seed " << kSeed;
          }
        }
      }
    }
  }
  std::printf("texels: %u pairs of formats, %llu values decoded\n", formats,
              static_cast<unsigned long long>(checked));
}

TEST(WaveTexel, DepthWithStencil) {
  // X24_8_32: 32 bits of depth, 8 of stencil, 24 unused.
  const uint32_t raw[4] = {0x3f123456, 0xabcdef80};
  uint32_t out[4] = {};
  decode_texel(22, kFloat, raw, out);
  EXPECT_EQ(out[0], 0x3f123456u);
  EXPECT_EQ(out[1], 0x80u);
}

TEST(WaveTexel, SharedExponent) {
  EXPECT_STREQ(texel_reason(34, kFloat, false), "");
  for (uint32_t exponent = 0; exponent < 32; ++exponent) {
    for (uint32_t mantissa = 0; mantissa < 512; ++mantissa) {
      const uint32_t raw[4] = {exponent << 27 | (511 - mantissa) << 18 | 5u << 9 | mantissa};
      uint32_t out[4] = {};
      decode_texel(34, kFloat, raw, out);
      const int e = static_cast<int>(exponent) - 15 - 9;
      EXPECT_EQ(std::bit_cast<float>(out[0]), std::ldexp(mantissa, e));
      EXPECT_EQ(std::bit_cast<float>(out[1]), std::ldexp(5, e));
      EXPECT_EQ(std::bit_cast<float>(out[2]), std::ldexp(511 - mantissa, e));
    }
  }
}

TEST(WaveTexel, Srgb) {
  mpfr_t x, y;
  mpfr_inits2(200, x, y, static_cast<mpfr_ptr>(nullptr));
  for (uint32_t code = 0; code < 256; ++code) {
    mpfr_set_ui(x, code, MPFR_RNDN);
    mpfr_div_ui(x, x, 255, MPFR_RNDN);
    mpfr_set_str(y, "0.04045", 10, MPFR_RNDN);
    if (mpfr_lessequal_p(x, y)) {
      mpfr_set_str(y, "12.92", 10, MPFR_RNDN);
      mpfr_div(x, x, y, MPFR_RNDN);
    } else {
      mpfr_set_str(y, "0.055", 10, MPFR_RNDN);
      mpfr_add(x, x, y, MPFR_RNDN);
      mpfr_set_str(y, "1.055", 10, MPFR_RNDN);
      mpfr_div(x, x, y, MPFR_RNDN);
      mpfr_set_str(y, "2.4", 10, MPFR_RNDN);
      mpfr_pow(x, x, y, MPFR_RNDN);
    }
    const uint32_t raw[4] = {code * 0x01010101u};
    uint32_t out[4] = {};
    decode_texel(10, kSrgb, raw, out);
    for (unsigned c = 0; c < 3; ++c) {
      EXPECT_EQ(std::bit_cast<float>(out[c]), mpfr_get_flt(x, MPFR_RNDN)) << code;
    }
    EXPECT_EQ(std::bit_cast<float>(out[3]), quotient(code, 255)) << code;  // alpha is linear
  }
  mpfr_clears(x, y, static_cast<mpfr_ptr>(nullptr));
}

/// x * scale to the nearest integer, ties to even, saturated.
int64_t scaled(float x, uint64_t scale, int64_t lowest, int64_t highest) {
  if (std::isnan(x)) return 0;
  mpfr_t p;
  mpfr_init2(p, 120);
  mpfr_set_flt(p, x, MPFR_RNDN);
  mpfr_mul_ui(p, p, scale, MPFR_RNDN);
  mpfr_rint(p, p, MPFR_RNDN);
  int64_t out = mpfr_cmp_si(p, lowest) < 0    ? lowest
                : mpfr_cmp_si(p, highest) > 0 ? highest
                                              : mpfr_get_si(p, MPFR_RNDN);
  mpfr_clear(p);
  return out;
}

std::vector<float> floats(std::mt19937& random) {
  std::vector<float> out = {0.f,     -0.f,    1.f,       -1.f,       0.5f,    -0.5f,   2.f,
                            -2.f,    1e-40f,  HUGE_VALF, -HUGE_VALF, NAN,     65504.f, 65520.f,
                            65519.f, 6e-8f,   3e-8f,     2.5f,       3.5f,    -2.5f,   300.f,
                            -300.f,  65024.f, 64512.f,   65535.f,    7.5e-7f, 1e9f};
  for (int i = 0; i < 3000; ++i) {
    out.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
    out.push_back(std::ldexp(static_cast<float>(random() & 0xffffff), -24));
    out.push_back(std::ldexp(static_cast<float>(random() & 0xffffff), -8) - 30000.f);
  }
  return out;
}

/// The float of `width` bits nearest to x, ties to the even pattern; past the largest by half a
/// step or more it is infinity. Searches all values.
uint32_t nearest_float(float x, unsigned width) {
  const unsigned fraction = fraction_of(width);
  const uint32_t infinity = 31u << fraction;
  const bool sign = width == 16 && std::signbit(x);
  if (!sign && std::signbit(x)) return 0;
  const double v = std::fabs(static_cast<double>(x));
  uint32_t low = 0, high = infinity - 1;
  const double limit = small_float(high, fraction) +
                       (small_float(high, fraction) - small_float(high - 1, fraction)) / 2;
  uint32_t best = infinity;
  if (v < limit) {
    while (low < high) {  // the largest value not above v
      const uint32_t middle = (low + high + 1) / 2;
      if (small_float(middle, fraction) <= v) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    best = low;
    if (low + 1 < infinity) {
      const double below = v - small_float(low, fraction);
      const double above = small_float(low + 1, fraction) - v;
      if (above < below || (above == below && low % 2 == 1)) best = low + 1;
    }
  }
  return best | (sign ? 0x8000u : 0u);
}

TEST(WaveTexel, EveryFormatEncodes) {
  std::mt19937 random(kSeed);
  const std::vector<float> values = floats(random);
  uint64_t checked = 0;
  for (const Named& f : kFormats) {
    const std::vector<unsigned> widths = widths_of(f.name);
    for (unsigned number : {0u, 1u, 2u, 3u, 4u, 5u, 7u}) {
      if (*texel_reason(f.code, number, true) != '\0') continue;
      for (float x : values) {
        const auto bits = std::bit_cast<uint32_t>(x);
        const uint32_t in[4] = {bits, bits, bits, bits};
        uint32_t raw[4] = {~0u, ~0u, ~0u, ~0u};
        encode_texel(f.code, number, in, raw);
        uint32_t want[4] = {};
        bool any_nan = false;
        for (unsigned c = 0, shift = 0; c < widths.size(); shift += widths[c++]) {
          const unsigned w = widths[c];
          const int64_t all = static_cast<int64_t>((uint64_t{1} << w) - 1), half = all / 2;
          uint32_t code = bits;
          if (w == 32) {
          } else if (number == kUnorm) {
            code = static_cast<uint32_t>(scaled(x, static_cast<uint64_t>(all), 0, all));
          } else if (number == kSnorm) {
            const int64_t largest = w == 1 ? 1 : half;
            const int64_t lowest = -largest, highest = w == 1 ? 0 : half;
            code =
                static_cast<uint32_t>(scaled(x, static_cast<uint64_t>(largest), lowest, highest));
          } else if (number == kUscaled) {
            code = static_cast<uint32_t>(scaled(x, 1, 0, all));
          } else if (number == kSscaled) {
            code = static_cast<uint32_t>(scaled(x, 1, -half - 1, half));
          } else if (number == kUint) {
            code = bits > static_cast<uint64_t>(all) ? static_cast<uint32_t>(all) : bits;
          } else if (number == kSint) {
            const int64_t v = static_cast<int32_t>(bits);
            code = static_cast<uint32_t>(std::min(std::max(v, -half - 1), half));
          } else if (std::isnan(x)) {
            any_nan = true;
          } else {
            code = nearest_float(x, w);
          }
          put(want, shift, w, code);
        }
        ++checked;
        if (any_nan) {
          uint32_t back[4] = {};
          decode_texel(f.code, number, raw, back);
          EXPECT_TRUE(std::isnan(std::bit_cast<float>(back[0]))) << f.name;
          continue;
        }
        for (unsigned d = 0; d < 4; ++d) {
          ASSERT_EQ(raw[d], want[d])
              << f.name << " number format " << number << " of " << x << " seed " << kSeed;
        }
      }
    }
  }
  std::printf("texels: %llu elements encoded\n", static_cast<unsigned long long>(checked));
}

TEST(WaveTexel, SixteenBitRegisters) {
  EXPECT_EQ(texel_to_16(0x3f800000, kUnorm), 0x3c00u);
  EXPECT_EQ(texel_to_16(0x12345678, kUint), 0x5678u);
  EXPECT_EQ(texel_from_16(0xffff3c00, kFloat), 0x3f800000u);
  EXPECT_EQ(texel_from_16(0x8001, kSint), 0xffff8001u);
  EXPECT_EQ(texel_from_16(0x8001, kUint), 0x8001u);
}

TEST(WaveTexel, WhatIsNoElement) {
  EXPECT_STREQ(texel_reason(15, kUnorm, false),
               "reserved data format in the descriptor or instruction");
  EXPECT_STREQ(texel_reason(35, kUnorm, false),
               "compressed or subsampled data format in the descriptor");
  EXPECT_STREQ(texel_reason(10, 6, false),
               "reserved number format in the descriptor or instruction");
  EXPECT_STREQ(texel_reason(10, kFloat, false),
               "number format float of a data format without floats");
  EXPECT_STREQ(texel_reason(10, kSrgb, true), "number format srgb cannot be stored");
  EXPECT_STREQ(texel_reason(34, kFloat, true), "data format 5_9_9_9 cannot be stored");
}

}  // namespace
}  // namespace cuvette::wave::memory
