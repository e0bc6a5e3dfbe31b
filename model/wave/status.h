// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/execute.h"

namespace cuvette::wave {

/// "exact", "defined", "approximate", "unsupported".
const char* name_of(Status status);

}  // namespace cuvette::wave

// The parts of status_of, one per family of formats. The row is one the target has.
namespace cuvette::wave {

StatusOf status_of_scalar(const isa::Row& row);
StatusOf status_of_memory(const isa::Row& row, isa::Target target);
StatusOf status_of_matrix(const isa::Row& row, isa::Target target);
StatusOf status_of_vector(const isa::Row& row, isa::Target target);

}  // namespace cuvette::wave
