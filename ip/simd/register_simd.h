// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ip/dut_library.h"
#include "ip/simd/simd_lockstep.h"

namespace cuvette::ip {

/// Adds `rtl` and `lockstep`, and `rtl-check` and `lockstep-check` on the build for checking.
/// Factories give null for another target than gfx908 and other sizes than those of the RTL.
void register_simd(simd::Registry& registry, const SimdLockstep::Kit::OnMismatch& on_mismatch = {},
                   const LockstepOptions& options = {});

/// Adds `dut:<name>`, a user's device in lockstep, its pins watched.
void register_simd_dut(simd::Registry& registry, const std::string& name,
                       const std::shared_ptr<const DutLibrary>& library,
                       const SimdLockstep::Kit::OnMismatch& on_mismatch = {},
                       const LockstepOptions& options = {});

/// The lockstep of a block; null: it has none.
SimdLockstep* lockstep_in(simd::Simd& block);

/// A SIMD alone, for a rerun, its pins watched. `library` null: the checking build of our RTL. Null
/// when the module refuses to make a device.
std::unique_ptr<SimdLockstep> make_lone_simd(const std::shared_ptr<const DutLibrary>& library,
                                             const simd::Config& config,
                                             const LockstepOptions& options = {});

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h): none beyond the line's own.
template <class Visitor>
void visit_config(const simd::Config&, Visitor&&) {}

}  // namespace cuvette::ip::recording
