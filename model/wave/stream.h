// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wave/prepared.h"

// Streams: loads, one F32 instruction on what they loaded, and the store of its result, done as one
// piece, so that numbers go from memory to memory through the host's registers. Every register is
// written as the instructions one by one write it.
namespace cuvette::wave {

/// Pieces of steady code (wave/steady.h) next to each other: loads of a dword per lane and scalar
/// instructions in any order, then scalar instructions and what is computed in lane 0, then `op`,
/// then `store`. None of the first ones changes an address or a value that another one uses.
struct StreamGroup {
  static constexpr size_t kMostLoads = 4;
  static constexpr uint8_t kNoLoad = 0xff;

  std::vector<Prepared> pieces;  ///< all of them, in the order of the program
  std::vector<Prepared> others;  ///< what is neither load, nor `op`, nor `store`
  Prepared load[kMostLoads];
  uint8_t loads = 0;
  Prepared op, store;
  size_t number = 0;  ///< of its first load among those of all groups: HostSlice::near_loads
  uint8_t from[3] = {kNoLoad, kNoLoad, kNoLoad};  ///< per source of `op`: which load wrote it
  uint8_t replaced = kNoLoad;                     ///< the load whose register `op` writes
};

/// Where an access of a group is in the host, and how far it goes on in a round.
struct StreamPlace {
  uint8_t* host = nullptr;
  int64_t step = 0;
};
/// Pieces of device memory that are contiguous in the host, found while nothing is mapped anew.
class StreamPieces {
 public:
  explicit StreamPieces(HostWindows& memory) : memory_(memory) {}
  /// The piece around `address`, known at least from `low` to `high` where it reaches as far; host
  /// null: there is none.
  HostWindows::Window around(uint64_t address, uint64_t low, uint64_t high, bool store);

 private:
  static constexpr size_t kMost = 4;
  HostWindows::Window find(uint64_t address, uint64_t low, uint64_t high, bool store) const;
  HostWindows& memory_;
  struct Found {
    HostWindows::Window piece;
    bool store = false;
  };
  std::array<Found, kMost> found_{};
  size_t next_ = 0;
};
/// Looks for the place of an access that is at `first` in the next round and `step` further on in
/// each one. Returns how many of the next `most` rounds stay in the same piece of host memory; 0:
/// the access cannot be done there.
uint64_t find_place(const Prepared& access, const WaveState& wave, StreamPieces& pieces,
                    uint64_t first, int64_t step, uint64_t most, StreamPlace& place);

/// A load or store of one dword per lane whose addresses lane 0 says (wave/steady.h).
bool is_steady(const Prepared& p, bool store);
/// Scalar instructions that never decline and write what their operands say.
bool is_direct_scalar(const Prepared& p);
/// Those whose result is a sum of sources and SCC modulo 2^32; what is left of SCC follows from
/// what wraps around.
bool is_scalar_sum(const Prepared& p);

/// A group among those of a loop (wave/stream_loop.h).
struct StreamTurn {
  const StreamGroup* group = nullptr;
  size_t piece = 0;   ///< of SteadyCode::pieces()
  size_t place = 0;   ///< of its first load among the accesses of all groups, its store is the last
  unsigned read = 0;  ///< bit per load, then result: an instruction of a group reads the register
};
/// Where many rounds ended: behind whole ones, and groups that did their part of the next one.
struct StreamStop {
  uint64_t rounds = 0;
  size_t turn = 0;
};
/// Groups in turn, all of one operation and shape, no more than kMostTurns, for many rounds.
/// `place` says where their accesses are, and goes on. What is neither load, nor StreamGroup::op,
/// nor store is left out. Of registers those are written that are `read`, or for which `registers`
/// has a bit. Ends early where a result is a NaN; nothing has been written by that group in that
/// round.
using StreamRun = StreamStop (*)(std::span<const StreamTurn> turns, WaveState&, StreamPlace* place,
                                 uint64_t rounds, unsigned registers);
inline constexpr size_t kMostTurns = 8;

/// Another load of a group: false when it already has one into that register, or too many.
bool add_load(StreamGroup& group, const Prepared& load);
/// The instruction that uses what was loaded. False: it does not.
bool add_op(StreamGroup& group, const Prepared& op);

/// The group that the first pieces of `steady` are; none: they are not one.
std::optional<StreamGroup> find_stream(std::span<const Prepared> steady);

/// The group as one piece; it must stay where it is. Declines with HostSlice::pieces_done.
Prepared stream_piece(const StreamGroup& group);

/// The pieces one by one: as Prepared::Run of stream_piece().
bool run_pieces(const StreamGroup& group, WaveState& wave, HostSlice& slice);

}  // namespace cuvette::wave
