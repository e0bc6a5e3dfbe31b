// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class TargetPassConfig;
}

namespace cuvette::finalizer {

/// Attribute of functions that take private memory beyond their frames, which LLVM does not see.
inline constexpr char kDynamicFrame[] = "cuvette-dynamic-frame";

/// Lets LLVM take functions with that attribute for such with a dynamic stack, so that descriptor
/// and metadata of the kernels that reach them say so. Call it before the passes are added.
void mark_dynamic_frames(llvm::TargetPassConfig& config);

}  // namespace cuvette::finalizer
