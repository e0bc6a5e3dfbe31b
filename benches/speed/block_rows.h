// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "speed/benchmark.h"

namespace cuvette::bench {

/// Engine ca: wave instructions and chip cycles per second at 1 and 120 compute units.
base::Result<BenchResult> ca_speed();
base::Result<BenchResult> ca_threads();
base::Result<BenchResult> lt_speed();
/// Engine ca with the valu in sampled lockstep against engine ca.
base::Result<BenchResult> ca_lockstep();
base::Result<BenchResult> ca_rtl();
/// Peak memory of the process with a dispatch of 4096 work-groups on 120 compute units.
base::Result<BenchResult> peak_memory();
base::Result<BenchResult> trace_cost();
/// Packets of an empty kernel per second on engine lt.
base::Result<BenchResult> front_packets();
/// Cycles of engine ca from the doorbell to the interrupt, and its rate of launches.
base::Result<BenchResult> front_stages();
/// The RTL of the matrix core: bare, behind the contract, in lockstep.
base::Result<BenchResult> matrix_rtl();
/// The RTL of the valu: bare, behind the contract, in lockstep.
base::Result<BenchResult> valu_rtl();
/// The RTL of the cache in each role: bare, and with every message checked.
base::Result<BenchResult> cache_rtl();

}  // namespace cuvette::bench
