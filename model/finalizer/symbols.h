// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "finalizer/names.h"
#include "hsa/external_symbols.h"
#include "hsail/module.h"

namespace cuvette::finalizer {

/// An error at a place of an HSAIL module.
base::Error error_at(const hsail::Module& module, hsail::Position at, const std::string& what);

/// Alignment of a variable in bytes (HSAIL PRM 4.3.10), at least 1.
uint64_t variable_align(const hsail::Variable& variable);

/// The global and readonly variables of linked modules as LLVM globals.
class Symbols {
 public:
  Symbols(const hsail::Module& program, Spelling spelling, llvm::Module& out);

  /// Defines the variables of one module; all modules come before the first find(). Errors: two
  /// definitions of one program-linkage name, an initialiser that is not supported.
  base::Status define(const hsail::Module& module);

  /// Completes the initialisers after all functions are translated: addresses, and the list of what
  /// the loader has to write (hsa/object_handles.h). Error: an address that nobody defines.
  base::Status finish();

  /// The value of a constant expression: i64, a relocation for addr(). Indirect functions have to
  /// be there. nullptr when nobody defines what it names.
  llvm::Constant* expression(const hsail::Module& module, const hsail::Operand& op);

  /// The global for a variable entry of `module`, through program linkage if it is only a
  /// declaration there: an undefined one for a variable from outside (hsail/external.h). nullptr
  /// when nobody defines it.
  llvm::GlobalVariable* find(const hsail::Module& module, hsail::CodeRef variable);

  const Names& names() const { return names_; }

  /// The undefined globals that find() gave, by name, and what code takes for granted.
  const hsa::ExternalDemands& externals() const { return externals_; }

  /// The LLVM function of an indirect function, nullptr until somebody sets it.
  llvm::Function*& indirect_function(const hsail::Module& module, hsail::CodeRef function) {
    return indirect_[{&module, function}];
  }

 private:
  /// A place in a variable that the loader writes: the handle of a constant, or the low bytes of an
  /// address.
  struct Handle {
    const hsail::Module* module;
    llvm::GlobalVariable* variable;
    uint64_t offset;
    const hsail::Operand* constant;
  };
  /// A variable whose initialiser is bytes with 64-bit addresses between.
  struct Addresses {
    const hsail::Module* module;
    hsail::CodeRef entry;
    llvm::GlobalVariable* variable;
    std::string bytes;
    std::vector<std::pair<uint64_t, const hsail::Operand*>> places;
  };
  base::Status define_variable(const hsail::Module& module, hsail::CodeRef ref);
  llvm::Type* contents_type(
      uint64_t bytes, const std::vector<std::pair<uint64_t, const hsail::Operand*>>& places) const;
  llvm::Constant* descriptor(const std::string& kernel);
  llvm::GlobalVariable* external(const hsail::Module& module, hsail::CodeRef variable);
  /// As expression(), an error when nobody defines it.
  base::Result<llvm::Constant*> address_of(const hsail::Module& module, const hsail::Operand& op);
  base::Status set_addresses();
  base::Status list_handles();

  llvm::Module& out_;
  const Spelling spelling_;
  const Names names_;
  std::map<std::pair<const hsail::Module*, hsail::CodeRef>, llvm::GlobalVariable*> by_entry_;
  std::map<std::pair<const hsail::Module*, hsail::CodeRef>, llvm::Function*> indirect_;
  std::vector<Handle> handles_;
  std::vector<Addresses> addresses_;
  hsa::ExternalDemands externals_;
  std::map<std::string, llvm::GlobalVariable*> by_symbol_;  ///< program and module linkage
};

}  // namespace cuvette::finalizer
