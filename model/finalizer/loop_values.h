// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class TargetPassConfig;
}

namespace cuvette::finalizer {

/// Lets lanes take what a loop gave them out of it. In a loop that they leave one after another, an
/// SGPR has the value of the round that runs; LLVM 19 copies it to a VGPR there, and then folds the
/// SGPR into instructions behind the loop, where it has the value of the last round for all of
/// them. Such instructions get a VGPR again. Call it before the passes are added.
void keep_loop_values(llvm::TargetPassConfig& config);

}  // namespace cuvette::finalizer
