// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "machine/core.h"
#include "simd/simd.h"

namespace cuvette::ip {

/// One instruction of a SIMD in lockstep.
struct SimdTransaction {
  simd::Issue issue;
  machine::Cycle taken = 0;
  std::vector<wave::LaneRow> sources;  ///< first register of each vector source when it was taken
  size_t given = 0;                    ///< beats of the device
  uint8_t flags = 0;                   ///< their union
};

/// "row 17", "acc row 3".
std::string row_text(vrf::RowAddress row);

/// Instruction, its inputs and the wrong lanes of a beat with their sources; many lines.
std::string difference_text(const SimdTransaction& transaction, const simd::Retire& want,
                            const simd::Retire& got);

}  // namespace cuvette::ip
