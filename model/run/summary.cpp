// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wave/status.h"

namespace cuvette::run {
namespace {

/// "3: v_xyz 2, s_abc 1": a sum, and what it is of, the most frequent first.
std::string counted(uint64_t sum, const std::map<std::string, uint64_t>& names) {
  std::vector<std::pair<std::string, uint64_t>> order(names.begin(), names.end());
  std::sort(order.begin(), order.end(), [](const auto& x, const auto& y) {
    return x.second != y.second ? x.second > y.second : x.first < y.first;
  });
  std::string out = fmt::format("{}", sum);
  const char* between = ": ";
  for (const auto& [name, count] : order) {
    out += fmt::format("{}{} {}", between, name, count);
    between = ", ";
  }
  return out;
}

/// The sums of each counter over the dispatches would mean nothing for derived ones: a line for
/// each dispatch and counter.
template <class Line>
void add_counters(const CounterTable& table, Line line) {
  for (const CounterTable::Row& row : table.dispatches) {
    line("counters", fmt::format("dispatch {}, {}", row.dispatch, row.kernel));
    for (size_t n = 0; n < table.columns.size(); ++n) {
      const CounterTable::Column& c = table.columns[n];
      const std::optional<double> there = row.values[n];
      const auto missing = table.missing.find(c.name);
      const std::string value = there                            ? fmt::format("{}", *there)
                                : missing != table.missing.end() ? "none: " + missing->second
                                                                 : "none";
      const bool exact = !there || c.limits.empty();
      line("", fmt::format("{} {}{}", c.name, value,
                           exact ? "" : fmt::format(" ({}: {})", c.exactness, c.limits)));
    }
  }
}

}  // namespace

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
  if (!r.time.empty()) line("time", r.time);
  std::string by_status;
  for (const auto& [status, count] : r.by_status) {
    by_status += fmt::format("{}{} {}", by_status.empty() ? "" : ", ", count, status);
  }
  if (!by_status.empty()) line("by status", by_status);
  std::map<std::string, uint64_t> approximate;
  uint64_t approximations = 0;
  for (const auto& [what, entry] : r.not_exact) {
    const std::string count = entry.count != 0 ? fmt::format(" {}", entry.count) : "";
    line("not exact", what + count + ": " + entry.reason);
    if (entry.status != wave::name_of(wave::Status::Approximate)) continue;
    approximate[what] += entry.count;
    approximations += entry.count;
  }
  if (approximations != 0) line("approximate", counted(approximations, approximate));
  for (const auto& effect : r.not_modelled) line("not modelled", effect);
  if (!r.lockstep_items.empty() || !r.lockstep_scope.empty()) {
    std::string items;
    for (const auto& [name, count] : r.lockstep_items) {
      items += fmt::format("{}{} {}", items.empty() ? "" : ", ", count, name);
    }
    line("lockstep", fmt::format("{}: {} compared, {} mismatches", r.lockstep_scope, items,
                                 r.lockstep_mismatches));
  }
  for (size_t i = 0; i < r.stall_profile.size(); ++i) {
    line(i == 0 ? "why blocked" : "", r.stall_profile[i]);
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
  if (r.counters != nullptr) add_counters(*r.counters, line);
  line("fallbacks", counted(r.fallbacks, r.fallbacks_by_name));
  for (const auto& what : r.emulated) line("emulated", what);
  for (const auto& written : r.files) line("file", written);
  constexpr size_t kShownFailures = 8;
  for (size_t i = 0; i < std::min(r.failures.size(), kShownFailures); ++i) {
    line("error", r.failures[i]);
  }
  if (r.failures.size() > kShownFailures) {
    line("", fmt::format("... and {} more errors", r.failures.size() - kShownFailures));
  }
  constexpr size_t kShownInFlight = 8;
  for (size_t i = 0; i < std::min(r.in_flight.size(), kShownInFlight); ++i) {
    line("in flight", r.in_flight[i]);
  }
  if (r.in_flight.size() > kShownInFlight) {
    line("", fmt::format("... and {} more in flight", r.in_flight.size() - kShownInFlight));
  }
  for (const auto& difference : result.differences) line("difference", difference.text);
  if (result.difference_count > result.differences.size()) {
    line("", fmt::format("... and {} more", result.difference_count - result.differences.size()));
  }
  return out;
}

}  // namespace cuvette::run
