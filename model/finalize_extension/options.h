// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::finalize_extension {

/// The options of a finalization, words with spaces between: `--code-object=2`, `4` or `5` is the
/// version of the code object. Words that are not known here belong to other finalizers.
struct FinalizeOptions {
  unsigned code_object_version = 4;
  std::vector<std::string> unknown;
};

/// `text` may be null. Error: another version.
base::Result<FinalizeOptions> read_options(const char* text);

}  // namespace cuvette::finalize_extension
