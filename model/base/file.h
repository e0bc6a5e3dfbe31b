// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::base {

/// The whole file. Errors: missing, unreadable, a directory, larger than 2 GiB (or a device without
/// an end).
Result<std::vector<uint8_t>> read_binary(const std::string& path);
Result<std::string> read_text(const std::string& path);

/// Writes beside the target and renames, so that a failure never leaves half a file.
Status write_binary(const std::string& path, const void* data, size_t bytes);
Status write_text(const std::string& path, const std::string& text);
/// For libraries that unlink an output before they write it. Error: a device, a pipe or a folder.
inline Status check_replaceable(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return {};
  return Error("cannot be replaced, expected the name of a regular file", {path});
}

}  // namespace cuvette::base
