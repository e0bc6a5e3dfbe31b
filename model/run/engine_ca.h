// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "gpu/gpu.h"
#include "gpu/registries.h"
#include "machine/gpu_config.h"
#include "run/engine.h"
#include "run/timed.h"

namespace cuvette::run {

/// A gpu::Gpu with a host module beside it, in the simulation of this process. Several may live in
/// one simulation. With `attach` the bytes of `memory` are outside the GPU: it binds the socket to
/// a target that has them.
base::Result<std::unique_ptr<TimedGpu>> make_ca_gpu(
    const std::string& name, const machine::GpuConfig& description,
    std::shared_ptr<const gpu::Registries> registries, hsa::DeviceMemory& memory,
    const gpu::Gpu::Options& options, const AttachMemory& attach = {});

/// The same with the blocks that options and description choose: RTL, lockstep, users' devices. At
/// the first difference the GPU is broken off. `options.engine` is not looked at; null, with
/// `not_built` set, when a block is not part of this build.
base::Result<std::unique_ptr<TimedGpu>> make_chosen_ca_gpu(const EngineOptions& options,
                                                           machine::GpuConfig description,
                                                           hsa::DeviceMemory& memory,
                                                           std::optional<NotBuilt>& not_built);

/// The cycle-approximate SystemC GPU. One per process: SystemC elaborates once.
base::Result<std::unique_ptr<Engine>> make_ca_engine(const EngineOptions& options,
                                                     machine::GpuConfig description,
                                                     std::optional<NotBuilt>& not_built);

}  // namespace cuvette::run
