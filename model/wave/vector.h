// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/execute.h"

// The register side of vector ALU instructions; execute_vector is declared in execute.h.
namespace cuvette::wave {

/// A row that moves single lanes or does nothing a lane has: it ignores EXEC, or has an effect
/// outside the lanes. Null for every other row.
using WaveHandler = Outcome (*)(WaveState&, const isa::Instruction&);
WaveHandler wave_handler(isa::SemanticId semantic);

/// True if this build has semantics for a VALU row outside the matrix core.
bool has_vector_semantics(isa::SemanticId semantic);

}  // namespace cuvette::wave
