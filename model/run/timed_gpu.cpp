// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "run/timed.h"

namespace cuvette::run {

void tell_external(const gpu::ExternalMemoryCounters& counters, EngineReport& report) {
  if (counters.emulated_atomics == 0) return;
  static const std::string kWhat =
      "atomic operations on external memory as a read and a write: its target ignores the atomic "
      "extension";
  // The counter runs on over the dispatches of a report.
  std::erase_if(report.emulated, [](const std::string& line) { return line.ends_with(kWhat); });
  report.emulated.push_back(fmt::format("{} {}", counters.emulated_atomics, kWhat));
}

void TimedGpu::Counts::add(const compute_unit::ComputeUnit::Counters& counters) {
  waves += counters.waves;
  fallbacks += counters.fallbacks;
  for (const auto& [row, n] : counters.fallbacks_by_row) fallbacks_by_row[row] += n;
  for (const auto& row : isa::rows()) {
    if (const uint64_t n = counters.by_row[isa::index_of(row)]; n != 0) by_row[&row] += n;
  }
}

}  // namespace cuvette::run
