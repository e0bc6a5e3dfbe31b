// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "speed/block_speed.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace cuvette::bench {

std::vector<double> measure_speeds(const std::vector<SpeedRun>& runs) {
  constexpr size_t kRounds = 9;
  std::vector<std::array<double, kRounds>> speeds(runs.size());
  for (size_t round = 0; round < kRounds; ++round) {
    for (size_t n = 0; n < runs.size(); ++n) {
      const std::clock_t start = std::clock();
      const auto work = static_cast<double>(runs[n]());
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      speeds[n][round] = seconds > 0 ? work / seconds : 0;
    }
  }
  std::vector<double> medians;
  for (auto& of_run : speeds) {
    std::sort(of_run.begin(), of_run.end());
    medians.push_back(of_run[kRounds / 2]);
  }
  return medians;
}

BlockSpeed measure_speed(const SpeedRun& bare, const SpeedRun& interface,
                         const SpeedRun& lockstep) {
  const std::vector<double> speeds = measure_speeds({bare, interface, lockstep});
  return {speeds[0], speeds[1], speeds[2]};
}

}  // namespace cuvette::bench
