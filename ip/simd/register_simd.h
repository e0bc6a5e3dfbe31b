// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ip/dut_library.h"
#include "ip/simd/simd_lockstep.h"
#include "simd/simd.h"

namespace cuvette::ip {

/// Registers the implementations of block simd that need RTL, with valu and vrf inside, for gfx908
/// and two files of 256 rows; the factories give null for anything else:
///   rtl             the RTL, build for speed
///   rtl-check       with assertions, every bit starting at values drawn from Config::valu.seed,
///   and
///                   the handshake of its pins watched (SimdMonitor)
///   lockstep        `rtl` shadowed by whole-wave execution
///   lockstep-check  `rtl-check` shadowed
/// `on_mismatch` is given to every lockstep object.
void register_simd(simd::Registry& registry, const SimdLockstep::Observer& on_mismatch = {},
                   const SimdLockstep::Options& options = {});

/// Registers `dut:<name>`: a user's device, shadowed by whole-wave execution, its pins watched; the
/// same target and size.
void register_simd_dut(simd::Registry& registry, const std::string& name,
                       const std::shared_ptr<const DutLibrary>& library,
                       const SimdLockstep::Observer& on_mismatch = {},
                       const SimdLockstep::Options& options = {});

}  // namespace cuvette::ip
