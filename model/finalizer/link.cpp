// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/link.h"

#include <filesystem>
#include <mutex>
#include <system_error>

#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <stdlib.h>

#include "base/file.h"
#include "finalizer/codegen.h"
#include "finalizer/crash.h"
#include "finalizer/llvm_target.h"

LLD_HAS_DRIVER(elf)

namespace cuvette::finalizer {

namespace {

/// A new directory for lld, which reads and writes files only; removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    if (error) return;
    std::string pattern = (parent / "cuvette-link-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  bool ok() const { return !path_.empty(); }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

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

/// `file`: the name of the object in messages.
base::Result<std::vector<uint8_t>> run_linker(const std::string& object, bool has_externals,
                                              const std::string& file) {
  // lld keeps its state in globals.
  static std::mutex mutex;
  static bool usable = true;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!usable) return base::Error("lld cannot run again after its failure");

  const TemporaryDirectory directory;
  if (!directory.ok()) return base::Error("no directory for temporary files");
  const std::string input = directory.file("kernel.o");
  const std::string output = directory.file("kernel.co");
  if (auto status = base::write_text(input, object); !status) return status.error();

  const char* arguments[] = {
      "ld.lld",          "-shared",     "-z",          has_externals ? "undefs" : "defs",
      "--build-id=none", "--threads=1", input.c_str(), "-o",
      output.c_str()};
  std::string messages;
  llvm::raw_string_ostream out(messages);
  usable = false;  // until it has come to an end
  lld::Result result{1, false};
  // An object of somebody else may make lld give up, which ends the process unless that is caught.
  survive([&] { result = lld::lldMain(arguments, out, out, {{lld::Gnu, &lld::elf::link}}); });
  usable = result.canRunAgain;
  if (result.retCode != 0) return base::Error("link: " + first_error(messages, input, file));
  return base::read_binary(output);
}

}  // namespace

base::Result<std::vector<uint8_t>> link_object(const std::string& object, bool has_externals) {
  return run_linker(object, has_externals, "the object");
}

base::Result<std::vector<uint8_t>> link_relocatable(const std::vector<uint8_t>& object,
                                                    const std::string& file, bool has_externals) {
  try {
    auto linked = run_linker({object.begin(), object.end()}, has_externals, file);
    if (linked) return linked;
    return base::Error(linked.error().what, {.file = file});
  } catch (const LlvmFailure& failure) {
    return base::Error(fmt::format("link: {}", failure.what()), {.file = file});
  }
}

}  // namespace cuvette::finalizer
