// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Module;
}

namespace cuvette::finalizer {

/// Keeps LLVM 19's AMDGPU target from dividing unsigned numbers with a 24-bit or 32-bit sequence
/// where they need more: it counts copies of the sign bit as if they were zeros, so that a negative
/// number that was extended passes for a short one. Call it before code generation, after all other
/// passes.
void guard_unsigned_divisions(llvm::Module& module);

}  // namespace cuvette::finalizer
