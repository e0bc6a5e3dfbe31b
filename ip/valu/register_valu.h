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
///   lockstep        `rtl` shadowed by the lane semantics
///   lockstep-check  `rtl-check` shadowed, with the handshake of its pins watched (ValuMonitor)
/// `on_mismatch` is given to every lockstep object.
void register_valu(valu::Registry& registry, const ValuLockstep::Observer& on_mismatch = {},
                   const ValuLockstep::Options& options = {});

/// Registers `dut:<name>`: a user's device, shadowed by the lane semantics, its pins watched.
void register_valu_dut(valu::Registry& registry, const std::string& name,
                       const std::shared_ptr<const DutLibrary>& library,
                       const ValuLockstep::Observer& on_mismatch = {},
                       const ValuLockstep::Options& options = {});

/// The lockstep in a block that one of these factories has made; null: it is none.
ValuLockstep* lockstep_in(valu::Valu& block);

}  // namespace cuvette::ip
