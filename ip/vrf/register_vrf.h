// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ip/dut_library.h"
#include "ip/vrf/vrf_lockstep.h"
#include "vrf/vrf.h"

namespace cuvette::ip {

/// Registers the implementations of block vrf that need RTL, for two files of 256 rows (gfx908);
/// the factories give null for any other size:
///   rtl             the RTL, build for speed
///   rtl-check       with assertions, every bit starting at values drawn from Config::device_seed,
///                   the handshake of its pins watched (VrfMonitor)
///   lockstep        `rtl` shadowed by a register file of its own
///   lockstep-check  `rtl-check` shadowed
/// `on_mismatch` is given to every lockstep object.
void register_vrf(vrf::Registry& registry, const VrfLockstep::Observer& on_mismatch = {},
                  const VrfLockstep::Options& options = {});

/// Registers `dut:<name>`: a user's device, shadowed by a register file, its pins watched;
/// the same sizes.
void register_vrf_dut(vrf::Registry& registry, const std::string& name,
                      const std::shared_ptr<const DutLibrary>& library,
                      const VrfLockstep::Observer& on_mismatch = {},
                      const VrfLockstep::Options& options = {});

}  // namespace cuvette::ip
