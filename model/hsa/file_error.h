// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace cuvette::hsa {

/// Error at byte `offset` of a binary file.
inline base::Error error_in_file(std::string file, uint64_t offset, const std::string& what) {
  base::Error error(what);
  error.where.file = std::move(file);
  error.where.offset = offset;
  error.where.binary = true;
  return error;
}

}  // namespace cuvette::hsa
