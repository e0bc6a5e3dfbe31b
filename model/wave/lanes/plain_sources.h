// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/host_vector.h"
#include "wave/lanes/plain.h"

// Operands of plain rows on one host level.
namespace cuvette::wave::lanes {
namespace {

/// Where a source is: in a register, or one value for all lanes.
struct PlainSource {
  const uint32_t* first;
  bool scalar;
};

/// Dword `dword` of source `s`.
template <SourceShape Shape = SourceShape::Any>
CUVETTE_INLINE PlainSource source_of(const Prepared& p, const WaveState& wave, unsigned s,
                                     unsigned dword = 0) {
  const bool scalar = Shape == SourceShape::Any ? base::bit(p.scalars, s)
                                                : Shape == SourceShape::FirstScalar && s == 0;
  if (scalar) return {p.scalar_source(wave, s) + dword, true};
  const uint32_t* first = Prepared::row(wave, p.src[s]) + dword * kLanes;
#if defined(__x86_64__)
  // One register: with a base and an index the host takes arithmetic and its load apart.
  if constexpr (Shape == SourceShape::Registers) asm("" : "+r"(first));
#endif
  return {first, false};
}

/// Lanes from `part` * kWidth on.
CUVETTE_INLINE Bits take(const PlainSource& from, unsigned part) {
  return from.scalar ? broadcast(*from.first) : load(from.first + part * kWidth);
}

/// Writes the enabled lanes: with the old value for the others, as stores of parts are slow to read
/// again.
template <bool Full, class Exec>
CUVETTE_INLINE void put(uint32_t* dst, unsigned part, const Exec& exec, Bits x) {
  uint32_t* const to = dst + part * kWidth;
  if constexpr (!Full) x = blend(mask_of(exec, part * kWidth), load(to), x);
  store(to, x);
}

/// The same when `x` is 0 in the lanes that are not enabled.
template <class Exec>
CUVETTE_INLINE void put_beside_zeros(uint32_t* dst, unsigned part, const Exec& exec, Bits x) {
#if CUVETTE_VECTOR_BYTES == 64
  put<false>(dst, part, exec, x);
#else
  uint32_t* const to = dst + part * kWidth;
  store(to, x | (load(to) & ~as<Bits>(mask_of(exec, part * kWidth))));
#endif
}

}  // namespace
}  // namespace cuvette::wave::lanes
