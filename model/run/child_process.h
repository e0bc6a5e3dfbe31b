// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cuvette::run {

/// Exit status and resource use of a child process.
struct ChildEnd {
  int status = 0;               ///< exit status; 128 and the signal when one ended it
  double cpu = 0, elapsed = 0;  ///< seconds; CPU time is that of user and system
};

/// Runs a program to its end, without input and with its output in files; an empty `err` is where
/// `out` goes. The first of `words` is the program, looked for in PATH when it names no directory.
/// None: it does not start.
std::optional<ChildEnd> run_child(const std::vector<std::string>& words, const std::string& out,
                                  const std::string& err = "");

}  // namespace cuvette::run
