// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/verb_sweep.h"

#include <memory>

#include "cli/program_part.h"
#include "cli/verb.h"

namespace cuvette::cli {
namespace {

struct Options {
  std::string plan, workers, output;
  bool retry_failed = false;
};

/// Goes on as the sweep's program in Python; its first words say where this program and the report
/// maker are.
int become_sweep(const std::vector<std::string>& arguments) {
  const PythonPart part{"program of sweeps", "runs sweeps", "share/cuvette/sweep",
                        module_interpreter()};
  std::vector<std::string> words = {"--program", program_file().string(), "--report-maker",
                                    (tree() / "libexec/cuvette/report").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return become(part, words);
}

int start(const Options& o) {
  std::vector<std::string> words = {"sweep"};
  if (!o.output.empty()) words.push_back("--output=" + o.output);
  if (!o.workers.empty()) words.push_back("--workers=" + o.workers);
  if (o.retry_failed) words.emplace_back("--retry-failed");
  words.emplace_back("--");
  words.push_back(o.plan);
  return become_sweep(words);
}

}  // namespace

std::filesystem::path results_of(const std::filesystem::path& folder) {
  return folder / "sweep.sqlite";
}

bool is_sweep(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(results_of(folder), ignored);
}

int report_sweep(const std::string& folder, const std::string& page) {
  return become_sweep({"report", "--output=" + page, "--", folder});
}

void add_sweep(Verb& verbs) {
  auto o = std::make_shared<Options>();
  auto verb = verbs.add("sweep", "Run kernels on machines with many settings and keep the results");
  verb.option("plan", o->plan, "What is run (YAML)").required();
  verb.option("-o,--output", o->output,
              "Folder of the results, gone on with when it is there; default: NAME.sweep for "
              "NAME.yaml");
  verb.option("--workers", o->workers,
              "Runs at the same time, the address of a Dask scheduler (tcp://HOST:PORT), or "
              "slurm; default: one for each processor");
  verb.flag("--retry-failed", o->retry_failed, "Run points again that have failed before");
  verb.does([o] { return start(*o); });
}

}  // namespace cuvette::cli
