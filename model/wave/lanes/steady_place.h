// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/plain.h"

// Where global and flat accesses of prepared instructions go.
namespace cuvette::wave::lanes {

/// Address of lane 0 of a steady access (HostRows::steady_memory).
inline uint64_t steady_address(const Prepared& p, const WaveState& wave) {
  const uint32_t* const low = Prepared::row(wave, p.src[0]);
  const uint32_t high = (p.sources & kMemoryWide) != 0 ? low[kLanes] : 0;
  uint64_t first =
      base::join32(*low, high) + static_cast<uint64_t>(int64_t{p.instruction->mem.offset});
  if ((p.sources & kMemoryScalar) != 0) first += wave.s.pair(p.src[1]);
  return first;
}

/// Whether FLAT would not take the address for device memory, or GLOBAL would refuse it.
inline bool in_aperture(const Prepared& p, const WaveState& wave, uint64_t address) {
  const auto in = [address](uint64_t aperture) {
    return aperture != 0 && address >> 32 == aperture >> 32;
  };
  const bool flat = (p.sources & kMemoryFlat) != 0;
  return in(wave.alloc.shared_aperture) || (flat && in(wave.alloc.private_aperture));
}

/// The piece of memory around a steady access of a dword per lane at `first`, when it may be done
/// there; null: it may not, or the piece is not known.
inline const HostWindows::Window* steady_piece(const Prepared& p, const WaveState& wave,
                                               const HostSlice& slice, uint64_t first, bool store) {
  constexpr uint32_t kSpan = kLanes * 4;
  if (first >> 32 != (first + kSpan) >> 32 || in_aperture(p, wave, first)) return nullptr;
  return slice.memory->known_piece(first, kSpan, store);
}

}  // namespace cuvette::wave::lanes
