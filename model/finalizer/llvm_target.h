// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include <llvm/MC/TargetRegistry.h>

namespace cuvette::finalizer {

/// Triple of every code object of the model.
inline constexpr const char* kTriple = "amdgcn-amd-amdhsa";

/// Address spaces of the AMDGPU target.
inline constexpr unsigned kFlatSpace = 0;
inline constexpr unsigned kGlobalSpace = 1;
inline constexpr unsigned kRegionSpace = 2;
inline constexpr unsigned kGroupSpace = 3;
inline constexpr unsigned kConstantSpace = 4;
inline constexpr unsigned kPrivateSpace = 5;

/// LLVM's AMDGPU target with code generator, assembly parser and printer, registered on first use
/// (thread-safe). An error that LLVM takes for fatal is an LlvmFailure from then on.
const llvm::Target& amdgpu_target();

/// Error that LLVM cannot go on from. Objects it was working on may be pointed to by others that it
/// left behind, and are not to be destroyed.
class LlvmFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Name of the pass that selects instructions.
inline constexpr char kSelection[] = "amdgpu-isel";

/// Identity of a pass in LLVM by its name (llvm::AnalysisID). std::logic_error: there is none.
const void* pass_named(llvm::StringRef name);

}  // namespace cuvette::finalizer
