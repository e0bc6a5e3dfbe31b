// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/memory/texel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/bits.h"
#include "fp/arith.h"
#include "fp/convert.h"

namespace cuvette::wave::memory {
namespace {

using fp::Env;
using fp::F16;
using fp::F32;
using fp::F64;

/// The unsigned floats of 10_11_11 and 11_11_10: five exponent bits, no sign.
struct F11 : fp::Format<uint16_t, uint64_t, 5, 6, 15, true> {};
struct F10 : fp::Format<uint16_t, uint64_t, 5, 5, 15, true> {};

struct Entry {
  uint8_t format;
  TexelLayout layout;
};
constexpr Entry kLayouts[] = {
    {1, {1, {8}, 1}},
    {2, {1, {16}, 2}},
    {3, {2, {8, 8}, 2}},
    {4, {1, {32}, 4}},
    {5, {2, {16, 16}, 4}},
    {kFormat10_11_11, {3, {11, 11, 10}, 4}},
    {kFormat11_11_10, {3, {10, 11, 11}, 4}},
    {8, {4, {2, 10, 10, 10}, 4}},  // 10_10_10_2
    {9, {4, {10, 10, 10, 2}, 4}},  // 2_10_10_10
    {10, {4, {8, 8, 8, 8}, 4}},
    {11, {2, {32, 32}, 8}},
    {12, {4, {16, 16, 16, 16}, 8}},
    {13, {3, {32, 32, 32}, 12}},
    {14, {4, {32, 32, 32, 32}, 16}},
    {16, {3, {5, 6, 5}, 2}},
    {17, {4, {5, 5, 5, 1}, 2}},  // 1_5_5_5
    {18, {4, {1, 5, 5, 5}, 2}},  // 5_5_5_1
    {19, {4, {4, 4, 4, 4}, 2}},
    {20, {2, {24, 8}, 4}},                // 8_24
    {21, {2, {8, 24}, 4}},                // 24_8
    {22, {2, {32, 8}, 8}},                // X24_8_32
    {kFormat5_9_9_9, {3, {9, 9, 9}, 4}},  // the exponent of all is in bits 31:27
    {57, {2, {4, 4}, 1}},
    {58, {3, {5, 5, 6}, 2}},  // 6_5_5
};

/// sRGB to linear for 8-bit codes (IEC 61966-2-1), rounded to F32.
const std::array<uint32_t, 256>& srgb_table() {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> t{};
    for (unsigned code = 0; code < 256; ++code) {
      const double c = code / 255.0;
      const double linear = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
      t[code] = std::bit_cast<uint32_t>(static_cast<float>(linear));
    }
    return t;
  }();
  return table;
}

uint32_t field(const uint32_t raw[4], unsigned shift, unsigned width) {
  const uint64_t pair = base::join32(raw[shift / 32], shift / 32 < 3 ? raw[shift / 32 + 1] : 0);
  return static_cast<uint32_t>(base::bits(pair >> shift % 32, width - 1, 0));
}

void set_field(uint32_t raw[4], unsigned shift, unsigned width, uint32_t value) {
  const auto kept = static_cast<uint32_t>(value & base::low_mask(width));
  raw[shift / 32] |= kept << shift % 32;
  // A component never crosses a dword.
}

uint32_t float_to_32(uint32_t bits, unsigned width) {
  Env env;
  switch (width) {
    case 16:
      return fp::convert<F32, F16>(static_cast<uint16_t>(bits), env);
    case 11:
      return fp::convert<F32, F11>(static_cast<uint16_t>(bits), env);
    default:
      return fp::convert<F32, F10>(static_cast<uint16_t>(bits), env);
  }
}

template <class F>
uint32_t unsigned_float(uint32_t x) {
  if (fp::is_nan<F32>(x)) return F::kDefaultNan;
  if (fp::sign_of<F32>(x)) return 0;
  Env env;
  return fp::convert<F, F32>(x, env);
}

uint32_t float_from_32(uint32_t x, unsigned width) {
  Env env;
  switch (width) {
    case 16:
      return fp::convert<F16, F32>(x, env);
    case 11:
      return unsigned_float<F11>(x);
    default:
      return unsigned_float<F10>(x);
  }
}

/// 2^width - 1 or 2^(width - 1) - 1; a one-bit signed component counts whole units.
uint32_t scale_of(unsigned width, bool is_signed) {
  return static_cast<uint32_t>(is_signed ? std::max<uint64_t>(1, base::low_mask(width - 1))
                                         : base::low_mask(width));
}

uint32_t decode_component(uint32_t bits, unsigned width, unsigned number_format, bool alpha) {
  if (width == 32) return bits;
  Env env;
  const auto as_signed = static_cast<int32_t>(base::sign_extend(bits, width));
  switch (number_format) {
    case kSrgb:
      if (!alpha) return srgb_table()[bits];
      [[fallthrough]];
    case kUnorm:
      return fp::div<F32>(fp::from_int<F32>(bits, env),
                          fp::from_int<F32>(scale_of(width, false), env), env);
    case kSnorm: {
      const auto scale = static_cast<int32_t>(scale_of(width, true));
      return fp::div<F32>(fp::from_int<F32>(std::max(as_signed, -scale), env),
                          fp::from_int<F32>(scale, env), env);
    }
    case kUscaled:
      return fp::from_int<F32>(bits, env);
    case kSscaled:
      return fp::from_int<F32>(as_signed, env);
    case kSint:
      return static_cast<uint32_t>(as_signed);
    case kFloat:
      // The stencil beside a 32-bit float depth is an integer.
      return width == 8 ? bits : float_to_32(bits, width);
    default:
      return bits;
  }
}

uint32_t encode_component(uint32_t value, unsigned width, unsigned number_format) {
  if (width == 32) return value;
  Env env;
  const bool is_signed = number_format == kSnorm || number_format == kSscaled;
  switch (number_format) {
    case kUint:
      return static_cast<uint32_t>(std::min<uint64_t>(value, base::low_mask(width)));
    case kSint: {
      const int64_t top = int64_t{1} << (width - 1);
      return static_cast<uint32_t>(std::clamp<int64_t>(static_cast<int32_t>(value), -top, top - 1));
    }
    case kFloat:
      return width == 8 ? std::min(value, 255u) : float_from_32(value, width);
    case kUnorm:
    case kSnorm: {
      const uint32_t scale = scale_of(width, is_signed);
      // Exact: 24 by at most 24 bits.
      const uint64_t product =
          fp::mul<F64>(fp::convert<F64, F32>(value, env), fp::from_int<F64>(scale, env), env);
      const auto code = static_cast<int64_t>(
          fp::to_int<F64>(product, width, is_signed, fp::Round::NearestEven, env, true));
      return static_cast<uint32_t>(is_signed ? std::max(code, -int64_t{scale}) : code);
    }
    default:
      return static_cast<uint32_t>(
          fp::to_int<F32>(value, width, is_signed, fp::Round::NearestEven, env, true));
  }
}

}  // namespace

