// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class TargetPassConfig;
}

namespace cuvette::finalizer {

/// Lets a block that lanes come back to begin with the instruction that sets EXEC to all of them.
/// LLVM 19 puts copies of SGPRs before it, and then takes what follows them for the rest of the
/// block: VGPRs are spilled there, in only some of the lanes. Call it before the passes are added.
void set_exec_first(llvm::TargetPassConfig& config);

}  // namespace cuvette::finalizer
