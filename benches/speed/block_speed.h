// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cache/cache.h"

namespace cuvette::bench {

/// Speed of a block's RTL (fast build) in work per second of process time.
struct BlockSpeed {
  double bare = 0;       ///< pins driven directly
  double interface = 0;  ///< through the contract of the block
  double lockstep = 0;   ///< the same with every answer checked
};

/// One way to run a block; gives the work it did.
using SpeedRun = std::function<uint64_t()>;

/// Work per second of each: medians of nine rounds, taken in turn so that what else the host does
/// meets all.
std::vector<double> measure_speeds(const std::vector<SpeedRun>& runs);
BlockSpeed measure_speed(const SpeedRun& bare, const SpeedRun& interface, const SpeedRun& lockstep);

/// The vector ALU in lane operations: one beat of 16 lanes per cycle, pipeline full, full EXEC.
/// `mnemonic` is one of gfx908 in rtl/valu/valu_ops.csv (anything else gives zeros); `beats` per
/// round.
BlockSpeed measure_valu(const std::string& mnemonic, uint64_t beats);

/// The matrix core in clock cycles, always busy: 32 steps of one result per cycle. `mnemonic` is a
/// V_MFMA of gfx908 (anything else gives zeros); `instructions` per round.
BlockSpeed measure_matrix(const std::string& mnemonic, unsigned instructions);

/// The cache of the program's machines in clock cycles, an access in every cycle to what it holds:
/// pins driven directly; with every message checked by the rules of its page.
std::vector<double> measure_cache(cache::Role role);

}  // namespace cuvette::bench
