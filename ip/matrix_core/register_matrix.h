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
///   lockstep        `rtl` shadowed by the arithmetic of layer wave
///   lockstep-check  `rtl-check` shadowed, with the handshake of its pins watched (MatrixMonitor)
/// `on_mismatch` is given to every lockstep object.
void register_matrix(matrix_core::Registry& registry,
                     const MatrixLockstep::Observer& on_mismatch = {},
                     const MatrixLockstep::Options& options = {});

/// Registers `dut:<name>`: a user's device, shadowed by the arithmetic of layer wave, its pins
/// watched.
void register_matrix_dut(matrix_core::Registry& registry, const std::string& name,
                         const std::shared_ptr<const DutLibrary>& library,
                         const MatrixLockstep::Observer& on_mismatch = {},
                         const MatrixLockstep::Options& options = {});

/// The lockstep in a block that one of these factories has made; null: it is none.
MatrixLockstep* lockstep_in(matrix_core::MatrixCore& block);

}  // namespace cuvette::ip
