// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

}  // namespace cuvette::base
