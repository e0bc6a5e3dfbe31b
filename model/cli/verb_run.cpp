// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/verb.h"

namespace cuvette::cli {
namespace {

struct Options {
  std::vector<std::string> dispatches, lockstep, implementations, dumps, config_dirs;
  std::string engine = "golden", config = "mi100", target, log, hazards, trace, wave, stats,
              results;
  std::string replay_host;
  uint64_t watchdog = 0;
  unsigned threads = 1;
  bool poison = false, allow_fallback = false;
};

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  auto o = std::make_shared<Options>();
  auto* verb =
      app.add_subcommand("run", "Run kernels from dispatch files and check what they expect");
  verb->add_option("dispatch", o->dispatches, "Dispatch files (YAML)")->required();
  verb->add_option("--engine", o->engine, "hsail, golden, lt or ca")
      ->check(CLI::IsMember({"hsail", "golden", "lt", "ca"}))
      ->capture_default_str();
  verb->add_option("--config", o->config, "Machine description: a name or a file")
      ->capture_default_str();
  verb->add_option("--target", o->target, "Instruction set (hsail and golden only)");
  verb->add_option("--lockstep", o->lockstep, "BLOCK[:1/N],...: run blocks in lockstep (ca only)")
      ->delimiter(',');
  verb->add_option("--impl", o->implementations, "BLOCK=NAME,...: choose implementations (ca only)")
      ->delimiter(',');
  verb->add_option("--dump", o->dumps, "NAME=FILE: write a buffer after the run");
  verb->add_option("--log", o->log, "Write the retirement log");
  verb->add_option("--hazards", o->hazards, "Check instruction hazards")
      ->check(CLI::IsMember({"report", "strict"}));
  verb->add_option("--trace", o->trace, "Write Chrome trace events (JSON)");
  verb->add_option("--wave", o->wave, "Write RTL waveforms (FST)");
  verb->add_option("--stats", o->stats, "Write statistics (JSON)");
  verb->add_option("--results", o->results, "Write one JSON line per dispatch file");
  verb->add_option("--watchdog", o->watchdog,
                   "Stop after N instructions (hsail, golden) or cycles");
  verb->add_option("--threads", o->threads, "Host threads")->check(CLI::Range(1, 256));
  verb->add_flag("--poison", o->poison, "Fill unnamed registers with a pattern and report reads");
  verb->add_flag("--allow-fallback", o->allow_fallback,
                 "Let our own blocks answer what an RTL block does not implement");
  verb->add_option("--config-dir", o->config_dirs, "Where to look for machine descriptions first");
  verb->add_option("--replay-host", o->replay_host, "Host-event log of the C interface");
  verb->callback([o, &chosen] { chosen = [] { return not_built("run", "no engine"); }; });
}

}  // namespace cuvette::cli
