// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace cuvette::base {

/// A new directory for temporary files, which only this user may read; removed with what is in it.
class TemporaryDirectory {
 public:
  /// `purpose` is in its name.
  explicit TemporaryDirectory(const std::string& purpose);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// False: it could not be made.
  bool ok() const { return !path_.empty(); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace cuvette::base
