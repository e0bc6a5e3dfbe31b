// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop_point.h"
#include "cli/verb.h"
#include "host/replay.h"
#include "machine/settings.h"
#include "run/dispatch_file.h"
#include "run/engine.h"
#include "run/session.h"
#include "run/statistics.h"
#include "run/summary.h"

namespace cuvette::cli {
namespace {

struct Options {
  std::vector<std::string> dispatches, lockstep, implementations, dumps, config_dirs, settings;
  std::string engine = "golden", config = "mi100", target, log, hazards, trace, wave, record,
              window, stats, results, counters_out;
  std::vector<std::string> counters, trace_filters;
  uint64_t stats_every = 0, trace_limit = 0;
  std::string replay_host, lockstep_instances, undefined, executor, why_blocked, wait_graph,
      transactions;
  uint64_t watchdog = 0;
  unsigned threads = 1;
  unsigned wavesize = 64;
  bool poison = false, allow_fallback = false;
  bool engine_given = false;  // or --config
};

/// Result of a whole file, for --results and the exit status.
struct Outcome {
  std::string file;
  int status = kPassed;
  double seconds = 0;
  uint64_t instructions = 0, cycles = 0;
};

/// Point at which Ctrl-C ends a run with its report; a second one ends the program.
base::StopPoint ctrl_c;
volatile std::sig_atomic_t interrupted = 0;

/// The engines that pass such points.
bool can_stop(const Options& o) {
  return o.engine == "lt" || o.engine == "ca" || (o.engine == "golden" && o.threads <= 1);
}

void catch_ctrl_c() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    interrupted = 1;
    ctrl_c.ask(1);
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

run::EngineOptions engine_options(const Options& o) {
  run::EngineOptions e;
  e.engine = o.engine;
  e.target = o.target;
  e.config = o.config;
  e.config_dirs = o.config_dirs;
  e.settings = o.settings;
  e.watchdog = o.watchdog;
  e.log = o.log;
  e.poison = o.poison;
  e.threads = std::max(1u, o.threads);
  e.reference = o.executor == "reference";
  e.wavesize = o.wavesize;
  e.undefined = o.undefined;
  e.allow_fallback = o.allow_fallback;
  if (!o.hazards.empty()) {
    e.hazards = o.hazards == "strict" ? run::HazardMode::Strict : run::HazardMode::Report;
  }
  e.trace.path = o.trace;
  e.trace.filters = o.trace_filters;
  e.trace.limit = o.trace_limit;
  e.why_blocked = o.why_blocked;
  e.wait_graph = o.wait_graph;
  e.transactions = o.transactions;
  e.lockstep = o.lockstep;
  e.lockstep_instances = o.lockstep_instances;
  e.implementations = o.implementations;
  e.counters = o.counters;
  e.stats_every = o.stats_every;
  e.block_intervals = o.stats_every != 0 && !o.stats.empty();
  if (can_stop(o)) e.stop = &ctrl_c;
  e.progress = isatty(STDERR_FILENO) != 0;
  return e;
}

/// The files of blocks in lockstep.
base::Result<run::LockstepFiles> lockstep_files(const Options& o) {
  run::LockstepFiles files;
  files.wave = o.wave;
  files.record = o.record;
  if (o.window.empty()) return files;
  if (auto s = run::parse_window(o.window, files); !s.ok()) return s.error();
  return files;
}

bool is_csv(const std::string& path) {
  return std::filesystem::path(path).extension() == ".csv";
}

int check_counters(const Options& o, bool timed) {
  if ((!o.counters.empty() || o.stats_every != 0) && !timed) {
    return report(base::Error("--counters and --stats-every go with the engines lt and ca"));
  }
  if (!o.counters_out.empty() && o.counters.empty()) {
    return report(base::Error("--counters-out goes with --counters"));
  }
  if (!o.counters_out.empty() && !is_csv(o.counters_out) &&
      std::filesystem::path(o.counters_out).extension() != ".json") {
    return report(base::Error(fmt::format(
        "--counters-out {}: expected a name that ends in .json or .csv", o.counters_out)));
  }
  if (o.stats_every != 0 && o.stats.empty() && o.counters_out.empty()) {
    return report(base::Error("--stats-every goes with --stats or --counters-out"));
  }
  return kPassed;
}

int check_trace_options(const Options& o, bool timed) {
  if (!o.transactions.empty() && o.engine != "lt") {
    return report(base::Error("--transactions goes with the engine lt"));
  }
  if (o.trace.empty() && o.trace_limit != 0) {
    return report(base::Error("--trace-limit goes with --trace"));
  }
  if (o.trace.empty() && o.transactions.empty() && !o.trace_filters.empty()) {
    return report(base::Error("--trace-filter goes with --trace or --transactions"));
  }
  if (!o.trace.empty() && !timed) {
    return report(base::Error("--trace goes with the engines lt and ca"));
  }
  const auto s = run::check_trace(engine_options(o).trace);
  return s.ok() ? kPassed : report(s.error());
}

/// Options that the chosen engine cannot honour, or that are not in this build.
int check_options(const Options& o) {
  const bool timed = o.engine == "lt" || o.engine == "ca";
  if (o.engine != "ca" && (!o.lockstep.empty() || !o.implementations.empty() ||
                           !o.lockstep_instances.empty() || !o.wave.empty() || !o.record.empty())) {
    return report(base::Error(
        "--lockstep, --lockstep-instances, --impl, --wave and --record need --engine ca"));
  }
  if (!o.window.empty() && o.wave.empty() && o.record.empty() && o.trace.empty() &&
      o.transactions.empty()) {
    return report(base::Error("--window goes with --trace, --transactions, --wave or --record"));
  }
  if (!o.log.empty() && o.engine != "golden" && o.engine != "ca") {
    return report(base::Error("--log goes with the engines golden and ca"));
  }
  if (!o.log.empty() && o.dispatches.size() != 1) {
    return report(base::Error("--log takes one dispatch file"));
  }
  if (o.threads > 1 && o.engine != "golden" && o.engine != "ca") {
    return report(base::Error("--threads goes with the engines golden and ca"));
  }
  if (!o.executor.empty() && o.engine != "golden") {
    return report(base::Error("--executor goes with engine golden"));
  }
  if (o.wavesize != 64 && o.engine != "hsail") {
    return report(
        base::Error("--wavesize goes with engine hsail; machine code has wavefronts of 64"));
  }
  if (!o.undefined.empty() && o.engine != "hsail") {
    return report(base::Error("--undefined goes with engine hsail"));
  }
  if (timed && !o.target.empty()) {
    return report(
        base::Error("--target goes with the engines hsail and golden; the others take the "
                    "machine description's target"));
  }
  if (o.allow_fallback && !timed) {
    return report(base::Error("--allow-fallback goes with the engines lt and ca"));
  }
  if (!o.hazards.empty() && o.engine == "hsail") {
    return report(base::Error("--hazards goes with the engines golden, lt and ca"));
  }
  if (o.poison && o.engine == "hsail") {
    return report(base::Error("--poison goes with the engines golden, lt and ca"));
  }
  if (const int status = check_trace_options(o, timed); status != kPassed) return status;
  if (const int status = check_counters(o, timed); status != kPassed) return status;
  if (!o.why_blocked.empty() && !timed) {
    return report(base::Error("--why-blocked goes with the engines lt and ca"));
  }
  if (!o.wait_graph.empty() && !timed) {
    return report(base::Error("--wait-graph goes with the engines lt and ca"));
  }
  for (const auto& [given, name] :
       {std::pair{!o.trace.empty(), "--trace"}, std::pair{!o.stats.empty(), "--stats"},
        std::pair{!o.counters_out.empty(), "--counters-out"}, std::pair{!o.wave.empty(), "--wave"},
        std::pair{!o.record.empty(), "--record"}, std::pair{!o.wait_graph.empty(), "--wait-graph"},
        std::pair{!o.transactions.empty(), "--transactions"}}) {
    if (given && o.dispatches.size() != 1) {
      return report(base::Error(fmt::format("{} takes one dispatch file", name)));
    }
  }
  return kPassed;
}

/// --replay-host takes engine and machine from the log; what would change the run is refused.
int replay_host(const Options& o) {
  if (!o.dispatches.empty()) {
    return report(base::Error("--replay-host takes no dispatch file: the log says what is run"));
  }
  if (!o.target.empty() || !o.lockstep.empty() || !o.lockstep_instances.empty() ||
      !o.implementations.empty() || !o.dumps.empty() || !o.config_dirs.empty() ||
      !o.settings.empty() || !o.log.empty() || !o.hazards.empty() || !o.trace.empty() ||
      !o.trace_filters.empty() || o.trace_limit != 0 || !o.why_blocked.empty() ||
      !o.wait_graph.empty() || !o.transactions.empty() || !o.wave.empty() || !o.record.empty() ||
      !o.window.empty() || !o.stats.empty() || !o.counters.empty() || !o.counters_out.empty() ||
      o.stats_every != 0 || !o.results.empty() || o.threads > 1 || o.wavesize != 64 || o.poison ||
      !o.undefined.empty() || !o.executor.empty() || o.allow_fallback || o.engine_given) {
    return report(base::Error("--replay-host goes with --watchdog and nothing else"));
  }
  host::ReplayOptions options;
  options.watchdog = o.watchdog;
  const auto replayed = host::replay_host_log(o.replay_host, options);
  if (!replayed) return report(replayed.error());
  const host::ReplayReport& r = *replayed;
  fmt::print("{}: engine {}, {}\n", o.replay_host, r.engine, r.machine);
  fmt::print("  {} calls, {} interrupts, {} agent dispatches, {} cycles\n", r.calls, r.interrupts,
             r.agent_dispatches, r.cycles);
  if (r.stops != 0) fmt::print("  {} waits cancelled or ended by a watchdog\n", r.stops);
  if (!r.difference.empty()) {
    print_line(r.difference);
    fmt::print("FAILED: the run was not reproduced\n");
    return kCheckFailed;
  }
  if (r.calls + r.interrupts + r.agent_dispatches == 0) {
    fmt::print("FAILED: nothing was compared, the host does nothing in the log\n");
    return kCheckFailed;
  }
  fmt::print("  memory at the end: fingerprint {:#x}\nPASSED: reproduced\n", r.memory);
  return kPassed;
}

/// "NAME=FILE" options added to what the dispatch file dumps.
base::Status add_dumps(const Options& o, run::DispatchFile& file) {
  std::set<std::string> named;
  for (const auto& dump : o.dumps) {
    const auto equals = dump.find('=');
    if (equals == std::string::npos || equals + 1 == dump.size()) {
      return base::Error(fmt::format("--dump expects NAME=FILE, found '{}'", dump));
    }
    const std::string name = dump.substr(0, equals);
    if (file.find_buffer(name) == nullptr) {
      return base::Error(fmt::format("--dump: no buffer is named '{}'", name), {.file = file.path});
    }
    if (!named.insert(name).second) {
      return base::Error(fmt::format("--dump names buffer '{}' twice, expected each once", name));
    }
    file.dumps[name] = dump.substr(equals + 1);
  }
  return {};
}

/// Before anything is run: what would be lost cannot be brought back.
base::Status check_files(const Options& o, const run::DispatchFile& file) {
  std::vector<std::string> inputs = file.inputs;
  inputs.insert(inputs.end(), o.dispatches.begin(), o.dispatches.end());
  inputs.push_back(o.config);
  std::vector<std::string> outputs = {o.log,     o.trace,      o.wave,
                                      o.record,  o.stats,      o.counters_out,
                                      o.results, o.wait_graph, o.transactions};
  for (const auto& [name, target] : file.dumps) outputs.push_back(target);
  if (auto s = check_outputs(inputs, outputs); !s.ok()) return s;
  return base::check_replaceable(o.wave);
}

/// --results is written whatever became of the files.
base::Status check_results(const Options& o) {
  std::error_code ignored;
  if (!std::filesystem::exists(o.results, ignored)) return {};
  std::vector<std::string> inputs = o.dispatches;
  for (const auto& path : o.dispatches) {
    const auto file = run::load_dispatch_file(path);
    if (file) inputs.insert(inputs.end(), file->inputs.begin(), file->inputs.end());
  }
  return check_outputs(inputs, {o.results});
}

/// The fields of the machine that engines with time have run on: their description has been read
/// before.
std::vector<machine::Setting> machine_of(const Options& o) {
  if (o.engine != "lt" && o.engine != "ca") return {};
  const auto path = machine::find_description(o.config, o.config_dirs);
  if (!path) return {};
  auto fields = machine::list_fields(*path, o.settings);
  return fields ? std::move(fields).value() : std::vector<machine::Setting>{};
}

int run_file(const Options& o, const std::string& path, Outcome& outcome) {
  auto file = run::load_dispatch_file(path);
  if (!file) return report(file.error());
  if (auto s = add_dumps(o, *file); !s.ok()) return report(s.error());
  if (auto s = check_files(o, *file); !s.ok()) return report(s.error());
  std::optional<run::NotBuilt> missing;
  run::EngineOptions options = engine_options(o);
  auto files = lockstep_files(o);
  if (!files) return report(files.error());
  options.files = std::move(*files);
  if (options.trace.on()) {
    options.trace.first = options.files.first;
    options.trace.last = options.files.last;
  }
  auto engine = run::make_engine(options, missing);
  if (!engine) return report(engine.error());
  if (missing) return not_built("run", missing->what);
  auto result = run::run_session(*file, **engine, run::Contents::Used);
  if (!result) return report(result.error());
  outcome.instructions = result->report.instructions;
  outcome.cycles = result->report.cycles;
  // A file that cannot be written costs neither the others nor the summary.
  std::vector<base::Error> lost = result->report.lost_files;
  const auto keep = [&lost](const base::Status& s) {
    if (!s.ok()) lost.push_back(s.error());
  };
  for (const auto& [name, target] : file->dumps) {
    const auto& bytes = result->buffers.at(name);
    keep(base::write_binary(target, bytes.data(), bytes.size()));
  }
  const run::RunIdentity identity{CUVETTE_VERSION, o.engine, o.config, path, machine_of(o)};
  if (!o.stats.empty()) keep(base::write_text(o.stats, run::statistics_text(identity, *result)));
  if (!o.counters_out.empty()) {
    keep(base::write_text(o.counters_out, is_csv(o.counters_out)
                                              ? run::counters_csv(*result->report.counters)
                                              : run::counters_text(identity, *result)));
    result->report.counters = nullptr;  // the summary has no place for them
  }
  fmt::print("{}", run::summary_text(path, o.engine, *result));
  int status = result->passed() ? kPassed : kCheckFailed;
  for (const base::Error& error : lost) status = std::max(status, report(error));
  return status;
}

/// run_file() in a child process, because SystemC elaborates once per process. The child writes its
/// numbers into a pipe, and whether its output is lost, which is said once for all children.
int run_file_apart(const Options& o, const std::string& path, Outcome& outcome) {
  int ends[2];
  if (pipe(ends) != 0) return report(base::Error("no pipe for a child process"), kInternal);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return report(base::Error("no child process"), kInternal);
  uint64_t numbers[3] = {0, 0, 0};
  if (child == 0) {
    close(ends[0]);
    int status = guarded([&] { return run_file(o, path, outcome); });
    numbers[0] = outcome.instructions;
    numbers[1] = outcome.cycles;
    numbers[2] = output_lost() ? 1 : 0;
    if (write(ends[1], numbers, sizeof numbers) != ssize_t{sizeof numbers}) status = kInternal;
    std::fflush(nullptr);
    _exit(status);
  }
  close(ends[1]);
  if (read(ends[0], numbers, sizeof numbers) == ssize_t{sizeof numbers}) {
    outcome.instructions = numbers[0];
    outcome.cycles = numbers[1];
    if (numbers[2] != 0) lose_output();
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return report(base::Error(fmt::format("{}: the child process ended by signal {}", path,
                                        WIFSIGNALED(status) ? WTERMSIG(status) : 0)),
                kInternal);
}

int write_results(const std::string& path, const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const auto& r : outcomes) {
    const nlohmann::ordered_json line = {{"file", r.file},
                                         {"status", r.status == kPassed ? "passed" : "failed"},
                                         {"exit", r.status},
                                         {"seconds", r.seconds},
                                         {"instructions", r.instructions},
                                         {"cycles", r.cycles}};
    // File names need not be UTF-8.
    text += line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  const auto s = base::write_text(path, text);
  return s.ok() ? kPassed : report(s.error());
}

int run(const Options& o) {
  if (!o.replay_host.empty()) return replay_host(o);
  if (o.dispatches.empty()) return report(base::Error("expected a dispatch file"));
  if (const int status = check_options(o); status != kPassed) return status;
  if (auto s = check_results(o); !s.ok()) return report(s.error());
  std::vector<Outcome> outcomes;
  int worst = kPassed;
  const bool timed = o.engine == "lt" || o.engine == "ca";
  const bool apart = timed && o.dispatches.size() > 1;
  if (can_stop(o)) catch_ctrl_c();
  for (const auto& path : o.dispatches) {
    if (interrupted != 0) break;
    Outcome outcome;
    outcome.file = path;
    const auto start = std::chrono::steady_clock::now();
    outcome.status = apart ? run_file_apart(o, path, outcome) : run_file(o, path, outcome);
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    worst = std::max(worst, outcome.status);
    outcomes.push_back(outcome);
  }
  if (!o.results.empty()) worst = std::max(worst, write_results(o.results, outcomes));
  return worst;
}

}  // namespace

void add_run(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = verbs.add("run", "Run kernels from dispatch files and check what they expect");
  verb.option("dispatch", o->dispatches, "Dispatch files (YAML)");
  verb.option("--engine", o->engine, "hsail, golden, lt or ca")
      .one_of({"hsail", "golden", "lt", "ca"})
      .with_default();
  verb.option("--config", o->config, "Machine description: a name or a file").with_default();
  verb.option("--target", o->target, "Instruction set (hsail and golden only)");
  verb.option("--lockstep", o->lockstep, "BLOCK[:1/N],...: run blocks in lockstep (ca only)")
      .separated();
  verb.option("--lockstep-instances", o->lockstep_instances,
              "1 or all: where blocks in lockstep stand (ca only)")
      .one_of({"1", "all"});
  verb.option("--impl", o->implementations, "BLOCK=NAME,...: choose implementations (ca only)")
      .separated();
  verb.option("--dump", o->dumps, "NAME=FILE: write a buffer after the run");
  verb.option("--log", o->log,
              "Write the retirement log (golden, ca); binary when FILE ends in .bin");
  verb.option("--hazards", o->hazards, "Check instruction hazards (golden, lt, ca)")
      .one_of({"report", "strict"});
  verb.option("--trace", o->trace,
              "Write a trace: FILE.pftrace (Perfetto), FILE.json (Chrome trace events) or "
              "FILE.kanata (Konata) (lt, ca)");
  verb.option("--trace-filter", o->trace_filters,
              "cu=N,..., kernel=NAME,... or wave=N,...: of the trace, these waves alone");
  verb.option("--trace-limit", o->trace_limit, "Keep the first N events of the trace").at_least(1);
  verb.option("--transactions", o->transactions,
              "Write the transactions of the TLM-2.0 sockets, SCV text (lt only)");
  verb.option("--why-blocked", o->why_blocked,
              "WAVE or KERNEL: for which reasons and where it did not issue (lt, ca)");
  verb.option("--wait-graph", o->wait_graph,
              "Write who waits for whom (Graphviz) when the run hangs, or what the waves of "
              "--why-blocked waited for (lt, ca)");
  verb.option(
      "--wave", o->wave,
      "Write RTL waveforms (FST) of a block in lockstep: around a difference, or at the end");
  verb.option("--record", o->record,
              "Write what moves at the pins of blocks in lockstep (JSON lines)");
  verb.option("--window", o->window,
              "FIRST:LAST: cycles that --trace, --transactions and --wave show; --record ends "
              "with LAST");
  verb.option("--stats", o->stats, "Write statistics (JSON)");
  verb.option("--counters", o->counters,
              "NAME,... or all: performance counters by their public names (lt, ca)")
      .separated();
  verb.option("--counters-out", o->counters_out,
              "Write the counters: FILE.json or FILE.csv; else they are printed");
  verb.option("--stats-every", o->stats_every,
              "Statistics and counters also per interval of so many cycles (lt, ca)")
      .at_least(1);
  verb.option("--results", o->results, "Write one JSON line per dispatch file");
  verb.option("--watchdog", o->watchdog, "Stop after N instructions (hsail, golden) or cycles")
      .at_least(0);
  verb.option("--wavesize", o->wavesize,
              "Work-items of a wavefront: a power of two from 1 to 256 (hsail)")
      .one_of({"1", "2", "4", "8", "16", "32", "64", "128", "256"});
  verb.option("--undefined", o->undefined,
              "stop or go-on where HSAIL leaves the result undefined, races included (hsail)")
      .one_of({"stop", "go-on"});
  verb.option("--threads", o->threads,
              "Host threads (golden, ca); golden's --log and --hazards take one")
      .between(0, 256);
  verb.option("--executor", o->executor,
              "decoded or reference: how instructions are executed (golden)")
      .one_of({"decoded", "reference"});
  verb.flag("--poison", o->poison,
            "Start registers that the launch does not set with a pattern instead of zero");
  verb.flag("--allow-fallback", o->allow_fallback,
            "Let our own blocks answer what an RTL block does not implement (lt, ca)");
  verb.option("--set", o->settings, "PATH=VALUE: change a field of the machine description");
  verb.option("--config-dir", o->config_dirs, "Where to look for machine descriptions first");
  verb.option("--replay-host", o->replay_host,
              "Do again what a host-event log of the C interface says");
  verb.does([o, verb] {
    o->engine_given = verb.given("--engine") || verb.given("--config");
    return run(*o);
  });
}

}  // namespace cuvette::cli