const TexelLayout* texel_layout(unsigned data_format) {
  for (const Entry& e : kLayouts) {
    if (e.format == data_format) return &e.layout;
  }
  return nullptr;
}

const char* texel_reason(unsigned data_format, unsigned number_format, bool store) {
  const TexelLayout* layout = texel_layout(data_format);
  if (layout == nullptr) {
    return data_format == 15 || data_format > 58
               ? "reserved data format in the descriptor or instruction"
               : "compressed or subsampled data format in the descriptor";
  }
  const bool shared = data_format == kFormat5_9_9_9;
  if (shared && store) return "data format 5_9_9_9 cannot be stored";
  switch (number_format) {
    case kUnorm:
    case kSnorm:
    case kUscaled:
    case kSscaled:
    case kUint:
    case kSint:
      return shared ? "data format 5_9_9_9 is float" : "";
    case kFloat: {
      const bool small = data_format == kFormat10_11_11 || data_format == kFormat11_11_10;
      const bool wide = layout->bits[0] == 16 || layout->bits[0] == 32;
      return shared || small || wide ? "" : "number format float of a data format without floats";
    }
    case kSrgb:
      if (store) return "number format srgb cannot be stored";
      return layout->bits[0] == 8 && data_format <= 10
                 ? ""
                 : "number format srgb of components other than 8 bits";
    default:
      return "reserved number format in the descriptor or instruction";
  }
}

