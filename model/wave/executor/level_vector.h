// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/executor/micro_op.h"
#include "wave/lanes/level.h"

// Vector rows on one host level: sources from registers, scalars and constants, results to
// registers and masks.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {

CUVETTE_LEVEL bool run_vector(const MicroOp& p, WaveState& wave, Context& c);
/// The same where all sources and the result are single dwords.
CUVETTE_LEVEL bool run_words(const MicroOp& p, WaveState& wave, Context& c);
/// With MicroOp::route.
CUVETTE_LEVEL bool run_routed(const MicroOp& p, WaveState& wave, Context& c);

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
