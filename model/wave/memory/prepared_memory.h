// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/prepared.h"

namespace cuvette::wave::memory {

/// The short way of plain loads and stores: S_LOAD, and whole dwords of FLAT, GLOBAL and LDS
/// between memory and VGPRs. Shortness None for everything else.
Prepared prepare_memory(const isa::Instruction& instruction);

}  // namespace cuvette::wave::memory
