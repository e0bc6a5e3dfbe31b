// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace cuvette::cli {

/// Exit status of every verb (formats.md of the project: docs/command_line.md).
enum ExitStatus : int {
  kPassed = 0,
  kCheckFailed = 1,  ///< mismatch, wild access, unsupported instruction, deadlock, watchdog, hazard
  kBadInput = 2,     ///< usage, or an input file
  kInternal = 3,     ///< internal error, or something that is not built
};

/// What a verb does once its options are parsed.
using Action = std::function<int()>;

/// Prints an error to standard error, one line, and gives the status back.
int report(const base::Error& error, int status = kBadInput);
/// "cuvette asm: not built yet (what)"; status 3.
int not_built(const std::string& verb, const std::string& what);

/// Each adds its subcommand to `app` and stores the action of the one that was chosen.
void add_run(CLI::App& app, Action& chosen);
void add_asm(CLI::App& app, Action& chosen);
void add_disasm(CLI::App& app, Action& chosen);
void add_validate(CLI::App& app, Action& chosen);
void add_finalize(CLI::App& app, Action& chosen);
void add_isa(CLI::App& app, Action& chosen);
void add_probe(CLI::App& app, Action& chosen);
void add_replay(CLI::App& app, Action& chosen);
void add_rerun(CLI::App& app, Action& chosen);
void add_bench(CLI::App& app, Action& chosen);
void add_coverage(CLI::App& app, Action& chosen);

}  // namespace cuvette::cli
