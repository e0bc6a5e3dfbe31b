// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "gpu/registries.h"
#include "hsa/memory.h"
#include "machine/gpu_config.h"
#include "run/engine.h"
#include "run/rtl_blocks.h"
#include "run/timed.h"

namespace cuvette::run {

/// The blocks of a GPU of engine ca, as options and description choose them.
struct ChosenBlocks {
  std::shared_ptr<gpu::Registries> registries;
  std::shared_ptr<RtlBlocks> rtl_blocks;  ///< blocks of layer ip among them
  std::shared_ptr<bool> stopped;          ///< set at the first difference

  /// The GPU with these blocks; errors as of make_ca_gpu().
  base::Result<std::unique_ptr<TimedGpu>> make(const EngineOptions& options,
                                               const machine::GpuConfig& description,
                                               hsa::DeviceMemory& memory) const;
};

/// `description` gets what the options choose. `not_built` is set when a block is not part of this
/// build.
base::Result<ChosenBlocks> choose_blocks(const EngineOptions& options,
                                         machine::GpuConfig& description,
                                         std::optional<NotBuilt>& not_built);

}  // namespace cuvette::run
