// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/verb.h"

#ifdef CUVETTE_WITH_RTL
#include <algorithm>
#include <fstream>

#include "base/file.h"
#include "ip/coverage/coverage.h"
#include "ip/coverage/rtl_coverage.h"
#endif

namespace cuvette::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string reasons, source = ".";
  bool missed = false;
  double bins = 0, lines = 0;  ///< least percentages
};

#ifdef CUVETTE_WITH_RTL

struct Part {
  size_t hit = 0, all = 0;
  double percent() const {
    return all == 0 ? 100.0 : 100.0 * static_cast<double>(hit) / static_cast<double>(all);
  }
  std::string str() const { return fmt::format("{:>7} of {:>7} {:>6.2f} %", hit, all, percent()); }
};

template <class Counters>
Part part_of(const Counters& counters) {
  const auto hit =
      std::count_if(counters.begin(), counters.end(), [](const auto& c) { return c.second != 0; });
  return {static_cast<size_t>(hit), counters.size()};
}

void operator+=(Part& a, const Part& b) {
  a.hit += b.hit;
  a.all += b.all;
}

/// The planned bins; their share that was hit.
Part tell_bins(const Options& o, const ip::Coverage& coverage) {
  Part all;
  fmt::print("planned bins\n");
  for (size_t g = 0; g < ip::coverage_plan().size(); ++g) {
    const ip::CoveragePlanGroup& group = ip::coverage_plan()[g];
    Part part{0, group.bins};
    for (size_t b = 0; b < group.bins; ++b) part.hit += coverage.hits(g, b) != 0 ? 1 : 0;
    fmt::print("  {:<28} {}\n", group.name, part.str());
    for (size_t b = 0; b < group.bins && o.missed; ++b) {
      if (coverage.hits(g, b) == 0) fmt::print("    missed {}\n", group.bin_name(b));
    }
    all += part;
  }
  fmt::print("  {:<28} {}\n", "all", all.str());
  return all;
}

/// The lines of a source file, without the spaces around them; none when it is not there.
std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find_first_not_of(" \t");
    const size_t last = line.find_last_not_of(" \t");
    out.push_back(first == std::string::npos ? "" : line.substr(first, last - first + 1));
  }
  return out;
}

/// Lines, branches, toggles and cover properties by file; the share of the lines that was executed.
Part tell_rtl(const Options& o, const ip::RtlCoverage& coverage,
              std::vector<ip::RtlExcuse>& excuses) {
  Part all_lines, all_branches, all_toggles, all_points;
  size_t excused = 0;
  fmt::print("RTL{:<41} lines{:<21} branches{:<18} toggles{:<18} properties\n", "", "", "", "");
  for (const auto& [name, file] : coverage.files()) {
    const Part lines = part_of(file.lines), branches = part_of(file.branches),
               toggles = part_of(file.toggles), points = part_of(file.points);
    fmt::print("  {:<34} {}  {}  {}  {}\n", name, lines.str(), branches.str(), toggles.str(),
               points.str());
    all_lines += lines;
    all_branches += branches;
    all_toggles += toggles;
    all_points += points;
    for (const auto& [point, count] : file.points) {
      if (count == 0 && o.missed) fmt::print("    missed property {}\n", point);
    }
    for (const auto& [toggle, count] : file.toggles) {
      if (count == 0 && o.missed) fmt::print("    missed toggle {}\n", toggle);
    }
    const std::vector<std::string> source = lines_of(o.source + "/" + name);
    for (const auto& [line, count] : file.lines) {
      if (count != 0) continue;
      const std::string text = line <= source.size() ? source[line - 1] : "";
      const auto found = std::find_if(excuses.begin(), excuses.end(), [&](const auto& e) {
        return e.file == name && e.text == text;
      });
      if (found != excuses.end()) {
        found->used = true;
        ++excused;
      }
      if (o.missed) {
        fmt::print("    missed {}: {}  [{}]\n", line, text,
                   found != excuses.end() ? found->reason : "no reason given");
      }
    }
  }
  fmt::print("  {:<34} {}  {}  {}  {}\n", "all", all_lines.str(), all_branches.str(),
             all_toggles.str(), all_points.str());
  if (!o.reasons.empty()) {
    fmt::print("  lines not executed: {}, {} of them with a reason in {}\n",
               all_lines.all - all_lines.hit, excused, o.reasons);
    for (const ip::RtlExcuse& e : excuses) {
      if (!e.used) fmt::print("  no longer needed: {}: {}\n", e.file, e.text);
    }
  }
  return all_lines;
}

int coverage(const Options& o) {
  ip::Coverage bins;
  ip::RtlCoverage rtl;
  std::vector<ip::RtlExcuse> excuses;
  size_t bin_files = 0, rtl_files = 0;
  for (const std::string& file : o.files) {
    const auto text = base::read_text(file);
    if (!text) return report(text.error());
    const bool is_rtl = ip::RtlCoverage::is_one(*text);
    const base::Status added = is_rtl ? rtl.add(*text, file) : bins.add(*text, file);
    if (!added.ok()) return report(added.error());
    ++(is_rtl ? rtl_files : bin_files);
  }
  if (!o.reasons.empty()) {
    const auto text = base::read_text(o.reasons);
    if (!text) return report(text.error());
    auto parsed = ip::parse_excuses(*text, o.reasons);
    if (!parsed) return report(parsed.error());
    excuses = std::move(parsed).value();
  }
  fmt::print("coverage of {} files\n", o.files.size());
  const Part hit = bin_files != 0 ? tell_bins(o, bins) : Part{};
  const Part executed = rtl_files != 0 ? tell_rtl(o, rtl, excuses) : Part{};
  int status = kPassed;
  const auto least = [&status](const char* what, const Part& part, double percent, size_t files) {
    const double reached = files != 0 && part.all != 0 ? part.percent() : 0.0;
    if (reached >= percent) return;
    fmt::print("FAILED: {}: {:.2f} %, expected at least {} %\n", what, reached, percent);
    status = kCheckFailed;
  };
  if (hit.hit == 0 && rtl.files().empty()) {
    fmt::print("FAILED: nothing was counted\n");
    status = kCheckFailed;
  }
  least("planned bins", hit, o.bins, bin_files);
  least("lines", executed, o.lines, rtl_files);
  return status;
}

#else

int coverage(const Options&) {
  return not_built("coverage", "no RTL in this build");
}

#endif

}  // namespace

void add_coverage(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = verbs.add("coverage",
                        "Add up coverage files of the RTL: planned bins, lines, branches, toggles");
  verb.option("file", o->files, "Counts of bins (JSON), or counters of Verilator").required();
  verb.flag("--missed", o->missed, "Name every bin, line, toggle and property that was not hit");
  verb.option("--bins", o->bins, "Least percentage of the planned bins").percentage();
  verb.option("--lines", o->lines, "Least percentage of the lines").percentage();
  verb.option("--reasons", o->reasons, "Why lines are not executed: file,text,reason (CSV)");
  verb.option("--source", o->source, "Folder of rtl/, for the text of lines");
  verb.does([o] { return coverage(*o); });
}

}  // namespace cuvette::cli
