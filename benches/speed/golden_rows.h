// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "speed/benchmark.h"

// The benchmarks of the golden machine.
namespace cuvette::bench {

base::Result<BenchResult> golden_fma();
base::Result<BenchResult> golden_matrix();
base::Result<BenchResult> golden_mfma();
base::Result<BenchResult> golden_mixed();
base::Result<BenchResult> golden_saxpy();
base::Result<BenchResult> golden_threads();

}  // namespace cuvette::bench
