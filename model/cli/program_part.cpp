// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program_part.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/verb.h"

namespace cuvette::cli {

namespace fs = std::filesystem;

fs::path program_file() {
  std::error_code failed;
  fs::path program = fs::canonical("/proc/self/exe", failed);
  return failed ? fs::path() : program;
}

fs::path tree() {
  const fs::path program = program_file();
  return program.empty() ? fs::path() : program.parent_path().parent_path();
}

std::string module_interpreter() {
  if (const char* own = std::getenv("CUVETTE_PYTHON"); own != nullptr && *own != '\0') return own;
  const std::string debian = "/usr/bin/python3";
  return access(debian.c_str(), X_OK) == 0 ? debian : "python3";
}

int become(std::vector<std::string> words, const std::string& does) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  execvp(argv[0], argv.data());
  return report(base::Error(fmt::format("{}, which {}, does not start: {}", words[0], does,
                                        std::strerror(errno))),
                kInternal);
}

int become(const PythonPart& part, const std::vector<std::string>& arguments) {
  const fs::path place = tree().empty() ? fs::path() : tree() / part.folder;
  std::error_code failed;
  if (place.empty() || !fs::exists(place / "__main__.py", failed)) {
    return report(base::Error(fmt::format("no {} in {}", part.what, place.string())), kInternal);
  }
  // Isolated from the user's modules, and nothing is written beside the part's own.
  std::vector<std::string> words = {part.interpreter, "-I", "-B", place.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return become(std::move(words), part.does);
}

}  // namespace cuvette::cli
