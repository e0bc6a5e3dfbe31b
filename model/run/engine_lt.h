// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "gpu/lt_gpu.h"
#include "gpu/registries.h"
#include "machine/gpu_config.h"
#include "run/engine.h"
#include "run/socket_recording.h"
#include "run/timed.h"

namespace cuvette::run {

/// A gpu::LtGpu with a host module beside it, as make_ca_gpu() (engine_ca.h). `recording`: of its
/// sockets; null: none.
base::Result<std::unique_ptr<TimedGpu>> make_lt_gpu(
    const std::string& name, const machine::GpuConfig& description,
    std::shared_ptr<const gpu::Registries> registries, hsa::DeviceMemory& memory,
    const gpu::LtGpu::Options& options, const AttachMemory& attach = {},
    std::unique_ptr<SocketRecording> recording = nullptr);

/// The same with the blocks that the description chooses; null, with `not_built` set, for others
/// than `tlm`.
base::Result<std::unique_ptr<TimedGpu>> make_plain_lt_gpu(const EngineOptions& options,
                                                          const machine::GpuConfig& description,
                                                          hsa::DeviceMemory& memory,
                                                          std::optional<NotBuilt>& not_built);

/// The loosely timed SystemC GPU. One per process: SystemC elaborates once. Other implementations
/// than `tlm` are not built into it.
base::Result<std::unique_ptr<Engine>> make_lt_engine(const EngineOptions& options,
                                                     const machine::GpuConfig& description,
                                                     std::optional<NotBuilt>& not_built);

}  // namespace cuvette::run
