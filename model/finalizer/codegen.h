// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "finalizer/target.h"

namespace cuvette::finalizer {

/// Sets triple, data layout and code object version of a new module.
void prepare_module(llvm::Module& module, const TargetId& target, unsigned code_object_version);

/// Optimization level of LLVM: O2, or O1.
enum class OptimizationLevel { kDefault, kLess };

/// LLVM's pipeline, in place. LlvmFailure: LLVM crashes.
void optimise(llvm::Module& module, const TargetId& target, OptimizationLevel level);

/// Puts zero bytes before the code of every kernel of an optimised module, inside the kernel's
/// alignment.
void reserve_before_kernels(llvm::Module& module, size_t bytes);

/// Generates a relocatable object of an optimised module. Errors: what LLVM reports, for example
/// too much memory of a segment. LlvmFailure: LLVM crashes or cannot go on.
base::Result<std::string> generate_object(llvm::Module& module, const TargetId& target,
                                          OptimizationLevel level);

/// Links one relocatable object to a code object with lld, in process; one link at a time. Errors:
/// what lld reports, no directory for temporary files.
base::Result<std::vector<uint8_t>> link_object(const std::string& object, bool has_externals);

}  // namespace cuvette::finalizer
