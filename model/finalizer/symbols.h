// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "hsail/module.h"

namespace cuvette::finalizer {

/// An error at a place of an HSAIL module.
base::Error error_at(const hsail::Module& module, hsail::Position at, const std::string& what);

/// Alignment of a variable in bytes (HSAIL PRM 4.3.10), at least 1.
uint64_t variable_align(const hsail::Variable& variable);

/// The global and readonly variables of linked modules as LLVM globals.
class Symbols {
 public:
  explicit Symbols(llvm::Module& out) : out_(out) {}

  /// Defines the variables of one module; all modules come before the first find(). Errors: two
  /// definitions of one program-linkage name, an initialiser that is not supported.
  base::Status define(const hsail::Module& module);

  /// The global for a variable entry of `module`, through program linkage if it is only a
  /// declaration there. nullptr when nobody defines it.
  llvm::GlobalVariable* find(const hsail::Module& module, hsail::CodeRef variable) const;

  /// The LLVM function of an indirect function, nullptr until somebody sets it.
  llvm::Function*& indirect_function(const hsail::Module& module, hsail::CodeRef function) {
    return indirect_[{&module, function}];
  }

 private:
  base::Status define_variable(const hsail::Module& module, hsail::CodeRef ref);

  llvm::Module& out_;
  std::map<std::pair<const hsail::Module*, hsail::CodeRef>, llvm::GlobalVariable*> by_entry_;
  std::map<std::pair<const hsail::Module*, hsail::CodeRef>, llvm::Function*> indirect_;
  std::map<std::string, llvm::GlobalVariable*> by_name_;  ///< program linkage
};

}  // namespace cuvette::finalizer
