// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/execute.h"

// The register side of vector ALU instructions; execute_vector is declared in execute.h.
namespace cuvette::wave {

/// Whether this build has semantics for a VALU row outside the matrix core.
bool has_vector_semantics(isa::SemanticId semantic);

}  // namespace cuvette::wave
