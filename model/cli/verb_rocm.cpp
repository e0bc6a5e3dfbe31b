// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Starts a program of ROCm's user space with a device of ours behind its driver library.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary_directory.h"
#include "cli/verb.h"
#include "run/device_count.h"
#include "run/lockstep_files.h"
#include "run/trace/options.h"

namespace cuvette::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

struct Options {
  std::string engine = "lt", config = "mi100", lockstep_instances, stats, trace, window, wait_graph;
  std::vector<std::string> lockstep, implementations, trace_filters, program;
  unsigned devices = 1, threads = 1;
  uint64_t trace_limit = 0;
  double timeout = 0;  // seconds; 0: none
};

/// Longest time that a program that was asked to end may take, its report included.
constexpr auto kGrace = milliseconds(10'000);

/// Gives the HSA runtime the finalizer extension (docs/howto/hsa_finalizer.md); found along
/// LD_LIBRARY_PATH.
constexpr const char* kFinalizerTool = "libcuvette_hsa_tool.so";

/// Folder of the driver library: beside the folder of this program.
fs::path rocm_folder() {
  std::error_code failed;
  const fs::path self = fs::canonical("/proc/self/exe", failed);
  return failed ? fs::path() : self.parent_path().parent_path() / "libexec/cuvette/rocm";
}

void set(const char* name, const std::string& value) {
  if (!value.empty()) setenv(name, value.c_str(), 1);
}

/// `entry` in front of a list.
void put_first(const char* name, const std::string& entry, const std::string& separator = ":") {
  const char* rest = std::getenv(name);
  set(name, rest == nullptr || *rest == 0 ? entry : entry + separator + rest);
}

void set_environment(const Options& o, const fs::path& folder, const std::string& report,
                     const std::string& result) {
  set("CUVETTE_ENGINE", o.engine);
  set("CUVETTE_MACHINE", o.config);
  set("CUVETTE_DEVICES", fmt::format("{}", o.devices));
  set("CUVETTE_LOCKSTEP", fmt::format("{}", fmt::join(o.lockstep, ",")));
  set("CUVETTE_LOCKSTEP_INSTANCES", o.lockstep_instances);
  set("CUVETTE_IMPL", fmt::format("{}", fmt::join(o.implementations, ",")));
  set("CUVETTE_THREADS", fmt::format("{}", o.threads));
  set("CUVETTE_STATS", o.stats);
  set("CUVETTE_TRACE", o.trace);
  set("CUVETTE_TRACE_FILTER", fmt::format("{}", fmt::join(o.trace_filters, ";")));
  if (o.trace_limit != 0) set("CUVETTE_TRACE_LIMIT", fmt::format("{}", o.trace_limit));
  set("CUVETTE_TRACE_WINDOW", o.window);
  set("CUVETTE_WAIT_GRAPH", o.wait_graph);
  set("CUVETTE_REPORT", report);
  set("CUVETTE_RESULT", result);
  put_first("LD_LIBRARY_PATH", folder.string());
  // The finalizer of HSAIL, beside the tools that the user asks for.
  std::error_code ignored;
  if (fs::exists(folder / kFinalizerTool, ignored)) put_first("HSA_TOOLS_LIB", kFinalizerTool, " ");
  // Programs that look for the kernel driver themselves.
  put_first("LD_PRELOAD", (folder / "libcuvette_kfd.so").string());
  put_first("PATH", (folder / "bin").string());
}

[[noreturn]] void become(const Options& o) {
  std::vector<char*> words;
  words.reserve(o.program.size() + 1);
  for (const auto& word : o.program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::fprintf(stderr, "cuvette: error: %s: %s\n", words[0], std::strerror(errno));
  _exit(127);
}

/// True when the child has ended; `status` is that of waitpid().
bool ends_within(pid_t child, milliseconds time, int& status) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return true;
}

/// To its end, or to the end of the time it has: first asked, so that it can report, then killed.
int wait_for(pid_t child, double timeout, bool& in_time) {
  int status = 0;
  in_time = true;
  if (timeout <= 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }
  if (ends_within(child, milliseconds(static_cast<int64_t>(timeout * 1000)), status)) return status;
  in_time = false;
  kill(child, SIGTERM);
  if (!ends_within(child, kGrace, status)) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  return status;
}

/// Results of the devices of the program's processes, from the lines that they left.
struct Devices {
  size_t opened = 0, passed = 0, failed = 0;
};
Devices read_result(const std::string& path) {
  Devices d;
  const auto text = base::read_text(path);
  if (!text) return d;
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('\n', at), text->size());
    const std::string line = text->substr(at, end - at);
    d.opened += line == "opened" ? 1 : 0;
    d.passed += line == "passed" ? 1 : 0;
    d.failed += line == "failed" ? 1 : 0;
    at = end + 1;
  }
  return d;
}

