// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ip/valu/register_valu.h"
#include "ip/valu/valu_rtl.h"
#include "valu/lane_beat.h"
#include "valu_devices.h"
#include "valu_program.h"
#include "valu_vectors.h"

// Parameter Arch of rtl/valu: what the targets have beside gfx908 on values worked out by hand, the
// 8-bit floats against a search among all of them, and that each build has the instructions of its
// target and no others.
namespace cuvette {
namespace {

using isa::Target;

constexpr uint32_t kDefaultMode = 0x3f0;  // nearest even, subnormals kept, IEEE, DX10_CLAMP
constexpr uint32_t kFlushing = 0x300;     // subnormals flushed
constexpr uint32_t kFp16Ovfl = 1u << 23;
constexpr unsigned kInvalid = 1, kDenormal = 2, kOverflow = 8, kUnderflow = 16, kInexact = 32;
constexpr unsigned kLane = 4;

struct Case {
  Target target;
  const char* mnemonic;
  uint64_t src0, src1, src2, old;
  uint64_t dst;
  unsigned flags = 0;
  isa::Modifiers mod = {};
  uint32_t mode = kDefaultMode;
};

isa::Modifiers selects(unsigned op_sel, unsigned op_sel_hi = 0, unsigned neg = 0,
                       unsigned neg_hi = 0, bool clamp = false) {
  isa::Modifiers m;
  m.op_sel = static_cast<uint8_t>(op_sel);
  m.op_sel_hi = static_cast<uint8_t>(op_sel_hi);
  m.neg = static_cast<uint8_t>(neg);
  m.neg_hi = static_cast<uint8_t>(neg_hi);
  m.clamp = clamp;
  return m;
}
isa::Modifiers omod(unsigned by) {
  isa::Modifiers m;
  m.omod = static_cast<uint8_t>(by);
  return m;
}

constexpr uint64_t kTwoThree = 0x4040000040000000, kFourFive = 0x40a0000040800000,
                   kOneSeven = 0x40e000003f800000;

const std::vector<Case>& cases() {
  constexpr Target k900 = Target::Gfx900, k906 = Target::Gfx906, k908 = Target::Gfx908,
                   k90a = Target::Gfx90a, k942 = Target::Gfx942;
  static const std::vector<Case> table = {
      // 2 * 3 + 1, as binary32, as halves, into halves.
      {k900, "v_mad_mix_f32", 0x40000000, 0x40400000, 0x3f800000, 0, 0x40e00000},
      {k900, "v_mad_mix_f32", 0x40000000, 0x40400000, 0x3f800000, 0, 0x40e00000, 0, selects(1, 1)},
      {k900, "v_mad_mix_f32", 0xc0000000, 0x40400000, 0x3f800000, 0, 0x40e00000, 0,
       selects(0, 0, 0, 1)},
      {k900, "v_mad_mixlo_f16", 0x40000000, 0x40400000, 0x3f800000, 0x12340000, 0x12344700},
      {k900, "v_mad_mixhi_f16", 0x40000000, 0x40400000, 0x3f800000, 0x1234, 0x47001234},
      // (1 + 2^-12)^2 is a tie that goes to 1 + 2^-11: twice rounded, nothing is left.
      {k900, "v_mad_mix_f32", 0x3f800800, 0x3f800800, 0xbf801000, 0, 0, kInexact},
      {k906, "v_fma_mix_f32", 0x3f800800, 0x3f800800, 0xbf801000, 0, 0x33800000},
      // Subnormal numbers of binary32 are zeros, those of binary16 numbers.
      {k900, "v_mad_mix_f32", 0x00400000, 0x40000000, 0, 0, 0},
      {k906, "v_fma_mix_f32", 0x00400000, 0x40000000, 0, 0, 0x00800000, kDenormal},
      {k900, "v_mad_mix_f32", 0x0001, 0x3f800000, 0, 0, 0x33800000, kDenormal, selects(0, 1)},
      // A subnormal half is no result of it (D53), whatever MODE says; 2^-10 * 2^-10 of halves, and
      // what rounds up to the least normal number.
      {k900, "v_mad_mixlo_f16", 0x33800000, 0x3f800000, 0, 0xabcd1234, 0xabcd0000,
       kUnderflow | kInexact},
      {k900, "v_mad_mixhi_f16", 0xb3800000, 0x3f800000, 0, 0xabcd1234, 0x80001234,
       kUnderflow | kInexact},
      {k900, "v_mad_mixlo_f16", 0x1400, 0x1400, 0, 0xabcd0000, 0xabcd0000, kUnderflow | kInexact,
       selects(0, 3)},
      {k900, "v_mad_mixlo_f16", 0x387fffff, 0x3f800000, 0, 0, 0x0400, kInexact},
      {k906, "v_fma_mixlo_f16", 0x33800000, 0x3f800000, 0, 0xabcd0000, 0xabcd0001},
      {k900, "v_mad_mix_f32", 0x00800000, 0x3f000000, 0, 0, 0, kUnderflow | kInexact},
      {k906, "v_dot2_f32_f16", 0x40003c00, 0x44004200, 0x3f000000, 0, 0x41380000, 0, selects(0, 7)},
      // -2^-24 * 2^-14: halves that are subnormal count, but on gfx90a (D52), whatever MODE says.
      {k906, "v_dot2_f32_f16", 0x8001, 0x0400, 0, 0, 0xac800000, kDenormal, selects(0, 7)},
      {k906, "v_dot2_f32_f16", 0x8001, 0x0400, 0, 0, 0xac800000, kDenormal, selects(0, 7),
       kFlushing},
      {k908, "v_dot2c_f32_f16", 0x8001, 0x0400, 0, 0, 0xac800000, kDenormal},
      {k908, "v_dot2c_f32_f16", 0x8001, 0x0400, 0, 0, 0xac800000, kDenormal, {}, kFlushing},
      {k90a, "v_dot2_f32_f16", 0x8001, 0x0400, 0, 0, 0, 0, selects(0, 7)},
      {k90a, "v_dot2_f32_f16", 0x8001, 0x0400, 0, 0, 0, 0, selects(0, 7), kFlushing},
      {k90a, "v_dot2c_f32_f16", 0x8001, 0x0400, 0, 0, 0},
      {k942, "v_dot2_f32_f16", 0x8001, 0x0400, 0, 0, 0xac800000, kDenormal, selects(0, 7),
       kFlushing},
      {k942, "v_dot2c_f32_f16", 0x8001, 0x0400, 0, 0, 0xac800000, kDenormal, {}, kFlushing},
      // They become +0: +0 - 0 is +0, and so is what follows. A zero keeps its sign.
      {k90a, "v_dot2_f32_f16", 0x80008001, 0x04000400, 0x80000000, 0, 0, 0, selects(0, 7)},
      {k90a, "v_dot2_f32_f16", 0x80008000, 0x04000400, 0x80000000, 0, 0x80000000, 0, selects(0, 7)},
      // An addend too, on every target.
      {k906, "v_dot2_f32_f16", 0x80008000, 0x3c003c00, 0x80000001, 0, 0, 0, selects(0, 7)},
      {k908, "v_dot2c_f32_f16", 0, 0, 0, 0x007fffff, 0},
      {k90a, "v_dot2c_f32_f16", 0, 0, 0, 0x807fffff, 0},
      {k942, "v_dot2_f32_f16", 0x80008000, 0x3c003c00, 0x00000001, 0, 0, 0, selects(0, 7, 4)},
      {k942, "v_dot2_f32_f16", 0x80008000, 0x3c003c00, 0x80000000, 0, 0x80000000, 0, selects(0, 7)},
      {k906, "v_dot4_i32_i8", 0x01020304, 0xff010203, 1, 0, 20, 0, selects(0, 7)},
      {k906, "v_fmac_f32", 0x40000000, 0x40400000, 0, 0x3f800000, 0x40e00000},
      {k906, "v_xnor_b32", 0x0ff0, 0x00ff, 0, 0, 0xfffff0f0},

      {k90a, "v_mul_legacy_f32", 0, 0x7f800000, 0, 0, 0},
      {k90a, "v_mul_legacy_f32", 0x40000000, 0x40400000, 0, 0, 0x40c00000},
      // Fused: (1 + 2^-52)^2 - (1 + 2^-51) = 2^-104. The accumulator has no modifiers.
      {k90a, "v_fmac_f64", 0x4000000000000000, 0x4008000000000000, 0, 0x3ff0000000000000,
       0x401c000000000000},
      {k90a, "v_fmac_f64", 0x4000000000000000, 0x4008000000000000, 0, 0x3ff0000000000000,
       0xc014000000000000, 0, selects(0, 0, 5)},
      {k90a, "v_fmac_f64", 0x3ff0000000000001, 0x3ff0000000000001, 0, 0xbff0000000000002,
       0x3970000000000000},
      // {2, 3} * {4, 5} + {1, 7}.
      {k90a, "v_pk_fma_f32", kTwoThree, kFourFive, kOneSeven, 0, 0x41b0000041100000, 0,
       selects(0, 7)},
      {k90a, "v_pk_fma_f32", kTwoThree, kFourFive, kOneSeven, 0, 0x4188000041500000, 0,
       selects(1, 6)},
      {k90a, "v_pk_fma_f32", kTwoThree, kFourFive, kOneSeven, 0, 0xc100000040e00000, 0,
       selects(0, 7, 4, 1)},
      // Fused in both: 2^-24 is left.
      {k90a, "v_pk_fma_f32", 0x3f8008003f800800, 0x3f8008003f800800, 0xbf801000bf801000, 0,
       0x3380000033800000, 0, selects(0, 7)},
      {k90a, "v_pk_mul_f32", kTwoThree, kFourFive, 0, 0, 0x4170000041000000, 0, selects(0, 7)},
      {k90a, "v_pk_mul_f32", 0x400000007f7fffff, 0x4000000040000000, 0, 0, 0x408000007f800000,
       kOverflow | kInexact, selects(0, 7)},
      {k90a, "v_pk_add_f32", kTwoThree, kFourFive, 0, 0, 0x4100000040c00000, 0, selects(0, 7)},
      {k90a, "v_pk_add_f32", kTwoThree, kFourFive, 0, 0, 0x000000003f800000, 0,
       selects(0, 7, 0, 3, true)},
      {k90a, "v_pk_add_f32", 0x0000000100000000, 0, 0, 0, 0x0000000100000000, kDenormal,
       selects(0, 7)},
      {k90a, "v_pk_mov_b32", 0x1111111122222222, 0x3333333344444444, 0, 0, 0x4444444422222222, 0,
       selects(0, 7)},
      {k90a, "v_pk_mov_b32", 0x1111111122222222, 0x3333333344444444, 0, 0, 0x3333333311111111, 0,
       selects(3, 0)},
      {k90a, "v_pk_mov_b32", 0x1111111122222222, 0x3333333344444444, 0, 0, 0x4444444411111111, 0,
       selects(1, 7, 3, 3, true)},

      {k942, "v_mov_b64", 0x0123456789abcdef, 0, 0, 0, 0x0123456789abcdef},
      {k942, "v_lshl_add_u64", 0x80000001, 4, 5, 0, 0x800000015},
      {k942, "v_fmamk_f32", 0x40000000, 0x40400000, 0x3f800000, 0, 0x40e00000},
      {k942, "v_fmaak_f32", 0x3f800800, 0x3f800800, 0xbf801000, 0, 0x33800000},
      {k942, "v_pk_fma_f32", kTwoThree, kFourFive, kOneSeven, 0, 0x41b0000041100000, 0,
       selects(0, 7)},
      // 1 and -2 in both formats, into both halves.
      {k942, "v_cvt_pk_fp8_f32", 0x3f800000, 0xc0000000, 0, 0x12345678, 0x1234c840},
      {k942, "v_cvt_pk_fp8_f32", 0x3f800000, 0xc0000000, 0, 0x12345678, 0xc8405678, 0, selects(8)},
      {k942, "v_cvt_pk_bf8_f32", 0x3f800000, 0xc0000000, 0, 0x12345678, 0x1234c440},
      // 1000 is beyond 240, 10^5 beyond 57344; an infinity is no overflow; -0 is 0.
      {k942, "v_cvt_pk_fp8_f32", 0x447a0000, 0xff800000, 0, 0, 0x8080, kOverflow | kInexact},
      {k942,
       "v_cvt_pk_fp8_f32",
       0xc47a0000,
       0x80000000,
       0,
       0,
       0x00ff,
       kOverflow | kInexact,
       {},
       kDefaultMode | kFp16Ovfl},
      {k942, "v_cvt_pk_bf8_f32", 0x47c35000, 0x7fa00000, 0, 0, 0x8080,
       kOverflow | kInexact | kInvalid},
      // 1.0625 is half a unit above 1: to even, or with half a unit of S1 up; into byte 2.
      {k942, "v_cvt_pk_fp8_f32", 0x3f880000, 0x3f980000, 0, 0, 0x4240, kInexact},
      {k942, "v_cvt_sr_fp8_f32", 0x3f880000, 0x7fffffff, 0, 0x12345678, 0x12405678, kInexact,
       selects(8)},
      {k942, "v_cvt_sr_fp8_f32", 0x3f880000, 0x80000000, 0, 0x12345678, 0x12415678, kInexact,
       selects(8)},
      {k942, "v_cvt_sr_bf8_f32", 0xbf900000, 0x80000000, 0, 0x12345678, 0xc1345678, kInexact,
       selects(12)},
      {k942, "v_cvt_sr_bf8_f32", 0x40400000, 0xffffffff, 0, 0x12345678, 0x12345646},
      {k942, "v_cvt_f32_fp8", 0x12345640, 0, 0, 0, 0x3f800000},
      {k942, "v_cvt_f32_fp8", 0x80, 0, 0, 0, 0x7fc00000},
      {k942, "v_cvt_f32_bf8", 0xff, 0, 0, 0, 0xc7600000},
      {k942, "v_cvt_f32_fp8", 0x40, 0, 0, 0, 0x40800000, 0, omod(2), 0x100},
      {k942, "v_cvt_pk_f32_fp8", 0x1234c840, 0, 0, 0, 0xc00000003f800000},
      {k942, "v_cvt_pk_f32_bf8", 0x0144, 0, 0, 0, 0x3700000040000000},
      {k942, "v_cvt_pk_f32_bf8", 0x4044, 0, 0, 0, 0x3f0000003f800000, 0, omod(3), 0x100},
  };
  return table;
}

const valu::Operation* find(const std::string& mnemonic, Target target) {
  for (const valu::Operation& op : valu::operations()) {
    if (op.mnemonic == mnemonic && op.on(target)) return &op;
  }
  return nullptr;
}

/// Answer of the device to operation code `code`.
valu::Response answer(ValuPins& device, const valu::Request& q, uint16_t code) {
  device.drive(&q, code, true);
  EXPECT_TRUE(device.request_ready());
  device.clock();
  for (int cycle = 0; cycle < 2; ++cycle) {
    device.drive(nullptr, 0, true);
    EXPECT_FALSE(device.response_valid());
    device.clock();
  }
  device.drive(nullptr, 0, true);
  EXPECT_TRUE(device.response_valid());
  valu::Response r;
  device.response(r);
  device.clock();
  return r;
}

valu::Request request_of(const valu::Operation& op) {
  valu::Request q;
  q.row = static_cast<uint16_t>(isa::index_of(*isa::find_row(op.mnemonic, op.format)));
  q.mode = kDefaultMode;
  q.exec = 1u << kLane;
  return q;
}

TEST(ValuTargets, RtlGivesTheValuesWorkedOutByHand) {
  ValuDevices devices;
  std::map<std::string, unsigned> seen;
  for (const Case& c : cases()) {
    const valu::Operation* op = find(c.mnemonic, c.target);
    ASSERT_NE(op, nullptr) << c.mnemonic;
    ++seen[c.mnemonic];
    valu::Request q = request_of(*op);
    q.modifiers = c.mod;
    q.mode = c.mode;
    q.src[0][kLane] = c.src0;
    q.src[1][kLane] = c.src1;
    q.src[2][kLane] = c.src2;
    q.old[kLane] = c.old;
    const valu::Response r = answer(devices.of(c.target), q, op->code);
    EXPECT_EQ(uint64_t{r.dst[kLane]}, c.dst)
        << isa::name_of(c.target) << " " << c.mnemonic << std::hex << " " << c.src0 << " " << c.src1
        << ": got " << r.dst[kLane] << ", expected " << c.dst;
    EXPECT_EQ(unsigned{r.flags}, c.flags) << c.mnemonic << std::hex << " " << c.src0;
    EXPECT_EQ(r.write, q.exec) << c.mnemonic;
  }
  // Every operation that gfx908 has not.
  for (const valu::Operation& op : valu::operations()) {
    if (op.on(Target::Gfx908)) continue;
    EXPECT_NE(seen.count(std::string(op.mnemonic)), 0u) << op.mnemonic;
  }
}

/// An 8-bit float by its definition: four or five exponent bits with bias 8 or 16.
struct ByteFloat {
  const char* name;
  int fraction_bits, bias;

