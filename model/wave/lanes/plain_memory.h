// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "wave/lanes/plain.h"
#include "wave/lanes/plain_sources.h"
#include "wave/lanes/steady_place.h"

// Loads and stores of whole dwords on one host level (behaviour: memory/flat.cpp, memory/lds.cpp,
// memory/complete.cpp). All lanes must be in one piece of host memory, or nothing is done and the
// long way finds out what is wrong with which lane.
namespace cuvette::wave::lanes {
namespace {

constexpr uint32_t kLaneNumbers[kLanes] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/// Whether lane n's address is that of lane 0 and n * `bytes`, for all lanes. `high` may be null.
CUVETTE_INLINE bool consecutive(const uint32_t* low, const uint32_t* high, uint32_t bytes) {
  if (low[0] > ~uint32_t{0} - (kLanes - 1) * bytes) return false;
  const Bits first = broadcast(low[0]);
  Bits differs{};
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    const Bits wanted = first + load(kLaneNumbers + part * kWidth) * bytes;
    differs |= load(low + part * kWidth) ^ wanted;
  }
  if (high != nullptr) {
    const Bits same = broadcast(high[0]);
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) differs |= load(high + part * kWidth) ^ same;
  }
  return lanes_of(differs != 0) == 0;
}

/// Data of all lanes, lane after lane.
template <unsigned Dwords, bool Store>
CUVETTE_INLINE void copy_all(const Prepared& p, WaveState& wave, uint8_t* host) {
  uint32_t* const rows = Prepared::row(wave, Store ? p.src[2] : p.dst);
  if constexpr (Dwords == 1) {
    CUVETTE_UNROLL
    for (unsigned part = 0; part < kParts; ++part) {
      uint8_t* const there = host + part * sizeof(Bits);
      uint32_t* const here = rows + part * kWidth;
      Store ? store(there, load(here)) : store(here, load(there));
    }
  } else {
    alignas(64) uint32_t lanes[kLanes * Dwords];
    if constexpr (!Store) std::memcpy(lanes, host, sizeof lanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (unsigned d = 0; d < Dwords; ++d) {
        uint32_t& there = lanes[lane * Dwords + d];
        uint32_t& here = rows[d * kLanes + lane];
        Store ? there = here : here = there;
      }
    }
    if constexpr (Store) std::memcpy(host, lanes, sizeof lanes);
  }
}

/// Data of the enabled lanes, in ascending order: the last of two stores to one place counts.
template <unsigned Dwords, bool Store>
CUVETTE_INLINE void copy_each(const Prepared& p, WaveState& wave, uint64_t exec, uint8_t* host,
                              const uint32_t (&offset)[kLanes]) {
  uint32_t* const rows = Prepared::row(wave, Store ? p.src[2] : p.dst);
  for (uint64_t rest = exec; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint8_t* const there = host + offset[lane];
    for (unsigned d = 0; d < Dwords; ++d) {
      uint32_t* const here = rows + d * kLanes + lane;
      Store ? std::memcpy(there + 4 * d, here, 4) : std::memcpy(here, there + 4 * d, 4);
    }
  }
}

template <unsigned Dwords, bool Store>
CUVETTE_LEVEL bool global_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  constexpr uint32_t kBytes = 4 * Dwords;
  const uint64_t exec = wave.s.exec();
  if (slice.memory == nullptr) return false;
  if (exec == 0) return true;
  const uint32_t* const low = Prepared::row(wave, p.src[0]);
  const uint32_t* const high = (p.sources & kMemoryWide) != 0 ? low + kLanes : nullptr;
  uint64_t fixed = static_cast<uint64_t>(int64_t{p.instruction->mem.offset});
  if ((p.sources & kMemoryScalar) != 0) fixed += wave.s.pair(p.src[1]);
  const auto address = [&](unsigned lane) {
    return fixed + base::join32(low[lane], high == nullptr ? 0 : high[lane]);
  };
  uint64_t first, last;
  const bool all = exec == ~uint64_t{0} && consecutive(low, high, kBytes);
  if (all) {
    first = address(0);
    last = first + (kLanes - 1) * kBytes;
  } else {
    first = ~uint64_t{0};
    last = 0;
    for (uint64_t rest = exec; rest != 0; rest &= rest - 1) {
      const uint64_t here = address(static_cast<unsigned>(std::countr_zero(rest)));
      first = std::min(first, here);
      last = std::max(last, here);
    }
  }
  // Lanes around a whole aperture would be too far apart for one piece.
  constexpr uint64_t kFar = 1u << 20;
  if (last < first || last - first > kFar) return false;
  const auto span = static_cast<unsigned>(last - first) + kBytes;
  if (in_aperture(wave, judged_from(p, first)) || in_aperture(wave, first + span - 1)) return false;
  uint8_t* const host = slice.memory->window(first, span, Store);
  if (host == nullptr) return false;
  if (all) {
    if (slice.memory->watched) [[unlikely]]
      slice.memory->touch(first, span, Store);
    copy_all<Dwords, Store>(p, wave, host);
    return true;
  }
  uint32_t offset[kLanes];  // taken first: a load may overwrite its address
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    offset[lane] = static_cast<uint32_t>(address(lane) - first);
  }
  if (slice.memory->watched) [[unlikely]]
    slice.memory->touch_lanes(first, offset, exec, kBytes, Store);
  copy_each<Dwords, Store>(p, wave, exec, host, offset);
  return true;
}

