// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cuvette::run {

/// File of a trace that is written while the run goes on: what a run that is killed has come to is
/// in it. Opened with the first bytes.
class TraceFile {
 public:
  explicit TraceFile(std::string path) : path_(std::move(path)) {}

  /// Appends; failures show in close().
  void write(std::string_view bytes);
  /// Error: it could not be opened, or not all bytes could be written.
  base::Status close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void fail();

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string why_;  // the first failure
};

}  // namespace cuvette::run