  double value(unsigned magnitude) const {
    const int field = static_cast<int>(magnitude >> fraction_bits);
    const auto fraction = static_cast<double>(magnitude & ((1u << fraction_bits) - 1));
    const double scale = std::ldexp(1.0, (field == 0 ? 1 : field) - bias - fraction_bits);
    return (fraction + (field == 0 ? 0.0 : std::ldexp(1.0, fraction_bits))) * scale;
  }
  double smallest_normal() const { return std::ldexp(1.0, 1 - bias); }
};
constexpr ByteFloat kFp8{"fp8", 3, 8}, kBf8{"bf8", 2, 16};

uint32_t bits_of(float x) {
  return std::bit_cast<uint32_t>(x);
}

TEST(ValuTargets, EveryEightBitFloatIsItsValueInBinary32) {
  ValuDevices devices;
  for (const ByteFloat& f : {kFp8, kBf8}) {
    const valu::Operation& op = *find(std::string("v_cvt_f32_") + f.name, Target::Gfx942);
    const valu::Operation& pair = *find(std::string("v_cvt_pk_f32_") + f.name, Target::Gfx942);
    for (unsigned byte = 0; byte < 256; ++byte) {
      const auto magnitude = static_cast<float>(f.value(byte & 127));
      const uint32_t want =
          byte == 0x80 ? 0x7fc00000 : bits_of(byte < 128 ? magnitude : -magnitude);
      valu::Request q = request_of(op);
      q.src[0][kLane] = 0xabcdef00 | byte;
      const auto one = answer(devices.of(Target::Gfx942), q, op.code);
      EXPECT_EQ(one.dst[kLane], want) << f.name << " " << byte;
      q = request_of(pair);
      q.src[0][kLane] = 0xabcd0000 | (byte << 8 | (byte ^ 0xff));
      const auto two = answer(devices.of(Target::Gfx942), q, pair.code);
      EXPECT_EQ(two.dst[kLane] >> 32, want) << f.name << " " << byte;
      EXPECT_EQ(one.flags + two.flags, 0);
    }
  }
}

/// Nearest of all magnitudes, the even one of two; 128 stands for what lies beyond the largest.
struct Rounded {
  unsigned byte = 0, flags = 0;
};
Rounded nearest(const ByteFloat& f, double x) {
  const double size = std::fabs(x);
  unsigned best = 0;
  for (unsigned m = 1; m <= 128; ++m) {
    const double distance = std::fabs(f.value(m) - size), least = std::fabs(f.value(best) - size);
    if (distance < least || (distance == least && m % 2 == 0)) best = m;
  }
  if (best == 128) return {0x80, kOverflow | kInexact};
  Rounded r;
  // Tiny: below what rounds up to the smallest normal number with all bits.
  const double limit = f.smallest_normal() * (1 - std::ldexp(1.0, -(f.fraction_bits + 2)));
  if (f.value(best) != size) r.flags = size < limit ? kInexact | kUnderflow : kInexact;
  r.byte = best == 0 ? 0 : best | (x < 0 ? 0x80u : 0u);
  return r;
}
/// The unit of the binade times `fraction` added, then cut.
Rounded stochastic(const ByteFloat& f, double x, uint32_t random) {
  const double size = std::fabs(x);
  const int bits = 23 - f.fraction_bits;
  int exponent = 0;
  std::frexp(size, &exponent);  // size in [0.5, 1) * 2^exponent
  const int scale = std::max(exponent - 1, 1 - f.bias);
  const double units = std::ldexp(size, f.fraction_bits - scale);
  const double whole = std::floor(units);
  const double fraction = std::ldexp(static_cast<double>(random >> (32 - bits)), -bits);
  const double kept = whole + (units - whole + fraction >= 1 ? 1 : 0);
  Rounded r;
  if (units != whole) r.flags = size < f.smallest_normal() ? kInexact | kUnderflow : kInexact;
  const double value = std::ldexp(kept, scale - f.fraction_bits);
  if (value > f.value(127)) return {0x80, kOverflow | kInexact};
  unsigned m = 0;
  while (f.value(m) != value) ++m;
  r.byte = m == 0 ? 0 : m | (x < 0 ? 0x80u : 0u);
  return r;
}

TEST(ValuTargets, Binary32RoundsToTheNearestOfAllEightBitFloats) {
  std::mt19937_64 random(42);
  ValuDevices devices;
  for (const ByteFloat& f : {kFp8, kBf8}) {
    const valu::Operation& pair = *find(std::string("v_cvt_pk_") + f.name + "_f32", Target::Gfx942);
    const valu::Operation& one = *find(std::string("v_cvt_sr_") + f.name + "_f32", Target::Gfx942);
    unsigned overflows = 0, tiny = 0;
    for (unsigned n = 0; n < 6000; ++n) {
      // Values, midpoints and their neighbours of the format, then others around its range.
      const double at = f.value(n / 8 % 128), next = f.value(n / 8 % 128 + 1);
      auto x = static_cast<float>(n % 2 == 0 ? at : (at + next) / 2);
      if (n % 8 >= 2) x = std::nextafter(x, n % 8 >= 5 ? 0.0f : 1e9f);
      const auto bits = static_cast<uint32_t>(random());
      if (n >= 2048) x = std::bit_cast<float>((bits & 0x807fffff) | (98 + bits % 48) << 23);
      if (n < 2048 && (bits & 1) != 0) x = -x;
      if (x == 0 || std::fpclassify(x) == FP_SUBNORMAL) continue;
      const float y = std::bit_cast<float>(bits_of(x) ^ 0x80012345);
      valu::Request q = request_of(pair);
      q.src[0][kLane] = bits_of(x);
      q.src[1][kLane] = bits_of(y);
      const Rounded low = nearest(f, x), high = nearest(f, y);
      const auto r = answer(devices.of(Target::Gfx942), q, pair.code);
      ASSERT_EQ(r.dst[kLane], low.byte | high.byte << 8) << f.name << " " << x << " " << y;
      ASSERT_EQ(unsigned{r.flags}, low.flags | high.flags) << f.name << " " << x << " " << y;
      overflows += (r.flags & kOverflow) != 0 ? 1 : 0;
      tiny += (r.flags & kUnderflow) != 0 ? 1 : 0;
      q = request_of(one);
      q.src[0][kLane] = bits_of(x);
      q.src[1][kLane] = n % 3 == 0 ? ~uint32_t{0} : bits * 2654435761u;
      const Rounded cut = stochastic(f, x, static_cast<uint32_t>(q.src[1][kLane]));
      const auto s = answer(devices.of(Target::Gfx942), q, one.code);
      ASSERT_EQ(s.dst[kLane], cut.byte) << f.name << " " << x << " " << q.src[1][kLane];
      ASSERT_EQ(unsigned{s.flags}, cut.flags) << f.name << " " << x << " " << q.src[1][kLane];
    }
    EXPECT_GT(overflows, 100u) << f.name;
    EXPECT_GT(tiny, 100u) << f.name;
  }
}

/// Zeros for the enabled lanes, no mask, no flags, whatever is asked beside it.
TEST(ValuTargets, WhatATargetHasNotIsAnsweredLikeNoOperation) {
  std::mt19937_64 random(43);
  for (const Target target : isa::kAllTargets) {
    ValuPins device(ip::make_valu_fast(target));
    std::map<uint16_t, bool> codes;  // whether an instruction of the target has it
    for (const valu::Operation& op : valu::operations()) codes[op.code] |= op.on(target);
    unsigned absent = 0;
    for (const valu::Operation& op : valu::operations()) {
      if (codes[op.code]) continue;
      ++absent;
      for (unsigned n = 0; n < 8; ++n) {
        valu::Request q;
        q.mode = static_cast<uint32_t>(random()) & 0x8003ff;
        valu_vectors::draw(*isa::find_row(op.mnemonic, op.format), random, q);
        q.exec = 0xf0ff;
        const auto r = answer(device, q, op.code);
        const auto none = answer(device, q, valu::kNoOperation);
        const std::string what = std::string(isa::name_of(target)) + " " + std::string(op.mnemonic);
        EXPECT_EQ(r.write, q.exec) << what;
        EXPECT_EQ(none.write, q.exec) << what;
        EXPECT_EQ(r.mask | unsigned{r.has_mask} | r.flags, 0u) << what;
        for (unsigned l = 0; l < valu::kLanes; ++l) {
          if ((q.exec >> l & 1) == 0) continue;
          EXPECT_EQ(r.dst[l], none.dst[l]) << what;
          if (valu::encoding_of(q.modifiers) != isa::Encoding::Sdwa) {
            EXPECT_EQ(r.dst[l], 0u) << what;
          }
        }
      }
    }
    std::printf("%s: %u operations of others\n", std::string(isa::name_of(target)).c_str(), absent);
    EXPECT_GE(absent, 6u);
  }
}

/// Columns of tests/ledger/isa_opcodes.csv, made from the manuals and LLVM: every vector
/// instruction that computes in lanes is an operation of exactly the targets that have it.
TEST(ValuTargets, OperationsAreThoseOfTheLedger) {
  std::ifstream file(std::string(CUVETTE_SOURCE_DIR) + "/tests/ledger/isa_opcodes.csv");
  const auto fields = [](const std::string& line) {
    std::vector<std::string> out(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) {
        out.emplace_back();
      } else if (c != '"') {
        out.back() += c;
      }
    }
    return out;
  };
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  const std::vector<std::string> head = fields(line);
  const auto column = [&](const std::string& name) {
    return static_cast<size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  };
  size_t checked = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> row = fields(line);
    const std::string format = row[column("format")];
    if (format.rfind("VOP", 0) != 0 || format == "VOP3P-MAI") continue;
    std::string name = row[column("mnemonic")];
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    const isa::Row* known = nullptr;
    for (const isa::Row& r : isa::rows()) {
      if (r.mnemonic == name && isa::name_of(r.format) == format) known = &r;
    }
    if (known == nullptr || !valu::LaneBeat::has(*known)) continue;
    ++checked;
    for (const Target target : isa::kAllTargets) {
      const bool has = row[column("llvm_" + std::string(isa::name_of(target)))] == "y";
      EXPECT_EQ(valu::operation_of(*known, target) != valu::kNoOperation, has)
          << format << " " << name << " " << isa::name_of(target);
    }
  }
  EXPECT_GE(checked, 480u);
}

TEST(ValuTargets, LockstepOfEveryTargetTakesItsBuild) {
  valu::Registry registry;
  ip::register_valu(registry);
  for (const Target target : isa::kAllTargets) {
    for (const char* name : {"lockstep", "lockstep-check"}) {
      valu::Config config;
      config.target = target;
      config.seed = 7 + isa::index_of(target);
      const auto block = registry.make(name, config);
      auto& lockstep = dynamic_cast<ip::ValuLockstep&>(*block);
      const auto program = valu_program::mixed(*block, 4000, 44);
      for (const valu::Request& q : program) ASSERT_TRUE((isa::rows().begin() + q.row)->on(target));
      const auto run = valu_program::run(*block, program, 7, 6, 1);
      ASSERT_FALSE(lockstep.mismatch()) << isa::name_of(target) << lockstep.mismatch()->report;
      EXPECT_TRUE(run.complete);
      EXPECT_EQ(lockstep.kit().seen(), program.size());
    }
  }
}

}  // namespace
}  // namespace cuvette
