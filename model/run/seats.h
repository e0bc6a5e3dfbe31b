// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "gpu/registries.h"
#include "ip/lockstep/mismatch.h"
#include "machine/gpu_config.h"
#include "run/kit_blocks.h"

namespace cuvette::run {

/// Adds the users' devices that the description chooses for blocks on the generic kit: a row of
/// the table in seats.cpp per block. Devices that are made are reported to `kit`; `on_mismatch` is
/// called at the first difference. Errors: those of chosen_device(); a rule of comparison that the
/// block does not have.
base::Status add_seats(const machine::GpuConfig& description, gpu::Registries& registries,
                       KitBlocks& kit,
                       const std::function<void(const ip::BlockMismatch&)>& on_mismatch);

}  // namespace cuvette::run
