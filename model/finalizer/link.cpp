// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <mutex>
#include <system_error>

#include <lld/Common/Driver.h>
#include <stdlib.h>

#include "base/file.h"
#include "finalizer/codegen.h"

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

}  // namespace

base::Result<std::vector<uint8_t>> link_object(const std::string& object, bool has_externals) {
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
  const lld::Result result = lld::lldMain(arguments, out, out, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0) return base::Error("link: " + messages);
  return base::read_binary(output);
}

}  // namespace cuvette::finalizer
