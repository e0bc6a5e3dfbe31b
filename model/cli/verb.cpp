// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/verb.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace cuvette::cli {
namespace {

// Form of printed errors, and loss of output: main() reports after the verb.
bool errors_are_json = false;
bool lost = false;

/// Control characters as escape sequences: names in messages come from files, and must neither
/// break the line nor command a terminal.
std::string printable(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", c);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F in UTF-8
      out += fmt::format("\\x{:02x}", next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Nothing is left to do when standard error cannot be written either.
void print_raw(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
}

void print_diagnostic(const base::Error& what, const char* severity) {
  if (!errors_are_json) {
    const std::string place = what.where.str();
    return print_line(fmt::format("{}{}{}: {}{}", place, place.empty() ? "" : ": ", severity,
                                  what.what, what.id.empty() ? "" : " [" + what.id + "]"));
  }
  nlohmann::ordered_json line = {{"file", what.where.file},
                                 {"line", what.where.line},
                                 {"column", what.where.column},
                                 {"severity", severity},
                                 {"message", what.what}};
  if (!what.id.empty()) line["id"] = what.id;
  if (what.where.offset != 0 || what.where.binary) line["offset"] = what.where.offset;
  // File names need not be UTF-8.
  print_raw(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// Error when a file of this name cannot be made or replaced; makes none.
base::Status check_writable(const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(output, ignored);
  if (fs::is_directory(status))
    return base::Error("is a directory, expected a file to write", {.file = output});
  if (fs::exists(status)) {
    if (access(output.c_str(), W_OK) == 0) return {};
    return base::Error("the file cannot be written", {.file = output});
  }
  const fs::path folder = fs::absolute(output, ignored).parent_path();
  if (!fs::is_directory(folder, ignored)) {
    return base::Error(
        fmt::format("no folder '{}', expected one to write the file to", folder.string()),
        {.file = output});
  }
  if (access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return base::Error(fmt::format("no file can be made in folder '{}'", folder.string()),
                     {.file = output});
}

}  // namespace

bool asks_for_json(int argc, const char* const* argv) {
  for (int n = 1; n < argc; ++n) {
    const std::string_view word = argv[n];
    if (word == "--diagnostics=json") return true;
    if (word == "--diagnostics" && n + 1 < argc && std::string_view(argv[n + 1]) == "json")
      return true;
  }
  return false;
}

void set_json_errors(bool json) {
  errors_are_json = json;
}

bool json_errors() {
  return errors_are_json;
}

void print_line(const std::string& text) {
  print_raw(printable(text));
}

int report(const base::Error& error, int status) {
  print_diagnostic(error, "error");
  return status;
}

void warn(const base::Error& warning) {
  print_diagnostic(warning, "warning");
}

int not_built(const std::string& verb, const std::string& what) {
  if (errors_are_json) return report(base::Error("not built yet: " + what), kInternal);
  print_line(fmt::format("cuvette {}: error: not built yet: {}", verb, what));
  return kInternal;
}

int guarded(const Action& action) {
  try {
    return action();
  } catch (const std::exception& e) {
    // fmt::print() throws when standard output cannot be written; finish() says it.
    if (std::ferror(stdout) != 0) return kBadInput;
    const std::string what = fmt::format("internal error: {}", e.what());
    if (errors_are_json) return report(base::Error(what), kInternal);
    print_line("cuvette: " + what);
    return kInternal;
  }
}

bool output_lost() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) lost = true;
  return lost;
}

void lose_output() {
  lost = true;
}

int finish(int status) {
  if (!output_lost()) return status;
  return std::max<int>(status, report(base::Error("cannot write to standard output")));
}

base::Status input_status() {
  if (std::ferror(stdin) == 0) return {};
  return base::Error(fmt::format("cannot read: {}", std::strerror(errno)), {.file = "stdin"});
}

base::Status check_outputs(const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::set<fs::path> written;
  for (const std::string& output : outputs) {
    if (output.empty()) continue;
    if (auto s = check_writable(output); !s.ok()) return s;
    const fs::file_status status = fs::status(output, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status)) continue;
    for (const std::string& input : inputs) {
      if (fs::equivalent(input, output, ignored))
        return base::Error("the output would replace an input: name another one", {.file = output});
    }
    if (!written.insert(fs::weakly_canonical(output, ignored)).second)
      return base::Error("two outputs have this name", {.file = output});
  }
  return {};
}

}  // namespace cuvette::cli
