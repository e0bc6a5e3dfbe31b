// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "fp/matrix.h"

// Operands and products of matrix arithmetic as exact numbers, shared by the groups of formats.
// Private to the sources of fp.
namespace cuvette::fp {

inline constexpr unsigned kMaxGroup = 16;

/// A number of a group: (-1)^sign * significand * 2^(exponent - fraction bits), or none.
struct Term {
  bool sign = false;
  bool nan = false;
  bool infinite = false;
  int exponent = 0;  ///< of the bit of weight one; subnormals keep the format's smallest
  uint64_t significand = 0;

  bool is_zero() const { return !nan && !infinite && significand == 0; }
};

/// The products of one group with the accumulator they are added to.
struct Group {
  std::array<Term, kMaxGroup> products;
  unsigned count = 0;
  int fraction_bits = 0;  ///< of every product
  Term d;                 ///< with F32::kFractionBits
};

/// `count` products of an algorithm's formats, at most kMaxGroup.
Group group_of(const DotAlgorithm& algorithm, const uint32_t* a, const uint32_t* b, unsigned count,
               uint32_t d);

/// Sum that infinities and NaNs among d and the products decide. False: there are none.
bool special_result(const Group& group, uint32_t& result);

/// One group of each method (docs/reference/mfma_numerics.md).
uint32_t exact_group(const Group& group);
uint32_t fused_group(Group group, bool even_odd);

}  // namespace cuvette::fp
