// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/operands.h"
#include "wave/steady.h"
#include "wave/stream.h"

// Waves of nothing but one stream: straight code that computes addresses, loads, does one F32
// instruction, stores and ends. Many waves of a dispatch at once, without launching them.
//
// Waves differ in the number of their work-group and in their place in it. What follows from these
// by sums, shifts and products with what all waves have alike is a linear function of both, modulo
// 2^32; three waves say which. While no such number wraps around or passes the middle of its range,
// carries and overflows are linear, too, and those that three waves have alike all have.
namespace cuvette::wave {

/// Registers that a dispatch gives to each wave with a content of its own.
struct OwnRegisters {
  /// Evenly: with the work-group, and with the wave in it.
  std::vector<isa::RegisterRange> growing;
  std::vector<isa::RegisterRange> others;
  bool operator==(const OwnRegisters&) const = default;
};

/// The code of such waves.
class StreamWaves {
 public:
  /// `straight`: all instructions of a wave but S_ENDPGM. They must stay where they are.
  StreamWaves(std::span<const Prepared> straight, const OwnRegisters& own);
  StreamWaves(const StreamWaves&) = delete;
  StreamWaves& operator=(const StreamWaves&) = delete;

  /// Whether it is something else.
  bool empty() const { return run_ == nullptr; }

  /// What a wave has computed.
  struct Seen {
    struct Piece {
      const uint8_t* host = nullptr;
      uint64_t address = 0;
      size_t bytes = 0;
    };
    std::vector<uint32_t> numbers;
    std::vector<uint64_t> masks;      ///< and SCC
    std::vector<uint64_t> addresses;  ///< of accesses(), lane 0
    std::vector<Piece> scalars;       ///< memory that scalar loads read
  };
  /// Does all but the stream itself for a new wave; memory is read only. False: one of the
  /// instructions has to go another way.
  bool see(WaveState& wave, HostSlice& slice, Seen& seen) const;

  /// How far apart a number is in neighbouring lanes.
  const std::vector<uint32_t>& strides() const { return strides_; }
  /// The loads, then the store.
  const std::vector<Prepared>& accesses() const { return accesses_; }
  const StreamTurn& turn() const { return turn_; }
  StreamRun run() const { return run_; }

 private:
  class Reader;
  struct Step {
    const Prepared* piece = nullptr;
    bool access = false;
    bool loads = false;    ///< SGPRs
    unsigned numbers = 0;  ///< that it computes: dwords from its destination on
    bool lanes = false;    ///< in lane 0 of VGPRs
    bool judges = false;   ///< its carry, or SCC, is seen
  };

  SteadyCode code_;
  std::vector<Step> steps_;
  std::vector<uint32_t> strides_;
  std::vector<Prepared> accesses_;
  StreamGroup group_;
  StreamTurn turn_;
  StreamRun run_ = nullptr;
};

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
  /// another one loads or stores, as far as addresses say.
  bool keeps_apart(uint64_t groups) const;

 private:
  /// A number of the first wave, and how it grows with the work-group and with the wave in it.
  template <class T>
  struct Plane {
    T now = 0, by_group = 0, by_wave = 0;
  };
  uint64_t groups_of(const Plane<uint32_t>& number, uint32_t stride) const;
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
  /// Work-groups whose numbers are linear, in the grid and behind it.
  uint64_t linear_groups_ = ~uint64_t{0};
  std::vector<StreamWaves::Seen::Piece> scalars_;
  std::vector<Plane<uint64_t>> addresses_;
  std::vector<StreamPlace> places_;
  bool even_ = true;  ///< addresses of consecutive waves are equally far apart in the whole grid
};

}  // namespace cuvette::wave
