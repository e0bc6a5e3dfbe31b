// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/mutant.h"
#include "wave/lanes/access.h"

// Row loops for handlers that are a function of 32-bit words, and saturation.
namespace cuvette::wave::lanes {

inline int32_t as_i32(uint32_t v) {
  return static_cast<int32_t>(v);
}
inline int16_t as_i16(uint16_t v) {
  return static_cast<int16_t>(v);
}
inline uint32_t as_u32(int64_t v) {
  return static_cast<uint32_t>(v);
}
inline uint16_t as_u16(int64_t v) {
  return static_cast<uint16_t>(v);
}

/// The nearest value that T holds (CLAMP of integer operations, MI100 ISA 6.5).
template <class T>
constexpr T saturate(int64_t v) {
  return static_cast<T>(
      std::clamp<int64_t>(v, std::numeric_limits<T>::min(),
                          CUVETTE_SEMANTIC_MUTANT(34, std::numeric_limits<T>::max(),
                                                  std::numeric_limits<T>::max() - 1)));
}

/// fn(a), fn(a, b) or fn(a, b, c) of the first N sources.
template <unsigned N, class Fn, class A>
auto apply(Fn fn, A&& operand) {
  static_assert(N >= 1 && N <= 3);
  if constexpr (N == 1) {
    return fn(operand(0));
  } else if constexpr (N == 2) {
    return fn(operand(0), operand(1));
  } else {
    return fn(operand(0), operand(1), operand(2));
  }
}

/// A 32-bit result of N 32-bit sources. Without SDWA it works on blocks of lanes, which compilers
/// vectorise: a block is read completely before it is written, as it may be its own source.
template <unsigned N, auto Fn>
void row32(const LaneOp& op, LaneResult& result) {
  constexpr unsigned kBlock = 16;
  if (is_sdwa(op) || op.lanes % kBlock != 0) [[unlikely]] {
    const Sources in(op);
    Sink out(op, result);
    for_active(op, [&](unsigned lane) {
      out.b32(lane, apply<N>(Fn, [&](unsigned s) { return in.b32(s, lane); }));
    });
    return;
  }
  const uint32_t* const src[3] = {op.src[0][0], op.src[1][0], op.src[2][0]};
  uint32_t* const dst = result.dst[0];
  for (unsigned first = 0; first < op.lanes; first += kBlock) {
    uint32_t block[kBlock];
    for (unsigned n = 0; n < kBlock; ++n) {
      block[n] = apply<N>(Fn, [&](unsigned s) { return src[s][first + n]; });
    }
    const uint64_t enabled = (op.exec >> first) & base::low_mask(kBlock);
    if (enabled == base::low_mask(kBlock)) {
      for (unsigned n = 0; n < kBlock; ++n) dst[first + n] = block[n];
    } else {
      for (unsigned n = 0; n < kBlock; ++n) {
        if (CUVETTE_SEMANTIC_MUTANT(35, base::bit(enabled, n), n == 15 || base::bit(enabled, n)))
          dst[first + n] = block[n];
      }
    }
  }
}

/// The same with another function when CLAMP is set.
template <unsigned N, auto Wrap, auto Saturated>
void row32_clamp(const LaneOp& op, LaneResult& result) {
  clamps(op) ? row32<N, Saturated>(op, result) : row32<N, Wrap>(op, result);
}

/// A 16-bit result of N 16-bit sources. Fn gives the exact value; it is wrapped, or saturated to T.
template <unsigned N, class T, auto Fn, OtherHalf Other = OtherHalf::Zero>
void row16(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  Sink out(op, result);
  const bool clamp = clamps(op);
  for_active(op, [&](unsigned lane) {
    const int64_t exact =
        apply<N>(Fn, [&](unsigned s) { return int64_t{static_cast<T>(in.b16(s, lane))}; });
    out.b16(lane, clamp ? static_cast<uint16_t>(saturate<T>(exact)) : as_u16(exact), Other);
  });
}

/// A 64-bit result computed lane by lane: fn(lane) reads what it needs.
template <class Fn>
void each64(const LaneOp& op, LaneResult& result, Fn fn) {
  Sink out(op, result);
  for_active(op, [&](unsigned lane) { out.b64(lane, fn(lane)); });
}

}  // namespace cuvette::wave::lanes
