// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "thunk/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "run/device_count.h"

namespace cuvette::thunk {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

base::Result<unsigned> number(const char* name, unsigned otherwise, unsigned most) {
  const std::string text = variable(name);
  if (text.empty()) return otherwise;
  const bool digits = text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
  const unsigned long value = digits ? std::stoul(text) : 0;
  if (value >= 1 && value <= most) return static_cast<unsigned>(value);
  return base::Error(
      fmt::format("{}: expected a number from 1 to {}, found '{}'", name, most, text));
}

/// What of the machine's work is shown, and the graph of what is under way at the end.
base::Status read_trace(run::EngineOptions& engine) {
  run::TraceOptions& trace = engine.trace;
  trace.path = variable("CUVETTE_TRACE");
  trace.filters = split_list(variable("CUVETTE_TRACE_FILTER"), ';');
  engine.wait_graph = variable("CUVETTE_WAIT_GRAPH");
  if (engine.engine == "golden" && (trace.on() || !engine.wait_graph.empty())) {
    return base::Error(fmt::format("{} goes with CUVETTE_ENGINE=lt or ca, found 'golden'",
                                   trace.on() ? "CUVETTE_TRACE" : "CUVETTE_WAIT_GRAPH"));
  }
  if (const std::string limit = variable("CUVETTE_TRACE_LIMIT"); !limit.empty()) {
    const char* const end = limit.data() + limit.size();
    const auto [stop, error] = std::from_chars(limit.data(), end, trace.limit);
    if (error != std::errc() || stop != end || trace.limit == 0) {
      return base::Error(
          fmt::format("CUVETTE_TRACE_LIMIT: expected a number from 1 on, found '{}'", limit));
    }
  }
  if (const std::string window = variable("CUVETTE_TRACE_WINDOW"); !window.empty()) {
    run::LockstepFiles files;
    if (!run::parse_window(window, files).ok()) {
      return base::Error(
          fmt::format("CUVETTE_TRACE_WINDOW: expected FIRST:LAST in cycles, found '{}'", window));
    }
    trace.first = files.first;
    trace.last = files.last;
  }
  return run::check_trace(trace, "CUVETTE_TRACE");
}

}  // namespace

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(separator, at), text.size());
    if (comma > at) parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

base::Result<Settings> settings_from_environment() {
  Settings s;
  s.engine.engine = variable("CUVETTE_ENGINE");
  if (s.engine.engine.empty()) s.engine.engine = "lt";
  if (s.engine.engine != "lt" && s.engine.engine != "ca" && s.engine.engine != "golden") {
    return base::Error(
        fmt::format("CUVETTE_ENGINE: expected lt, ca or golden, found '{}'", s.engine.engine));
  }
  s.engine.config = variable("CUVETTE_MACHINE");
  if (s.engine.config.empty()) s.engine.config = "mi100";
  s.engine.lockstep = split_list(variable("CUVETTE_LOCKSTEP"));
  s.engine.lockstep_instances = variable("CUVETTE_LOCKSTEP_INSTANCES");
  s.engine.implementations = split_list(variable("CUVETTE_IMPL"));
  if (s.engine.engine != "ca" && !(s.engine.lockstep.empty() && s.engine.implementations.empty())) {
    return base::Error(
        fmt::format("CUVETTE_LOCKSTEP and CUVETTE_IMPL go with CUVETTE_ENGINE=ca, found '{}'",
                    s.engine.engine));
  }
  if (auto ok = read_trace(s.engine); !ok.ok()) return ok.error();
  const auto devices = number("CUVETTE_DEVICES", 1, run::kMostDevices);
  if (!devices) return devices.error();
  s.devices = *devices;
  const auto threads = number("CUVETTE_THREADS", 1, 64);
  if (!threads) return threads.error();
  s.engine.threads = *threads;
  s.stats = variable("CUVETTE_STATS");
  s.report = variable("CUVETTE_REPORT");
  if (s.report.empty()) s.report = "-";
  s.result = variable("CUVETTE_RESULT");
  return s;
}

}  // namespace cuvette::thunk
