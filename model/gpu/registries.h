// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cache/cache.h"
#include "command_processor/command_processor.h"
#include "compute_unit/compute_unit.h"
#include "crossbar/crossbar.h"
#include "gds/gds.h"
#include "lds/lds.h"
#include "machine/gpu_config.h"
#include "matrix_core/matrix_core.h"
#include "memory/memory.h"
#include "simd/simd.h"
#include "spi/spi.h"
#include "valu/valu.h"
#include "vrf/vrf.h"

namespace cuvette::gpu {

/// Implementations of every block a machine can be composed of. Owners of further ones (RTL,
/// lockstep, a user's device) add them under their names before a Gpu is built; the machine
/// description chooses by name. The GPU keeps references: a Registries object outlives it.
struct Registries {
  command_processor::Registry command_processors;
  spi::Registry spis;
  compute_unit::Registry compute_units;
  simd::Registry simds;
  valu::Registry valus;
  matrix_core::Registry matrix_cores;
  lds::Registry lds;
  gds::Registry gds;
  vrf::Registry vrfs;
  cache::Registry caches;
  crossbar::Registry crossbars;
  memory::Registry memories;
};

/// Our own implementation of every block, named `tlm`, and the compute unit of loosely timed
/// machines, `loose`, which no machine description names.
Registries tlm_registries();

/// The names a machine description may give a block: "tlm", "rtl", "rtl-check", "lockstep",
/// "lockstep-check", "dut:NAME"; "tlm" and "dut:NAME" for blocks of which there is no RTL; "tlm"
/// alone for command_processor and compute_unit. Caches have the names of their roles, too: "l2",
/// "vector_l1", "scalar_cache", "instruction_cache". Error: a block there is none of, or another
/// name.
base::Status check_implementation_name(const std::string& block, const std::string& name);

/// Implementations the description chooses that are not registered ("simd: rtl"): not part of this
/// build.
std::vector<std::string> missing_implementations(const machine::GpuConfig& description,
                                                 const Registries& registries);

}  // namespace cuvette::gpu
