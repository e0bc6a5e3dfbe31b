// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace cuvette::ip {

/// Speed of the matrix core's RTL (fast build) in clock cycles per second of process time, the unit
/// always busy: 32 steps of one result per cycle.
struct MatrixSpeed {
  double bare = 0;       ///< pins driven directly
  double interface = 0;  ///< through the contract of the block
  double lockstep = 0;   ///< the same with every result checked
};

/// `mnemonic` is a V_MFMA of gfx908 (anything else gives zeros). Each number is the best of three
/// runs of `instructions` instructions.
MatrixSpeed measure_matrix(const std::string& mnemonic, unsigned instructions);

}  // namespace cuvette::ip
