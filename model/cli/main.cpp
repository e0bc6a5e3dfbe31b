// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/verb.h"

namespace {

int run(int argc, char** argv) {
  using namespace cuvette::cli;
  CLI::App app{"A SystemC/TLM-2.0 model of an AMD GCN/CDNA compute GPU that stands beside RTL",
               "cuvette"};
  app.set_version_flag("--version", CUVETTE_VERSION);
  app.require_subcommand(1);
  Action chosen;
  add_run(app, chosen);
  add_asm(app, chosen);
  add_disasm(app, chosen);
  add_validate(app, chosen);
  add_finalize(app, chosen);
  add_machine(app, chosen);
  add_isa(app, chosen);
  add_probe(app, chosen);
  add_replay(app, chosen);
  add_check_device(app, chosen);
  add_rerun(app, chosen);
  add_coverage(app, chosen);
  add_bench(app, chosen);
  add_report(app, chosen);
  add_trace_columns(app, chosen);
  add_diff(app, chosen);
  add_sweep(app, chosen);
  add_rocm(app, chosen);
  set_json_errors(asks_for_json(argc, argv));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return report_usage(app, e);
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cuvette::cli;
  return finish(guarded([=] { return run(argc, argv); }));
}
