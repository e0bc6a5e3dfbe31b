// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cuvette::finalizer {

/// Links a relocatable object of LLVM's AMDGPU target to a code object with lld, in a process of
/// its own: what lld makes of a malformed object, crashes included, is an error. Undefined symbols
/// are errors unless `has_externals`. Errors, at `file`: what lld reports first, no process, no
/// directory for temporary files.
base::Result<std::vector<uint8_t>> link_relocatable(const std::vector<uint8_t>& object,
                                                    const std::string& file,
                                                    bool has_externals = false);

}  // namespace cuvette::finalizer
