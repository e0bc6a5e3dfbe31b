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
///   rtl-check       with assertions, every bit starting at values drawn from Config::device_seed
///   lockstep        `rtl` shadowed by a register file of its own
///   lockstep-check  `rtl-check` shadowed, its pins watched
/// `on_mismatch` is given to every lockstep object.
void register_vrf(vrf::Registry& registry, const VrfLockstep::Kit::OnMismatch& on_mismatch = {},
                  const LockstepOptions& options = {});

/// Registers `dut:<name>`: a user's device, shadowed by a register file, its pins watched; the same
/// sizes.
void register_vrf_dut(vrf::Registry& registry, const std::string& name,
                      const std::shared_ptr<const DutLibrary>& library,
                      const VrfLockstep::Kit::OnMismatch& on_mismatch = {},
                      const LockstepOptions& options = {});

/// The lockstep in a block that one of these factories has made; null: it is none.
VrfLockstep* lockstep_in(vrf::Vrf& block);

/// The block of a recording on its own: the checking build, or the device of `library`, pins
/// watched, every message compared. Null: the library makes no device.
std::unique_ptr<VrfLockstep> make_lone_vrf(const std::shared_ptr<const DutLibrary>& library,
                                           const vrf::Config& config,
                                           const LockstepOptions& options);

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h): none beyond the line's own.
template <class Visitor>
void visit_config(const vrf::Config&, Visitor&&) {}

}  // namespace cuvette::ip::recording
