// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The arithmetic of the matrix instructions for one output element: d = sum over k of a[k]*b[k] +
// d, in the order and with the roundings of the hardware (docs/reference/floating_point.md, "Matrix
// arithmetic"; mfma_numerics.md). MODE takes no part and no exception is raised. A NaN result
// is 0x7fc00000, for F64 0x7ff8000000000000.
namespace cuvette::fp {

enum class MatrixFormat : uint8_t { F32, F16, BF16, XF32, FP8, BF8 };

enum class MatrixMethod : uint8_t {
  Chain,         ///< d = fma(a[k], b[k], d), k ascending; F32 operands
  Exact,         ///< gfx908: d and the products of a group added exactly, rounded once
  Pairwise,      ///< gfx90a: F32 products summed in pairs, each step rounded, subnormals flushed
  Fused,         ///< gfx942: two-stage fixed-point sums of a group
  FusedEvenOdd,  ///< gfx942, 8-bit formats: even and odd k summed apart first
};

struct DotAlgorithm {
  MatrixFormat a = MatrixFormat::F32;
  MatrixFormat b = MatrixFormat::F32;
  MatrixMethod method = MatrixMethod::Chain;
  uint8_t group = 1;  ///< products per group, at most 16; a power of two for Pairwise
};

inline constexpr DotAlgorithm kDotF32{};
inline constexpr DotAlgorithm kDotF16Gfx908{MatrixFormat::F16, MatrixFormat::F16,
                                            MatrixMethod::Exact, 4};
inline constexpr DotAlgorithm kDotBf16Gfx908{MatrixFormat::BF16, MatrixFormat::BF16,
                                             MatrixMethod::Exact, 2};
inline constexpr DotAlgorithm kDotF16Gfx90a{MatrixFormat::F16, MatrixFormat::F16,
                                            MatrixMethod::Pairwise, 4};
inline constexpr DotAlgorithm kDotBf16Gfx90a{MatrixFormat::BF16, MatrixFormat::BF16,
                                             MatrixMethod::Pairwise, 2};
inline constexpr DotAlgorithm kDotBf16K1Gfx90a{MatrixFormat::BF16, MatrixFormat::BF16,
                                               MatrixMethod::Pairwise, 4};
inline constexpr DotAlgorithm kDotF16Gfx942{MatrixFormat::F16, MatrixFormat::F16,
                                            MatrixMethod::Fused, 8};
inline constexpr DotAlgorithm kDotBf16Gfx942{MatrixFormat::BF16, MatrixFormat::BF16,
                                             MatrixMethod::Fused, 8};
inline constexpr DotAlgorithm kDotXf32Gfx942{MatrixFormat::XF32, MatrixFormat::XF32,
                                             MatrixMethod::Fused, 4};

/// gfx942, FP8 and BF8 in any combination.
constexpr DotAlgorithm dot_8bit_gfx942(bool a_is_bf8, bool b_is_bf8) {
  return {a_is_bf8 ? MatrixFormat::BF8 : MatrixFormat::FP8,
          b_is_bf8 ? MatrixFormat::BF8 : MatrixFormat::FP8, MatrixMethod::FusedEvenOdd, 16};
}

/// One output element. a, b: `k` element patterns each, one per word, upper bits zero; d: F32. `k`
/// is the K of the instruction (for SMFMAC of the expanded A); a group is at most k products. For
/// Exact and Pairwise k is a multiple of the group.
uint32_t dot_accumulate(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b,
                        unsigned k, uint32_t d);

/// F64: d = fma(a[k], b[k], d), k ascending, subnormals kept.
uint64_t dot_accumulate_f64(const uint64_t* a, const uint64_t* b, unsigned k, uint64_t d);

/// I8: signed 8-bit elements in the low bits of each word (upper bits are ignored), modulo 2^32.
uint32_t dot_accumulate_i8(const uint32_t* a, const uint32_t* b, unsigned k, uint32_t d);

}  // namespace cuvette::fp
