// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/verb.h"

#include <cstdio>

#include <fmt/format.h>

namespace cuvette::cli {

int report(const base::Error& error, int status) {
  fmt::print(stderr, "{}\n", error.str());
  return status;
}

int not_built(const std::string& verb, const std::string& what) {
  fmt::print(stderr, "cuvette {}: error: not built yet: {}\n", verb, what);
  return kInternal;
}

}  // namespace cuvette::cli
