// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "run/bench/block_rows.h"
#ifdef CUVETTE_WITH_RTL
#include "ip/valu_bench.h"
#endif

namespace cuvette::run::bench {

base::Result<BenchResult> valu_rtl() {
  BenchResult out;
#ifdef CUVETTE_WITH_RTL
  constexpr uint64_t kBeats = 200'000;
  constexpr double kInterfaceGoal = 0.8;  // of bare speed
  constexpr double kLockstepGoal = 0.4;   // at most 2.5 times the time
  for (const char* mnemonic : {"v_fma_f32", "v_add_f32", "v_add_u32"}) {
    const ip::ValuSpeed speed = ip::measure_valu(mnemonic, kBeats);
    if (speed.bare <= 0) return base::Error(fmt::format("the RTL has no {}", mnemonic));
    out.lines.push_back({fmt::format("{}, bare", mnemonic), speed.bare * 1e-6, "M lane-op/s", 0});
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
