// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "speed/block_speed.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace cuvette::bench {

BlockSpeed measure_speed(const SpeedRun& bare, const SpeedRun& interface,
                         const SpeedRun& lockstep) {
  constexpr size_t kRounds = 9;
  const SpeedRun* const runs[] = {&bare, &interface, &lockstep};
  std::array<std::array<double, kRounds>, std::size(runs)> speeds{};
  for (size_t round = 0; round < kRounds; ++round) {
    for (size_t n = 0; n < std::size(runs); ++n) {
      const std::clock_t start = std::clock();
      const auto work = static_cast<double>((*runs[n])());
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      speeds[n][round] = seconds > 0 ? work / seconds : 0;
    }
  }
  for (auto& of_run : speeds) std::sort(of_run.begin(), of_run.end());
  return {speeds[0][kRounds / 2], speeds[1][kRounds / 2], speeds[2][kRounds / 2]};
}

}  // namespace cuvette::bench
