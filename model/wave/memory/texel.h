// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/memory_op.h"

// Elements of typed buffers and images: what is stored, and what registers see (MI100 ISA 9.1.2 to
// 9.1.4, 9.4.4; Vega ISA 8). The name of a data format lists its components from the most
// significant bits down; component R (X) has the least significant ones.
namespace cuvette::wave::memory {

enum DataFormat : uint8_t {
  kFormatInvalid = 0,
  kFormat10_11_11 = 6,
  kFormat11_11_10 = 7,
  kFormat5_9_9_9 = 34,
};

enum NumberFormat : uint8_t {
  kUnorm = 0,
  kSnorm = 1,
  kUscaled = 2,
  kSscaled = 3,
  kUint = 4,
  kSint = 5,
  kFloat = 7,
  kSrgb = 9,
};

/// Components of an element as stored, from the lowest bits up.
struct TexelLayout {
  uint8_t components;
  uint8_t bits[4];  ///< of each component; 0 behind the last
  uint8_t bytes;    ///< of the element: 1, 2, 4, 8, 12 or 16
};

/// Null for formats whose elements are not stored one by one (compressed, subsampled) or that are
/// reserved.
const TexelLayout* texel_layout(unsigned data_format);

/// Reason why elements of these formats are not loaded or stored; empty when they are.
const char* texel_reason(unsigned data_format, unsigned number_format, bool store);

/// Registers hold F32 (F16) values, not integers.
constexpr bool gives_float(unsigned number_format) {
  return number_format != kUint && number_format != kSint;
}
/// The constant 1 of DST_SEL.
constexpr uint32_t texel_one(unsigned number_format) {
  return gives_float(number_format) ? 0x3f800000u : 1u;
}

/// The stored components of an element as 32-bit register values; the others stay. Normalized
/// values are rounded once, to nearest even; components of 32 bits are not converted.
void decode_texel(unsigned data_format, unsigned number_format, const uint32_t raw[4],
                  uint32_t out[4]);

/// The element for register values `in`: saturated, rounded to nearest even, NaN as 0.
void encode_texel(unsigned data_format, unsigned number_format, const uint32_t in[4],
                  uint32_t raw[4]);

/// Between the two register widths: F32 or integer, and F16 or the low 16 bits.
uint32_t texel_to_16(uint32_t value, unsigned number_format);
uint32_t texel_from_16(uint32_t half, unsigned number_format);

/// Value of DST_SEL `select` for an element; the element is given by its stored components.
uint32_t select_component(const TexelConversion& t, unsigned select, unsigned stored,
                          const uint32_t components[4]);

/// The four components registers can get from an element; all zero, but for constants, when the
/// access was out of range (MI100 ISA 9.1.5).
void texel_components(const TexelConversion& t, bool in_range, const uint32_t raw[4],
                      uint32_t out[4]);

/// Destination dword `dword` of a conversion from the four components. `old` is what the register
/// held: half of it may stay (decisions.md D9).
uint32_t texel_register(const TexelConversion& t, const uint32_t components[4], unsigned dword,
                        uint32_t old, bool sramecc);

/// Registers a conversion fills: what `mask` selects, two 16-bit values to one.
unsigned texel_dwords(const TexelConversion& t);

/// The element a store writes for a lane. `value(n)` is dword n of its data registers.
template <class Value>
void texel_stored(const TexelConversion& t, Value value, uint32_t raw[4]) {
  uint32_t given[4] = {};
  for (unsigned c = 0, n = 0; c < 4; ++c) {
    if ((t.mask >> c & 1) == 0) continue;
    // 16-bit values are counted, not placed by the mask (MI100 ISA table 41, DMASK).
    if (t.d16) {
      given[n] = texel_from_16(value(n / 2) >> (t.high || n % 2 == 1 ? 16 : 0), t.number_format);
    } else {
      given[c] = value(n);
    }
    ++n;
  }
  // A stored component comes from the first register component that DST_SEL maps it to.
  uint32_t in[4] = {};
  for (unsigned c = 0; c < 4; ++c) {
    for (unsigned j = 4; j-- > 0;) {
      if (t.select[j] == 4 + c) in[c] = given[j];
    }
  }
  encode_texel(t.data_format, t.number_format, in, raw);
}

}  // namespace cuvette::wave::memory
