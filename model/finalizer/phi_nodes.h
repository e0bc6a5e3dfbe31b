// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace llvm {
class TargetPassConfig;
}

namespace cuvette::finalizer {

/// A value as one of another type, at the builder's place.
using Conversion = llvm::function_ref<llvm::Value*(llvm::IRBuilderBase&, llvm::Value*)>;

/// Puts a phi node of another type in a node's place. `there` converts what comes in, at the end of
/// its block; `back` what the new node gives.
void retype(llvm::PHINode& phi, llvm::Type* type, Conversion there, Conversion back);

/// Makes phi nodes of vectors of less than 16 bits per element integers of all their bits. LLVM 19
/// does so itself with some of them (AMDGPU IR late optimizations), and mixes up nodes when one of
/// those it begins with cannot be done. Call it before the passes are added.
void keep_byte_vectors_whole(llvm::TargetPassConfig& config);

}  // namespace cuvette::finalizer
