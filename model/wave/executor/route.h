// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wave/dpp.h"

namespace cuvette::wave {

/// Steps of SDWA, DPP and CLAMP around a row's function: operands before it, its result after.
struct Route {
  bool dpp = false, sdwa = false, clamp = false;
  uint8_t source[64] = {};  ///< DPP: the lane that each reads
  uint64_t inside = 0;      ///< bit per lane: its source is in the pattern
  uint64_t selected = 0;    ///< bit per lane, by row and bank masks
};

}  // namespace cuvette::wave
