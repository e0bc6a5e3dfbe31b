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

using Json = nlohmann::ordered_json;

/// One device after its end.
struct Outcome {
  run::EngineReport report;
  std::vector<Recorder::Kernel> kernels;
  sdma::Counters copies;
  std::string text;  // for people
  bool passed = false;
};

/// `machine`: for people.
Outcome conclude(DeviceRun& d, const std::string& machine, const machine::GpuConfig& description,
                 const Settings& settings) {
  const bool has_time = settings.engine.engine != "golden";
  run::SessionResult result;
  run::EngineReport& report = result.report;
  report.failures = std::move(d.failures);
  report.target = description.target;
  d.engine.describe(report);
  d.engine.conclude(report);
  if (!has_time) report.cycles = 0;
  if (has_time && settings.devices > 1) {
    report.not_modelled.push_back(
        "links between devices: memory of another device takes the time of the device's own");
  }
  Outcome o;
  o.kernels = d.recorder.kernels();
  o.copies = d.engine.sdma().counters();
  o.passed = result.passed() && report.lost_files.empty();
  o.text = "cuvette: " + run::summary_text(program_name(), machine, result);
  // Nobody compares elements here.
  const size_t checks = o.text.find("  checks ");
  if (checks != std::string::npos) {
    o.text.replace(checks, o.text.find('\n', checks) + 1 - checks,
                   fmt::format("  {:<14} {}\n", "dispatches", d.recorder.dispatches()) +
                       kernel_lines(o.kernels, has_time) + sdma_line(o.copies));
  }
  for (const auto& lost : report.lost_files) o.text += lost.str() + "\n";
  o.text += d.end;
  o.report = std::move(report);
  return o;
}

Json work_of(const run::EngineReport& r) {
  return {{"instructions", r.instructions},
          {"waves", r.waves},
          {"cycles", r.cycles},
          {"by_status", r.by_status}};
}

/// Kernels, copies, lockstep and blocks.
void add_parts(Engine& engine, const Outcome& o, Json& out) {
  out["kernels"] = Json::array();
  for (const Recorder::Kernel& k : o.kernels) {
    out["kernels"].push_back({{"name", k.name},
                              {"dispatches", k.dispatches},
                              {"workgroups", k.workgroups},
                              {"cycles", k.cycles},
                              {"least_cycles", k.most == 0 ? 0 : k.least},
                              {"most_cycles", k.most}});
  }
  out["sdma"] = {{"packets", o.copies.packets},
                 {"bytes_copied", o.copies.bytes_copied},
                 {"bytes_written", o.copies.bytes_written},
                 {"atomics", o.copies.atomics},
                 {"polls", o.copies.polls},
                 {"traps", o.copies.traps},
                 {"errors", o.copies.errors}};
  const run::EngineReport& r = o.report;
  if (!r.lockstep_scope.empty()) {
    out["lockstep"] = {{"scope", r.lockstep_scope},
                       {"compared", r.lockstep_items},
                       {"mismatches", r.lockstep_mismatches}};
  }
  out["blocks"] = Json::array();
  for (const run::BlockCounters& b : engine.block_counters()) {
    Json counters = Json::object();
    for (const auto& [name, value] : b.values) counters[name] = value;
    out["blocks"].push_back(
        {{"block", b.block}, {"instance", b.index}, {"counters", std::move(counters)}});
  }
}

/// With several devices the object has the sums and a list of devices, each with its parts.
std::string statistics(const std::vector<DeviceRun>& devices, const std::vector<Outcome>& outcomes,
                       const machine::GpuConfig& description, const Settings& settings,
                       bool passed) {
  Json out = {{"schema", kSchema},
              {"engine", settings.engine.engine},
              {"machine", description.name},
              {"target", description.target},
              {"program", program_name()},
              {"process", getpid()},
              {"passed", passed}};
  run::EngineReport sum;
  for (const Outcome& o : outcomes) {
    sum.instructions += o.report.instructions;
    sum.waves += o.report.waves;
    sum.cycles = std::max(sum.cycles, o.report.cycles);  // one clock
    for (const auto& [status, count] : o.report.by_status) sum.by_status[status] += count;
  }
  out.update(work_of(sum));
  if (devices.size() == 1) {
    add_parts(devices[0].engine, outcomes[0], out);
  } else {
    out["devices"] = Json::array();
    for (size_t i = 0; i < devices.size(); ++i) {
      Json device = {
          {"device", i}, {"pci", devices[i].pci_address}, {"passed", outcomes[i].passed}};
      device.update(work_of(outcomes[i].report));
      add_parts(devices[i].engine, outcomes[i], device);
      out["devices"].push_back(std::move(device));
    }
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

RunReport make_report(std::vector<DeviceRun> devices, const machine::GpuConfig& description,
                      const Settings& settings) {
  RunReport out;
  out.passed = true;
  std::vector<Outcome> outcomes;
  for (DeviceRun& d : devices) {
    std::string machine = fmt::format("{} ({})", settings.engine.engine, description.name);
    if (devices.size() > 1) {
      machine += fmt::format(", device {} at {}", outcomes.size(), d.pci_address);
    }
    Outcome o = conclude(d, machine, description, settings);
    out.text += o.text;
    out.passed = out.passed && o.passed;
    outcomes.push_back(std::move(o));
  }
  if (!settings.stats.empty()) {
    out.json = statistics(devices, outcomes, description, settings, out.passed);
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
