// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class TargetPassConfig;
}

namespace cuvette::finalizer {

/// Removes instructions of which nobody reads a result, and that do nothing else, behind
/// instruction selection: LLVM 19's repair of copies to SGPRs, which comes next, reads a null
/// pointer where a lane mask is copied for another block and nobody there reads it any more. LLVM's
/// own pass for that asks for reserved registers, which are not known there yet. Call it before the
/// passes are added.
void remove_dead_instructions(llvm::TargetPassConfig& config);

}  // namespace cuvette::finalizer
