// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/limits.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "finalizer/llvm_target.h"

namespace cuvette::finalizer {

namespace {

/// True if .reqd_workgroup_size and .max_flat_workgroup_size say all. The key for whole work-groups
/// is one of code object v5 only.
bool has_keys(const hsa::LaunchLimits& l) {
  const auto& group = l.required_workgroup;
  return group[0] * group[1] * group[2] <= 1024 && l.required_grid[0] == 0 &&
         l.required_dimensions == 0 && l.max_flat_grid == 0 && !l.max_dynamic_group &&
         !l.whole_workgroups && !l.whole_wavefronts;
}

}  // namespace

void add_limits_note(llvm::Module& out, const std::string& kernel,
                     const hsa::LaunchLimits& limits) {
  if (has_keys(limits)) return;
  const std::string note = hsa::limits_note(kernel, limits);
  auto* bytes = llvm::ConstantDataArray::getString(out.getContext(), note, /*AddNull=*/false);
  auto* variable = new llvm::GlobalVariable(
      out, bytes->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, bytes,
      "cuvette.limits", nullptr, llvm::GlobalValue::NotThreadLocal, kConstantSpace);
  variable->setSection(".note.cuvette");  // LLVM makes a section of this name one of notes
  variable->setAlignment(llvm::Align(4));
  llvm::appendToUsed(out, {variable});
}

}  // namespace cuvette::finalizer
