// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "speed/benchmark.h"

// The benchmarks of layers hsail and finalizer.
namespace cuvette::bench {

base::Result<BenchResult> hsail_text();
base::Result<BenchResult> hsail_finalize();
base::Result<BenchResult> hsail_interpret();

/// Text of a dispatch file: a tiled product of two matrices of `n` by `n` zeros, 16 dividing n.
std::string tiled_product(unsigned n);

}  // namespace cuvette::bench
