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

/// Whether FLAT would not take the address for device memory. GLOBAL only refuses the shared
/// aperture; what it does with the private one is nothing for the short ways either.
inline bool in_aperture(const WaveState& wave, uint64_t address) {
  const auto in = [address](uint64_t aperture) {
    return aperture != 0 && address >> 32 == aperture >> 32;
  };
  return in(wave.alloc.shared_aperture) || in(wave.alloc.private_aperture);
}

/// The lowest address that an access from `first` on is judged by: FLAT looks at the one without
/// the offset (decision D54), which is never negative there.
inline uint64_t judged_from(const Prepared& p, uint64_t first) {
  const bool flat = (p.sources & kMemoryFlat) != 0;
  return flat ? first - static_cast<uint32_t>(p.instruction->mem.offset) : first;
}

/// Whether `bytes` bytes from `first` on are device memory for a steady access, as far as apertures
/// go: all that decides has the same upper half.
inline bool is_beside_apertures(const Prepared& p, const WaveState& wave, uint64_t first,
                                uint32_t bytes) {
  const uint64_t lowest = judged_from(p, first);
  return lowest >> 32 == (first + bytes) >> 32 && !in_aperture(wave, lowest);
}

/// The piece of memory around a steady access of a dword per lane at `first`, when it may be done
/// there; null: it may not, or the piece is not known.
inline const HostWindows::Window* steady_piece(const Prepared& p, const WaveState& wave,
                                               const HostSlice& slice, uint64_t first, bool store) {
  constexpr uint32_t kSpan = kLanes * 4;
  if (!is_beside_apertures(p, wave, first, kSpan)) return nullptr;
  return slice.memory->known_piece(first, kSpan, store);
}

}  // namespace cuvette::wave::lanes
