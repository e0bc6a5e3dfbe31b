// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dlfcn.h>

#include "base/result.h"

namespace cuvette::base {

/// Loads a shared module. It is never closed: the libraries in it (Verilator, LLVM) may have left
/// thread-local objects behind. Errors: it cannot be loaded; they name `path`.
inline Result<void*> load_module(const std::string& file, const std::string& path) {
  if (void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); module != nullptr) return module;
  const char* why = dlerror();
  return Error(std::string("not a shared module that can be loaded: ") +
                   (why != nullptr ? why : "unknown reason"),
               {path});
}

/// The interface of a shared module of this project, which its function `name` gives and which
/// says its version first. `what`: of the module, for the errors: it cannot be loaded, has no such
/// function, is of another version than `version`.
template <class Interface>
Result<const Interface*> load_interface(const std::string& file, const char* name,
                                        const std::string& version, const std::string& what) {
  const auto module = load_module(file, file);
  if (!module) return module.error();
  const auto function = reinterpret_cast<const Interface* (*)()>(dlsym(*module, name));
  if (function == nullptr) return Error(std::string("the module has no function ") + name, {file});
  const Interface* found = function();
  if (found->version == version) return found;
  return Error(
      what + " of version " + found->version + ", expected that of the program, " + version,
      {file});
}

}  // namespace cuvette::base
