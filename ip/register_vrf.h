// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/vrf_lockstep.h"
#include "vrf/vrf.h"

namespace cuvette::ip {

/// Registers the implementations of block vrf that need RTL, for two files of 256 rows (gfx908);
/// the factories give null for any other size:
///   rtl             the RTL, build for speed
///   rtl-check       with assertions, every bit starting at values drawn from Config::device_seed
///   lockstep        `rtl` shadowed by a register file of its own
///   lockstep-check  `rtl-check` shadowed
/// `on_mismatch` is given to every lockstep object.
void register_vrf(vrf::Registry& registry, const VrfLockstep::Observer& on_mismatch = {},
                  const VrfLockstep::Options& options = {});

}  // namespace cuvette::ip
