// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "speed/block_rows.h"
#include "speed/child_run.h"

namespace cuvette::bench {

base::Result<BenchResult> peak_memory() {
  BenchResult out;
#ifdef CUVETTE_WITH_FINALIZER
  constexpr unsigned kWorkgroups = 4096, kItems = 256;
  constexpr double kMiB = 1 << 20, kGoal = 1024;  // MiB
  const ChildEngine engines[] = {
      {"golden", "mi100", 1}, {"golden", "mi100", 2}, {"lt", "mi100", 1}, {"ca", "mi100", 1}};
  for (const ChildEngine& what : engines) {
    auto sample = run_in_child(what, kWorkgroups * kItems, 1);
    if (!sample) return sample.error();
    const double used = static_cast<double>(sample->peak_bytes) / kMiB;
    out.lines.push_back({fmt::format("{}, {} host thread{}, {} work-groups", what.engine,
                                     what.threads, what.threads == 1 ? "" : "s", kWorkgroups),
                         used, "MiB", 0});
    out.lines.push_back({"  1 GiB / peak", kGoal / used, "ratio", 1});
  }
  // Every slot of the machine against one work-group: long enough that all are there together.
  constexpr unsigned kSlots = 120 * 40, kWavesOfGroup = kItems / 64, kIterations = 40;
  auto few = run_in_child({"ca", "mi100", 1}, kItems, kIterations);
  if (!few) return few.error();
  auto all = run_in_child({"ca", "mi100", 1}, kSlots * 64, kIterations);
  if (!all) return all.error();
  out.lines.push_back(
      {fmt::format("ca, {} resident waves, each", kSlots),
       (static_cast<double>(all->peak_bytes) - static_cast<double>(few->peak_bytes)) / 1024 /
           (kSlots - kWavesOfGroup),
       "KiB", 0});
#else
  out.skipped = "the kernel is HSAIL and this build has no finalizer";
#endif
  return out;
}

}  // namespace cuvette::bench
