// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class TargetPassConfig;
}

namespace cuvette::finalizer {

/// Lets lanes keep what they bring to a block where they meet others. LLVM 19 takes a phi node of
/// one uniform value, undefined from everywhere else, for uniform and gives it an SGPR. Where lanes
/// meet that came by different ways, the ways that bring nothing run between the one that brings
/// the value and the block, and other values may take the SGPR there. Such nodes become the value
/// itself, or, where it is not known on all ways, a choice between it and another one. LLVM's own
/// pass for that does so for some of them. Call it before the passes are added.
void keep_joined_values(llvm::TargetPassConfig& config);

}  // namespace cuvette::finalizer
