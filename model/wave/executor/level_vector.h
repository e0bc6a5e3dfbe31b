// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/executor/micro_op.h"
#include "wave/lanes/level.h"

// Vector rows on one host level: sources from registers, scalars and constants, results to
// registers and masks.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

/// By the reference's MicroOp::lanes.
CUVETTE_LEVEL bool run_called(const MicroOp& p, WaveState& wave, Context& c);
/// By a function of either, with MicroOp::route around it.
CUVETTE_LEVEL bool run_routed(const MicroOp& p, WaveState& wave, Context& c);

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
