// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "speed/suite.h"

namespace cuvette::bench {
namespace {

constexpr double kMillion = 1e6;

/// Pairs of candidates whose ratio is printed: the other program over this one, and the first
/// number of threads over the others.
struct Ratio {
  size_t above, below;
  std::string label;
};

std::vector<Ratio> ratios_of(const SuiteReport& report) {
  std::vector<Ratio> out;
  const auto& candidates = report.candidates;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].program != candidates[0].program) {
      out.push_back(
          {i, i - 1, fmt::format("{} / {}", candidates[i].label, candidates[i - 1].label)});
    } else if (i > 0) {
      out.push_back({0, i, fmt::format("{} / {}", candidates[0].label, candidates[i].label)});
    }
  }
  return out;
}

std::string number(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

size_t width_of(const std::string& label) {
  return std::max<size_t>(label.size(), 10);
}

std::vector<double> column(const SuiteReport& report, const std::string& engine,
                           const std::function<double(const SuiteRow&)>& value) {
  std::vector<double> out;
  for (const SuiteRow& row : report.rows) {
    if (row.engine == engine) out.push_back(value(row));
  }
  return out;
}

}  // namespace

std::string suite_head(const SuiteReport& report) {
  std::string out = fmt::format(
      "{} without the start; million wave instructions a second of this program, ns per wave "
      "instruction\n{:<20}{:<11}{:<8}{:>14}{:>10}",
      report.clock, "kernel", "class", "engine", "instructions", "M/s");
  for (const SuiteCandidate& c : report.candidates) {
    out += fmt::format("  {:>{}}", c.label, width_of(c.label));
  }
  for (const Ratio& r : ratios_of(report))
    out += fmt::format("  {:>{}}", r.label, width_of(r.label));
  return out + "\n";
}

std::string suite_line(const SuiteReport& report, const SuiteRow& row) {
  const double per_second = row.figures[0].nanoseconds > 0 ? 1e3 / row.figures[0].nanoseconds : 0;
  std::string out = fmt::format("{:<20}{:<11}{:<8}{:>14}{:>10}", row.kernel.name, row.kernel.kind,
                                row.engine, row.instructions, number(per_second, 2));
  for (size_t i = 0; i < row.figures.size(); ++i) {
    const SuiteFigure& figure = row.figures[i];
    out +=
        fmt::format("  {:>{}}", figure.failure.empty() ? number(figure.nanoseconds, 2) : "FAILED",
                    width_of(report.candidates[i].label));
  }
  for (const Ratio& r : ratios_of(report)) {
    out +=
        fmt::format("  {:>{}}", number(suite_ratio(row, r.above, r.below), 2), width_of(r.label));
  }
  out += "\n";
  for (size_t i = 0; i < row.figures.size(); ++i) {
    if (row.figures[i].failure.empty()) continue;
    out += fmt::format("  {}: {}\n", report.candidates[i].label, row.figures[i].failure);
  }
  return out;
}

std::string suite_means(const SuiteReport& report, const std::string& engine) {
  const auto mean = [&](const std::function<double(const SuiteRow&)>& value) {
    return geometric_mean(column(report, engine, value));
  };
  const double own = mean([](const SuiteRow& row) { return row.figures[0].nanoseconds; });
  std::string out = fmt::format("{:<20}{:<11}{:<8}{:>14}{:>10}", "geometric mean", "", engine, "",
                                number(own > 0 ? 1e3 / own : 0, 2));
  for (size_t i = 0; i < report.candidates.size(); ++i) {
    const double value = mean([i](const SuiteRow& row) { return row.figures[i].nanoseconds; });
    out += fmt::format("  {:>{}}", number(value, 2), width_of(report.candidates[i].label));
  }
  for (const Ratio& r : ratios_of(report)) {
    const double value =
        mean([&r](const SuiteRow& row) { return suite_ratio(row, r.above, r.below); });
    out += fmt::format("  {:>{}}", number(value, 2), width_of(r.label));
  }
  return out + "\n";
}

std::string suite_json(const SuiteReport& report) {
  using Json = nlohmann::ordered_json;
  Json out = {
      {"schema", 1}, {"clock", report.clock}, {"kernels", Json::array()}, {"means", Json::array()}};
  std::vector<std::string> engines;
  for (const SuiteRow& row : report.rows) {
    if (engines.empty() || engines.back() != row.engine) engines.push_back(row.engine);
    Json line = {{"kernel", row.kernel.name},
                 {"class", row.kernel.kind},
                 {"engine", row.engine},
                 {"instructions", row.instructions}};
    for (size_t i = 0; i < row.figures.size(); ++i) {
      const SuiteFigure& figure = row.figures[i];
      Json one = {{"program", report.candidates[i].label},
                  {"threads", report.candidates[i].threads}};
      if (figure.failure.empty()) {
        one["seconds"] = figure.seconds;
        one["start"] = figure.start;
        one["ns_per_instruction"] = figure.nanoseconds;
        one["instructions_per_second"] =
            figure.nanoseconds > 0 ? 1e3 * kMillion / figure.nanoseconds : 0;
      } else {
        one["failure"] = figure.failure;
      }
      line["figures"].push_back(one);
    }
    for (const Ratio& r : ratios_of(report)) {
      line["ratios"].push_back({{"of", r.label}, {"ratio", suite_ratio(row, r.above, r.below)}});
    }
    out["kernels"].push_back(line);
  }
  for (const std::string& engine : engines) {
    Json line = {{"engine", engine}};
    for (size_t i = 0; i < report.candidates.size(); ++i) {
      const auto values =
          column(report, engine, [i](const SuiteRow& row) { return row.figures[i].nanoseconds; });
      line["ns_per_instruction"].push_back(
          {{"program", report.candidates[i].label}, {"mean", geometric_mean(values)}});
    }
    for (const Ratio& r : ratios_of(report)) {
      const auto values = column(
          report, engine, [&r](const SuiteRow& row) { return suite_ratio(row, r.above, r.below); });
      line["ratios"].push_back({{"of", r.label}, {"mean", geometric_mean(values)}});
    }
    out["means"].push_back(line);
  }
  constexpr int kIndent = 2;
  return out.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cuvette::bench
