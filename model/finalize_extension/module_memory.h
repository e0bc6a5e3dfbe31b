// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace cuvette::finalize_extension {

/// A copy of the BRIG module that an application has in memory, of the length that its header says.
/// Errors: no header of BRIG; memory that cannot be read before the length is reached. Such memory
/// is told and never touched, whatever the header says.
base::Result<std::vector<uint8_t>> copy_module(const void* module);

}  // namespace cuvette::finalize_extension
