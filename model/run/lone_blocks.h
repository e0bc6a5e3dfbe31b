// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "ip/lockstep/rerun.h"

namespace cuvette::run {

/// True if a recording of the block can be run again.
bool can_run_alone(const std::string& block);

/// Runs a recording of blocks on the kit again, each alone: the checking build of our RTL or the
/// user's device, its pins watched. Errors: those of ip::rerun_blocks().
base::Result<ip::Rerun> rerun_alone(const std::string& path, const ip::WaveWindow& waves,
                                    const std::string& library);

}  // namespace cuvette::run
