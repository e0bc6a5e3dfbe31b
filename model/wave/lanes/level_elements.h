// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/host_vector.h"
#include "wave/lanes/level_table.h"

// Elements of matrix instructions on one host level: every format in the forms that level_dot.h
// computes with.
namespace cuvette::wave::lanes {
namespace {

#if CUVETTE_VECTOR_BYTES > 16

CUVETTE_INLINE Bits times(Bits a, Bits b) {
  return as<Bits>(as<Floats>(a) * as<Floats>(b));
}

/// Elements of A or B as a method wants them.
struct Parts {
  Bits wide;        ///< the number as F32
  Signed factor;    ///< signed, with kFactorFraction fraction bits: at most 14 bits
  Signed exponent;  ///< of the factor's unit: the format's smallest for subnormals
};
constexpr int kFactorFraction = 12;   ///< so that products have 24 fraction bits
constexpr int kNoExponent = -0x4000;  ///< of a zero: far below all others, alone and in a product
constexpr int kSpecialExponent = 0x6000;  ///< of infinities and NaNs: far above, also beside a zero
constexpr int kLargestExponent = 127;  ///< of a finite number; a product with it may be too large

/// Formats of at most 16 bits whose numbers are all normal in F32. `Finite`: no infinities, and the
/// pattern of -0 is the NaN (fnuz).
template <int Exponent, int Fraction, int Bias, bool Finite>
CUVETTE_INLINE Parts parts_of_short(Bits x) {
  constexpr uint32_t kMost = (1u << Exponent) - 1;
  const Bits fraction = x & ((1u << Fraction) - 1);
  const Bits field = x >> Fraction & kMost;
  const Bits sign = x >> (Exponent + Fraction) << 31;
  const Bits magnitude = (fraction | (field != 0 ? broadcast(1u << Fraction) : Bits{}))
                         << (kFactorFraction - Fraction);
  const auto exponent = as<Signed>(field == 0 ? broadcast(1) : field) - Bias;
  const Bits scale = as<Bits>(exponent + (127 - kFactorFraction)) << 23;
  const Bits number =
      times(as<Bits>(__builtin_convertvector(as<Signed>(magnitude), Floats)), scale) | sign;
  const Bits special = 0x7f800000u | (Finite ? broadcast(1u << 22) : sign | fraction << 13);
  const Signed is_special = Finite ? x == 1u << (Exponent + Fraction) : field == kMost;
  Parts parts;
  parts.wide = is_special ? special : number;
  parts.factor = sign != 0 ? -as<Signed>(magnitude) : as<Signed>(magnitude);
  parts.exponent = magnitude == 0 ? Signed{} + kNoExponent : exponent;
  parts.exponent = is_special ? Signed{} + kSpecialExponent : parts.exponent;
  return parts;
}

/// F32 numbers with at most kFactorFraction fraction bits.
CUVETTE_INLINE Parts parts_of_wide(Bits x) {
  const Bits field = x >> 23 & 255;
  const Bits magnitude =
      ((x & 0x7fffff) | (field != 0 ? broadcast(1u << 23) : Bits{})) >> (23 - kFactorFraction);
  Parts parts;
  parts.wide = x;
  parts.factor = as<Signed>(x) < 0 ? -as<Signed>(magnitude) : as<Signed>(magnitude);
  parts.exponent = as<Signed>(field == 0 ? broadcast(1) : field) - 127;
  parts.exponent = magnitude == 0 ? Signed{} + kNoExponent : parts.exponent;
  parts.exponent = field == 255 ? Signed{} + kSpecialExponent : parts.exponent;
  return parts;
}

template <fp::MatrixFormat Format>
CUVETTE_INLINE Parts parts_of(Bits x) {
  using fp::MatrixFormat;
  if constexpr (Format == MatrixFormat::F16) return parts_of_short<5, 10, 15, false>(x);
  if constexpr (Format == MatrixFormat::FP8) return parts_of_short<4, 3, 8, true>(x);
  if constexpr (Format == MatrixFormat::BF8) return parts_of_short<5, 2, 16, true>(x);
  if constexpr (Format == MatrixFormat::BF16) return parts_of_wide(x << 16);
  // XF32: a NaN stays one.
  if constexpr (Format == MatrixFormat::XF32) {
    return parts_of_wide(x + x > 0xff000000 ? x | 1u << 22 : x & ~0x1fffu);
  }
  Parts parts{};
  parts.wide = x;
  return parts;
}

/// LevelTable::dot_decode of a format.
template <fp::MatrixFormat Format>
CUVETTE_LEVEL void decode_elements(DotForm form, const LaneRow* raw, unsigned rows, LaneRow* out) {
  for (unsigned r = 0; r < rows; ++r, out += rows_of(form)) {
    for (unsigned first = 0; first < kLanes; first += kWidth) {
      const Parts parts = parts_of<Format>(load(raw[r].data() + first));
      if (form == DotForm::Split) {
        store(out[0].data() + first, as<Bits>(parts.factor & 0xffff));
        store(out[1].data() + first, as<Bits>(parts.exponent));
        store(out[2].data() + first, parts.wide);
      } else if (form == DotForm::Flushed) {
        // By the format's own smallest normal number.
        const Signed magnitude = parts.factor < 0 ? -parts.factor : parts.factor;
        const Signed lost = magnitude < 1 << kFactorFraction;
        store(out[0].data() + first, lost ? Bits{} : parts.wide);
      } else {
        store(out[0].data() + first, parts.wide);
      }
    }
  }
}

/// Two signed bytes in the low half of a word as two of 16 bits.
CUVETTE_LEVEL void decode_bytes(DotForm, const LaneRow* raw, unsigned rows, LaneRow* out) {
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned first = 0; first < kLanes; first += kWidth) {
      const auto x = as<Signed>(load(raw[r].data() + first));
      store(out[r].data() + first, as<Bits>((x << 24 >> 24 & 0xffff) | x << 16 >> 24 << 16));
    }
  }
}

DotDecode level_dot_decode(DotForm form, fp::MatrixFormat format) {
  using fp::MatrixFormat;
  if (form == DotForm::Bytes) return decode_bytes;
  switch (format) {
    case MatrixFormat::F16:
      return decode_elements<MatrixFormat::F16>;
    case MatrixFormat::BF16:
      return decode_elements<MatrixFormat::BF16>;
    case MatrixFormat::XF32:
      return decode_elements<MatrixFormat::XF32>;
    case MatrixFormat::FP8:
      return decode_elements<MatrixFormat::FP8>;
    case MatrixFormat::BF8:
      return decode_elements<MatrixFormat::BF8>;
    case MatrixFormat::F32:
      break;
  }
  return decode_elements<MatrixFormat::F32>;
}

#else

DotDecode level_dot_decode(DotForm, fp::MatrixFormat) {
  return nullptr;
}

#endif

}  // namespace
}  // namespace cuvette::wave::lanes
