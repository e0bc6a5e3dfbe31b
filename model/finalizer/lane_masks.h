// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class TargetPassConfig;
}

namespace cuvette::finalizer {

/// Keeps lane masks of one loop from taking the place of equal ones outside it. LLVM 19's removal
/// of common machine instructions takes a comparison for another that dominates it, though that one
/// was executed, in the last round of a loop, by the lanes still in it and has zeros for the
/// others. Call it before the passes are added.
void keep_lane_masks_apart(llvm::TargetPassConfig& config);

}  // namespace cuvette::finalizer
