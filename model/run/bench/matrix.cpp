// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "run/bench/block_rows.h"
#ifdef CUVETTE_WITH_RTL
#include "ip/matrix_bench.h"
#endif

namespace cuvette::run::bench {

base::Result<BenchResult> matrix_rtl() {
  BenchResult out;
#ifdef CUVETTE_WITH_RTL
  constexpr unsigned kInstructions = 300;
  constexpr double kSpeedGoal = 0.1;      // M cycles/s
  constexpr double kInterfaceGoal = 0.8;  // of bare speed
  constexpr double kLockstepGoal = 0.4;   // at most 2.5 times the time
  for (const char* mnemonic : {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x8f16",
                               "v_mfma_f32_16x16x2bf16", "v_mfma_i32_32x32x4i8"}) {
    const ip::MatrixSpeed speed = ip::measure_matrix(mnemonic, kInstructions);
    if (speed.bare <= 0) return base::Error(fmt::format("the RTL has no {}", mnemonic));
    out.lines.push_back(
        {fmt::format("{}, bare", mnemonic), speed.bare * 1e-6, "M cycles/s", kSpeedGoal});
    out.lines.push_back({fmt::format("{}, behind the contract / bare", mnemonic),
                         speed.interface / speed.bare, "ratio", kInterfaceGoal});
    out.lines.push_back({fmt::format("{}, in lockstep / bare", mnemonic),
                         speed.lockstep / speed.bare, "ratio", kLockstepGoal});
  }
#else
  out.skipped = "this build has no RTL";
#endif
  return out;
}

}  // namespace cuvette::run::bench
