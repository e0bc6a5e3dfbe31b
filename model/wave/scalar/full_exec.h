// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/prepared.h"

// Instructions that write EXEC, for waves whose EXEC is full and stays so: branches around what no
// lane wants, where all lanes want it.
namespace cuvette::wave::scalar {

/// The short way that declines when EXEC would not be full any more; null: none. EXEC must be full.
Prepared::Run full_exec_row(const isa::Instruction& instruction);
bool keeps_full_exec(Prepared::Run run);

}  // namespace cuvette::wave::scalar
