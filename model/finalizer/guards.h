// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Module;
}

namespace cuvette::finalizer {

/// Keeps away what LLVM 19's code generator for AMDGPU gets wrong. Call it after all other passes.
/// - Unsigned division counts copies of the sign bit as if they were zeros, so that a negative
///   number that was extended passes for a short one, and divides with 24 or 32 bits: such numbers
///   are made opaque.
/// - A sum is taken for an equal `or disjoint` that stands before it, though that is one only where
///   it is used: sums take the place of such ones.
/// - A ballot of "ordered and not equal" counts NaN in: what may become one is made opaque.
/// - Where a loop has several ways back to its head, a phi node of one bit can give the value of
///   another round: such nodes become numbers.
/// - Calls of 0 are left out: their target is made opaque.
/// - One NaN stands for all constant ones that are canonicalized: that is done here.
void guard_code_generation(llvm::Module& module);

}  // namespace cuvette::finalizer
