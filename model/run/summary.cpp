// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/summary.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuvette::run {

std::string summary_text(const std::string& file, const std::string& engine,
                         const SessionResult& result) {
  const EngineReport& r = result.report;
  std::string out =
      fmt::format("{}: {} on {}\n", file, result.passed() ? "passed" : "FAILED", engine);
  const auto line = [&out](const std::string& label, const std::string& text) {
    out += fmt::format("  {:<14} {}\n", label, text);
  };
  line("checks", fmt::format("{} elements compared, {} differ", result.checked_elements,
                             result.difference_count));
  line("executed", fmt::format("{} instructions, {} waves{}", r.instructions, r.waves,
                               r.cycles != 0 ? fmt::format(", {} cycles", r.cycles) : ""));
  std::string by_status;
  for (const auto& [status, count] : r.by_status) {
    by_status += fmt::format("{}{} {}", by_status.empty() ? "" : ", ", count, status);
  }
  if (!by_status.empty()) line("by status", by_status);
  for (const auto& [mnemonic, reason] : r.not_exact) line("not exact", mnemonic + ": " + reason);
  for (const auto& effect : r.not_modelled) line("not modelled", effect);
  if (!r.lockstep_items.empty() || !r.lockstep_scope.empty()) {
    std::string items;
    for (const auto& [name, count] : r.lockstep_items) {
      items += fmt::format("{}{} {}", items.empty() ? "" : ", ", count, name);
    }
    line("lockstep", fmt::format("{}: {} compared, {} mismatches", r.lockstep_scope, items,
                                 r.lockstep_mismatches));
  }
  if (r.hazards_checked) {
    std::string counts;
    for (const auto& [severity, count] : r.hazard_counts) {
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, severity);
    }
    line("hazards", counts.empty() ? "none" : counts);
    for (const auto& hazard : r.hazards) line("", hazard);
  }
  for (const auto& [reason, count] : r.restarts) {
    line("restarted", fmt::format("{} {} by one host thread: {}", count,
                                  count == 1 ? "dispatch" : "dispatches", reason));
  }
  if (r.race_bytes != 0) {
    line("races",
         fmt::format("{} bytes changed by one work-group and accessed by another", r.race_bytes));
    for (const auto& race : r.races) line("", race);
  }
  line("fallbacks", fmt::format("{}", r.fallbacks));
  for (const auto& what : r.emulated) line("emulated", what);
  for (const auto& written : r.files) line("file", written);
  constexpr size_t kShownFailures = 8;
  for (size_t i = 0; i < std::min(r.failures.size(), kShownFailures); ++i) {
    line("error", r.failures[i]);
  }
  if (r.failures.size() > kShownFailures) {
    line("", fmt::format("... and {} more errors", r.failures.size() - kShownFailures));
  }
  for (const auto& difference : result.differences) line("difference", difference.text);
  if (result.difference_count > result.differences.size()) {
    line("", fmt::format("... and {} more", result.difference_count - result.differences.size()));
  }
  return out;
}

}  // namespace cuvette::run
