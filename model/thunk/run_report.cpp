// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/run_report.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "run/session.h"
#include "run/summary.h"

namespace cuvette::thunk {
namespace {

constexpr size_t kShownKernels = 20;
constexpr const char* kSchema = "cuvette-rocm-1";

/// The name of the program, as the kernel has it.
std::string program_name() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return "program";
  const std::string whole(path, static_cast<size_t>(length));
  return whole.substr(whole.rfind('/') + 1);
}

std::string kernel_lines(const std::vector<Recorder::Kernel>& kernels, bool has_time) {
  std::string out;
  for (size_t i = 0; i < std::min(kernels.size(), kShownKernels); ++i) {
    const Recorder::Kernel& k = kernels[i];
    out += fmt::format("  {:<14} {} {}, {} work-groups", i == 0 ? "kernels" : "", k.dispatches,
                       k.dispatches == 1 ? "time" : "times", k.workgroups);
    if (has_time && k.most != 0) out += fmt::format(", {} cycles", k.cycles);
    out += ": " + k.name + "\n";
  }
  if (kernels.size() > kShownKernels) {
    out += fmt::format("  {:<14} ... and {} more\n", "", kernels.size() - kShownKernels);
  }
  return out;
}

/// Nothing when no packet came to an SDMA engine.
std::string sdma_line(const sdma::Counters& c) {
  if (c.packets == 0) return "";
  return fmt::format("  {:<14} {} packets, {} bytes copied, {} bytes filled or written\n", "sdma",
                     c.packets, c.bytes_copied, c.bytes_written);
}

std::string statistics(const run::EngineReport& r, const std::vector<Recorder::Kernel>& kernels,
                       const std::vector<run::BlockCounters>& blocks, const sdma::Counters& copies,
                       const machine::GpuConfig& description, const Settings& settings,
                       bool passed) {
  using Json = nlohmann::ordered_json;
  Json out = {{"schema", kSchema},
              {"engine", settings.engine.engine},
              {"machine", description.name},
              {"target", description.target},
              {"program", program_name()},
              {"process", getpid()},
              {"passed", passed},
              {"instructions", r.instructions},
              {"waves", r.waves},
              {"cycles", r.cycles},
              {"by_status", r.by_status}};
  out["kernels"] = Json::array();
  for (const Recorder::Kernel& k : kernels) {
    out["kernels"].push_back({{"name", k.name},
                              {"dispatches", k.dispatches},
                              {"workgroups", k.workgroups},
                              {"cycles", k.cycles},
                              {"least_cycles", k.most == 0 ? 0 : k.least},
                              {"most_cycles", k.most}});
  }
  out["sdma"] = {{"packets", copies.packets},
                 {"bytes_copied", copies.bytes_copied},
                 {"bytes_written", copies.bytes_written},
                 {"atomics", copies.atomics},
                 {"polls", copies.polls},
                 {"traps", copies.traps},
                 {"errors", copies.errors}};
  if (!r.lockstep_scope.empty()) {
    out["lockstep"] = {{"scope", r.lockstep_scope},
                       {"compared", r.lockstep_items},
                       {"mismatches", r.lockstep_mismatches}};
  }
  out["blocks"] = Json::array();
  for (const run::BlockCounters& b : blocks) {
    Json counters = Json::object();
    for (const auto& [name, value] : b.values) counters[name] = value;
    out["blocks"].push_back(
        {{"block", b.block}, {"instance", b.index}, {"counters", std::move(counters)}});
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool write_text(const std::string& path, const char* mode, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) return false;
  const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return (std::fclose(file) == 0) && good;
}

}  // namespace

RunReport make_report(Engine& engine, const Recorder& recorder,
                      const machine::GpuConfig& description, const Settings& settings,
                      std::vector<std::string> failures, const std::string& end) {
  run::SessionResult result;
  result.report.failures = std::move(failures);
  result.report.target = description.target;
  engine.describe(result.report);
  engine.conclude(result.report);
  const auto kernels = recorder.kernels();
  const sdma::Counters copies = engine.sdma().counters();
  const bool has_time = settings.engine.engine != "golden";
  if (!has_time) result.report.cycles = 0;
  RunReport out;
  out.passed = result.passed() && result.report.lost_files.empty();
  std::string text = run::summary_text(
      program_name(), fmt::format("{} ({})", settings.engine.engine, description.name), result);
  // Nobody compares elements here.
  const size_t checks = text.find("  checks ");
  if (checks != std::string::npos) {
    text.replace(checks, text.find('\n', checks) + 1 - checks,
                 fmt::format("  {:<14} {}\n", "dispatches", recorder.dispatches()) +
                     kernel_lines(kernels, has_time) + sdma_line(copies));
  }
  for (const auto& lost : result.report.lost_files) text += lost.str() + "\n";
  if (!end.empty()) text += end;
  out.text = "cuvette: " + text;
  if (!settings.stats.empty()) {
    out.json = statistics(result.report, kernels, engine.block_counters(), copies, description,
                          settings, out.passed);
  }
  return out;
}

void announce(const Settings& settings) {
  if (!settings.result.empty()) write_text(settings.result, "ae", "opened\n");
}

void publish(const RunReport& report, const Settings& settings) {
  const auto write = [](const std::string& path, const char* mode, const std::string& text) {
    if (path.empty() || path == "none") return;
    if (path == "-") {
      std::fwrite(text.data(), 1, text.size(), stderr);
    } else if (!write_text(path, mode, text)) {
      std::fprintf(stderr, "cuvette: error: %s: cannot be written\n", path.c_str());
    }
  };
  write(settings.report, "ae", report.text);
  write(settings.result, "ae", report.passed ? "passed\n" : "failed\n");
  if (!report.json.empty()) write(settings.stats, "we", report.json);
}

}  // namespace cuvette::thunk