int conclude(const Options& o, int status, bool in_time, const Devices& d) {
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!in_time) {
    print_line(
        fmt::format("cuvette: error: {}: not done after {} seconds", o.program[0], o.timeout));
  }
  if (WIFSIGNALED(status) && in_time) {
    print_line(fmt::format("cuvette: {}: ended by signal {} ({})", o.program[0], WTERMSIG(status),
                           strsignal(WTERMSIG(status))));
  }
  if (d.opened == 0) print_line("cuvette: no process opened the device");
  if (d.opened > d.passed + d.failed) {
    print_line(
        fmt::format("cuvette: error: {} of {} processes with a device ended without a report",
                    d.opened - d.passed - d.failed, d.opened));
    if (code == 0) code = kCheckFailed;
  }
  return d.failed != 0 || !in_time ? kCheckFailed : code;
}

/// Before the program starts.
base::Status check_options(const Options& o) {
  run::TraceOptions trace;
  trace.path = o.trace;
  trace.filters = o.trace_filters;
  run::LockstepFiles files;
  if (!o.window.empty()) {
    if (auto s = run::parse_window(o.window, files); !s.ok()) return s;
  }
  if (o.trace.empty() && (!o.trace_filters.empty() || o.trace_limit != 0 || !o.window.empty())) {
    return base::Error("--trace-filter, --trace-limit and --window go with --trace");
  }
  if (o.engine == "golden" && (!o.trace.empty() || !o.wait_graph.empty())) {
    return base::Error("--trace and --wait-graph go with the engines lt and ca");
  }
  return run::check_trace(trace);
}

int rocm(const Options& o) {
  if (auto s = check_options(o); !s.ok()) return report(s.error());
  const fs::path folder = rocm_folder();
  std::error_code ignored;
  if (!fs::exists(folder / "libhsakmt.so.1", ignored)) {
    return not_built("rocm", "libhsakmt.so.1: libhsakmt-dev was not there");
  }
  if (auto s = check_outputs({}, {o.stats, o.trace, o.wait_graph}); !s.ok()) {
    return report(s.error());
  }
  const base::TemporaryDirectory scratch("cuvette_rocm");
  if (!scratch.ok()) return report(base::Error("no room for temporary files"));
  const std::string text = scratch.file("report"), result = scratch.file("result");
  // The program has the terminal: what interrupts it is its own business.
  std::signal(SIGINT, SIG_IGN);
  const pid_t child = fork();
  if (child < 0) return report(base::Error(fmt::format("fork: {}", std::strerror(errno))));
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    set_environment(o, folder, text, result);
    become(o);
  }
  bool in_time = true;
  const int status = wait_for(child, o.timeout, in_time);
  if (const auto reports = base::read_text(text); reports) {
    std::fwrite(reports->data(), 1, reports->size(), stderr);
  }
  return conclude(o, status, in_time, read_result(result));
}

}  // namespace

void add_rocm(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = verbs.add("rocm", "Run a program of ROCm's user space on the model");
  verb.option("--engine", o->engine, "lt, ca or golden")
      .one_of({"lt", "ca", "golden"})
      .with_default();
  verb.option("--config", o->config, "Machine description: a name or a file").with_default();
  verb.option("--devices", o->devices, "Devices of each process, all of that machine")
      .between(1u, run::kMostDevices)
      .with_default();
  verb.option("--lockstep", o->lockstep, "Blocks whose RTL is compared: BLOCK or BLOCK:1/N (ca)");
  verb.option("--lockstep-instances", o->lockstep_instances, "Where: 1 or all");
  verb.option("--impl", o->implementations, "Implementation of a block: BLOCK=NAME (ca)");
  verb.option("--threads", o->threads, "Host threads (ca)").between(1, 64);
  verb.option("--stats", o->stats, "Statistics to write, JSON");
  verb.option("--trace", o->trace, "Trace events to write (lt, ca)");
  verb.option("--trace-filter", o->trace_filters,
              "cu=N,..., kernel=NAME,... or wave=N,...: of the trace, these waves alone");
  verb.option("--trace-limit", o->trace_limit, "Keep the first N events of the trace").at_least(1);
  verb.option("--window", o->window, "FIRST:LAST: cycles that --trace shows");
  verb.option("--wait-graph", o->wait_graph,
              "Write who waits for whom (Graphviz) when work is under way at the end (lt, ca)");
  verb.option("--timeout", o->timeout, "Seconds that the program may take").positive();
  verb.option("program", o->program, "The program and its arguments, behind --").required();
  verb.positionals_last();
  verb.does([o] { return rocm(*o); });
}

}  // namespace cuvette::cli
