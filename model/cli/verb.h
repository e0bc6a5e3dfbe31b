// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace cuvette::cli {

/// Exit status of every verb (docs/reference/errors.md).
enum ExitStatus : int {
  kPassed = 0,
  kCheckFailed = 1,  ///< mismatch, wild access, unsupported instruction, deadlock, watchdog, hazard
  kBadInput = 2,     ///< usage, or an input file
  kInternal = 3,     ///< internal error, or something that is not built
};

/// Work of a verb once its options are parsed.
using Action = std::function<int()>;

/// True if the command line has --diagnostics json, be there what may beside it.
bool asks_for_json(int argc, const char* const* argv);
/// Errors are JSON objects from here on, one per line.
void set_json_errors(bool json);
/// Prints a line to standard error; control characters in it are escaped.
void print_line(const std::string& text);
/// Prints an error to standard error, one line, and gives the status back.
int report(const base::Error& error, int status = kBadInput);
/// Prints a warning, in the same way but for its severity.
void warn(const base::Error& warning);
/// Prints the message of the parser of the command line: help, or an error of usage.
int report_usage(const CLI::App& app, const CLI::ParseError& error);
/// "cuvette asm: not built yet (what)"; status 3.
int not_built(const std::string& verb, const std::string& what);

/// The status of an action; an exception is an internal error.
int guarded(const Action& action);
/// True if some of standard output could not be written, the part that is still in its buffer
/// included.
bool output_lost();
/// A child process could not write its standard output, which is also ours.
void lose_output();
/// The status of the program after that of its verb: reports output that is lost. Verbs need not
/// look at what printing to standard output came to.
int finish(int status);
/// Called at the end of standard input: an error when reading broke off there.
base::Status input_status();
/// Refuses outputs that cannot be written, that would replace an input, by whatever name, or one
/// another; empty ones are none. Devices and pipes do not lose what was read from them or written
/// to them.
base::Status check_outputs(const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs);
/// Refuses an empty name.
CLI::Validator file_name();

/// Each adds its subcommand to `app` and stores the action of the one that was chosen.
void add_run(CLI::App& app, Action& chosen);
void add_asm(CLI::App& app, Action& chosen);
void add_disasm(CLI::App& app, Action& chosen);
void add_validate(CLI::App& app, Action& chosen);
void add_finalize(CLI::App& app, Action& chosen);
void add_machine(CLI::App& app, Action& chosen);
void add_isa(CLI::App& app, Action& chosen);
void add_probe(CLI::App& app, Action& chosen);
void add_replay(CLI::App& app, Action& chosen);
void add_check_device(CLI::App& app, Action& chosen);
void add_rerun(CLI::App& app, Action& chosen);
void add_bench(CLI::App& app, Action& chosen);
void add_rocm(CLI::App& app, Action& chosen);
void add_coverage(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
/// A verb for the report maker alone: prints a trace as write_columns() does.
void add_trace_columns(CLI::App& app, Action& chosen);
void add_diff(CLI::App& app, Action& chosen);
void add_sweep(CLI::App& app, Action& chosen);

}  // namespace cuvette::cli
