// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "gpu/gpu.h"
#include "gpu/registries.h"
#include "machine/description.h"
#include "run/engine.h"
#include "run/timed.h"

namespace cuvette::run {

/// A gpu::Gpu with a host module beside it, in the simulation of this process. Several may live in
/// one simulation. With `attach` the bytes of `memory` are outside the GPU: it binds the socket to
/// a target that has them.
base::Result<std::unique_ptr<TimedGpu>> make_ca_gpu(
    const std::string& name, const machine::Description& description,
    std::shared_ptr<const gpu::Registries> registries, hsa::DeviceMemory& memory,
    const gpu::Gpu::Options& options, const AttachMemory& attach = {});

/// The cycle-approximate SystemC GPU. One per process: SystemC elaborates once.
base::Result<std::unique_ptr<Engine>> make_ca_engine(const EngineOptions& options,
                                                     machine::Description description,
                                                     std::optional<NotBuilt>& not_built);

}  // namespace cuvette::run