template <unsigned Dwords, bool Store>
CUVETTE_LEVEL bool lds_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  constexpr uint32_t kBytes = 4 * Dwords;
  const uint64_t exec = wave.s.exec();
  const uint64_t limit = std::min<uint64_t>(slice.lds_bytes, wave.alloc.lds_bytes);
  const uint32_t* const low = Prepared::row(wave, p.src[0]);
  const auto fixed = static_cast<uint32_t>(p.instruction->mem.offset & 0xffff);
  if (exec == ~uint64_t{0} && consecutive(low, nullptr, kBytes)) {
    const uint32_t first = low[0] + fixed;
    if (first + uint64_t{kLanes * kBytes} > limit) return false;
    copy_all<Dwords, Store>(p, wave, slice.lds + first);
    return true;
  }
  uint32_t offset[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) offset[lane] = low[lane] + fixed;
  for (uint64_t rest = exec; rest != 0; rest &= rest - 1) {
    if (offset[std::countr_zero(rest)] + uint64_t{kBytes} > limit) return false;
  }
  copy_each<Dwords, Store>(p, wave, exec, slice.lds, offset);
  return true;
}

/// Asks for what a row of loads at a host's address will want. Any address may be asked for.
template <unsigned Dwords>
CUVETTE_INLINE void fetch_piece(uintptr_t there) {
  constexpr unsigned kLine = 64;
  CUVETTE_UNROLL
  for (unsigned line = 0; line < 4 * Dwords; ++line) {
    __builtin_prefetch(reinterpret_cast<const void*>(there + line * kLine));
  }
}

/// How far ahead of a load that goes on by `step` bytes in a round its next rounds are asked for:
/// about 4 KiB, as more would not stay in the host's first cache.
CUVETTE_INLINE uint64_t ahead_of(uint64_t step) {
  return step + 2048 < 4096 ? 4 * step : step;
}

/// Asks for what a load that has walked from `last` to `now` will want.
template <unsigned Dwords>
CUVETTE_INLINE void fetch_ahead(const uint8_t* host, uint64_t last, uint64_t now) {
  fetch_piece<Dwords>(reinterpret_cast<uintptr_t>(host) + ahead_of(now - last));
}

/// A steady access at `first` whose place in the host is not known yet, or of which others are
/// told. In a function of its own, so that the usual way needs no stack frame.
template <unsigned Dwords, bool Store>
[[gnu::noinline]] CUVETTE_LEVEL bool steady_global_first(const Prepared& p, WaveState& wave,
                                                         HostSlice& slice, uint64_t first) {
  constexpr uint32_t kSpan = kLanes * 4 * Dwords;
  uint8_t* const host = slice.memory->window(first, kSpan, Store);
  if (host == nullptr) return false;
  if (slice.memory->watched) slice.memory->touch(first, kSpan, Store);
  copy_all<Dwords, Store>(p, wave, host);
  return true;
}

/// global_row with EXEC full, when lane 0 says all addresses.
template <unsigned Dwords, bool Store>
CUVETTE_LEVEL bool steady_global_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  constexpr uint32_t kSpan = kLanes * 4 * Dwords;
  if (slice.memory == nullptr) return false;
  const uint64_t first = steady_address(p, wave);
  // Over the end of an aperture, or into one, is nothing for here.
  if (!is_beside_apertures(p, wave, first, kSpan)) return false;
  uint8_t* const host = slice.memory->known_window(first, kSpan, Store);
  if (host == nullptr || slice.memory->watched) [[unlikely]] {
    return steady_global_first<Dwords, Store>(p, wave, slice, first);
  }
  if (!Store && p.trail != kNoTrail) {
    fetch_ahead<Dwords>(host, slice.trails[p.trail], first);
    slice.trails[p.trail] = first;
  }
  copy_all<Dwords, Store>(p, wave, host);
  return true;
}

template <unsigned Dwords, bool Store>
CUVETTE_LEVEL bool steady_lds_row(const Prepared& p, WaveState& wave, HostSlice& slice) {
  constexpr uint32_t kSpan = kLanes * 4 * Dwords;
  const uint64_t limit = std::min<uint64_t>(slice.lds_bytes, wave.alloc.lds_bytes);
  const uint32_t first =
      *Prepared::row(wave, p.src[0]) + static_cast<uint32_t>(p.instruction->mem.offset & 0xffff);
  if (first + uint64_t{kSpan} > limit) return false;
  copy_all<Dwords, Store>(p, wave, slice.lds + first);
  return true;
}

/// HostRows::walks.
CUVETTE_LEVEL inline bool walks_row(const uint32_t* row, uint32_t stride) {
  return consecutive(row, nullptr, stride);
}
/// HostRows::walk.
CUVETTE_LEVEL inline void walk_row(uint32_t* row, uint32_t stride) {
  const Bits first = broadcast(*row);
  CUVETTE_UNROLL
  for (unsigned part = 0; part < kParts; ++part) {
    store(row + part * kWidth, first + load(kLaneNumbers + part * kWidth) * stride);
  }
}

enum class MemoryWay : uint8_t { Global, Lds, SteadyGlobal, SteadyLds };

template <MemoryWay Way, unsigned Dwords, bool Store>
constexpr Prepared::Run memory_row() {
  if constexpr (Way == MemoryWay::Global) return global_row<Dwords, Store>;
  if constexpr (Way == MemoryWay::Lds) return lds_row<Dwords, Store>;
  if constexpr (Way == MemoryWay::SteadyGlobal) return steady_global_row<Dwords, Store>;
  if constexpr (Way == MemoryWay::SteadyLds) return steady_lds_row<Dwords, Store>;
}

template <MemoryWay Way, size_t... N>
constexpr auto memory_table(std::index_sequence<N...>) {
  return std::array<std::array<Prepared::Run, 2>, sizeof...(N)>{
      {{memory_row<Way, N + 1, false>(), memory_row<Way, N + 1, true>()}...}};
}

}  // namespace
}  // namespace cuvette::wave::lanes
