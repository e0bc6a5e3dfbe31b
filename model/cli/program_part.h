// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cuvette::cli {

/// A part of the program in Python: a folder with __main__.py, of the same tree as the program,
/// installed or built.
struct PythonPart {
  std::string what;         ///< as messages call it: "report maker"
  std::string does;         ///< "makes reports"
  std::string folder;       ///< relative to the tree: "libexec/cuvette/report"
  std::string interpreter;  ///< a path, or a name that PATH has
};

/// The top of the tree that this program is in. Empty: the place of the program is not known.
std::filesystem::path tree();
/// This program's file. Empty: not known.
std::filesystem::path program_file();
/// The interpreter for parts that need Debian's modules: CUVETTE_PYTHON, else /usr/bin/python3,
/// else python3 of PATH.
std::string module_interpreter();
/// Goes on as another program, `words[0]` with the arguments behind it, whose status is then that
/// of this one. Returns only when it does not start, with the status of that error (3). `does`:
/// "makes reports", for the message.
int become(std::vector<std::string> words, const std::string& does);
/// The same with a part in Python.
int become(const PythonPart& part, const std::vector<std::string>& arguments);

}  // namespace cuvette::cli
