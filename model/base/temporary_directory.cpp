// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_directory.h"

#include <filesystem>
#include <system_error>

#include <stdlib.h>

namespace cuvette::base {

TemporaryDirectory::TemporaryDirectory(const std::string& purpose) {
  constexpr size_t kChosen = 6;  // characters that mkdtemp() chooses
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) return;
  std::string name = (parent / ("cuvette-" + purpose + "-")).string() + std::string(kChosen, 'X');
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace cuvette::base
