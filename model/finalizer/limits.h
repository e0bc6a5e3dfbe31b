// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include "hsa/launch_limits.h"

namespace cuvette::finalizer {

/// Puts limits of a kernel that LLVM's metadata has no keys for into the object, as a note of its
/// own (hsa/launch_limits.h). Nothing when there are none.
void add_limits_note(llvm::Module& out, const std::string& kernel, const hsa::LaunchLimits& limits);

}  // namespace cuvette::finalizer
