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

}  // namespace cuvette::base
