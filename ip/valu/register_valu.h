// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ip/dut_library.h"
#include "ip/valu/valu_lockstep.h"
#include "valu/valu.h"

namespace cuvette::ip {

/// Registers the implementations of block valu that need RTL, which is that of Config::target:
///   rtl             the RTL, build for speed
///   rtl-check       with assertions and register start values drawn from Config::seed
///   lockstep        `rtl` compared with the lane semantics of layer wave
///   lockstep-check  `rtl-check` compared, its pins watched
/// `on_mismatch` is given to every lockstep object.
void register_valu(valu::Registry& registry, const ValuLockstep::Kit::OnMismatch& on_mismatch = {},
                   const LockstepOptions& options = {});

/// Registers `dut:<name>`: a user's device, compared with the lane semantics, its pins watched.
void register_valu_dut(valu::Registry& registry, const std::string& name,
                       const std::shared_ptr<const DutLibrary>& library,
                       const ValuLockstep::Kit::OnMismatch& on_mismatch = {},
                       const LockstepOptions& options = {});

/// The lockstep in a block that one of these factories has made; null: it is none.
ValuLockstep* lockstep_in(valu::Valu& block);

/// The block of a recording on its own: the checking build, or the device of `library`, pins
/// watched, every message compared. Null: the library makes no device.
std::unique_ptr<ValuLockstep> make_lone_valu(const std::shared_ptr<const DutLibrary>& library,
                                             const valu::Config& config,
                                             const LockstepOptions& options);

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h): none beyond the line's own.
template <class Visitor>
void visit_config(const valu::Config&, Visitor&&) {}

}  // namespace cuvette::ip::recording
