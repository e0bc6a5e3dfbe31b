// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.h"
#include "base/own_tree.h"
#include "base/temporary_directory.h"
#include "run/child_process.h"
#include "run/dispatch_file.h"
#include "run/session.h"
#include "speed/benchmark.h"
#include "speed/suite.h"

namespace cuvette::bench {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Result;

/// The program itself, or in a folder: that of a program, an install tree or a build tree.
Result<std::string> find_program(const std::string& place) {
  std::error_code ignored;
  for (const char* inside : {"", "cuvette", "bin/cuvette", "build/release/bin/cuvette"}) {
    const fs::path file = *inside == 0 ? fs::path(place) : fs::path(place) / inside;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file.string();
  }
  return Error(
      fmt::format("--against: no program in '{}', expected cuvette or bin/cuvette there", place));
}

/// Runs one kernel on one engine, all candidates in turn.
class Measurement {
 public:
  Measurement(const SuiteReport& report, const base::TemporaryDirectory& scratch, bool elapsed,
              SuiteRow& row)
      : report_(report), scratch_(scratch), elapsed_(elapsed), row_(row) {}

  void run(unsigned repetitions) {
    const size_t n = report_.candidates.size();
    row_.figures.resize(n);
    whole_.resize(n);
    start_.resize(n);
    for (size_t i = 0; i < n; ++i) check(i);
    for (unsigned r = 0; r < repetitions; ++r) {
      for (size_t i = 0; i < n; ++i) repeat(r % 2 == 0 ? i : n - 1 - i);
    }
    for (size_t i = 0; i < n; ++i) {
      SuiteFigure& figure = row_.figures[i];
      if (!figure.failure.empty()) continue;
      figure.start = median(start_[i]);
      figure.seconds = std::max(median(whole_[i]) - figure.start, 0.0);
      constexpr double kNano = 1e9;
      figure.nanoseconds = figure.seconds * kNano / static_cast<double>(row_.instructions);
    }
  }

 private:
  std::vector<std::string> command(const SuiteCandidate& candidate, const std::string& file) const {
    std::vector<std::string> words{candidate.program, "run", file, "--engine", row_.engine};
    const std::string& target = row_.kernel.target;
    if (candidate.threads != 1) {
      words.insert(words.end(), {"--threads", std::to_string(candidate.threads)});
    }
    if (row_.engine == "golden") {
      words.insert(words.end(), {"--target", target});
    } else {
      words.insert(words.end(), {"--config", target == "gfx908" ? "small" : "small_" + target});
    }
    return words;
  }

  /// Checks the result of a candidate, by this program's verdict of the buffers that it
  /// dumps. The first, which is this program, counts instructions.
  void check(size_t i) {
    const auto file = run::load_dispatch_file(row_.kernel.file);
    if (!file) {
      row_.figures[i].failure = file.error().str();
      return;
    }
    std::set<std::string> buffers;
    for (const run::Expectation& e : file->expectations) {
      if (!e.buffer.empty()) buffers.insert(e.buffer);
    }
    auto words = command(report_.candidates[i], row_.kernel.timed);
    for (const std::string& name : buffers) {
      words.insert(words.end(), {"--dump", name + "=" + scratch_.file(name)});
    }
    const std::string results = scratch_.file("results.json");
    if (i == 0) words.insert(words.end(), {"--results", results});
    if (!run_to(i, 0, words)) return;
    run::SessionResult session;
    for (const std::string& name : buffers) {
      auto bytes = base::read_binary(scratch_.file(name));
      if (bytes) session.buffers[name] = std::move(*bytes);
      if (session.buffers[name].size() == file->find_buffer(name)->initial.size()) continue;
      row_.figures[i].failure = fmt::format("no contents of buffer '{}'", name);
      return;
    }
    check_expectations(*file, {}, session);
    if (session.difference_count != 0) {
      row_.figures[i].failure =
          fmt::format("wrong result, {} of {} elements differ: {}", session.difference_count,
                      session.checked_elements, session.differences.front().text);
    } else if (session.checked_elements == 0) {
      row_.figures[i].failure = "no result was compared";
    }
    if (i == 0) read_count(results);
  }

