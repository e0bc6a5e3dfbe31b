// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ip/dut_library.h"
#include "ip/matrix_core/matrix_lockstep.h"
#include "matrix_core/matrix_core.h"

namespace cuvette::ip {

/// Registers the implementations of block matrix_core that need RTL:
///   rtl             the RTL, build for speed
///   rtl-check       with assertions and register start values drawn from Config::seed
///   lockstep        `rtl` compared with the arithmetic of layer wave
///   lockstep-check  `rtl-check` compared, its pins watched
/// `on_mismatch` is given to every lockstep object.
void register_matrix(matrix_core::Registry& registry,
                     const MatrixLockstep::Kit::OnMismatch& on_mismatch = {},
                     const LockstepOptions& options = {});

/// Registers `dut:<name>`: a user's device, compared with the arithmetic of layer wave, its pins
/// watched.
void register_matrix_dut(matrix_core::Registry& registry, const std::string& name,
                         const std::shared_ptr<const DutLibrary>& library,
                         const MatrixLockstep::Kit::OnMismatch& on_mismatch = {},
                         const LockstepOptions& options = {});

/// The lockstep in a block that one of these factories has made; null: it is none.
MatrixLockstep* lockstep_in(matrix_core::MatrixCore& block);

/// The block of a recording on its own: the checking build, or the device of `library`, pins
/// watched, every message compared. Null: the library makes no device.
std::unique_ptr<MatrixLockstep> make_lone_matrix(const std::shared_ptr<const DutLibrary>& library,
                                                 const matrix_core::Config& config,
                                                 const LockstepOptions& options);

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h): none beyond the line's own.
template <class Visitor>
void visit_config(const matrix_core::Config&, Visitor&&) {}

}  // namespace cuvette::ip::recording
