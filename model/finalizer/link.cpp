// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/link.h"

#include <cerrno>
#include <mutex>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary_directory.h"
#include "finalizer/codegen.h"

LLD_HAS_DRIVER(elf)

namespace cuvette::finalizer {

namespace {

/// The first thing that lld has to say, about `file` instead of its temporary copy.
std::string first_error(const std::string& messages, const std::string& input,
                        const std::string& file) {
  constexpr std::string_view kError = "error: ";
  size_t start = messages.find(kError);
  start = start == std::string::npos ? 0 : start + kError.size();
  std::string text = messages.substr(start, messages.find('\n', start) - start);
  for (size_t at = text.find(input); at != std::string::npos; at = text.find(input, at)) {
    text.replace(at, input.size(), file);
    at += file.size();
  }
  return text;
}

std::vector<const char*> arguments_of(const std::string& input, const std::string& output,
                                      bool has_externals) {
  return {"ld.lld",          "-shared",     "-z",          has_externals ? "undefs" : "defs",
          "--build-id=none", "--threads=1", input.c_str(), "-o",
          output.c_str()};
}

/// Runs lld in a process of its own with its messages in a file. Its exit status, negative: the
/// signal that ended it; none when there is no such process.
std::optional<int> run_apart(const std::vector<const char*>& arguments,
                             const std::string& messages) {
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    constexpr int kMode = 0600;
    const int file = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    const lld::Result result =
        lld::lldMain(arguments, llvm::errs(), llvm::errs(), {{lld::Gnu, &lld::elf::link}});
    _exit(result.retCode);  // what this process has to do at its end is not the child's
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

base::Result<std::vector<uint8_t>> link_object(const std::string& object, bool has_externals) {
  // lld keeps its state in globals.
  static std::mutex mutex;
  static bool usable = true;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!usable) return base::Error("lld cannot run again after its failure");

  const base::TemporaryDirectory directory("link");  // lld reads and writes files only
  if (!directory.ok()) return base::Error("no directory for temporary files");
  const std::string input = directory.file("kernel.o");
  const std::string output = directory.file("kernel.co");
  if (auto status = base::write_text(input, object); !status) return status.error();

  std::string messages;
  llvm::raw_string_ostream out(messages);
  usable = false;  // until it has come to an end
  const lld::Result result = lld::lldMain(arguments_of(input, output, has_externals), out, out,
                                          {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0) return base::Error("link: " + messages);
  return base::read_binary(output);
}

base::Result<std::vector<uint8_t>> link_relocatable(const std::vector<uint8_t>& object,
                                                    const std::string& file, bool has_externals) {
  const auto failed = [&file](const std::string& what) {
    return base::Error("link: " + what, {.file = file});
  };
  const base::TemporaryDirectory directory("link");  // lld reads and writes files only
  if (!directory.ok()) return failed("no directory for temporary files");
  const std::string input = directory.file("kernel.o");
  const std::string output = directory.file("kernel.co");
  const std::string messages = directory.file("messages");
  if (auto s = base::write_binary(input, object.data(), object.size()); !s) {
    return failed(s.error().what);
  }
  std::vector<const char*> arguments = arguments_of(input, output, has_externals);
  arguments.push_back("--no-dependent-libraries");  // the object is all there is
  const auto status = run_apart(arguments, messages);
  if (!status) return failed("no process for lld");
  if (*status < 0) return failed(fmt::format("lld crashed (signal {})", -*status));
  if (*status == 0) return base::read_binary(output);
  const auto text = base::read_text(messages);
  const std::string what = text ? first_error(*text, input, file) : "";
  return failed(what.empty() ? fmt::format("lld ends with status {}", *status) : what);
}

}  // namespace cuvette::finalizer
