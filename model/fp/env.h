// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The floating-point environment of one operation. Every function of this layer works on bit
// patterns with integer algorithms: the host's floating-point unit and its modes take no part.
namespace cuvette::fp {

/// Rounding direction, numbered as the fields of MODE.FP_ROUND (Vega ISA "Mode register").
enum class Round : uint8_t { NearestEven = 0, PlusInf = 1, MinusInf = 2, Zero = 3 };

/// Exception bits in the order of TRAPSTS.EXCP (Vega ISA "Trap Status register").
enum Flag : uint8_t {
  kInvalid = 1,
  kInputDenormal = 2,
  kDivideByZero = 4,
  kOverflow = 8,
  kUnderflow = 16,
  kInexact = 32,
  kIntDivideByZero = 64,
};

struct Env {
  Round round = Round::NearestEven;
  bool flush_in = false;   ///< subnormal operands count as zero of the same sign
  bool flush_out = false;  ///< a tiny result becomes zero of the same sign
  bool ieee = true;   ///< MODE.IEEE: min and max quiet signaling NaNs; output modifiers are off
  uint8_t flags = 0;  ///< union of Flag; operations add bits and never clear any
  bool fp16_ovfl = false;  ///< MODE.FP16_OVFL: an overflowing F16 (or 8-bit) result is max finite
};

constexpr void raise(Env& env, unsigned flags) {
  env.flags = static_cast<uint8_t>(env.flags | flags);
}

}  // namespace cuvette::fp
