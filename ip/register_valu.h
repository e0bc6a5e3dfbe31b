// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/valu_lockstep.h"
#include "valu/valu.h"

namespace cuvette::ip {

/// Registers the implementations of block valu that need RTL:
///   rtl             the RTL, build for speed
///   rtl-check       with assertions and register start values drawn from Config::seed
///   lockstep        `rtl` shadowed by the lane semantics
///   lockstep-check  `rtl-check` shadowed
/// `on_mismatch` is given to every lockstep object.
void register_valu(valu::Registry& registry, const ValuLockstep::Observer& on_mismatch = {});

}  // namespace cuvette::ip
