// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hsail/module.h"

namespace cuvette::finalizer {

/// Spelling of HSAIL names in symbols: the second way is that of the HSA runtime.
enum class Spelling : uint8_t { kPlain, kHsail };

/// Symbols of a code object for the global and readonly variables, kernels and functions of a
/// program. Nothing that is not of program linkage shares a symbol with anything:
///
/// - program linkage: the name without "&", behind "::" where the object needs that symbol for
///   something else (`x.kd`, `llvm.x`, `cuvette.x`, what the linker defines);
/// - variables of a module: `module::x`, of a kernel or function: `module::k::x`;
/// - kernels and indirect functions of a module: `k` where it is free, otherwise `module::k`: the
///   host may run them.
///
/// With Spelling::kHsail every name keeps its "&" or "%" (`&x`, `&module::&x`).
///
/// A declaration has the symbol of its definition. HSAIL names have no colons, modules of a program
/// different names.
class Names {
 public:
  /// `program`: linked, if it is of several modules (hsail/link.h).
  explicit Names(const hsail::Module& program, Spelling spelling = Spelling::kPlain);

  /// Empty for entries that have no name of this kind.
  const std::string& of(hsail::CodeRef entry) const { return names_.at(entry); }

 private:
  std::vector<std::string> names_;  ///< by entry
};

}  // namespace cuvette::finalizer
