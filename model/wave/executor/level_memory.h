// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/executor/micro_op.h"
#include "wave/lanes/level.h"

// Vector loads and stores of all spaces and widths on one host level.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

CUVETTE_LEVEL bool load_lanes(const MicroOp& p, WaveState& wave, Context& c);
CUVETTE_LEVEL bool store_lanes(const MicroOp& p, WaveState& wave, Context& c);
/// Atomics (level_atomic.cpp).
CUVETTE_LEVEL bool update_lanes(const MicroOp& p, WaveState& wave, Context& c);

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
