// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "counters/sample.h"
#include "machine/gpu_config.h"

namespace cuvette::gpu {

class Gpu;
class HostInterface;

/// Sample of the series that hardware counters are computed from, at the GPU's present time
/// (docs/reference/counters.md). A block that does not keep a number leaves its series out. A Gpu,
/// which has caches, has their series and those of the memory behind the others. `like`: an earlier
/// sample of this GPU, which saves the names.
counters::Sample counter_sample(HostInterface& gpu, const machine::GpuConfig& description,
                                const counters::Sample* like = nullptr);
counters::Sample counter_sample(Gpu& gpu, const machine::GpuConfig& description,
                                const counters::Sample* like = nullptr);

}  // namespace cuvette::gpu
