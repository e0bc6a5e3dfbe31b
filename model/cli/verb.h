// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"

namespace cuvette::cli {

/// Exit status of every verb (docs/reference/errors.md).
enum ExitStatus : int {
  kPassed = 0,
  kCheckFailed = 1,  ///< mismatch, wild access, unsupported instruction, deadlock, watchdog, hazard
  kBadInput = 2,     ///< usage, or an input file
  kInternal = 3,     ///< internal error, or something that is not built
};

/// True if the command line has --diagnostics json, be there what may beside it.
bool asks_for_json(int argc, const char* const* argv);
/// Errors are JSON objects from here on, one per line.
void set_json_errors(bool json);
bool json_errors();
/// Prints a line to standard error; control characters in it are escaped.
void print_line(const std::string& text);
/// Prints an error to standard error, one line, and gives the status back.
int report(const base::Error& error, int status = kBadInput);
/// Prints a warning, in the same way but for its severity.
void warn(const base::Error& warning);
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

/// Each adds its verb.
void add_run(Verb& verbs);
void add_asm(Verb& verbs);
void add_disasm(Verb& verbs);
void add_validate(Verb& verbs);
void add_finalize(Verb& verbs);
void add_machine(Verb& verbs);
void add_isa(Verb& verbs);
void add_probe(Verb& verbs);
void add_replay(Verb& verbs);
void add_check_device(Verb& verbs);
void add_rerun(Verb& verbs);
void add_bench(Verb& verbs);
void add_rocm(Verb& verbs);
void add_coverage(Verb& verbs);
void add_report(Verb& verbs);
/// A verb for the report maker alone: prints a trace as write_columns() does.
void add_trace_columns(Verb& verbs);
void add_diff(Verb& verbs);
void add_sweep(Verb& verbs);

}  // namespace cuvette::cli
