// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
/// A group for many rounds: `place` says where its loads and then its store are, and goes on. What
/// is neither load, nor StreamGroup::op, nor store is left out. Registers are written for which
/// `registers` has a bit, of the loads and then the result. Returns how many rounds were done;
/// nothing has been written by the one that was not, which has a NaN among its results.
using StreamRun = uint64_t (*)(const StreamGroup&, WaveState&, StreamPlace* place, uint64_t rounds,
                               unsigned registers);

/// The group that the first pieces of `steady` are; none: they are not one.
std::optional<StreamGroup> find_stream(std::span<const Prepared> steady);

/// The group as one piece; it must stay where it is. Declines with HostSlice::pieces_done.
Prepared stream_piece(const StreamGroup& group);

/// The pieces one by one: as Prepared::Run of stream_piece().
bool run_pieces(const StreamGroup& group, WaveState& wave, HostSlice& slice);

}  // namespace cuvette::wave