  void read_count(const std::string& results) {
    const auto text = base::read_text(results);
    const auto line = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    if (line.is_object()) row_.instructions = line.value("instructions", uint64_t{0});
    if (row_.instructions == 0) row_.figures[0].failure = "no instructions were counted";
  }

  void repeat(size_t i) {
    if (row_.instructions == 0 || !row_.figures[i].failure.empty()) return;
    auto words = command(report_.candidates[i], row_.kernel.timed);
    const auto whole = run_to(i, 0, words);
    // One instruction, or cycle, and the watchdog ends the run: what is left is the start.
    words.insert(words.end(), {"--watchdog", "1"});
    constexpr int kCheckFailed = 1;
    const auto start = whole ? run_to(i, kCheckFailed, words) : std::nullopt;
    if (!start) return;
    whole_[i].push_back(elapsed_ ? whole->elapsed : whole->cpu);
    start_[i].push_back(elapsed_ ? start->elapsed : start->cpu);
  }

  /// None, and the candidate has failed, when it does not end with that status.
  std::optional<run::ChildEnd> run_to(size_t i, int status, const std::vector<std::string>& words) {
    const std::string output = scratch_.file("output");
    auto end = run::run_child(words, output);
    if (end && end->status == status) return end;
    const auto text = base::read_text(output);
    const std::string said = text ? text->substr(0, text->find('\n')) : "";
    row_.figures[i].failure =
        end ? fmt::format("status {}: {}", end->status, said) : "it does not start";
    return std::nullopt;
  }

  const SuiteReport& report_;
  const base::TemporaryDirectory& scratch_;
  bool elapsed_;
  SuiteRow& row_;
  std::vector<std::vector<double>> whole_, start_;  ///< seconds, by candidate
};

Result<std::vector<SuiteCandidate>> candidates_of(const SuiteOptions& options) {
  const fs::path own = base::find_in_own_tree("bin") / "cuvette";
  std::error_code ignored;
  if (!fs::exists(own, ignored)) return Error("no program " + own.string());
  std::string other;
  if (!options.against.empty()) {
    auto found = find_program(options.against);
    if (!found) return found.error();
    other = *found;
  }
  std::vector<SuiteCandidate> out;
  for (const unsigned threads : options.threads) {
    const std::string suffix = options.threads.size() == 1
                                   ? ""
                                   : fmt::format(", {} thread{}", threads, threads == 1 ? "" : "s");
    out.push_back({"this" + suffix, own.string(), threads});
    if (!other.empty()) out.push_back({"against" + suffix, other, threads});
  }
  return out;
}

}  // namespace

double suite_ratio(const SuiteRow& row, size_t a, size_t b) {
  const double denominator = row.figures[b].nanoseconds;
  return denominator > 0 ? row.figures[a].nanoseconds / denominator : 0;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  size_t count = 0;
  for (const double value : values) {
    if (value <= 0) continue;
    sum += std::log(value);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / static_cast<double>(count));
}

Result<SuiteReport> measure_suite(const SuiteOptions& options,
                                  const std::function<void(const SuiteReport&)>& started,
                                  const std::function<void(const SuiteReport&)>& done) {
  auto kernels = load_suite(options);
  if (!kernels) return kernels.error();
  auto candidates = candidates_of(options);
  if (!candidates) return candidates.error();
  const base::TemporaryDirectory scratch("suite");
  if (!scratch.ok()) return Error("no directory for temporary files");
  SuiteReport report;
  report.candidates = std::move(*candidates);
  const bool elapsed = std::any_of(options.threads.begin(), options.threads.end(),
                                   [](unsigned threads) { return threads > 1; });
  report.clock = elapsed ? "elapsed time" : "CPU time";
  started(report);
  for (const std::string& engine : options.engines) {
    for (const SuiteKernel& kernel : *kernels) {
      report.rows.push_back({kernel, engine, 0, {}});
      Measurement(report, scratch, elapsed, report.rows.back()).run(options.repetitions);
      done(report);
    }
  }
  return report;
}

}  // namespace cuvette::bench
