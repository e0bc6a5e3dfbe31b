// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "ip/valu_bench.h"

#include <cstdio>

// Speed of the valu RTL: bare, behind its contract, in lockstep. Goals: interface at least 0.8 of
// bare, lockstep at most 2.5 times the time of the RTL. Not a test.
int main() {
  std::printf("%-16s %10s %10s %10s %10s %10s\n", "M lane-op/s", "bare", "interface", "lockstep",
              "if/bare", "bare/lock");
  for (const char* mnemonic :
       {"v_fma_f32", "v_mad_f32", "v_add_f32", "v_add_u32", "v_cmp_lt_f32"}) {
    const cuvette::ip::ValuSpeed s = cuvette::ip::measure_valu(mnemonic, 300000);
    std::printf("%-16s %10.1f %10.1f %10.1f %10.2f %10.2f\n", mnemonic, s.bare / 1e6,
                s.interface / 1e6, s.lockstep / 1e6, s.interface / s.bare, s.bare / s.lockstep);
  }
  return 0;
}
