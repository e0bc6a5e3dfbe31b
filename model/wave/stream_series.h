// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "wave/stream_waves.h"

namespace cuvette::wave {

/// Waves that are all alike.
class StreamSeries {
 public:
  /// Work-groups of `waves` whole waves each.
  struct Grid {
    uint64_t groups = 0;
    unsigned waves = 1;
  };
  /// What the first wave of the first work-group sees, the one behind it in the work-group (with
  /// one wave in a work-group, itself), and the first one of the next work-group.
  StreamSeries(const StreamWaves& code, const StreamWaves::Seen& first,
               const StreamWaves::Seen& next, const StreamWaves::Seen& group, Grid grid);

  /// The first waves of the grid, at most as many as said, one after the other. `wave`: one that
  /// see() was called for, `slice` its own and entered. Returns how many were done, for good. Where
  /// it is less, the next one has to go another way.
  uint64_t run(WaveState& wave, HostSlice& slice, uint64_t most);

  /// Whether no work-group of `groups`, which may be one more than the grid has, stores where
  /// another one loads or stores, as far as addresses say. `with_partial`: lanes that want nothing
  /// may be among them.
  bool keeps_apart(uint64_t groups, bool with_partial) const;

 private:
  /// A number of the first wave, and how it grows with the work-group and with the wave in it.
  template <class T>
  struct Plane {
    T now = 0, by_group = 0, by_wave = 0;
  };
  template <class T>
  static Plane<T> plane_of(T first, T next, T group) {
    return {first, static_cast<T>(group - first), static_cast<T>(next - first)};
  }
  struct Range {
    int64_t lowest, highest;
  };
  static Range half_of(uint32_t number);
  static Range side_of(const lanes::IntegerCompare& asks, const StreamWaves::Compared& first);
  uint64_t groups_of(const Plane<uint32_t>& number, uint32_t stride, Range range) const;
  bool stays_joined(const Plane<uint32_t>& above, const Plane<uint32_t>& below,
                    uint32_t stride) const;
  /// What an access reaches in a work-group, and in the first `groups` ones.
  struct Reach {
    int64_t low = 0, end = 0;
    bool meets(const Reach& other) const { return low < other.end && other.low < end; }
  };
  Reach reach_of(const Plane<uint64_t>& address, uint64_t groups) const;
  uint64_t find_places(WaveState& wave, HostSlice& slice, uint64_t number, uint64_t most);
  bool keeps_scalars(uint64_t waves) const;

  const StreamWaves& code_;
  Grid grid_;
  /// Work-groups whose numbers are linear, in the grid and behind it, and those whose comparisons
  /// say the same, too.
  uint64_t linear_groups_ = ~uint64_t{0}, equal_groups_ = ~uint64_t{0};
  std::vector<StreamWaves::Seen::Piece> scalars_;
  std::vector<Plane<uint64_t>> addresses_;
  std::vector<StreamPlace> places_;
  bool even_ = true;  ///< addresses of consecutive waves are equally far apart in the whole grid
};

}  // namespace cuvette::wave