void decode_texel(unsigned data_format, unsigned number_format, const uint32_t raw[4],
                  uint32_t out[4]) {
  const TexelLayout& layout = *texel_layout(data_format);
  if (data_format == kFormat5_9_9_9) {
    Env env;
    const int exponent = static_cast<int>(raw[0] >> 27) - 24;  // bias 15, nine fraction bits
    for (unsigned c = 0; c < 3; ++c) {
      const uint32_t mantissa = raw[0] >> 9 * c & 0x1ff;
      out[c] = mantissa == 0 ? 0 : fp::round_pack<F32>(false, exponent, uint64_t{mantissa}, env);
    }
    return;
  }
  for (unsigned c = 0, shift = 0; c < layout.components; ++c) {
    out[c] =
        decode_component(field(raw, shift, layout.bits[c]), layout.bits[c], number_format, c == 3);
    shift += layout.bits[c];
  }
}

void encode_texel(unsigned data_format, unsigned number_format, const uint32_t in[4],
                  uint32_t raw[4]) {
  const TexelLayout& layout = *texel_layout(data_format);
  std::fill_n(raw, 4, 0u);
  for (unsigned c = 0, shift = 0; c < layout.components; ++c) {
    set_field(raw, shift, layout.bits[c], encode_component(in[c], layout.bits[c], number_format));
    shift += layout.bits[c];
  }
}

uint32_t texel_to_16(uint32_t value, unsigned number_format) {
  if (!gives_float(number_format)) return value & 0xffff;
  Env env;
  return fp::convert<F16, F32>(value, env);
}

uint32_t texel_from_16(uint32_t half, unsigned number_format) {
  half &= 0xffff;
  if (number_format == kUint) return half;
  if (number_format == kSint) return static_cast<uint32_t>(base::sign_extend(half, 16));
  return float_to_32(half, 16);
}

uint32_t select_component(const TexelConversion& t, unsigned select, unsigned stored,
                          const uint32_t components[4]) {
  if (select == 1) return texel_one(t.number_format);
  if (select < 4) return 0;  // 0, and the reserved codes
  const unsigned c = select - 4;
  if (c < stored) return components[c];
  return c == 3 && t.absent_alpha_is_one ? texel_one(t.number_format) : 0;
}

void texel_components(const TexelConversion& t, bool in_range, const uint32_t raw[4],
                      uint32_t out[4]) {
  uint32_t stored[4] = {};
  unsigned count = 4;
  if (in_range) {
    decode_texel(t.data_format, t.number_format, raw, stored);
    count = texel_layout(t.data_format)->components;
  }
  for (unsigned c = 0; c < 4; ++c) out[c] = select_component(t, t.select[c], count, stored);
}

uint32_t texel_register(const TexelConversion& t, const uint32_t components[4], unsigned dword,
                        uint32_t old, bool sramecc) {
  uint32_t chosen[4] = {};
  unsigned count = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if ((t.mask >> c & 1) != 0) chosen[count++] = components[c];
  }
  if (!t.d16) return chosen[dword & 3];
  const uint32_t low = texel_to_16(chosen[2 * dword & 3], t.number_format);
  if (2 * dword + 1 < count) {
    return low | texel_to_16(chosen[(2 * dword + 1) & 3], t.number_format) << 16;
  }
  const uint32_t kept = sramecc ? 0 : old;
  return t.high ? (kept & 0xffff) | low << 16 : (kept & 0xffff0000) | low;
}

unsigned texel_dwords(const TexelConversion& t) {
  const auto count = static_cast<unsigned>(std::popcount(t.mask));
  return t.d16 ? (count + 1) / 2 : count;
}

}  // namespace cuvette::wave::memory
