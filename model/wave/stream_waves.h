// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/operands.h"
#include "wave/lanes/lane0.h"
#include "wave/steady.h"
#include "wave/stream.h"

// Waves of nothing but one stream: straight code that computes addresses, loads, does one F32
// instruction, stores and ends. Many waves of a dispatch at once, without launching them.
//
// Waves differ in the number of their work-group and in their place in it. What follows from these
// by sums, shifts and products with what all waves have alike is a linear function of both, modulo
// 2^32; three waves say which. While no such number wraps around or passes the middle of its range,
// carries and overflows are linear, too, and those that three waves have alike all have.
//
// Lanes may compare a number with what all waves have alike, and go around the rest when none of
// them wants it. Here all of them do, as long as the number stays on its side.
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

  /// Of a comparison.
  struct Compared {
    uint32_t low = 0, high = 0;  ///< the number in lane 0, its high half 0 when it has none
    uint64_t bound = 0;
  };
  /// What a wave has computed.
  struct Seen {
    struct Piece {
      const uint8_t* host = nullptr;
      uint64_t address = 0;
      size_t bytes = 0;
    };
    std::vector<uint32_t> numbers;
    std::vector<uint64_t> alike;           ///< what has to be the same in all waves
    std::vector<Compared> compared;        ///< per comparison, V_AND among them
    std::vector<lanes::Lane0Join> joined;  ///< per V_OR
    std::vector<uint64_t> addresses;       ///< of accesses(), lane 0
    std::vector<Piece> scalars;            ///< memory that scalar loads read
  };
  /// Does all but the stream itself for a new wave; memory is read only. False: one of the
  /// instructions has to go another way.
  bool see(WaveState& wave, HostSlice& slice, Seen& seen) const;

  /// How far apart a number is in neighbouring lanes: of Seen::numbers, and of Seen::joined what is
  /// below.
  const std::vector<uint32_t>& strides() const { return strides_; }
  const std::vector<uint32_t>& joined_strides() const { return joined_strides_; }
  /// Of Seen::compared.
  struct Comparison {
    lanes::IntegerCompare asks;
    uint32_t stride = 0;   ///< of the number
    bool by_lanes = true;  ///< the lanes' own; otherwise what follows is linear only while it holds
  };
  const std::vector<Comparison>& comparisons() const { return comparisons_; }
  /// The loads, then the store.
  const std::vector<Prepared>& accesses() const { return accesses_; }
  const StreamTurn& turn() const { return turn_; }
  StreamRun run() const { return run_; }

 private:
  class Reader;
  struct Step {
    /// What is to be seen of it.
    enum class Kind : uint8_t { Number, Access, Load, Compare, Join };
    const Prepared* piece = nullptr;
    Kind kind = Kind::Number;  ///< Load: of SGPRs
    unsigned numbers = 0;      ///< that it computes: dwords from its destination on
    bool lanes = false;        ///< in lane 0 of VGPRs
    bool carries = false;      ///< its carry, or SCC, has to be the same in all waves
    bool pins = false;         ///< its sources have
    bool sign = false;         ///< its result has
  };
  static void see_sources(const Prepared& p, const WaveState& wave, Seen& seen);
  static void see_result(const Step& step, const WaveState& wave, Seen& seen);

  SteadyCode code_;
  std::vector<Step> steps_;
  std::vector<uint32_t> strides_, joined_strides_;
  std::vector<Comparison> comparisons_;
  std::vector<Prepared> accesses_;
  StreamGroup group_;
  StreamTurn turn_;
  StreamRun run_ = nullptr;
};

}  // namespace cuvette::wave
