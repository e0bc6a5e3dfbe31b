// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/trace/trace_file.h"

#include <cerrno>
#include <cstring>

namespace cuvette::run {

void TraceFile::fail() {
  why_ = std::strerror(errno);
}

void TraceFile::write(std::string_view bytes) {
  if (!why_.empty()) return;
  if (file_ == nullptr) file_.reset(std::fopen(path_.c_str(), "wb"));
  if (file_ == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    fail();
  }
}

base::Status TraceFile::close() {
  if (file_ != nullptr && std::fclose(file_.release()) != 0 && why_.empty()) fail();
  if (why_.empty()) return {};
  return base::Error("cannot be written: " + why_, {.file = path_});
}

}  // namespace cuvette::run
