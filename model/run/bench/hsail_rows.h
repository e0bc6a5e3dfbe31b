// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/bench.h"

// The benchmarks of layers hsail and finalizer.
namespace cuvette::run::bench {

base::Result<BenchResult> hsail_text();
base::Result<BenchResult> hsail_finalize();
base::Result<BenchResult> hsail_interpret();

}  // namespace cuvette::run::bench
