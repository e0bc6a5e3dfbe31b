// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <fmt/format.h>

namespace cuvette::base {

std::string Location::str() const {
  if (line == 0) {
    return offset == 0 && !binary ? file : fmt::format("{}:+{:#x}", file, offset);
  }
  if (column == 0) return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

std::string Error::str() const {
  const std::string place = where.str();
  return fmt::format("{}{}error: {}{}", place, place.empty() ? "" : ": ", what,
                     id.empty() ? "" : " [" + id + "]");
}

}  // namespace cuvette::base
