// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/host_heap.h"
#include "cli/verb.h"

namespace {

int run(int argc, char** argv) {
  using namespace cuvette::cli;
  CommandLine line("A SystemC/TLM-2.0 model of an AMD GCN/CDNA compute GPU that stands beside RTL",
                   "cuvette", CUVETTE_VERSION);
  Verb& verbs = line.verbs();
  verbs.needs_verb();
  add_run(verbs);
  add_asm(verbs);
  add_disasm(verbs);
  add_validate(verbs);
  add_finalize(verbs);
  add_machine(verbs);
  add_isa(verbs);
  add_probe(verbs);
  add_replay(verbs);
  add_check_device(verbs);
  add_rerun(verbs);
  add_coverage(verbs);
  add_bench(verbs);
  add_report(verbs);
  add_trace_columns(verbs);
  add_diff(verbs);
  add_sweep(verbs);
  add_rocm(verbs);
  return line.run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cuvette::cli;
  cuvette::base::prefer_huge_pages();
  return finish(guarded([=] { return run(argc, argv); }));
}
