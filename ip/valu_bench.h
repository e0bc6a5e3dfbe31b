// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace cuvette::ip {

/// Throughput of the valu RTL (fast build) in lane operations per second of process time, one beat
/// of 16 lanes per cycle, pipeline full, full EXEC.
struct ValuSpeed {
  double bare = 0;       ///< pins driven directly
  double interface = 0;  ///< through the contract of the block
  double lockstep = 0;   ///< the same with every response checked
};

/// `mnemonic` is one of rtl/valu/valu_ops.csv (anything else gives zeros). Each number is the best
/// of three runs of `beats` beats.
ValuSpeed measure_valu(const std::string& mnemonic, uint64_t beats);

}  // namespace cuvette::ip
